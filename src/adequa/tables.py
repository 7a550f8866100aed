"""Tables, written as text, Markdown, LaTeX, HTML, CSV or JSON."""

from __future__ import annotations

import json
import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from operator import attrgetter
from typing import Any, Literal

from adequa.errors import UnknownName

Cell = str | int | float | None
Alignment = Literal["left", "right"]

NOTHING = "–"
"""Shown for None; CSV has an empty field and JSON null."""
_NARROWEST = 24
"""Characters of a wrapped column at least: narrower, it is harder to read than a long line."""

_LATEX = {special: "\\" + special for special in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": r"$-$",
    "–": "--",
    "…": r"\dots{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
}
_STEERING = re.compile(
    # Control characters but tab and line feed, line and paragraph separators, changes of direction.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
    # Commands that Azure, TeamCity and GitHub (in an old form) take from anywhere in a line.
    r"|(?<=#)#(?=(?i:\[|vso\[|teamcity\[))"
)
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
"""The beginning of a line that GitHub takes for a command."""
_FORMULA = re.compile("'*[=+\\-@\t\r＝＋－＠]")  # some spreadsheets read wide ones
_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MARKDOWN = re.compile(r"[\\|`*<\[]|(?<![^\W_])_|_(?![^\W_])")


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, the digits of its fractions, and its alignment; numbers are right-aligned."""

    name: str
    digits: int = 3
    align: Alignment | None = None


@dataclass(frozen=True)
class Table:
    """Columns and rows; cells keep their values, which are rounded only for display.

    >>> print(Table("", ["system", Column("bleu", 1)], [["good", 41.25], ["bad", None]]).text())
    system  bleu
    ------------
    good    41.2
    bad        –
    """

    title: str
    columns: Sequence[str | Column]
    rows: Sequence[Sequence[Cell]]

    @classmethod
    def of(
        cls,
        title: str,
        things: Iterable[Any],
        columns: Mapping[str | Column, str | Callable[[Any], Cell]],
    ) -> Table:
        """One row per thing; a cell is an attribute of the thing (`a.b`) or a function of it.

        >>> Table.of("", [1 + 2j], {"real": "real", "size": abs}).rows
        [[1.0, 2.23606797749979]]
        """
        read = [attrgetter(one) if isinstance(one, str) else one for one in columns.values()]
        return cls(title, list(columns), [[one(thing) for one in read] for thing in things])

    def __post_init__(self) -> None:
        if len(set(self._names)) != len(self._names):
            raise ValueError(f"two columns of {self.title!r} have the same name: {self._names}")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {self.title!r} has {len(row)} cells: {row}")

    @property
    def _columns(self) -> list[Column]:
        return [column if isinstance(column, Column) else Column(column) for column in self.columns]

    @property
    def _names(self) -> list[str]:
        return [column.name for column in self._columns]

    @property
    def _alignments(self) -> list[Alignment]:
        return [
            column.align or ("right" if self._is_numeric(place) else "left")
            for place, column in enumerate(self._columns)
        ]

    def _is_numeric(self, place: int) -> bool:
        cells = [row[place] for row in self.rows if row[place] is not None]
        return bool(cells) and not any(isinstance(cell, str | bool) for cell in cells)

    @property
    def _grid(self) -> list[list[str]]:
        """The names and the rows as they are shown."""
        rows = (zip(row, self._columns, strict=True) for row in self.rows)
        shown = [[_shown(cell, column) for cell, column in row] for row in rows]
        return [[one_line(name) for name in self._names], *shown]

    def text(self, width: int | None = None) -> str:
        """Aligned columns for a terminal, without a final newline.

        In a table wider than `width` a last column of words is wrapped.
        """
        grid = self._grid if width is None else self._wrapped(width)
        widths = [max(map(_width, column)) for column in zip(*grid, strict=True)]
        lines = [
            "  ".join(
                " " * (width - _width(cell)) + cell
                if side == "right"
                else cell + " " * (width - _width(cell))
                for cell, width, side in zip(row, widths, self._alignments, strict=True)
            ).rstrip()
            for row in grid
        ]
        rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
        return "\n".join(
            [*([one_line(self.title)] if self.title else []), lines[0], rule, *lines[1:]]
        )

    def _wrapped(self, width: int) -> list[list[str]]:
        """The cells, those of the last column on several lines where they are too wide."""
        grid = [list(row) for row in self._grid]
        others = [max(map(_width, column)) + 2 for column in zip(*grid, strict=True)][:-1]
        room = max(_NARROWEST, width - sum(others))
        if self._alignments[-1] == "right":
            return grid
        lines: list[list[str]] = []
        for row in grid:
            first, *more = textwrap.wrap(row[-1], room) or [""]
            lines.append([*row[:-1], first])
            lines += [[*[""] * len(others), line] for line in more]
        return lines

    def markdown(self) -> str:
        """A pipe table with its title in bold above."""
        lines = [f"**{escape_markdown(one_line(self.title))}**", ""] if self.title else []
        sides = ["---:" if side == "right" else "---" for side in self._alignments]
        written = [[escape_markdown(cell) for cell in row] for row in self._grid]
        written.insert(1, sides)
        return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in written)])

    def latex(self) -> str:
        """A table float with its title as caption; needs the package booktabs."""
        sides = "".join(side[0] for side in self._alignments)
        written = [" & ".join(map(_latex, row)) + r" \\" for row in self._grid]
        caption = [rf"  \caption{{{_latex(one_line(self.title))}}}"] if self.title else []
        return "\n".join(
            [
                r"\begin{table}[ht]",
                r"  \centering",
                *caption,
                rf"  \begin{{tabular}}{{{sides}}}",
                r"    \toprule",
                f"    {written[0]}",
                r"    \midrule",
                *(f"    {line}" for line in written[1:]),
                r"    \bottomrule",
                r"  \end{tabular}",
                r"\end{table}",
            ]
        )

    def html(self) -> str:
        """A table element with its title as caption; numbers have the class `number`."""
        right = ' class="number" style="text-align:right"'  # the style is for notebooks
        sides = [right if side == "right" else "" for side in self._alignments]
        head, *rows = [[escape(cell, quote=False) for cell in row] for row in self._grid]

        def line(cells: Sequence[str], tag: str, more: str = "") -> str:
            pairs = zip(cells, sides, strict=True)
            inner = "".join(f"<{tag}{more}{side}>{cell}</{tag}>" for cell, side in pairs)
            return f"<tr>{inner}</tr>"

        caption = f"<caption>{escape(one_line(self.title), quote=False)}</caption>"
        named = line(head, "th", ' scope="col"')
        body = "".join(line(row, "td") for row in rows)
        whole = f"<thead>{named}</thead><tbody>{body}</tbody>"
        return f"<table>{caption if self.title else ''}{whole}</table>"

    _repr_html_ = html

    def csv(self) -> str:
        """Comma-separated values, not rounded; None is an empty field."""
        rows = [self._names, *self.rows]
        return "\n".join(",".join(map(csv_cell, row)) for row in rows)

    def json_rows(self) -> list[dict[str, Cell]]:
        """One object per row, by column name, not rounded."""
        return [dict(zip(self._names, row, strict=True)) for row in self.rows]


TABLE_FORMS: Mapping[str, Callable[[Table], str]] = {
    "text": Table.text,
    "markdown": Table.markdown,
    "latex": Table.latex,
}
"""The forms for people, by name; CSV and JSON have no place for notes."""


def render_tables(
    tables: Iterable[Table],
    notes: Iterable[str],
    form: str,
    *,
    forms: Iterable[str] = TABLE_FORMS,
) -> str:
    """Tables with notes below them as text, Markdown or LaTeX, where notes are comments.

    `forms` are the names to list where the form is unknown.
    """
    if form not in TABLE_FORMS:
        raise UnknownName("format", form, forms)
    lines = [one_line(note) for note in notes]
    if form == "markdown":
        below = "\n\n".join(map(escape_markdown, lines))
    else:
        below = "\n".join(f"% {line}" if form == "latex" else line for line in lines)
    parts = [*(TABLE_FORMS[form](table) for table in tables), below]
    return "\n\n".join(part for part in parts if part)


def as_json(value: Mapping[str, Any]) -> str:
    """Indented JSON, as `--json` prints it; NaN is a ValueError."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)


def rounded(value: float | None) -> float | None:
    """A number with six decimals for JSON and CSV, never -0.0; None stays None."""
    return None if value is None else round(value, 6) + 0.0


def significant(value: float | None) -> float | None:
    """A number with six significant digits, so that a tiny p-value is not zero."""
    return None if value is None else float(f"{value:.6g}")


def interval_words(value: float, ends: tuple[float, float], digits: int) -> str:
    """An interval beside its value: `± half` if the value is in the middle, else its two ends.

    >>> interval_words(0.745, (0.686, 0.804), 3), interval_words(0.6, (0.0, 1.0), 3)
    ('± 0.059', '(0.000–1.000)')
    """
    half = (ends[1] - ends[0]) / 2
    # A fifth of the half: a bootstrap of some forty items is less askew. Where an interval was cut
    # at the end of its scale, ± would lead beyond it.
    is_cut = ends[0] == 0 or ends[1] in (1, 100)
    if abs(value - sum(ends) / 2) <= (0 if is_cut else half / 5) + 0.5 * 10**-digits:
        return f"± {half:.{digits}f}"
    return f"({ends[0]:.{digits}f}–{ends[1]:.{digits}f})"


def digits_for(values: Iterable[float | None]) -> int:
    """Three decimals for values between 0 and 1, one for values up to 100."""
    return 3 if max((abs(value) for value in values if value is not None), default=0) <= 1.5 else 1


def written(value: float | None, digits: int) -> str:
    """A number as text; a dash for None."""
    return "–" if value is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int) -> str:
    """A difference as text; one that rounds to zero has no sign.

    >>> signed(-0.25, 2), signed(-0.0001, 2), signed(None, 2)
    ('−0.25', '0.00', '–')
    """
    if value is None or not float(f"{value:.{digits}f}"):
        return "–" if value is None else f"{0:.{digits}f}"
    return f"{value:+.{digits}f}".replace("-", "−")


def percent(part: int, whole: int) -> str:
    """A share as text.

    >>> percent(1, 3), percent(1, 3000), percent(0, 5), percent(1, 0)
    ('33 %', '0.03 %', '0 %', '–')
    """
    if not whole:
        return "–"
    share = 100 * part / whole
    if 0 < share < 0.995 or 99 < share < 100:
        return f"{share:.1g} %" if share < 1 else f"{math.floor(10 * share) / 10:g} %"
    return f"{share:.0f} %"


def counted(number: int, noun: str) -> str:
    """A count with its noun.

    >>> counted(1, "system"), counted(1200, "text")
    ('1 system', '1,200 texts')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _shown(cell: Cell, column: Column) -> str:
    if cell is None:
        return NOTHING
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        text = f"{cell:.{column.digits}f}"
        # A zero with a minus sign would look like a difference.
        return text.removeprefix("-") if float(text) == 0 else text
    return one_line(str(cell))


def one_line(text: str) -> str:
    """The text on one line, without control characters."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else " " if one.isspace() else "\ufffd" for one in text)


def shortened(text: str, longest: int) -> str:
    """The text on one line, cut to so many characters."""
    text = one_line(text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def csv_cell(value: Cell, delimiter: str = ",") -> str:
    """A cell of a CSV file, quoted where needed, that no spreadsheet takes for a formula.

    A string that begins with `=`, `+`, `-`, `@`, a tab or a carriage return, and is not a plain
    number, gets an apostrophe in front, by which spreadsheets know text; so does one that begins
    with apostrophes and then one of these, so that `csv_text` can undo it.

    >>> csv_cell("=1+1"), csv_cell("-0.5"), csv_cell(-0.5), csv_cell('a "b", c')
    ("'=1+1", '-0.5', '-0.5', '"a ""b"", c"')
    """
    text = "" if value is None else str(value)
    if isinstance(value, str) and _FORMULA.match(text) and not _PLAIN_NUMBER.fullmatch(text):
        text = "'" + text
    # Not csv.writer: before Python 3.13 it leaves a lone carriage return without quotes.
    if any(mark in text for mark in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_text(cell: str) -> str:
    """The string that `csv_cell` wrote, from the cell as a CSV parser gives it."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def printable(text: str) -> str:
    """Text that is safe to print, whoever wrote it: nothing in it is obeyed.

    Characters that steer a terminal, lone surrogates, and the beginnings of commands to a CI
    service (`::`, `##[`, `##vso[`, `##teamcity[`) are written as in JSON, so that JSON stays the
    same value. A value that must stay on one line goes through `one_line` first.

    >>> print(printable("a\\x1b[2J\\n::stop-commands::x"))
    a\\u001b[2J
    \\u003a:stop-commands::x
    """
    text = _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return _COMMAND.sub(r"\g<1>\\u003a", text)


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) else 1 + (unicodedata.east_asian_width(one) in "WF")
        for one in text
    )


def escape_markdown(text: str) -> str:
    """The text with the special characters of Markdown escaped."""
    return _MARKDOWN.sub(lambda found: "\\" + found[0], text)


def _latex(text: str) -> str:
    escaped = "".join(_LATEX.get(one, one) for one in text)
    # After the end of a row LaTeX would read these two as its argument.
    return "{}" + escaped if escaped.startswith(("[", "*")) else escaped
