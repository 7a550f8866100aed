"""`adequa merge`: the run of its shards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from adequa.cli import options
from adequa.cli.options import argument


def merge(
    run: Annotated[Path, argument("RUN", "The folder that `adequa score --shard` wrote.")],
    as_json: options.Json = False,
) -> None:
    """Join the shards of a run.

    Every planned item must be there once; a shard that is missing is named. The run is equal, byte
    for byte, to one that was scored without shards.

    Example: adequa merge runs/t5
    """
    from adequa.run import merge_run

    with options.run_folder(run) as folder:
        options.echo_run(merge_run(folder), as_json=as_json, place=run)
