"""`adequa paper`: a paper's tables and pictures side by side with ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Protocol

import typer

from adequa.cli.options import Json, Quiet, echo_json
from adequa.progress import progress_bar

# ---
# How every `adequa paper` command prints what it found.
# ---


class PaperOutput(Protocol):
    """A paper told again, or a section of one."""

    def text(self) -> str:
        """For a terminal."""

    def as_object(self) -> dict[str, object]:
        """For `--json`."""


def tell(reproduction: PaperOutput, written: Sequence[Path], *, as_json: bool) -> None:
    """The paper, and what was written of it."""
    if as_json:
        echo_json({**reproduction.as_object(), "written": [str(path) for path in written]})
        return
    typer.echo(reproduction.text())
    for path in written:
        typer.echo(f"written: {path}")


def tell_section(section: PaperOutput, *, as_json: bool) -> None:
    """A section alone."""
    if as_json:
        echo_json(section.as_object())
    else:
        typer.echo(section.text())


# ---
# `adequa paper correlations` and `adequa paper human`: metrics against people, and people.
# ---

Pictures = Annotated[
    Path | None,
    typer.Option("--pictures", "--out", "-o", metavar="DIR", help="Write the pictures there."),
]


def correlations(
    data: Annotated[
        Path,
        typer.Option(
            "--data", metavar="DIR", help="The folder that holds webnlg2020 and webnlg2017."
        ),
    ],
    year: Annotated[str, typer.Option(metavar="YEAR", help="2020, 2017 or both.")] = "both",
    detector: Annotated[
        str, typer.Option(metavar="NAME", help="adequa, or paper: its Algorithm 1.")
    ] = "adequa",
    seed: Annotated[int, typer.Option(min=0, help="Of the intervals' resamples.")] = 0,
    pictures: Pictures = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce the correlations of the ESA paper (Faille et al. 2021).

    Tables 2, 3 and 7 to 22 whole, the paper's row above ours, each cell marked: = rounds to the
    same, ~ within 0.02, ≠ differs; with what explains the differences, and a heat map a table.

    Example: adequa paper correlations --data data --year 2017 --pictures pictures
    """
    from adequa.errors import UnknownName
    from research.papers.correlations.reproduction import reproduce_correlations
    from research.papers.esa.data import YEARS
    from research.papers.esa.reproduction import write_files

    years = {"both": YEARS, **{str(one): (one,) for one in YEARS}}
    if year not in years:
        raise UnknownName("year", year, years)
    reproduction = reproduce_correlations(
        data,
        years[year],
        detector=detector,
        seed=seed,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    written = [] if pictures is None else write_files(reproduction, pictures)
    tell(reproduction, written, as_json=as_json)


def human(
    data: Annotated[
        Path, typer.Option("--data", metavar="DIR", help="The folder that holds webnlg2017.")
    ],
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="SECTION", help="This section and no other. Repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of Table 1's resamples.")] = 0,
    pictures: Pictures = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce the human evaluation of WebNLG 2017 (Shimorina et al. 2018).

    Tables 1 to 3, Figures 1 to 7 and what the text says of them, each number marked equal, close
    or different. Table 1 on all texts scores some 17,000 of them, which takes minutes. Sections:
    sample, table1, table1_all, tables2_3, groups, figures1_3, figures4_7.

    Example: adequa paper human --data data --only tables2_3 --only figures1_3 --pictures pictures
    """
    from research.papers.human.reproduction import reproduce_human
    from research.papers.joint.reproduction import write_pictures

    reproduction = reproduce_human(
        data,
        only=only or (),
        seed=seed,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    written = [] if pictures is None else write_pictures(reproduction, pictures)
    tell(reproduction, written, as_json=as_json)


paper = typer.Typer(
    name="paper",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Reproduce a paper's tables and figures.",
)


@paper.callback()
def _papers() -> None:
    """Reproduce a paper's tables and figures."""


@paper.command()
def esa(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="DIR", help="The folder that holds webnlg2020 and webnlg2017."
        ),
    ] = None,
    year: Annotated[str, typer.Option(metavar="YEAR", help="2020, 2017 or both.")] = "both",
    detector: Annotated[
        str, typer.Option(metavar="NAME", help="adequa, or paper: its Algorithm 1.")
    ] = "adequa",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Write Figure 3 and the worksheets there."),
    ] = None,
    worksheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Summarise a filled worksheet, and do no more."),
    ] = None,
    sample: Annotated[int, typer.Option(min=1, help="Texts a system in the worksheets.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of that sample.")] = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce entity-based semantic adequacy (Faille et al. 2021).

    Tables 1 to 4 and 7 to 22, Figures 2 and 3, the cases of section 6.2 and the worksheets for the
    manual check of section 5.2. What is not in DIR is marked n/a, with the path expected.

    Example: adequa paper esa --data data --year 2020 --out esa-2020
    """
    from adequa.errors import UnknownName
    from research.papers.esa.data import YEARS
    from research.papers.esa.reproduction import reproduce_esa, write_files
    from research.papers.esa.worksheet import summarise_worksheet

    if (data is None) == (worksheet is None):
        raise typer.BadParameter("give --data DIR, or --worksheet FILE")
    if worksheet is not None:
        tell_section(summarise_worksheet(worksheet), as_json=as_json)
        return
    years = {"both": YEARS, **{str(one): (one,) for one in YEARS}}
    if year not in years:
        raise UnknownName("year", year, years)
    reproduction = reproduce_esa(
        data or Path(),
        years[year],
        detector=detector,
        sample=sample,
        seed=seed,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    written = [] if out is None else write_files(reproduction, out)
    tell(reproduction, written, as_json=as_json)


@paper.command()
def joint(
    data: Annotated[
        Path,
        typer.Option("--data", metavar="DIR", help="The folder of webnlg2020, webnlg2017, dart."),
    ],
    weights: Annotated[
        list[str] | None,
        typer.Option(
            "--weights",
            metavar="NAME=FOLDER",
            help="Weights as `adequa export` writes them, a version, or hub:MODEL; else those "
            "shipped. Repeatable; the first is drawn.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="SECTION", help="This section and no other. Repeatable."),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus", metavar="NAME=PATH", help="A further corpus of any format. Repeatable."
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--mapping", metavar="FILE", help="Properties for WebNLG-WD; see `adequa derive`."
        ),
    ] = None,
    pool: Annotated[
        int | None,
        typer.Option(min=1, help="Texts to search among: fewer are quicker; all if not given."),
    ] = None,
    sample: Annotated[int, typer.Option(min=1, help="Pairs of a corpus in Figure 2.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of samples and resamples.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Write the pictures there.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce joint representations of text and graphs (paper 003).

    Table 1 of any corpus, retrieval with every kind of negative, inverted triples, similarities,
    learning curves, and correlations with people beside those of other metrics. What is not in
    DIR, and what was not trained, is marked n/a with the reason. Sections: table1, retrieval,
    setups, figure2, figure3, inversion, section6.2, figure6, ratings2017, figure8.

    Example: adequa paper joint --data data --pool 3000 --out joint
    """
    from adequa.models.shipped import DEFAULT
    from research.papers.joint.models import load_model
    from research.papers.joint.reproduction import reproduce_joint, write_pictures

    named = _named(weights, "--weights") if weights else {DEFAULT: DEFAULT}
    reproduction = reproduce_joint(
        data,
        [load_model(name, where) for name, where in named.items()],
        only=only or (),
        corpora={name: Path(path) for name, path in _named(corpus or [], "--corpus").items()},
        mapping=mapping,
        pool=pool,
        sample=sample,
        seed=seed,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    written = [] if out is None else write_pictures(reproduction, out)
    tell(reproduction, written, as_json=as_json)


@paper.command()
def nli(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="DIR", help="The folder that holds webnlg2017, webnlg2020 and e2e."
        ),
    ] = None,
    dataset: Annotated[str, typer.Option(metavar="NAME", help="webnlg, e2e or both.")] = "both",
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="A model for natural language inference beside the verifier: a folder or a name "
            "on the hub. Repeatable.",
        ),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="The verifier's weights; else the shipped.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="SECTION", help="This section and no other. Repeatable."),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="INTEGER", help="So many texts of a data set; else all."),
    ] = None,
    worksheet: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --data and --dataset, write errors to be judged; alone, summarise a FILE "
            "that somebody filled.",
        ),
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Print the worksheet's texts, from --data.")
    ] = False,
    setup: Annotated[
        str, typer.Option(metavar="NAME", help="Whose errors: templates, backoff, or a model's.")
    ] = "templates",
    errors: Annotated[int, typer.Option(min=1, help="Errors in a worksheet.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of samples and resamples.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes to use.")] = 1,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep scores there for the next time.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Write pictures and templates there."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce "Semantic accuracy by NLI" (Dušek and Kasner 2020).

    OK or not_OK against people's ratings of WebNLG 2017 and against E2E's script, with templates
    and with the backoff; and worksheets for a second look at errors, which hold ids and no texts.
    Sections: accuracy, confusion, parts, systems.

    Example: adequa paper nli --data data --out nli

    Example: adequa paper nli --data data --dataset e2e --worksheet e2e.tsv
    """
    from adequa.errors import UnknownName
    from research.papers.nli.data import DATASETS
    from research.papers.nli.reproduction import reproduce_nli, write_files, write_worksheet
    from research.papers.nli.setups import SetupScoring
    from research.papers.nli.worksheet import Sheet, read_cases, summarise_worksheet

    chosen = [name for name in DATASETS if dataset in (name, "both")]
    if not chosen:
        raise UnknownName("data set", dataset, (*DATASETS, "both"))
    scoring = SetupScoring(
        model or (), weights, jobs, cache, lambda what: progress_bar(what, quiet=quiet)
    )
    if worksheet is None:
        if data is None or show:
            raise typer.BadParameter("give --data DIR, or --worksheet FILE")
        told = reproduce_nli(data, chosen, scoring, only=only or (), sample=sample, seed=seed)
        tell(told, [] if out is None else write_files(told, out), as_json=as_json)
    elif show:
        if data is None:
            raise typer.BadParameter("--show needs the texts: give --data DIR")
        cases = read_cases(worksheet, data)
        if as_json:
            echo_json([case.as_object() for case in cases])
        else:
            typer.echo("\n\n".join(case.text() for case in cases))
    elif data is None:
        tell_section(summarise_worksheet(worksheet), as_json=as_json)
    else:
        if len(chosen) > 1:
            raise typer.BadParameter("a worksheet is of one data set: give --dataset")
        sheet = Sheet(setup, errors, sample, seed)
        count = write_worksheet(worksheet, data, chosen[0], scoring, sheet)
        typer.echo(f"written: {worksheet} ({count} errors)")


def _named(given: list[str], option: str) -> dict[str, str]:
    """`NAME=WHERE`, each name once."""
    found: dict[str, str] = {}
    for one in given:
        name, _, where = one.partition("=")
        if not name or not where or not set(name).isdisjoint("/\\"):
            raise typer.BadParameter(f"{option} {one!r} is not NAME=WHERE")
        if name in found:
            raise typer.BadParameter(f"{option} has {name!r} twice")
        found[name] = where
    return found


paper.command()(correlations)
paper.command()(human)
