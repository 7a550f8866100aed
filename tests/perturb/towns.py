"""Towns that nobody has heard of, with texts that say all and only what their data says."""

from __future__ import annotations

from adequa.data import Item, Triple

VEXLA = Item(
    "Id1",
    (
        Triple("Vexla", "harbour", "Ostrik"),
        Triple("Vexla", "mayor", "Runa_Teel"),
        Triple("Vexla", "population", "4310"),
        Triple("Vexla", "founded", '"1990-05-03"'),
    ),
    "The harbour of Vexla is Ostrik. Runa Teel is mayor of its 4,310 people. "
    "It was founded on May 3, 1990.",
    system="T5",
    category="City",
)
BRUMA = Item(
    "Id2",
    (Triple("Bruma", "mayor", "Sif_Ander"), Triple("Bruma", "river", "Kelda")),
    "Sif Ander is the mayor of Bruma. The river Kelda flows through it.",
    system="T5",
    category="City",
)
DORN = Item(
    "Id3",
    (Triple("Dorn", "twinTown", "Halmyra"), Triple("Dorn", "mayor", "Jorun_Vike")),
    "The mayor of Dorn is Jorun Vike. Its twin town is Halmyra.",
    system="T5",
    category="City",
)
QUILL = Item(
    "Id4",
    (Triple("Quill_Press", "founder", "Marta_Oden"),),
    "Quill Press was founded by Marta Oden.",
    system="T5",
    category="Company",
)
TOWNS = (VEXLA, BRUMA, DORN, QUILL)
