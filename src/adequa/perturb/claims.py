"""Changes of how a text claims a fact: denied, doubted, reversed, bounded, restricted, or affirmed.

They work on running text. Of a sentence with several facts it is known only that a change hits the
fact whose end comes next; the sentence's other facts become doubtful. `affirm`, `count_exactly` and
`stress` add words of the same kinds and leave every fact stated. All of them are English.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence

from adequa.data import Triple
from adequa.perturb.documents import TRUE, Change, Document, Edit, rewrite
from adequa.perturb.knowledge import Knowledge
from adequa.text import Span

VERBS: Mapping[str, str] = {
    "founded": "found", "won": "win", "wrote": "write", "directed": "direct", "played": "play",
    "served": "serve", "studied": "study", "graduated": "graduate", "worked": "work",
    "attended": "attend", "married": "marry", "died": "die", "lived": "live", "designed": "design",
    "created": "create", "produced": "produce", "published": "publish", "recorded": "record",
    "released": "release", "received": "receive", "joined": "join", "led": "lead", "built": "build",
    "developed": "develop", "composed": "compose", "appeared": "appear", "starred": "star",
    "opened": "open", "began": "begin", "became": "become", "held": "hold", "managed": "manage",
    "flew": "fly", "fought": "fight", "represented": "represent", "discovered": "discover",
    "acquired": "acquire", "bought": "buy", "succeeded": "succeed", "replaced": "replace",
    "retired": "retire", "killed": "kill", "taught": "teach", "invented": "invent",
    "established": "establish", "signed": "sign", "competed": "compete", "took": "take",
    "has": "have", "serves": "serve", "plays": "play", "owns": "own", "uses": "use",
    "includes": "include", "belongs": "belong", "comes": "come", "lies": "lie", "runs": "run",
    "features": "feature", "stars": "star", "lives": "live", "works": "work", "operates": "operate",
    "produces": "produce", "contains": "contain", "speaks": "speak", "leads": "lead",
    "manufactures": "manufacture", "crosses": "cross", "borders": "border", "went": "go",
}  # fmt: skip
"""Verbs as they stand in a sentence, and their infinitives."""
_FINITE = re.compile(rf"(?<![\w'’-])(?:is|are|was|were|{'|'.join(VERBS)})(?![\w'’-])")
_QUALIFIED = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|may|might|reportedly)\b|n['’]t\b", re.IGNORECASE
)
"""A sentence with one of these words is left alone: a second one might undo the first."""

_DENIALS: Mapping[str, Sequence[str]] = {
    "be": ("{f} not", "{f} not", "{f} never", "{f}n't", "{f} no longer", "{f} by no means"),
    "present": ("does not {b}", "never {f}", "no longer {f}", "doesn't {b}", "refuses to {b}"),
    "past": (
        "did not {b}", "never {f}", "failed to {b}", "declined to {b}", "refused to {b}",
        "didn't {b}", "was unable to {b}", "narrowly missed the chance to {b}",
        "was not allowed to {b}",
    ),
}  # fmt: skip
_DOUBTS: Mapping[str, Sequence[str]] = {
    "is": (
        "may be", "might be", "could be", "is said to be", "is rumoured to be", "is expected to be",
        "is possibly", "is allegedly", "would like to be", "is planned to be", "hopes to be",
        "was once proposed to be",
    ),
    "are": (
        "may be", "might be", "could be", "are said to be", "are possibly", "are allegedly",
        "are planned to be",
    ),
    "was": (
        "may have been", "might have been", "could have been", "was nearly", "was almost",
        "was supposed to be", "was possibly", "was allegedly", "was reportedly",
        "was to have been", "was probably", "was going to be",
    ),
    "were": (
        "may have been", "might have been", "were almost", "were supposed to be", "were possibly",
        "were allegedly",
    ),
    "present": (
        "plans to {b}", "hopes to {b}", "wants to {b}", "might {b}", "may {b}", "is set to {b}",
        "allegedly {f}", "is considering whether to {b}", "could soon {b}",
    ),
    "past": (
        "planned to {b}", "had hoped to {b}", "wanted to {b}", "almost {f}", "nearly {f}",
        "allegedly {f}", "possibly {f}", "was expected to {b}", "intended to {b}",
        "was invited to {b}", "tried to {b}", "supposedly {f}",
    ),
}  # fmt: skip
_AFFIRMATIONS: Mapping[str, Sequence[str]] = {
    "is": ("is indeed", "is in fact", "is officially", "is known to be", "is also"),
    "are": ("are indeed", "are in fact", "are also"),
    "was": ("was indeed", "was in fact", "was officially", "was also"),
    "were": ("were indeed", "were in fact", "were also"),
    "present": ("does {b}", "indeed {f}", "in fact {f}", "also {f}"),
    "past": (
        "did {b}", "indeed {f}", "did not fail to {b}", "went on to {b}", "managed to {b}",
        "also {f}",
    ),
}  # fmt: skip
"""By form of the verb; {f} is the verb as it stands, {b} its infinitive."""
_RUMOURS = (
    "It is rumoured that", "Some claim that", "It is uncertain whether",
    "According to unconfirmed reports,", "It is disputed whether", "There are plans that",
    "Perhaps", "If all goes well,", "Critics doubt that", "Nobody knows whether",
    "It was once believed that", "It is wrongly believed that",
)  # fmt: skip
_CERTAINTIES = (
    "It is certain that", "There is no doubt that", "As the records show,",
    "It is not disputed that", "Nobody doubts that", "In fact,", "According to the data,",
    "Not surprisingly,", "It should be noted that", "As is well known,",
)  # fmt: skip
_OPPOSITES = (
    ("before", "after"), ("began", "ended"), ("begins", "ends"), ("started", "ended"),
    ("opened", "closed"), ("first", "last"), ("preceded", "followed"), ("predecessor", "successor"),
    ("born", "buried"), ("born", "killed"), ("founded", "dissolved"), ("established", "abolished"),
    ("joined", "left"), ("north", "south"), ("northern", "southern"), ("east", "west"),
    ("eastern", "western"), ("largest", "smallest"), ("above", "below"), ("won", "lost"),
    ("bought", "sold"), ("hired", "dismissed"), ("teacher", "pupil"), ("employer", "employee"),
    ("parent", "child"), ("father", "son"), ("mother", "daughter"), ("husband", "brother"),
    ("wife", "sister"), ("owner", "tenant"), ("owned", "rented"), ("inside", "outside"),
    ("highest", "lowest"), ("longest", "shortest"), ("current", "former"),
    ("currently", "formerly"), ("author", "publisher"), ("written", "published"),
    ("wrote", "reviewed"), ("director", "producer"), ("directed", "produced"),
    ("composed", "performed"), ("singer", "composer"), ("founder", "chairman"),
    ("designed", "demolished"), ("built", "demolished"), ("completed", "begun"), ("start", "end"),
    ("arrived", "departed"), ("president", "vice president"), ("mayor", "former mayor"),
    ("leader", "deputy leader"), ("capital", "second city"), ("accepted", "declined"),
    ("received", "declined"), ("attended", "dropped out of"),
    ("graduated from", "was expelled from"), ("member", "opponent"), ("married", "divorced"),
    ("resides", "was born"), ("lives", "was born"), ("studied", "taught"), ("owner", "founder"),
    ("manufacturer", "seller"), ("developer", "distributor"), ("located in", "located far from"),
    ("near", "far from"), ("in front of", "behind"), ("starring", "directed by"),
    ("served as", "ran for"), ("played for", "played against"), ("plays for", "plays against"),
    ("fought in", "avoided"), ("affiliated with", "opposed to"), ("birthplace", "burial place"),
    ("headquartered", "founded"), ("older", "younger"), ("parent company", "subsidiary"),
    ("same", "other"), ("is part of", "includes"), ("includes", "is part of"),
    ("served", "trained"), ("commander", "subordinate"), ("editor", "reader"),
    ("captain", "deputy captain"),
)  # fmt: skip
"""Words, and others that state something else about the same things; used in both directions."""
_ONE_WAY = frozenset({"rented", "avoided", "reader", "other", "killed"})
"""Right-hand sides that have no fixed opposite of their own."""


def _opposites() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one, other in _OPPOSITES:
        found.setdefault(one, []).append(other)
        if " " not in other and other not in _ONE_WAY:
            found.setdefault(other, []).append(one)
    return found


OPPOSITES: Mapping[str, Sequence[str]] = _opposites()
_OPPOSITE = re.compile(
    rf"(?<![\w'’-])(?:{'|'.join(sorted(OPPOSITES, key=len, reverse=True))})(?![\w'’-])"
)

_BOUNDS = (
    "more than", "less than", "fewer than", "at most", "only half of", "barely half of",
    "well over", "far below", "up to",
)  # fmt: skip
_EXACT = ("exactly", "a total of", "precisely", "a figure of")
_LIMITS: Mapping[str, Sequence[str]] = {
    "preposition": (
        "only ", "only ", "mainly ", "in part ", "partly ", "solely ", "for the most part ",
        "almost exclusively ", "at least in part ",
    ),
    "object": (
        "only ", "only ", "part of ", "some of ", "half of ", "most of ", "mainly ", "little but ",
        "nothing but ", "all but a part of ",
    ),
    "subject": ("Only ", "Hardly anyone but ", "Part of ", "Not only "),
    "behind": (" alone", " alone", " and others"),
    "end": (" alone", " and others", " at least in part", ", among others"),
    "noun": (
        "the only", "the only", "the sole", "the first", "the last", "almost a", "at times a",
        "half a", "once a",
    ),
}  # fmt: skip
"""Words that restrict a fact or widen it: before a preposition and its name, before a name behind a
verb and one that begins a sentence, behind a name, there at the end of a clause, and in place of
the article of `is a`."""
_STRESSES: Mapping[str, Sequence[str]] = {
    "preposition": ("in fact ", "indeed ", "as it happens "),
    "object": ("none other than ", "indeed "),
    "subject": ("Indeed, ", "In fact, ", "As it happens, "),
    "behind": (" itself", " indeed"),
    "end": (" itself", ", no less", ", as it happens",),
    "noun": ("a certain", "indeed a", "not just any but a", "nothing less than a"),
}  # fmt: skip
"""Words at the same places that change no fact."""
_NOUN = re.compile(r"(?<![\w'’-])(?:is|was|became) (?:a|an)(?= [a-z])")
_PREPOSITION = re.compile(r"(?<=[a-z] )(?:by|in|at|for|from|with|to|on)(?: the)? $")
_VERB = re.compile(r"[a-z]{2}(?:ed|s) $")
_PAIR = re.compile(r"\s*(?:and|or|,|&)\s*$")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?![\w/-])")
_DATE = re.compile(r"\d{4}(?!\d|,\d|\.\d)|\d+ \w+ \d{4}|\d+-")


def deny(document: Document, knowledge: Knowledge, chance: random.Random) -> Iterator[Change]:
    """A verb denied: "did not win", "failed to win", "no longer is"."""
    del knowledge
    for verb, form in _verbs(document):
        words = _DENIALS["be" if form in _AUXILIARIES else form]
        yield from _replaced(document, verb, chance.choice(words), "denied")


def doubt(document: Document, knowledge: Knowledge, chance: random.Random) -> Iterator[Change]:
    """A plan, a rumour or a possibility in place of a fact: "may have won", "hoped to win"."""
    del knowledge
    for verb, form in _verbs(document):
        yield from _replaced(document, verb, chance.choice(_DOUBTS[form]), "doubted")
    if len(document.sentences) == 1 and document.is_english:
        words = chance.choice(_RUMOURS)
        edits = _opening(document, document.sentences[0], words)
        text, spans = rewrite(document.text, edits)
        start, end = spans[0][0], spans[-1][1]
        yield Change(
            f"“{words}” before the text",
            edits,
            facts=frozenset(document.triples),
            before=tuple((one.start, one.end) for one in edits if one.start < one.end),
            after=((start, end),),
            unsupported=((start, start + len(words)),),
            unclear=((start + len(words), len(text)),),
        )


def state_opposite(
    document: Document, knowledge: Knowledge, chance: random.Random
) -> Iterator[Change]:
    """A word replaced by one that turns the relation: "before" by "after", "parent" by "child"."""
    del knowledge
    for found in _OPPOSITE.finditer(document.text) if document.is_english else ():
        if not document.inside(*found.span()):
            words = chance.choice(OPPOSITES[found[0]])
            yield from _replaced(document, found, words, f"becomes “{words}”")


def bound_number(
    document: Document, knowledge: Knowledge, chance: random.Random
) -> Iterator[Change]:
    """A bound in place of a number: "more than 40", "at most 40"."""
    del knowledge
    for start, entity in _numbers(document):
        words = chance.choice(_BOUNDS)
        span = (start, start + len(words))
        yield Change(
            f"“{words}” before a number",
            (Edit(start, start, f"{words} "),),
            facts=frozenset(one for one in document.triples if one.object == entity),
            entities=frozenset({entity}),
            after=(span,),
            unsupported=(span,),
            unclear=((span[1] + 1, span[1] + 13),),
        )


def affirm(document: Document, knowledge: Knowledge, chance: random.Random) -> Iterator[Change]:
    """More words for the same fact: "did win", "there is no doubt that"; nothing becomes wrong."""
    del knowledge
    for verb, form in _verbs(document):
        words = chance.choice(_AFFIRMATIONS[form]).format(f=verb[0], b=VERBS.get(verb[0], ""))
        edit = Edit(*verb.span(), words)
        yield Change(f"“{verb[0]}” becomes “{words}”", (edit,), supported=TRUE)
    for sentence in document.sentences if document.is_english else ():
        words = chance.choice(_CERTAINTIES)
        edits = _opening(document, sentence, words)
        yield Change(f"“{words}” before a sentence", edits, supported=TRUE)


def count_exactly(
    document: Document, knowledge: Knowledge, chance: random.Random
) -> Iterator[Change]:
    """A number with words that leave it as it is: "exactly 40", "a total of 40"."""
    del knowledge
    for start, _ in _numbers(document):
        words = chance.choice(_EXACT)
        yield Change(
            f"“{words}” before a number", (Edit(start, start, f"{words} "),), supported=TRUE
        )


def restrict(document: Document, knowledge: Knowledge, chance: random.Random) -> Iterator[Change]:
    """A fact restricted or widened: "only Oslo", "in part by Ann", "Ann and others", "the sole"."""
    del knowledge
    for (start, end), kind, entity in _limited(document):
        words = chance.choice(_LIMITS[kind])
        facts, doubtful, sentence = _hit(document, start, end)
        if entity is not None:
            own = frozenset(one for one in facts | doubtful if entity in (one.subject, one.object))
            facts, doubtful = (own, doubtful - own) if len(own) == 1 else (frozenset(), own)
        if not facts:
            continue
        edit = Edit(start, end, _placed(words, kind, document.text[start:end]))
        how = f"restricted by “{words.strip()}”"
        yield _wrong(document, edit, how, facts=facts, doubtful=doubtful, sentence=sentence)


def stress(document: Document, knowledge: Knowledge, chance: random.Random) -> Iterator[Change]:
    """Words at the same places that restrict nothing: "none other than Ann", "Oslo itself"."""
    del knowledge
    for (start, end), kind, _ in _limited(document):
        words = chance.choice(_STRESSES[kind])
        if words != document.text[start:end]:
            edit = Edit(start, end, _placed(words, kind, document.text[start:end]))
            yield Change(f"stressed by “{words.strip()}”", (edit,), supported=TRUE)


def _limited(document: Document) -> Iterator[tuple[Span, str, str | None]]:
    """Places where words can restrict a fact, their kind, and the entity they are said of.

    Names that are one of several ("Ann and Bo") are left alone, and so are numbers and dates.
    """
    if not document.is_english:
        return
    text = document.text
    for entity, spans in document.names.items():
        for start, end in spans:
            if re.search(r"\d", text[start:end]) or _PAIR.search(text[:start]):
                continue
            if re.match(r"\s*(?:and|or|&)\b|['’]", text[end:]):
                continue
            ahead = _PREPOSITION.search(text, 0, start)
            if any(begin == start for begin, _ in document.sentences):
                yield (start, start), "subject", entity
            elif ahead:
                yield (ahead.start(), ahead.start()), "preposition", entity
            elif _VERB.search(text, 0, start):
                yield (start, start), "object", entity
            yield (end, end), "end" if text[end : end + 1] in set(".,;") else "behind", entity
    for start, end in document.sentences:
        if not _QUALIFIED.search(text, start, end):
            for found in _NOUN.finditer(text, start, end):
                if not document.inside(*found.span()):
                    article = found[0].rindex(" ") + 1
                    yield (found.start() + article, found.end()), "noun", None


def _placed(words: str, kind: str, replaced: str) -> str:
    """The words as they stand there: an article at their end is that which they replace."""
    if kind == "noun" and words.endswith(" a"):
        return f"{words[:-1]}{replaced}"
    return words


_AUXILIARIES = frozenset({"is", "are", "was", "were"})


def _verbs(document: Document) -> Iterator[tuple[re.Match[str], str]]:
    """The verbs outside of names, with their form, in sentences that are plain statements."""
    for start, end in document.sentences if document.is_english else ():
        text = document.text
        if _QUALIFIED.search(text, start, end) or text[end - 1] == "?":
            continue
        for verb in _FINITE.finditer(text, start, end):
            if not document.inside(*verb.span()):
                present = verb[0].endswith("s")
                form = verb[0] if verb[0] in _AUXILIARIES else "present" if present else "past"
                yield verb, form


def _replaced(document: Document, found: re.Match[str], words: str, how: str) -> Iterator[Change]:
    """The change of a word that makes a fact wrong, if it is certain which one."""
    facts, doubtful, sentence = _hit(document, *found.span())
    if not facts:
        return
    edit = Edit(*found.span(), words.format(f=found[0], b=VERBS.get(found[0], "")))
    said = f"“{found[0]}” {how}"
    yield _wrong(document, edit, said, facts=facts, doubtful=doubtful, sentence=sentence)


def _wrong(
    document: Document,
    edit: Edit,
    how: str,
    *,
    facts: frozenset[Triple],
    doubtful: frozenset[Triple],
    sentence: Span,
) -> Change:
    """The change of one place that makes facts wrong; the rest of its sentence is unclear."""
    text, after = rewrite(document.text, [edit])
    return Change(
        how,
        (edit,),
        facts=facts,
        doubtful=doubtful,
        before=((edit.start, edit.end),) if edit.start < edit.end else (),
        after=after,
        unsupported=after,
        unclear=((sentence[0], sentence[1] + len(text) - len(document.text)),),
    )


def _hit(
    document: Document, start: int, end: int
) -> tuple[frozenset[Triple], frozenset[Triple], Span]:
    """The facts that changed words surely hit, those they may hit, and the sentence.

    A fact is hit if one of its ends is the first name behind the words and the other stands before
    them in the sentence. A single fact is hit in any case.
    """
    sentence = next((one for one in document.sentences if start < one[1]), (0, len(document.text)))
    here = sorted(
        (one for one in document.mentions if sentence[0] <= one.start < sentence[1]),
        key=lambda one: one.start,
    )
    names = {one.entity for one in here}
    inside = [one for one in document.triples if names & {one.subject, one.object}]
    if len(document.triples) == 1:
        return frozenset(document.triples), frozenset(), sentence
    before = {one.entity for one in here if one.end <= start}
    behind = next((one.entity for one in here if one.start >= end), None)
    sure = frozenset(
        one
        for one in inside
        if (one.object == behind and (one.subject in before or len(inside) == 1))
        or (one.subject == behind and one.object in before)
    )
    return sure, frozenset(inside) - sure, sentence


def _opening(document: Document, sentence: Span, words: str) -> tuple[Edit, ...]:
    """Words before a sentence, whose first letter becomes small unless it begins a name."""
    start = sentence[0]
    added = Edit(start, start, f"{words} ")
    if any(place[0] == start for places in document.places.values() for place in places):
        return (added,)
    return added, Edit(start, start + 1, document.text[start : start + 1].lower())


def _numbers(document: Document) -> Iterator[tuple[int, str]]:
    """Where the value of a fact is a number that stands only once in the text, and whose it is."""
    objects = {one.object for one in document.triples}
    for entity in sorted(objects) if document.is_english else ():
        if len(document.mentioned(entity)) != 1:
            continue
        (one,) = document.mentioned(entity)
        written = document.text[one.start : one.end]
        if _NUMBER.match(written) and not _DATE.match(written):
            yield one.start, entity
