"""`adequa paper`: the tables and figures of the papers next to ours."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli import train as cli
from adequa.cli.options import Jobs, Json, Quiet, echo_json, echo_written, flag, group, option
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from adequa.progress import Progress
    from research.papers.section import Reproduction, Section

paper = group("paper", "Reproduce a paper's tables and figures.")

Pictures = Annotated[
    Path | None, option("DIR", "Write the figures to DIR.", "--pictures", "--out", "-o")
]
Years = Annotated[str, option("YEAR", "2020, 2017 or both.", "--year")]
Detector = Annotated[str, option("NAME", "adequa, or paper for the paper's Algorithm 1.")]
AliasFile = Annotated[
    Path | None, option("FILE", "Synonyms of entities: TSV, JSON, or a built file.", "--aliases")
]
Linker = Annotated[str | None, option("URL", "A REL server, asked for every text.", "--linker")]
Coreference = Annotated[
    str, option("NAME", "Who resolves pronouns: none, stanza or adequa.", "--coreference")
]
Columns = Annotated[
    list[str] | None,
    option(
        "ROW=METRIC",
        "A metric for a row of the correlation tables, such as 'BERT-score "
        "P=precomputed:file=scores.jsonl,key=bert-p'. Repeatable; default: released "
        "scores, or our own.",
        "--column",
    ),
]
NliModels = Annotated[
    list[str] | None,
    option(
        "NAME",
        "A natural language inference model to compare with the verifier: a folder or a "
        "name on the hub. Repeatable.",
        "--model",
    ),
]
Only = Annotated[list[str] | None, option("SECTION", "Only this section. Repeatable.", "--only")]

_OPTIONS_OF_PAPERS = {
    **dict.fromkeys(("detector", "aliases", "linker", "coreference"), ("esa", "correlations")),
    "model": ("nli",),
    "rows": ("joint",),
    "sample": ("nli", "joint", "human"),
}
"""Options of `paper all`, and the papers that they are for."""
_STUDY_OPTIONS = ("row", "steps", "rating_steps", "base", "threads")
"""Options of `paper joint` for its studies alone."""
_PAPER_OPTIONS = ("only", "corpus", "mapping", "sample")
"""Options of `paper joint` for everything but its studies."""


def _print(reproduction: Reproduction, folder: Path | None, *, as_json: bool) -> None:
    """Print a reproduction, and write its figures and worksheets into a folder if one is given."""
    written = [] if folder is None else reproduction.write(folder)
    if as_json:
        echo_json({**reproduction.as_object(), "written": [str(path) for path in written]})
    else:
        typer.echo(reproduction.text())
    for path in written:
        echo_written(path)


def _print_section(section: Section, *, as_json: bool) -> None:
    if as_json:
        echo_json(section.as_object())
    else:
        typer.echo(section.text())


def _refuse(context: typer.Context, names: Sequence[str], why: str) -> None:
    """Raise for options that the command line gives although they have no effect."""
    options = {one.name: one.opts[0] for one in context.command.params}
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(f"{options[name]} has no effect {why}")


def _detection(
    detector: str, aliases: Path | None, linker: str | None, coreference: str
) -> dict[str, object]:
    """The settings of `esa` for the detector and what is added to it."""
    added = {"aliases": aliases, "linker": linker, "coreference": coreference}
    return {"detector": detector, **added}


def _as_options(detection: Mapping[str, object]) -> str:
    """The settings of a detection as options of a command, without the defaults."""
    defaults = {"detector": "adequa", "coreference": "none"}
    return "".join(
        f" --{name} {shlex.quote(str(value))}"
        for name, value in detection.items()
        if value != defaults.get(name)
    )


def _chosen_years(year: str) -> tuple[int, ...]:
    from adequa.errors import UnknownName
    from research.papers.esa.data import YEARS

    years = {"both": YEARS, **{str(one): (one,) for one in YEARS}}
    if year not in years:
        raise UnknownName("year", year, years)
    return years[year]


@paper.command()
def esa(
    context: typer.Context,
    data: Annotated[
        Path | None, option("DIR", "The folder with webnlg2020 and webnlg2017.", "--data")
    ] = None,
    year: Years = "both",
    detector: Detector = "adequa",
    aliases: AliasFile = None,
    linker: Linker = None,
    coreference: Coreference = "none",
    column: Columns = None,
    out: Annotated[
        Path | None, option("DIR", "Write Figure 3 and the worksheets to DIR.", "--out", "-o")
    ] = None,
    worksheet: Annotated[
        Path | None,
        option(
            "FILE",
            "With --data, write a random sample of the undetected entities of all systems of "
            "2020; alone, summarise a completed FILE.",
        ),
    ] = None,
    flags: Annotated[
        int, option(None, "Undetected entities per system in that sample.", min=1)
    ] = 12,
    show: Annotated[bool, flag("--show", "Print the texts of the worksheet, from --data.")] = False,
    sample: Annotated[int, option(None, "Texts per system in the worksheets.", min=1)] = 20,
    seed: Annotated[int, option(None, "Random seed of the worksheets' sample.", min=0)] = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce paper 001 on entity-based semantic adequacy.

    Faille, Gatt and Gardent (2021), "Entity-Based Semantic Adequacy for Data-to-Text Generation".

    Tables 1 to 4 and 7 to 22, Figures 2 to 4, the distinct entities of footnote 5, undetected
    entities by type, the cases of section 6.2 and the worksheets for the manual check of section
    5.2. Missing data is marked n/a, with the expected path. The paper's detector is --detector
    paper with --aliases, --linker and --coreference, each of which works alone too, and with our
    detector.

    Example: adequa paper esa --data data --year 2020 --out esa-2020

    Example: adequa paper esa --data data --detector paper --aliases names.tsv --coreference adequa

    Example: adequa paper esa --data data --worksheet flags.tsv
    """
    from research.papers.esa.data import read_corpus
    from research.papers.esa.reproduction import CHECKED_YEAR, reproduce_esa
    from research.papers.esa.worksheet import flag_sample, show_flags, summarise_worksheet
    from research.papers.section import require_new, write_texts

    if show and (data is None or worksheet is None):
        raise typer.BadParameter("--show needs --data DIR and --worksheet FILE")
    if show or data is None or worksheet is None:
        why = "unless a worksheet is drawn; give --data DIR and --worksheet FILE without --show"
        _refuse(context, ["flags"], why)
    if data is None:
        if worksheet is None:
            raise typer.BadParameter("give --data DIR, or --worksheet FILE")
        _print_section(summarise_worksheet(worksheet), as_json=as_json)
        return
    detection = _detection(detector, aliases, linker, coreference)
    if worksheet is not None:
        if show:
            typer.echo("\n\n".join(show_flags(worksheet, read_corpus(data, CHECKED_YEAR).items)))
            return
        require_new(worksheet)
        items = read_corpus(data, CHECKED_YEAR).items
        with progress_bar("scoring", quiet=quiet) as advance:
            drawn = flag_sample(items, flags, seed=seed, detection=detection, progress=advance)
        for path in write_texts({worksheet.name: drawn}, worksheet.parent):
            echo_written(path)
        return
    reproduction = reproduce_esa(
        data,
        _chosen_years(year),
        detection=detection,
        given=_named(column or [], "--column"),
        sample=sample,
        seed=seed,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    _print(reproduction, out, as_json=as_json)


@paper.command()
def joint(
    context: typer.Context,
    data: Annotated[Path, option("DIR", "The folder with webnlg2020, webnlg2017, dart.", "--data")],
    weights: Annotated[
        list[str] | None,
        option(
            "NAME=FOLDER",
            "Weights written by `adequa export`, a version, or hub:MODEL; default: the "
            "shipped weights. Repeatable; figures use the first.",
            "--weights",
        ),
    ] = None,
    only: Only = None,
    corpus: Annotated[
        list[str] | None,
        option("NAME=PATH", "A further corpus in any format. Repeatable.", "--corpus"),
    ] = None,
    mapping: Annotated[
        Path | None,
        option("FILE", "Mapping of properties for WebNLG-WD; see `adequa derive`.", "--mapping"),
    ] = None,
    pool: Annotated[
        int | None,
        option(
            None,
            "Number of texts to search, and of inverted triples of a study; fewer are faster."
            " Default: all.",
            min=1,
        ),
    ] = None,
    study: Annotated[
        list[str] | None,
        option(
            "NAME",
            "Run a study of trainings instead, and print its table: baselines, negatives, "
            "batches, mixtures, best-half, loss, ratings. Repeatable. Needs --rows.",
            "--study",
        ),
    ] = None,
    rows: Annotated[
        Path | None,
        option(
            "DIR",
            "The folder of the studies' rows. Those that are there are not run again; without"
            " --study, they are shown with the rest.",
        ),
    ] = None,
    row: Annotated[
        list[str] | None, option("NAME", "Run only this row of a study. Repeatable.", "--row")
    ] = None,
    base: cli.Base = "all-MiniLM-L6-v2",
    steps: Annotated[
        int | None, option(None, "Batches per row of a study; default: the schedule's 50.", min=1)
    ] = None,
    rating_steps: Annotated[
        int | None,
        option(
            None, "Batches of fine-tuning in the study ratings; default: the schedule's 50.", min=1
        ),
    ] = None,
    threads: cli.Threads = None,
    sample: Annotated[int, option(None, "Pairs per corpus in Figure 2.", min=1)] = 1000,
    seed: Annotated[int, option(None, "Random seed of samples and resamples.", min=0)] = 0,
    out: Annotated[Path | None, option("DIR", "Write the figures to DIR.", "--out", "-o")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce joint representations of text and graphs (paper 003).

    Table 1 of any corpus, retrieval with every kind of negative, inverted triples, similarities,
    learning curves, and correlations with people next to those of other metrics. Missing data and
    models are marked n/a with the reason. Sections: table1, retrieval,
    figure2, figure3, inversion, section6.2, figure6, ratings2017, figure8.

    The studies train small models, all on one schedule; each row takes some minutes on one core, is
    saved when it is done, and resumes when it was stopped. The study baselines measures the models
    of --weights as they are.

    Example: adequa paper joint --data data --pool 3000 --out joint

    Example: adequa paper joint --data data --study negatives --rows rows --threads 1
    """
    from adequa.models import DEFAULT
    from research.papers.joint.data import JointStudy
    from research.papers.joint.models import load_model
    from research.papers.joint.reproduction import reproduce_joint
    from research.papers.joint.studies import StudyRun, StudySchedule, reproduce_studies
    from research.papers.section import Chapter, Reproduction

    _refuse_joint_options(context, study or (), only or ())
    if study:
        if rows is None:
            raise typer.BadParameter("--study needs --rows DIR, where its rows are kept")
        schedule = StudySchedule(base=base, seed=seed)
        if steps is not None:
            schedule = replace(schedule, steps=steps)
        if rating_steps is not None:
            schedule = replace(schedule, rating_steps=rating_steps)
        with cli.training_bars(quiet=quiet) as report:
            run = StudyRun(
                JointStudy(
                    data=data, pool=pool, shown=lambda what: progress_bar(what, quiet=quiet)
                ),
                rows,
                schedule,
                baselines=_named(weights or [], "--weights"),
                report=report,
                threads=threads,
            )
            sections = reproduce_studies(run, study, only=row or ())
        _print(Reproduction([Chapter(sections=sections)]), out, as_json=as_json)
        return
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
        rows=rows,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    _print(reproduction, out, as_json=as_json)


def _refuse_joint_options(
    context: typer.Context, studies: Sequence[str], only: Sequence[str]
) -> None:
    """Raise for options of `paper joint` that have no effect beside the others."""
    if not studies:
        _refuse(context, _STUDY_OPTIONS, "without a study; add --study NAME")
        if only:
            _refuse(context, ["rows"], "with --only, which omits studies; leave one of the two out")
        return
    _refuse(context, _PAPER_OPTIONS, "with --study; leave one of the two out")
    if "ratings" not in studies:
        _refuse(context, ["rating_steps"], "without the study ratings; add --study ratings")
    if "baselines" not in studies:
        _refuse(context, ["weights"], "without the study baselines; add --study baselines")


@paper.command()
def nli(
    data: Annotated[
        Path | None, option("DIR", "The folder with webnlg2017, webnlg2020 and e2e.", "--data")
    ] = None,
    dataset: Annotated[str, option("NAME", "webnlg, e2e or both.")] = "both",
    model: NliModels = None,
    weights: Annotated[
        str | None, option("FOLDER", "The verifier's weights; default: the shipped ones.")
    ] = None,
    only: Only = None,
    sample: Annotated[
        int | None, option("INTEGER", "Number of texts per data set; default: all.", min=1)
    ] = None,
    worksheet: Annotated[
        Path | None,
        option(
            "FILE",
            "With --data and --dataset, write errors to examine; alone, summarise a completed"
            " FILE.",
        ),
    ] = None,
    show: Annotated[bool, flag("--show", "Print the texts of the worksheet, from --data.")] = False,
    setup: Annotated[
        str, option("NAME", "The setup whose errors are written: templates, backoff, or a model.")
    ] = "templates",
    errors: Annotated[int, option(None, "Number of errors in a worksheet.", min=1)] = 100,
    seed: Annotated[int, option(None, "Random seed of samples and resamples.", min=0)] = 0,
    jobs: Jobs = 1,
    cache: Annotated[Path | None, option("DIR", "Cache scores in DIR.")] = None,
    out: Annotated[
        Path | None, option("DIR", "Write figures and templates to DIR.", "--out", "-o")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce paper 002 on semantic accuracy by NLI.

    Dušek and Kasner (2020), "Evaluating Semantic Accuracy of Data-to-Text Generation with Natural
    Language Inference".

    Compares OK or not_OK with human ratings of WebNLG 2017 and with the E2E script, with templates
    and with the backoff; writes worksheets to re-examine errors, with ids but no texts.
    Sections: accuracy, confusion, parts, systems.

    Example: adequa paper nli --data data --out nli

    Example: adequa paper nli --data data --dataset e2e --worksheet e2e.tsv
    """
    from adequa.errors import UnknownName
    from research.papers.nli.data import DATASETS
    from research.papers.nli.reproduction import reproduce_nli, write_worksheet
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
        reproduction = reproduce_nli(
            data, chosen, scoring, only=only or (), sample=sample, seed=seed
        )
        _print(reproduction, out, as_json=as_json)
    elif show:
        if data is None:
            raise typer.BadParameter("--show needs the texts; give --data DIR")
        cases = read_cases(worksheet, data)
        if as_json:
            echo_json([case.as_object() for case in cases])
        else:
            typer.echo("\n\n".join(case.text() for case in cases))
    elif data is None:
        _print_section(summarise_worksheet(worksheet), as_json=as_json)
    else:
        if len(chosen) > 1:
            raise typer.BadParameter("a worksheet covers one data set; give --dataset")
        sheet = Sheet(setup, errors, sample, seed)
        count = write_worksheet(worksheet, data, chosen[0], scoring, sheet)
        echo_written(worksheet, f" ({count} errors)")


@paper.command()
def entailment(
    data: Annotated[Path, option("DIR", "The folder with entailment/*.csv.", "--data")],
    out: Annotated[Path, option("DIR", "The model's folder to write.", "--out", "-o")],
    base: cli.Base = "all-MiniLM-L6-v2",
    steps: cli.Steps = 4500,
    batch: cli.Batch = 32,
    rate: cli.Rate = 1e-4,
    seed: cli.Seed = 0,
    look_every: cli.LookEvery = 500,
    save_every: cli.SaveEvery = 100,
    resume: cli.Resume = False,
    threads: cli.Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a small cross-encoder for the checks of paper 002.

    It learns entailment, neutral and contradiction from pairs of premise and hypothesis, of which
    every fortieth is held out. The folder serves as --model of `adequa paper nli`, and as
    `nli:model=DIR`. Needs the extra `train`.

    Example: adequa paper entailment --data data --out nli-minilm && adequa paper nli --data data
    --model nli-minilm
    """
    from adequa.errors import require_packages

    require_packages("train", "torch", "transformers")
    from research.papers.nli.torch_entailment import EntailmentSettings, train_entailment

    settings = EntailmentSettings(
        data=(data / "entailment",),
        out=out,
        base=base,
        steps=steps,
        batch=batch,
        rate=rate,
        seed=seed,
        look_every=look_every,
        save_every=save_every,
        resume=resume,
        threads=threads,
    )
    with cli.training_bars(quiet=quiet) as progress:
        trained = train_entailment(settings, progress)
    cli.show_training("entailment", trained, as_json=as_json, after="adequa paper nli --model")


@paper.command()
def correlations(
    data: Annotated[Path, option("DIR", "The folder with webnlg2020 and webnlg2017.", "--data")],
    year: Years = "both",
    detector: Detector = "adequa",
    aliases: AliasFile = None,
    linker: Linker = None,
    coreference: Coreference = "none",
    column: Columns = None,
    seed: Annotated[int, option(None, "Random seed of the resamples.", min=0)] = 0,
    pictures: Pictures = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce the correlation tables of paper 001.

    Faille, Gatt and Gardent (2021), "Entity-Based Semantic Adequacy for Data-to-Text Generation".

    Compares every metric and criterion with every other: Tables 2, 3 and 7 to 22, the paper's row
    above ours. Each cell is marked: = rounds to the same, ~ within 0.02, ≠ differs. Explains the
    differences, and draws one heat map per table.

    Example: adequa paper correlations --data data --year 2017 --pictures pictures
    """
    from research.papers.correlations.reproduction import reproduce_correlations

    reproduction = reproduce_correlations(
        data,
        _chosen_years(year),
        detection=_detection(detector, aliases, linker, coreference),
        given=_named(column or [], "--column"),
        seed=seed,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    _print(reproduction, pictures, as_json=as_json)


@paper.command()
def human(
    data: Annotated[Path, option("DIR", "The folder with webnlg2017.", "--data")],
    only: Only = None,
    sample: Annotated[
        int | None,
        option(
            "N", "Only N entries in Table 1 on all texts; fewer are faster. Default: all.", min=1
        ),
    ] = None,
    seed: Annotated[int, option(None, "Random seed of the resamples of Table 1.", min=0)] = 0,
    pictures: Pictures = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce paper 004, the human evaluation of WebNLG 2017.

    Shimorina, Gardent, Narayan and Perez-Beltrachini (2018), "WebNLG Challenge: Human Evaluation
    Results".

    Tables 1 to 3, Figures 1 to 7 and the statements about them, each number marked equal, close or
    different. Table 1 on all texts scores about 17,000 texts, which takes more than a quarter of an
    hour, most of it for TER, unless --sample is given. Sections: sample, table1, table1_all,
    tables2_3, groups, figures1_3, figures4_7.

    Example: adequa paper human --data data --only tables2_3 --only figures1_3 --pictures pictures
    """
    from research.papers.human.reproduction import reproduce_human

    reproduction = reproduce_human(
        data,
        only=only or (),
        sample=sample,
        seed=seed,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    _print(reproduction, pictures, as_json=as_json)


@paper.command(name="all")
def every(
    context: typer.Context,
    data: Annotated[Path, option("DIR", "The folder with all research data.", "--data")],
    out: Annotated[Path, option("FILE", "The HTML page to write.", "--out", "-o")] = Path(
        "papers.html"
    ),
    only: Annotated[
        list[str] | None, option("PAPER", "Only this paper. Repeatable.", "--only")
    ] = None,
    keep: Annotated[
        Path | None,
        option(
            "DIR",
            "Keep the part of each paper in DIR, and use those that are there, which must have "
            "been made with the same options; --only replaces them.",
            "--keep",
        ),
    ] = None,
    rows: Annotated[
        Path | None, option("DIR", "The rows of `paper joint --study`, to be shown.")
    ] = None,
    detector: Detector = "adequa",
    aliases: AliasFile = None,
    linker: Linker = None,
    coreference: Coreference = "none",
    model: NliModels = None,
    sample: Annotated[
        int | None,
        option(
            "N",
            "Only N texts per data set of nli, N texts to search in joint, and N entries in "
            "Table 1 on all texts of human; the page says so. Default: all.",
            min=1,
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write all papers as one HTML page.

    Every table and figure of the papers next to ours, each with its command. Reproducing all of
    them takes about an hour on one core; with --keep, a stopped call continues, and with --sample
    it takes some minutes. --detector, --aliases, --linker and --coreference are those of esa and
    correlations, --model is measured in nli. Papers: esa, correlations, nli, joint, human.

    Example: adequa paper all --data data --out papers.html --keep parts
    """
    from adequa.models import DEFAULT
    from research.papers.correlations.reproduction import reproduce_correlations
    from research.papers.esa.reproduction import reproduce_esa
    from research.papers.human.reproduction import reproduce_human
    from research.papers.joint.models import load_model
    from research.papers.joint.reproduction import reproduce_joint
    from research.papers.nli.data import DATASETS
    from research.papers.nli.reproduction import reproduce_nli
    from research.papers.nli.setups import SetupScoring
    from research.papers.page import Paper, papers_page
    from research.papers.section import require_folder, write_texts

    def bars(what: str) -> AbstractContextManager[Progress]:
        return progress_bar(what, quiet=quiet)

    if only:
        for name, needed in _OPTIONS_OF_PAPERS.items():
            if not set(needed) & set(only):
                why = f"without {' or '.join(needed)}; add --only {needed[0]}, or leave it out"
                _refuse(context, [name], why)
    detection = _detection(detector, aliases, linker, coreference)
    by_detector = _as_options(detection)
    of_nli = "".join(f" --model {shlex.quote(one)}" for one in model or ())
    papers = [
        Paper(
            "esa",
            "001: Entity-Based Semantic Adequacy for Data-to-Text Generation",
            f"adequa paper esa --data DIR{by_detector}",
            lambda folder: reproduce_esa(folder, detection=detection, progress=bars),
        ),
        Paper(
            "correlations",
            "001: its correlation tables",
            f"adequa paper correlations --data DIR{by_detector}",
            lambda folder: reproduce_correlations(folder, detection=detection, progress=bars),
        ),
        Paper(
            "nli",
            "002: Evaluating Semantic Accuracy of Data-to-Text Generation with Natural Language "
            "Inference",
            f"adequa paper nli --data DIR{of_nli}" + (f" --sample {sample}" if sample else ""),
            lambda folder: reproduce_nli(
                folder, list(DATASETS), SetupScoring(model or (), progress=bars), sample=sample
            ),
            by_section=True,
        ),
        Paper(
            "joint",
            "003: Joint Representations of Text and Knowledge Graphs for Retrieval and Evaluation",
            "adequa paper joint --data DIR" + (f" --pool {sample}" if sample else ""),
            lambda folder: reproduce_joint(
                folder, [load_model(DEFAULT, DEFAULT)], pool=sample, rows=rows, progress=bars
            ),
            by_section=True,
        ),
        Paper(
            "human",
            "004: WebNLG Challenge: Human Evaluation Results",
            "adequa paper human --data DIR" + (f" --sample {sample}" if sample else ""),
            lambda folder: reproduce_human(folder, sample=sample, progress=bars),
            by_section=True,
        ),
    ]
    require_folder(data, "webnlg2020, webnlg2017 and e2e")
    page = papers_page(
        papers,
        data,
        only=only or (),
        keep=keep,
        report=lambda what: None if quiet else typer.echo(what, err=True),
    )
    for path in write_texts({out.name: page}, out.parent):
        echo_written(path)


def _named(given: list[str], option: str) -> dict[str, str]:
    """The values of `NAME=WHERE` by name."""
    found: dict[str, str] = {}
    for one in given:
        name, _, where = one.partition("=")
        if not name or not where or not set(name).isdisjoint("/\\"):
            raise typer.BadParameter(f"{option} {one!r} is not NAME=WHERE")
        if name in found:
            raise typer.BadParameter(f"{option} has {name!r} twice")
        found[name] = where
    return found
