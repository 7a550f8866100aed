"""N-Triples and N-Quads, line by line, at the speed of string methods.

Nearly all lines of a dump are written the same way, with single spaces, and say nothing about
names: of these only the beginning and the end are looked at. What is written in another way takes
a slower road to the same result. Inside IRIs only what could be mistaken for their end is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from typing import Literal

from adequa.errors import DataError

__all__ = ["Lines", "Statement", "parse_line", "unescaped"]

Statement = tuple[str, str, str, str, str]
"""Subject (`<iri>` or `_:label`), and without their marks predicate, object IRI, literal, language.

All are as the file has them, escapes and all; what a statement has not is "".
"""

_IRI = r"<[^<> \n]*>"
_BLANK = r"_:[^\s<>\"]+"
_SUBJECT = re.compile(rf"{_IRI}|{_BLANK}")
_PREDICATE = re.compile(_IRI)
_BEGINNING = re.compile(rf"[ \t]*({_IRI}|{_BLANK})[ \t]*({_IRI})[ \t]*")
_RESOURCE = re.compile(rf"{_IRI}|{_BLANK}(?<!\.)")
_KIND = re.compile(rf"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^{_IRI})?")
_END = re.compile(rf"[ \t]*(?:(?:{_IRI}|{_BLANK}(?<!\.))[ \t]*)?\.[ \t]*(?:\#.*)?\r?")
_NOTHING = re.compile(r"[ \t]*(?:\#.*)?\r?")
_MARKS = (b"<", b'"', b"_")
_CACHED = 10_000
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))")
_CHARACTERS = {
    **dict(zip("tbnrf", "\t\b\n\r\f", strict=True)),
    **dict(zip("\"'\\", "\"'\\", strict=True)),
}
_HALF = re.compile("[\ud800-\udfff]")


class Lines:
    """The statements of lines whose predicate is wanted, in a language that is."""

    def __init__(self, predicates: Container[str], is_wanted: Callable[[str], bool]) -> None:
        self._wanted = predicates
        self._is_wanted_language = is_wanted
        # By what stands in the file; False: valid, and of no interest.
        self._predicates: dict[bytes, str | Literal[False]] = {}
        self._languages: dict[bytes, str | Literal[False]] = {}
        self.statements = 0
        """How many there were, wanted or not."""

    def wanted(self, block: bytes) -> Iterator[tuple[int, Statement]]:
        """Those of a block without newline at its end, with the line's number in it from 1.

        The block is UTF-8. A line that is no statement raises a DataError with its number.
        """
        subject_before = b""
        subject = ""
        predicates, languages = self._predicates, self._languages
        number = 0
        for number, line in enumerate(block.split(b"\n"), 1):
            parts = line.split(b" ", 2)
            if len(parts) == 3:
                first, second, value = parts
                predicate = predicates.get(second)
                if predicate is None:
                    predicate = self._predicate(second)
                if first != subject_before and predicate is not None:
                    subject_before, subject = first, first.decode()
                    if not _SUBJECT.fullmatch(subject):
                        subject_before, predicate = b"", None
                mark = value[:1]
                if predicate is False:
                    if value[-2:] == b" ." and mark in _MARKS:
                        continue
                elif predicate is not None and mark == b'"':
                    end = value.rfind(b'"')
                    suffix = value[end + 1 :]
                    language = languages.get(suffix)
                    if language is None:
                        language = self._language(suffix)
                    if language is False:
                        continue
                    if language is not None and _is_literal(value[: end + 1]):
                        yield number, (subject, predicate, "", value[1:end].decode(), language)
                        continue
                elif predicate is not None and mark == b"<" and value[-3:] == b"> .":
                    iri = value[1:-3]
                    if not (b" " in iri or b"<" in iri or b">" in iri):
                        yield number, (subject, predicate, iri.decode(), "", "")
                        continue
            statement = parse_line(line.decode())
            if statement is None:
                raise _complaint(line.decode(), number)
            if not statement[0]:
                self.statements -= 1  # a blank line or a comment
            elif statement[1] in self._wanted and self._is_wanted_language(statement[4]):
                yield number, statement
        self.statements += number

    def _predicate(self, written: bytes) -> str | Literal[False] | None:
        text = written.decode()
        if not _PREDICATE.fullmatch(text):
            return None
        answer: str | Literal[False] = text[1:-1] if text[1:-1] in self._wanted else False
        if len(self._predicates) < _CACHED:
            self._predicates[written] = answer
        return answer

    def _language(self, suffix: bytes) -> str | Literal[False] | None:
        text = suffix.decode()
        kind = _KIND.match(text)
        if kind is None or text[kind.end() :] != " .":
            return None
        language: str = kind[1] or ""
        answer: str | Literal[False] = language if self._is_wanted_language(language) else False
        if len(self._languages) < _CACHED:
            self._languages[suffix] = answer
        return answer


def _is_literal(value: bytes) -> bool:
    """Whether what begins with a quote and ends with one has none between that is not escaped."""
    if b"\\" in value:
        # The pairs first: then a backslash before a quote is one that escapes it.
        value = value.replace(b"\\\\", b"").replace(b'\\"', b"")
    return len(value) > 1 and value.find(b'"', 1) == len(value) - 1


def parse_line(line: str) -> Statement | None:
    """Any line; all "" where it says nothing, None where it is not N-Triples."""
    beginning = _BEGINNING.match(line)
    if beginning is None:
        return ("", "", "", "", "") if _NOTHING.fullmatch(line) else None
    start = beginning.end()
    iri = literal = language = ""
    if line[start : start + 1] == '"':
        end = _closing_quote(line, start)
        kind = _KIND.match(line, end + 1)
        if end < 0 or kind is None:
            return None
        literal, language, end = line[start + 1 : end], kind[1] or "", kind.end()
    else:
        resource = _RESOURCE.match(line, start)
        if resource is None:
            return None
        end = resource.end()
        iri = resource[0][1:-1] if resource[0][0] == "<" else ""
    if not _END.fullmatch(line, end):
        return None
    return beginning[1], beginning[2][1:-1], iri, literal, language


def _closing_quote(line: str, start: int) -> int:
    """Where the literal that begins at `start` ends; a loop, for a pattern would need a stack."""
    end = line.find('"', start + 1)
    while end >= 0:
        first = end
        while line[first - 1] == "\\":
            first -= 1
        if (end - first) % 2 == 0:
            return end
        end = line.find('"', end + 1)
    return -1


def _complaint(line: str, number: int) -> DataError:
    shown = line[:60] + ("…" if len(line) > 60 else "")
    return DataError(
        f"is not N-Triples: {shown!r}",
        line=number,
        remedy='a line is <subject> <predicate> <object> . or … "literal"@en .',
    )


def unescaped(text: str) -> str:
    """A text of the file without its escapes."""
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_unescape, text)
    if _HALF.search(text):
        # Old writers escape a character beyond U+FFFF as two halves.
        try:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise DataError(
                "has half of a surrogate pair", remedy="repair the dump's encoding"
            ) from None
    return text


def _unescape(found: re.Match[str]) -> str:
    short, long, character = found.groups()
    if character is not None:
        if character not in _CHARACTERS:
            raise DataError(
                f"has an escape that does not exist: \\{character}", remedy="repair the line"
            )
        return _CHARACTERS[character]
    code = int(short or long, 16)
    if code > 0x10FFFF:
        raise DataError(f"has an escape beyond Unicode: {found[0]}", remedy="repair the line")
    return chr(code)
