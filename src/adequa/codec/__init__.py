"""The nouns to and from plain JSON objects: the contract, checked in one place.

Nothing here knows a file: an object that breaks the contract raises a DataError without a place,
and the reader that has one adds it with `DataError.at`.
"""

from adequa.codec.items import item_from_object, item_to_object, triples_from_object
from adequa.codec.ratings import rating_from_object, rating_to_object
from adequa.codec.results import (
    result_from_object,
    result_to_object,
    score_from_object,
    score_to_object,
)
from adequa.codec.values import dump_line, load_object

__all__ = [
    "dump_line",
    "item_from_object",
    "item_to_object",
    "load_object",
    "rating_from_object",
    "rating_to_object",
    "result_from_object",
    "result_to_object",
    "score_from_object",
    "score_to_object",
    "triples_from_object",
]
