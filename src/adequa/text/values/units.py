"""Units of measure and currencies: their spellings, dimensions and conversion factors.

Hand-written: `pint` parses unit expressions, but does not find units in running text, and knows
neither currencies nor DBpedia's spellings (`squareKilometres`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit of measure; (value + offset) * factor is a value in the base unit."""

    name: str
    dimension: str
    factor: float
    offset: float = 0.0

    def base(self, value: float) -> float:
        """The value in the base unit of the dimension."""
        return (value + self.offset) * self.factor


# name: (factor, singular words, symbols); plurals are derived, except for words that end in =.
_LENGTHS = {
    "metre": (1.0, "metre meter", "m"),
    "kilometre": (1e3, "kilometre kilometer", "km kms"),
    "centimetre": (1e-2, "centimetre centimeter", "cm cms"),
    "millimetre": (1e-3, "millimetre millimeter", "mm"),
    "micrometre": (1e-6, "micrometre micrometer micron", "µm μm"),
    "nanometre": (1e-9, "nanometre nanometer", "nm"),
    "inch": (0.0254, "inch inches=", "in"),
    "foot": (0.3048, "foot= feet=", "ft"),
    "yard": (0.9144, "yard", "yd yds"),
    "mile": (1609.344, "mile", "mi"),
}
_OTHERS = {
    "length": {
        "nautical mile": (1852.0, "nautical_mile", "nmi"),
        "astronomical unit": (149597870700.0, "astronomical_unit", "AU"),
        "light-year": (9.4607304725808e15, "light_year", "ly"),
    },
    "mass": {
        "gram": (1e-3, "gram gramme", "g"),
        "kilogram": (1.0, "kilogram kilogramme kilo", "kg kgs"),
        "milligram": (1e-6, "milligram milligramme", "mg"),
        "tonne": (1e3, "tonne metric_ton metric_tonne", "t"),
        "ton": (907.18474, "ton short_ton", ""),
        "pound": (0.45359237, "pound", "lb lbs"),
        "ounce": (0.028349523125, "ounce", "oz"),
    },
    "time": {
        "second": (1.0, "second sec", ""),
        "millisecond": (1e-3, "millisecond", "ms"),
        "minute": (60.0, "minute", "min mins"),
        "hour": (3600.0, "hour", "h hr hrs"),
        "day": (86400.0, "day", ""),
        "week": (604800.0, "week", ""),
        "month": (2629800.0, "month", ""),
        "year": (31557600.0, "year", ""),
    },
    "area": {"acre": (4046.8564224, "acre", ""), "hectare": (1e4, "hectare", "ha")},
    "volume": {
        "litre": (1e-3, "litre liter", "l L"),
        "millilitre": (1e-6, "millilitre milliliter", "ml mL"),
        "US gallon": (3.785411784e-3, "gallon us_gallon", "gal"),
        "imperial gallon": (4.54609e-3, "imperial_gallon", ""),
    },
    "speed": {"knot": (1852 / 3600, "knot", "kn")},
    "density": {
        "kilogram per cubic metre": (1.0, "kilogram_per_cubic_metre", "kg/m³ kg/m3"),
        "gram per cubic centimetre": (1e3, "gram_per_cubic_centimetre", "g/cm³ g/cm3"),
    },
    "power": {
        "watt": (1.0, "watt", "W"),
        "kilowatt": (1e3, "kilowatt", "kW"),
        "megawatt": (1e6, "megawatt", "MW"),
        "horsepower": (745.7, "horsepower=", "hp bhp"),
    },
    "share": {"percent": (0.01, "percent= per_cent= percentage=", "%")},
    "angle": {"degree": (1.0, "degree", "°")},
}
_TEMPERATURES = {
    "kelvin": (1.0, 0.0, "kelvin degree_kelvin degrees_kelvin=", "K"),
    "degree Celsius": (1.0, 273.15, "celsius= degree_celsius= degrees_celsius=", "°C °c"),
    "degree Fahrenheit":
        (5 / 9, 459.67, "fahrenheit= degree_fahrenheit= degrees_fahrenheit=", "°F"),
}  # fmt: skip
# No exchange rates: every currency is a dimension of its own.
_CURRENCIES = {
    "US dollar":
        ("dollar us_dollar american_dollar united_states_dollar u.s._dollar usd=", "$ US$"),
    "Australian dollar": ("australian_dollar aud=", "A$ AU$"),
    "Canadian dollar": ("canadian_dollar cad=", "C$ CA$"),
    "Hong Kong dollar": ("hong_kong_dollar hkd=", "HK$"),
    "Singapore dollar": ("singapore_dollar sgd=", "S$"),
    "euro": ("euro eur=", "€"),
    "pound sterling": ("pound_sterling= pounds_sterling= british_pound gbp=", "£"),
    "yen": ("yen= japanese_yen= jpy=", "¥"),
    "Indian rupee": ("rupee indian_rupee inr=", "₹"),
    "yuan": ("yuan= renminbi= cny=", ""),
    "Swiss franc": ("swiss_franc chf=", ""),
}  # fmt: skip

UNITS: dict[str, Unit] = {}
_named: dict[str, str] = {}  # squeezed lower-case words -> canonical name
_symbols: dict[str, str] = {}  # as written -> canonical name
_spellings: set[str] = set()

_SQUEEZED_OUT = re.compile(r"[\s_.-]+")
_LETTER = r"(?![^\W_])"
_INHABITANTS = r"(?:inhabitants?|people|persons?|residents?)"
_PER = re.compile(rf"(?:{_INHABITANTS}\s{{0,2}})?(?:per\s{{0,2}}|/\s?)")
_SQUEEZED_PER = re.compile(rf"{_INHABITANTS}?(?:per|/)(.+)")


def _squeeze(name: str) -> str:
    return _SQUEEZED_OUT.sub("", name.lower())


def _add(unit: Unit, words: Iterable[str], symbols: str) -> None:
    UNITS[unit.name] = unit
    for word in words:
        _spellings.add(word)
        _named.setdefault(_squeeze(word), unit.name)
    for symbol in symbols.split():
        _symbols.setdefault(symbol, unit.name)


def _forms(words: str) -> list[str]:
    """Singular and plural of each word; a word that ends in = has only one form."""
    forms: list[str] = []
    for word in words.split():
        word = word.replace("_", " ")
        # "kilogram per cubic metre" has its plural at either end, or none: DBpedia writes all.
        head, per, rest = word.rstrip("=").partition(" per ")
        heads = [head] if word.endswith("=") else [head, head + "s"]
        rests = [rest, rest + "s", rest.replace("metre", "meter")] if per else [""]
        forms += [h + per + r for h in heads for r in rests]
    return forms


def _fill() -> None:
    for name, (factor, words, symbols) in _LENGTHS.items():
        forms, signs = _forms(words), symbols.split()
        _add(Unit(name, "length", factor), forms, symbols)
        square = [f"{before} {form}" for form in forms for before in ("square", "sq", "sq.")]
        square += [f"{form} squared" for form in forms]
        square += [f"{before} {sign}" for sign in signs for before in ("square", "sq", "sq.")]
        signs_2 = " ".join(f"{sign}{end}" for sign in signs for end in ("²", "2", "^2"))
        _add(Unit(f"square {name}", "area", factor**2), square, signs_2)
        cubic = [f"{before} {form}" for form in forms for before in ("cubic", "cu", "cu.")]
        cubic += [f"cu {sign}" for sign in signs]
        signs_3 = " ".join(f"{sign}{end}" for sign in signs for end in ("³", "3", "^3"))
        _add(Unit(f"cubic {name}", "volume", factor**3), cubic, signs_3)
        for per, seconds, ends in (("second", 1, "/s"), ("hour", 3600, "/h /hr")):
            ways = [f"{join} {per}{s}" for join in ("per", "an") for s in ("", "s")]
            speed = [f"{form} {way}" for form in forms for way in ways]
            signs_t = " ".join(f"{sign}{end}" for sign in signs for end in ends.split())
            _add(Unit(f"{name} per {per}", "speed", factor / seconds), speed, signs_t)
    for dimension, units in _OTHERS.items():
        for name, (factor, words, symbols) in units.items():
            _add(Unit(name, dimension, factor), _forms(words), symbols)
    for name, (factor, offset, words, symbols) in _TEMPERATURES.items():
        _add(Unit(name, "temperature", factor, offset), _forms(words), symbols)
    for name, (words, symbols) in _CURRENCIES.items():
        _add(Unit(name, name, 1.0), _forms(words), symbols)
    _symbols["mph"], _symbols["cc"] = "mile per hour", "cubic centimetre"
    _symbols["kph"] = _symbols["kmh"] = "kilometre per hour"
    for area in [unit for unit in UNITS.values() if unit.dimension == "area"]:
        name = f"inhabitant per {area.name}"
        UNITS[name] = Unit(name, "population density", 1 / area.factor)


_fill()


def _alternatives(spellings: Iterable[str], space: str = " ") -> re.Pattern[str]:
    longest_first = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
    escaped = (space.join(map(re.escape, spelling.split(" "))) for spelling in longest_first)
    return re.compile(f"(?:{'|'.join(escaped)}){_LETTER}")


# One pattern per first letter, compiled at first use: a unit is looked for after every number, few
# words are units, and compiling all patterns at once would take longer than importing the rest.
@cache
def _words(first: str) -> re.Pattern[str] | None:
    spellings = [spelling for spelling in _spellings if spelling[0] == first]
    return _alternatives(spellings, r"[\s-]{0,2}") if spellings else None


# "born 5 in a family", "runway 18L", "5K": symbols that are not a unit here.
@cache
def _signs(glued: bool) -> re.Pattern[str]:
    refused = {"L", "K", "W", "AU"} if glued else {"in"}
    return _alternatives(symbol for symbol in _symbols if symbol not in refused)


_FIRSTS = frozenset(spelling[0] for spelling in _spellings)


def _match_plain(text: str, lower: str, position: int, glued: bool) -> tuple[str, int] | None:
    first = lower[position : position + 1]
    pattern = _words(first) if first in _FIRSTS else None
    match = pattern.match(lower, position) if pattern else None
    sign = _signs(glued).match(text, position)
    if match and (sign is None or match.end() >= sign.end()):
        return _named[_squeeze(match[0])], match.end()
    return (_symbols[sign[0]], sign.end()) if sign else None


def match_unit(text: str, lower: str, position: int, *, glued: bool) -> tuple[str, int] | None:
    """The unit that begins at a position of a text, and its end; `lower` is the text lowered."""
    if per := _PER.match(lower, position):
        area = _match_plain(text, lower, per.end(), False)
        if area and UNITS[area[0]].dimension == "area":
            return f"inhabitant per {area[0]}", area[1]
    return _match_plain(text, lower, position, glued)


def unit_named(name: str) -> str | None:
    """The canonical name of a unit in any spelling, including DBpedia's `squareKilometres`."""
    name = name.strip()
    if name in _symbols:
        return _symbols[name]
    squeezed = _squeeze(name)
    if squeezed in _named or squeezed in _symbols:
        return _named.get(squeezed) or _symbols[squeezed]
    if (match := _SQUEEZED_PER.fullmatch(squeezed)) and (area := unit_named(match[1])):
        return f"inhabitant per {area}" if UNITS[area].dimension == "area" else None
    return None


_BRACKETS = re.compile(r"\((?:in[\s_]+)?([^()]{1,60})\)")
_IN = re.compile(r"[\s_]in[\s_]+([^()]{1,60})$")


def unit_in(name: str) -> str | None:
    """The unit in a predicate: `elevation_(in_metres)`, `length (feet)`, `height in cm`."""
    for match in (*_BRACKETS.finditer(name), *_IN.finditer(name[-80:])):
        if unit := unit_named(match[1]):
            return unit
    return "percent" if name.lower().startswith("percent") else None


_LITERAL = re.compile(r"(?P<quote>[\"'])(?P<text>.*)(?P=quote)(?P<rest>[^\"']*)", re.DOTALL)
_SUFFIX = re.compile(r"\s*(?:\^\^<?(?:[^<>\s]*[/#:])?(?P<type>[^<>\s/#:]+)>?|@[A-Za-z-]{2,20})\s*")


def literal_of(string: str) -> tuple[str, str | None]:
    """A data value without its quotes, and the local name of its datatype, if any."""
    string = string.strip()
    datatype = None
    # Only the last ^^ or @ can begin a datatype or a language.
    cut = max(string.rfind("^^"), string.rfind("@"))
    if cut >= 0 and len(string) - cut < 300 and (match := _SUFFIX.fullmatch(string, cut)):
        string, datatype = string[:cut].strip(), match["type"]
    if match := _LITERAL.fullmatch(string):
        rest = match["rest"].strip()
        string = match["text"].strip() + (f" {rest}" if rest else "")
    return string, datatype


def lowered(text: str) -> str:
    """A text in lower case with the same offsets (İ would become two characters)."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)
