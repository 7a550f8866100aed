"""Templates extracted from training data, and a review of templates against some data.

Every text whose graph is one triple, and which names both of its ends once, gives a *pattern* with
places for the two names. For each predicate one plain pattern is chosen, by vote:

1. A fact has one vote, shared by its texts, so that a fact with many texts does not count more.
2. A vote counts for a pattern as far as the two are alike: the square of the overlap (Dice) of
   their words and pairs of neighbouring words, places among them. So the same words count 1, a
   variation most of it, and `The capital of <object> is <subject>` little for `The capital of
   <subject> is <object>`. `The novel <subject> was written by <object>` also counts as if it did
   not say what the subject is.
3. The predicate's name votes like half a fact, for patterns that have its words. It decides where
   there are few facts and hardly counts where there are many.
4. The score is the mean of the votes, from 0 to 1, and a twentieth less where the verb after a name
   is a plural. The best score wins; of equals the shortest, then the first in the alphabet.

`the` before a place stays where three quarters of the names that stood there had it. There is no
record of the data these weights were chosen on; they are kept so that templates stay the same.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from adequa.data import Item, Mention, Term, Triple
from adequa.entities import PRONOUNS, Detector
from adequa.metrics.nli.templates import (
    ANY,
    OBJECT,
    SUBJECT,
    Template,
    TemplateRow,
    Templates,
    collect,
    fold_predicate,
    fold_value,
)
from adequa.metrics.tokens import require_nltk, stem
from adequa.readers.enriched import gold_mentions
from adequa.text import CALENDAR, SMALL_WORDS, common_words, key_of, label_of, readable, word_set
from adequa.text.values import lowered, match_unit, unit_named, word_parts

_LONGEST = 18
"""Words and places of a pattern that says one fact and nothing else."""
_SAYS_THE_NAME = {
    *("abbreviation", "acronym", "alias", "comma head", "core", "date", "name", "number", "period")
}
"""The methods of mentions that the data's own name can replace."""
_TOKEN = re.compile(rf"{SUBJECT}|{OBJECT}|[^\W_]+(?:[-.'’][^\W_]+)*|['’]s?(?![^\W_])")
_ARTICLE_BEFORE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_POSSESSIVE_AFTER = re.compile(r"\s?['’´`]s?$")
_POSSESSIVE = re.compile(r"(?<=>)\s?['’´`](?:s\b)?(?=\s)")
_QUOTED = re.compile(r"[\"'“”‘’«»]\s?(<\w+>)\s?[.,]?[\"'“”‘’«»](?!s\b)")
_MEASURE = re.compile(r"^[\d.,]+\s?(?P<unit>[^\d\W].*)$")
_NEXT_SENTENCE = re.compile(r"[.!?…]+\s+\S")
_UNPLAIN = re.compile(r"[\"“”«»()\[\]{}:;!?…/~&%*=]|\s-|-\s")
_GLUED = re.compile(r"[^\W_]<|>[^\W_]")
_UNWANTED = word_set(
    "this these those we our you your i my not never approximately roughly around nearly almost"
)
"""Words that point elsewhere, deny, or hedge."""
_NO_WORDS = frozenset(("the", "a", "in", "of", "and", "at", "on", "'s"))


@dataclass(frozen=True)
class TextPattern:
    """A text whose subject and object are places."""

    string: str

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Its words and places, as they are written."""
        return tuple(_TOKEN.findall(self.string))

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The key of equal patterns: without case, punctuation and `the` before a name."""
        tokens = (token.lower().replace("’", "'") for token in self.tokens)
        words = ["a" if word == "an" else word for word in tokens]
        return tuple(
            word
            for word, after in pairwise([*words, ""])
            if word != "the" or after not in (SUBJECT, OBJECT)
        )

    @property
    def words(self) -> tuple[str, ...]:
        """The key without its places."""
        return tuple(word for word in self.key if word not in (SUBJECT, OBJECT))

    def is_plain(self, allowed: frozenset[str]) -> bool:
        """Whether it can be a template: one short sentence, without other names or figures.

        No pronoun, no hedge, no digit and no word that may be a name; those of `allowed`, the
        predicate's own, may stand in it all the same.
        """
        words = {*self.words}
        if (
            len(self.key) > _LONGEST
            or words <= _NO_WORDS
            or _NEXT_SENTENCE.search(self.string)
            or _UNPLAIN.search(self.string)
            or _GLUED.search(self.string)
            or words & (PRONOUNS.keys() | _UNWANTED | CALENDAR) - allowed
        ):
            return False
        return all(
            token in (SUBJECT, OBJECT)
            or token.lower() in allowed
            or _is_word(token, first=number == 0)
            for number, token in enumerate(self.tokens)
        )


def _is_word(token: str, *, first: bool) -> bool:
    lower = token.lower()
    known = token == lower or (first and (lower in SMALL_WORDS or lower in common_words()))
    return known and not any(map(str.isdigit, token))


def pattern_of(item: Item, detector: Detector) -> TextPattern | None:
    """The pattern of a text of one fact; None where it does not name both ends, each once.

    The ends are where people have marked them, and else where the detector finds them. Another
    name for an end ("American" for the United States) makes no pattern: the data's own name could
    not stand there.
    """
    (triple,) = item.triples
    text = item.text
    if triple.subject == triple.object or "<" in text:
        return None
    marked = bool(item.meta.get("mentions"))
    mentions = gold_mentions(item) if marked else detector.detect(item).mentions
    both = (triple.subject, triple.object)
    ends = [[mention for mention in mentions if mention.entity == end] for end in both]
    if any(len(found) != 1 or not _fits(found[0], text) for found in ends):
        return None
    (subject,), (value,) = ends
    stops = {SUBJECT: _span(subject, text), OBJECT: _span(value, text)}
    stops[OBJECT] = (stops[OBJECT][0], _unit_end(triple, text, stops[OBJECT][1]))
    first, last = sorted(stops, key=stops.__getitem__)
    (start, end), (begin, stop) = stops[first], stops[last]
    if end > begin:
        return None
    return TextPattern(_tidy(f"{text[:start]}{first}{text[end:begin]}{last}{text[stop:]}"))


def _fits(mention: Mention, text: str) -> bool:
    """Whether the data's name for an entity could stand in place of a mention."""
    start, end = _span(mention, text)
    label = label_of(mention.entity)
    if key_of(text[start:end]) in (key_of(label.string), key_of(label.base)):
        return True
    if mention.method == "gold":
        return label.base[:1].isdigit()
    return mention.method in _SAYS_THE_NAME and not mention.distance


def _span(mention: Mention, text: str) -> tuple[int, int]:
    """The place of a name, without an article before it and a possessive after it."""
    start, end = mention.start, mention.end
    words = text[start:end]
    own = label_of(mention.entity).string
    article = _ARTICLE_BEFORE.match(words)
    if article and not own.lower().startswith(article[0].lower()):
        start = start + article.end()
    possessive = _POSSESSIVE_AFTER.search(text[start:end])
    if possessive and not _POSSESSIVE_AFTER.search(own):
        end = start + possessive.start()
    return start, end


def _unit_end(triple: Triple, text: str, end: int) -> int:
    """The end of the object with the unit of its value."""
    label = label_of(triple.object)
    measure = _MEASURE.match(label.base)
    unit = label.qualifier or (measure["unit"] if measure else "")
    if not unit or unit_named(unit) is None:
        return end
    begin = end + (text[end : end + 1] in (" ", "-"))
    found = match_unit(text, lowered(text), begin, glued=begin == end)
    return found[1] if found else end


def _tidy(string: str) -> str:
    """A pattern with single spaces, no quotes around places, and one full stop at its end."""
    string = _QUOTED.sub(r"\1", " ".join(string.split()))
    string = _POSSESSIVE.sub("'s", string).rstrip(" .!…")
    return f"{string[:1].upper()}{string[1:]}."


_MOST_TEXTS = 5000
"""The most texts of a predicate that are read: more would not change the choice."""
_MOST_CANDIDATES, _MOST_VOICES = 200, 1000
_SHARE_WITH_ARTICLE = 0.75
_NAME_WEIGHT = 0.5
_PLURAL_WEIGHT = 0.95
_PLURALS = frozenset(("are", "were", "have"))
_PLACES = frozenset((SUBJECT, OBJECT))
_MOST_NOUNS = 3
_EMPTY_WORDS = frozenset(("the", "a", "an", "is", "are", "was", "were", "be", "been", "'s"))
_THE = re.compile(rf"\bthe (?={SUBJECT}|{OBJECT})", re.IGNORECASE)
_TITLE = re.compile(r"(?<=\S )[A-Z][a-z]+\b")
_WORD = re.compile(r"[^\W_]+")

Key = tuple[str, ...]
Features = Counter[str | tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ExtractedTemplate:
    """The template of a predicate and its support."""

    predicate: str
    template: Template
    support: int
    """The facts with a text in exactly these words."""
    facts: int
    """The facts that had a vote."""
    score: float
    share: float | None
    """Of the predicate's other texts of one fact, those with all of its words; None without any."""


@dataclass(frozen=True)
class Extraction:
    """The templates in alphabetical order of predicates, and the predicates without one."""

    found: tuple[ExtractedTemplate, ...]
    missing: Mapping[str, str]
    """The predicates without a template, each with the reason."""

    @property
    def templates(self) -> Templates:
        """The templates for a metric or a file."""
        return collect(TemplateRow(one.predicate, one.template.string) for one in self.found)


@dataclass
class _Texts:
    """The patterns of one predicate."""

    predicate: str
    words: frozenset[str]
    patterns: list[tuple[Triple, TextPattern]] = field(default_factory=list)
    texts: int = 0


def extract(items: Iterable[Item], progress: Callable[[int], None] = lambda _: None) -> Extraction:
    """The best template of each predicate, from texts of one fact; `progress` gets counts.

    A predicate whose texts all state several facts has no template.
    """
    require_nltk()
    detector = Detector(mode="adequacy")
    known: dict[str, _Texts] = {}
    for done, item in enumerate(items, 1):
        for triple in item.triples:
            key = fold_predicate(triple.predicate)
            if key not in known:
                name = readable(triple, item.terms)[1]
                words = frozenset(_WORD.findall(name.lower()))
                known[key] = _Texts(triple.predicate, words)
        if len(item.triples) == 1 and item.text.strip():
            texts = known[fold_predicate(item.triples[0].predicate)]
            texts.texts += 1
            if texts.texts <= _MOST_TEXTS and (pattern := pattern_of(item, detector)):
                texts.patterns.append((item.triples[0], pattern))
        progress(done)
    found: list[ExtractedTemplate] = []
    missing: dict[str, str] = {}
    for texts in sorted(known.values(), key=lambda one: one.predicate):
        best = _best(texts) if texts.patterns else None
        if best is not None:
            found.append(best)
        elif not texts.texts:
            missing[texts.predicate] = "no text says this fact alone"
        elif not texts.patterns:
            missing[texts.predicate] = "no text names both ends, each once, as the data does"
        else:
            missing[texts.predicate] = "no text is plain: other names, figures or sentences in all"
    return Extraction(tuple(found), missing)


def _best(texts: _Texts) -> ExtractedTemplate | None:
    per_fact = Counter(fact for fact, _ in texts.patterns)
    voices: dict[Key, float] = defaultdict(float)
    sayers: dict[Key, set[Triple]] = defaultdict(set)
    for fact, pattern in texts.patterns:
        voices[pattern.key] += 1 / per_fact[fact]
        sayers[pattern.key].add(fact)
    plain = {pattern.key for _, pattern in texts.patterns if pattern.is_plain(texts.words)}
    ranked = sorted(voices, key=lambda key: (-voices[key], key))
    stems = {stem(word) for word in texts.words}
    heard = [(_features_heard(key, stems), voices[key]) for key in ranked[:_MOST_VOICES]]
    total = sum(weight for _, weight in heard) + _NAME_WEIGHT
    candidates = []
    for key in [key for key in ranked if key in plain][:_MOST_CANDIDATES]:
        own = _features(key)
        nearest = ((max(_likeness(own, one) for one in said), weight) for said, weight in heard)
        votes = sum(weight * likeness**2 for likeness, weight in nearest)
        named = len(stems & {stem(word) for word in key}) / max(len(stems), 1)
        score = (votes + _NAME_WEIGHT * named) / total
        if any(one in _PLACES and verb in _PLURALS for one, verb in pairwise(key)):
            score *= _PLURAL_WEIGHT
        candidates.append((-round(score, 6), len(key), key))
    if not candidates:
        return None
    score, _, key = min(candidates)
    template = _written(key, texts)
    return ExtractedTemplate(
        texts.predicate, template, len(sayers[key]), len(per_fact), -score, _share(key, texts)
    )


def _features(key: Key) -> Features:
    """The words of a pattern and the pairs of neighbours, its two borders among them."""
    return Counter([*key, *pairwise(["", *key, ""])])


def _features_heard(key: Key, own: set[str]) -> list[Features]:
    """The features of a pattern as it is, and without nouns put before a name."""
    kept: list[str] = []
    for word in key:
        if word in _PLACES:
            at = len(kept)
            while at > max(len(kept) - _MOST_NOUNS, 0) and _is_noun(kept[at - 1], own):
                at -= 1
            if at < len(kept) and (at == 0 or kept[at - 1] == "the"):
                del kept[max(at - 1, 0) :]
        kept.append(word)
    bare = tuple(kept)
    return [_features(key)] if bare == key else [_features(key), _features(bare)]


def _is_noun(word: str, own: set[str]) -> bool:
    """Whether a word can be left out before a name: no small word, and none of the predicate."""
    return not (word in SMALL_WORDS or word in _PLACES or word == "'s" or stem(word) in own)


def _likeness(one: Features, other: Features) -> float:
    common = sum(min(count, other[feature]) for feature, count in one.items())
    return 2 * common / (sum(one.values()) + sum(other.values()))


def _written(key: Key, texts: _Texts) -> Template:
    """The pattern as most texts write it, with `the` only before places that as a rule have it.

    Commas around names go, and words of a predicate in camel case lose their capitals: nothing
    says that they are names.
    """
    alike = (pair for pair in texts.patterns if pair[1].key == key)
    same = [(fact, pattern) for fact, pattern in alike if pattern.is_plain(texts.words)]
    forms = Counter(_THE.sub("", pattern.string).replace(",", "") for _, pattern in same)
    string = min(forms, key=lambda form: (-forms[form], len(form), form))
    for place in (SUBJECT, OBJECT):
        with_article: dict[str, list[bool]] = defaultdict(list)
        for fact, pattern in same:
            name = fact.subject if place == SUBJECT else fact.object
            with_article[name].append(f"the {place}" in pattern.string.lower())
        shares = [sum(flags) / len(flags) for flags in with_article.values()]
        if sum(shares) / len(shares) >= _SHARE_WITH_ARTICLE:
            string = string.replace(place, f"the {place}")
    if " " not in texts.predicate:
        string = _TITLE.sub(lambda word: word[0].lower(), string)
    return Template(string[:1].upper() + string[1:])


def _share(key: Key, texts: _Texts) -> float | None:
    """The share of the other texts that have all words of a pattern, whatever their form."""
    words = {stem(word) for word in key if word not in _EMPTY_WORDS}
    others = [pattern.key for _, pattern in texts.patterns if pattern.key != key]
    if not others:
        return None
    return sum(words <= {stem(word) for word in other} for other in others) / len(others)


_SPOKEN = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_STRAY = re.compile(r"\s[,.;:!?]|[,;:]\.|,,|(?<!\.)\.\.(?!\.)|\s{2}")


@dataclass(frozen=True, slots=True)
class TemplateExample:
    """A template filled: with a fact of the data, or with `Alpha` and `Beta` where it has none."""

    row: TemplateRow
    sentence: str
    problem: str | None
    """The reason why it reads badly."""
    from_data: bool


@dataclass
class TemplateReview:
    """The result of a review of templates."""

    examples: list[TemplateExample]
    """One per template, in the order of the file: the first that reads badly, or else the first."""
    facts: int = 0
    said: int = 0
    """The facts that have a template."""
    missing: dict[str, int] = field(default_factory=dict)
    """The predicates of the other facts, with their numbers, most first."""

    @property
    def problems(self) -> list[TemplateExample]:
        """The examples that read badly."""
        return [one for one in self.examples if one.problem]

    @property
    def unused(self) -> list[TemplateRow]:
        """The templates that no fact of the data needs; empty where there is no data."""
        return [one.row for one in self.examples if self.facts and not one.from_data]


def examples(templates: Templates) -> list[TemplateExample]:
    """Every template filled with invented names."""
    filled = []
    for row in templates.rows():
        words = ("Alpha", "kind", "Beta" if row.value == ANY else row.value)
        filled.append(_filled(row, Template(row.template), words))
    return filled


def review(templates: Templates, items: Iterable[Item] = ()) -> TemplateReview:
    """Fill every template with the facts of some data, and count the facts that have one."""
    shown: dict[tuple[str, str], TemplateExample] = {}
    reviewed = TemplateReview([])
    seen: set[Triple] = set()

    def noted() -> Iterator[Item]:
        for item in items:
            reviewed.facts += len(item.triples)
            for triple in item.triples:
                template = templates.for_triple(triple, item.terms)
                reviewed.said += template is not None
                if template is not None and triple not in seen:
                    seen.add(triple)
                    _note(shown, templates, triple, item.terms, template)
            yield item

    reviewed.missing = templates.missing(noted())
    for invented in examples(templates):
        value = invented.row.value
        key = fold_predicate(invented.row.predicate), value if value == ANY else fold_value(value)
        reviewed.examples.append(shown.get(key, invented))
    return reviewed


def _note(
    shown: dict[tuple[str, str], TemplateExample],
    templates: Templates,
    triple: Triple,
    terms: Mapping[str, Term],
    template: Template,
) -> None:
    """Keep the example of a fact where it is the first of its template, or the first bad one."""
    term = terms.get(triple.predicate)
    predicate = fold_predicate(triple.predicate)
    if predicate not in templates.entries and term and term.label:
        predicate = fold_predicate(term.label)
    values = templates.entries[predicate]
    value = next(value for value, one in values.items() if one is template)
    known = shown.get((predicate, value))
    if known is None or not known.problem:
        row = TemplateRow(templates.names.get(predicate, predicate), template.string, value)
        example = _filled(row, template, word_parts(triple, terms), from_data=True)
        if known is None or example.problem:
            shown[predicate, value] = example


def _filled(
    row: TemplateRow, template: Template, words: tuple[str, str, str], *, from_data: bool = False
) -> TemplateExample:
    subject, predicate, value = words
    pieces = template.pieces(subject, value, predicate)
    sentence = "".join(pieces)
    return TemplateExample(row, sentence, _problem(pieces, sentence), from_data)


def _problem(pieces: list[str], sentence: str) -> str | None:
    """Why a sentence, cut at its names, reads badly; the inside of names is ignored."""
    if not sentence.rstrip("\"'”’)").endswith((".", "!", "?")):
        return "has no full stop"
    if pieces[0][:1].islower():
        return "begins with a small letter"
    if any(_STRAY.search(words) for words in pieces[::2]):
        return "has a stray sign or space"
    words = [
        (word.casefold(), number % 2)
        for number, piece in enumerate(pieces)
        for word in _SPOKEN.findall(piece)
    ]
    for (one, first), (other, last) in pairwise(words):
        if one == other and not (first and last):
            return f"says {one!r} twice"
    return None
