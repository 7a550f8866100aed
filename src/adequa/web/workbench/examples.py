"""Small texts to click on, each with another fault, in another form of data."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EXAMPLES", "Example"]


@dataclass(frozen=True, slots=True)
class Example:
    """A text with its data."""

    name: str
    triples: str
    text: str


_LIGHTHOUSE = """Skerry_Light | location | Orrin_Sound
Skerry_Light | builtIn | 1862
Skerry_Light | height | 34.0
Orrin_Sound | country | Scotland"""

EXAMPLES = (
    Example(
        "All said",
        _LIGHTHOUSE,
        "Skerry Light is a lighthouse in Orrin Sound, Scotland. It was built in 1862 and is 34 "
        "metres high.",
    ),
    Example(
        "Something left out",
        _LIGHTHOUSE,
        "Skerry Light stands in Orrin Sound, Scotland, and was built in 1862.",
    ),
    Example(
        "Something made up",
        _LIGHTHOUSE,
        "Skerry Light in Orrin Sound, Scotland, was built in 1862 by Marion Tulloch and is 34 "
        "metres high.",
    ),
    Example(
        "A wrong number, as JSON",
        '[["Alva_Bridge", "crosses", "River_Devon"],\n ["Alva_Bridge", "length", "212"],\n'
        ' ["River_Devon", "flowsThrough", "Tillicoultry"]]',
        "Alva Bridge, 121 metres long, crosses the River Devon, which flows through Tillicoultry.",
    ),
    Example(
        "Turtle",
        "@prefix : <http://example.org/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\n"
        ':cafe rdfs:label "The Quiet Kettle" ;\n  :food "soup" ;\n  :area "riverside" ;\n'
        "  :near :mill .\n"
        ':mill rdfs:label "Old Mill" .',
        "The Quiet Kettle serves soup by the riverside, near the Old Mill.",
    ),
)
