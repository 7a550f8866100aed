"""`python -m research.records`: the recipe of the record reader, step by step."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Annotated

import typer

from adequa.files import errors_at
from adequa.models.records import RecordReader
from adequa.models.runtime import WordTable
from adequa.models.shipped import DEFAULT
from adequa.models.shipped import weights as shipped_weights
from adequa.progress import progress_bar
from research.records.findings import (
    CLEAN,
    HELD,
    OUT,
    SEEN,
    UNREAD,
    FindingsFit,
    JudgedText,
    findings_tables,
    fit_findings,
    judge_file,
)

app = typer.Typer(
    name="records",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    help="Train the record reader of nli, and fit how credible findings on records are.",
)

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE[:odd|:even|:held]…]",
        help="Records that the rules were not developed on, as JSON lines; by default those "
        "written for this.",
    ),
]
Seen = Annotated[
    list[str] | None,
    typer.Option(
        "--seen",
        metavar="FILE[:odd|:even]",
        help="Records that they were developed on; by default those of bench/challenges.",
    ),
]
Clean = Annotated[
    float, typer.Option("--clean", min=0, max=1, help="Faithful texts without a finding.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the figures and write nothing.")]


@app.command()
def train(
    base: Annotated[
        str,
        typer.Option("--base", metavar="DIR", help="The relation reader, or an earlier stage."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The checkpoint folder to write.")
    ],
    steps: Annotated[int, typer.Option("--steps", min=1)] = 1000,
    rate: Annotated[float, typer.Option("--rate", help="The learning rate.")] = 1e-4,
    fall: Annotated[
        float, typer.Option("--fall", help="The share of steps over which the rate falls.")
    ] = 0.0,
    relations: Annotated[
        float,
        typer.Option("--relations", min=0, max=1, help="The share of small graphs."),
    ] = 0.25,
    seed: Annotated[int, typer.Option("--seed")] = 0,
    look_every: Annotated[int, typer.Option("--look-every", min=1)] = 250,
    count: Annotated[
        int, typer.Option("--count", min=1, help="Held-out records to look at, approximately.")
    ] = 40,
    licence: Annotated[
        str | None, typer.Option("--licence", help="The licence of the data, for the card.")
    ] = None,
    threads: Annotated[int, typer.Option("--threads", min=1)] = 1,
) -> None:
    """Train the record reader, or continue where it was stopped; SIGTERM saves its state."""
    from adequa.training.setup import find_base, read_tokenizer
    from research.records.cases import DATA, read_sources
    from research.records.figures import read_held_out
    from research.records.torch_training import RecordSettings, train_records

    settings = RecordSettings(
        data=(DATA,),
        out=out,
        base=base,
        steps=steps,
        rate=rate,
        fall=fall,
        relations=relations,
        seed=seed,
        look_every=look_every,
        licence=licence,
        threads=threads,
        resume=True,
    )
    words = WordTable.read(shipped_weights(DEFAULT).path("words.npz"))  # those of the base, too
    reader = RecordReader(read_tokenizer(find_base(base).folder), words, lambda *_: [])
    sources = read_sources(reader, relations, seed)
    held_out = read_held_out(reader, count)
    stopped: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    try:
        with progress_bar("steps") as progress:
            result = train_records(
                settings, sources, held_out, stop=lambda: bool(stopped), progress=progress
            )
    finally:
        signal.signal(signal.SIGTERM, before)
    typer.echo(json.dumps(result.figures, indent=1))


def _fit(
    unread: list[str] | None,
    seen: list[str] | None,
    default: tuple[str, ...],
    clean: float,
    reader: RecordReader | None,
) -> FindingsFit:
    texts: list[JudgedText] = []
    for places, known in ((unread or default, False), (SEEN if seen is None else seen, True)):
        for place in places:
            with progress_bar(Path(place).name) as progress:
                texts += judge_file(place, reader, seen=known, progress=progress)
    fit = fit_findings(texts, clean=clean)
    for table in findings_tables(fit):
        typer.echo(table.text() + "\n")
    return fit


@app.command()
def findings(
    unread: Files = None,
    seen: Seen = None,
    clean: Clean = CLEAN,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")
    ] = OUT,
    dry_run: DryRun = False,
) -> None:
    """Fit how credible the findings of the rules are, and below which probability esa drops them.

    It takes about twenty minutes, and is due after every change of the rules.

    Example: python -m research.records findings --clean 0.9
    """
    from adequa.entities.credibility import read_credibility

    fit = _fit(unread, seen, UNREAD, clean, None)
    if not dry_run:
        text = json.dumps(fit.as_object(), ensure_ascii=False, indent=2)
        with errors_at(out):
            out.write_text(f"{text}\n", encoding="utf-8")
        read_credibility.cache_clear()
        typer.echo(f"written to {out}", err=True)


@app.command()
def calibrate(
    weights: Annotated[
        Path,
        typer.Option("--weights", metavar="DIR", help="A folder of adequa export with the reader."),
    ],
    unread: Files = None,
    seen: Seen = None,
    clean: Clean = CLEAN,
    dry_run: DryRun = False,
) -> None:
    """Fit how credible the findings of rules and record reader together are, for nli.

    By default on records that the reader was not trained on. Due after `findings` and after every
    training of the reader.
    """
    from adequa.errors import ModelError
    from adequa.models.records import load_record_reader
    from research.relations.calibration import write_part

    reader = load_record_reader(str(weights))
    if reader is None:
        raise ModelError(f"{weights}: has no record reader; export one into it")
    fit = _fit(unread, seen, HELD, clean, reader)
    if not dry_run:
        write_part(weights, records=fit.as_object())
        typer.echo(f"written to {weights}", err=True)
