"""`adequa log`: a run to an experiment tracker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from adequa.cli.options import argument, echo, flag, option

if TYPE_CHECKING:
    from adequa.run import Run


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
    from adequa.errors import AdequaError, ServiceError, require_known
    from adequa.run import SCORES, open_run

    require_known("tracker", [to], _TRACKERS)
    opened = open_run(run)
    files = [opened.path / "manifest.json", opened.summary_path]
    if texts:
        files.append(opened.path / SCORES)
    figures = run_figures(opened.summary)
    try:
        _TRACKERS[to](name or opened.name, project, _parameters(opened), figures, files)
    except AdequaError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise ServiceError(to, problem, "check its settings in the environment") from error
    echo(f"logged to {to}: {len(figures):,} figures, {len(files)} files", err=True)


def run_figures(summary: Any) -> dict[str, float]:
    """The numbers of a summary by name: `SYSTEM/METRIC/mean`, `SYSTEM/verdict/OK`.

    No name is the beginning of another, since MLflow keeps them as paths.

    >>> run_figures({"systems": {"T5": {"items": 4, "verdicts": {"OK": 3}, "metrics": {
    ...     "esa": {"mean": 0.5, "not_scorable": 1, "corpus": {"ESA_C": 0.25}}}}}})
    {'T5/esa/mean': 0.5, 'T5/esa/ESA_C': 0.25, 'T5/esa/not scorable': 0.25, 'T5/verdict/OK': 0.75}
    """
    figures: dict[str, float | None] = {}
    for system, entry in summary["systems"].items():
        own, items = system or "unnamed", entry["items"]
        for metric, column in entry["metrics"].items():
            figures[f"{own}/{metric}/mean"] = column["mean"]
            corpus = column.get("corpus")
            parts = corpus if isinstance(corpus, dict) else {"corpus": corpus}
            figures |= {f"{own}/{metric}/{part}": value for part, value in parts.items()}
            figures[f"{own}/{metric}/not scorable"] = column["not_scorable"] / items
        for name, count in entry["verdicts"].items():
            figures[f"{own}/verdict/{name}"] = count / items
    return {name: float(value) for name, value in figures.items() if value is not None}


def _parameters(run: Run) -> dict[str, str]:
    manifest = run.manifest
    files = manifest["inputs"]["files"]
    return {
        "adequa": manifest["version"],
        "input": manifest["inputs"]["path"],
        "items": str(run.items),
        **{f"sha256 {place}": one["sha256"] for place, one in enumerate(files, 1)},
        **{f"signature {label}": one["signature"] for label, one in manifest["metrics"].items()},
    }


def _to_mlflow(
    name: str,
    project: str | None,
    parameters: dict[str, str],
    figures: dict[str, float],
    files: list[Path],
) -> None:
    import re

    mlflow = _tracker("mlflow")
    if project is not None:
        mlflow.set_experiment(project)

    def safe(key: str) -> str:
        return re.sub(r"[^\w\-. /]", "_", key)  # what MLflow allows in a name

    with mlflow.start_run(run_name=name):
        # A parameter has at most 6,000 characters.
        mlflow.log_params({safe(key): value[:6000] for key, value in parameters.items()})
        mlflow.log_metrics({safe(key): value for key, value in figures.items()})
        for file in files:
            mlflow.log_artifact(str(file))


def _to_wandb(
    name: str,
    project: str | None,
    parameters: dict[str, str],
    figures: dict[str, float],
    files: list[Path],
) -> None:
    wandb = _tracker("wandb")
    with wandb.init(project=project, name=name, job_type="evaluation", config=parameters) as run:
        run.log(figures)
        artifact = wandb.Artifact(f"adequa-{run.id}", type="evaluation")
        for file in files:
            artifact.add_file(str(file))
        run.log_artifact(artifact)


def _tracker(package: str) -> Any:
    import importlib

    from adequa.errors import SettingError

    try:
        return importlib.import_module(package)
    except ImportError:
        problem = f"this needs the package {package!r}, which is not installed"
        raise SettingError(f"{problem}: pip install {package}") from None


_TRACKERS = {"mlflow": _to_mlflow, "wandb": _to_wandb}
