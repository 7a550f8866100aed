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

from adequa.data import Item
from adequa.text.numerals import (
    NumberWord,
    czech_numbers,
    dutch_numbers,
    french_numbers,
    german_numbers,
    italian_numbers,
    portuguese_numbers,
    russian_numbers,
    spanish_numbers,
)
from adequa.text.sentences import word_set


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


_LETTERS = r"[^\W\d_]+"

# fmt: off
GERMAN = Language(
    code="de",
    name="German",
    frequent="der die das und ist ein eine einer einem einen des dem den im rund einwohner stadt "
    "dauert vom zum zur mit von auf für nicht wurde wird werden sich auch als bei aus nach "
    "hat sind war über seine sein ihre es er sie durch liegt zu beträgt unter oder dort seit "
    "geboren gegründet befindet gehört stammt kostet hatte nahe jahr bis ihr ihm ihn ihrer "
    "ihrem ihren seiner seinem seinen haben wie noch nur vor aber diese dieser dieses mehr wurden",
    months=(
        "januar jänner jan", "februar feber feb", "märz mär", "april apr", "mai", "juni jun",
        "juli jul", "august aug", "september sept sep", "oktober okt", "november nov",
        "dezember dez",
    ),
    weekdays="montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag",
    day_end=r"\.",
    of=r"(?:des\s|im\s(?:jahre?\s)?)?",
    minus="minus|negative[rns]?",
    below_zero=r"unter\snull|frost",
    make_numbers=german_numbers,
    number_token=_LETTERS,
    thousand="tausend",
    glue="und",
    powers={
        r"tausend|tsd\.?": 3, r"mio\.?|millionen|million": 6, r"mrd\.?|milliarden?": 9,
        r"billionen|billion|bio\.": 12,
    },
    parts={
        r"(?:eine?\s)?dreiviertel[\s-]?": "0.75", r"(?:eine[r]?\s)?viertel[\s-]?": "0.25",
        r"(?:eine[r]?\s)?halben?\s": "0.5", r"(?:anderthalb|eineinhalb)\s": "1.5",
        r"zweieinhalb\s": "2.5", r"dreieinhalb\s": "3.5",
    },
    and_a_half="",
    units={
        "square kilometre": "quadratkilometern?|km²|qkm", "square metre": "quadratmetern?",
        "kilometre per hour": r"kilometern?\s(?:pro|je|in\sder)\sstunde|stundenkilometern?",
        "metre per second": r"metern?\s(?:pro|je|in\sder)\ssekunde", "kilometre": "kilometern?",
        "centimetre": "zentimetern?", "millimetre": "millimetern?", "metre": "metern?",
        "kilogram": "kilogramm|kilo", "gram": "gramm", "tonne": "tonnen?", "percent": "prozent",
        "degree Celsius": r"grad\scelsius", "degree": "grad", "minute": "minuten?",
        "second": "sekunden?", "hour": "stunden?", "day": "tage?n?", "week": "wochen?",
        "month": "monate?n?", "year": "jahre?n?", "litre": "litern?", "hectare": "hektar",
        "euro": "euro", "US dollar": "(?:us-)?dollar", "Swiss franc": r"(?:schweizer\s)?franken",
        "pound sterling": "pfund", "Czech koruna": r"(?:tschechische\s)?kronen",
        "Russian rouble": "rubel",
    },
    hedges={
        "about": r"etwa|ungefähr|circa|ca\.|rund|um\sdie|gut\sgerundet|zirka",
        "just under": "fast|beinahe|knapp|nahezu",
        "just over": r"gut|etwas\smehr\sals|etwas\süber", "over": r"mehr\sals|über",
        "under": r"weniger\sals|unter", "at least": "mindestens|wenigstens",
        "at most": r"höchstens|maximal|bis\szu",
    },
    hour=r"uhr(?:\s(?P<m>[0-5]?[0-9])(?!\w|[.,][0-9]))?|h",
    at="um|ab|gegen|bis",
    clock_words={"mittag": 720, "mitternacht": 0},
    clock_parts={"halb HOUR": -30, "viertel nach HOUR": 15, "viertel vor HOUR": -15},
    afternoon=r"nachmittags|abends|am\snachmittag|am\sabend|mittags",
    negators=(
        r"nicht|kein(?:e|en|em|er|es|erlei)?|ohne|nie|niemals|weder|noch|nirgends|un(?:geeignet|"
        r"passend|möglich|erwünscht|wahrscheinlich|zulässig|zugänglich)\w*|verboten\w*|"
        r"ausgeschlossen\w*|untersagt\w*|wenig"
    ),
    clause="aber doch sondern während obwohl und denn jedoch",
    ending=(
        "(?:s|es|n|en|ns|er|ern|ers|e|em|isch|ische|ischen|ischer|isches|ischem|sche|schen|scher|"
        "sches|schem|ner|ener)?"
    ),
    dropped="(?:en|e)?",
    capital_nouns=True,
    nouns="herr frau grad celsius euro prozent uhr ende anfang mitte kilometer meter dollar "
    "millionen milliarden million milliarde jahr jahre tag platz stadt nummer doktor "
    "professor stunde minuten quadratkilometer quadratmeter einwohner höhe länge mitarbeiter "
    "zuschauer besucher gäste",
)

FRENCH = Language(
    code="fr",
    name="French",
    frequent=(
        "le la les un une des du de et est en à au aux dans par pour sur qui que avec il elle "
        "son sa ses ce cette sont été a ont pas ne se plus ou où d l s qu n c y fait était "
        "située situé compte ferme ouvre né née fondée fondé ville habitants dont chez ouvert "
        "ouverte coûte même très deux leur leurs mais ils elles tout tous comme après avant depuis "
        "sous sans ces cet"
    ),
    months=(
        "janvier janv", "février févr", "mars", "avril", "mai", "juin", "juillet", "août aout",
        "septembre sept", "octobre oct", "novembre nov", "décembre déc",
    ),
    weekdays="lundi mardi mercredi jeudi vendredi samedi dimanche",
    day_end="er|e|ème",
    of=r"(?:de\s(?:l['’]année\s)?|d['’]|en\s)?",
    minus="moins",
    below_zero=r"(?:au-dessous|en\sdessous)\sde\széro|sous\széro",
    make_numbers=french_numbers,
    number_token=r"quatre-vingts?|dix-(?:sept|huit|neuf)|" + _LETTERS,
    thousand="",
    glue="et",
    powers={"mille|milliers": 3, r"millions?|m(?=\s?€)": 6, r"milliards?|md(?=s?\s?€)": 9},
    parts={
        r"(?:un\s)?demi-": "0.5", r"(?:un\s)?quart\s(?:de\s|d['’])": "0.25",
        r"trois[\s-]quarts\s(?:de\s|d['’])": "0.75",
    },
    and_a_half=r"\set\sdemie?",
    units={
        "square kilometre": r"kilomètres?\scarrés?", "square metre": r"mètres?\scarrés?",
        "kilometre per hour": r"kilomètres?(?:[\s-](?:à\sl['’]|par\s))?[\s-]?heure|km/h",
        "metre per second": r"mètres?\spar\sseconde", "kilometre": "kilomètres?",
        "centimetre": "centimètres?", "millimetre": "millimètres?", "metre": "mètres?",
        "kilogram": "kilogrammes?|kilos?", "gram": "grammes?", "tonne": "tonnes?",
        "percent": r"pour\s?cents?|pourcents?", "degree Celsius": r"degrés?\scelsius",
        "degree": "degrés?", "minute": "minutes?", "second": "secondes?", "hour": "heures?",
        "day": "jours?", "week": "semaines?", "month": "mois", "year": "ans?|années?",
        "litre": "litres?", "hectare": "hectares?", "euro": "euros?", "US dollar": "dollars?",
        "Swiss franc": r"francs?(?:\ssuisses?)?", "pound sterling": r"livres?\ssterling",
        "Russian rouble": "roubles?", "Czech koruna": r"couronnes?(?:\stchèques?)?",
    },
    hedges={
        "about": r"environ|à\speu\sprès|approximativement|quelque|autour\sde|aux\salentours\sde",
        "just under": r"près\sde|presque|un\speu\smoins\s(?:de\s|d['’])",
        "just over": r"un\speu\splus\s(?:de\s|d['’])", "over": r"plus\s(?:de|d['’])",
        "under": r"moins\s(?:de|d['’])", "at least": r"au\smoins",
        "at most": r"au\splus|jusqu['’]à",
    },
    hour=r"heures?(?:\s(?P<m>[0-5]?[0-9])(?!\w|[.,][0-9]))?|h(?:\s?(?P<m2>[0-5][0-9])(?!\w|"
    r"\s?min))?",
    at="à|vers|dès|jusqu['’]à",
    clock_words={"midi": 720, "minuit": 0},
    clock_parts={
        "HOUR heures? et demie": 30, "HOUR heures? et quart": 15,
        "HOUR heures? moins le quart": -15,
    },
    afternoon=r"de\sl['’]après-midi|du\ssoir",
    negators=(
        r"ne|n|pas|sans|aucune?|jamais|ni|non|nullement|peu|in(?:adapté|approprié|accessible)\w*|"
        r"déconseill\w*|exclu\w*|interdit\w*"
    ),
    clause="mais tandis alors bien et donc car",
    ending="(?:e|s|es|ne|nes|le|les)?",
    dropped="(?:e)?",
    nouns="m mme mlle dr",
)

SPANISH = Language(
    code="es",
    name="Spanish",
    frequent=(
        "el la los las un una unos de del y en es que con por para al se su sus lo como fue está "
        "tiene son más pero entre desde hasta cuenta no ha a era también o sobre este esta sin "
        "abre cierra media nació fundada fundado ciudad habitantes situada situado cerca donde "
        "cuesta había muy dos ya ser cuando tras según durante estos estas cada"
    ),
    months=(
        "enero ene", "febrero feb", "marzo mar", "abril abr", "mayo", "junio jun", "julio jul",
        "agosto ago", "septiembre setiembre sept", "octubre oct", "noviembre nov",
        "diciembre dic",
    ),
    weekdays="lunes martes miércoles jueves viernes sábado domingo",
    day_end=r"\.?[ºª°o]|ero?",
    of=r"(?:de\s(?:la\s|el\saño\s)?|del?\s(?:año\s)?)?",
    minus="menos",
    below_zero=r"bajo\scero",
    make_numbers=spanish_numbers,
    number_token=_LETTERS,
    thousand="",
    glue="y",
    powers={
        r"mil\smillones": 9, r"mil(?!\s?millones)": 3, r"millones|millón|mill\.": 6,
        "billones|billón": 12,
    },
    parts={
        r"(?:un\s)?medio\s": "0.5", r"(?:un\s)?cuarto\sde\s": "0.25",
        r"tres\scuartos\sde\s": "0.75",
    },
    and_a_half=r"\sy\smedi[oa]",
    units={
        "square kilometre": r"kilómetros?\scuadrados?", "square metre": r"metros?\scuadrados?",
        "kilometre per hour": r"kilómetros?\s(?:por|a\sla)\shora",
        "metre per second": r"metros?\spor\ssegundo", "kilometre": "kilómetros?",
        "centimetre": "centímetros?", "millimetre": "milímetros?", "metre": "metros?",
        "kilogram": "kilogramos?|kilos?", "gram": "gramos?", "tonne": "toneladas?",
        "percent": r"por\s?ciento", "degree Celsius": r"grados?\s(?:celsius|centígrados?)",
        "degree": "grados?", "minute": "minutos?", "second": "segundos?", "hour": "horas?",
        "day": "días?", "week": "semanas?", "month": "mes(?:es)?", "year": "años?",
        "litre": "litros?", "hectare": "hectáreas?", "euro": "euros?",
        "US dollar": "dólares|dólar", "Swiss franc": r"francos?(?:\ssuizos?)?",
        "pound sterling": r"libras?(?:\sesterlinas?)?", "Russian rouble": "rublos?",
        "Czech koruna": r"coronas?(?:\schecas?)?",
    },
    hedges={
        "about": r"unos|unas|aproximadamente|alrededor\sde|cerca\sde|en\storno\sa",
        "just under": "casi", "just over": r"algo\smás\sde|poco\smás\sde", "over": r"más\sde",
        "under": r"menos\sde", "at least": r"al\smenos|como\smínimo",
        "at most": r"como\smáximo|hasta",
    },
    hour=r"horas?|h(?:oras)?\.?(?:\s?(?P<m>[0-5][0-9])(?!\w|\s?min))?",
    at=r"a\sla|a\slas|las|hasta\slas",
    clock_words={"mediodía": 720, "medianoche": 0},
    clock_parts={
        "las? HOUR y media": 30, "las? HOUR y cuarto": 15, "las? HOUR menos cuarto": -15,
    },
    afternoon=r"de\sla\starde|de\sla\snoche",
    negators=(
        r"no|sin|ningún|ninguna?|nunca|jamás|ni|tampoco|nada|poco|inadecuad\w*|desaconsej\w*|"
        r"prohibid\w*|descart\w*"
    ),
    clause="pero mientras aunque sino y",
    ending="(?:o|a|os|as|s|es)?",
    dropped="(?:o|a|e)?",
    nouns="sr sra d dr",
)

ITALIAN = Language(
    code="it",
    name="Italian",
    frequent=(
        "il lo la i gli le un uno una di del della dei delle dell dal dalla e è in nel nella con "
        "per che si da su al alla alle ha sono stato stata non come anche più suo sua a ed ad ma "
        "trova dall all l apre chiude fu media nato nata fondata fondato città abitanti scritto "
        "scritta dai dagli negli questo costa molto due dove ci dello degli nei "
        "nelle sul sulla ai agli ogni tra fra loro questa essere oggi"
    ),
    months=(
        "gennaio gen", "febbraio feb", "marzo mar", "aprile apr", "maggio mag", "giugno giu",
        "luglio lug", "agosto ago", "settembre sett", "ottobre ott", "novembre nov",
        "dicembre dic",
    ),
    weekdays="lunedì martedì mercoledì giovedì venerdì sabato domenica",
    day_end="[º°ª]",
    of=r"(?:dell['’]anno\s|del\s|di\s|nel\s)?",
    minus="meno",
    below_zero=r"sotto\s(?:lo\s)?zero",
    make_numbers=italian_numbers,
    number_token=_LETTERS,
    thousand="mila",
    glue="e",
    powers={"mila|mille": 3, "milioni|milione|mln": 6, "miliardi|miliardo|mld": 9},
    parts={r"mezzo\s": "0.5", r"(?:un\s)?quarto\sdi\s": "0.25", r"tre\squarti\sdi\s": "0.75"},
    and_a_half=r"\se\smezz[oa]",
    units={
        "square kilometre": r"chilometr[oi]\squadrat[oi]",
        "square metre": r"metr[oi]\squadrat[oi]",
        "kilometre per hour": r"chilometr[oi]\s(?:orari[o]?|all['’]\s?ora|l['’]ora)",
        "metre per second": r"metr[oi]\sal\ssecondo", "kilometre": "chilometr[oi]",
        "centimetre": "centimetr[oi]", "millimetre": "millimetr[oi]", "metre": "metr[oi]",
        "kilogram": "chilogramm[oi]|chil[oi]", "gram": "gramm[oi]", "tonne": "tonnellat[ae]",
        "percent": r"per\s?cento", "degree Celsius": r"grad[oi]\s(?:celsius|centigrad[oi])",
        "degree": "grad[oi]", "minute": "minut[oi]", "second": "second[oi]", "hour": "or[ae]",
        "day": "giorn[oi]", "week": "settiman[ae]", "month": "mes[ei]", "year": "ann[oi]",
        "litre": "litr[oi]", "hectare": "ettar[oi]", "euro": "euro", "US dollar": "dollar[oi]",
        "Swiss franc": "franch[i]|franco", "pound sterling": "sterlin[ae]",
        "Russian rouble": "rubl[oi]", "Czech koruna": r"coron[ae](?:\scech[e])?",
    },
    hedges={
        "about": r"circa|all['’]incirca|intorno\sa|approssimativamente",
        "just under": r"quasi|poco\smeno\sdi", "just over": r"poco\spiù\sdi",
        "over": r"più\sdi|oltre", "under": r"meno\sdi", "at least": "almeno",
        "at most": r"al\smassimo|fino\sa",
    },
    hour=r"or[ae]|h(?:\s?(?P<m>[0-5][0-9])(?!\w|\s?min))?",
    at="alle|dalle|ore|le|all['’]",
    clock_words={"mezzogiorno": 720, "mezzanotte": 0},
    clock_parts={
        "(?:alle|le) HOUR e mezz[oa]": 30, "(?:alle|le) HOUR e un quarto": 15,
        "(?:alle|le) HOUR meno un quarto": -15,
    },
    afternoon=r"del\spomeriggio|di\ssera|della\ssera",
    negators=r"non|senza|nessun[oa]?|mai|né|niente|neanche|nemmeno|priv[oa]|poco|inadatt\w*|"
    r"sconsigliat\w*|vietat\w*|esclus\w*",
    clause="ma mentre però anche e",
    ending="(?:o|a|i|e|he|hi)?",
    dropped="(?:o|a|e|i)?",
    nouns="sig dott",
)

PORTUGUESE = Language(
    code="pt",
    name="Portuguese",
    frequent=(
        "o a os as um uma de do da dos das e em no na nos nas é foi com por para que se ao à "
        "pelo pela como mais não está tem sua seu são sobre entre até fica às num numa também "
        "seus suas ou abre fecha nasceu fundada fundado cidade habitantes onde muito dois duas "
        "custa situada localizada pelos pelas aos isso este esta ser já quando cada após sem"
    ),
    months=(
        "janeiro jan", "fevereiro fev", "março mar", "abril abr", "maio", "junho jun",
        "julho jul", "agosto ago", "setembro set", "outubro out", "novembro nov", "dezembro dez",
    ),
    weekdays="segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    day_end=r"\.?[ºª°o]",
    of=r"(?:de\s|do\sano\sde\s)?",
    minus="menos",
    below_zero=r"abaixo\sde\szero|negativos",
    make_numbers=portuguese_numbers,
    number_token=_LETTERS,
    thousand="",
    glue="e",
    powers={
        r"mil\smilhões": 9, r"mil(?!\s?milhões)": 3, "milhões|milhão": 6, "bilhões|bilhão": 9,
        "biliões|bilião": 12,
    },
    parts={r"meio\s": "0.5", r"(?:um\s)?quarto\sde\s": "0.25", r"três\squartos\sde\s": "0.75"},
    and_a_half=r"\se\smei[oa]",
    units={
        "square kilometre": r"quil[óô]metros?\squadrados?",
        "square metre": r"metros?\squadrados?",
        "kilometre per hour": r"quil[óô]metros?\s(?:por|à)\shora",
        "metre per second": r"metros?\spor\ssegundo", "kilometre": "quil[óô]metros?",
        "centimetre": "centímetros?", "millimetre": "milímetros?", "metre": "metros?",
        "kilogram": "quilogramas?|quilos?", "gram": "gramas?", "tonne": "toneladas?",
        "percent": r"por\s?cento", "degree Celsius": r"graus?\s(?:celsius|centígrados?)",
        "degree": "graus?", "minute": "minutos?", "second": "segundos?", "hour": "horas?",
        "day": "dias?", "week": "semanas?", "month": "m[êe]s(?:es)?", "year": "anos?",
        "litre": "litros?", "hectare": "hectares?", "euro": "euros?",
        "US dollar": "dólar(?:es)?", "Brazilian real": "rea(?:is|l)",
        "pound sterling": r"libras?(?:\sesterlinas?)?", "Swiss franc": r"francos?(?:\ssuíços?)?",
        "Russian rouble": "rublos?", "Czech koruna": r"coroas?(?:\schecas?)?",
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
    negators=r"não|sem|nenhuma?|nunca|jamais|nem|nada|tampouco|pouco|inadequad\w*|desaconselh\w*|"
    r"proibid\w*|descart\w*",
    clause="mas enquanto embora porém e",
    ending="(?:o|a|os|as|s|es|esa)?",
    dropped="(?:o|a|e)?",
    nouns="sr sra dr",
)

DUTCH = Language(
    code="nl",
    name="Dutch",
    frequent=(
        "de het een en van in is met op te voor dat die zijn aan er niet bij door uit ook naar "
        "wordt werd heeft hij zij ze om tot als maar ligt deze haar hun telt je dan geen over "
        "was werden na sinds kost geboren gelegen opgericht stad inwoners schreef onder tegen "
        "veel twee kan hier jaar waar dit nog wel meer worden zich daar hem elk af"
    ),
    months=(
        "januari jan", "februari feb", "maart mrt", "april apr", "mei", "juni jun", "juli jul",
        "augustus aug", "september sept", "oktober okt", "november nov", "december dec",
    ),
    weekdays="maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    day_end="e|de|ste",
    of=r"(?:van\s|in\s)?",
    minus="min|minus",
    below_zero=r"onder\snul|vorst",
    make_numbers=dutch_numbers,
    number_token=_LETTERS,
    thousand="duizend",
    glue="en",
    powers={"duizend": 3, r"miljoen|mln\.?": 6, r"miljard|mld\.?|mrd\.?": 9, "biljoen": 12},
    parts={
        r"(?:een\s)?driekwart\s": "0.75", r"(?:een\s)?half\s": "0.5",
        r"(?:een\s)?kwart\s": "0.25", r"anderhalf\s|anderhalve\s": "1.5",
        r"tweeënhalf\s|tweeëneenhalf\s": "2.5",
    },
    and_a_half="",
    units={
        "square kilometre": r"vierkante\skilometers?", "square metre": r"vierkante\smeters?",
        "kilometre per hour": r"kilometers?\sper\suur|km/u",
        "metre per second": r"meters?\sper\sseconde", "kilometre": "kilometers?",
        "centimetre": "centimeters?", "millimetre": "millimeters?", "metre": "meters?",
        "kilogram": "kilogram|kilo", "gram": "gram", "tonne": "ton", "percent": "procent",
        "degree Celsius": r"gra(?:den|ad)\scelsius", "degree": "gra(?:den|ad)",
        "minute": "minu(?:ten|ut)", "second": "secon(?:den|de)", "hour": "u(?:ren|ur)",
        "day": "da(?:gen|g)", "week": "we(?:ken|ek)", "month": "maan(?:den|d)",
        "year": "ja(?:ren|ar)", "litre": "liters?", "hectare": "hectaren?", "euro": "euro",
        "US dollar": "dollars?", "Swiss franc": r"(?:zwitserse\s)?frank",
        "pound sterling": "pond", "Russian rouble": "roebels?",
        "Czech koruna": r"(?:tsjechische\s)?kronen",
    },
    hedges={
        "about": r"ongeveer|circa|ca\.|zo['’]n|rond\sde|rond|omstreeks",
        "just under": r"bijna|haast|nagenoeg|iets\sminder\sdan|krap",
        "just over": r"ruim|iets\smeer\sdan", "over": r"meer\sdan", "under": r"minder\sdan",
        "at least": r"minstens|ten\sminste|minimaal", "at most": "hoogstens|maximaal|tot",
    },
    hour=r"uur(?:\s(?P<m>[0-5]?[0-9])(?!\w|[.,][0-9]))?|u(?:\s?(?P<m2>[0-5][0-9])(?!\w|\s?min))?",
    at="om|vanaf|tot|rond",
    clock_words={"middernacht": 0},
    clock_parts={"half HOUR": -30, "kwart over HOUR": 15, "kwart voor HOUR": -15},
    afternoon=r"['’]s\s(?:middags|avonds)|in\sde\s(?:middag|avond)",
    negators=(
        r"niet|geen|zonder|nooit|noch|nergens|nimmer|weinig|ongeschikt\w*|verboden|uitgesloten"
    ),
    clause="maar terwijl hoewel echter en want",
    ending="(?:s|se|e|er|en|ers)?",
    dropped="",
    nouns="dhr mevr",
)

CZECH = Language(
    code="cs",
    name="Czech",
    frequent=(
        "a v ve na je se s si z ze do od pro po při za k ke o u to že který která které není byl "
        "byla bylo jsou má jako nebo také roku roce město ale i mezi podle jeho jejich než činí "
        "leží nachází města kde přes nad pod být narodil založil lidí měří byly této tento dnes "
        "již asi jen"
    ),
    months=(
        "leden ledna lednu", "únor února únoru", "březen března březnu", "duben dubna dubnu",
        "květen května květnu", "červen června červnu", "červenec července červenci",
        "srpen srpna srpnu", "září", "říjen října říjnu", "listopad listopadu",
        "prosinec prosince prosinci",
    ),
    weekdays="pondělí úterý středa čtvrtek pátek sobota neděle",
    day_end=r"\.",
    of=r"(?:roku\s)?",
    minus="minus|mínus",
    below_zero=r"pod\snulou|mrazu|pod\snulu",
    make_numbers=czech_numbers,
    number_token=_LETTERS,
    thousand="",
    glue="a",
    powers={
        r"tisíc(?:e|i|ích)?|tis\.": 3, r"mili[oó]n(?:u|y|ů)?|mil\.": 6,
        r"miliard(?:a|y|u)?|mld\.": 9, "bilion(?:u|y|ů)?": 12,
    },
    parts={
        r"půl(?:\sdruhého)?\s": "0.5", r"čtvrt\s": "0.25",
        r"tři\sčtvrtě\s|tři\sčtvrtiny\s": "0.75", r"půldruhého\s|jeden\sa\spůl\s": "1.5",
    },
    and_a_half=r"\sa\spůl",
    units={
        "square kilometre":
            r"kilometr(?:u|y|ů|ech)?\sčtverečn\w+|čtverečn\w+\skilometr(?:u|y|ů|"
            r"ech)?",
        "square metre": r"metr(?:u|y|ů|ech)?\sčtverečn\w+|čtverečn\w+\smetr(?:u|y|ů|ech)?",
        "kilometre per hour": r"kilometr(?:u|y|ů)?\sza\shodinu",
        "metre per second": r"metr(?:u|y|ů)?\sza\ssekundu",
        "kilometre": "kilometr(?:u|y|ů|ech)?", "centimetre": "centimetr(?:u|y|ů)?",
        "millimetre": "milimetr(?:u|y|ů)?", "metre": "metr(?:u|y|ů|ech)?",
        "kilogram": "kilogram(?:u|y|ů)?|kil(?:o|a)", "gram": "gram(?:u|y|ů)?",
        "tonne": "tun(?:a|y|u)?", "percent": "procent(?:o|a|u|ech)?",
        "degree Celsius": r"stup(?:eň|ně|ňů|ni)\scelsia", "degree": "stup(?:eň|ně|ňů|ni)",
        "minute": "minut(?:a|y|u|ách)?", "second": "sekund(?:a|y|u)?",
        "hour": "hodin(?:a|y|u|ách)?", "day": "dn(?:y|í|ů|ech)|den", "week": "týd(?:en|ny|nů)",
        "month": "měsíc(?:e|ů|i)?", "year": "let|rok(?:u|y|ů)?", "litre": "litr(?:u|y|ů)?",
        "hectare": "hektar(?:u|y|ů)?", "euro": "eur(?:o|a)?", "US dollar": "dolar(?:u|y|ů)?",
        "Czech koruna": "kč|korun(?:a|y|u)?", "Swiss franc": "frank(?:u|y|ů)?",
        "pound sterling": "lib(?:er|ra|ry)", "Russian rouble": "rubl(?:u|y|ů|e)?",
    },
    hedges={
        "about": "asi|přibližně|zhruba|kolem|okolo|cca",
        "just under": "téměř|skoro|bezmála|necelých", "just over": r"o\sněco\svíce\snež",
        "over": r"více\snež|přes|víc\snež", "under": r"méně\snež|pod",
        "at least": "alespoň|nejméně|minimálně", "at most": "nejvýše|maximálně|až",
    },
    hour=r"hodin(?:y|u|ě|a)?(?:\s(?P<m>[0-5]?[0-9])\sminut\w*)?|hod\.?|h",
    at="v|ve|do|od|po|před",
    clock_words={"poledne": 720, "půlnoc": 0, "půlnoci": 0},
    clock_parts={"půl HOUR": -30, "tři čtvrtě na HOUR": -15, "(?<!tři )čtvrt na HOUR": -45},
    afternoon="odpoledne|večer",
    negators=(
        r"ne(?!dale|bo$|j|dět|děl|u$|ž$|mocni|hod|přes|kd|k|pál|mec|meck|závis|tt)\w*|bez|nikdy|"
        r"ani|žádn\w+|nikoli"
    ),
    clause="ale zatímco avšak ač a",
    ending="(?:ov|uv|in|sk|st)?[aeiouy]{0,2}(?:m|ch|mi|ho|mu)?(?:u|i)?",
    dropped="(?:a|e|o|y|i|u)?",
    changes={"h": "z", "k": "c", "g": "z"},
    fleeting="e",
    nouns="pan paní",
)

RUSSIAN = Language(
    code="ru",
    name="Russian",
    frequent=(
        "и в во не на с со что по из к у за от о об для до как это его её он она они был была "
        "было были который которая году года при а но же или человек составляет"
    ),
    months=(
        "январь января январе", "февраль февраля феврале", "март марта марте",
        "апрель апреля апреле", "май мая мае", "июнь июня июне", "июль июля июле",
        "август августа августе", "сентябрь сентября сентябре", "октябрь октября октябре",
        "ноябрь ноября ноябре", "декабрь декабря декабре",
    ),
    weekdays="понедельник вторник среда четверг пятница суббота воскресенье",
    day_end="-?(?:го|е|й|ое|ого|я|му)",
    of="",
    minus="минус",
    below_zero=r"ниже\sнуля|мороза",
    make_numbers=russian_numbers,
    number_token=_LETTERS,
    thousand="",
    glue="и",
    powers={
        r"тысяч(?:а|и|у|ей|ам)?|тыс\.?": 3, r"миллион(?:а|ов|е|ом)?|млн\.?": 6,
        r"миллиард(?:а|ов|ом)?|млрд\.?": 9, r"триллион(?:а|ов)?|трлн\.?": 12,
    },
    parts={
        "пол": "0.5", r"половин\w\s": "0.5", r"четверть\s": "0.25", r"три\sчетверти\s": "0.75",
        r"полтор[аыу]\w*\s": "1.5",
    },
    and_a_half=r"\sс\sполовиной",
    units={
        "square kilometre": r"квадратн\w+\sкилометр(?:а|ов|ах|ы)?|км²|кв\.\s?км",
        "square metre": r"квадратн\w+\sметр(?:а|ов|ах|ы)?|м²|кв\.\s?м",
        "kilometre per hour": r"километр(?:а|ов)?\sв\sчас|км/ч",
        "metre per second": r"метр(?:а|ов)?\sв\sсекунду|м/с",
        "kilometre": "километр(?:а|ов|ах|ы|е)?|км", "centimetre": "сантиметр(?:а|ов)?|см",
        "millimetre": "миллиметр(?:а|ов)?|мм", "metre": "метр(?:а|ов|ах|ы|е)?|м",
        "kilogram": "килограмм(?:а|ов)?|кг", "gram": "грамм(?:а|ов)?|г",
        "tonne": "тонн(?:а|ы)?|т", "percent": "процент(?:а|ов|ы)?",
        "degree Celsius": r"градус(?:а|ов)?\s(?:по\s)?цельси\w|°с", "degree": "градус(?:а|ов)?",
        "minute": r"минут(?:а|ы|у)?|мин\.?", "second": "секунд(?:а|ы|у)?",
        "hour": r"час(?:а|ов)?|ч\.?", "day": "дн(?:я|ей)|день|суток", "week": "недел(?:я|и|ю|ь)",
        "month": "месяц(?:а|ев)?", "year": "лет|год(?:а|у)?", "litre": "литр(?:а|ов)?|л",
        "hectare": "гектар(?:а|ов)?", "euro": "евро", "US dollar": "доллар(?:а|ов)?",
        "Russian rouble": r"рубл(?:ь|я|ей)|руб\.?", "Swiss franc": "франк(?:а|ов)?",
        "pound sterling": "фунт(?:а|ов)?", "Czech koruna": "крон(?:а|ы)?",
    },
    hedges={
        "about": "около|примерно|приблизительно|порядка", "just under": r"почти|чуть\sменее",
        "just over": r"чуть\sболее|чуть\sбольше", "over": "более|свыше|больше",
        "under": "менее|меньше", "at least": r"не\sменее|как\sминимум|минимум",
        "at most": r"не\sболее|максимум|до",
    },
    hour=r"час(?:а|ов|ам)?(?:\s(?P<m>[0-5]?[0-9])\sминут\w*)?|"
    r"ч\.?(?:\s?(?P<m2>[0-5][0-9])\s?мин\w*\.?)?",
    at="в|до|с|к",
    clock_words={"полдень": 720, "полночь": 0},
    clock_parts={r"половин\w HOUR": -30, "четверть HOUR": -45, "без четверти HOUR": -15},
    afternoon="дня|вечера|пополудни",
    negators=(
        r"не|нет|без|ни|никогда|никак\w*|отсутству\w+|не(?:подход|пригод|рекоменд|возмож|доступ|"
        r"желател|ожида)\w*|исключ\w*|запрещ\w*"
    ),
    clause="но а зато хотя однако и",
    ending="(?:ов|ев|ин|ск)?[аеиоуыюяь]{0,3}(?:м|х|в|ми|го|му)?[аеиоуыюя]?",
    dropped="[аеиоуыюяь]{0,2}",
    fleeting="ео",
    nouns="г",
)

# fmt: on

LANGUAGES: Mapping[str, Language] = {
    one.code: one for one in (GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, CZECH, RUSSIAN)
}
"""The languages whose texts `esa` reads besides English, by code."""

_OTHERS = {
    "pl": (
        "Polish",
        "i w we z ze na do od jest się nie że który która oraz przez dla jako był była po lub są",
    ),
    "sv": (
        "Swedish",
        "och är i en ett som av för på med till den det har från vid var inte också ligger",
    ),
    "da": (
        "Danish",
        "og er i en et som af for på med til den det har fra ved var ikke også ligger blev",
    ),
    "nb": (
        "Norwegian",
        "og er i en et som av for på med til den det har fra ved var ikke også ligger ble",
    ),
    "fi": (
        "Finnish",
        "ja on oli ei se että joka myös sekä hän kuin mutta ovat sijaitsee vuonna",
    ),
    "hu": (
        "Hungarian",
        "a az és egy hogy nem is van volt meg ez amely mint csak el városa található",
    ),
    "tr": (
        "Turkish",
        "ve bir bu için ile de da olan olarak daha çok gibi en ise değil yer",
    ),
    "ro": (
        "Romanian",
        "și în de la este un o cu pe din care nu se că pentru sau fost mai al ale",
    ),
    "ca": (
        "Catalan",
        "el la els les i de del dels és en amb per que una un al als té més va seva",
    ),
    "vi": (
        "Vietnamese",
        "là của và có được trong những một các này với cho không người năm tại ở từ thủ đô",
    ),
    "id": (
        "Indonesian",
        "adalah yang dan di dari dengan untuk pada ini itu oleh sebagai ibu kota dalam tidak",
    ),
}
"""Languages that are recognised only, so that their texts are not taken for others."""

_SURE_ENGLISH = word_set(
    "the and by from with it its were has that which she his her their this who also been they "
    "not where there these those when than into about after before between during through while "
    "because both each other many some such only out up you your would could should might may one "
    "two three five seven eight nine first year years old new high low small south north east "
    "located born died known called named built written published founded established released "
    "opened completed started played plays playing play works worked made used found served "
    "serves offers provides became being city country county town river lake street bridge "
    "airport university church company book author number runway length height weight people "
    "child children wife husband mother father member members founder owner food family friendly "
    "rating price customer cheap ground league player players season birth death language "
    "languages spoken ethnic group united states kingdom world army character dish came"
)
"""Words that are not frequent in one of the other languages."""
_ENGLISH = _SURE_ENGLISH | word_set("of is in was to for on at as an are be he had have or")
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
    ("Chinese", "zh", "\u3040", "\u9fff"),
)  # fmt: skip
_KANA = re.compile("[\u3040-\u30ff]")
"""What Japanese writes between Chinese characters, and Chinese does not have."""
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_NOT_RUSSIAN = {"uk": "іїєґ", "sr": "ђјљњћџ", "be": "ў"}
_FEW_LETTERS = 0.3
"""The share of letters of another script that makes a text one of its language."""
_LEAST_LETTERS = 8
"""How many of them there must be at least: a shorter text may be an English one that quotes."""
_NEARLY_ALL = 0.8
"""The share that needs no such number, since there is nothing else that could be English."""

_CODES = {
    "ger": "de", "deu": "de", "fre": "fr", "fra": "fr", "spa": "es", "ita": "it", "por": "pt",
    "dut": "nl", "nld": "nl", "cze": "cs", "ces": "cs", "rus": "ru", "eng": "en",
}  # fmt: skip
_NAMES = {
    "en": "English", "uk": "Ukrainian", "sr": "Serbian", "be": "Belarusian", "bg": "Bulgarian",
    **{code: one.name for code, one in LANGUAGES.items()},
    **{code: name for code, (name, _) in _OTHERS.items()},
    **{code: name for name, code, _, _ in _SCRIPTS},
    "ja": "Japanese", "br": "Breton", "cy": "Welsh", "ga": "Irish", "mt": "Maltese",
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


def language_code(item: Item) -> str:
    """The code of a text's language: as given, else as found, else English.

    The names of the data say nothing of the language: "san sebastián de los reyes" may stand in an
    English text.

    >>> from adequa.data import Triple
    >>> text = "adolfo suárez airport is in san sebastián de los reyes ."
    >>> fact = Triple("Adolfo_Suárez_Airport", "location", "San_Sebastián_de_los_Reyes")
    >>> find_language(text), language_code(Item("1", (fact,), text))
    ('es', 'en')
    """
    given = None if item.lang is None else code_of(item.lang)
    if given is not None:
        return given
    found = find_language(item.text)
    if found is None and not _may_be_foreign(item.text):
        return "en"
    spoken = _without_names(item)
    if _by_script(item.text) is None:
        return _by_words(spoken) or "en"
    return found if found is not None and _by_script(spoken) == found else "en"


def _may_be_foreign(text: str) -> bool:
    """Whether a text has enough foreign words to be judged again without its English names."""
    return len(_all_frequent().intersection(text.split())) >= _LEAST - 1


def _without_names(item: Item) -> str:
    """The text without the names of its data, and without their words that have marks."""
    names = {
        " ".join(_LETTERS_ONLY.findall(name.lower()))
        for triple in item.triples
        for name in (triple.subject, triple.object)
    }
    words = {word for name in names for word in name.split() if not word.isascii()}
    spoken = item.text
    for name in sorted(names, key=len, reverse=True):
        if " " in name:
            loose = r"[\W\d_]+".join(map(re.escape, name.split()))
            pattern = rf"(?<![^\W\d_]){loose}(?![^\W\d_])"
            spoken = re.sub(pattern, " ", spoken, flags=re.IGNORECASE)
    return _LETTERS_ONLY.sub(lambda word: "" if word[0].lower() in words else word[0], spoken)


def find_language(text: str) -> str | None:
    """The code of the language of a text; None if it is English, or too short to tell.

    >>> find_language("Wien ist die Hauptstadt von Österreich und liegt an der Donau.")
    'de'
    >>> find_language("Vienna is the capital of Austria."), find_language("Wien, Austria")
    (None, None)
    """
    return _by_script(text) or _by_words(text)


def _by_words(text: str) -> str | None:
    is_ascii = text.isascii()
    if is_ascii and _all_frequent().isdisjoint(text.lower().split()):
        return None  # most English texts
    written = _LETTERS_ONLY.findall(text)
    frequent_words = _all_frequent().intersection(map(str.lower, written))
    if any(len(word) == 1 for word in frequent_words):
        text = _NOT_A_WORD.sub(" ", text)
        written = _LETTERS_ONLY.findall(text)
        frequent_words = _all_frequent().intersection(map(str.lower, written))
    marks = ""
    if not is_ascii and any(map(_may_be_marked, written)):
        marks = "".join(_MARKED.findall(text))
    if len(frequent_words) + (_MOST_MARKS if marks else 0) < _LEAST - 1:
        return None  # no language can have enough of them
    # "The" and "Los" within a text are parts of names.
    first = _SENTENCE_START.findall(text)
    words = {word for word in written if word.islower()} | {*map(str.lower, first)}
    frequent_words = frequent_words & words
    counts = {code: len(own & frequent_words) for code, own in _frequent().items()}
    if marks:
        for code, letters in _MARKS.items():
            # Names in lower case have such letters too.
            if counts[code] or _ENGLISH.isdisjoint(words):
                counts[code] += min(_MOST_MARKS, sum(map(marks.count, letters)))
    best = max(counts, key=counts.__getitem__)
    most = counts[best]
    english = len(_SURE_ENGLISH & words)
    enough = most >= _LEAST and most > len(_ENGLISH & words)
    if len(words) <= _SHORT_TEXT and _ENGLISH & words <= {"in"}:
        enough = enough or most >= _LEAST - 1
    return best if enough and most >= _TIMES * english else None


def _may_be_marked(word: str) -> bool:
    """Whether `_MARKED` may find a word: it has such a letter and is not a name."""
    return not word.isascii() and (len(word) == 1 or not word[0].isupper())


@cache
def _frequent() -> Mapping[str, frozenset[str]]:
    words = {code: one.frequent for code, one in LANGUAGES.items() if code != "ru"}
    words |= {code: frequent for code, (_, frequent) in _OTHERS.items()}
    return {code: frozenset(one.split()) - _SHARED for code, one in words.items()}


@cache
def _all_frequent() -> frozenset[str]:
    return frozenset().union(*_frequent().values())


_SENTENCE_START = re.compile(r"(?:\A|[.!?]\s)\W*([^\W\d_]+)")
_LETTERS_ONLY = re.compile(r"[^\W\d_]+")
_NOT_A_WORD = re.compile(
    r"(?<![^\W\d_])[^\W\d_](?=\s?\.)|(?<=['’])\s?[sdtm](?![^\W\d_])", re.IGNORECASE
)
"""Letters of abbreviations ("u . s .") and after apostrophes ("it 's"): "s" is a word of Czech."""
_MARKED = re.compile(
    r"(?<![^\W\d_])[a-zß-öø-ÿ][^\W\d_A-Z]*[ß-öø-ɏ][^\W\d_]*|(?<!\w)[àáèéíóåö](?!\w)"
)
"""Words in lower case with a letter that English does not have; names have capitals.

Of single letters only those that are words: the others are what is left of a badly split one.
"""
_MARKS = {
    "de": "äöüß", "fr": "éèêçàùœî", "es": "ñáéíóú", "it": "àèìòù", "pt": "ãõçáéíóúâê", "nl": "ëï",
    "cs": "ěřůčžšýáíéú", "pl": "łąęśźżćńó", "sv": "åäö", "da": "æøå", "nb": "æøå", "fi": "äö",
    "vi": "đăơư", "hu": "őűáéíóúöü", "tr": "ğışçöü", "ro": "șțăâî", "ca": "èéòóàíç",
}  # fmt: skip
_MOST_MARKS = 3
"""How many frequent words such letters count for at most."""


_OTHER_SCRIPT = re.compile("[\u0370-\u1fff\u3040-\ud7af]")


def _by_script(text: str) -> str | None:
    if text.isascii() or _OTHER_SCRIPT.search(text) is None:
        return None
    letters = sum(map(str.isalpha, text))
    least = max(_FEW_LETTERS * letters, min(_LEAST_LETTERS, _NEARLY_ALL * letters))
    if len(_CYRILLIC.findall(text)) >= least:
        lower = text.lower()
        signs = {code: sum(map(lower.count, own)) for code, own in _NOT_RUSSIAN.items()}
        code = max(signs, key=signs.__getitem__)
        return code if signs[code] else "ru"
    for _, code, first, last in _SCRIPTS:
        if sum(first <= letter <= last for letter in text if letter.isalpha()) >= least:
            return "ja" if code == "zh" and _KANA.search(text) else code
    return None
