"""The facts of a record: a JSON tree as triples, each with the JSON pointer of its value.

A record is read as people read it:

- An object with a name (`seller: {name: …, city: …}`) is a thing of its own, linked to what it
  belongs to. The objects of a list are things of their own too; one without a name gets a label
  (`goals 2`, `readings 06:00`) that no text has to mention.
- Other nesting becomes part of the predicate: `departure: {gate: …}` is `departure gate`.
- What belongs together is one fact: `{value, unit}`, `{amount, currency}`, `{name, value}`. A list
  of times beside lists of values is a list of rows. Where `teams: {home: {name: …}, away: …}` says
  who plays which role, `goals: {home: 3, away: 1}` is about those teams.
- Ids, addresses, hashes, icons, coordinates, Unix times and empty values are not for saying. They
  are left out, unless the text says them or the user keeps them, and `RecordFacts` lists them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from adequa.data import UNNAMED, Term, Triple
from adequa.errors import DataError
from adequa.readers.mapping import RecordMapping, find
from adequa.text import split_camel, word_set
from adequa.text.values import date_of, quantity_of

ROOT = "record"
"""The subject of a record without a name."""


class Number(float):
    """A number of a JSON file that keeps its digits: 1.50 stays 1.50."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        """The number that the text writes."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[Number], tuple[str]]:
        return Number, (self.text,)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A value of a record that is not a fact, and the reason."""

    path: str
    value: Any
    why: str


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """The triples of a record, the pointer of each, and what was left out."""

    subject: str
    triples: tuple[Triple, ...]
    paths: tuple[str, ...]
    """The JSON pointer (RFC 6901) of the value of each triple."""
    terms: Mapping[str, Term]
    left_out: tuple[LeftOut, ...]
    subject_path: str | None = None
    """The pointer of the value that names the record; None if it has no name."""


def read_facts(
    record: Mapping[str, Any] | Sequence[Any],
    *,
    mapping: RecordMapping | None = None,
    text: str = "",
    key: str | None = None,
) -> RecordFacts:
    """The facts of a record; `key` is its name where the record itself has none.

    >>> facts = read_facts({"name": "Alba", "goals": [{"minute": 6, "scorer": "Ada"}]})
    >>> facts.triples[0], facts.paths[0]
    (Triple(subject='Alba', predicate='goals minute', object='6'), '/goals/0/minute')
    """
    tree = _Tree(mapping or RecordMapping(), text)
    return tree.read(record, key)


def pointer_of(parts: Iterable[str | int]) -> str:
    """The JSON pointer of a value by the keys and positions on the way to it.

    >>> pointer_of(["a/b", 0])
    '/a~1b/0'
    """
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def say_scalar(value: Any) -> str:
    """A JSON value that is neither an object nor a list, as the object of a triple."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        return value.text
    written = str(value)
    if written[:1].isspace() or written[-1:].isspace() or "\n" in written:
        return " ".join(written.split())
    return written


@lru_cache(maxsize=4096)
def key_words(key: str) -> tuple[str, ...]:
    """The lower-case words of a key.

    >>> key_words("tempMax_c"), key_words("imageURL")
    (('temp', 'max', 'c'), ('image', 'url'))
    """
    return tuple(re.sub(r"[\W_]+", " ", split_camel(key)).lower().split())


# Values that are not for saying.

_IDS = word_set("id ids uuid guid uid pk oid")
_HASHES = word_set("hash sha sha1 sha256 sha512 md5 checksum etag token signature nonce digest")
_ADDRESSES = word_set("url urls uri href permalink slug")
_PICTURES = word_set("icon img image images logo thumbnail thumb avatar photo picture sprite svg")
_COORDINATES = word_set("lat latitude lon lng longitude coord coords coordinates geohash geometry")
_MOMENTS = word_set("timestamp timestamps ts epoch unix dt")
_INTERNAL = frozenset({"cursor", "__typename", "$schema", "@context", "base64"})
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]{1,9}://|www\.|data:[a-z]+/)\S+", re.IGNORECASE)
_FILE = re.compile(r"\S+\.(?:png|jpe?g|gif|svg|webp|tiff?|ico|bmp)", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"(?:0x)?(?=[0-9a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{16,}", re.IGNORECASE)
_ICON_CODE = re.compile(r"[\w.-]{1,24}")
_COLOUR = re.compile(r"#(?:[0-9a-f]{3}){1,2}(?:[0-9a-f]{2})?", re.IGNORECASE)
_SECONDS = range(600_000_000, 4_100_000_000)
"""Unix times from 1989 to 2099."""
_NEAR = 7 * 86400
"""Two Unix times of one record within a week belong to the same event."""
_LEAST_SAID = 4
"""Letters or digits that a technical value needs to be recognised in a text."""


def why_technical(key: str, value: Any, times: Iterable[float] = ()) -> str | None:
    """Why a value is not for saying; None if it is a fact. `times` are Unix times of the record.

    >>> why_technical("logo", "https://e.org/a.png"), why_technical("name", "Alba")
    ('an address', None)
    """
    words = frozenset(key_words(key))
    if key.startswith("_") or key in _INTERNAL:
        return "internal"
    number = _number(value)
    if isinstance(value, str) and number is None:
        stripped = value.strip()
        if _ADDRESS.fullmatch(stripped):
            return "an address"
        if _FILE.fullmatch(stripped):
            return "a picture"
        if _UUID.fullmatch(stripped):
            return "an id"
        if _HEX.fullmatch(stripped) or words & _HASHES:
            return "a hash"
        if _COLOUR.fullmatch(stripped):
            return "a colour code"
        if words & _PICTURES and _ICON_CODE.fullmatch(stripped):
            return "a picture"
        if words & _ADDRESSES and " " not in stripped:
            return "an address"
    last = key_words(key)[-1:]
    if last and last[0] in _IDS and not isinstance(value, bool):
        return "an id"
    if number is not None:
        seconds = number / 1000 if number >= 1e11 else number
        near = words & _MOMENTS or any(abs(seconds - time) <= _NEAR for time in times)
        if near and seconds == int(seconds) and int(seconds) in _SECONDS:
            return "a Unix time"
        if words & _COORDINATES:
            return "a coordinate"
    return None


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e300 else None
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}(?:\.[0-9]{1,18})?", value):
        return float(value)
    return None


def _is_said(value: Any, text: str) -> bool:
    """Whether the text writes a technical value, such as an invoice number."""
    written = say_scalar(value)
    if len(re.sub(r"\W", "", written)) < _LEAST_SAID + written.isdigit():
        return False
    return written.casefold() in text.casefold()


# What names a thing, and what belongs together.

_NAMES = ("name", "title", "label")
_FULL_NAMES = ("full name", "display name", "long name", "common name", "official name")
_PAIR_NAMES = word_set("name key label attribute property field spec title metric parameter")
_PAIR_VALUES = word_set("value val content")
_GROUPS = word_set("category group section heading")
_AMOUNTS = word_set("value amount quantity magnitude number qty")
_UNITS = word_set("unit units uom")
_CURRENCIES = word_set("currency ccy")
_LIMITS = word_set("min max low high minimum maximum from to lower upper avg average mean")
_MONEY = word_set(
    "price prices amount total subtotal cost costs balance net gross fee fees salary wage pay fare "
    "budget revenue profit turnover sum due paid deposit rent tax vat discount credit debit refund"
)
_NOT_MONEY = word_set(
    "rate pct percent percentage share ratio count qty quantity number days date id on by at until"
)
_CURRENCY = re.compile(r"[A-Z]{3}|[^\w\s]{1,2}|[A-Z]{1,2}\$")
_CONTAINERS = word_set(
    "data details detail info information attributes properties main general overview fields "
    "payload content result summary stats statistics"
)
"""Keys that hold the rest together and say nothing; a predicate goes without them."""
_TIMES = word_set(
    "date time datetime day hour week month year quarter season timestamp dt t at when period "
    "start from ending minute elapsed daytime moment"
)
_TIME_FORMS = word_set("txt text utc gmt iso local str")
_NUMBERS = word_set("pos position rank place seq n no nr number index lap round stage step set leg")
_QUALITIES = word_set(
    "wind direction condition conditions weather sky status state level mood trend phase severity "
    "summary description note notes comment remark alert warning outlook forecast"
)
"""Words of keys that say how something is at a time, and do not name it."""
_ROLE_NAMES = word_set("team club player side")
_SIDES = (("home", "away"), ("home", "visitor"), ("host", "guest"), ("home", "guest"))
_THINGS = ("product", "model", "headline")
_ENUM = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]+")
_CODE = re.compile(r"(?=.*[A-Za-z])[\w.-]{1,12}")
_LONGEST_NAME = 80


class _Place(NamedTuple):
    """Where a value is: what it is about, the keys since then, and the keys before."""

    subject: str
    words: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    """The keys from the root, without positions."""
    pointer: tuple[str | int, ...] = ()

    def child(self, key: str) -> _Place:
        return self._replace(
            words=(*self.words, key), path=(*self.path, key), pointer=(*self.pointer, key)
        )

    def element(self, position: int) -> _Place:
        return self._replace(pointer=(*self.pointer, position))

    def about(self, subject: str) -> _Place:
        return self._replace(subject=subject, words=(), context=(*self.context, *self.words))


class _Scope(NamedTuple):
    """The unit and the currency that an object around a value gives."""

    unit: str | None = None
    currency: str | None = None
    own: bool = False
    """Whether the unit stands beside the value, not further up."""


class _Fact(NamedTuple):
    place: _Place
    value: str


class _Tree:
    """The reading of one record."""

    def __init__(self, mapping: RecordMapping, text: str) -> None:
        self._mapping = mapping
        self._text = text
        self._facts: list[_Fact] = []
        self._left: list[LeftOut] = []
        self._unnamed: dict[str, None] = {}
        self._roles: dict[str, str] = {}
        self._role_places: set[tuple[str | int, ...]] = set()
        self._times: list[float] = []
        self._name_places: set[tuple[str | int, ...]] = set()

    def read(self, record: Any, key: str | None) -> RecordFacts:
        subject, named_by = self._name_record(record, key)
        self._times = [
            seconds / 1000 if seconds >= 1e11 else seconds
            for name, seconds in _numbers(record)
            if _MOMENTS & frozenset(key_words(name))
        ]
        self._find_roles(record, ())
        self._name_places |= set(named_by)
        self._visit(record, _Place(subject), _Scope())
        triples, paths = self._triples()
        terms = {name: Term(datatype=UNNAMED) for name in self._unnamed}
        mentioned = {end for triple in triples for end in (triple.subject, triple.object)}
        return RecordFacts(
            subject,
            triples,
            paths,
            {name: term for name, term in terms.items() if name in mentioned},
            tuple(self._left),
            pointer_of(named_by[0]) if named_by else None,
        )

    # The name of the record.

    def _name_record(
        self, record: Any, key: str | None
    ) -> tuple[str, tuple[tuple[str | int, ...], ...]]:
        told = self._mapping.subject
        if told is not None:
            return self._told_name(record, told)
        if isinstance(record, Mapping):
            name, keys = _name_of(record)
            label = keys and key_words(keys[0]) == ("label",)
            if name and not label:
                return name, tuple((place,) for place in keys)
            leading, places = self._leading_name(record)
            if leading and not (label and places == (keys,)):
                if not _mentions(self._text, leading):
                    self._unnamed[leading] = None
                return leading, places
            if name:
                return name, (keys,)
        subject = key or ROOT
        self._unnamed[subject] = None
        return subject, ()

    def _leading_name(
        self, record: Mapping[str, Any]
    ) -> tuple[str | None, tuple[tuple[str | int, ...], ...]]:
        """The name that a record begins with: people and programs write it first.

        Chosen on the 80 records of bench/challenges/records/open.jsonl.
        """
        words = {" ".join(key_words(str(key))): key for key in record}
        told = next((words[name] for name in _THINGS if name in words), None)
        if told is not None and self._could_name(told, record[told]):
            return say_scalar(record[told]), ((told,),)
        for field, value in record.items():
            if value is None or value == "" or self._mapping.ignores(field):
                continue
            if isinstance(value, Mapping):
                name, keys = _name_of(value)
                if not name or _pair(value):
                    return None, ()
                return name, tuple((field, key) for key in keys)
            if isinstance(value, list):
                return None, ()
            if why_technical(field, value) is None or _is_said(value, self._text):
                could = self._could_name(field, value)
                return (say_scalar(value), ((field,),)) if could else (None, ())
        return None, ()

    def _told_name(self, record: Any, told: str) -> tuple[str, tuple[tuple[str | int, ...], ...]]:
        value, place = record, []
        for part in [told] if isinstance(record, Mapping) and told in record else told.split("."):
            found = find(part, value) if isinstance(value, Mapping) else None
            if found is None:
                raise DataError(f"has no {told!r} for its subject", remedy="fill it")
            value = value[found]
            place.append(found)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, list | Mapping):
            raise DataError(f"has {len(value)} values for {told!r}, not one")
        if value is None or not say_scalar(value):
            raise DataError(f"has no {told!r} for its subject", remedy="fill it")
        return say_scalar(value), (tuple(place),)

    def _could_name(self, key: str, value: Any) -> bool:
        """Whether a value of the record may be its name: a proper name, not a date or a code."""
        return (
            _looks_like_name(value)
            and not _ENUM.fullmatch(value)
            and (value[0].isupper() or value[0].isdigit())
            and (why_technical(key, value) is None or _is_said(value, self._text))
        )

    # Roles: who is `home` and who is `away`.

    def _find_roles(self, value: Any, place: tuple[str | int, ...]) -> None:
        if not isinstance(value, Mapping):
            return
        named = {key: _role_name(part)[0] for key, part in value.items()}
        keys = [key for key, name in named.items() if name]
        whole = len(keys) > 1 and len(keys) == len(value)
        sides = next((pair for pair in _SIDES if all(named.get(side) for side in pair)), ())
        for key in keys if whole else sides:
            self._roles.setdefault(key, str(named[key]))
            self._role_places.add((*place, key))
        for pair in _SIDES:
            flat = [_flat_side(value, side) for side in pair]
            if all(flat):
                for side, (key, name) in zip(pair, (one for one in flat if one), strict=True):
                    self._roles.setdefault(side, name)
                    self._role_places.add((*place, key))
        for key, part in value.items():
            self._find_roles(part, (*place, key))

    def _place_of(self, key: str, place: _Place) -> _Place:
        """The place of a child, about the one whose role the key names."""
        child = place.child(key)
        if not self._roles or child.pointer in self._role_places:
            return child
        if key in self._roles:
            words = place.words or (key,)
            return child._replace(subject=self._roles[key], words=words)
        words = key_words(key)
        if len(words) > 1 and words[0] in self._roles and not place.words:
            return child._replace(subject=self._roles[words[0]])
        return child

    # The walk through the tree.

    def _visit(self, value: Any, place: _Place, scope: _Scope) -> None:
        if place.pointer in self._name_places:
            return
        if place.path and self._mapping.ignores(".".join(place.path)):
            self._leave(place, value, "ignored")
        elif value is None or (isinstance(value, str | list | Mapping) and not value):
            if place.pointer:
                self._leave(place, value, "empty")
        elif isinstance(value, Mapping):
            self._visit_object(value, place, scope)
        elif isinstance(value, list):
            self._visit_list(value, place, scope)
        else:
            self._visit_scalar(value, place, scope)

    def _leave(self, place: _Place, value: Any, why: str) -> None:
        self._left.append(LeftOut(pointer_of(place.pointer), value, why))

    def _visit_scalar(self, value: Any, place: _Place, scope: _Scope) -> None:
        key = place.path[-1] if place.path else ""
        why = why_technical(key, value, self._times)
        kept = why and (self._mapping.keeps(".".join(place.path)) or _is_said(value, self._text))
        if why and not kept:
            self._leave(place, value, why)
            return
        written = say_scalar(value)
        if not written:
            self._leave(place, value, "empty")
            return
        self._add(place, _with_unit(key, value, written, scope))

    def _add(self, place: _Place, value: str) -> None:
        self._facts.append(_Fact(place, value))

    def _visit_object(self, value: Mapping[str, Any], place: _Place, scope: _Scope) -> None:
        if "" in value:
            where = f" in {'.'.join(place.path)!r}" if place.path else ""
            raise DataError(f"has an empty key{where}", remedy="name it")
        if place.pointer and (pair := _pair(value)):
            self._visit_pair(value, pair, place, scope)
            return
        if place.pointer and (group := _group(value)):
            heading, key = group
            inside = place.child(key)._replace(words=(*place.words[:-1], heading, key))
            self._visit(value[key], inside, scope)
            return
        if _is_table(value):
            self._visit_columns(value, place, scope)
            return
        name, name_keys = _name_of(value) if place.words else (None, ())
        if not name and place.pointer in self._role_places:
            name, name_keys = _role_name(value)
        if name and not self._is_container(place, name):
            self._add(place.child(name_keys[0])._replace(words=place.words), name)
            place = place.about(name)
            self._name_places |= {(*place.pointer, key) for key in name_keys if len(name_keys) < 2}
        self._visit_children(value, place, scope)

    def _is_container(self, place: _Place, name: str) -> bool:
        """Whether an object only repeats the name of what it belongs to."""
        ours, theirs = name.casefold(), place.subject.casefold()
        if ours == theirs:
            return True
        return place.words[-1].lower() in _CONTAINERS and (ours in theirs or theirs in ours)

    def _visit_children(self, value: Mapping[str, Any], place: _Place, scope: _Scope) -> None:
        inner, used = _scope_of(value, scope)
        measure = _only_measure(value)
        for key, part in value.items():
            if not isinstance(key, str):
                raise DataError(f"has a key that is not a string: {key!r}")
            if key in used:
                continue
            child = self._place_of(key, place)
            if measure == key and place.words:
                child = child._replace(words=place.words)
            self._visit(part, child, inner)

    def _visit_pair(
        self, value: Mapping[str, Any], pair: tuple[str, str], place: _Place, scope: _Scope
    ) -> None:
        """`{name: Weight, value: 261 g}`: one fact, named by its name."""
        name_key, value_key = pair
        name = say_scalar(value[name_key])
        inner, _ = _scope_of(value, scope)
        words = (*place.words[:-1], name) if name else place.words[:-1] or place.words
        inside = place.child(value_key)._replace(words=words)
        part = value[value_key]
        if inner.unit and _number(part) is not None:
            self._add(inside, f"{say_scalar(part)} {inner.unit}")
        else:
            self._visit(part, inside, scope)

    def _visit_columns(self, value: Mapping[str, Any], place: _Place, scope: _Scope) -> None:
        """Lists of equal length, one of them of times: one row per time."""
        columns = _columns_of(value)
        rest = {key: part for key, part in value.items() if key not in columns}
        if rest:
            self._visit_children(rest, place, scope)
        moments = value[next(key for key in columns if _is_moment(key))]
        for position in range(len(moments)):
            label = self._label(place, say_scalar(moments[position]))
            self._add(place, label)
            row = place.about(label)
            for key in columns:
                cell, part = row.child(key).element(position), value[key][position]
                unit = _column_unit(value, key)
                if unit and _number(part) is not None:
                    self._add(cell, f"{say_scalar(part)} {unit}")
                else:
                    self._visit(part, cell, scope)

    def _visit_list(self, value: Sequence[Any], place: _Place, scope: _Scope) -> None:
        objects = [part for part in value if isinstance(part, Mapping) and part]
        pairs = all(_pair(part) or _group(part) for part in objects)
        alone = len(value) == 1 and not (objects and _name_of(objects[0])[0])
        if not objects or len(objects) < len(value) or pairs or (alone and place.words):
            for position, part in enumerate(value):
                self._visit(part, place.element(position), scope)
            return
        scope = scope._replace(own=False)
        for position, (subject, name_key) in enumerate(self._name_rows(objects, place)):
            row = place.element(position)
            link = row.child(name_key) if name_key else row
            words = place.words or ("row",)
            if name_key and key_words(name_key)[-1] not in _NAMES:
                words = (*words, name_key)  # `goals scorer` says more than `goals`
            self._add(link._replace(words=words), subject)
            row = row.about(subject)
            if name_key:
                self._name_places.add((*row.pointer, name_key))
            self._visit_children(objects[position], row, scope)

    def _name_rows(
        self, rows: Sequence[Mapping[str, Any]], place: _Place
    ) -> list[tuple[str, str | None]]:
        """The subject of each row, and the key of its name if it has one."""
        own = [_name_of(row) for row in rows]
        if any(name for name, _ in own):
            found = [(name, keys[0] if len(keys) == 1 else None) for name, keys in own]
        else:
            key = _naming_key(rows)
            found = [(say_scalar(row[key]), key) if key else (None, None) for row in rows]
        times = Counter(name for name, _ in found)
        mark_key = _code_key(rows) or _moment_key(rows, _TIMES) or _moment_key(rows, _NUMBERS)
        subjects: list[tuple[str, str | None]] = []
        for position, (row, (name, key)) in enumerate(zip(rows, found, strict=True), 1):
            if name is None:
                mark = say_scalar(row[mark_key]) if mark_key else str(position)
                subjects.append((self._label(place, mark), None))
            elif times[name] > 1 or name == place.subject:
                subjects.append((_numbered(name, place, position), key))
            else:
                subjects.append((name, key))
        return subjects

    def _label(self, place: _Place, mark: str) -> str:
        """A label for a thing without a name, unlike any other of the record."""
        list_name = place.words[-1] if place.words else "row"
        owner = f"{place.subject} " if place.context else ""
        label = f"{owner}{list_name} {mark}"
        if label in self._unnamed:
            label = f"{' '.join((*place.context, *place.words))} {mark}"
        plain, number = label, 2
        while label in self._unnamed:
            label, number = f"{plain} ({number})", number + 1
        self._unnamed[label] = None
        return label

    # The triples.

    def _triples(self) -> tuple[tuple[Triple, ...], tuple[str, ...]]:
        shapes: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
        for place, _ in self._facts:
            shapes[place.subject, _predicate(place.words)].add((*place.context, *place.words))
        # Where a rider is in two lists, `gap` says nothing: `results gap`, `overall gap`.
        unclear = {shape for found in shapes.values() if len(found) > 1 for shape in found}
        found: dict[Triple, str] = {}
        for place, value in self._facts:
            predicate = self._mapping.predicate(".".join(place.path))
            if predicate is None:
                whole = (*place.context, *place.words)
                predicate = " ".join(whole) if whole in unclear else _predicate(place.words)
            if value == place.subject and place.words:
                # A thing that is said to be itself, as `details: {name: …}` often does.
                self._leave(place, value, "says nothing new")
                continue
            triple, pointer = Triple(place.subject, predicate, value), pointer_of(place.pointer)
            rows = [part + 1 for part in place.pointer if isinstance(part, int)]
            if rows and found.get(triple, pointer) != pointer:
                # The same side has the same number in two rows: `sets 1`, `sets 2`.
                triple = triple._replace(predicate=f"{predicate} {rows[0]}")
            found.setdefault(triple, pointer)
        return tuple(found), tuple(found.values())


def _numbered(name: str, place: _Place, position: int) -> str:
    return f"{name} ({place.words[-1] if place.words else 'row'} {position})"


def _predicate(words: Sequence[str]) -> str:
    """The keys on the way to a value as one predicate, without those that say nothing."""
    telling = [word for word in words[:-1] if word.lower() not in _CONTAINERS]
    return " ".join([*telling, *words[-1:]]) or "value"


def _numbers(value: Any, key: str = "") -> Iterable[tuple[str, float]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _numbers(part, str(name))
    elif isinstance(value, list):
        for part in value:
            yield from _numbers(part, key)
    elif (number := _number(value)) is not None:
        yield key, number


def _mentions(text: str, value: str) -> bool:
    return bool(text) and value.strip().casefold() in text.casefold()


def _looks_like_name(value: Any) -> bool:
    """Whether a string may name a thing: words, neither a date, a number nor a sentence."""
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST_NAME:
        return False
    if not any(map(str.isalpha, value)) or value.casefold() in ("true", "false", "yes", "no"):
        return False
    if _ADDRESS.match(value) or _UUID.fullmatch(value) or _HEX.fullmatch(value):
        return False
    if re.fullmatch(r"[0-9T:.Z+\s-]*[0-9][0-9T:.Z+\s-]*(?:W[0-9]+|am|pm)?", value):
        return False
    return date_of(value) is None and quantity_of(value) is None


def _name_of(value: Mapping[str, Any]) -> tuple[str | None, tuple[str, ...]]:
    """The name of an object, and the keys that have it."""
    by_words: dict[str, str] = {}
    for key in sorted(map(str, value), key=lambda key: key not in _NAMES):
        by_words.setdefault(" ".join(key_words(key)), key)
    composed = [word for word in by_words if word.endswith(" name")]
    for words in (*_NAMES[:1], *_FULL_NAMES, *_NAMES[1:]):
        found = by_words.get(words)
        if found is not None and _is_name(value[found]):
            return say_scalar(value[found]), (found,)
    first, last = by_words.get("first name"), by_words.get("last name")
    if first and last and _is_name(value[first]) and _is_name(value[last]):
        return f"{say_scalar(value[first])} {say_scalar(value[last])}", (first, last)
    only = by_words[composed[0]] if len(composed) == 1 else None
    if only is not None and _is_name(value[only]):
        return say_scalar(value[only]), (only,)
    return None, ()


def _is_name(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip()) and not _ADDRESS.fullmatch(value)
    return False


def _role_name(value: Any) -> tuple[str | None, tuple[str, ...]]:
    """The name of an object that plays a role, such as a team, and its keys."""
    if not isinstance(value, Mapping):
        return None, ()
    name, keys = _name_of(value)
    if name:
        return name, keys
    for key, part in value.items():
        if str(key).lower() in _ROLE_NAMES and _looks_like_name(part):
            return say_scalar(part), (key,)
    return None, ()


def _flat_side(value: Mapping[str, Any], side: str) -> tuple[str, str] | None:
    """The key and the name of a side that is written flat: `home_team: Alba`."""
    for key, part in value.items():
        words = key_words(str(key))
        named = words == (side,) or (words[:1] == (side,) and words[1:] in (("team",), ("name",)))
        if (named or words == (side, "team", "name")) and _looks_like_name(part):
            return str(key), say_scalar(part)
    return None


def _naming_key(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The first key whose values are different names in all rows.

    Rows of times, such as the days of a forecast, are not named after what is so at that time.
    """
    if len(rows) < 2:
        return None
    timed = _moment_key(rows, _TIMES) is not None

    def are_names(key: str, values: Sequence[Any]) -> bool:
        if _is_moment(key) or not all(isinstance(value, str) for value in values):
            return False
        if timed and _ends_in(key, _QUALITIES):
            return False
        technical = any(why_technical(key, value) for value in values)
        return not technical and all(map(_looks_like_name, values))

    def are_words(key: str, values: Sequence[Any]) -> bool:
        return any(map(str.islower, "".join(map(str, values)))) and are_names(key, values)

    # An article number names a thing only where no words do.
    return _telling_key(rows, are_words) or _telling_key(rows, are_names)


def _code_key(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The first key whose values are different short codes with letters: `hives H1`."""

    def is_code(value: Any) -> bool:
        return isinstance(value, str) and bool(_CODE.fullmatch(value))

    return _telling_key(rows, lambda key, values: _ends_in(key, _IDS) and all(map(is_code, values)))


def _moment_key(rows: Sequence[Mapping[str, Any]], wanted: frozenset[str]) -> str | None:
    """The first key with one of some words whose values are different marks in all rows."""

    def is_mark(key: str, values: Sequence[Any]) -> bool:
        if not _ends_in(key, wanted):
            return False
        plain = all(isinstance(value, str | int | float) and value != "" for value in values)
        return plain and not any(why_technical(key, value) for value in values)

    return _telling_key(rows, is_mark)


def _telling_key(
    rows: Sequence[Mapping[str, Any]], accept: Callable[[str, Sequence[Any]], bool]
) -> str | None:
    """The first key that tells all rows apart and is accepted."""
    for key in rows[0]:
        values = [row.get(key) for row in rows]
        different = len({say_scalar(value) for value in values}) == len(values)
        if different and accept(key, values):
            return key
    return None


def _is_moment(key: str) -> bool:
    return _ends_in(key, _TIMES)


def _ends_in(key: str, wanted: frozenset[str]) -> bool:
    """Whether a key is such a word; `time_s` is a duration, not a time."""
    words = [word for word in key_words(key) if word not in _TIME_FORMS]
    return bool(words) and words[-1] in wanted


def _pair(value: Any) -> tuple[str, str] | None:
    """The keys of name and value, if an object has these two, and at most a unit beside them."""
    if not isinstance(value, Mapping) or not 2 <= len(value) <= 4:
        return None
    names = [key for key in value if str(key).lower() in _PAIR_NAMES]
    values = [key for key in value if str(key).lower() in _PAIR_VALUES]
    rest = [key for key in value if key not in names[:1] and key not in values[:1]]
    if not names or not values or names[0] == values[0]:
        return None
    if any(str(key).lower() not in _UNITS | _IDS for key in rest):
        return None
    return (names[0], values[0]) if isinstance(value[names[0]], str) else None


def _group(value: Mapping[str, Any]) -> tuple[str, str] | None:
    """The name and the key of a group of pairs: `{category: Body, specifications: [pairs]}`."""
    if len(value) != 2:
        return None
    (name_key, name), (key, part) = value.items()
    if str(name_key).lower() not in _GROUPS | {"name", "title", "label"}:
        return None
    if not isinstance(name, str) or not isinstance(part, list) or not part:
        return None
    return (name.strip(), key) if all(_pair(one) for one in part) else None


def _columns_of(value: Mapping[str, Any]) -> list[str]:
    """The keys of lists of values that have the length of the list of times."""
    times = next(
        (part for key, part in value.items() if _is_moment(str(key)) and _is_column(part)), None
    )
    if times is None:
        return []
    return [key for key, part in value.items() if _is_column(part) and len(part) == len(times)]


def _is_column(part: Any) -> bool:
    return (
        isinstance(part, list)
        and len(part) > 1
        and not any(isinstance(one, list | Mapping) for one in part)
    )


def _is_table(value: Mapping[str, Any]) -> bool:
    return len(_columns_of(value)) > 1


def _column_unit(value: Mapping[str, Any], key: str) -> str | None:
    """The unit of a column, where units are listed beside the columns."""
    for name, units in value.items():
        if isinstance(units, Mapping) and "units" in key_words(str(name)):
            unit = units.get(key)
            return unit if isinstance(unit, str) else None
    return None


def _scope_of(value: Mapping[str, Any], scope: _Scope) -> tuple[_Scope, frozenset[str]]:
    """The unit and currency within an object, and the keys that need not be facts of their own."""
    unit, currency, own, used = scope.unit, scope.currency, False, set()
    for key, part in value.items():
        name = str(key).lower()
        if not isinstance(part, str) or not part.strip():
            continue
        if name in _UNITS and any(_takes_unit(value, one) for one in value):
            unit, own = part.strip(), True
            used.add(key)
        elif name in _UNITS:
            unit = part.strip()
        elif name in _CURRENCIES and _CURRENCY.fullmatch(part.strip()):
            currency = part.strip()
            if any(_takes_currency(str(one), value[one]) for one in value):
                used.add(key)
    if unit and currency and {str(key).lower() for key in used} & _UNITS and _only_measure(value):
        unit = f"{unit} {currency}"
        used |= {key for key in value if str(key).lower() in _CURRENCIES}
        currency = None
    return _Scope(unit, currency, own), frozenset(used)


def _takes_unit(value: Mapping[str, Any], key: str) -> bool:
    return str(key).lower() in _AMOUNTS | _LIMITS and _number(value[key]) is not None


def _takes_currency(key: str, value: Any) -> bool:
    words = frozenset(key_words(key))
    amount = words & _MONEY or key.lower() in _AMOUNTS | _LIMITS
    return bool(amount) and not words & _NOT_MONEY and _number(value) is not None


def _only_measure(value: Mapping[str, Any]) -> str | None:
    """The key of the amount, if an object has an amount and otherwise its unit or currency."""
    amounts = [key for key in value if _takes_unit(value, key)]
    rest = [key for key in value if key not in amounts]
    if len(amounts) != 1 or str(amounts[0]).lower() not in _AMOUNTS or not rest:
        return None
    others = _UNITS | _CURRENCIES | _IDS
    return amounts[0] if all(str(key).lower() in others for key in rest) else None


def _with_unit(key: str, value: Any, written: str, scope: _Scope) -> str:
    if _number(value) is None:
        return written
    if scope.unit and key.lower() in (_AMOUNTS | _LIMITS if scope.own else _AMOUNTS):
        return f"{written} {scope.unit}"
    if scope.currency and _takes_currency(key, value):
        return f"{written} {scope.currency}"
    return written
