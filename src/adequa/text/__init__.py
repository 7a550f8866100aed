"""Plain language: labels, predicates, words and sentences; dates, numbers and units in `values`.

The bottom room: it knows no metric and imports nothing above `adequa.data`.
"""

from adequa.text.labels import (
    MARKERS,
    Label,
    folded,
    is_symmetric,
    label_of,
    local_name,
    mark_triples,
    readable,
    split_camel,
)
from adequa.text.languages import (
    LANGUAGES,
    Language,
    find_language,
    language_code,
    language_name,
)
from adequa.text.letters import fold, is_cyrillic, sound_distance
from adequa.text.sentences import (
    LONGEST_SENTENCE,
    Span,
    clauses_around,
    count_words,
    sentence_at,
    split_clauses,
    split_sentences,
    starting_in,
    word_set,
)
from adequa.text.words import (
    CALENDAR,
    GENERIC,
    SMALL_WORDS,
    TITLES,
    PreparedText,
    common_words,
    key_of,
    words_of,
)

__all__ = [
    "CALENDAR", "GENERIC", "LANGUAGES", "LONGEST_SENTENCE", "MARKERS", "SMALL_WORDS", "TITLES",
    "Label", "Language", "PreparedText", "Span", "clauses_around", "common_words", "count_words",
    "find_language", "fold", "folded", "is_cyrillic", "is_symmetric", "key_of", "label_of",
    "language_code", "language_name", "local_name", "mark_triples", "readable", "sentence_at",
    "sound_distance", "split_camel", "split_clauses", "split_sentences", "starting_in", "word_set",
    "words_of",
]  # fmt: skip
