"""The judgment of an item by its entities: missing, unexplained and repeated ones, with reasons."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import chain
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from adequa.caches import MEGABYTE, Cache
from adequa.data import Item, Mention, Triple
from adequa.entities.comparisons import (
    find_reversals,
    find_wrong_shares,
    has_comparison,
    may_reverse,
)
from adequa.entities.coreference import StanzaCoreference, pronoun_spans, resolve_pronouns
from adequa.entities.detector import Detection, Detector, Mode
from adequa.entities.graph import Graph
from adequa.entities.inflections import untranslated
from adequa.entities.paper import PaperDetector, Resolve, Synonyms, merge_mentions
from adequa.entities.unexplained import UnexplainedSpan, find_unexplained, words_of_record
from adequa.entities.values import DataValues, unnamed_terms, values_of
from adequa.errors import DataError, MissingExtra, SettingError
from adequa.settings import setting
from adequa.text import (
    LANGUAGES,
    Language,
    PreparedText,
    Span,
    clauses_around,
    language_code,
    split_sentences,
    words_of,
)

if TYPE_CHECKING:
    from adequa.entities.aliases.lookup import Aliases
    from adequa.entities.credibility import FindingReader
    from adequa.entities.linker import Link

# Limits of repetitions; no record of the data they were chosen on, kept for stable scores.
_LONGEST_UNIT = 8
_LEAST_TIMES = 3
_LEAST_SENTENCE = 4
_IN_A_ROW = 4
"""Words in a row that occur twice in any repetition but that of a single word."""
_MOST_WORDS = 20_000
"""Words of a text that are searched; bounds the time."""


class Repetition(NamedTuple):
    """A repeated span, and a sentence about it."""

    start: int
    end: int
    why: str


def find_repetitions(text: PreparedText) -> tuple[Repetition, ...]:
    """Loops of up to eight words repeated three times or more, and sentences that occur twice.

    >>> text = PreparedText("the dish of the dish of the dish of rice")
    >>> [found.why for found in find_repetitions(text)]
    ["'the dish of' is said 3 times in a row"]
    """
    words = text.words[:_MOST_WORDS]
    repeated = len(words) - len({*words})
    if not repeated:
        return ()
    following = words[1:]
    if not any(map(eq, words, following)):
        # Whatever is repeated has four words in a row that have all occurred before: a sentence has
        # as many, and a loop of two words or more comes round three times.
        if repeated < _IN_A_ROW:
            return ()
        if len({*zip(words, following, words[2:], words[3:], strict=False)}) == len(words) - 3:
            return ()
    found: list[Repetition] = []
    if _beats(words):
        found = _loops(words, text)
    if len(words) >= 2 * _LEAST_SENTENCE and text.sentences[len(words) - 1]:
        found += _sentences(words, text, found)
    return tuple(found)


def _beats(words: list[str]) -> bool:
    """Whether a word occurs three times at equal, short distances, as in every loop."""
    last: dict[str, tuple[int, int]] = {}
    for place, word in enumerate(words):
        before, step = last.get(word, (place, 0))
        gap = place - before
        if gap and gap == step and gap <= _LONGEST_UNIT:
            return True
        last[word] = place, gap
    return False


def _loops(words: list[str], text: PreparedText) -> list[Repetition]:
    found: list[Repetition] = []
    done = 0
    for length in range(1, min(_LONGEST_UNIT, len(words) // _LEAST_TIMES) + 1):
        run = 0
        for place in range(len(words) - length + 1):
            if place < len(words) - length and words[place] == words[place + length]:
                run += 1
                continue
            times = run // length + 1
            if times < _LEAST_TIMES:
                run = 0
                continue
            first = place - run
            unit = " ".join(words[first : first + length])
            # Equal figures (1000 1000 1000) and initials of one letter are not loops.
            last = first + times * length - 1
            listed = length == 1 and "," in text.string[text.starts[first] : text.ends[last]]
            if first >= done and len(unit) > 1 and not unit.isdigit() and not listed:
                why = f"{unit!r} is said {times} times in a row"
                found.append(Repetition(text.starts[first], text.ends[last], why))
                done = last + 1
            run = 0
    return found


def _sentences(words: list[str], text: PreparedText, loops: list[Repetition]) -> list[Repetition]:
    found: list[Repetition] = []
    seen: set[tuple[str, ...]] = set()
    first = 0
    numbers = text.sentences
    while first < len(words):
        place = min(bisect_right(numbers, numbers[first], first), len(words))
        if place - first >= _LEAST_SENTENCE:
            sentence = tuple(words[first:place])
            start, end = text.starts[first], text.ends[place - 1]
            # A loop is one fault: neither its sentences nor the beginning of one after it are more.
            if all(end <= one.start or one.end <= start for one in loops):
                if sentence in seen:
                    found.append(Repetition(start, end, "this sentence is said twice"))
                seen.add(sentence)
        first = place
    return found


_PLACEHOLDER = re.compile(r"\[[A-Z_ ]+\]")
"""`[TABLECONTEXT]` and the like stand for a table; texts do not mention them."""
_WORDS_PER_TRIPLE = 3
"""A text with fewer words per triple is short: most human texts of WebNLG have seven or more."""


@dataclass(frozen=True)
class JudgmentSettings:
    """The settings of a judgment; the metrics `esa` and `esa_strict` inherit these fields."""

    detector: Literal["adequa", "paper"] = setting(
        "adequa", "our detector, or the paper's Algorithm 1 to the letter"
    )
    mode: Mode = setting(
        "adequacy", "adequacy wants the right value, mentions any word that refers to it"
    )
    threshold: float | None = setting(
        None,
        "the greatest edit distance of a misspelt name, from 0 to 1; none is 0.25 in "
        "adequacy mode and 0.4 (the paper's) otherwise",
        at_least=0,
        at_most=1,
    )
    conversions: bool = setting(
        True, "a value in another unit is a mention (`converted number`): 3 km, 3000 m"
    )
    aliases: Path | None = setting(
        None, "other names of entities: TSV, JSON, or built by `adequa aliases build`"
    )
    ignore: tuple[str, ...] = setting((), "predicates whose triples are left out altogether")
    optional: tuple[str, ...] = setting(
        (), "predicates whose objects may be left out: the text is free to select"
    )
    allowed: Path | None = setting(None, "a file of phrases, one per line, that a text may add")
    linker: str | None = setting(None, "the URL of a REL server, asked for further mentions")
    coreference: Literal["none", "stanza", "adequa"] = setting(
        "none",
        "who resolves pronouns: Stanza's chains (extra coref), or adequa's own decisions, "
        "which mode=mentions makes anyway",
    )

    def require_resources(self) -> None:
        """Open the files and services named here, so that a wrong one is reported at once.

        A setting that the others leave without effect is wrong too.
        """
        self._require_effect()
        if self.aliases is not None:
            from adequa.entities.aliases.lookup import open_aliases

            open_aliases(self.aliases)
        if self.allowed is not None:
            read_phrases(self.allowed)
        if self.linker is not None:
            from adequa.entities.linker import RelClient

            RelClient(self.linker)
        if self.coreference == "stanza" and find_spec("stanza") is None:
            raise MissingExtra("coref", "stanza")

    def _require_effect(self) -> None:
        if self.detector == "paper" and self.mode == "mentions":
            raise SettingError(
                "mode=mentions has no effect with detector=paper: Algorithm 1 finds every mention; "
                "leave mode out"
            )
        if self.detector == "paper" and not self.conversions:
            raise SettingError(
                "conversions=false has no effect with detector=paper: Algorithm 1 converts no "
                "units; leave conversions out"
            )
        if (self.detector, self.mode, self.coreference) == ("adequa", "mentions", "adequa"):
            raise SettingError(
                "coreference=adequa has no effect with mode=mentions, which resolves pronouns so "
                "anyway; leave coreference out"
            )

    def judgment_key(self) -> tuple[object, ...]:
        """The values that a judgment depends on, including the state of the files."""
        if self.aliases is None and self.allowed is None:
            return self._values
        return (*self._values, _stamp(self.aliases), _stamp(self.allowed))

    @cached_property
    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, one.name) for one in fields(JudgmentSettings))


class EntityJudgment(NamedTuple):
    """The result of judging one text."""

    text: str
    triples: tuple[Triple, ...]
    entities: tuple[str, ...]
    mentions: tuple[Mention, ...]
    missing: tuple[str, ...]
    unexplained: tuple[UnexplainedSpan, ...]
    repetitions: tuple[Repetition, ...]
    cause: str | None
    """Why entities are missing, in the paper's classes: short, hallucinated, degenerate, other."""

    def reasons(self) -> dict[str, str]:
        """A sentence for each missing entity."""
        facts: dict[str, list[Triple]] = {entity: [] for entity in self.missing}
        for triple in self.triples:
            for entity in dict.fromkeys((triple.subject, triple.object)):
                if entity in facts:
                    facts[entity].append(triple)
        instead: dict[str | None, UnexplainedSpan] = {}
        for span in self.unexplained:
            instead.setdefault(span.nearest, span)
        return {
            entity: self._reason(entity, facts[entity], instead.get(entity))
            for entity in self.missing
        }

    def _reason(self, entity: str, facts: Sequence[Triple], near: UnexplainedSpan | None) -> str:
        more = f" and {len(facts) - 1} more" if len(facts) > 1 else ""
        causes = {
            "short": "; the text is short for its data",
            "hallucinated": "; the text has other names or values instead",
            "degenerate": "; the text repeats itself",
        }
        instead = causes.get(self.cause or "", "")
        if near is not None:
            instead = f"; the text has {self.text[slice(*near.place)]!r} instead"
        return f"no mention of {entity!r} ({' | '.join(facts[0])}{more}){instead}"

    def surplus(self) -> Iterator[tuple[UnexplainedSpan, str]]:
        """Each unexplained span with a sentence about it."""
        for span in self.unexplained:
            yield span, span.reason(self.text)


# `esa`, `esa_strict` and `nli` of one run judge the same items with mostly the same settings.
_judgments: Cache[EntityJudgment] = Cache(32 * MEGABYTE)


def _estimated_bytes(item: Item, judgment: EntityJudgment) -> int:
    """The approximate size in memory of a judgment and its key."""
    letters = 2 * len(item.text) + sum(map(len, chain.from_iterable(item.triples)))
    letters += sum(map(len, item.paths))
    spans = len(judgment.entities) + len(judgment.mentions) + 2 * len(judgment.unexplained)
    return 800 + letters + 230 * len(item.triples) + 130 * spans


def judge(item: Item, settings: JudgmentSettings, code: str | None = None) -> EntityJudgment:
    """Judge one item; raises ServiceError if a service in the settings fails.

    `code` is that of the text's language where it is known.
    """
    language = LANGUAGES.get(code or language_code(item))
    key: tuple[object, ...] = (item.text, item.triples, item.paths, settings.judgment_key())
    if language is not None or item.terms:
        names = item.terms.items()
        labels = tuple(sorted((name, term.label) for name, term in names if term.label))
        key += (language, labels, unnamed_terms(item), _other_labels(item))
    if item.record is not None:  # fields that are left out of the facts may explain a name
        key += (frozenset(words_of_record(item.record)),)
    known = _judgments.get(key)
    if known is None:
        known = _judge(item, settings, language)
        _judgments.put(key, known, size=_estimated_bytes(item, known))
    return known


def _other_labels(item: Item) -> tuple[object, ...]:
    named = (pair for pair in item.terms.items() if pair[1].labels)
    return tuple(sorted((name, tuple(term.labels.items())) for name, term in named))


def _judge(item: Item, settings: JudgmentSettings, language: Language | None) -> EntityJudgment:
    data = item
    if settings.ignore:
        kept = [triple for triple in item.triples if triple.predicate not in settings.ignore]
        places = [n for n, one in enumerate(item.triples) if one.predicate not in settings.ignore]
        paths = tuple(item.paths[place] for place in places) if item.paths else ()
        data = replace(item, triples=tuple(kept), paths=paths)
    detection = _detect(data, settings, language)
    mentions = detection.mentions
    values = values_of(data, detection.ours.graph)
    found = {mention.entity for mention in mentions}
    wanted = detection.ours.graph.derive("wanted", _all_wanted)
    optional: tuple[str, ...] = ()
    if settings.optional:
        wanted = _wanted(data, settings.optional)
        optional = tuple(one for one in detection.entities if one in found and one not in wanted)
    free: AbstractSet[str] = unnamed_terms(item) - found if item.terms else frozenset()
    spare = 0
    if language is not None:
        # Where the data has labels in the language, what has none is called the same.
        told = any(language.code in term.labels for term in item.terms.values())
        untold = set() if told else untranslated(detection.ours.graph) - found
        spare = len(untold)
        free = free | untold | (values.unreadable(language) - found)
    if free:
        wanted = tuple(entity for entity in wanted if entity not in free)
    missing = tuple([entity for entity in wanted if entity not in found])
    if missing and settings.detector == "adequa" and settings.mode == "adequacy":
        more = [
            one
            for one in values.mentions(detection.ours.text, missing)
            if settings.conversions or one.method != "converted number"
        ]
        if more:
            mentions = tuple(sorted([*mentions, *more], key=lambda one: (one.start, one.end)))
            stated = {mention.entity for mention in more}
            missing = tuple(entity for entity in missing if entity not in stated)
    unexplained = _unexplained(item, detection, mentions, settings, values)
    if spare:  # "Deutschland" may be the Germany that has no label
        names = [one for one in unexplained if one.kind == "name"][:spare]
        unexplained = tuple(one for one in unexplained if one not in names)
    repetitions = find_repetitions(detection.ours.text)
    cause = None
    if missing:
        short = len(item.text.split()) < _WORDS_PER_TRIPLE * len(item.triples) + 2
        cause = "short" if short else "other"
        cause = "degenerate" if repetitions else "hallucinated" if unexplained else cause
    return EntityJudgment(
        text=item.text,
        triples=item.triples,
        entities=(*wanted, *optional) if optional else wanted,
        mentions=mentions,
        missing=missing,
        unexplained=unexplained,
        repetitions=repetitions,
        cause=cause,
    )


def find_mentions(item: Item, settings: JudgmentSettings) -> tuple[Mention, ...]:
    """The mentions by the detector of the settings, with all that they add to it."""
    language = LANGUAGES.get(language_code(item))
    return _detect(item, settings, language).mentions


class _Found(NamedTuple):
    """A detection by either detector."""

    entities: tuple[str, ...]
    mentions: tuple[Mention, ...]
    ours: Detection
    links: Sequence[Link]


def _detect(item: Item, settings: JudgmentSettings, language: Language | None = None) -> _Found:
    """Either detector with the aliases, the linker and the coreference of the settings."""
    aliases = {} if settings.aliases is None else _aliases_of(item, settings.aliases)
    detector = _detector(settings.mode, settings.threshold, settings.conversions)
    ours = detector.detect(item, aliases, language)
    entities = ours.graph.strings
    links: Sequence[Link] = ()
    linked: list[Mention] = []
    if settings.linker is not None and item.text.strip():
        from adequa.entities.linker import RelClient, linked_mentions

        links = RelClient(settings.linker).link(item.text)
        linked = linked_mentions(links, entities)
    resolve = _resolver(item, settings, aliases)
    mentions: Sequence[Mention]
    if settings.detector == "paper":
        threshold = PaperDetector.threshold if settings.threshold is None else settings.threshold
        mentions = PaperDetector(threshold).detect(
            item.triples, item.text, dictionary=aliases, linked=linked, resolve=resolve
        )
    else:
        mentions = _merged(ours.mentions, linked) if linked else ours.mentions
        if resolve is not None:
            mentions = _with_pronouns(item.text, mentions, resolve)
    return _Found(entities, tuple(mentions), ours, links)


@lru_cache(maxsize=8)
def _detector(mode: Mode, threshold: float | None, conversions: bool) -> Detector:
    return Detector(mode=mode, threshold=threshold, conversions=conversions)


def _resolver(item: Item, settings: JudgmentSettings, aliases: Synonyms) -> Resolve | None:
    if settings.coreference == "none":
        return None

    def by_chains(mentions: Sequence[Mention], pronouns: Sequence[Span]) -> dict[Span, str]:
        chains = StanzaCoreference().chains(item.text)
        return resolve_pronouns(chains, mentions, pronouns, item.text)

    def by_decisions(mentions: Sequence[Mention], pronouns: Sequence[Span]) -> dict[Span, str]:
        decided = {
            one.start: one.entity
            for one in Detector(mode="mentions").detect(item, aliases).mentions
            if one.method == "pronoun"
        }
        # As with chains, a pronoun refers to what the text mentions by name.
        named = {mention.entity for mention in mentions}
        return {span: decided[span[0]] for span in pronouns if decided.get(span[0]) in named}

    return by_chains if settings.coreference == "stanza" else by_decisions


def _aliases_of(item: Item, path: Path) -> Mapping[str, tuple[str, ...]]:
    source = _opened(path, _stamp(path))
    entities = dict.fromkeys(end for one in item.triples for end in (one.subject, one.object))
    return {entity: names for entity in entities if (names := source.of(entity))}


# A dictionary is as large as its file, so only the last ones are kept.
@lru_cache(maxsize=2)
def _opened(path: Path, stamp: object) -> Aliases:
    from adequa.entities.aliases.lookup import open_aliases

    del stamp
    return open_aliases(path)


def _stamp(path: Path | None) -> object:
    """A value that changes with the file; a file that cannot be read is reported elsewhere."""
    if path is None:
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _with_pronouns(text: str, mentions: Sequence[Mention], resolve: Resolve) -> tuple[Mention, ...]:
    """The mentions, and the pronouns outside of them that coreference resolves (section 4.1)."""
    free = [
        span
        for span in pronoun_spans(text)
        if all(span[1] <= mention.start or mention.end <= span[0] for mention in mentions)
    ]
    resolved = resolve(mentions, free) if free else {}
    return _merged(mentions, [Mention(one, *at, "coreference") for at, one in resolved.items()])


def _merged(ours: Sequence[Mention], theirs: Sequence[Mention]) -> tuple[Mention, ...]:
    """Both merged as the paper does, except that none of our entities is lost to an overlap."""
    merged = merge_mentions([*ours, *theirs], by_name=True)
    kept = {mention.entity for mention in merged}
    lost = [mention for mention in ours if mention.entity not in kept]
    return tuple(sorted([*merged, *lost], key=lambda mention: (mention.start, mention.end)))


def _all_wanted(graph: Graph) -> tuple[str, ...]:
    return tuple(entity for entity in graph.strings if not _PLACEHOLDER.fullmatch(entity))


def _wanted(item: Item, optional: Sequence[str]) -> tuple[str, ...]:
    """The entities that must be mentioned: those of a triple that is not optional."""
    wanted: dict[str, None] = {}
    for triple in item.triples:
        if triple.predicate not in optional:
            wanted[triple.subject] = wanted[triple.object] = None
    return tuple(entity for entity in wanted if not _PLACEHOLDER.fullmatch(entity))


def read_findings(item: Item) -> FindingReader:
    """All findings in a text about a record, whatever their credibility."""
    from adequa.entities.credibility import FindingReader

    settings = JudgmentSettings()
    language = LANGUAGES.get(language_code(item))
    detection, mentions = _detect(item, settings, language), judge(item, settings).mentions
    values = values_of(item, detection.ours.graph)
    found, everything = _find_unexplained(item, detection, mentions, settings, values)
    return FindingReader(detection.ours.text, values, everything, found)


def _unexplained(
    item: Item,
    detection: _Found,
    mentions: Sequence[Mention],
    settings: JudgmentSettings,
    values: DataValues,
) -> tuple[UnexplainedSpan, ...]:
    found, everything = _find_unexplained(item, detection, mentions, settings, values)
    if not values.is_record:
        return tuple(found)
    text = detection.ours.text
    if found and text.language is None:
        from adequa.entities.credibility import FindingReader, read_credibility

        if (model := read_credibility()) is not None:
            found = FindingReader(text, values, everything, found).rated(model)
    return tuple(_with_claims(found, text.string))


def _find_unexplained(
    item: Item,
    detection: _Found,
    mentions: Sequence[Mention],
    settings: JudgmentSettings,
    values: DataValues,
) -> tuple[list[UnexplainedSpan], Sequence[Mention]]:
    """What the data does not explain, in order, and the mentions that were looked at."""
    allowed = () if settings.allowed is None else read_phrases(settings.allowed)
    ours = detection.ours
    everything = mentions if mentions is ours.mentions else [*mentions, *ours.mentions]
    found = find_unexplained(ours.graph, ours.text, everything, allowed, values)
    if item.record is not None and any(one.kind == "name" for one in found):
        known = words_of_record(item.record)
        string = ours.text.string
        found = [
            one
            for one in found
            if one.kind != "name" or not known.issuperset(words_of(string[one.start : one.end]))
        ]
    found += [
        UnexplainedSpan(one.start, one.end, "truth", one.triple.object, one.triple)
        for one in values.contradictions(ours.text.string, ours.text.language)
    ]
    if values.is_record and ours.text.language is None:
        found += [
            UnexplainedSpan(
                one.start,
                one.end,
                one.kind,
                triple and triple.object,
                triple,
                f"{ours.text.string[one.start : one.end]!r}: {one.note}",
                rule=one.rule,
            )
            for one, triple in values.owner_faults(ours.text, everything)
        ]
    if ours.text.language is None and has_comparison(ours.text.string):
        found += [
            UnexplainedSpan(
                one.start,
                one.end,
                "comparison",
                None,
                note=f"{ours.text.string[one.start : one.end]!r} does not fit "
                f"{one.first} and {one.second}",
                rule=rule,
            )
            for rule, find, wanted in (
                ("reversal", find_reversals, may_reverse(ours.text.string)),
                ("wrong share", find_wrong_shares, values.is_record),
            )
            if wanted
            for one in find(ours.text.string, ours.text.values)
        ]
    if detection.links:
        from adequa.entities.linker import foreign_links

        for link in foreign_links(detection.links, detection.entities):
            taken = [(span.start, span.end) for span in found]
            taken += [(span.start, span.end) for span in mentions]
            if all(end <= link.start or link.end <= start for start, end in taken):
                found.append(UnexplainedSpan(link.start, link.end, "name", None))
    found.sort(key=lambda span: span[:2])
    return found, everything


def _with_claims(spans: Sequence[UnexplainedSpan], text: str) -> list[UnexplainedSpan]:
    """The spans with the clauses that claim them; one for all values that a clause has wrong."""
    sentences = split_sentences(text)
    ends = [end for _, end in sentences]
    found: dict[Span, list[UnexplainedSpan]] = {}
    for one in spans:
        sentence = sentences[min(bisect_left(ends, one.end), len(sentences) - 1)]
        place = (one.start, one.end)
        if one.kind != "name" and sentence[0] <= one.start:
            place = clauses_around(text, one.start, one.end, sentence)
        wide = one._replace(start=place[0], end=place[1], focus=one.place)
        if (known := found.get(place)) is not None:
            if wide.triple is not None and wide.triple in (one.triple for one in known):
                continue  # one fault, seen twice
            known.append(wide)
        else:
            found[place] = [wide]
    return [_joined(wide, text) for wide in found.values()]


def _joined(spans: Sequence[UnexplainedSpan], text: str) -> UnexplainedSpan:
    """What a clause has wrong as one span, with each reason once."""
    if len(spans) == 1:
        return spans[0]
    reasons = dict.fromkeys(one.reason(text) for one in spans)
    surer = max(one.confidence or 0.0 for one in spans) or None
    return spans[0]._replace(note="; ".join(reasons), focus=None, confidence=surer)


def read_phrases(path: Path) -> tuple[str, ...]:
    """The phrases of a file, one per line; the last file is kept until it changes."""
    return _read_phrases(path, _stamp(path))


@lru_cache(maxsize=2)
def _read_phrases(path: Path, stamp: object) -> tuple[str, ...]:
    del stamp
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataError.of_file(error, path, remedy="give a file of phrases") from None
    except UnicodeDecodeError:
        raise DataError("is not UTF-8", path=path, remedy="save it as UTF-8") from None
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
