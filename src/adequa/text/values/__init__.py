"""Values in data and text: parse them, find them, compare them and put them into words.

| | dates | numbers and units |
|---|---|---|
| parse a data value | `date_of` | `quantity_of`, `unit_named`, `unit_of_key`, `literal_of` |
| find in a text | `find_dates` | `find_numbers`, `match_unit` |
| compare | `compare_dates` | `is_same`, `is_rounded`, `is_converted` |

`word_triple` and `word_parts` put a triple with coded values into words.
"""

from adequa.text.values.dates import Date, DateMatch, DateSpan, compare_dates, date_of, find_dates
from adequa.text.values.numbers import (
    NumberSpan,
    Quantity,
    find_numbers,
    is_converted,
    is_rounded,
    is_same,
    quantity_of,
)
from adequa.text.values.units import (
    UNITS,
    literal_of,
    lowered,
    match_unit,
    unit_in,
    unit_named,
    unit_of_key,
)
from adequa.text.values.wording import (
    TripleWords,
    say_address,
    say_boolean,
    say_date,
    say_number,
    say_unit,
    word_parts,
    word_triple,
)

__all__ = [
    "UNITS", "Date", "DateMatch", "DateSpan", "NumberSpan", "Quantity", "TripleWords",
    "compare_dates", "date_of", "find_dates", "find_numbers", "is_converted", "is_rounded",
    "is_same", "literal_of", "lowered", "match_unit", "quantity_of", "say_address", "say_boolean",
    "say_date", "say_number", "say_unit", "unit_in", "unit_named", "unit_of_key", "word_parts",
    "word_triple",
]  # fmt: skip
