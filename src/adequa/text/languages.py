"""The languages that `esa` reads besides English, one `Language` each, and which one a text is in.

Everything that depends on the language of a text is here: months, number words, separators,
units, negations, endings of names. The parsers of `adequa.text.values` take a `Language`, or None
for English, whose words they have themselves. `find_language` tells the language of a text by its
script and its most frequent words. Written by hand; taken from no corpus.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files

NumberWord = tuple[str, int, bool]
"""Kind, value and whether it is an ordinal; the kinds are those of `numbers.spelt_numbers`."""


@dataclass(frozen=True, eq=False)
class Language:
    """What a reader of numbers, dates, yes and no, and names has to know of a language.

    Patterns are regular expressions for lower-case text; words are separated by spaces.
    """

    code: str
    name: str
    frequent: str
    """Its most frequent words, by which it is recognised."""
    months: tuple[str, ...]
    """The forms of each month's name."""
    weekdays: str
    day_end: str
    """The pattern of what may follow the figures of a day or an ordinal."""
    of: str
    """The pattern of words between the parts of a date."""
    minus: str
    below_zero: str
    """The pattern of words after a temperature that make it negative."""
    make_numbers: Callable[[], Mapping[str, NumberWord]]
    """Makes the table of number words, when it is first needed."""
    number_token: str
    """The pattern of one word of a number."""
    thousand: str
    """The word within which a number is split into thousands and the rest; "" if none."""
    glue: str
    """The word that joins the words of a number."""
    powers: Mapping[str, int]
    """Patterns of "thousand", "million" and so on, with the power of ten."""
    parts: Mapping[str, str]
    """Patterns of "half a", "a quarter of a" before such a word, with the value."""
    and_a_half: str
    units: Mapping[str, str]
    """Patterns of units by their canonical name in `values.units`, the longer ones first."""
    hedges: Mapping[str, str]
    """Patterns of the words before a number, by the hedge of `values.numbers`."""
    hour: str
    """The pattern of what follows the figures of a time of day: "Uhr", "heures"."""
    at: str
    """The pattern of words before a time of day such as 16.20."""
    clock_words: Mapping[str, int]
    """Noon and midnight, in minutes."""
    clock_parts: Mapping[str, int]
    """Patterns of "half past HOUR" and the like, with the minutes from the full hour."""
    afternoon: str
    negators: str
    """The pattern of one word that denies a clause."""
    clause: str
    """Words that begin another clause."""
    ending: str
    """The pattern of what an inflected name has in place of the letters in `dropped`."""
    dropped: str
    """The pattern of the last letters that a name loses when it is inflected."""
    changes: Mapping[str, str] = field(default_factory=dict)
    """The last letter of a stem, and what it may become before an ending."""
    fleeting: str = ""
    """Vowels before the last letter of a name that its other forms do not have: Pavel, Pavla."""
    capital_nouns: bool = False
    """Whether every noun has a capital letter, so that capitals do not mark names."""
    nouns: str = ""
    """Words with a capital letter that are not names."""

    @cached_property
    def number_words(self) -> Mapping[str, NumberWord]:
        """Kind, value and ordinal of each number word."""
        return self.make_numbers()

    @cached_property
    def month_numbers(self) -> Mapping[str, int]:
        """The number of each form of a month's name."""
        return {form: n for n, forms in enumerate(self.months, 1) for form in forms.split()}

    @cached_property
    def calendar(self) -> frozenset[str]:
        """The names of months and days."""
        return frozenset([*self.month_numbers, *self.weekdays.split()])

    def words_for(self, word: str) -> tuple[str, ...]:
        """The beginnings of the words for an English one: a quality, or the type of a place.

        >>> LANGUAGES["de"].words_for("rain")
        ('regen', 'regn', 'niederschl')
        """
        return _vocabulary()[self.code].get(word, ())


@cache
def _vocabulary() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The table `resources/vocabulary.tsv`: English words and beginnings of words, by language."""
    source = files("adequa.text") / "resources" / "vocabulary.tsv"
    header, *rows = (line.split("\t") for line in source.read_text(encoding="utf-8").splitlines())
    found: dict[str, dict[str, tuple[str, ...]]] = {code: {} for code in header[1:]}
    for english, *cells in rows:
        for code, cell in zip(header[1:], cells, strict=True):
            for word in english.split("/"):
                found[code][word] = tuple(cell.split())
    return found


def _listed(kind: str, words: str, first: int, step: int = 1) -> dict[str, NumberWord]:
    """Number words in order; forms of one number are joined by a slash."""
    return {
        form: (kind, first + step * place, False)
        for place, forms in enumerate(words.split())
        for form in forms.split("/")
    }


def _ordinals(stems: str, endings: str) -> dict[str, NumberWord]:
    """Ordinals from the first on: each stem with each ending; a slash joins stems, `-` skips."""
    return {
        stem + ending: ("one" if number < 10 else "ten", number, True)
        for number, forms in enumerate(stems.split(), 1)
        for stem in forms.split("/")
        for ending in endings.split("|")
        if stem != "-"
    }


def _scales(words: Mapping[int, str]) -> dict[str, NumberWord]:
    return {form: ("scale", value, False) for value, forms in words.items() for form in forms.split()}


def _compounds(
    ones: Mapping[int, str], teens: str, tens: str, link: str, hundred: str
) -> dict[str, NumberWord]:
    """The numbers below 1000 as German and Dutch write them, the one before the ten."""
    below = {form: value for form, (_, value, _) in _listed("ten", teens, 10).items()}
    below |= {form: n for n, forms in ones.items() for form in forms.split()}
    for place, ten in enumerate(tens.split(), 2):
        below[ten] = 10 * place
        for one, forms in ones.items():
            for form in forms.split() if one else ():
                below[form + link + ten] = 10 * place + one
                if form.endswith("e"):  # Dutch: tweeëntwintig, drieëndertig
                    below[form + "ë" + link[1:] + ten] = 10 * place + one
    words = {form: ("whole", value, False) for form, value in below.items()}
    words[hundred] = ("whole", 100, False)
    starts = [(form, n) for n, forms in ones.items() if n for form in forms.split()]
    for start, hundreds in [("", 1), *starts]:
        words[start + hundred] = ("whole", 100 * hundreds, False)
        for form, value in below.items():
            for join in ("", "und", "en"):
                words[start + hundred + join + form] = ("whole", 100 * hundreds + value, False)
    return words


def _italian_numbers() -> dict[str, NumberWord]:
    ones = "uno due tre quattro cinque sei sette otto nove".split()
    below = {form: n for n, form in enumerate(ones, 1)}
    teens = "dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove"
    below |= {form: n for n, form in enumerate(teens.split(), 10)}
    tens = "venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split()
    for place, ten in enumerate(tens, 2):
        below[ten] = 10 * place
        for n, one in enumerate(ones, 1):
            stem = ten[:-1] if one[0] in "ou" else ten
            below[stem + one] = 10 * place + n
            if one == "tre":
                below[ten + "tré"] = 10 * place + n
        below[ten[:-1] + "un"] = 10 * place + 1
    words: dict[str, NumberWord] = {form: ("whole", n, False) for form, n in below.items()}
    for hundreds, start in enumerate(["", *ones[1:]], 1):
        words[start + "cento"] = ("whole", 100 * hundreds, False)
        for form, value in below.items():
            words[start + "cento" + form] = ("whole", 100 * hundreds + value, False)
    words |= {"un": ("article", 1, False), "una": ("article", 1, False)}
    words |= _scales({10**3: "mille mila", 10**6: "milione milioni", 10**9: "miliardo miliardi"})
    return words | _ordinals(
        "prim second terz quart quint sest settim ottav non decim undicesim dodicesim", "o|a|i|e"
    )


def _german_numbers() -> dict[str, NumberWord]:
    ones = {0: "null", 1: "ein eins", 2: "zwei zwo", 3: "drei", 4: "vier", 5: "fünf", 6: "sechs",
            7: "sieben", 8: "acht", 9: "neun"}  # fmt: skip
    teens = ("zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn")
    tens = "zwanzig dreißig/dreissig vierzig fünfzig sechzig siebzig achtzig neunzig"
    words = _compounds(ones, teens, tens.replace("/dreissig", ""), "und", "hundert")
    words |= dict.fromkeys(("ein", "eine", "einer", "einem", "einen"), ("article", 1, False))
    words |= _scales(
        {10**3: "tausend", 10**6: "million millionen", 10**9: "milliarde milliarden",
         10**12: "billion billionen"}
    )  # fmt: skip
    ordinals = (
        "erst zweit dritt viert fünft sechst siebt/siebent acht neunt zehnt elft zwölft dreizehnt "
        "vierzehnt fünfzehnt sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst"
    )
    return words | _ordinals(ordinals, "e|en|er|es|em")


def _dutch_numbers() -> dict[str, NumberWord]:
    ones = {0: "nul", 1: "een één", 2: "twee", 3: "drie", 4: "vier", 5: "vijf", 6: "zes",
            7: "zeven", 8: "acht", 9: "negen"}  # fmt: skip
    teens = "tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien"
    tens = "twintig dertig veertig vijftig zestig zeventig tachtig negentig"
    words = _compounds(ones, teens, tens, "en", "honderd")
    words |= {"een": ("article", 1, False)}
    words |= _scales({10**3: "duizend", 10**6: "miljoen", 10**9: "miljard", 10**12: "biljoen"})
    ordinals = (
        "eerst tweed derd vierd vijfd zesd zevend achtst negend tiend elfd twaalfd dertiend "
        "veertiend vijftiend zestiend zeventiend achttiend negentiend twintigst"
    )
    return words | _ordinals(ordinals, "e|en")


def _french_numbers() -> dict[str, NumberWord]:
    words = _listed("one", "zéro - deux trois quatre cinq six sept huit neuf", 0)
    words |= _listed("ten", "dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf", 10)
    words |= _listed("tens", "vingt trente quarante cinquante", 20, 10)
    words |= {"soixante": ("score", 60, False), "septante": ("tens", 70, False)}
    words |= dict.fromkeys(("quatre-vingt", "quatre-vingts"), ("score", 80, False))
    words |= {"nonante": ("tens", 90, False), "huitante": ("tens", 80, False)}
    words |= dict.fromkeys(("un", "une"), ("article", 1, False))
    words |= _scales({100: "cent cents", 10**3: "mille", 10**6: "million millions",
                      10**9: "milliard milliards"})  # fmt: skip
    ordinals = (
        "premier/première deuxième/second/seconde troisième quatrième cinquième sixième septième "
        "huitième neuvième dixième onzième douzième"
    )
    return words | _ordinals(ordinals, "|s")


def _spanish_numbers() -> dict[str, NumberWord]:
    words = _listed("one", "cero uno dos tres cuatro cinco seis siete ocho nueve", 0)
    words |= _listed(
        "ten",
        "diez once doce trece catorce quince dieciséis/dieciseis diecisiete dieciocho diecinueve",
        10,
    )
    words |= _listed("tens", "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", 20, 10)
    words |= _listed(
        "whole",
        "veintiuno/veintiún/veintiuna veintidós/veintidos veintitrés/veintitres veinticuatro "
        "veinticinco veintiséis/veintiseis veintisiete veintiocho veintinueve",
        21,
    )
    hundreds = (
        "ciento/cien doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas "
        "quinientos/quinientas seiscientos/seiscientas setecientos/setecientas "
        "ochocientos/ochocientas novecientos/novecientas"
    )
    words |= _listed("hundreds", hundreds, 100, 100)
    words |= dict.fromkeys(("un", "una"), ("article", 1, False))
    words |= _scales({10**3: "mil", 10**6: "millón millones"})
    stems = "primer segund tercer cuart quint sext séptim octav noven décim undécim duodécim"
    return words | _ordinals(stems, "o|a|os|as") | _ordinals("primer - tercer", "")


def _portuguese_numbers() -> dict[str, NumberWord]:
    words = _listed("one", "zero - dois/duas três quatro cinco seis sete oito nove", 0)
    words |= _listed(
        "ten",
        "dez onze doze treze catorze/quatorze quinze dezasseis/dezesseis dezassete/dezessete "
        "dezoito dezanove/dezenove",
        10,
    )
    words |= _listed("tens", "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", 20, 10)
    hundreds = (
        "cento/cem duzentos/duzentas trezentos/trezentas quatrocentos/quatrocentas "
        "quinhentos/quinhentas seiscentos/seiscentas setecentos/setecentas oitocentos/oitocentas "
        "novecentos/novecentas"
    )
    words |= _listed("hundreds", hundreds, 100, 100)
    words |= dict.fromkeys(("um", "uma"), ("article", 1, False))
    words |= _scales({10**3: "mil", 10**6: "milhão milhões", 10**9: "bilhão bilhões"})
    stems = "primeir segund terceir quart quint sext sétim oitav non décim"
    return words | _ordinals(stems, "o|a|os|as")


def _czech_numbers() -> dict[str, NumberWord]:
    ones = (
        "nula jeden/jedna/jedno/jednoho/jedné/jednom/jedním dva/dvě/dvou/dvěma tři/tří/třem/třemi/třech "
        "čtyři/čtyř/čtyřem/čtyřmi/čtyřech pět/pěti šest/šesti sedm/sedmi osm/osmi "
        "devět/devíti"
    )
    words = _listed("one", ones, 0)
    teens = (
        "deset/deseti jedenáct/jedenácti dvanáct/dvanácti třináct/třinácti čtrnáct/čtrnácti "
        "patnáct/patnácti šestnáct/šestnácti sedmnáct/sedmnácti osmnáct/osmnácti "
        "devatenáct/devatenácti"
    )
    words |= _listed("ten", teens, 10)
    tens = "dvacet třicet čtyřicet padesát šedesát sedmdesát osmdesát devadesát"
    words |= _listed("tens", " ".join(f"{ten}/{ten}i" for ten in tens.split()), 20, 10)
    before = "jedna dva tři čtyři pět šest sedm osm devět".split()
    for place, ten in enumerate(tens.split(), 2):  # pětadvacet
        for one, form in enumerate(before, 1):
            stem = form[:-1] if form in ("jedna",) else form
            words[f"{stem}a{ten}"] = ("whole", 10 * place + one, False)
    words |= _scales(
        {100: "sto sta stě set stem stech", 10**3: "tisíc tisíce tisíci tisících",
         10**6: "milion milionu miliony milionů milión miliónu milióny miliónů",
         10**9: "miliarda miliardy miliardu miliard"}
    )  # fmt: skip
    stems = "prv druh tř čtvrt pát šest sedm osm devát desát jedenáct dvanáct"
    return words | _ordinals(stems, "ý|á|é|ého|ému|ém|ou|ní|ního|ním|etí|etího|etím")


def _russian_numbers() -> dict[str, NumberWord]:
    ones = (
        "ноль один/одна/одно/одну/одного/одной/одном/одним два/две/двух/двум/двумя "
        "три/трёх/трех/трём/трем/тремя четыре/четырёх/четырех/четырём/четырьмя пять/пяти/пятью "
        "шесть/шести/шестью семь/семи/семью восемь/восьми/восемью девять/девяти/девятью"
    )
    words = _listed("one", ones, 0)
    teens = (
        "десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать "
        "семнадцать восемнадцать девятнадцать"
    )
    soft = " ".join(f"{word}/{word[:-1]}и/{word}ю" for word in teens.split())
    words |= _listed("ten", soft, 10)
    tens = (
        "двадцать/двадцати/двадцатью тридцать/тридцати/тридцатью сорок/сорока "
        "пятьдесят/пятидесяти шестьдесят/шестидесяти семьдесят/семидесяти "
        "восемьдесят/восьмидесяти девяносто/девяноста"
    )
    words |= _listed("tens", tens, 20, 10)
    hundreds = (
        "сто/ста двести/двухсот триста/трёхсот/трехсот четыреста/четырёхсот/четырехсот "
        "пятьсот/пятисот шестьсот/шестисот семьсот/семисот восемьсот/восьмисот девятьсот/девятисот"
    )
    words |= _listed("hundreds", hundreds, 100, 100)
    words |= _scales(
        {10**3: "тысяча тысячи тысяч тысячу тысячей тысячам",
         10**6: "миллион миллиона миллионов миллионе миллионом",
         10**9: "миллиард миллиарда миллиардов миллиардом"}
    )  # fmt: skip
    stems = "перв втор треть/трет четвёрт/четверт пят шест седьм восьм девят десят"
    return words | _ordinals(stems, "ый|ой|ий|ая|ое|ого|его|ому|ом|ем|ую|ей|ья|ье|ью|ые|ых|ым")


_LETTERS = r"[^\W\d_]+"

GERMAN = Language(
    code="de",
    name="German",
    frequent="der die das und ist ein eine einer einem einen des dem den im rund einwohner stadt dauert vom zum zur mit von auf für "
    "nicht wurde wird werden sich auch als bei aus nach hat sind war über seine sein ihre es er sie durch "
    "liegt zu beträgt unter oder dort seit "
    "geboren gegründet befindet gehört stammt kostet hatte nahe jahr",
    months=(
        *("januar jänner jan", "februar feber feb", "märz mär", "april apr", "mai", "juni jun"),
        *("juli jul", "august aug", "september sept sep", "oktober okt", "november nov"),
        "dezember dez",
    ),
    weekdays="montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag",
    day_end=r"\.",
    of=r"(?:des\s|im\s(?:jahre?\s)?)?",
    minus=r"minus|negative[rns]?",
    below_zero=r"unter\snull|frost",
    make_numbers=_german_numbers,
    number_token=_LETTERS,
    thousand="tausend",
    glue="und",
    powers={r"tausend|tsd\.?": 3, r"mio\.?|millionen|million": 6, r"mrd\.?|milliarden?": 9,
            r"billionen|billion|bio\.": 12},
    parts={r"(?:eine?\s)?dreiviertel[\s-]?": "0.75", r"(?:eine[r]?\s)?viertel[\s-]?": "0.25",
           r"(?:eine[r]?\s)?halben?\s": "0.5", r"(?:anderthalb|eineinhalb)\s": "1.5",
           r"zweieinhalb\s": "2.5", r"dreieinhalb\s": "3.5"},
    and_a_half=r"",
    units={
        "square kilometre": r"quadratkilometern?|km²|qkm", "square metre": r"quadratmetern?",
        "kilometre per hour": r"kilometern?\s(?:pro|je|in\sder)\sstunde|stundenkilometern?",
        "metre per second": r"metern?\s(?:pro|je|in\sder)\ssekunde",
        "kilometre": r"kilometern?", "centimetre": r"zentimetern?", "millimetre": r"millimetern?",
        "metre": r"metern?", "kilogram": r"kilogramm|kilo", "gram": r"gramm", "tonne": r"tonnen?",
        "percent": r"prozent", "degree Celsius": r"grad\scelsius", "degree": r"grad",
        "minute": r"minuten?", "second": r"sekunden?", "hour": r"stunden?", "day": r"tage?n?",
        "week": r"wochen?", "month": r"monate?n?", "year": r"jahre?n?", "litre": r"litern?",
        "hectare": r"hektar", "euro": r"euro", "US dollar": r"(?:us-)?dollar",
        "Swiss franc": r"(?:schweizer\s)?franken", "pound sterling": r"pfund",
        "Czech koruna": r"(?:tschechische\s)?kronen", "Russian rouble": r"rubel",
    },
    hedges={
        "about": r"etwa|ungefähr|circa|ca\.|rund|um\sdie|gut\sgerundet|zirka",
        "just under": r"fast|beinahe|knapp|nahezu", "just over": r"gut|etwas\smehr\sals|etwas\süber",
        "over": r"mehr\sals|über", "under": r"weniger\sals|unter",
        "at least": r"mindestens|wenigstens", "at most": r"höchstens|maximal|bis\szu",
    },
    hour=r"uhr(?:\s(?P<m>[0-5]?[0-9])(?!\w|[.,][0-9]))?|h",
    at=r"um|ab|gegen|bis",
    clock_words={"mittag": 720, "mitternacht": 0},
    clock_parts={"halb HOUR": -30, "viertel nach HOUR": 15, "viertel vor HOUR": -15},
    afternoon=r"nachmittags|abends|am\snachmittag|am\sabend|mittags",
    negators=r"nicht|kein(?:e|en|em|er|es|erlei)?|ohne|nie|niemals|weder|noch|nirgends"
    r"|un(?:geeignet|passend|möglich|erwünscht|wahrscheinlich|zulässig|zugänglich)\w*"
    r"|verboten\w*|ausgeschlossen\w*|untersagt\w*|wenig",
    clause="aber doch sondern während obwohl und denn jedoch",
    ending=r"(?:s|es|n|en|ns|er|ern|ers|e|em|isch|ische|ischen|ischer|isches|ischem|sche|schen|scher|sches|schem|ner|ener)?",
    dropped=r"(?:en|e)?",
    capital_nouns=True,
    nouns="herr frau grad celsius euro prozent uhr ende anfang mitte kilometer meter dollar millionen "
    "milliarden million milliarde jahr jahre tag platz stadt nummer doktor professor stunde minuten "
    "quadratkilometer quadratmeter einwohner höhe länge mitarbeiter zuschauer besucher gäste",
)

FRENCH = Language(
    code="fr",
    name="French",
    frequent="le la les un une des du de et est en à au aux dans par pour sur qui que avec il elle son sa "
    "ses ce cette sont été a ont pas ne se plus ou où d l s qu n c y fait était située situé compte "
    "ferme ouvre né née fondée fondé ville habitants dont chez ouvert ouverte coûte même très deux",
    months=(
        *("janvier janv", "février févr", "mars", "avril", "mai", "juin", "juillet", "août aout"),
        *("septembre sept", "octobre oct", "novembre nov", "décembre déc"),
    ),
    weekdays="lundi mardi mercredi jeudi vendredi samedi dimanche",
    day_end=r"er|e|ème",
    of=r"(?:de\s(?:l['’]année\s)?|d['’]|en\s)?",
    minus=r"moins",
    below_zero=r"(?:au-dessous|en\sdessous)\sde\széro|sous\széro",
    make_numbers=_french_numbers,
    number_token=r"quatre-vingts?|dix-(?:sept|huit|neuf)|" + _LETTERS,
    thousand="",
    glue="et",
    powers={r"mille|milliers": 3, r"millions?|m(?=\s?€)": 6, r"milliards?|md(?=s?\s?€)": 9},
    parts={r"(?:un\s)?demi-": "0.5", r"(?:un\s)?quart\s(?:de\s|d['’])": "0.25",
           r"trois[\s-]quarts\s(?:de\s|d['’])": "0.75"},
    and_a_half=r"\set\sdemie?",
    units={
        "square kilometre": r"kilomètres?\scarrés?", "square metre": r"mètres?\scarrés?",
        "kilometre per hour": r"kilomètres?(?:[\s-](?:à\sl['’]|par\s))?[\s-]?heure|km/h",
        "metre per second": r"mètres?\spar\sseconde",
        "kilometre": r"kilomètres?", "centimetre": r"centimètres?", "millimetre": r"millimètres?",
        "metre": r"mètres?", "kilogram": r"kilogrammes?|kilos?", "gram": r"grammes?",
        "tonne": r"tonnes?", "percent": r"pour\s?cents?|pourcents?",
        "degree Celsius": r"degrés?\scelsius", "degree": r"degrés?", "minute": r"minutes?",
        "second": r"secondes?", "hour": r"heures?", "day": r"jours?", "week": r"semaines?",
        "month": r"mois", "year": r"ans?|années?", "litre": r"litres?", "hectare": r"hectares?",
        "euro": r"euros?", "US dollar": r"dollars?", "Swiss franc": r"francs?(?:\ssuisses?)?",
        "pound sterling": r"livres?\ssterling", "Russian rouble": r"roubles?",
        "Czech koruna": r"couronnes?(?:\stchèques?)?",
    },
    hedges={
        "about": r"environ|à\speu\sprès|approximativement|quelque|autour\sde|aux\salentours\sde",
        "just under": r"près\sde|presque|un\speu\smoins\s(?:de\s|d['’])",
        "just over": r"un\speu\splus\s(?:de\s|d['’])", "over": r"plus\s(?:de|d['’])",
        "under": r"moins\s(?:de|d['’])", "at least": r"au\smoins", "at most": r"au\splus|jusqu['’]à",
    },
    hour=r"heures?(?:\s(?P<m>[0-5]?[0-9])(?!\w|[.,][0-9]))?|h(?:\s?(?P<m2>[0-5][0-9])(?!\w|\s?min))?",
    at=r"à|vers|dès|jusqu['’]à",
    clock_words={"midi": 720, "minuit": 0},
    clock_parts={"HOUR heures? et demie": 30, "HOUR heures? et quart": 15,
                 "HOUR heures? moins le quart": -15},
    afternoon=r"de\sl['’]après-midi|du\ssoir",
    negators=r"ne|n|pas|sans|aucune?|jamais|ni|non|nullement|peu"
    r"|in(?:adapté|approprié|accessible)\w*|déconseill\w*|exclu\w*|interdit\w*",
    clause="mais tandis alors bien et donc car",
    ending=r"(?:e|s|es|ne|nes|le|les)?",
    dropped=r"(?:e)?",
    nouns="m mme mlle dr",
)

SPANISH = Language(
    code="es",
    name="Spanish",
    frequent="el la los las un una unos de del y en es que con por para al se su sus lo como fue está tiene "
    "son más pero entre desde hasta cuenta no ha a era también o sobre este esta sin "
    "abre cierra fue media nació fundada fundado ciudad habitantes situada situado cerca donde cuesta había muy dos",
    months=(
        *("enero ene", "febrero feb", "marzo mar", "abril abr", "mayo", "junio jun", "julio jul"),
        *("agosto ago", "septiembre setiembre sept", "octubre oct", "noviembre nov"),
        "diciembre dic",
    ),
    weekdays="lunes martes miércoles jueves viernes sábado domingo",
    day_end=r"\.?[ºª°o]|ero?",
    of=r"(?:de\s(?:la\s|el\saño\s)?|del?\s(?:año\s)?)?",
    minus=r"menos",
    below_zero=r"bajo\scero",
    make_numbers=_spanish_numbers,
    number_token=_LETTERS,
    thousand="",
    glue="y",
    powers={r"mil\smillones": 9, r"mil(?!\s?millones)": 3, r"millones|millón|mill\.": 6,
            r"billones|billón": 12},
    parts={r"(?:un\s)?medio\s": "0.5", r"(?:un\s)?cuarto\sde\s": "0.25",
           r"tres\scuartos\sde\s": "0.75"},
    and_a_half=r"\sy\smedi[oa]",
    units={
        "square kilometre": r"kilómetros?\scuadrados?", "square metre": r"metros?\scuadrados?",
        "kilometre per hour": r"kilómetros?\s(?:por|a\sla)\shora",
        "metre per second": r"metros?\spor\ssegundo",
        "kilometre": r"kilómetros?", "centimetre": r"centímetros?", "millimetre": r"milímetros?",
        "metre": r"metros?", "kilogram": r"kilogramos?|kilos?", "gram": r"gramos?",
        "tonne": r"toneladas?", "percent": r"por\s?ciento",
        "degree Celsius": r"grados?\s(?:celsius|centígrados?)", "degree": r"grados?",
        "minute": r"minutos?", "second": r"segundos?", "hour": r"horas?", "day": r"días?",
        "week": r"semanas?", "month": r"mes(?:es)?", "year": r"años?", "litre": r"litros?",
        "hectare": r"hectáreas?", "euro": r"euros?", "US dollar": r"dólares|dólar",
        "Swiss franc": r"francos?(?:\ssuizos?)?", "pound sterling": r"libras?(?:\sesterlinas?)?",
        "Russian rouble": r"rublos?", "Czech koruna": r"coronas?(?:\schecas?)?",
    },
    hedges={
        "about": r"unos|unas|aproximadamente|alrededor\sde|cerca\sde|en\storno\sa",
        "just under": r"casi", "just over": r"algo\smás\sde|poco\smás\sde",
        "over": r"más\sde", "under": r"menos\sde", "at least": r"al\smenos|como\smínimo",
        "at most": r"como\smáximo|hasta",
    },
    hour=r"horas?|h(?:oras)?\.?(?:\s?(?P<m>[0-5][0-9])(?!\w|\s?min))?",
    at=r"a\sla|a\slas|las|hasta\slas",
    clock_words={"mediodía": 720, "medianoche": 0},
    clock_parts={"las? HOUR y media": 30, "las? HOUR y cuarto": 15, "las? HOUR menos cuarto": -15},
    afternoon=r"de\sla\starde|de\sla\snoche",
    negators=r"no|sin|ningún|ninguna?|nunca|jamás|ni|tampoco|nada|poco"
    r"|inadecuad\w*|desaconsej\w*|prohibid\w*|descart\w*",
    clause="pero mientras aunque sino y",
    ending=r"(?:o|a|os|as|s|es)?",
    dropped=r"(?:o|a|e)?",
    nouns="sr sra d dr",
)

ITALIAN = Language(
    code="it",
    name="Italian",
    frequent="il lo la i gli le un uno una di del della dei delle dell dal dalla e è in nel nella con per che "
    "si da su al alla alle ha sono stato stata non come anche più suo sua a ed ad ma si trova dall all l "
    "apre chiude fu media nato nata fondata fondato città abitanti scritto scritta dai dagli negli questo costa molto due dove ci",
    months=(
        *("gennaio gen", "febbraio feb", "marzo mar", "aprile apr", "maggio mag", "giugno giu"),
        *("luglio lug", "agosto ago", "settembre sett", "ottobre ott", "novembre nov"),
        "dicembre dic",
    ),
    weekdays="lunedì martedì mercoledì giovedì venerdì sabato domenica",
    day_end=r"[º°ª]",
    of=r"(?:dell['’]anno\s|del\s|di\s|nel\s)?",
    minus=r"meno",
    below_zero=r"sotto\s(?:lo\s)?zero",
    make_numbers=_italian_numbers,
    number_token=_LETTERS,
    thousand="mila",
    glue="e",
    powers={r"mila|mille": 3, r"milioni|milione|mln": 6, r"miliardi|miliardo|mld": 9},
    parts={r"mezzo\s": "0.5", r"(?:un\s)?quarto\sdi\s": "0.25", r"tre\squarti\sdi\s": "0.75"},
    and_a_half=r"\se\smezz[oa]",
    units={
        "square kilometre": r"chilometr[oi]\squadrat[oi]", "square metre": r"metr[oi]\squadrat[oi]",
        "kilometre per hour": r"chilometr[oi]\s(?:orari[o]?|all['’]\s?ora|l['’]ora)",
        "metre per second": r"metr[oi]\sal\ssecondo",
        "kilometre": r"chilometr[oi]", "centimetre": r"centimetr[oi]",
        "millimetre": r"millimetr[oi]", "metre": r"metr[oi]", "kilogram": r"chilogramm[oi]|chil[oi]",
        "gram": r"gramm[oi]", "tonne": r"tonnellat[ae]", "percent": r"per\s?cento",
        "degree Celsius": r"grad[oi]\s(?:celsius|centigrad[oi])", "degree": r"grad[oi]",
        "minute": r"minut[oi]", "second": r"second[oi]", "hour": r"or[ae]", "day": r"giorn[oi]",
        "week": r"settiman[ae]", "month": r"mes[ei]", "year": r"ann[oi]", "litre": r"litr[oi]",
        "hectare": r"ettar[oi]", "euro": r"euro", "US dollar": r"dollar[oi]",
        "Swiss franc": r"franch[i]|franco", "pound sterling": r"sterlin[ae]",
        "Russian rouble": r"rubl[oi]", "Czech koruna": r"coron[ae](?:\scech[e])?",
    },
    hedges={
        "about": r"circa|all['’]incirca|intorno\sa|approssimativamente",
        "just under": r"quasi|poco\smeno\sdi", "just over": r"poco\spiù\sdi",
        "over": r"più\sdi|oltre", "under": r"meno\sdi", "at least": r"almeno",
        "at most": r"al\smassimo|fino\sa",
    },
    hour=r"or[ae]|h(?:\s?(?P<m>[0-5][0-9])(?!\w|\s?min))?",
    at=r"alle|dalle|ore|le|all['’]",
    clock_words={"mezzogiorno": 720, "mezzanotte": 0},
    clock_parts={"(?:alle|le) HOUR e mezz[oa]": 30, "(?:alle|le) HOUR e un quarto": 15,
                 "(?:alle|le) HOUR meno un quarto": -15},
    afternoon=r"del\spomeriggio|di\ssera|della\ssera",
    negators=r"non|senza|nessun[oa]?|mai|né|niente|neanche|nemmeno|priv[oa]|poco"
    r"|inadatt\w*|sconsigliat\w*|vietat\w*|esclus\w*",
    clause="ma mentre però anche e",
    ending=r"(?:o|a|i|e|he|hi)?",
    dropped=r"(?:o|a|e|i)?",
    nouns="sig dott",
)

PORTUGUESE = Language(
    code="pt",
    name="Portuguese",
    frequent="o a os as um uma de do da dos das e em no na nos nas é foi com por para que se ao à pelo pela "
    "como mais não está tem sua seu são sobre entre até fica às num numa também seus suas ou "
    "abre fecha nasceu fundada fundado cidade habitantes onde muito dois duas custa situada localizada",
    months=(
        *("janeiro jan", "fevereiro fev", "março mar", "abril abr", "maio", "junho jun"),
        *("julho jul", "agosto ago", "setembro set", "outubro out", "novembro nov"),
        "dezembro dez",
    ),
    weekdays="segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    day_end=r"\.?[ºª°o]",
    of=r"(?:de\s|do\sano\sde\s)?",
    minus=r"menos",
    below_zero=r"abaixo\sde\szero|negativos",
    make_numbers=_portuguese_numbers,
    number_token=_LETTERS,
    thousand="",
    glue="e",
    powers={r"mil\smilhões": 9, r"mil(?!\s?milhões)": 3, r"milhões|milhão": 6, r"bilhões|bilhão": 9,
            r"biliões|bilião": 12},
    parts={r"meio\s": "0.5", r"(?:um\s)?quarto\sde\s": "0.25", r"três\squartos\sde\s": "0.75"},
    and_a_half=r"\se\smei[oa]",
    units={
        "square kilometre": r"quil[óô]metros?\squadrados?", "square metre": r"metros?\squadrados?",
        "kilometre per hour": r"quil[óô]metros?\s(?:por|à)\shora",
        "metre per second": r"metros?\spor\ssegundo",
        "kilometre": r"quil[óô]metros?", "centimetre": r"centímetros?",
        "millimetre": r"milímetros?", "metre": r"metros?", "kilogram": r"quilogramas?|quilos?",
        "gram": r"gramas?", "tonne": r"toneladas?", "percent": r"por\s?cento",
        "degree Celsius": r"graus?\s(?:celsius|centígrados?)", "degree": r"graus?",
        "minute": r"minutos?", "second": r"segundos?", "hour": r"horas?", "day": r"dias?",
        "week": r"semanas?", "month": r"m[êe]s(?:es)?", "year": r"anos?", "litre": r"litros?",
        "hectare": r"hectares?", "euro": r"euros?", "US dollar": r"dólar(?:es)?",
        "Brazilian real": r"rea(?:is|l)", "pound sterling": r"libras?(?:\sesterlinas?)?",
        "Swiss franc": r"francos?(?:\ssuíços?)?", "Russian rouble": r"rublos?",
        "Czech koruna": r"coroas?(?:\schecas?)?",
    },
    hedges={
        "about": r"cerca\sde|aproximadamente|por\svolta\sde|uns|umas|em\storno\sde",
        "just under": r"quase|pouco\smenos\sde", "just over": r"pouco\smais\sde",
        "over": r"mais\sde", "under": r"menos\sde", "at least": r"pelo\smenos|no\smínimo",
        "at most": r"no\smáximo|até",
    },
    hour=r"horas?|h(?:\s?(?P<m>[0-5][0-9])(?!\w|\s?min))?",
    at=r"às|à|as|pelas|até\sàs",
    clock_words={"meio-dia": 720, "meia-noite": 0},
    clock_parts={"(?:às?|pelas?|as) HOUR e meia": 30, "(?:às?|pelas?|as) HOUR e um quarto": 15},
    afternoon=r"da\starde|da\snoite",
    negators=r"não|sem|nenhuma?|nunca|jamais|nem|nada|tampouco|pouco"
    r"|inadequad\w*|desaconselh\w*|proibid\w*|descart\w*",
    clause="mas enquanto embora porém e",
    ending=r"(?:o|a|os|as|s|es|esa)?",
    dropped=r"(?:o|a|e)?",
    nouns="sr sra dr",
)

DUTCH = Language(
    code="nl",
    name="Dutch",
    frequent="de het een en van in is met op te voor dat die zijn aan er niet bij door uit ook naar wordt werd "
    "heeft hij zij ze om tot als maar ligt deze haar hun telt je dan geen over was werden na sinds kost "
    "geboren gelegen opgericht stad inwoners schreef onder tegen veel twee kan hier jaar waar",
    months=(
        *("januari jan", "februari feb", "maart mrt", "april apr", "mei", "juni jun", "juli jul"),
        *("augustus aug", "september sept", "oktober okt", "november nov", "december dec"),
    ),
    weekdays="maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    day_end=r"e|de|ste",
    of=r"(?:van\s|in\s)?",
    minus=r"min|minus",
    below_zero=r"onder\snul|vorst",
    make_numbers=_dutch_numbers,
    number_token=_LETTERS,
    thousand="duizend",
    glue="en",
    powers={r"duizend": 3, r"miljoen|mln\.?": 6, r"miljard|mld\.?|mrd\.?": 9, r"biljoen": 12},
    parts={r"(?:een\s)?driekwart\s": "0.75", r"(?:een\s)?half\s": "0.5", r"(?:een\s)?kwart\s": "0.25",
           r"anderhalf\s|anderhalve\s": "1.5", r"tweeënhalf\s|tweeëneenhalf\s": "2.5"},
    and_a_half=r"",
    units={
        "square kilometre": r"vierkante\skilometers?", "square metre": r"vierkante\smeters?",
        "kilometre per hour": r"kilometers?\sper\suur|km/u", "metre per second": r"meters?\sper\sseconde",
        "kilometre": r"kilometers?", "centimetre": r"centimeters?", "millimetre": r"millimeters?",
        "metre": r"meters?", "kilogram": r"kilogram|kilo", "gram": r"gram", "tonne": r"ton",
        "percent": r"procent", "degree Celsius": r"gra(?:den|ad)\scelsius",
        "degree": r"gra(?:den|ad)", "minute": r"minu(?:ten|ut)", "second": r"secon(?:den|de)",
        "hour": r"u(?:ren|ur)", "day": r"da(?:gen|g)", "week": r"we(?:ken|ek)",
        "month": r"maan(?:den|d)", "year": r"ja(?:ren|ar)", "litre": r"liters?",
        "hectare": r"hectaren?", "euro": r"euro", "US dollar": r"dollars?",
        "Swiss franc": r"(?:zwitserse\s)?frank", "pound sterling": r"pond",
        "Russian rouble": r"roebels?", "Czech koruna": r"(?:tsjechische\s)?kronen",
    },
    hedges={
        "about": r"ongeveer|circa|ca\.|zo['’]n|rond\sde|rond|omstreeks",
        "just under": r"bijna|haast|nagenoeg|iets\sminder\sdan|krap", "just over": r"ruim|iets\smeer\sdan",
        "over": r"meer\sdan", "under": r"minder\sdan", "at least": r"minstens|ten\sminste|minimaal",
        "at most": r"hoogstens|maximaal|tot",
    },
    hour=r"uur(?:\s(?P<m>[0-5]?[0-9])(?!\w|[.,][0-9]))?|u(?:\s?(?P<m2>[0-5][0-9])(?!\w|\s?min))?",
    at=r"om|vanaf|tot|rond",
    clock_words={"middernacht": 0},
    clock_parts={"half HOUR": -30, "kwart over HOUR": 15, "kwart voor HOUR": -15},
    afternoon=r"['’]s\s(?:middags|avonds)|in\sde\s(?:middag|avond)",
    negators=r"niet|geen|zonder|nooit|noch|nergens|nimmer|weinig"
    r"|ongeschikt\w*|verboden|uitgesloten",
    clause="maar terwijl hoewel echter en want",
    ending=r"(?:s|se|e|er|en|ers)?",
    dropped=r"",
    nouns="dhr mevr",
)

CZECH = Language(
    code="cs",
    name="Czech",
    frequent="a v ve na je se s si z ze do od pro po při za k ke o u to že který která které není byl byla bylo "
    "jsou má jako nebo také roku roce město ale i mezi podle jeho jejich než činí leží nachází "
    "města kde přes nad pod být narodil založil lidí měří byly této tento dnes který již asi jen",
    months=(
        *("leden ledna lednu", "únor února únoru", "březen března březnu", "duben dubna dubnu"),
        *("květen května květnu", "červen června červnu", "červenec července červenci"),
        *("srpen srpna srpnu", "září", "říjen října říjnu", "listopad listopadu"),
        "prosinec prosince prosinci",
    ),
    weekdays="pondělí úterý středa čtvrtek pátek sobota neděle",
    day_end=r"\.",
    of=r"(?:roku\s)?",
    minus=r"minus|mínus",
    below_zero=r"pod\snulou|mrazu|pod\snulu",
    make_numbers=_czech_numbers,
    number_token=_LETTERS,
    thousand="",
    glue="a",
    powers={r"tisíc(?:e|i|ích)?|tis\.": 3, r"mili[oó]n(?:u|y|ů)?|mil\.": 6,
            r"miliard(?:a|y|u)?|mld\.": 9, r"bilion(?:u|y|ů)?": 12},
    parts={r"půl(?:\sdruhého)?\s": "0.5", r"čtvrt\s": "0.25", r"tři\sčtvrtě\s|tři\sčtvrtiny\s": "0.75",
           r"půldruhého\s|jeden\sa\spůl\s": "1.5"},
    and_a_half=r"\sa\spůl",
    units={
        "square kilometre": r"kilometr(?:u|y|ů|ech)?\sčtverečn\w+|čtverečn\w+\skilometr(?:u|y|ů|ech)?",
        "square metre": r"metr(?:u|y|ů|ech)?\sčtverečn\w+|čtverečn\w+\smetr(?:u|y|ů|ech)?",
        "kilometre per hour": r"kilometr(?:u|y|ů)?\sza\shodinu", "metre per second": r"metr(?:u|y|ů)?\sza\ssekundu",
        "kilometre": r"kilometr(?:u|y|ů|ech)?", "centimetre": r"centimetr(?:u|y|ů)?",
        "millimetre": r"milimetr(?:u|y|ů)?", "metre": r"metr(?:u|y|ů|ech)?",
        "kilogram": r"kilogram(?:u|y|ů)?|kil(?:o|a)", "gram": r"gram(?:u|y|ů)?",
        "tonne": r"tun(?:a|y|u)?", "percent": r"procent(?:o|a|u|ech)?",
        "degree Celsius": r"stup(?:eň|ně|ňů|ni)\scelsia", "degree": r"stup(?:eň|ně|ňů|ni)",
        "minute": r"minut(?:a|y|u|ách)?", "second": r"sekund(?:a|y|u)?", "hour": r"hodin(?:a|y|u|ách)?",
        "day": r"dn(?:y|í|ů|ech)|den", "week": r"týd(?:en|ny|nů)", "month": r"měsíc(?:e|ů|i)?",
        "year": r"let|rok(?:u|y|ů)?", "litre": r"litr(?:u|y|ů)?", "hectare": r"hektar(?:u|y|ů)?",
        "euro": r"eur(?:o|a)?", "US dollar": r"dolar(?:u|y|ů)?", "Czech koruna": r"kč|korun(?:a|y|u)?",
        "Swiss franc": r"frank(?:u|y|ů)?", "pound sterling": r"lib(?:er|ra|ry)",
        "Russian rouble": r"rubl(?:u|y|ů|e)?",
    },
    hedges={
        "about": r"asi|přibližně|zhruba|kolem|okolo|cca", "just under": r"téměř|skoro|bezmála|necelých",
        "just over": r"o\sněco\svíce\snež", "over": r"více\snež|přes|víc\snež", "under": r"méně\snež|pod",
        "at least": r"alespoň|nejméně|minimálně", "at most": r"nejvýše|maximálně|až",
    },
    hour=r"hodin(?:y|u|ě|a)?(?:\s(?P<m>[0-5]?[0-9])\sminut\w*)?|hod\.?|h",
    at=r"v|ve|do|od|po|před",
    clock_words={"poledne": 720, "půlnoc": 0, "půlnoci": 0},
    clock_parts={"půl HOUR": -30, "tři čtvrtě na HOUR": -15, "(?<!tři )čtvrt na HOUR": -45},
    afternoon=r"odpoledne|večer",
    negators=r"ne(?!dale|bo$|j|dět|děl|u$|ž$|mocni|hod|přes|kd|k|pál|mec|meck|závis|tt)\w*|bez|nikdy|ani|žádn\w+|nikoli",
    clause="ale zatímco avšak ač a",
    ending=r"(?:ov|uv|in|sk|st)?[aeiouy]{0,2}(?:m|ch|mi|ho|mu)?(?:u|i)?",
    dropped=r"(?:a|e|o|y|i|u)?",
    changes={"h": "z", "k": "c", "g": "z"},
    fleeting="e",
    nouns="pan paní",
)

RUSSIAN = Language(
    code="ru",
    name="Russian",
    frequent="и в во не на с со что по из к у за от о об для до как это его её он она они был была было были "
    "который которая году года году при а но же или человек составляет",
    months=(
        *("январь января январе", "февраль февраля феврале", "март марта марте"),
        *("апрель апреля апреле", "май мая мае", "июнь июня июне", "июль июля июле"),
        *("август августа августе", "сентябрь сентября сентябре", "октябрь октября октябре"),
        *("ноябрь ноября ноябре", "декабрь декабря декабре"),
    ),
    weekdays="понедельник вторник среда четверг пятница суббота воскресенье",
    day_end=r"-?(?:го|е|й|ое|ого|я|му)",
    of=r"",
    minus=r"минус",
    below_zero=r"ниже\sнуля|мороза",
    make_numbers=_russian_numbers,
    number_token=_LETTERS,
    thousand="",
    glue="и",
    powers={r"тысяч(?:а|и|у|ей|ам)?|тыс\.?": 3, r"миллион(?:а|ов|е|ом)?|млн\.?": 6,
            r"миллиард(?:а|ов|ом)?|млрд\.?": 9, r"триллион(?:а|ов)?|трлн\.?": 12},
    parts={r"пол": "0.5", r"половин\w\s": "0.5", r"четверть\s": "0.25", r"три\sчетверти\s": "0.75",
           r"полтор[аыу]\w*\s": "1.5"},
    and_a_half=r"\sс\sполовиной",
    units={
        "square kilometre": r"квадратн\w+\sкилометр(?:а|ов|ах|ы)?|км²|кв\.\s?км",
        "square metre": r"квадратн\w+\sметр(?:а|ов|ах|ы)?|м²|кв\.\s?м",
        "kilometre per hour": r"километр(?:а|ов)?\sв\sчас|км/ч",
        "metre per second": r"метр(?:а|ов)?\sв\sсекунду|м/с",
        "kilometre": r"километр(?:а|ов|ах|ы|е)?|км", "centimetre": r"сантиметр(?:а|ов)?|см",
        "millimetre": r"миллиметр(?:а|ов)?|мм", "metre": r"метр(?:а|ов|ах|ы|е)?|м",
        "kilogram": r"килограмм(?:а|ов)?|кг", "gram": r"грамм(?:а|ов)?|г", "tonne": r"тонн(?:а|ы)?|т",
        "percent": r"процент(?:а|ов|ы)?", "degree Celsius": r"градус(?:а|ов)?\s(?:по\s)?цельси\w|°с",
        "degree": r"градус(?:а|ов)?", "minute": r"минут(?:а|ы|у)?|мин\.?",
        "second": r"секунд(?:а|ы|у)?", "hour": r"час(?:а|ов)?|ч\.?", "day": r"дн(?:я|ей)|день|суток",
        "week": r"недел(?:я|и|ю|ь)", "month": r"месяц(?:а|ев)?", "year": r"лет|год(?:а|у)?",
        "litre": r"литр(?:а|ов)?|л", "hectare": r"гектар(?:а|ов)?", "euro": r"евро",
        "US dollar": r"доллар(?:а|ов)?", "Russian rouble": r"рубл(?:ь|я|ей)|руб\.?",
        "Swiss franc": r"франк(?:а|ов)?", "pound sterling": r"фунт(?:а|ов)?",
        "Czech koruna": r"крон(?:а|ы)?",
    },
    hedges={
        "about": r"около|примерно|приблизительно|порядка", "just under": r"почти|чуть\sменее",
        "just over": r"чуть\sболее|чуть\sбольше", "over": r"более|свыше|больше",
        "under": r"менее|меньше", "at least": r"не\sменее|как\sминимум|минимум",
        "at most": r"не\sболее|максимум|до",
    },
    hour=r"час(?:а|ов|ам)?(?:\s(?P<m>[0-5]?[0-9])\sминут\w*)?|ч\.?(?:\s?(?P<m2>[0-5][0-9])\s?мин\w*\.?)?",
    at=r"в|до|с|к",
    clock_words={"полдень": 720, "полночь": 0},
    clock_parts={r"половин\w HOUR": -30, r"четверть HOUR": -45, r"без четверти HOUR": -15},
    afternoon=r"дня|вечера|пополудни",
    negators=r"не|нет|без|ни|никогда|никак\w*|отсутству\w+"
    r"|не(?:подход|пригод|рекоменд|возмож|доступ|желател|ожида)\w*|исключ\w*|запрещ\w*",
    clause="но а зато хотя однако и",
    ending=r"(?:ов|ев|ин|ск)?[аеиоуыюяь]{0,3}(?:м|х|в|ми|го|му)?[аеиоуыюя]?",
    dropped=r"[аеиоуыюяь]{0,2}",
    fleeting="ео",
    nouns="г",
)

LANGUAGES: Mapping[str, Language] = {
    one.code: one
    for one in (GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, CZECH, RUSSIAN)
}
"""The languages whose texts `esa` reads besides English, by code."""

_OTHERS = {
    "pl": ("Polish", "i w we z ze na do od jest się nie że który która oraz przez dla jako był była po lub są"),
    "sv": ("Swedish", "och är i en ett som av för på med till den det har från vid var inte också ligger"),
    "da": ("Danish", "og er i en et som af for på med til den det har fra ved var ikke også ligger blev"),
    "nb": ("Norwegian", "og er i en et som av for på med til den det har fra ved var ikke også ligger ble"),
    "fi": ("Finnish", "ja on oli ei se että joka myös sekä hän kuin mutta ovat sijaitsee vuonna"),
    "hu": ("Hungarian", "a az és egy hogy nem is van volt meg ez amely mint csak el városa található"),
    "tr": ("Turkish", "ve bir bu için ile de da olan olarak daha çok gibi en ise değil yer"),
    "ro": ("Romanian", "și în de la este un o cu pe din care nu se că pentru sau fost mai al ale"),
    "ca": ("Catalan", "el la els les i de del dels és en amb per que una un al als té més va seva"),
}  # fmt: skip
"""Languages that are recognised only, so that their texts are not taken for others."""

_ENGLISH = frozenset(
    "the of and is in was to by from with for on at as it its are were has that which an he she "
    "his her their this be who also has had been they not have or where".split()
)
_SURE_ENGLISH = _ENGLISH - frozenset("in is was on at as an are be or he had have of to for".split())
"""Words that are not frequent in one of the other languages."""
_SHARED = _ENGLISH | {"a", "i", "no", "so", "me"}
"""Words that say nothing for another language, because English has them too."""
_LEAST = 3
"""Different frequent words that another language needs at least."""
_SHORT_TEXT = 25
"""Different words of a text in which one less is enough, if none of them is English."""
_TIMES = 2
"""How many times as many as English has."""

_SCRIPTS = (
    ("Greek", "el", "\u0370", "\u03ff"), ("Hebrew", "he", "\u0590", "\u05ff"),
    ("Arabic", "ar", "\u0600", "\u06ff"), ("Hindi", "hi", "\u0900", "\u097f"),
    ("Thai", "th", "\u0e00", "\u0e7f"), ("Georgian", "ka", "\u10a0", "\u10ff"),
    ("Armenian", "hy", "\u0530", "\u058f"), ("Korean", "ko", "\uac00", "\ud7af"),
    ("Japanese", "ja", "\u3040", "\u30ff"), ("Chinese", "zh", "\u4e00", "\u9fff"),
)  # fmt: skip
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_NOT_RUSSIAN = {"uk": "іїєґ", "sr": "ђјљњћџ", "be": "ў"}
_FEW_LETTERS = 0.3
"""The share of letters of another script that makes a text one of its language."""

_CODES = {
    "ger": "de", "deu": "de", "fre": "fr", "fra": "fr", "spa": "es", "ita": "it", "por": "pt",
    "dut": "nl", "nld": "nl", "cze": "cs", "ces": "cs", "rus": "ru", "eng": "en",
}  # fmt: skip
_NAMES = {
    "en": "English", "uk": "Ukrainian", "sr": "Serbian", "be": "Belarusian", "bg": "Bulgarian",
    **{code: one.name for code, one in LANGUAGES.items()},
    **{code: name for code, (name, _) in _OTHERS.items()},
    **{code: name for name, code, _, _ in _SCRIPTS},
    "br": "Breton", "cy": "Welsh", "ga": "Irish", "mt": "Maltese", "zh": "Chinese",
}  # fmt: skip
_UNKNOWN = frozenset(("", "und", "mul", "zxx", "unknown"))


def language_name(code: str) -> str:
    """The English name of a language, or its code in quotes."""
    return _NAMES.get(code, repr(code))


def code_of(lang: str) -> str | None:
    """The two-letter code of a language in any spelling: `de-AT`, `deu`, `German`; None if unknown.

    >>> code_of("de-AT"), code_of("eng"), code_of("Russian"), code_of("und")
    ('de', 'en', 'ru', None)
    """
    name = lang.strip().lower()
    if name in _UNKNOWN:
        return None
    short = re.split("[-_]", name, maxsplit=1)[0]
    by_name = {one.lower(): code for code, one in _NAMES.items()}
    return by_name.get(name) or _CODES.get(short, short)


def language_code(text: str, lang: str | None) -> str:
    """The code of a text's language: as given, else as found, else English."""
    given = None if lang is None else code_of(lang)
    return given or find_language(text) or "en"


def find_language(text: str) -> str | None:
    """The code of the language of a text; None if it is English, or too short to tell.

    >>> find_language("Wien ist die Hauptstadt von Österreich und liegt an der Donau.")
    'de'
    >>> find_language("Vienna is the capital of Austria."), find_language("Wien, Austria")
    (None, None)
    """
    words = {*text.lower().split()}
    if not text.isascii() and (code := _by_script(text)) is not None:
        return code
    if text.isascii() and _all_frequent().isdisjoint(words):
        return None  # most English texts
    written = _LETTERS_ONLY.findall(text)
    words = {word.lower() for word in written}
    # "The" within a text is part of a name.
    small = {word for word in written if word.islower()} | {*map(str.lower, written[:1])}
    marks = "".join(_MARKED.findall(text))
    counts = {
        code: len(frequent & words) + min(_MOST_MARKS, sum(map(marks.count, _MARKS.get(code, ""))))
        for code, frequent in _frequent().items()
    }
    best = max(counts, key=counts.__getitem__)
    most = counts[best]
    english = len(_SURE_ENGLISH & small)
    enough = most >= _LEAST and most > len(_ENGLISH & small)
    if len(words) <= _SHORT_TEXT and _ENGLISH & small <= {"in"}:
        enough = enough or most >= _LEAST - 1
    return best if enough and most >= _TIMES * english else None


@cache
def _frequent() -> Mapping[str, frozenset[str]]:
    words = {code: one.frequent for code, one in LANGUAGES.items() if code != "ru"}
    words |= {code: frequent for code, (_, frequent) in _OTHERS.items()}
    return {code: frozenset(one.split()) - _SHARED for code, one in words.items()}


@cache
def _all_frequent() -> frozenset[str]:
    return frozenset().union(*_frequent().values())


_LETTERS_ONLY = re.compile(r"[^\W\d_]+")
_MARKED = re.compile(r"(?<![^\W\d_])[a-zß-öø-ÿ][^\W\d_A-Z]*[ß-öø-ɏ][^\W\d_]*|(?<!\w)[ß-öø-ɏ](?!\w)")
"""Words in lower case with a letter that English does not have; names have capitals."""
_MARKS = {
    "de": "äöüß", "fr": "éèêçàùœî", "es": "ñáéíóú", "it": "àèìòù", "pt": "ãõçáéíóúâê", "nl": "ëï",
    "cs": "ěřůčžšýáíéú", "pl": "łąęśźżćńó", "sv": "åäö", "da": "æøå", "nb": "æøå", "fi": "äö",
    "hu": "őűáéíóúöü", "tr": "ğışçöü", "ro": "șțăâî", "ca": "èéòóàíç",
}  # fmt: skip
_MOST_MARKS = 3
"""How many frequent words such letters count for at most."""


_OTHER_SCRIPT = re.compile("[\u0370-\u1fff\u3040-\ud7af]")


def _by_script(text: str) -> str | None:
    if _OTHER_SCRIPT.search(text) is None:
        return None
    letters = sum(map(str.isalpha, text)) or 1
    if len(_CYRILLIC.findall(text)) >= _FEW_LETTERS * letters:
        lower = text.lower()
        signs = {code: sum(map(lower.count, own)) for code, own in _NOT_RUSSIAN.items()}
        code = max(signs, key=signs.__getitem__)
        return code if signs[code] else "ru"
    for _, code, first, last in _SCRIPTS:
        if sum(first <= letter <= last for letter in text) >= _FEW_LETTERS * letters:
            return code
    return None
