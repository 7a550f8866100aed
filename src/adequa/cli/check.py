"""`adequa check`: one text in the terminal, with its mentions, omissions and additions.

`show` yields styled pieces, the text and then a legend, which are printed with rich, or joined as
plain text where there is no colour.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

import typer

from adequa.cli import options
from adequa.cli.options import argument, flag, option
from adequa.data import CONFIDENT, Fact, Fault, Mention, Result
from adequa.marks import Mark, MarkKind, cut, marks_of
from adequa.tables import counted, one_line, printable
from adequa.text import language_code

NOT_OK = 1


def check(
    triples: Annotated[
        str,
        argument(
            "DATA",
            "The data: a file, - for stdin, or a string like 'Blue_Spice | eatType | pub' or "
            '\'{"name": "Blue Spice", "eatType": "pub"}\'.',
        ),
    ],
    text: Annotated[str, argument("TEXT", "The text: a file, - for stdin, or the string.")],
    metric: options.Metrics = None,
    ignore: options.IgnorePredicate = None,
    optional: options.OptionalPredicate = None,
    allowed: options.Allowed = None,
    aliases: options.Aliases = None,
    lang: Annotated[str | None, option("TAG", "The language of the text.")] = None,
    format: options.Format = None,  # noqa: A002
    coverage: options.Coverage = None,
    color: Annotated[
        bool | None, flag("--color/--no-color", "Use colour; default: only on a terminal.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Check one text against its data.

    Shows what the text mentions, what is missing and what the data does not support, and how sure
    the verdict is: the calibrated probability that it is right. Exit code 1 if the verdict is not
    OK. DATA is triples, separated by newlines or ' && ', or a record as JSON; a text about a record
    may choose what to say (--coverage).

    Example: adequa check "Blue_Spice | eatType | pub && Blue_Spice | area | riverside" "A pub."
    """
    from adequa.cli.options import read_graph, read_text
    from adequa.codec import result_to_object
    from adequa.files import dump_line
    from adequa.metrics import resolve
    from adequa.readers import parse_coverage
    from adequa.readers.explanation import explain_readings
    from adequa.readers.records import read_record, with_text
    from adequa.run import score_items

    if triples == text == "-":
        raise typer.BadParameter("only one of DATA and TEXT can be -")
    chosen = options.with_settings(
        resolve(metric or None), ignore=ignore, optional=optional, allowed=allowed, aliases=aliases
    )
    graph = read_graph(triples, format, name="DATA")
    coverage_ = parse_coverage(coverage) or graph.coverage
    graph = replace(graph, lang=lang or graph.lang, coverage=coverage_)
    said = read_text(text)
    item = with_text(graph, said) if format is None else replace(graph, text=said)
    if item.record is not None and not as_json:
        reading = explain_readings([read_record(item.record, said)])
        options.echo(reading.line(), err=True)
    (result,) = score_items([item], chosen)
    if as_json:
        options.echo(dump_line(result_to_object(result)), nl=False)
    else:
        _print(result, color)
    if result.verdict != "OK":
        raise typer.Exit(NOT_OK)


def _print(result: Result, color: bool | None) -> None:
    dumb = os.environ.get("TERM") in ("dumb", "unknown")
    if color is None:
        color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and not dumb
    if not color:
        options.echo("".join(piece.text for piece in show(result)), nl=False)
        return
    from rich.console import Console
    from rich.text import Text

    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    system: Literal["standard", "auto"] = "standard" if dumb else "auto"
    console = Console(force_terminal=True, no_color=False, color_system=system, highlight=False)
    pieces = show(result, brackets=not unicode)
    written = Text.assemble(*(piece._replace(text=printable(piece.text)) for piece in pieces))
    console.print(written, soft_wrap=True, end="")


# The palette of Okabe and Ito (2008), which is safe for colour-blind readers, as backgrounds:
# legible on dark and on light terminals. Faults are underlined and have no background.
_ENTITY_STYLES = (
    *("#000000 on #e69f00", "#000000 on #56b4e9", "#000000 on #f0e442"),
    *("#ffffff on #0072b2", "#000000 on #cc79a7", "#000000 on #009e73"),
)
_WRONG = "bold underline red"
_REPEATED = "italic red"
_SIGN = "bold red"
_HEADING = "bold"
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_JOINERS = "\u200c\u200d"  # zero-width joiners, part of words and emoji
_LONGEST_SENTENCE = 60
_MOST_LEFT_OUT = 10
_MOST_FORMS = 5
"""Maximum number of wordings per entity in the legend."""


class ShownPiece(NamedTuple):
    """Text and its rich style."""

    text: str
    style: str = ""


def show(result: Result, *, brackets: bool = True) -> Iterator[ShownPiece]:
    """The marked text, the verdict, the scores and the faults, then the evidence.

    With brackets a mention is `[pub]1`, an unexplained span `{bar}?`, a repetition `<so so so>!`;
    without, marks are shown by style and small signs.
    """
    marks, numbers = marks_of(result)
    yield from _marked(result.item.text, marks, brackets=brackets)
    yield ShownPiece("\n")
    yield from _verdict(result)
    if result.faults:
        yield ShownPiece("\nFaults\n", _HEADING)
        known: dict[str, list[str]] = defaultdict(list)
        for triple in result.item.triples:
            for entity in {triple.subject, triple.object}:
                known[entity].append(" | ".join(triple))
        lines = Counter(
            (_sign(fault), one_line(fault.why), _lost(fault, known)) for fault in result.faults
        )
        for (sign, why, facts), times in lines.items():
            yield ShownPiece(f"  {sign} ", _SIGN)
            yield ShownPiece(_counted(why, times) + "\n")
            for fact in facts:
                yield ShownPiece(f"      {one_line(fact)}\n")
    if numbers or any(finding.entity is not None for finding in result.missing):
        yield from _found(result, numbers)
    yield from _stated(result)
    yield from _left_out(result)


def _lost(fault: Fault, known: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The facts about an entity that is not mentioned; a single one is in the reason."""
    if any(one.triple for one in fault.findings):
        return ()
    entities = (one.entity for one in fault.findings if one.kind == "omission" and one.entity)
    facts = tuple(known.get(next(entities, ""), ()))
    return facts if len(facts) > 1 else ()


def _sign(fault: Fault) -> str:
    """`-` for what is left out, `!` for a repetition, `?` for all else that is marked."""
    if fault.kind == "omission":
        return "-"
    return "!" if fault.findings[0].detail == "repetition" else "?"


def _left_out(result: Result) -> Iterator[ShownPiece]:
    """The facts that the text does not state and need not state."""
    left = result.left_out if result.item.coverage == "selected" else ()
    if not left or not result.item.text.strip():
        return
    yield ShownPiece(f"\nLeft out {len(left)} of {counted(len(result.facts), 'fact')}", _HEADING)
    yield ShownPiece(", which does not affect the verdict\n")
    for fact in left[:_MOST_LEFT_OUT]:
        yield ShownPiece(f"  · {one_line(' | '.join(fact.triple))}\n")
    if len(left) > _MOST_LEFT_OUT:
        yield ShownPiece(f"  · and {len(left) - _MOST_LEFT_OUT} more (--json has all)\n")


def _stated(result: Result) -> Iterator[ShownPiece]:
    """The stated facts, each with the sentence that states it if a metric knows it."""
    checked = [fact for fact in result.facts if fact.confidence is not None]
    stated = [fact for fact in checked if fact.status == "stated"]
    if not checked:
        return
    yield ShownPiece(f"\nStated {len(stated)} of {counted(len(result.facts), 'fact')}\n", _HEADING)
    for fact in stated:
        yield ShownPiece("  + ", "bold green")
        yield ShownPiece(_fact_line(fact, result.item.text))
    if result.doubtful:
        yield ShownPiece("\nNot checked with confidence\n", _HEADING)
        for fact in result.doubtful:
            yield ShownPiece("  ? ", _SIGN)
            yield ShownPiece(_fact_line(fact, result.item.text))


def _fact_line(fact: Fact, text: str) -> str:
    line = f"{one_line(' | '.join(fact.triple))} ({fact.confidence:.2f})"
    if fact.start is not None and (fact.start, fact.end) != (0, len(text)):
        line += f': "{_clipped(text[fact.start : fact.end])}"'
    return line + "\n"


def _clipped(sentence: str) -> str:
    words = one_line(sentence)
    return words if len(words) <= _LONGEST_SENTENCE else f"{words[: _LONGEST_SENTENCE - 1]}…"


def _marked(text: str, marks: Sequence[Mark], *, brackets: bool) -> Iterator[ShownPiece]:
    if not text.strip():
        yield ShownPiece("(the text is empty)")
        return
    for segment in cut(text, marks):
        if brackets:
            yield ShownPiece("".join(_BRACKETS[mark.kind][0] for mark in segment.opened))
        yield ShownPiece(_safe(segment.text), _style(segment.marks))
        for mark in segment.closed:
            sign = _BRACKETS[mark.kind][1]
            number = str(mark.number) if mark.kind == "mention" else ""
            if brackets:
                yield ShownPiece(sign + number)
            else:
                yield ShownPiece(number.translate(_SUBSCRIPTS) or sign[1:], _style([mark]))


_BRACKETS: Mapping[MarkKind, tuple[str, str]] = {
    "mention": ("[", "]"),
    "unexplained": ("{", "}?"),
    "repetition": ("<", ">!"),
}


def _style(marks: Sequence[Mark]) -> str:
    """The style of a segment: the innermost mention's colour, underlined for a fault."""
    kinds = {mark.kind for mark in marks}
    numbers = [mark.number for mark in marks if mark.kind == "mention"]
    if numbers:
        style = _entity_style(numbers[-1])
        return f"{style} underline" if "unexplained" in kinds else style
    if "unexplained" in kinds:
        return _WRONG
    return _REPEATED if kinds else ""


def _entity_style(number: int) -> str:
    return _ENTITY_STYLES[(number - 1) % len(_ENTITY_STYLES)]


def _safe(text: str) -> str:
    """The text without control characters other than line breaks."""
    if text.isprintable():
        return text
    return "".join(one if one == "\n" or one in _JOINERS else one_line(one) for one in text)


def _found(result: Result, numbers: Mapping[str, int]) -> Iterator[ShownPiece]:
    # What facts said in other words is not found either: the count is that of esa's score.
    omitted = {one.entity for one in result.findings if one.kind == "omission"}
    absent = omitted - {None, *numbers}
    found, total = f"Found {len(numbers)}", len(numbers)
    if result.item.coverage != "selected":
        total += len(absent)
        found += f" of {total}"
    yield ShownPiece(f"\n{found} {'entity' if total == 1 else 'entities'}\n", _HEADING)
    width = max((len(str(number)) for number in numbers.values()), default=1)
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for mention in result.mentions:
        forms[mention.entity][_form(mention, result.item.text)] += 1
    for entity, number in numbers.items():
        yield ShownPiece("  ")
        yield ShownPiece(f"{number:>{width}}", _entity_style(number))
        said = [_counted(form, times) for form, times in forms[entity].items()]
        more = [f"and {len(said) - _MOST_FORMS} more"] if len(said) > _MOST_FORMS else []
        yield ShownPiece(f" {one_line(entity)}: {'; '.join(said[:_MOST_FORMS] + more)}\n")


def _counted(words: str, times: int) -> str:
    return words if times == 1 else f"{words} ×{times}"


def _form(mention: Mention, text: str) -> str:
    distance = f", distance {mention.distance:.2f}" if mention.distance >= 0.005 else ""
    return f'"{one_line(text[mention.start : mention.end])}" ({mention.method}{distance})'


def describe_ok(result: Result) -> str:
    """What an OK stands for: what was found, and what could not be checked."""
    of = f"of {len(result.facts)} fact{'' if len(result.facts) == 1 else 's'}"
    if all(fact.status == "unchecked" and fact.confidence is None for fact in result.facts):
        number, were = len(result.facts), "was" if len(result.facts) == 1 else "were"
        english = language_code(result.item) == "en"
        advice = ": add -m nli." if english else "."  # which knows no other language
        return f"No fault found in names and values; {number} {of} {were} not checked{advice}"
    if result.doubtful and result.item.coverage == "all":
        facts = "; ".join(one_line(" | ".join(fact.triple)) for fact in result.doubtful)
        number = len(result.doubtful)
        return f"No fault found; {number} {of} could not be checked with confidence: {facts}."
    if result.confidence is None:
        return "No fault found; how sure that is has not been calibrated for these settings."
    if result.confidence < CONFIDENT:
        return f"No fault found, but that is not sure: the confidence is below {CONFIDENT:g}."
    return "It says all and only what the data says."


def _verdict(result: Result) -> Iterator[ShownPiece]:
    yield ShownPiece("\nVerdict: ", _HEADING)
    if result.verdict is None:
        yield ShownPiece("none", _SIGN)
        silent = [name for name in result.scores if name not in result.reasons]
        if silent:
            yield ShownPiece(f"; {', '.join(silent)} gives no verdict; add -m esa")
    else:
        yield ShownPiece(result.verdict, "bold green" if result.verdict == "OK" else _SIGN)
        if result.confidence is not None:
            yield ShownPiece(f" (confidence {result.confidence:.2f})")
    yield ShownPiece("\n")
    if result.verdict == "OK":
        yield ShownPiece(f"  {describe_ok(result)}\n")
    width = max(map(len, result.scores), default=0)
    for name, value in result.scores.items():
        shown = "–" if value is None else f"{value:.4f}"
        reason = result.reasons.get(name)
        yield ShownPiece(
            f"  {name:<{width}}  {shown}{f' ({one_line(reason)})' if reason else ''}\n"
        )
