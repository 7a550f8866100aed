#!/bin/bash
# One shard per task of a Slurm array. Submit it, and join the shards when all tasks have succeeded:
#
#   export INPUT=/shared/items.jsonl RUN=/shared/run
#   job=$(sbatch --parsable --array=1-16 --export=ALL slurm.sh)
#   sbatch --dependency="afterok:$job" --export=ALL --wrap 'adequa merge "$RUN"'
#
# A task that was killed or requeued continues where it was; `sbatch --array=3,7 slurm.sh` repeats some of
# them, but then the number of shards must be given: SHARDS=16.
#SBATCH --job-name=adequa
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=04:00:00
#SBATCH --requeue
set -euo pipefail
export OMP_NUM_THREADS=1  # one core per task
exec adequa score "$INPUT" -m esa --out "$RUN" --no-cache --quiet \
  --shard "$SLURM_ARRAY_TASK_ID/${SHARDS:-$SLURM_ARRAY_TASK_COUNT}"
