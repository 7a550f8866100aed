"""The figures of docs/results.md, measured again and compared with what is written there.

`claims.tsv` has one line per claim:

- `figure`: how the first cell of its row in docs/results.md begins; `text: …` is a claim of the
  text between the tables;
- `written`: a part of that row, whose numbers are what the command must give;
- `command`: with `DATA` for the folder of the research data, and `OUT` for a new folder. Several
  are joined by ` && `; the last one prints JSON. `pytest` gives the numbers of tests as `passed`,
  `skipped` and `failed`, and a claim without numbers is that none of them fails;
- `where`: for each number of `written`, the place of its value in the JSON that the command prints,
  separated by ` ; `. `a/b` are keys, `[a=b]` are the objects of a list whose `a` is `b`, `[a~b]`
  those whose `a` contains `b`. One must be left, or `sum ` stands in front; `a + b` adds two
  places, and `*100` or `/3` at the end multiplies or divides;
- `tolerance`: how far off a value may be; without it, half a unit of the last written digit. Models
  in int8 give slightly different numbers on other processors: 0.002, or one text of a small set, or
  two of the doctor's copies;
- `skip`: why the claim is not measured here, such as `speed`, which depends on the load of the
  machine and is measured with `--speed`.

`--update` writes the measured numbers of stale claims, and the commit, into the page and into this
table; words such as "missed" are left to the reader. `--keep DIR` keeps what each command printed
in DIR: a stopped run continues there, and a corrected page is compared without measuring again.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from adequa.files import read_json, write_json
from adequa.tables import Cell, Table
from adequa.training.setup import commit_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
CLAIMS = Path(__file__).with_name("claims.tsv")
SPEED = "speed"
_TEXT = "text: "

_NUMBER = re.compile(r"[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?<=\d)")
_STEP = re.compile(r"\[([^\]=~]+)([=~])([^\]]*)\]|([^/\[\]]+)")
_FACTOR = re.compile(r"\s*([*/])(\d+)$")


class ClaimError(Exception):
    """A claim that cannot be compared."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A line of `claims.tsv`."""

    figure: str
    written: str
    command: str
    where: tuple[str, ...]
    tolerance: float | None
    skip: str

    @property
    def numbers(self) -> list[str]:
        """The numbers of the written part."""
        return numbers_in(self.written)


def numbers_in(text: str) -> list[str]:
    """The numbers of a text as they are written.

    >>> numbers_in("13,229 and .842 / 0.99, −6")
    ['13,229', '.842', '0.99', '−6']
    """
    return [found for found in _NUMBER.findall(text) if found.strip("-−")]


def read_claims(path: Path = CLAIMS) -> list[Claim]:
    """All claims, in the order of the page."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            Claim(
                row["figure"],
                row["written"],
                row["command"],
                tuple(part.strip() for part in row["where"].split(" ; ") if part.strip()),
                float(row["tolerance"]) if row["tolerance"] else None,
                row["skip"] or "",
            )
            for row in rows
        ]


def figure_lines(page: str) -> list[str]:
    """The rows of the page's tables: figures, what agrees, and what the metrics see."""
    found, inside = [], False
    for line in page.splitlines():
        if line.startswith(("| figure |", "| change |", "| what |")):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("| ---"):
            found.append(line)
    return found


def require_written(claim: Claim, page: str) -> None:
    """Raise unless the page says what a claim says it does."""
    if claim.figure.startswith(_TEXT):
        if claim.written not in " ".join(page.split()):
            raise ClaimError(f"{PAGE.name} does not say {claim.written!r}")
        return
    begins = f"| {claim.figure}"
    found = [line for line in figure_lines(page) if line.startswith(begins)]
    if len(found) != 1:
        raise ClaimError(f"{len(found)} rows of {PAGE.name} begin with {claim.figure!r}")
    if claim.written and claim.written not in found[0]:
        raise ClaimError(f"{PAGE.name} does not say {claim.written!r}")


def value_at(found: Any, where: str) -> float:
    """The number at a place of a command's JSON, or what several places add up to."""
    factor = _FACTOR.search(where)
    total = sum(_number(found, place) for place in _FACTOR.sub("", where).split(" + "))
    if factor is None:
        return total
    by = int(factor[2])
    return total * by if factor[1] == "*" else total / by


def _number(found: Any, place: str) -> float:
    several = place.startswith("sum ")
    values = [found]
    for key, sign, wanted, name in _STEP.findall(place.removeprefix("sum ").strip()):
        if key:
            rows = [row for value in values if isinstance(value, list) for row in value]
            values = [row for row in rows or values if _fits(row, key, sign, wanted)]
        else:
            values = [value[name] for value in values if isinstance(value, dict) and name in value]
    if len(values) != 1 and not (several and values):
        raise ClaimError(f"{len(values)} values at {place!r}")
    try:
        return sum(
            float(value.replace(",", "") if isinstance(value, str) else value) for value in values
        )
    except (TypeError, ValueError):
        raise ClaimError(f"{values[0]!r:.60} at {place!r} is not a number") from None


def _fits(row: Any, key: str, sign: str, wanted: str) -> bool:
    own = str(row.get(key)) if isinstance(row, dict) else ""
    return own == wanted if sign == "=" else wanted in own


def number_of(written: str) -> float:
    """The value of a number as it is written."""
    return float(written.replace(",", "").replace("−", "-"))


def agrees(written: str, measured: float, tolerance: float | None) -> bool:
    """Whether a measured value is what is written.

    >>> agrees(".842", 0.8424, None), agrees(".842", 0.8426, None), agrees(".842", 0.85, 0.01)
    (True, False, True)
    """
    digits = len(written.partition(".")[2])
    allowed = 0.5 * 10**-digits if tolerance is None else tolerance
    return abs(measured - number_of(written)) <= allowed * (1 + 1e-6) + 1e-9


def run_command(command: str, data: Path) -> Any:
    """The JSON that a command prints, the last one if several are joined by `&&`.

    The exit code may be 1, a target that was missed, but not that of `pytest`.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        parts = [
            part.replace("DATA", str(data)).replace("OUT", str(out))
            for part in shlex.split(command)
        ]
        printed = ""
        while parts:
            end = parts.index("&&") if "&&" in parts else len(parts)
            printed = _run_one(parts[:end], data, Path(folder, "tests.xml"))
            parts = parts[end + 1 :]
    try:
        return json.loads(printed)
    except ValueError:
        raise ClaimError("the command printed no JSON") from None


def _run_one(parts: list[str], data: Path, tests: Path) -> str:
    """What one command prints; of `pytest`, the numbers of tests as JSON."""
    name, *rest = parts
    filled = {
        "adequa": [sys.executable, "-m", *parts],
        "python": [sys.executable, *rest],
        "pytest": [sys.executable, "-m", *parts, "-q", "-p", "no:cacheprovider"],
    }.get(name, parts)
    if name == "pytest":
        filled.append(f"--junitxml={tests}")
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        filled,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "ADEQUA_DATA": str(data)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode > 1 or (done.returncode and name == "pytest"):
        said = done.stdout if name == "pytest" else done.stderr
        last = (said.strip().splitlines() or [""])[-1]
        raise ClaimError(f"exit {done.returncode}: {last:.200}")
    return _counts(tests) if name == "pytest" else done.stdout


def _counts(report: Path) -> str:
    """The numbers of tests in a report of pytest, as JSON."""
    (suite,) = ET.parse(report).getroot().iter("testsuite")
    count = {name: int(suite.get(name, 0)) for name in ("tests", "skipped", "failures", "errors")}
    failed = count["failures"] + count["errors"]
    passed = count["tests"] - count["skipped"] - failed
    if not passed:
        raise ClaimError(f"no test ran, {count['skipped']} were skipped")
    return json.dumps({"passed": passed, "skipped": count["skipped"], "failed": failed})


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim with its state (`equal`, `stale` or `skipped`), and what was measured or is wrong."""

    claim: Claim
    state: str
    said: str
    values: tuple[float, ...] = ()
    commit: str = ""
    """At which it was measured."""

    @property
    def renewed(self) -> str | None:
        """The written part with the measured numbers, in as many digits; None without any."""
        return renewed(self.claim.written, self.values) if self.values else None


def renewed(written: str, values: Sequence[float]) -> str:
    """A text with other numbers in place of its own, each written as the one before it.

    >>> renewed("13,229 and **.842** / 0.99, −6", [12001.2, 0.8506, 1.0, -7])
    '12,001 and **.851** / 1.00, −7'
    """
    numbers = iter(values)

    def number(found: re.Match[str]) -> str:
        old = found[0]
        if not old.strip("-−"):
            return old
        value = next(numbers)
        digits = len(old.partition(".")[2])
        new = f"{abs(value):{',' if ',' in old else ''}.{digits}f}"
        if old.lstrip("-−").startswith(".") and new.startswith("0."):
            new = new[1:]
        return ("−" if value < 0 else "") + new

    return _NUMBER.sub(number, written)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a command printed, and the commit at which it ran."""

    found: Any
    commit: str


def measure(command: str, data: Path, keep: Path | None = None) -> Measurement:
    """What a command prints, or printed when it ran before; `keep` is the folder of both.

    A command that failed is not kept.
    """
    kept = None
    if keep is not None:
        kept = keep / f"{hashlib.sha256(command.encode('utf-8')).hexdigest()[:16]}.json"
        if kept.is_file():
            before = read_json(kept)
            sys.stderr.write(f"kept, of {before['commit']}: {command}\n")
            return Measurement(before["found"], before["commit"])
    started = time.monotonic()
    commit = (commit_of() or "unknown")[:7]
    try:
        found = run_command(command, data)
    finally:
        sys.stderr.write(f"{time.monotonic() - started:.0f} s: {command}\n")
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_json(kept, {"command": command, "commit": commit, "found": found})
    return Measurement(found, commit)


def check_claims(
    claims: Sequence[Claim],
    data: Path,
    page: str,
    *,
    speed: bool = False,
    keep: Path | None = None,
) -> Iterator[Comparison]:
    """Each claim, compared; a command of several claims runs once."""
    ran: dict[str, Measurement | ClaimError] = {}
    for claim in claims:
        try:
            require_written(claim, page)
            if claim.skip and not (speed and claim.skip == SPEED and claim.where):
                yield Comparison(claim, "skipped", claim.skip)
                continue
            if claim.command not in ran:
                try:
                    ran[claim.command] = measure(claim.command, data, keep)
                except ClaimError as error:
                    ran[claim.command] = error
            measured = ran[claim.command]
            if isinstance(measured, ClaimError):
                raise measured
            yield _compare(claim, measured)
        except ClaimError as error:
            yield Comparison(claim, "stale", str(error))


def _compare(claim: Claim, measured: Measurement) -> Comparison:
    """Whether what a command printed is what is written."""
    written = claim.numbers if claim.where else []
    if len(written) != len(claim.where):
        raise ClaimError(f"{len(written)} numbers, but {len(claim.where)} places")
    values = tuple(value_at(measured.found, where) for where in claim.where)
    pairs = zip(written, values, strict=True)
    same = all(agrees(one, value, claim.tolerance) for one, value in pairs)
    said = " / ".join(f"{one:.6g}" for one in values) or "no failure"
    return Comparison(claim, "equal" if same else "stale", said, values, measured.commit)


def update(comparisons: Sequence[Comparison], page: str, table: str) -> tuple[str, str]:
    """The page and the table of claims with the measured numbers of stale claims.

    In a row of the page, the last cell becomes the commit.
    """
    for one in comparisons:
        new = one.renewed
        if one.state != "stale" or new is None:
            continue
        claim = one.claim
        if claim.figure.startswith(_TEXT):
            # The text is wrapped; its new lines stay where they were.
            words = re.compile(r"\s+".join(map(re.escape, claim.written.split(" "))))
            page = words.sub(lambda found: renewed(found[0], one.values), page)  # noqa: B023
        else:
            (row,) = (line for line in figure_lines(page) if line.startswith(f"| {claim.figure}"))
            # The last one: the target may be written in the same way.
            head, _, tail = row.rpartition(claim.written)
            changed = f"{head}{new}{tail}"
            if _COMMIT.search(changed):
                changed = _COMMIT.sub(f"| {one.commit} |", changed)
            page = page.replace(row, changed)
        before = f"{claim.figure}\t{claim.written}\t"
        table = table.replace(before, f"{claim.figure}\t{new}\t")
    return page, table


_COMMIT = re.compile(r"\| [0-9a-f]{7} \|$")


def main(arguments: Sequence[str] | None = None, *, data: Path | None = None) -> int:
    """Compare the claims; returns 1 if one is stale."""
    parser = argparse.ArgumentParser(prog="python -m bench claims", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--list", action="store_true", help="print the claims, and measure nothing")
    parser.add_argument(
        "--only", action="append", metavar="TEXT", help="claims whose figure or command has TEXT"
    )
    parser.add_argument("--speed", action="store_true", help="measure speeds as well")
    parser.add_argument(
        "--update", action="store_true", help="write measured numbers over stale ones; read them"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep what commands print in DIR, and use it again"
    )
    parser.add_argument("--data", type=Path, default=data, help="the folder of the research data")
    given = parser.parse_args(arguments)
    claims = [
        claim
        for claim in read_claims()
        if not given.only
        or any(text in claim.figure or text in claim.command for text in given.only)
    ]
    if not claims:
        parser.error("no claim has that text; --list prints them all")
    rows: list[list[Cell]] = []
    if given.list:
        rows = [[one.figure, one.written, one.command, one.skip] for one in claims]
        print(Table("", ["figure", "written", "command", "not measured"], rows).text())
        return 0
    if given.data is None or not given.data.is_dir():
        parser.error(f"there is no data at {given.data}; give --data or set ADEQUA_DATA")
    states: dict[str, int] = {}
    page = PAGE.read_text(encoding="utf-8")
    found: list[Comparison] = []
    for one in check_claims(claims, given.data, page, speed=given.speed, keep=given.keep):
        found.append(one)
        states[one.state] = states.get(one.state, 0) + 1
        said = one.said if one.renewed is None or one.state == "equal" else one.renewed
        rows.append([one.state, one.claim.figure, one.claim.written, said])
        if one.state != "skipped":  # at once: whoever stops a long run has what is measured
            said = f"{one.claim.figure}: {one.claim.written} is written, {said} was measured"
            print(f"{one.state}: {said}", file=sys.stderr, flush=True)
    print(Table("", ["", "figure", "written", "measured"], rows).text())
    print(", ".join(f"{count} {state}" for state, count in states.items()))
    if given.update:
        table = CLAIMS.read_text(encoding="utf-8")
        page, table = update(found, page, table)
        PAGE.write_text(page, encoding="utf-8")
        CLAIMS.write_text(table, encoding="utf-8")
    return 1 if states.get("stale") else 0
