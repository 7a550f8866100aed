"""`python -m research.records`: how credible findings on records are, and the record reader."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from adequa.files import errors_at
from adequa.models import load_encoder
from adequa.models.records import RecordReader, load_record_reader
from adequa.models.runtime import WordTable
from adequa.models.shipped import DEFAULT
from adequa.models.shipped import weights as shipped_weights
from adequa.progress import progress_bar
from research.records.findings import (
    CLEAN,
    OUT,
    READER,
    RECORDS,
    JudgedText,
    find_cases,
    find_readings,
    findings_tables,
    fit_findings,
    fit_reader,
    judge_file,
)
from research.relations.command import until_terminated

app = typer.Typer(
    name="records",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    help="Fit how credible findings on records are, and train a record reader.",
)

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE[:odd|:even|:held]…]",
        help="Records that the rules were not developed on, as JSON lines; by default those "
        "written for this.",
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
    ] = 0.12,
    entailment: Annotated[
        float,
        typer.Option("--entailment", min=0, max=1, help="The share of entailment pairs."),
    ] = 0.0,
    together: Annotated[
        float,
        typer.Option(
            "--together", min=0, max=1, help="The share of cases about records with several facts."
        ),
    ] = 0.0,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="The folder with `entailment`."),
    ] = None,
    bf16: Annotated[
        bool, typer.Option("--bf16", help="Multiply in bfloat16, where the processor can.")
    ] = False,
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
    from research.records.cases import read_sources
    from research.records.figures import read_held_out
    from research.records.torch_training import RecordSettings, train_records
    from research.records.written import DATA

    settings = RecordSettings(
        data=(DATA,),
        out=out,
        base=base,
        steps=steps,
        rate=rate,
        fall=fall,
        relations=relations,
        entailment=entailment,
        together=together,
        bf16=bf16,
        seed=seed,
        look_every=look_every,
        licence=licence,
        threads=threads,
        resume=True,
    )
    if entailment and data is None:
        raise typer.BadParameter("give --data with it", param_hint="--entailment")
    words = WordTable.read(shipped_weights(DEFAULT).path("words.npz"))  # those of the base, too
    reader = RecordReader(read_tokenizer(find_base(base).folder), words, lambda *_: [])
    sources = read_sources(
        reader, relations, seed, entailment=entailment, together=together, data=data
    )
    held_out = read_held_out(reader, count)
    with until_terminated() as stop, progress_bar("steps") as progress:
        result = train_records(settings, sources, held_out, stop=stop, progress=progress)
    typer.echo(json.dumps(result.figures, indent=1))


@app.command()
def findings(
    records: Files = None,
    read_by: Annotated[
        list[str] | None,
        typer.Option(
            "--read-by",
            metavar="FILE[:held]",
            help="Records that the record reader was not trained on; by default those held out, "
            "unless other records are given for the rules.",
        ),
    ] = None,
    clean: Clean = CLEAN,
    weights: Annotated[
        str,
        typer.Option("--weights", metavar="NAME|DIR", help="The weights with the record reader."),
    ] = DEFAULT,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")
    ] = OUT,
    dry_run: DryRun = False,
) -> None:
    """Fit how credible findings on records are, and below which probability they are dropped.

    It takes about an hour, and is due after every change of the rules or of the reader.

    Example: python -m research.records findings --clean 0.8
    """
    from adequa.entities.credibility import read_credibility

    rules = partial(find_cases, load_encoder().encode)
    texts: list[JudgedText] = []
    for place in records or RECORDS:
        with progress_bar(Path(place).name) as progress:
            texts += judge_file(place, rules, progress=progress)
    fit = fit_findings(texts, clean=clean)
    reader = load_record_reader(weights)
    held_out = read_by or (READER if records is None else ())
    if reader is not None and held_out:
        readings = partial(find_readings, reader.read)
        judged: list[JudgedText] = []
        for place in held_out:
            with progress_bar(Path(place).name) as progress:
                judged += judge_file(place, readings, progress=progress)
        fit = replace(fit, model=fit_reader(judged, fit.model))
    for table in findings_tables(fit):
        typer.echo(table.text() + "\n")
    if not dry_run:
        text = json.dumps(fit.as_object(), ensure_ascii=False, indent=2)
        with errors_at(out):
            out.write_text(f"{text}\n", encoding="utf-8")
        read_credibility.cache_clear()
        typer.echo(f"written to {out}", err=True)
