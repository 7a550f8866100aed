"""`python -m research.relations`: the recipe of the relation reader, step by step."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.charts import save_picture
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from research.relations.torch_training import RelationSettings

app = typer.Typer(
    name="relations",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    help="Train the relation reader of nli.",
)

Data = Annotated[
    Path, typer.Option("--data", metavar="DIR", help="The research data (../shared/data).")
]
LexiconFile = Annotated[
    Path, typer.Option("--lexicon", metavar="FILE", help="A lexicon that `lexicon` has written.")
]
OutFile = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")]
Count = Annotated[
    int, typer.Option("--count", min=3, help="Held-out cases of each kind, approximately.")
]
Licence = Annotated[
    str | None, typer.Option("--licence", help="The licence of the data, for the card.")
]
Permissive = Annotated[
    bool,
    typer.Option(
        "--permissive", help="Only data that may be used commercially: no WebNLG, SICK or RTE."
    ),
]
Challenge = Annotated[
    Path | None,
    typer.Option("--challenge", metavar="FILE", help="Challenge groups that may be looked at."),
]


@app.command()
def lexicon(
    data: Data,
    encoder: Annotated[
        Path,
        typer.Option("--encoder", metavar="DIR", help="gte-small: vocab.txt and onnx/model.onnx."),
    ],
    out: OutFile,
    permissive: Permissive = False,
) -> None:
    """Collect the wordings, inverses and near misses of relations."""
    from research.relations.lexicon import build_lexicon, open_encoder, write_lexicon
    from research.relations.mixture import read_training_documents

    documents = read_training_documents(data, permissive=permissive)
    found = build_lexicon(data / "relations", documents, open_encoder(encoder))
    write_lexicon(out, found)
    wordings = sum(len(one.wordings) for one in found.values())
    typer.echo(f"{len(found):,} relations, {wordings:,} wordings written to {out}", err=True)


@app.command()
def pairs(
    data: Data,
    out: OutFile,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="The texts that are not trained on.")
    ] = False,
) -> None:
    """Write the texts and their data that may be used commercially, as items.

    The weights `open` are trained on them: written groups, Rel2Text and DART's tables.
    """
    from adequa.readers import write_items
    from research.relations.mixture import read_open_items

    items = read_open_items(data, dev=held_out)
    write_items(items, out)
    typer.echo(f"{len(items):,} texts written to {out}", err=True)


@app.command()
def rated(
    out: OutFile,
    ratings: Annotated[
        Path, typer.Option("--ratings", metavar="FILE", help="The file of ratings to write.")
    ],
) -> None:
    """Write held-out texts, right and wrong, with the share of each that is right as its rating.

    `adequa train blend … --criterion right --scale 0,1` fits similarity to them, where people's
    ratings may not be used.
    """
    from adequa.files import dump_line
    from adequa.readers import write_items
    from research.relations.calibration import rate_known_texts

    known = rate_known_texts()
    write_items([item for item, _ in known], out)
    same = {"rater": "made", "criterion": "right"}
    lines = ({"id": one.id, "system": one.system, **same, "value": value} for one, value in known)
    ratings.write_text("".join(map(dump_line, lines)), encoding="utf-8")
    typer.echo(f"{len(known):,} texts written to {out}", err=True)


@app.command()
def train(
    data: Data,
    lexicon: LexiconFile,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The checkpoint folder to write.")
    ],
    base: Annotated[
        str, typer.Option("--base", metavar="DIR", help="The model to start from.")
    ] = "all-MiniLM-L6-v2",
    steps: Annotated[int, typer.Option("--steps", min=1)] = 6000,
    rate: Annotated[float, typer.Option("--rate", help="The learning rate.")] = 1e-4,
    fall: Annotated[
        float, typer.Option("--fall", help="The share of steps over which the rate falls.")
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed")] = 0,
    look_every: Annotated[int, typer.Option("--look-every", min=1)] = 250,
    save_every: Annotated[int, typer.Option("--save-every", min=1)] = 100,
    share: Annotated[
        list[str] | None,
        typer.Option(
            "--share", metavar="KIND=SHARE", help="Another share of a kind of group. Repeatable."
        ),
    ] = None,
    last_written: Annotated[
        str | None,
        typer.Option(
            "--last-written",
            metavar="NAME",
            help="The last file of written groups that is read, such as j: earlier stages of the "
            "shipped reader had fewer. Default: all.",
        ),
    ] = None,
    permissive: Permissive = False,
    licence: Licence = None,
    count: Count = 150,
    challenge: Challenge = None,
    threads: Annotated[int, typer.Option("--threads", min=1)] = 1,
    grow: Annotated[
        int, typer.Option("--grow", min=0, help="Steps over which added layers take effect.")
    ] = 0,
    bf16: Annotated[
        bool, typer.Option("--bf16", help="Multiply in bfloat16, where the processor can.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a training that was stopped.")
    ] = False,
) -> None:
    """Train the relation reader; SIGTERM saves its state and ends it."""
    from research.relations.mixture import PERMISSIVE_SHARES, SHARES
    from research.relations.torch_training import RelationSettings

    shares = dict(PERMISSIVE_SHARES if permissive else SHARES)
    for one in share or ():
        kind, _, value = one.partition("=")
        try:
            shares[kind] = float(value)
        except ValueError:
            raise typer.BadParameter(f"{one!r} is not KIND=SHARE", param_hint="--share") from None
    settings = RelationSettings(
        data=(data,),
        lexicon=lexicon,
        out=out,
        base=base,
        steps=steps,
        rate=rate,
        fall=fall,
        seed=seed,
        look_every=look_every,
        save_every=save_every,
        shares=shares,
        permissive=permissive,
        threads=threads,
        grow=grow,
        bf16=bf16,
        licence=licence,
        resume=resume,
    )
    _train(settings, last_written=last_written, count=count, challenge=challenge)


@app.command()
def restore(
    weights: Annotated[
        Path, typer.Argument(metavar="WEIGHTS", help="A folder of adequa export with a reader.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The checkpoint folder to write.")
    ],
) -> None:
    """Write the checkpoint of an exported reader, from which a later stage can start."""
    from adequa.training.export import restore as restore_checkpoint

    typer.echo(f"written to {restore_checkpoint(weights, 'relations', out)}", err=True)


@app.command()
def grow(
    checkpoint: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="A reader.")],
    donor: Annotated[
        Path,
        typer.Option("--donor", metavar="DIR", help="gte-small: config.json, onnx/model.onnx."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The checkpoint folder to write.")
    ],
) -> None:
    """Write a reader with twice the layers, which a training with --grow starts from."""
    from research.relations.torch_growth import grow_checkpoint, read_donor

    grow_checkpoint(checkpoint, read_donor(donor), out)
    typer.echo(f"written to {out}", err=True)


@app.command()
def mean(
    checkpoints: Annotated[list[Path], typer.Argument(metavar="CHECKPOINT…")],
    data: Data,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The checkpoint folder to write.")
    ],
    count: Count = 90,
    challenge: Challenge = None,
) -> None:
    """Write the mean of the weights of several stages, which reads better than the last alone."""
    from research.relations.figures import read_held_out
    from research.relations.torch_training import average_checkpoints

    held_out = read_held_out(data, count=count, challenge=challenge)
    average_checkpoints(checkpoints, out, held_out)
    typer.echo(f"written to {out}", err=True)


@app.command()
def stage(
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1)],
    data: Data,
    lexicon: LexiconFile,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The checkpoint folder to write.")
    ],
    base: Annotated[
        str, typer.Option("--base", metavar="DIR", help="What the stage before has written.")
    ] = "all-MiniLM-L6-v2",
    licence: Licence = None,
    count: Count = 90,
    challenge: Challenge = None,
    threads: Annotated[int, typer.Option("--threads", min=1)] = 1,
) -> None:
    """Train one stage of the shipped reader, or continue it where it was stopped."""
    from research.relations.mixture import STAGES

    if number > len(STAGES):
        raise typer.BadParameter(f"there are {len(STAGES)} stages", param_hint="NUMBER")
    from research.relations.torch_training import RelationSettings

    own = STAGES[number - 1]
    settings = RelationSettings(
        data=(data,),
        lexicon=lexicon,
        out=out,
        base=base,
        steps=own.steps,
        fall=own.fall,
        seed=own.seed,
        look_every=own.steps,
        shares=own.shares,
        grow=own.grow,
        bf16=own.bf16,
        threads=threads,
        licence=licence,
        resume=True,
    )
    _train(
        settings,
        last_written=own.last_written,
        latest=own.latest,
        count=count,
        challenge=challenge,
    )


def _train(
    settings: RelationSettings,
    *,
    last_written: str | None,
    latest: int | None = None,
    count: int,
    challenge: Path | None,
) -> None:
    """Train until the end or SIGTERM, and print the last figures."""
    from research.relations.figures import read_held_out
    from research.relations.mixture import read_mixture
    from research.relations.torch_training import train_relations

    (data,) = settings.data
    mixture = read_mixture(
        data,
        settings.lexicon,
        seed=settings.seed,
        shares=settings.shares,
        last_written=last_written,
        latest=latest,
        permissive=settings.permissive,
    )
    held_out = read_held_out(data, count=count, challenge=challenge)
    with until_terminated() as stop, progress_bar("steps") as progress:
        result = train_relations(settings, mixture, held_out, stop=stop, progress=progress)
    typer.echo(json.dumps(result.figures, indent=1))


@contextmanager
def until_terminated() -> Iterator[Callable[[], bool]]:
    """Whether SIGTERM has come, for a training that then saves its state and ends."""
    stopped: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    try:
        yield lambda: bool(stopped)
    finally:
        signal.signal(signal.SIGTERM, before)


@app.command()
def figures(
    checkpoints: Annotated[list[Path], typer.Argument(metavar="CHECKPOINT…")],
    data: Data,
    count: Count = 150,
    challenge: Challenge = None,
) -> None:
    """Print the figures of checkpoints on held-out data, one line of JSON per checkpoint."""
    import torch

    from research.relations.figures import read_held_out
    from research.relations.torch_training import load_checkpoint, measure

    torch.set_num_threads(1)
    held_out = read_held_out(data, count=count, challenge=challenge)
    for folder in checkpoints:
        found = measure(*load_checkpoint(folder), held_out)
        typer.echo(json.dumps({"checkpoint": str(folder), **found}))


@app.command()
def crowd(
    data: Data,
    weights: Annotated[
        str, typer.Option("--weights", metavar="NAME", help="Shipped weights or a folder.")
    ] = "v3",
    split: Annotated[
        str, typer.Option("--split", help="The relations of dev or test; test is for measuring.")
    ] = "test",
) -> None:
    """Print how nli judges Rel2Text's sentences with arguments exchanged, and people's mistakes."""
    from adequa.metrics.nli import Nli
    from research.relations.figures import crowd_figures
    from research.relations.sources import read_rel2text

    metric = Nli(weights=weights)
    found = crowd_figures(
        lambda items: [one.value for one in metric.score(items)],
        read_rel2text(data / "relations", split),
    )
    typer.echo(json.dumps({"split": split, **found}, indent=1))


@app.command()
def calibrate(
    weights: Annotated[
        Path,
        typer.Option(
            "--weights",
            metavar="DIR",
            help="A folder of adequa export with verifier and relation reader.",
        ),
    ],
    data: Data,
    flagged: Annotated[
        float,
        typer.Option("--flagged", help="The share of faithful held-out texts to be flagged."),
    ] = 0.07,
    count: Annotated[
        int, typer.Option("--count", min=4, help="Right texts of each source, at most.")
    ] = 600,
    permissive: Permissive = False,
) -> None:
    """Fit the line from the reader's logits to probabilities, and write it into the weights."""
    from adequa.errors import ModelError
    from adequa.metrics.nli import Nli
    from adequa.metrics.nli.evidence import VerifierEvidence
    from adequa.models import load_relation_reader
    from research.relations.calibration import fit_line, read_labelled_texts, write_line

    if load_relation_reader(str(weights)) is None:
        raise ModelError(f"{weights}: has no relation reader; export one into it")
    source = Nli(weights=str(weights)).evidence_source()
    assert isinstance(source, VerifierEvidence)  # noqa: S101 - no other model is named
    texts = read_labelled_texts(data, count=count, permissive=permissive)
    line = fit_line(source.readings, texts, flagged=flagged)
    typer.echo(json.dumps(write_line(weights, line), indent=1))


@app.command()
def confidence(
    weights: Annotated[
        Path,
        typer.Option(
            "--weights",
            metavar="DIR",
            help="A folder of adequa export, weighed and calibrated; its calibration.json is "
            "written.",
        ),
    ],
    data: Data,
    count: Annotated[
        int, typer.Option("--count", min=4, help="Texts for each perturbation, at most.")
    ] = 40,
    in_doubt: Annotated[
        float,
        typer.Option(
            "--in-doubt",
            min=0,
            max=0.5,
            help="The share of right texts found OK that may have a fact in doubt.",
        ),
    ] = 0.1,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw the reliability diagram as SVG."),
    ] = None,
    permissive: Permissive = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the figures and leave the weights as they are.")
    ] = False,
) -> None:
    """Fit how sure the verdicts of esa and nli are, and write it into the weights.

    The figures are of halves of the data that the model was not fitted on. It takes some minutes,
    and is due after every change of the verifier, the relation reader, their lines or thresholds.
    """
    from research.relations.confidence import (
        confidence_picture,
        confidence_tables,
        fit_confidence,
        judge_texts,
        read_known_texts,
        write_confidence,
    )

    texts = read_known_texts(data, count=count, permissive=permissive)
    with progress_bar("texts") as progress:
        judged = judge_texts(str(weights), texts, progress)
    fit = fit_confidence(judged, in_doubt=in_doubt)
    if picture is not None:
        save_picture(confidence_picture(fit), picture)
    for table in confidence_tables(fit):
        typer.echo(table.text() + "\n")
    if not dry_run:
        write_confidence(weights, fit)
        typer.echo(f"written to {weights}", err=True)
