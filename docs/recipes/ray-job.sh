#!/bin/bash
# A job of a Ray cluster whose nodes have adequa installed and see the same folder. Ray sets RAY_ADDRESS
# for the job; from outside of a job, name the cluster with --address instead.
#
#   export RAY_API_SERVER_ADDRESS=http://head:8265 INPUT=/shared/items.jsonl RUN=/shared/run
#   ./ray-job.sh
set -euo pipefail
exec ray job submit -- \
  adequa score "$INPUT" -m esa --out "$RUN" --resume --no-cache --engine ray --jobs "${JOBS:-64}"
