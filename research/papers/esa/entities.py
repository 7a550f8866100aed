"""Which entities are undetected (footnote 5, by type), and how they are hallucinated (Figure 4).

The paper shows one example of each kind of hallucination and gives no counts. Here a rule sorts
every unexplained name: *inac* if it resembles an entity of the data, else *repl* if the text lacks
an entity that is a name, else *add*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from adequa.data import Item, Triple
from adequa.entities import JudgmentSettings, compile_graph, judge
from adequa.tables import Cell, Column, Table
from research.papers.esa.data import EsaCorpus, Output
from research.papers.esa.printed import DISTINCT
from research.papers.section import Section

Kind = Literal["add", "repl", "inac"]
KINDS: Mapping[Kind, str] = {
    "add": "additional: no entity is missing",
    "repl": "replaced: another name, where an entity of the data is missing",
    "inac": "inaccurate: resembles an entity of the data, the nearest of which is given",
}
SHOWN = 3
"""Examples of each kind, and entities named for each system."""


class EntityTypes:
    """The types of entities, from the role that the data gives them; each graph is read once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Triple, ...], dict[str, str]] = {}

    def of(self, item: Item) -> dict[str, str]:
        """The type of each entity: of a value its kind, of a name that of its predicates."""
        if item.triples not in self._known:
            graph = compile_graph(item.triples, item.terms, {})
            self._known[item.triples] = {
                entity.string: _type(entity.kind, {use.type for use in entity.uses})
                for entity in graph.entities
            }
        return self._known[item.triples]


def _type(kind: str, uses: set[str]) -> str:
    if kind != "name":
        return "date" if kind == "period" else kind
    known = sorted(uses - {"unknown", "value"})
    return known[0] if len(known) == 1 else "other name"


def distinct_undetected(corpus: EsaCorpus) -> Section:
    """Footnote 5: how few different entities are behind the undetected ones of a system."""
    rows: list[list[Cell]] = []
    for system in corpus.systems:
        outputs = corpus.outputs_of(system)
        flags = Counter(entity for output in outputs for entity in output.undetected)
        texts = sum(bool(output.undetected) for output in outputs)
        often = ", ".join(f"{entity} {times}×" for entity, times in flags.most_common(SHOWN))
        printed = DISTINCT.get((corpus.year, system))
        rows.append([system, texts, flags.total(), len(flags), printed, often])
    columns: list[str | Column] = [
        *("system", "texts", "undetected", "distinct", "paper's distinct", "most often")
    ]
    title = f"Footnote 5, {corpus.year}: different entities among the undetected ones"
    note = "undetected: one entity of one text; the paper prints only RALI's: 9 in 51 texts"
    return Section("footnote5", [Table(title, columns, rows)], notes=[note])


def undetected_by_type(corpus: EsaCorpus) -> Section:
    """The share of undetected entities by type of entity, over the texts of all systems."""
    types = EntityTypes()
    every: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    distinct: dict[str, set[str]] = {}
    for output in corpus.outputs:
        kinds = types.of(output.item)
        every.update(kinds.values())
        for entity in output.undetected:
            missing[kinds[entity]] += 1
            distinct.setdefault(kinds[entity], set()).add(entity)
    rows: list[list[Cell]] = [
        [kind, count, missing[kind], 100 * missing[kind] / count, len(distinct.get(kind, ()))]
        for kind, count in every.most_common()
    ]
    columns: list[str | Column] = [
        *("type", "entities", "undetected", Column("%", 1), "distinct undetected")
    ]
    title = f"Undetected entities by type, {corpus.year}, all systems"
    note = (
        "types: dates, numbers, lists and truth values by their form; names by their predicates, "
        "other names where the predicates do not tell"
    )
    return Section("types", [Table(title, columns, rows)], notes=[note])


class _Hallucination(NamedTuple):
    kind: Kind
    output: Output
    words: str
    nearest: str | None


def figure_4(corpus: EsaCorpus, settings: JudgmentSettings) -> Section:
    """Figure 4: hallucinated names by kind, for each system, with examples."""
    types = EntityTypes()
    found = [one for output in corpus.outputs for one in _hallucinations(output, settings, types)]
    rows: list[list[Cell]] = []
    for system in corpus.systems:
        own = [one for one in found if one.output.item.system == system]
        texts = len({one.output.item.id for one in own})
        rows.append([system, texts, len(own), *(_count(own, kind) for kind in KINDS)])
    rows.append(["all", None, len(found), *(_count(found, kind) for kind in KINDS)])
    counts = Table(
        f"Figure 4, {corpus.year}: unexplained names by kind",
        ["system", "texts", "names", *KINDS],
        rows,
    )
    examples: list[list[Cell]] = []
    for kind in KINDS:
        own = sorted(
            (one for one in found if one.kind == kind),
            key=lambda one: (len(one.output.item.text), one.output.item.key),
        )
        chosen = list({one.output.item.text: one for one in reversed(own)}.values())[::-1]
        for one in chosen[:SHOWN]:
            item = one.output.item
            about = one.nearest if kind == "inac" else ", ".join(one.output.undetected)
            examples.append([kind, item.system, item.id, one.words, about, item.text])
    shown = Table(
        f"Figure 4, {corpus.year}: the shortest texts of each kind",
        ["kind", "system", "id", "hallucinated", "nearest or missing", "text"],
        examples,
    )
    notes = [f"{kind}: {words}" for kind, words in KINDS.items()]
    notes.append("sorted by rule, not by reading; the paper gives one example of each, no counts")
    return Section("figure4", [counts, shown], notes=notes)


def _count(found: Sequence[_Hallucination], kind: Kind) -> int:
    return sum(one.kind == kind for one in found)


def _hallucinations(
    output: Output, settings: JudgmentSettings, types: EntityTypes
) -> list[_Hallucination]:
    if not any("name" in finding.detail for finding in output.unexplained):
        return []
    item = output.item
    values = {"date", "number", "boolean"}
    lacking = any(types.of(item)[entity] not in values for entity in output.undetected)
    return [
        _Hallucination(
            "inac" if span.nearest is not None else "repl" if lacking else "add",
            output,
            item.text[span.start : span.end],
            span.nearest,
        )
        for span in judge(item, settings).unexplained
        if span.kind == "name"
    ]
