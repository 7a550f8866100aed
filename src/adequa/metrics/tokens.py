"""Tokens, stems and synonyms by NLTK (extra `nltk`), for the metrics that compare words.

Three things differ from what NLTK does by itself:

- Sentences are found by the rules below. NLTK's splitter needs a trained model that is downloaded;
  the rules of `adequa.text.sentences` cut 90 of 12,286 texts of our golden runs elsewhere, which
  would change published scores.
- One rule of NLTK's tokeniser is left out, because its effect on a quote inside a word (`It's' s`)
  would change the score of 1 of these texts.
- WordNet is read from the folder that the system or the user has, not from NLTK's data.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from adequa.caches import MEGABYTE, Cache, cached
from adequa.data import Item
from adequa.errors import DataError, SettingError, require_packages
from adequa.files import open_bytes
from adequa.metrics.base import references_of
from adequa.text import word_set

Tokenize = Literal["treebank", "13a", "whitespace"]
TOKENIZE_DOC = (
    "treebank (as NLTK's word_tokenize cuts English), 13a (as BLEU at WMT), or whitespace"
)

_LONGEST_WORD = 100
"""Characters; longer tokens are not English words and would only fill the caches."""


def require_nltk() -> None:
    """Raise MissingExtra if NLTK is not installed, without importing it."""
    require_packages("nltk", "nltk")


def nltk_version() -> str:
    """The installed version of NLTK, for signatures."""
    require_nltk()
    return metadata.version("nltk")


# Abbreviations that stand before a name or a number, and so do not end a sentence.
_ABBREVIATIONS = word_set(
    "adm apt ave brig capt col dept dr est ft gen gov hon lt maj mr mrs ms mt no nos prof rep rev "
    "sen sgt sr st vol vs jr inc co corp ltd bros feat fig op pp jan feb mar apr aug sept sep oct "
    "nov dec e.g i.e"
)
_STARTERS = word_set("A An He Her His In It Its She The Their They This")
_SENTENCE_END = re.compile(r"""(?<=[.!?])["')\]}»”’]*\s+""")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«/–—-]+$")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*\Z")


def treebank_sentences(text: str) -> list[str]:
    """The sentences of a text; a period after an initial or an abbreviation does not end one."""
    sentences, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        if _ends_sentence(text, end=match.start(), after=match.end()):
            sentences.append(text[start : match.end()].strip())
            start = match.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def _ends_sentence(text: str, *, end: int, after: int) -> bool:
    if text[end - 1] != ".":
        return True
    found = _LAST_WORD.search(text, max(0, end - 40), end - 1)
    word = found.group() if found else ""
    if word.lower() in _ABBREVIATIONS:
        return False
    quoted = bool(text[end:after].strip())
    if (quoted or word[-1:].isdigit()) and text[after : after + 1].islower():
        return False
    if _INITIALS.match(word):
        following = text[after : after + 20].split(None, 1)
        return len(word) > 1 and bool(following) and following[0] in _STARTERS
    return True


def treebank(text: str) -> list[str]:
    """The words of a text by the conventions of the Penn Treebank, quotes as `` and ''.

    >>> treebank("Dr. Lee's pub (a bar) isn't cheap. It is open.")  # doctest: +NORMALIZE_WHITESPACE
    ['Dr.', 'Lee', "'s", 'pub', '(', 'a', 'bar', ')', 'is', "n't", 'cheap', '.',
     'It', 'is', 'open', '.']
    """
    tokenize = _treebank_tokenizer().tokenize
    return [word for sentence in treebank_sentences(text) for word in tokenize(sentence)]


@lru_cache(maxsize=1)
def _treebank_tokenizer() -> Any:
    require_nltk()
    from nltk.tokenize import NLTKWordTokenizer

    tokenizer = NLTKWordTokenizer()
    # See the top of this module.
    kept = (rule for rule in tokenizer.PUNCTUATION if rule[0].pattern != r"([^'])' ")
    tokenizer.PUNCTUATION = list(kept)
    return tokenizer


def _thirteen_a(text: str) -> list[str]:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return str(Tokenizer13a()(text)).split()


_TOKENIZERS: Mapping[str, Callable[[str], list[str]]] = {
    "treebank": treebank,
    "13a": _thirteen_a,
    "whitespace": str.split,
}


@cached(16 * MEGABYTE)  # references recur with every system that is scored
def tokens(text: str, how: Tokenize, *, lowercase: bool) -> tuple[str, ...]:
    """The words of a text, cut in one of the three ways."""
    words = _TOKENIZERS[how](text)
    return tuple(word.lower() for word in words) if lowercase else tuple(words)


def item_tokens(
    item: Item, how: Tokenize, *, lowercase: bool
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The words of an item's text, and of each of its references that is not blank."""
    texts = [item.text, *filter(str.strip, references_of(item))]
    words, *others = (tokens(text, how, lowercase=lowercase) for text in texts)
    return words, others


def stem(word: str, *, extended: bool = False) -> str:
    """Porter's stem (1980) of a lower-case word, or the stem with NLTK's extensions.

    >>> stem("relational"), stem("hopping"), stem("dying", extended=True)
    ('relat', 'hop', 'die')
    """
    return word if len(word) > _LONGEST_WORD else _stem(word, extended)


@lru_cache(maxsize=1 << 16)
def _stem(word: str, extended: bool) -> str:
    return str(_stemmer(extended).stem(word, to_lowercase=False))


@lru_cache(maxsize=2)
def _stemmer(extended: bool) -> Any:
    require_nltk()
    from nltk.stem import PorterStemmer

    modes = PorterStemmer.ORIGINAL_ALGORITHM, PorterStemmer.NLTK_EXTENSIONS
    return PorterStemmer(mode=modes[extended])


_PLACES = (
    *("/usr/share/wordnet", "/usr/local/share/wordnet", "/usr/share/wordnet/dict"),
    *("/usr/local/WordNet-3.0/dict", "/opt/homebrew/opt/wordnet/dict"),
)
_PARTS = ("noun", "verb", "adj", "adv")
_FILES = (
    *(f"{kind}.{part}" for part in _PARTS for kind in ("index", "data")),
    *(f"{part}.exc" for part in _PARTS),
)
_DATA_FILES = {
    "n": "data.noun",
    "v": "data.verb",
    "a": "data.adj",
    "s": "data.adj",
    "r": "data.adv",
}
_LEXNAMES = "".join(f"{number:02d}\tname\t1\n" for number in range(45))
"""Stands for the names of WordNet's source files, which not every system has; unused here."""


def find_wordnet(named: Path | None) -> Path:
    """The folder with WordNet's files: the one that is named, or else the one of this system."""
    if named is not None:
        for folder in (named, named / "dict"):
            if _is_wordnet(folder):
                return folder
        missing = next(name for name in _FILES if not (named / name).is_file())
        raise SettingError(
            f"{named} is not a WordNet folder: it has no {missing}; name the folder with "
            "index.noun, data.noun, noun.exc and so on (Debian: /usr/share/wordnet)"
        )
    for folder in _usual_places():
        if _is_wordnet(folder):
            return folder
    raise SettingError(
        "meteor needs WordNet, which was not found: install it (Debian: apt install wordnet-base), "
        "name its folder with meteor:wordnet=FOLDER, or do without it with meteor:synonyms=false"
    )


def _usual_places() -> Iterator[Path]:
    if searched := os.environ.get("WNSEARCHDIR"):
        yield Path(searched)
    if home := os.environ.get("WNHOME"):
        yield Path(home) / "dict"
    yield from map(Path, _PLACES)


def _is_wordnet(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _FILES)


def fingerprint(folder: Path) -> str:
    """The first 12 digits of the sha256 of the WordNet files that are used."""
    digest = hashlib.sha256()
    for name in _FILES:
        digest.update(name.encode() + b"\0")
        with open_bytes(folder / name) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:12]


def open_wordnet(folder: Path) -> WordNet:
    """The WordNet of a folder, read once while its files do not change."""
    found = ((folder / name).stat() for name in _FILES)
    stamp = tuple((status.st_mtime_ns, status.st_size) for status in found)
    with _OPENING:
        return _open(folder, stamp)


_OPENING = threading.Lock()


@lru_cache(maxsize=1)  # one WordNet takes about 100 MB
def _open(folder: Path, stamp: object) -> WordNet:
    del stamp  # part of the key
    return WordNet(folder)


class WordNet:
    """Synonyms from a WordNet folder by NLTK's reader, which one thread uses at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._reader = self._read()
        self._known: Cache[frozenset[str]] = Cache(32 * MEGABYTE)

    def synonyms(self, word: str) -> frozenset[str]:
        """The one-word lemmas, as spelt in WordNet, of all senses of a lower-case word."""
        if len(word) > _LONGEST_WORD:
            return frozenset()
        known = self._known.get(word)
        if known is None:
            with self._lock:
                senses = self._reader.synsets(word)
                names = (lemma.name() for sense in senses for lemma in sense.lemmas())
                known = self._known.put(word, frozenset(name for name in names if "_" not in name))
        return known

    def _read(self) -> Any:
        require_nltk()
        import nltk
        from nltk.corpus.reader.wordnet import WordNetCorpusReader
        from nltk.data import SeekableUnicodeStreamReader

        folder, damaged, opened = self._folder, self._damaged, [""]

        class Reader(WordNetCorpusReader):  # type: ignore[misc]
            """NLTK's reader of a folder that has WordNet's files but not NLTK's own."""

            def open(self, file: str) -> Any:
                opened.append(file)
                if file == "lexnames":
                    return io.StringIO(_LEXNAMES)
                with open_bytes(folder / file) as stream:  # NLTK would never close it
                    return SeekableUnicodeStreamReader(io.BytesIO(stream.read()), "utf8")

            def map_wn(self, version: str = "wordnet") -> None:
                """Do not look for another WordNet to map senses between versions."""

            def synset_from_pos_and_offset(self, pos: str, offset: int) -> Any:
                try:
                    synset = super().synset_from_pos_and_offset(pos, offset)
                except Exception as error:  # NLTK raises many kinds for a damaged line
                    raise damaged(_DATA_FILES[pos], f"byte {offset}") from error
                if synset is None:
                    raise damaged(_DATA_FILES[pos], f"byte {offset}")
                return synset

        if str(folder) not in nltk.data.path:
            nltk.data.path.append(str(folder))  # NLTK reads only from the folders listed here
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NLTK warns that other languages are not available
            try:
                return Reader(str(folder), None)
            except Exception as error:  # as above
                raise damaged(opened[-1], "a line") from error

    def _damaged(self, name: str, what: str) -> DataError:
        problem = f"{what} is not as WordNet writes it"
        return DataError(problem, path=self._folder / name, remedy="install WordNet again")
