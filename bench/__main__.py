"""Run all benchmarks, or the named ones, and print one table of figures and targets."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from adequa.files import dump_line
from adequa.tables import Cell, Table
from bench import claims
from bench.groups import HALVES, figure_rows

NAMES = {
    "counts": "read every file of the research data and count its contents",
    "read_webnlg": "read WebNLG v3.0 train, compared with a bare lxml parse",
    "read_jsonl": "read JSON lines, compared with a bare json.loads",
    "read_rdf": "read N-Triples, compared with a bare parse by pyoxigraph",
    "start_up": "import adequa and run adequa --help, compared with importing typer",
    "sacrebleu_agreement": "corpus BLEU, chrF++ and TER, compared with sacrebleu's command line",
    "faults": "kills, full disks, several writers, changed files: nothing lost, nothing doubled",
    "scale": "shards of many items: memory, overhead, Ray, and kills at random moments",
    "memory": "peak memory of adequa score for up to a million items, and for wide ones",
    "growth": "how the time of each metric grows with the facts and the text of an item",
    "esa_speed": "speed of esa, compared with simple implementations",
    "similarity_speed": "speed of similarity, compared with RoBERTa-large",
    "retrieval_speed": "approximate and 8-bit search, compared with exact search",
    "relations": "texts with one relational fault, compared with faithful texts",
    "records": "texts about records with one fault, compared with faithful texts",
    "languages": "texts in eight other languages with one fault, compared with faithful texts",
    "nli_perturbations": "faults injected into dev texts that nli notices",
    "nli_quintd": "nli and esa on 300 texts of language models that were read by hand",
    "distractors": "hallucinations of the sample that nli notices among unrelated facts",
    "nli_speed": "speed of nli, compared with RoBERTa-large",
    "human_mace": "MACE on simulated campaigns and on its authors' test sets",
    "api": "latency and throughput of adequa serve, also when overloaded",
    "hostile_clients": "both servers under bodies that are slow to parse and half-open connections",
    "human_load": "a campaign with 200 raters at once whose server is killed",
    "report": "time and size of the report of the 2020 test with 16 systems",
    "install_size": "size of a core install without extras and weights",
}
"""The benchmarks by module name."""


def main() -> int:
    """Run the benchmarks and print their figures; returns 1 if a target was missed."""
    if sys.argv[1:2] == ["claims"]:
        return claims.main(sys.argv[2:], data=default_data())
    width = max(map(len, NAMES))
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        epilog="\n".join(
            [
                "benchmarks:",
                *(f"  {name:<{width}}  {about}" for name, about in NAMES.items()),
                "`python -m bench claims` compares docs/results.md with new measurements (--help)",
            ]
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a benchmark; default: all")
    parser.add_argument(
        "--data", type=Path, default=default_data(), help="the folder of the research data"
    )
    parser.add_argument(
        "--cycles", type=int, help="cycles of faults (1000) or kills of scale (200)"
    )
    parser.add_argument(
        "--items",
        type=int,
        nargs="+",
        dest="sizes",
        metavar="COUNT",
        help="the sizes of scale or of the part wide of memory, smallest first",
    )
    parser.add_argument(
        "--part",
        nargs="+",
        dest="parts",
        metavar="PART",
        help="parts of growth (esa, records, nli, similarity, pieces), memory (many, wide, "
        "bounded) or scale (costs, memory, overhead, engines, kills); default: all",
    )
    parser.add_argument("--workers", type=int, help="processes of scale (2)")
    parser.add_argument(
        "--log",
        type=Path,
        help="a file of outcomes of faults, growth or scale; what it has is not measured again",
    )
    parser.add_argument(
        "--half",
        choices=HALVES,
        default="open",
        help="the half of relations, records and languages; sealed belongs to the end of a piece "
        "of work; "
        "records have more parts: marked, further, fresh, domains and everyday",
    )
    parser.add_argument(
        "--findings", type=Path, help="write what records found in each text, as JSON lines"
    )
    parser.add_argument(
        "--quick", action="store_true", help="smaller inputs, for benchmarks that offer it: growth"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(NAMES)
    if unknown:
        parser.error(f"unknown benchmark: {', '.join(sorted(unknown))}")
    rows: list[dict[str, object]] = []
    for name in arguments.names or NAMES:
        sys.stderr.write(f"{name} …\n")
        module = importlib.import_module(f"bench.{name}")
        if getattr(module, "NEEDS_DATA", False) and not arguments.data.is_dir():
            absent = f"n/a: no data at {arguments.data}"
            rows.append({"figure": name, "value": "–", "target": "–", "reached": absent})
            continue
        if hasattr(module, "measure_half"):
            measured = module.measure_half(arguments.half)
            if not arguments.json:
                print(measured.table.text() + "\n")
            rows += figure_rows(name, arguments.half, measured.figures, module.TARGETS)
            if arguments.findings is not None and measured.details:
                lines = map(dump_line, measured.details)
                arguments.findings.write_text("".join(lines), encoding="utf-8")
        else:
            options = {one: getattr(arguments, one) for one in getattr(module, "OPTIONS", ())}
            given = {one: value for one, value in options.items() if value not in (None, False)}
            rows += module.measure(arguments.data, **given)
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        print(_table(rows).text())
    return 0 if all(row["reached"] for row in rows) else 1


def _table(rows: Sequence[Mapping[str, object]]) -> Table:
    lines: list[list[Cell]] = []
    for row in rows:
        value, reached = row["value"], row["reached"]
        shown = f"{value:.3g}" if isinstance(value, float) else str(value)
        said = reached if isinstance(reached, str) else "yes" if reached else "NO"
        lines.append([str(row["figure"]), shown, str(row["target"]), said])
    return Table("", ["figure", "measured", "target", "reached"], lines)


def default_data() -> Path:
    """`$ADEQUA_DATA`, or `shared/data` next to the project."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("ADEQUA_DATA", beside))


if __name__ == "__main__":
    sys.exit(main())
