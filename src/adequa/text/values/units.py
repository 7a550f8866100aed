"""Units of measure and currencies: their spellings, dimensions and conversion factors.

Hand-written: `pint` parses unit expressions, but does not find units in running text, and knows
neither currencies nor DBpedia's spellings (`squareKilometres`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from adequa.text.languages import Language
from adequa.text.sentences import word_set


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
    "decimetre": (1e-1, "decimetre decimeter", "dm"),
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
        "microgram": (1e-9, "microgram", "µg μg mcg"),
        "carat": (2e-4, "carat", ""),
        "megatonne": (1e9, "megatonne", ""),
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
        "fortnight": (1209600.0, "fortnight", ""),
        "decade": (315576000.0, "decade", ""),
        "century": (3155760000.0, "century= centuries=", ""),
        "million years": (3.15576e13, "million_years=", "Myr"),
        "billion years": (3.15576e16, "billion_years=", "Gyr"),
    },
    "area": {"acre": (4046.8564224, "acre", ""), "hectare": (1e4, "hectare", "ha")},
    "volume": {
        "litre": (1e-3, "litre liter", "l L"),
        "millilitre": (1e-6, "millilitre milliliter", "ml mL"),
        "US gallon": (3.785411784e-3, "gallon us_gallon", "gal"),
        "imperial gallon": (4.54609e-3, "imperial_gallon", ""),
        "centilitre": (1e-5, "centilitre centiliter", "cl cL"),
        "decilitre": (1e-4, "decilitre deciliter", "dl dL"),
        "hectolitre": (0.1, "hectolitre hectoliter", "hl hL"),
        "megalitre": (1e3, "megalitre megaliter", "ML"),
        "cubic hectometre": (1e6, "cubic_hectometre cubic_hectometer", "hm³ hm3"),
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
        "gigawatt": (1e9, "gigawatt", "GW"),
        "horsepower": (745.7, "horsepower=", "hp bhp"),
    },
    "energy": {
        "joule": (1.0, "joule", ""),
        "kilojoule": (1e3, "kilojoule", "kJ"),
        "megajoule": (1e6, "megajoule", "MJ"),
        "kilocalorie": (4184.0, "kilocalorie calorie", "kcal Kcal cal"),
        "watt-hour": (3600.0, "watt_hour", "Wh"),
        "kilowatt-hour": (3.6e6, "kilowatt_hour", "kWh KWh kwh"),
        "megawatt-hour": (3.6e9, "megawatt_hour", "MWh"),
        "gigawatt-hour": (3.6e12, "gigawatt_hour", "GWh"),
        "terawatt-hour": (3.6e15, "terawatt_hour", "TWh"),
    },
    "electric charge": {
        "milliampere-hour": (1e-3, "milliampere_hour milliamp_hour", "mAh mah"),
        "ampere-hour": (1.0, "ampere_hour amp_hour", "Ah"),
    },
    "voltage": {
        "volt": (1.0, "volt", "V"),
        "millivolt": (1e-3, "millivolt", "mV"),
        "kilovolt": (1e3, "kilovolt", "kV"),
    },
    "apparent power": {"kilowatt peak": (1.0, "kilowatt_peak", "kWp")},
    "frequency": {
        "hertz": (1.0, "hertz=", "Hz hz"),
        "kilohertz": (1e3, "kilohertz=", "kHz"),
        "megahertz": (1e6, "megahertz=", "MHz Mhz"),
        "gigahertz": (1e9, "gigahertz=", "GHz Ghz"),
        "revolution per minute": (1 / 60, "revolution_per_minute", "rpm"),
    },
    "pressure": {
        "pascal": (1.0, "pascal", ""),
        "hectopascal": (100.0, "hectopascal millibar", "hPa hpa mbar"),
        "kilopascal": (1e3, "kilopascal", "kPa"),
        "bar": (1e5, "bar=", ""),
        "millimetre of mercury": (133.322, "millimetre_of_mercury=", "mmHg"),
        "pound per square inch": (6894.757, "pound_per_square_inch", "psi"),
    },
    "data": {
        "kilobyte": (1e3, "kilobyte", "KB kB"),
        "megabyte": (1e6, "megabyte", "MB"),
        "gigabyte": (1e9, "gigabyte", "GB"),
        "terabyte": (1e12, "terabyte", "TB"),
    },
    "data rate": {
        "kilobit per second": (1e3, "kilobit_per_second", "kbps kbit/s"),
        "megabit per second": (1e6, "megabit_per_second", "Mbps Mbit/s"),
        "gigabit per second": (1e9, "gigabit_per_second", "Gbps Gbit/s"),
    },
    "pixels": {"pixel": (1.0, "pixel", "px"), "megapixel": (1e6, "megapixel", "MP")},
    "pixel density": {"pixel per inch": (1.0, "pixel_per_inch", "ppi")},
    "frame rate": {"frame per second": (1.0, "frame_per_second", "fps")},
    "luminance": {"nit": (1.0, "nit", "nits")},
    "sound level": {"decibel": (1.0, "decibel", "dB")},
    "torque": {"newton metre": (1.0, "newton_metre newton_meter", "Nm")},
    "amount of substance": {
        "mole": (1.0, "mole", "mol"),
        "millimole": (1e-3, "millimole", "mmol"),
        "micromole": (1e-6, "micromole", "µmol μmol"),
    },
    "share": {
        "percent": (0.01, "percent= per_cent= percentage=", "%"),
        "percentage point": (0.01, "percentage_point", ""),
    },
    "cents": {"cent": (1.0, "cent centime pence= penny=", "¢")},
    "angle": {"degree": (1.0, "degree", "°")},
}
_TEMPERATURES = {
    "kelvin": (1.0, 0.0, "kelvin degree_kelvin degrees_kelvin=", "K"),
    "degree Celsius": (1.0, 273.15, "celsius= degree_celsius= degrees_celsius=", "°C °c"),
    "degree Fahrenheit":
        (5 / 9, 459.67, "fahrenheit= degree_fahrenheit= degrees_fahrenheit=", "°F"),
}  # fmt: skip
# No exchange rates: every currency is a dimension of its own.
CURRENCIES = {
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
    "Swiss franc": ("swiss_franc franc chf=", ""),
    "New Zealand dollar": ("new_zealand_dollar nzd=", "NZ$"),
    "Norwegian krone": ("norwegian_krone= norwegian_kroner= nok=", ""),
    "Swedish krona": ("swedish_krona= swedish_kronor= krona= kronor= sek=", ""),
    "Danish krone": ("danish_krone= danish_kroner= krone= kroner= dkk=", ""),
    "Polish zloty": ("zloty polish_zloty pln=", ""),
    "Czech koruna": ("czech_koruna czech_crown koruna= korun= czk=", ""),
    "Hungarian forint": ("forint hungarian_forint huf=", ""),
    "Korean won": ("south_korean_won= korean_won= krw=", "₩"),
    "Brazilian real": ("brazilian_real= brazilian_reais= brl=", "R$"),
    "Mexican peso": ("mexican_peso mxn=", ""),
    "South African rand": ("south_african_rand= zar=", ""),
    "Turkish lira": ("turkish_lira lira=", "₺"),
    "Russian rouble": ("rouble ruble russian_rouble russian_ruble", "₽"),
    "shekel": ("shekel israeli_shekel ils=", "₪"),
    "dirham": ("dirham aed=", ""),
    "baht": ("baht= thb=", "฿"),
    "bitcoin": ("bitcoin btc=", "₿"),
}  # fmt: skip

CURRENCY_CODES = frozenset(
    code[:-1]
    for words, _ in CURRENCIES.values()
    for code in words.split()
    if len(code) == 4 and code[-1] == "="
)
"""The codes of currencies in lower case: eur, usd."""

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
    for name, (words, symbols) in CURRENCIES.items():
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


_OPENING = 3
"""Letters by which the words of units are told apart; shorter first words by all of theirs."""
_BY_OPENING: dict[str, list[str]] = {}
for _spelling in _spellings:
    _BY_OPENING.setdefault(_spelling.partition(" ")[0][:_OPENING], []).append(_spelling)


# One pattern per opening, compiled at first use: a unit is looked for after every number, few words
# are units, and compiling all patterns at once would take longer than importing the rest.
@cache
def _words(openings: tuple[str, ...]) -> re.Pattern[str]:
    spellings = [spelling for opening in openings for spelling in _BY_OPENING[opening]]
    return _alternatives(spellings, r"[\s-]{0,2}")


_SIGN_LETTERS = frozenset(symbol[0] for symbol in _symbols)


# "born 5 in a family", "runway 18L", "5K": symbols that are not a unit here.
@cache
def _signs(first: str, glued: bool) -> re.Pattern[str]:
    refused = {"L", "K", "W", "AU"} if glued else {"in"}
    return _alternatives(
        symbol for symbol in _symbols if symbol[0] == first and symbol not in refused
    )


def _match_plain(text: str, lower: str, position: int, glued: bool) -> tuple[str, int] | None:
    letters = lower[position : position + _OPENING]
    openings = [one for one in (letters[:1], letters[:2], letters) if one in _BY_OPENING]
    match = _words((*dict.fromkeys(openings),)).match(lower, position) if openings else None
    first = text[position : position + 1]
    sign = _signs(first, glued).match(text, position) if first in _SIGN_LETTERS else None
    if match and (sign is None or match.end() >= sign.end()):
        return _named[_squeeze(match[0])], match.end()
    return (_symbols[sign[0]], sign.end()) if sign else None


@cache
def _units_of(language: Language) -> tuple[re.Pattern[str], list[str]]:
    """The pattern of the units of a language, each in a group, and their canonical names."""
    words = "|".join(f"({pattern})" for pattern in language.units.values())
    return re.compile(rf"(?:d['’]|d[eio]\s)?(?:{words}){_LETTER}"), [*language.units]


def match_unit(
    text: str, lower: str, position: int, *, glued: bool, language: Language | None = None
) -> tuple[str, int] | None:
    """The unit that begins at a position of a text, and its end; `lower` is the text lowered."""
    if language is not None:
        pattern, names = _units_of(language)
        if (match := pattern.match(lower, position)) and match.lastindex is not None:
            return names[match.lastindex - 1], match.end()
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


# Endings of keys that are units only there; None stands for those that need a look at the others.
_KEY_UNITS = {
    "g": "gram", "m": "metre", "s": "second", "h": "hour", "d": "day", "l": "litre", "t": "tonne",
    "w": "watt", "v": "volt", "kv": "kilovolt", "kw": "kilowatt", "mw": "megawatt",
    "gw": "gigawatt", "mbps": "megabit per second", "gbps": "gigabit per second",
    "wh": "watt-hour", "kwh": "kilowatt-hour", "mwh": "megawatt-hour", "gwh": "gigawatt-hour",
    "twh": "terawatt-hour", "kwp": "kilowatt peak", "sec": "second", "secs": "second",
    "pct": "percent", "perc": "percent", "prct": "percent", "percent": "percent",
    "percentage": "percent", "pp": "percentage point", "ppi": "pixel per inch",
    "masl": "metre", "sqm": "square metre", "sqft": "square foot", "sqkm": "square kilometre",
    "sqmi": "square mile", "mps": "metre per second", "kph": "kilometre per hour",
    "kmh": "kilometre per hour", "kmph": "kilometre per hour", "mph": "mile per hour",
    "kt": "knot", "kts": "knot", "kn": "knot", "deg": "degree", "degrees": "degree",
    "ml": "millilitre", "gb": "gigabyte", "mb": "megabyte", "kb": "kilobyte", "tb": "terabyte",
    "hz": "hertz", "khz": "kilohertz", "mhz": "megahertz", "ghz": "gigahertz", "px": "pixel",
    "hpa": "hectopascal", "kpa": "kilopascal", "celsius": "degree Celsius", "db": "decibel",
    "fahrenheit": "degree Fahrenheit", "kelvin": "kelvin", "rub": "Russian rouble",
    "ccm": "cubic centimetre", "cbm": "cubic metre", "mp": "megapixel", "nm": "nanometre",
    "ct": "cent", "cents": "cent", "pence": "cent", "ly": "light-year", "yrs": "year", "yr": "year",
    "myr": "million years", "gyr": "billion years",
    "ppm": None, "min": None, "mins": "minute", "c": None, "f": None, "k": None, "in": None,
    "ms": None, "year": None, "month": None, "week": None, "day": None, "hour": None,
    "minute": None, "second": None, "try": None, "pound": None, "mile": None, "degree": None,
    "real": None, "all": None, "cal": "kilocalorie",
}  # fmt: skip
_TEMPERATURE_WORDS = word_set(
    "temp temps temperature temperatures t high low feels dew air water sea oven boiling melting "
    "heat hardiness surface ambient body bean tmax tmin"
)
_MONEY_WORDS = word_set(
    "price prices cost costs fee fees revenue income profit budget salary wage rent amount total "
    "subtotal deposit tax vat turnover sales funding debt paid payment balance discount tip value "
    "premium fine loan jackpot prize raised goal viewers users subscribers views population"
)
_LENGTH_WORDS = word_set(
    "height width length depth diameter screen display size rain rainfall snow snowfall "
    "precipitation thickness waist inseam wheel"
)
_LEAST_WORDS = word_set(
    "temp temperature price age salary score qty quantity order height width depth load "
    "rating pressure humidity wind speed stock value range rate cost limit size level bid area "
    "budget weight power hardiness t guests hardness"
)
"""Words before `min` that make it a minimum rather than minutes."""
_DIMENSIONS = {
    "temperature": "temp temperature feels dewpoint",
    "money": "price cost fee revenue salary wage rent deposit amount balance discount premium fare "
    "tax vat net gross hammer bid payout budget turnover payment jackpot tip subtotal",
    "mass": "weight mass",
    "length": "height width length depth distance elevation altitude diameter thickness",
    "time": "age duration runtime",
    "speed": "speed gust gusts velocity",
    "pressure": "pressure",
    "share": "humidity clouds cloud cloudiness",
    "count": "population votes goals seats count qty quantity visitors attendance pages rooms "
    "bedrooms bathrooms children adults people persons passengers rank position points players "
    "reviews ratings users citations units pieces inhabitants households id year lot number lane "
    "bids beds calls bottles starters finishers floor docks",
}
_EXPECTED = {word: name for name, words in _DIMENSIONS.items() for word in words.split()}


def dimension_of_key(key: str) -> str | None:
    """What a field without a unit measures, by its name: `money`, `length`, `count` and so on.

    >>> dimension_of_key("unitPrice"), dimension_of_key("seatsSold"), dimension_of_key("value")
    ('money', 'count', None)
    """
    words = words_of_key(parts_of_key(key)[-1])
    found = {_EXPECTED.get(word) or _EXPECTED.get(word.removesuffix("s")) for word in words}
    known = found - {None}
    return next(iter(known)) if len(known) == 1 else None


_FAR_WORDS = word_set("vis visibility distance dist range sailed route leg offshore course effort")
_TINY_WORDS = word_set(
    "wavelength wave wl lambda laser led light peak emission excitation absorbance absorption "
    "spectral spectrum band bandwidth filter particle particles pore film thickness roughness "
    "resolution node process size diameter radius lattice spacing line centre center"
)
"""Words before `nm` that make it nanometres rather than nautical miles."""
_SPEED_WORDS = word_set("wind speed gust gusts velocity current")
_PLURAL_TIMES = word_set("seconds minutes hours days weeks months years")


def unit_of_key(key: str) -> str | None:
    """The canonical name of the unit that the name of a field ends with, if any.

    `temp_max_c`, `weightInGrams`, `price_eur`, `distanceKm`, `length (feet)`, `area_km2`; a year or
    one qualifying word may follow (`co2_t_2023`, `installed_mw_el`), and the object around a field
    may name the unit of all its fields (`admission_eur.adult`).

    >>> unit_of_key("weight_g"), unit_of_key("priceEur"), unit_of_key("temp_min")
    ('gram', 'euro', None)
    """
    if unit := unit_in(key):
        return unit
    if rate := _PER_UNIT.search(key):  # `Rent €/m²` is money, `sugar g/l` a mass
        return unit_named(rate[0].strip(" _()")) or unit_named(rate[1])
    *around, last = parts_of_key(key)
    if last.lower() == "nm" and _FAR_WORDS.intersection(words_of_key("_".join(around))):
        return "nautical mile"
    if unit := _unit_of_part(last):
        return unit
    # `days: {calls: 5}` are calls, so an object's name must be more than a unit.
    named = [part for part in reversed(around) if len(words_of_key(part)) > 1]
    return next((unit for part in named if (unit := _unit_of_part(part))), None)


_PER_UNIT = re.compile(r"(?:^|[\s_(])([^\s_()/.]{1,5})/([^\s_()/.]{1,5})\)?$")


def parts_of_key(key: str) -> list[str]:
    """The keys of a path with dots or slashes; a dot in a number does not count.

    >>> parts_of_key("wind.speed_ms"), parts_of_key("Sound 3.5mm jack")
    (['wind', 'speed_ms'], ['Sound 3.5mm jack'])
    """
    return [part for part in _PATH.split(key) if part] or [""]


_PATH = re.compile(r"[./](?!s$|[0-9])")


_MILLIONS = re.compile(r"[a-z]_M$")
"""`reads_M` are millions, `LENGTH_M` and `span_m` metres."""


def _unit_of_part(part: str) -> str | None:
    if _MILLIONS.search(part):
        return None
    words = words_of_key(part)
    while len(words) > 1 and words[-1].isdigit() and words[-2] not in ("km", "m", "cm", "mm"):
        words = words[:-1]
    for end in (len(words), len(words) - 1):
        for start in range(max(0, end - 4), end):
            rest, tail = words[:start], words[start:end]
            unit = _key_unit(rest, tail)
            if unit is None or (end < len(words) and (not rest or len("".join(tail)) < 2)):
                continue
            # `ct_kWh` and `eur_month` are money; so is `eur_per_kg`, but `ore_per_kwh` is unknown.
            paid = _key_unit(rest[:-1], rest[-1:]) if len(rest) > 1 else None
            if paid is not None and (paid == "cent" or UNITS[paid].dimension in CURRENCIES):
                return paid
            if paid is not None and _is_rate(paid, unit, tail):
                return paid
            if rest[-1:] != ["per"]:
                return unit
    if words and words[0] in _PLURAL_TIMES:
        return unit_named(words[0])
    return next((unit_named(word) for word in words[:1] if word in CURRENCY_CODES), None)


_PER_WORDS = word_set("kg ha l ml dl m2 m3 km2 h hr min s day")
_OF_RATES = frozenset({"mass", "volume", "amount of substance"})


def _is_rate(above: str, below: str, tail: list[str]) -> bool:
    """Whether two units at the end of a key are a rate: `lime_t_ha`, `P_mg_kg`, `pump_l_min`."""
    word = "".join(tail).lower()
    kind = UNITS[above].dimension
    apart = kind != UNITS[below].dimension or word == "kg"
    return apart and kind in _OF_RATES and word in _PER_WORDS


def words_of_key(key: str) -> list[str]:
    """The words of a key in lower case, a symbol with capitals (`kWh`, `ML`) as it is."""
    words: list[str] = []
    for chunk in re.findall(r"[^\W_]+|[%°]", key):
        if chunk in _symbols and not chunk.islower():
            words.append(chunk)
            continue
        # `maxKw`, `energyKWh`: a symbol at the end of a word in camel case.
        if end := _SYMBOL_END.search(chunk):
            words += [*split_words(chunk[: end.start()]), end[0]]
        else:
            words += split_words(chunk)
    return words


_SYMBOL_END = re.compile(r"(?<=[a-z])(?:[KMGT]Wh|[kKMGT]W|kWp|[kMG]Hz|hPa|kPa|MB|GB|mAh)$")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")


def split_words(chunk: str) -> list[str]:
    """The words of a name in camel case, in lower case.

    >>> split_words("avgWaitSec"), split_words("priceEUR")
    (['avg', 'wait', 'sec'], ['price', 'eur'])
    """
    return _WORD_START.sub(" ", chunk).lower().split()


_TOGETHER: dict[tuple[str, ...], str] = {
    ("km", "h"): "kilometre per hour", ("m", "s"): "metre per second",
    ("km", "2"): "square kilometre",
    ("m", "2"): "square metre", ("m", "3"): "cubic metre", ("sq", "m"): "square metre",
    ("sq", "km"): "square kilometre", ("sq", "ft"): "square foot", ("kw", "h"): "kilowatt-hour",
}  # fmt: skip


def _key_unit(rest: list[str], tail: list[str]) -> str | None:
    """The unit that some words of a key name, after the words `rest`."""
    if len(tail) > 1:
        if tail[0] == "in" and rest:
            return _key_unit(rest, tail[1:])
        if "per" in tail[1:-1]:
            return _key_unit(rest or ["amount"], tail[: tail.index("per", 1)])
        joined = " ".join(tail)
        return _TOGETHER.get(tuple(tail)) or (unit_named(joined) if len(joined) > 4 else None)
    word = tail[0]
    if not word.islower() and word in _symbols:
        return _symbols[word] if rest or len(word) > 1 else None
    word = word.lower()
    if not rest:  # a key that is nothing but a unit: "km"; one letter is a name, `px` a price
        if len(word) == 1 or word == "px":
            return None
        return _KEY_UNITS[word] if word in _KEY_UNITS else unit_named(word)
    before = {*rest}
    warm = bool(before & _TEMPERATURE_WORDS) or rest[-1].endswith("temp")
    unsure = {
        "c": "degree Celsius" if warm else None,
        "f": "degree Fahrenheit" if warm else None,
        "k": "kelvin" if warm else None,
        "min": None if rest[-1] in _LEAST_WORDS or rest[-1].endswith("s") else "minute",
        "in": "inch" if before & _LENGTH_WORDS else None,
        "ms": "metre per second" if before & _SPEED_WORDS else "millisecond",
        "m": None if before & _MONEY_WORDS else "metre",
        "nm": "newton metre"
        if before & {"torque", "moment"}
        else "nanometre"
        if before & _TINY_WORDS
        else "nautical mile",
    }
    if word in unsure:
        return unsure[word]
    return _KEY_UNITS[word] if word in _KEY_UNITS else unit_named(word)


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
