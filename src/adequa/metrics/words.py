"""Words of a text, for the metrics that compare words: three ways to cut, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Literal

Tokenize = Literal["treebank", "13a", "whitespace"]
TOKENIZE_DOC = (
    "treebank (as NLTK's word_tokenize cuts English), 13a (as BLEU at WMT), or whitespace"
)

_REMEMBERED = 8192
_LONGEST_REMEMBERED = 2000

# Abbreviations that stand before a name or a number, and so do not end a sentence.
_ABBREVIATION_LIST = (
    "adm apt ave brig capt col dept dr est ft gen gov hon lt maj mr mrs ms mt no nos prof rep rev "
    "sen sgt sr st vol vs jr inc co corp ltd bros feat fig op pp jan feb mar apr aug sept sep oct "
    "nov dec e.g i.e"
)
_STARTER_LIST = "A An He Her His In It Its She The Their They This"
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())
_STARTERS = frozenset(_STARTER_LIST.split())
_SENTENCE_END = re.compile(r"""(?<=[.!?])["')\]}»”’]*\s+""")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«/–—-]+$")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*\Z")

_OPENING_QUOTE = re.compile(r"""(?<=[\s(\[{<])(?:"|'')|^\"""")
_CLOSING_QUOTE = re.compile(r"''|\"")
_FINAL_PERIOD = re.compile(r"""(?<=[^.])\.(?=[\]\)}>"'»”’\s]*$)""")
_APART = re.compile(r"\.{2,}|--|`+|[,:](?!\d)|[][(){}<>;@#$%&?!*«»“”„‘’\u2012-\u2015]")
# The places, not the characters, where a word is cut in two.
_APOSTROPHE = re.compile(r"(?<=(?<!\w)')(?!(?:re|ve|ll|[mtsdn])\b)(?=\w)", re.IGNORECASE)
_CLITIC = re.compile(r"(?<=[^' ])(?='(?:[sSmMdD]|ll|LL|re|RE|ve|VE)? )|(?<=[^' ])(?=(?:n't|N'T) )")
_MERGED = re.compile(
    r"(?<=\bcan)(?=not\b)|(?<=\b(?:gim|lem))(?=me\b)|(?<=\bgon)(?=na\b)|(?<=\bgot)(?=ta\b)"
    r"|(?<=\bwan)(?=na\s)|(?<=\bd)(?='ye\b)|(?<=\bmore)(?='n\b)|(?<= 't)(?=(?:is|was)\b)",
    re.IGNORECASE,
)


def treebank_sentences(text: str) -> list[str]:
    """A text in sentences, by rule: a period after an initial or an abbreviation ends none."""
    sentences, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        if _ends_sentence(text, match.start(), match.end()):
            sentences.append(text[start : match.end()].strip())
            start = match.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def _ends_sentence(text: str, end: int, after: int) -> bool:
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
    """A text in words by the conventions of the Penn Treebank, quotes as `` and ''.

    >>> treebank("Dr. Lee's pub (a bar) isn't cheap. It is open.")  # doctest: +NORMALIZE_WHITESPACE
    ['Dr.', 'Lee', "'s", 'pub', '(', 'a', 'bar', ')', 'is', "n't", 'cheap', '.',
     'It', 'is', 'open', '.']
    """
    return [word for sentence in treebank_sentences(text) for word in _sentence_words(sentence)]


def _sentence_words(sentence: str) -> list[str]:
    sentence = _OPENING_QUOTE.sub(" `` ", sentence)
    sentence = _APOSTROPHE.sub(" ", sentence)
    sentence = _FINAL_PERIOD.sub(" . ", sentence)
    sentence = _CLOSING_QUOTE.sub(" '' ", sentence)
    sentence = _APART.sub(r" \g<0> ", sentence)
    sentence = _CLITIC.sub(" ", f" {sentence} ".replace("\n", " "))
    return _MERGED.sub(" ", sentence).split()


def _thirteen_a(text: str) -> list[str]:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return str(Tokenizer13a()(text)).split()


_CUTTERS: Mapping[str, Callable[[str], list[str]]] = {
    "treebank": treebank,
    "13a": _thirteen_a,
    "whitespace": str.split,
}


def cut(text: str, how: Tokenize, lowercase: bool) -> tuple[str, ...]:
    """The words of a text; the same short text is cut once."""
    if len(text) > _LONGEST_REMEMBERED:
        return _cut(text, how, lowercase)
    return _remembered(text, how, lowercase)


def _cut(text: str, how: Tokenize, lowercase: bool) -> tuple[str, ...]:
    words = _CUTTERS[how](text)
    return tuple(word.lower() for word in words) if lowercase else tuple(words)


_remembered = lru_cache(maxsize=_REMEMBERED)(_cut)
