"""`adequa demo`: the main job on the built-in sample."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adequa.cli.options import echo, echo_table, flag, option
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from adequa.data import Result

_INTRODUCTION = """\
Forty small graphs, each verbalised by three invented systems: "careful" says all and only what the
data says, "hasty" omits facts, "dreamer" invents some. Each text is labelled by hand.
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
    _show_labels(results)
    echo("\nScores (mean ± half of its 95 % interval, and the corpus value):\n")
    echo(summary_table(run.summary, run.manifest).text())
    echo(_example(results))
    echo(
        f"\nEvery text with its scores: {run.path / 'scores.jsonl'}\n"
        f"Significance: adequa compare {run.path}\n"
        "Your own data: adequa score FILE --texts SYSTEM=OUTPUTS --out RUN"
    )


def _show_labels(results: Iterable[Result]) -> None:
    verdicts = ("OK", "omission", "hallucination", "hallucination+omission")
    counts: dict[str, dict[str, int]] = {}
    for result in results:
        row = counts.setdefault(result.item.system, dict.fromkeys(verdicts, 0))
        row[result.item.meta["expected"]["verdict"]] += 1
    rows = [[system, *row.values()] for system, row in counts.items()]
    echo_table(["system", *verdicts], rows, "Labels")


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
        lines.append(f"\n  {name} (BLEU {result.scores['bleu']:.0f}): {result.item.text}")
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
