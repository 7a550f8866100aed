"""One item, judged: what is missing, what is unexplained, what is said again, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from adequa.data import Item, Mention
from adequa.entities.coreference import StanzaCoreference, resolve_pronouns
from adequa.entities.detector import Detection, Detector, Mode
from adequa.entities.graph import Graph
from adequa.entities.linker import Link, RelClient, foreign_links, linked_mentions
from adequa.entities.paper import PaperDetector
from adequa.entities.unexplained import UnexplainedSpan, find_unexplained
from adequa.errors import DataError, MissingExtra
from adequa.text import PreparedText

if TYPE_CHECKING:
    from adequa.entities.aliases.lookup import Aliases

# ---
# Mentions of several methods, made into one list without overlaps, as the paper does it.
# ---


def merge(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Of mentions that overlap, those with the lowest distance; of equals, the longest.

    >>> short, long = Mention("a", 0, 3, "name"), Mention("b", 0, 9, "linker")
    >>> merge([short, long]) == (long,)
    True
    """
    kept: list[Mention] = []
    for mention in sorted(mentions, key=_rank):
        if all(mention.end <= other.start or other.end <= mention.start for other in kept):
            kept.append(mention)
    return tuple(sorted(kept, key=lambda mention: (mention.start, mention.end)))


def _rank(mention: Mention) -> tuple[float, int, int, str]:
    return mention.distance, mention.start - mention.end, mention.start, mention.entity


# ---
# Text that says the same words over and over: degenerate output, and sentences said twice.
# ---

_LONGEST_UNIT = 8
_LEAST_TIMES = 3
_LEAST_SENTENCE = 4
_MOST_WORDS = 20_000


class Repetition(NamedTuple):
    """Words said again, and a sentence about it."""

    start: int
    end: int
    why: str


def find_repetitions(text: PreparedText) -> tuple[Repetition, ...]:
    """Loops of up to eight words said three times or more, and whole sentences that stand twice.

    >>> text = PreparedText("the dish of the dish of the dish of rice")
    >>> [found.why for found in find_repetitions(text)]
    ["'the dish of' is said 3 times in a row"]
    """
    words = text.words[:_MOST_WORDS]
    found: list[Repetition] = []
    if len(words) - len(set(words)) >= _LEAST_TIMES - 1 and _beats(words):
        found = _loops(words, text)
    if len(words) >= 2 * _LEAST_SENTENCE and text.sentences[len(words) - 1]:
        found += _sentences(words, text, found)
    return tuple(found)


def _beats(words: list[str]) -> bool:
    """Whether some word comes three times at equal, short distances: without it, no loop."""
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
            # Figures repeat in figures (1000 1000 1000); words of one letter in initials.
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
    for place in range(1, len(words) + 1):
        if place < len(words) and numbers[place] == numbers[first]:
            continue
        sentence = tuple(words[first:place])
        start, end = text.starts[first], text.ends[place - 1]
        if len(sentence) >= _LEAST_SENTENCE:
            if sentence in seen and all(end <= one.start or one.end <= start for one in loops):
                found.append(Repetition(start, end, "this sentence is said twice"))
            seen.add(sentence)
        first = place
    return found


_PLACEHOLDER = re.compile(r"\[[A-Z_ ]+\]")
_WORDS_A_TRIPLE = 3
"""A text with fewer words a triple than this is short: most human texts have seven or more."""


@dataclass(frozen=True, slots=True)
class JudgmentSettings:
    """What a judgment depends on beside the item."""

    detector: str = "adequa"
    mode: Mode = "adequacy"
    threshold: float | None = None
    conversions: bool = True
    aliases: Path | None = None
    ignore: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    allowed: Path | None = None
    linker: str | None = None
    coreference: str = "none"
    stamps: tuple[object, ...] = ()
    """When the files were last changed: what is remembered of a file is of that one alone."""

    def check(self) -> None:
        """Read what is to be read, so that a wrong file shows at once."""
        if self.aliases is not None:
            from adequa.entities.aliases.lookup import open_aliases

            open_aliases(self.aliases)
        if self.allowed is not None:
            read_phrases(self.allowed, self.stamps)
        if self.linker is not None:
            RelClient(self.linker)
        if self.coreference == "stanza" and find_spec("stanza") is None:
            raise MissingExtra("coref", "stanza")


class EntityJudgment(NamedTuple):
    """What is found out about one text."""

    item: Item
    entities: tuple[str, ...]
    mentions: tuple[Mention, ...]
    missing: tuple[str, ...]
    unexplained: tuple[UnexplainedSpan, ...]
    repetitions: tuple[Repetition, ...]
    cause: str | None
    """Why entities are missing, as the paper sorts it: short, hallucinated, degenerate, other."""

    def reasons(self) -> dict[str, str]:
        """For each missing entity, a sentence."""
        return {entity: self._reason(entity) for entity in self.missing}

    def _reason(self, entity: str) -> str:
        facts = [
            " | ".join(triple)
            for triple in self.item.triples
            if entity in (triple.subject, triple.object)
        ]
        more = f" and {len(facts) - 1} more" if len(facts) > 1 else ""
        told = {
            "short": "; the text is short for its data",
            "hallucinated": "; the text has other names or values instead",
            "degenerate": "; the text repeats itself",
        }
        near = [span for span in self.unexplained if span.nearest == entity]
        instead = ""
        if near:
            seen = self.item.text[near[0].start : near[0].end]
            instead = f"; the text has {seen!r} instead"
        else:
            instead = told.get(self.cause or "", "")
        return f"no mention of {entity!r} ({facts[0]}{more}){instead}"

    def surplus(self) -> Iterator[tuple[UnexplainedSpan, str]]:
        """Each unexplained span with a sentence."""
        for span in self.unexplained:
            seen = self.item.text[span.start : span.end]
            if span.nearest is None:
                why = f"{seen!r} comes from nothing in the data"
            elif span.kind == "name":
                why = f"{seen!r} comes from nothing in the data; the nearest is {span.nearest!r}"
            else:
                why = f"{seen!r}: the data has {span.nearest!r}"
            yield span, why


def judge(item: Item, settings: JudgmentSettings) -> EntityJudgment:
    """Judge one item; raises ServiceError where an outside service was asked for and failed."""
    if settings.ignore:
        kept = [triple for triple in item.triples if triple.predicate not in settings.ignore]
        data = replace(item, triples=tuple(kept))
    else:
        data = item
    detection = _detect(data, settings)
    links: Sequence[Link] = ()
    mentions = detection.mentions
    if settings.linker is not None and item.text.strip():
        links = RelClient(settings.linker).link(item.text)
        mentions = _merged(mentions, linked_mentions(links, detection.entities))
    if settings.coreference == "stanza" and item.text.strip():
        mentions = _with_chains(item.text, mentions)
    found = {mention.entity for mention in mentions}
    wanted = (
        _wanted(data, settings.optional)
        if settings.optional
        else detection.ours.graph.remember("wanted", _all_wanted)
    )
    missing = tuple(entity for entity in wanted if entity not in found)
    optional = tuple(
        entity
        for entity in (detection.entities if settings.optional else ())
        if entity not in wanted and entity in found
    )
    unexplained = _unexplained(detection, mentions, links, settings)
    repetitions = find_repetitions(detection.ours.text)
    cause = _cause(item, missing, unexplained, repetitions)
    return EntityJudgment(
        item, (*wanted, *optional), mentions, missing, unexplained, repetitions, cause
    )


class _Found(NamedTuple):
    """A detection by either detector."""

    entities: tuple[str, ...]
    mentions: tuple[Mention, ...]
    ours: Detection


def _detect(item: Item, settings: JudgmentSettings) -> _Found:
    aliases = _aliases(item, settings) if settings.aliases is not None else {}
    detector = _detector(settings.mode, settings.threshold, settings.conversions)
    ours = detector.detect(item, aliases)
    entities = ours.graph.strings
    if settings.detector == "adequa":
        return _Found(entities, ours.mentions, ours)
    threshold = 0.4 if settings.threshold is None else settings.threshold
    theirs = tuple(PaperDetector(threshold).detect(item.triples, item.text))
    return _Found(entities, theirs, ours)


@lru_cache(maxsize=16)
def _detector(mode: Mode, threshold: float | None, conversions: bool) -> Detector:
    return Detector(mode, threshold, conversions)


def _aliases(item: Item, settings: JudgmentSettings) -> Mapping[str, tuple[str, ...]]:
    if settings.aliases is None:
        return {}
    source = _opened(settings.aliases, settings.stamps)
    entities = dict.fromkeys(
        entity for triple in item.triples for entity in (triple.subject, triple.object)
    )
    return {entity: names for entity in entities if (names := source.of(entity))}


@lru_cache(maxsize=8)
def _opened(path: Path, stamps: object) -> Aliases:
    from adequa.entities.aliases.lookup import open_aliases

    del stamps
    return open_aliases(path)


def stamp(*paths: Path | None) -> tuple[object, ...]:
    """What changes when one of these files does; files that cannot be read say so elsewhere."""
    stamps: list[object] = []
    for path in paths:
        try:
            status = None if path is None else path.stat()
        except OSError:
            status = None
        stamps.append(status and (status.st_ino, status.st_mtime_ns, status.st_size))
    return tuple(stamps)


def _with_chains(text: str, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Pronouns by coreference chains; the paper keeps only the pronouns of a chain."""
    from adequa.entities.anaphora import pronoun_spans

    free = [
        span
        for span in pronoun_spans(text)
        if all(span[1] <= mention.start or mention.end <= span[0] for mention in mentions)
    ]
    resolved = resolve_pronouns(StanzaCoreference().chains(text), mentions, free, text)
    found = [Mention(entity, *span, "coreference") for span, entity in resolved.items()]
    return _merged(mentions, found)


def _merged(ours: Sequence[Mention], theirs: Sequence[Mention]) -> tuple[Mention, ...]:
    """Both merged as the paper merges; what we found is not lost for standing within another."""
    merged = merge([*ours, *theirs])
    kept = {mention.entity for mention in merged}
    lost = [mention for mention in ours if mention.entity not in kept]
    return tuple(sorted([*merged, *lost], key=lambda mention: (mention.start, mention.end)))


def _all_wanted(graph: Graph) -> tuple[str, ...]:
    return tuple(entity for entity in graph.strings if not _PLACEHOLDER.fullmatch(entity))


def _wanted(item: Item, optional: frozenset[str]) -> tuple[str, ...]:
    """The entities that must be there: those that some triple of the rest needs."""
    wanted: dict[str, None] = {}
    for triple in item.triples:
        if triple.predicate not in optional:
            wanted[triple.subject] = wanted[triple.object] = None
    # `[TABLECONTEXT]` and the like stand for the table, and no text says them.
    return tuple(entity for entity in wanted if not _PLACEHOLDER.fullmatch(entity))


def _unexplained(
    detection: _Found,
    mentions: Sequence[Mention],
    links: Sequence[Link],
    settings: JudgmentSettings,
) -> tuple[UnexplainedSpan, ...]:
    allowed: tuple[str, ...] = ()
    if settings.allowed is not None:
        allowed = read_phrases(settings.allowed, settings.stamps)
    ours = detection.ours
    found = find_unexplained(ours.graph, ours.text, [*mentions, *ours.mentions], allowed)
    for link in foreign_links(links, detection.entities) if links else ():
        taken = [(span.start, span.end) for span in found]
        taken += [(span.start, span.end) for span in mentions]
        if all(end <= link.start or link.end <= start for start, end in taken):
            found.append(UnexplainedSpan(link.start, link.end, "name", None))
    return tuple(sorted(found, key=lambda span: span[:2]))


@lru_cache(maxsize=8)
def read_phrases(path: Path, stamps: object) -> tuple[str, ...]:
    """The phrases of a file, one a line; `stamps` change when the file does."""
    del stamps
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror})", path=path, remedy="give a file of phrases"
        ) from None
    except UnicodeDecodeError:
        raise DataError("is not UTF-8", path=path, remedy="save it as UTF-8") from None
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def _cause(
    item: Item,
    missing: Sequence[str],
    unexplained: Sequence[UnexplainedSpan],
    repetitions: Sequence[Repetition],
) -> str | None:
    if not missing:
        return None
    if repetitions:
        return "degenerate"
    if unexplained:
        return "hallucinated"
    if len(item.text.split()) < _WORDS_A_TRIPLE * len(item.triples) + 2:
        return "short"
    return "other"
