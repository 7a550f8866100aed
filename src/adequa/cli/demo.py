"""`adequa demo`: the main job on the built-in sample."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from textwrap import fill, shorten
from typing import TYPE_CHECKING, Annotated

from adequa.cli.options import echo, echo_table, flag, option
from adequa.data import Triple
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from adequa.data import Result

WIDTH = 100
_INTRODUCTION = """\
Forty small graphs, each verbalised by three invented systems: "careful" says all and only what the
data says, "hasty" omits facts, "dreamer" invents some. Each fault is labelled by hand: facts left
out, and words that the data does not support; a wrong value is both.
"""


def demo(
    out: Annotated[Path, option("RUN", "The run's folder.", "--out", "-o")] = Path("demo-run"),
    force: Annotated[bool, flag("--force", "Replace the run in RUN.")] = False,
) -> None:
    """Score the built-in sample.

    Shows forty small graphs with texts of three systems, and explains the result.
    """
    from adequa.metrics import DEFAULT, resolve
    from adequa.readers import open_source
    from adequa.run import score_run, summary_table

    metrics = resolve([*DEFAULT, "bleu", "chrf", "ter"])
    with progress_bar("scoring the sample") as progress:
        run = score_run(open_source(sample_path()), metrics, out, force=force, progress=progress)
    results = list(run.results())
    echo(_INTRODUCTION)
    _show_found(results)
    summary = summary_table(run.summary, run.manifest)
    names = [str(row[0]) for row in summary.rows]
    metrics_down = [
        [str(column), *(row[place] for row in summary.rows)]
        for place, column in enumerate(summary.columns)
    ]
    echo_table(
        ["metric", *names],
        [row for row in metrics_down if str(row[0]).removesuffix(" corpus").split()[0] in metrics],
        "Scores: mean and its 95 % interval, and the corpus value where there is one",
        gap=True,
    )
    echo(_example(results))
    echo(
        f"\nEvery text with its scores: {run.path / 'scores.jsonl'}\n"
        f"Significance: adequa compare {run.path}\n"
        "Your own data: adequa score FILE --texts SYSTEM=OUTPUTS --out RUN"
    )


def _show_found(results: Iterable[Result]) -> None:
    """How many of the labelled faults were found, and which were not."""
    rows: dict[str, list[int]] = {}
    missed: list[str] = []
    for result in results:
        row = rows.setdefault(result.item.system, [0, 0, 0, 0, 0])
        labels = labelled_faults(result)
        overlooked = [words for words, is_found in labels.items() if not is_found]
        row[0] += 1
        row[1] += len(labels)
        row[2] += len(labels) - len(overlooked)
        row[3] += len(overlooked)
        row[4] += not labels and result.verdict != "OK"
        missed += [f"{result.item.system}, {result.item.id}: {words}" for words in overlooked]
    columns = ["system", "texts", "planted faults", "found", "missed", "right texts with an alarm"]
    echo_table(columns, [[system, *row] for system, row in rows.items()], "Faults")
    echo("\nMissed")
    for line in missed:
        echo("  " + shorten(line, WIDTH - 2, placeholder=" …"))


def labelled_faults(result: Result) -> dict[str, bool]:
    """The faults that the sample's labels name, and whether each was found.

    A fact left out is found if it is missing or contradicted, or if its value is not mentioned;
    words without support, if a finding marks any of them. A replaced value is labelled as both.
    """
    expected, text = result.item.meta["expected"], result.item.text
    at_fault = {fact.triple for fact in result.facts if fact.status in ("missing", "contradicted")}
    marks = [(one.start or 0, one.end or 0) for one in result.unsupported]
    absent = {one.entity for one in result.missing}
    found = {
        f"leaves out {' | '.join(one)}": Triple(*one) in at_fault or one[2] in absent
        for one in expected["missing"]
    }
    for words in expected["unsupported"]:
        start = text.index(words)
        is_found = any(first < start + len(words) and start < last for first, last in marks)
        found[f"adds {words!r}"] = is_found
    return found


def _example(results: list[Result]) -> str:
    """The graph where BLEU most prefers a text with inventions to the correct one."""
    by_id: dict[str, dict[str, Result]] = {}
    for result in results:
        by_id.setdefault(result.item.id, {})[result.item.system] = result

    def advantage(systems: dict[str, Result]) -> float:
        return (systems["dreamer"].scores["bleu"] or 0) - (systems["careful"].scores["bleu"] or 0)

    systems = max(by_id.values(), key=advantage)
    lines = ["\nAn example where BLEU prefers a wrong text:\n"]
    lines += [f"  {' | '.join(triple)}" for triple in systems["careful"].item.triples]
    for name, result in systems.items():
        expected = result.item.meta["expected"]
        words = f"\n  {name} (BLEU {result.scores['bleu']:.0f}): {result.item.text}"
        lines.append(
            "\n" + fill(words.strip(), WIDTH, initial_indent="  ", subsequent_indent="    ")
        )
        lines += [f"    not in the data: {span}" for span in expected["unsupported"]]
        lines += [f"    left out: {' | '.join(triple)}" for triple in expected["missing"]]
    return "\n".join(lines)


def sample_path() -> Path:
    """The file of the sample: JSON lines in the Item contract.

    The labels of a text are in `meta["expected"]`: its verdict, the missing triples and the
    unsupported spans. A replaced value counts as both: its triple is missing, and the value in its
    place is unsupported.
    """
    # The package is always installed as files (a wheel is unpacked), so this is a path on disk.
    return Path(str(files("adequa") / "sample" / "items.jsonl"))
