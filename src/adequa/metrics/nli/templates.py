"""Templates: sentences for facts by predicate, or by predicate and value; their files; cue words.

Templates are read from and written to JSON and TSV files, and some are shipped. `Cues` are words
without which a fact cannot be stated: a model sometimes finds a fact in a text that has none of its
words, above all a yes or no, and data with a small vocabulary lets us rule that out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

from adequa.data import Item, Term, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.files import MAX_LINE_BYTES, kind_of, lines, read_dictionary, replacing, write_errors
from adequa.readers import read_table
from adequa.settings import object_hash
from adequa.text import folded, label_of
from adequa.text.values import TripleWords, say_boolean, word_parts, word_triple

SUBJECT, PREDICATE, OBJECT = "<subject>", "<predicate>", "<object>"
BACKOFF = f"The {PREDICATE} of {SUBJECT} is {OBJECT}."
"""The sentence for a fact without a template, after the paper."""

_PLACE = re.compile(r"<(subject|predicate|object)>")
_ANY_PLACE = re.compile(r"<[^\W\d]\w*>")
_FIRST = re.compile(r"^(\w+(?: not| no longer)?) (?=\S)")
_ARTICLE = re.compile(r"\b(?P<article>an?|the) $", re.IGNORECASE)
_NEXT = re.compile(r" (?P<word>[^\W\d_]+)(?![^\W_])")
_OWN_ARTICLE = re.compile(r"^(?:an?|the) ", re.IGNORECASE)
_SOUNDS_OPEN = re.compile(
    r"(?!(?i:eu|uni(?!n)|us[aeu]|ut[ei]|uk|ugan|one\b|once\b)|U(?![a-z]))"
    r"[aeiouAEIOUÀ-ÅÈ-ÏÒ-ÖÙ-Üà-åè-ïò-öù-ü]"
    r"|(?i:hour|honest|honou?r|heir)|[FHLMNRSX](?![a-z])|8|1[18](?:th)?\b"
)
"""The beginning of a word after `an`: an apple, an hour, an MP, but a unit, a European."""


@dataclass(frozen=True, slots=True)
class Template:
    """`<subject> is located in <object>.`; one without `<object>` has the value in its words."""

    string: str

    def __post_init__(self) -> None:
        counts = {place: self.string.count(place) for place in (SUBJECT, PREDICATE, OBJECT)}
        named = f"the template {self.string!r}"
        if counts[SUBJECT] != 1 or max(counts.values()) > 1:
            raise SettingError(f"{named} needs {SUBJECT} once and {OBJECT} at most once")
        for place in _ANY_PLACE.findall(self.string):
            if place not in counts:
                places = f"the places are {SUBJECT} and {OBJECT}"
                raise SettingError(f"{named} has a place {place}: {places}")

    def fill(self, subject: str, value: str, predicate: str = "") -> str:
        """The sentence for a fact; nothing inside a name is taken for a place.

        >>> Template("<subject> is a <object> in the city.").fill("The Inn", "Italian restaurant")
        'The Inn is an Italian restaurant in the city.'
        >>> Template("<subject> is near the <object> shop.").fill("Bex", "The Old Shop")
        'Bex is near The Old Shop.'
        """
        return "".join(self.pieces(subject, value, predicate))

    def pieces(self, subject: str, value: str, predicate: str = "") -> list[str]:
        """The sentence cut at its names: words, name, words, name, words.

        The article before a name is the one it needs, and goes where the name brings its own; so
        does the word after a name that ends in it, and a full stop after a name that has one.
        """
        names = {"subject": subject, "predicate": predicate, "object": value}
        pieces = _PLACE.split(self.string)
        places = pieces[1::2]
        for at, place in enumerate(places):
            before, _, after = pieces[2 * at : 2 * at + 3]
            name = names[place]
            pieces[2 * at : 2 * at + 3] = [_before(before, name), name, _after(after, name)]
        if "predicate" in places:
            at = 2 * places.index("predicate")
            pieces[at : at + 3] = ["".join(pieces[at : at + 3])]
        return pieces

    @property
    def object_first(self) -> bool:
        """Whether the object stands before the subject, as in `<object> is led by <subject>`."""
        return -1 < self.string.find(OBJECT) < self.string.find(SUBJECT)

    def parts(self, subject: str, value: str) -> TripleWords:
        """The fact cut at its names: what comes first, the words, what comes last.

        >>> Template("<object> is led by <subject>.").parts("Ann", "Rome")
        ('Rome', 'is led by', 'Ann')
        >>> Template("<subject> is not for families.").parts("The Inn", "no")
        ('The Inn', 'is not', 'for families')
        >>> Template("The <subject> has a mass of <object>.").parts("Moon", "7 kilograms")
        ('Moon', 'has a mass of', '7 kilograms')
        """
        pieces = self.pieces(subject, value)
        pieces[0] = _ARTICLE.sub("", pieces[0])
        words = " ".join(" ".join(pieces[::2]).split()).rstrip(" .")
        if len(pieces) > 3:
            return pieces[1], words, pieces[3]
        found = _FIRST.match(words)
        cut = found.end() if found else 0
        return subject, words[:cut].strip() or "is", words[cut:].strip()


def _before(before: str, name: str) -> str:
    """The words before a name with the article that it needs, or none where it has its own."""
    found = _ARTICLE.search(before)
    if found is None:
        return before
    article = found["article"]
    if _OWN_ARTICLE.match(name):
        return before[: found.start()]
    if article.lower() == "the":
        return before
    return f"{before[: found.start()]}{article[0]}{'n' if _SOUNDS_OPEN.match(name) else ''} "


def _after(after: str, name: str) -> str:
    """The words after a name without the word or the full stop that it ends in."""
    if after.startswith(".") and name.endswith("."):
        return after[1:]
    found = _NEXT.match(after)
    words = name.casefold().split()
    return after[found.end() :] if found and words[-1:] == [found["word"].casefold()] else after


ANY = "*"
"""In place of a predicate or a value: any that has no template of its own."""
LONGEST = 1000
"""Characters of a template: a sentence, not a file."""

_ANSWERS = {"true": "yes", "false": "no"}
_DASHES = str.maketrans("‐‑‒–—−", "------")


class TemplateRow(NamedTuple):
    """A template as a file has it, and the line on which it stands."""

    predicate: str
    template: str
    value: str = ANY
    line: int | None = None


@dataclass(frozen=True)
class Templates:
    """The wording of facts: by the template of their predicate and value, or by the backoff.

    Made by `collect`, `Templates.of` and `read_templates`; the keys of `entries` are folded.
    """

    entries: Mapping[str, Mapping[str, Template]] = field(default_factory=dict)
    """The templates of a predicate by value; `*` is any other value."""
    default: Template | None = None
    """The template of all other predicates, in place of the backoff."""
    names: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The predicates as they were written, by their folded keys."""

    @classmethod
    def of(cls, templates: Mapping[str, str | Mapping[str, str]]) -> Templates:
        """Templates from the content of a JSON file.

        >>> known = Templates.of({"birthPlace": "<subject> was born in <object>."})
        >>> known.sentence(Triple("Ada_Lovelace", "birth_place", "London"))
        'Ada Lovelace was born in London.'
        >>> known.sentence(Triple("Ada_Lovelace", "knownFor", "Programs"))
        'The known for of Ada Lovelace is Programs.'
        """
        return collect(
            TemplateRow(predicate, string, value)
            for predicate, given in templates.items()
            for value, string in ({ANY: given} if isinstance(given, str) else given).items()
        )

    def __len__(self) -> int:
        return sum(map(len, self.entries.values())) + (self.default is not None)

    def rows(self) -> Iterator[TemplateRow]:
        """Every template, in the order of its file; that of any predicate comes last."""
        for key, values in self.entries.items():
            for value, template in values.items():
                yield TemplateRow(self.names.get(key, key), template.string, value)
        if self.default is not None:
            yield TemplateRow(ANY, self.default.string)

    @cached_property
    def digest(self) -> str:
        """Twelve digits that change when a template does, for the signature of a metric."""
        return object_hash(
            sorted(
                [key, value, template.string]
                for key, values in [*self.entries.items(), (ANY, {ANY: self.default})]
                for value, template in values.items()
                if template is not None
            )
        )

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

    def wording(self, triple: Triple, terms: Mapping[str, Term] | None = None) -> TripleWords:
        """The fact as the verifier reads it: its template in three parts, or its own words.

        The verifier takes the first name for the subject, as in all triples it was trained on. A
        template that begins with the object would be read as the inverted fact: with the templates
        of WebNLG train, of 664 facts that people wrote of in 220 dev texts 21 were missing then,
        and 10 with the fact's own words.
        """
        template = self.for_triple(triple, terms)
        if template is None or template.object_first:
            return word_triple(triple, terms)
        subject, _, value = word_parts(triple, terms)
        return template.parts(subject, value)

    def sentence(self, triple: Triple, terms: Mapping[str, Term] | None = None) -> str:
        """The fact as a sentence, for an NLI model or a person.

        >>> Templates().sentence(Triple("Blue_Spice", "familyFriendly", "no"))
        'Blue Spice is not family friendly.'
        """
        subject, predicate, value = word_parts(triple, terms)
        template = self.for_triple(triple, terms)
        if template is not None:
            return template.fill(subject, value)
        verb, quality = say_boolean(predicate, value)
        if verb:
            return f"{subject} {verb} {quality}."
        return (self.default or Template(BACKOFF)).fill(subject, value, predicate)

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
    """One key for all spellings of a predicate: `birthPlace`, `birth_place`, `dbo:birthPlace`."""
    return folded(predicate) or " ".join(predicate.split()).casefold()


def fold_value(value: str) -> str:
    """One key for all spellings of a value, whatever case, quotes, datatypes and dashes.

    >>> fold_value('"Yes"'), fold_value("true"), fold_value("£20–25")
    ('yes', 'yes', '£20-25')
    """
    string = label_of(value).string.casefold().translate(_DASHES)
    return _ANSWERS.get(string, string)


def collect(rows: Iterable[TemplateRow]) -> Templates:
    """Templates from rows; a wrong row raises a DataError with its line."""
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
            key = fold_predicate(row.predicate)
            value = ANY if row.value.strip() == ANY else fold_value(row.value)
            if value in entries.setdefault(key, {}):
                raise _twice(row)
            names.setdefault(key, row.predicate.strip())
            entries[key][value] = template
        except DataError as error:
            raise DataError(error.problem, line=row.line, remedy=error.remedy) from None
    return Templates(entries, default, names)


def _checked(row: TemplateRow) -> Template:
    """The template of a row whose places are those that its predicate and value need."""
    predicate, value = row.predicate.strip(), row.value.strip()
    if not predicate or not value:
        empty = "value" if predicate else "predicate"
        raise DataError(f"has an empty {empty}", remedy=f"name it, or write {ANY} for any {empty}")
    string, named = " ".join(row.template.split()), f"the template of {predicate!r}"
    if len(string) > LONGEST:
        problem = f"{named} is longer than {LONGEST:,} characters"
        raise DataError(problem, remedy="write one sentence")
    try:
        template = Template(string)
    except SettingError as error:
        remedy = "write for example: <subject> is in <object>."
        raise DataError(f"{predicate!r}: {error}", remedy=remedy) from None
    general = predicate == ANY
    if general and value != ANY:
        problem = f"{ANY} stands for any predicate and has the value {value!r}"
        raise DataError(problem, remedy="give the predicate of that value")
    if (PREDICATE in string) is not general:
        remedy = f"{PREDICATE} stands in the template of {ANY}, and only there"
        raise DataError(f"{named} has {'no' if general else 'a'} {PREDICATE}", remedy=remedy)
    if value == ANY and OBJECT not in string:
        problem = f"{named} has no {OBJECT}, so it is the same for every value"
        raise DataError(problem, remedy=f"give it {OBJECT}, or one template per value")
    return template


def _twice(row: TemplateRow) -> DataError:
    of_value = "" if row.value.strip() == ANY else f" and the value {row.value.strip()!r}"
    return DataError(
        f"has a second template of {row.predicate.strip()!r}{of_value}",
        remedy="keep one; case, spaces and underscores do not tell predicates or values apart",
    )


def read_templates(source: str | Path) -> Templates:
    """Templates that are shipped (`e2e`), or those of a JSON or TSV file."""
    shipped = read_shipped(source) if isinstance(source, str) else None
    return read_file(Path(source)) if shipped is None else shipped


_JSON_REMEDY = 'write {"predicate": "<subject> … <object>.", …}'
_TSV_REMEDY = "its first line is: predicate, template, and if need be value, with tabs between"
_TABLES = (".tsv", ".txt")
_RESOURCES = files("adequa.metrics.nli") / "resources"


def shipped() -> tuple[str, ...]:
    """The names of the shipped templates."""
    names = (entry.name for entry in (_RESOURCES / "templates").iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


def read_shipped(name: str) -> Templates | None:
    """The shipped templates of that name; None if it names a file."""
    if name in shipped():
        with as_file(_RESOURCES / "templates" / f"{name}.json") as path:
            return read_file(path)
    path = Path(name)
    if path.suffix or path.name != name or path.exists():
        return None
    raise UnknownName("templates", name, shipped())


def read_file(path: Path) -> Templates:
    """The templates of a file, JSON or TSV by its ending."""
    suffix = path.suffix.lower()
    if suffix != ".json" and suffix not in _TABLES:
        problem = f"has an ending ({suffix or 'none'}) that is not a format of templates"
        raise DataError(problem, path=path, remedy="name it .json or .tsv")
    try:
        found = collect(_from_json(path) if suffix == ".json" else _from_table(path))
    except DataError as error:
        raise error.at(path) from None
    if not found:
        raise DataError("holds no templates", path=path, remedy="is it the right file?")
    return found


def _from_table(path: Path) -> Iterator[TemplateRow]:
    table = read_table(path, "\t", quotes=False)
    for column in ("predicate", "template"):
        if column not in table.columns:
            raise DataError(f"has no column {column!r}", line=1, remedy=_TSV_REMEDY)
    for column in table.columns:
        if column not in ("predicate", "template", "value"):
            raise DataError(f"has a column {column!r}", line=1, remedy=_TSV_REMEDY)
    for line, cells in table.rows:
        value = cells.get("value", "").strip() or ANY
        yield TemplateRow(cells["predicate"], cells["template"], value, line)


def _from_json(path: Path) -> Iterator[TemplateRow]:
    raw, line_of = read_dictionary(_read(path), remedy=_JSON_REMEDY)
    for predicate, given in raw.items():
        values = {ANY: given} if isinstance(given, str) else given
        if not isinstance(values, dict) or not values:
            problem = f"the value of {predicate!r} is {'empty' if values == {} else kind_of(given)}"
            raise DataError(problem, line=line_of(predicate), remedy=_JSON_REMEDY)
        for value, string in values.items():
            line = line_of(predicate, *([] if values is not given else [value]))
            if not isinstance(string, str):
                problem = f"the template of {predicate!r} for {value!r} is {kind_of(string)}"
                raise DataError(problem, line=line, remedy="write a sentence in quotes")
            yield TemplateRow(predicate, string, value, line)


def _read(path: Path) -> str:
    """The text of a file; one larger than the longest line allowed is refused."""
    parts: list[str] = []
    size = 0
    for number, line in lines(path, keep_ends=True):
        size += len(line)
        if size > MAX_LINE_BYTES:
            problem = f"is larger than {MAX_LINE_BYTES >> 20} MB"
            raise DataError(problem, line=number, remedy="is it a file of templates?")
        parts.append(line)
    return "".join(parts)


def write_templates(templates: Templates, path: Path, *, force: bool = False) -> None:
    """Write templates as `read_templates` reads them; the file appears whole or not at all."""
    require_free_path(path, force=force)
    text = _as_json(templates) if path.suffix.lower() == ".json" else _as_table(templates)
    try:
        with write_errors(path), replacing(path) as stream:
            stream.write(text.encode())
    except UnicodeEncodeError:
        problem = "a template has half of a surrogate pair, which no file can hold"
        remedy = "repair the encoding of the texts"
        raise DataError(problem, path=path, remedy=remedy) from None


def require_free_path(path: Path, *, force: bool = False) -> None:
    """Raise if templates cannot be written to a path: by its ending, or because it exists."""
    if path.suffix.lower() not in (".json", *_TABLES):
        raise UnknownName("file ending", path.suffix, (".json", ".tsv"))
    if path.exists() and not force:
        raise DataError(
            "is there already", path=path, remedy="name another file, or give force=True"
        )


def _as_json(templates: Templates) -> str:
    raw: dict[str, dict[str, str]] = {}
    for row in templates.rows():
        raw.setdefault(row.predicate, {})[row.value] = row.template
    plain = {name: one[ANY] if one.keys() == {ANY} else one for name, one in raw.items()}
    return json.dumps(plain, ensure_ascii=False, indent=2) + "\n"


def _as_table(templates: Templates) -> str:
    rows = [(row.predicate, row.template, row.value) for row in templates.rows()]
    width = 3 if any(value != ANY for _, _, value in rows) else 2
    cells = (row[:width] for row in [("predicate", "template", "value"), *rows])
    return "".join("\t".join(" ".join(one.split()) for one in row) + "\n" for row in cells)


@dataclass(frozen=True)
class Cues:
    """The words of some predicates, or their beginnings; predicates may be spelt in any way."""

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Twelve digits that change with the words."""
        return object_hash({name: [*words] for name, words in sorted(self.words.items())})

    @cached_property
    def _patterns(self) -> Mapping[str, re.Pattern[str]]:
        return {
            fold_predicate(name): re.compile(
                "|".join(rf"(?<!\w){re.escape(word)}" for word in words), re.IGNORECASE
            )
            for name, words in self.words.items()
        }

    def absent(self, triple: Triple, text: str) -> bool:
        """Whether the predicate has words of which the text has none.

        >>> Cues({"area": ("river", "city")}).absent(Triple("Inn", "area", "riverside"), "A pub.")
        True
        """
        pattern = self._patterns.get(fold_predicate(triple.predicate))
        return pattern is not None and pattern.search(text) is None


@lru_cache(maxsize=4)
def shipped_cues(templates: str | None) -> Cues | None:
    """The words shipped with templates of this name, if any."""
    if templates is None or not templates.isidentifier():
        return None
    place = _RESOURCES / "cues" / f"{templates}.json"
    if not place.is_file():
        return None
    read = json.loads(place.read_text(encoding="utf-8"))
    return Cues({name: tuple(words) for name, words in read.items()})
