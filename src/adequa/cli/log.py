"""`adequa log`: a run to an experiment tracker."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from adequa.cli.options import argument, echo, flag, option


def log(
    run: Annotated[Path, argument("RUN", "A folder written by `adequa score`.")],
    to: Annotated[str, option("NAME", "mlflow or wandb.")],
    name: Annotated[
        str | None, option("NAME", "The name of the run there; default: that of the folder.")
    ] = None,
    project: Annotated[
        str | None, option("NAME", "The experiment (MLflow) or project (Weights & Biases).")
    ] = None,
    texts: Annotated[bool, flag("--texts", "Also upload scores.jsonl, with all texts.")] = False,
) -> None:
    """Log a run to MLflow or Weights & Biases.

    Per system and metric the mean and the corpus values, the shares of verdicts and of texts that
    are not scorable; as parameters the version, the inputs with their hashes and the signatures of
    the metrics; as files manifest.json and summary.json. The address and the key are those that the
    tracker reads from its environment (MLFLOW_TRACKING_URI, WANDB_API_KEY, WANDB_MODE).

    Example: adequa log runs/t5 --to mlflow --project webnlg
    """
    from adequa.run import log_run, open_run

    figures = log_run(open_run(run), to, name=name, project=project, texts=texts)
    echo(f"logged to {to}: {len(figures):,} figures", err=True)
