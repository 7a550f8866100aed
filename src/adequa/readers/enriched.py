"""The enriched WebNLG corpus: texts with annotated mentions of entities, and their offsets.

The corpus gives a text, its template (`AGENT-1 serves PATIENT-1 .`) and the surface of each tag,
but no offsets, and its tokenisation moved spaces and punctuation. `place` therefore compares only
letters and digits: it fills the surfaces into the template, aligns the result with the text
character by character, and takes the places of surfaces that are found whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

from lxml import etree
from rapidfuzz.distance import Levenshtein

from adequa.data import Item, Mention
from adequa.errors import DataError
from adequa.readers.webnlg import Element, WebNlgReader, fail, refuse_text, unfold

Span: TypeAlias = tuple[int, int]

MAX_LENGTH = 10_000
"""Longer than any annotated text. The alignment takes quadratic time."""

_TAG = r"(?:AGENT|PATIENT|BRIDGE)-[0-9]+"


class Reference(NamedTuple):
    """A tag of the template, its number (`1` is the first tag), and the words for it."""

    tag: str
    number: str
    surface: str


class _Letters(NamedTuple):
    """The letters and digits of a string, case-folded, and their positions in it."""

    string: str
    places: list[int]


def letters(string: str) -> str:
    """The letters and digits of a string, case-folded: equal for strings of the same words.

    >>> letters("Taylor County , Texas") == letters("Taylor County,Texas")
    True
    """
    return "".join(filter(str.isalnum, string.casefold()))


def _with_places(string: str) -> _Letters:
    pairs = [
        (letter, place)
        for place, character in enumerate(string)
        for letter in character.casefold()  # one character may fold into several
        if letter.isalnum()
    ]
    return _Letters("".join(letter for letter, _ in pairs), [place for _, place in pairs])


def place(text: str, template: str, references: Sequence[Reference]) -> list[Span | None]:
    """The span of each reference in the text, or None where it cannot be found.

    A span has exactly the letters of its surface, begins and ends at word boundaries, and does not
    overlap another. The template gives the order. A reference that the alignment does not find, or
    that has no tag, is placed if its words occur only once.
    """
    places: list[Span | None] = [None] * len(references)
    surfaces = sum(len(reference.surface) + 10 for reference in references)
    if len(text) + len(template) + surfaces > MAX_LENGTH:
        return places
    found = _with_places(text)
    filled, slots = _fill(template, references)
    spans = _align(filled, slots, found.string)
    order = sorted(slots, key=slots.__getitem__)
    for reference in order:
        if reference in spans:
            places[reference] = _in_text(spans[reference], found, text)
    for position, reference in enumerate(order):
        if places[reference] is None:
            before = [places[other] for other in order[:position]]
            after = [places[other] for other in order[position + 1 :]]
            start = max((span[1] for span in before if span), default=0)
            end = min((span[0] for span in after if span), default=len(text))
            places[reference] = _only(references[reference].surface, text, start, end)
    taken = [span for span in places if span]
    for reference in range(len(references)):
        if reference not in slots:  # without a tag in the template
            span = _only(references[reference].surface, text, 0, len(text))
            if span and all(span[1] <= other[0] or other[1] <= span[0] for other in taken):
                places[reference] = span
                taken.append(span)
    return [
        None if span is None else _with_punctuation(span, text, reference.surface)
        for span, reference in zip(places, references, strict=True)
    ]


def _fill(template: str, references: Sequence[Reference]) -> tuple[str, dict[int, Span]]:
    """The letters of the template with its surfaces, and the span of each surface in them."""
    own = sorted({reference.tag for reference in references if reference.tag}, key=len)
    pattern = re.compile(rf"\b(?:{'|'.join([*map(re.escape, reversed(own)), _TAG])})(?!\w)")
    tags = list(pattern.finditer(template))
    chosen = _assign([match[0] for match in tags], references)
    filled, done = "", 0
    slots: dict[int, Span] = {}
    for number, match in enumerate(tags):
        filled += letters(template[done : match.start()])
        done = match.end()
        if number in chosen:
            start = len(filled)
            filled += letters(references[chosen[number]].surface)
            slots[chosen[number]] = (start, len(filled))
    return filled + letters(template[done:]), slots


def _assign(tags: Sequence[str], references: Sequence[Reference]) -> dict[int, int]:
    """The reference of each tag of a template.

    The n-th tag belongs to the reference with the number n. Some numbers are wrong and some
    references are missing, so the remaining tags take the remaining references in order.
    """
    by_number = {reference.number: place for place, reference in enumerate(references)}
    chosen = {}
    for number, tag in enumerate(tags):
        place = by_number.get(str(number + 1))
        if place is not None and references[place].tag == tag:
            chosen[number] = place
    used = set(chosen.values())
    free = {place: None for place in range(len(references)) if place not in used}
    for number, tag in enumerate(tags):
        if number not in chosen:
            place = next((place for place in free if references[place].tag == tag), None)
            if place is not None:
                chosen[number] = place
                del free[place]
    return chosen


def _align(filled: str, slots: dict[int, Span], text: str) -> dict[int, Span]:
    """The slots that occur whole in the text, as spans of its letters."""
    if filled == text:
        return slots
    spans = {}
    blocks = [op for op in Levenshtein.opcodes(filled, text) if op.tag == "equal"]
    for reference, (start, end) in slots.items():
        for block in blocks:
            if block.src_start <= start and end <= block.src_end:
                shift = block.dest_start - block.src_start
                spans[reference] = (start + shift, end + shift)
                break
    return spans


def _in_text(span: Span, found: _Letters, text: str) -> Span | None:
    start, end = span
    if start == end:
        return None  # a surface without a letter
    first, last = found.places[start], found.places[end - 1] + 1
    return (first, last) if _whole_words(first, last, text) else None


def _whole_words(start: int, end: int, text: str) -> bool:
    return not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())


def _only(surface: str, text: str, start: int, end: int) -> Span | None:
    """The only place of a surface from `start` to `end`; None if there are none or several."""
    wanted = letters(surface)
    found = _with_places(text[start:end])
    spans = []
    at = found.string.find(wanted) if wanted else -1
    while at >= 0:
        first = start + found.places[at]
        last = start + found.places[at + len(wanted) - 1] + 1
        if _whole_words(first, last, text):
            spans.append((first, last))
        at = found.string.find(wanted, at + 1)
    return spans[0] if len(spans) == 1 else None


def _with_punctuation(span: Span, text: str, surface: str) -> Span:
    """The span with the punctuation of the surface: the dot of `U.S.`, a closing bracket."""
    start, end = span
    plain = surface.replace("``", '"').replace("''", '"')
    inner = [place for place, character in enumerate(plain) if character.isalnum()]
    if not inner:
        return span
    head = "".join(plain[: inner[0]].split())
    tail = "".join(plain[inner[-1] + 1 :].split())
    if head and text[:start].endswith(head):
        start -= len(head)
    if tail and text.startswith(tail, end):
        end += len(tail)
    return start, end


_PARTS = {"sortedtripleset", "references", "text", "template", "lexicalization"}


@dataclass(frozen=True)
class EnrichedReader(WebNlgReader):
    """Reads the enriched corpus (v1.6) with the ids, fields and settings of the plain one.

    The text is `<text>`; a `<lex>` without one, or with an empty one, is an item with an empty
    text, so that ids and counts are those of the corpus. `meta` also has `mentions`, a list of
    `{"entity", "text", "type", "number", "tag", "start", "end"}` with offsets into the item's text
    (both None if the annotated words cannot be found there), and, if the file has them, `template`,
    `lexicalization`, `sortedtripleset` (sentence by sentence, triples as written) and `entitymap`.
    Any other element of a `<lex>` is kept as XML in `lex_elements`.
    """

    name: ClassVar[str] = "enriched"
    doc: ClassVar[str] = "enriched WebNLG XML: texts with gold mentions and their offsets"

    def _content(
        self, lexes: list[Element], file: Path
    ) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
        texts = []
        rows = []
        for lex in lexes:
            parts, rest = _parts(lex, file)
            row: dict[str, Any] = dict(lex.items())
            text = _string(parts["text"], file) if "text" in parts else ""
            for name in ("template", "lexicalization"):
                if name in parts:
                    row[name] = _string(parts[name], file)
            if "sortedtripleset" in parts:
                row["sortedtripleset"] = _sentences(parts["sortedtripleset"], file, rest)
            references = _children(parts.get("references"), "reference", file)
            row["mentions"] = _mentions(references, text, row.get("template", ""), file)
            if rest:
                row["lex_elements"] = rest
            texts.append(text)
            rows.append(row)
        return tuple(texts), rows


def _parts(lex: Element, file: Path) -> tuple[dict[str, Element], list[str]]:
    """The known parts of a `<lex>` by name, and its other elements as XML."""
    if not len(lex) and (lex.text or "").strip():
        remedy = "is this WebNLG without annotation? read it with the format 'webnlg'"
        fail("<lex> holds plain text", file, lex, remedy)
    parts: dict[str, Element] = {}
    rest: list[str] = []
    refuse_text(lex.text, lex, file)
    for child in lex:
        refuse_text(child.tail, child, file)
        if child.tag not in _PARTS:
            rest.append(_xml(child))
        elif child.tag in parts or child.keys():
            problem = "two" if child.tag in parts else "attributes on"
            fail(f"<lex> has {problem} <{child.tag}>", file, child, "keep one, without attributes")
        else:
            parts[child.tag] = child
    return parts, rest


def _children(parent: Element | None, tag: str, file: Path) -> list[Element]:
    if parent is None:
        return []
    refuse_text(parent.text, parent, file)
    for child in parent:
        refuse_text(child.tail, child, file)
        if child.tag != tag:
            fail(f"<{parent.tag}> holds <{child.tag}>, not <{tag}>", file, child, "remove it")
    children: list[Element] = parent[:]
    return children


def _string(element: Element, file: Path) -> str:
    if len(element):
        fail(f"<{element.tag}> holds <{element[0].tag}>, not only text", file, element, "remove it")
    return unfold(element.text)


def _sentences(element: Element, file: Path, rest: list[str]) -> list[list[str]]:
    sentences = _children(element, "sentence", file)
    if [dict(one.items()) for one in sentences] != [
        {"ID": str(number)} for number in range(1, len(sentences) + 1)
    ]:
        rest.append(_xml(element))  # the attributes say more than the order
    return [[_string(row, file) for row in _children(one, "striple", file)] for one in sentences]


def _mentions(
    references: list[Element], text: str, template: str, file: Path
) -> list[dict[str, Any]]:
    attributes = [dict(reference.items()) for reference in references]
    tags = [
        Reference(known.get("tag", ""), known.get("number", ""), _string(reference, file))
        for known, reference in zip(attributes, references, strict=True)
    ]
    return [
        {
            "entity": known.pop("entity", None),
            "text": reference.surface,
            "type": known.pop("type", None),
            "number": known.pop("number", None),
            "tag": known.pop("tag", None),
            "start": span[0] if span else None,
            "end": span[1] if span else None,
            **{f"reference_{name}": value for name, value in known.items()},
        }
        for known, reference, span in zip(
            attributes, tags, place(text, template, tags), strict=True
        )
    ]


def _xml(element: Element) -> str:
    return etree.tostring(element, encoding="unicode", with_tail=False)


def gold_mentions(item: Item) -> tuple[Mention, ...]:
    """The annotated mentions of an item with a known place in the text, in file order.

    Also works for items of the enriched reader that were written as JSON and read again.
    """
    try:
        return tuple(
            Mention(mention["entity"], mention["start"], mention["end"], "gold")
            for mention in item.meta.get("mentions", ())
            if mention["start"] is not None
        )
    except (KeyError, TypeError):
        problem = f"the mentions of item {item.id!r} do not have the form of the enriched corpus"
        remedy = 'a mention is {"entity", "text", "start", "end", …}'
        raise DataError(problem, remedy=remedy) from None
