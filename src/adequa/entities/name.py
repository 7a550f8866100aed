"""One way to say an entity, how sure it is, and the words that names are made of."""

from __future__ import annotations

from typing import NamedTuple

from adequa.entities.text import key_of

__all__ = [
    "ARTICLES",
    "CLUB_WORDS",
    "DERIVED",
    "LEGAL",
    "LOOSE_ENDS",
    "NAME",
    "NUMERALS",
    "OFFICES",
    "PART",
    "SHORT",
    "SMALL",
    "TURNED",
    "WEAK",
    "YEAR",
    "Name",
    "named",
    "proper",
    "says_little",
]

NAME, DERIVED, WEAK, PART = 0, 1, 2, 3
SHORT = 3
YEAR = 4
ARTICLES = {"the", "a", "an"}
SMALL = {
    *ARTICLES,
    *("of", "in", "and", "for", "on", "at", "to", "de", "la", "le", "du", "des", "del", "der"),
    *("di", "da", "do", "dos", "von", "van", "den", "el", "al", "by", "with", "from", "e", "y"),
}
SMALL = {
    *ARTICLES,
    *("of", "in", "and", "for", "on", "at", "to", "de", "la", "le", "du", "des", "del", "der"),
    *("di", "da", "do", "dos", "von", "van", "den", "el", "al", "by", "with", "from", "e", "y"),
}
WORDS = {"it", "he", "she", "us", "is", "was", "be", "as", "so", "no", "not", "may", "can", "see"}
LOOSE_ENDS = {
    *("language", "languages", "people", "music", "sauce", "dish", "cuisine", "food", "river"),
    *("city", "town", "county", "state", "province", "region", "district", "island", "islands"),
    *("album", "film", "song", "band", "novel", "book", "magazine", "journal", "newspaper"),
    *("company", "group", "records", "ethnic", "americans", "soup", "bread", "cake", "salad"),
    *("architecture", "style", "postcode", "area", "league", "division", "time", "zone"),
    *("cars", "car", "automobile", "engine", "asteroid", "party", "family", "game", "series"),
}
LOOSE_ENDS = {
    *("language", "languages", "people", "music", "sauce", "dish", "cuisine", "food", "river"),
    *("city", "town", "county", "state", "province", "region", "district", "island", "islands"),
    *("album", "film", "song", "band", "novel", "book", "magazine", "journal", "newspaper"),
    *("company", "group", "records", "ethnic", "americans", "soup", "bread", "cake", "salad"),
    *("architecture", "style", "postcode", "area", "league", "division", "time", "zone"),
    *("cars", "car", "automobile", "engine", "asteroid", "party", "family", "game", "series"),
}
CLUB_WORDS = {
    *("fc", "ac", "afc", "cf", "sc", "as", "ss", "us", "acf", "ssc", "cd", "ca", "fk", "nk", "sk"),
    *("sv", "vfl", "vfb", "tsv", "fsv", "asd", "ssd", "bk", "if", "ifk", "pfc", "cfc", "rcd", "ud"),
    *("club", "football", "futbol", "calcio", "sportiva", "associazione", "societa", "deportivo"),
    *("agremiacao", "esporte", "clube", "sporting", "athletic", "athletikos", "unione", "srl"),
    *("spa", "nfc", "sfc", "lfc", "afs", "soccer"),
}
LEGAL = {"inc", "ltd", "llc", "plc", "corp", "co", "gmbh", "ag", "sa", "nv", "limited", "company"}
GENERIC = {
    *("university", "institute", "college", "school", "academy", "airport", "international"),
    *("regional", "national", "stadium", "museum", "hospital", "building", "hall", "tower"),
    *("church", "street", "road", "avenue", "bridge", "station", "center", "centre", "park"),
    *("association", "federation", "organisation", "organization", "foundation", "society"),
    *("technology", "science", "technical", "council", "committee", "department", "monument"),
    *("memorial", "township", "republic", "kingdom", "empire", "people", "press", "publishers"),
    *("publishing", "entertainment", "studios", "pictures", "network", "corporation", "motors"),
    *("division", "series", "championship", "cup", "award", "prize", "medal", "jr", "sr", "ii"),
}
GENERIC = {
    *("university", "institute", "college", "school", "academy", "airport", "international"),
    *("regional", "national", "stadium", "museum", "hospital", "building", "hall", "tower"),
    *("church", "street", "road", "avenue", "bridge", "station", "center", "centre", "park"),
    *("association", "federation", "organisation", "organization", "foundation", "society"),
    *("technology", "science", "technical", "council", "committee", "department", "monument"),
    *("memorial", "township", "republic", "kingdom", "empire", "people", "press", "publishers"),
    *("publishing", "entertainment", "studios", "pictures", "network", "corporation", "motors"),
    *("division", "series", "championship", "cup", "award", "prize", "medal", "jr", "sr", "ii"),
}
TURNED = {"county", "township", "city", "district", "province", "region", "state", "island"}
OFFICES = {
    *("president", "chancellor", "premier", "king", "queen", "emperor", "monarch", "governor"),
    *("mayor", "minister", "secretary", "chairman", "speaker", "ambassador"),
}
OFFICES = {
    *("president", "chancellor", "premier", "king", "queen", "emperor", "monarch", "governor"),
    *("mayor", "minister", "secretary", "chairman", "speaker", "ambassador"),
}
NUMERALS = {"ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"}


class Name(NamedTuple):
    """One way to say an entity."""

    key: str
    tier: int
    method: str
    cased: bool = False
    """Needs a capital letter in the text, where the text has any: `US` is not `us`."""
    one_word: bool = False
    """Never stands for two words of a text: `Pakistanis` is not `Pakistan, is`."""


def named(string: str, tier: int, method: str) -> Name:
    """A string as a name; one in capitals throughout, or like a common word, needs its case."""
    key = key_of(string)
    letters = sum(character.isupper() for character in string)
    short = (letters >= 2 and letters == len(key)) or key in SMALL or key in WORDS
    return Name(key, tier, method, short and key.isalpha(), " " not in string and len(key) < 5)


def proper(string: str, tier: int, method: str) -> Name:
    """A string that is a name of its own, such as a demonym: short ones need a capital."""
    key = key_of(string)
    return Name(key, tier, method, cased=len(key) <= SHORT + 1, one_word=" " not in string)


def says_little(word: str) -> bool:
    """Whether a word is one of those that many names have."""
    return (
        word in SMALL
        or word in LOOSE_ENDS
        or word in CLUB_WORDS
        or word in LEGAL
        or word in TURNED
        or word in GENERIC
        or (word.isdigit() and len(word) == YEAR)
    )
