"""Templates by predicate, and by value where a value needs words of its own."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from adequa.data import Item, Term, Triple
from adequa.entities.surface import label_of
from adequa.errors import DataError, SettingError
from adequa.wording.folding import folded
from adequa.wording.templates import BACKOFF, OBJECT, PREDICATE, Template
from adequa.wording.values import Worded, said, say_boolean, worded

__all__ = ["ANY", "Row", "Templates", "collect", "fold_predicate", "fold_value", "read_templates"]

ANY = "*"
"""In place of a predicate or a value: any that has no template of its own."""
LONGEST = 1000
"""Characters of a template: a sentence, not a file."""

_BACKOFF = Template(BACKOFF)
_ANSWERS = {"true": "yes", "false": "no"}
_DASHES = str.maketrans("‐‑‒–—−", "------")


class Row(NamedTuple):
    """A template as a file has it, and the line on which it stands."""

    predicate: str
    template: str
    value: str = ANY
    line: int | None = None


@dataclass(frozen=True)
class Templates:
    """How facts are said: in the template of their predicate and value, or in the backoff.

    Made by `collect`, `Templates.of` and `read_templates`; the keys of `entries` are folded.
    """

    entries: Mapping[str, Mapping[str, Template]] = field(default_factory=dict)
    """The templates of a predicate by value; `*` is any other value."""
    default: Template | None = None
    """What says any other predicate in place of the backoff."""
    names: Mapping[str, str] = field(default_factory=dict, compare=False)
    """How predicates were written."""

    @classmethod
    def of(cls, templates: Mapping[str, str | Mapping[str, str]]) -> Templates:
        """Templates from what a JSON file holds.

        >>> known = Templates.of({"birthPlace": "<subject> was born in <object>."})
        >>> known.sentence(Triple("Ada_Lovelace", "birth_place", "London"))
        'Ada Lovelace was born in London.'
        >>> known.sentence(Triple("Ada_Lovelace", "knownFor", "Programs"))
        'The known for of Ada Lovelace is Programs.'
        """
        return collect(
            Row(predicate, string, value)
            for predicate, given in templates.items()
            for value, string in ({ANY: given} if isinstance(given, str) else given).items()
        )

    def __len__(self) -> int:
        return sum(map(len, self.entries.values())) + (self.default is not None)

    def rows(self) -> Iterator[Row]:
        """Every template, in the order of its file; that of any predicate comes last."""
        for key, values in self.entries.items():
            for value, template in values.items():
                yield Row(self.names.get(key, key), template.string, value)
        if self.default is not None:
            yield Row(ANY, self.default.string)

    @cached_property
    def digest(self) -> str:
        """Twelve digits that change when a template does, for the signature of a metric."""
        content = sorted(
            [key, value, template.string]
            for key, values in [*self.entries.items(), (ANY, {ANY: self.default})]
            for value, template in values.items()
            if template is not None
        )
        written = json.dumps(content, ensure_ascii=False)
        return hashlib.sha256(written.encode(errors="replace")).hexdigest()[:12]

    def for_triple(
        self, triple: Triple, terms: Mapping[str, Term] | None = None
    ) -> Template | None:
        """The template of the triple's own predicate, for its value if there is one for that.

        A predicate is looked up as it is written, then by its label in `terms`.
        """
        values = self.entries.get(fold_predicate(triple.predicate))
        if values is None:
            label = _label(triple.predicate, terms)
            values = self.entries.get(fold_predicate(label)) if label else None
        if values is None:
            return None
        value = fold_value(_label(triple.object, terms) or triple.object)
        return values.get(value) or values.get(ANY)

    def wording(self, triple: Triple, terms: Mapping[str, Term] | None = None) -> Worded:
        """The fact as the verifier reads it: its template in three parts, or its own words."""
        template = self.for_triple(triple, terms)
        if template is None:
            return worded(triple, terms)
        subject, _, value = said(triple, terms)
        return template.parts(subject, value)

    def sentence(self, triple: Triple, terms: Mapping[str, Term] | None = None) -> str:
        """The fact as a sentence, for an NLI model or a person.

        >>> Templates().sentence(Triple("Blue_Spice", "familyFriendly", "no"))
        'Blue Spice is not family friendly.'
        """
        subject, predicate, value = said(triple, terms)
        template = self.for_triple(triple, terms)
        if template is not None:
            return template.fill(subject, value)
        verb, quality = say_boolean(predicate, value)
        if verb:
            return f"{subject} {verb} {quality}."
        return (self.default or _BACKOFF).fill(subject, value, predicate)

    def missing(self, items: Iterable[Item]) -> dict[str, int]:
        """The predicates of facts without a template, each with the number of facts, most first."""
        names: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for item in items:
            for triple in item.triples:
                if self.for_triple(triple, item.terms) is None:
                    key = fold_predicate(triple.predicate)
                    names.setdefault(key, triple.predicate)
                    counts[key] += 1
        return {names[key]: count for key, count in counts.most_common()}


def _label(name: str, terms: Mapping[str, Term] | None) -> str | None:
    term = terms.get(name) if terms else None
    return None if term is None else term.label


@lru_cache(maxsize=4096)
def fold_predicate(predicate: str) -> str:
    """What all spellings of a predicate share: `birthPlace`, `birth_place`, `dbo:birthPlace`."""
    return folded(predicate) or " ".join(predicate.split()).casefold()


def fold_value(value: str) -> str:
    """What all spellings of a value share: case, quotes, datatypes and dashes do not matter.

    >>> fold_value('"Yes"'), fold_value("true"), fold_value("£20–25")
    ('yes', 'yes', '£20-25')
    """
    string = label_of(value).string.casefold().translate(_DASHES)
    return _ANSWERS.get(string, string)


def collect(rows: Iterable[Row]) -> Templates:
    """Templates from rows; what is wrong with one is a DataError with its line."""
    entries: dict[str, dict[str, Template]] = {}
    names: dict[str, str] = {}
    default: Template | None = None
    for row in rows:
        try:
            template = _checked(row)
            if row.predicate.strip() == ANY:
                if default is not None:
                    raise _twice(row)
                default = template
                continue
            key, value = fold_predicate(row.predicate), ANY
            if row.value.strip() != ANY:
                value = fold_value(row.value)
            if value in entries.setdefault(key, {}):
                raise _twice(row)
            names.setdefault(key, row.predicate.strip())
            entries[key][value] = template
        except DataError as error:
            raise DataError(error.problem, line=row.line, remedy=error.remedy) from None
    return Templates(entries, default, names)


def _checked(row: Row) -> Template:
    """The template of a row whose places are those that its predicate and value need."""
    predicate, value = row.predicate.strip(), row.value.strip()
    if not predicate or not value:
        empty = "value" if predicate else "predicate"
        raise DataError(f"has an empty {empty}", remedy=f"name it, or write {ANY} for any {empty}")
    string = " ".join(row.template.split())
    if len(string) > LONGEST:
        raise DataError(
            f"the template of {predicate!r} is longer than {LONGEST:,} characters",
            remedy="write one sentence",
        )
    try:
        template = Template(string)
    except SettingError as error:
        raise DataError(
            f"{predicate!r}: {error}", remedy="write for example: <subject> is in <object>."
        ) from None
    general = predicate == ANY
    if general and value != ANY:
        raise DataError(
            f"{ANY} stands for any predicate and has the value {value!r}",
            remedy="give the predicate of that value",
        )
    if (PREDICATE in string) is not general:
        raise DataError(
            f"the template of {predicate!r} has {'no' if general else 'a'} {PREDICATE}",
            remedy=f"{PREDICATE} stands in the template of {ANY}, and only there",
        )
    if value == ANY and OBJECT not in string:
        raise DataError(
            f"the template of {predicate!r} has no {OBJECT}, and so says the same of every value",
            remedy=f"give it {OBJECT}, or one template a value",
        )
    return template


def _twice(row: Row) -> DataError:
    of_value = "" if row.value.strip() == ANY else f" and the value {row.value.strip()!r}"
    return DataError(
        f"has a second template of {row.predicate.strip()!r}{of_value}",
        remedy="keep one; case, spaces and underscores do not tell predicates or values apart",
    )


def read_templates(source: str | Path) -> Templates:
    """Templates that are shipped (`e2e`), or those of a JSON or TSV file."""
    from adequa.wording.files import read_file, read_shipped

    shipped = read_shipped(source) if isinstance(source, str) else None
    return read_file(Path(source)) if shipped is None else shipped
