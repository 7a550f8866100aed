"""Values in data and text: parse them, find them, compare them and put them into words.

| | dates and times | numbers and units | yes and no |
|---|---|---|---|
| parse a value | `date_of`, `moment_of`, `clock_of` | `quantity_of`, `unit_of_key` | `truth_of` |
| find in a text | `find_dates`, `find_times` | `find_numbers` | `find_polarity` |
| compare | `compare_dates`, `is_same_time` | `is_same`, `is_rounded`, `is_converted` | |

`find_values` finds all of them at once. `Explainer` answers for a list of facts (`ValueFact`: key,
value, unit, group) which of them explains a value of a text, or what several of them make, and
`find_contradictions` where a text denies a yes or affirms a no. `spellings_of` are the ways to
write a coded value; `word_triple` and `word_parts` put a triple with coded values into words.
"""

from adequa.text.values.dates import Date, DateMatch, DateSpan, compare_dates, date_of, find_dates
from adequa.text.values.derived import Explainer
from adequa.text.values.facts import (
    Reading,
    Support,
    ValueFact,
    ValueIndex,
    is_comparable,
    read_value,
)
from adequa.text.values.numbers import (
    Hedge,
    Interval,
    NumberSpan,
    Quantity,
    find_numbers,
    hedge_at,
    interval_of,
    is_converted,
    is_rounded,
    is_same,
    quantity_of,
)
from adequa.text.values.spans import ValueSpan, find_values
from adequa.text.values.times import (
    Clock,
    Moment,
    TimeSpan,
    clock_of,
    durations_of,
    find_times,
    is_same_time,
    moment_of,
)
from adequa.text.values.truths import (
    Claim,
    Contradiction,
    Polarity,
    claim_of,
    find_contradictions,
    find_polarity,
    is_readable,
    read_claims,
    truth_of,
)
from adequa.text.values.units import (
    UNITS,
    dimension_of_key,
    literal_of,
    lowered,
    match_unit,
    unit_in,
    unit_named,
    unit_of_key,
)
from adequa.text.values.wording import (
    TripleWords,
    find_siblings,
    is_quality,
    is_value,
    quote_value,
    say_address,
    say_boolean,
    say_date,
    say_number,
    say_unit,
    show_value,
    spellings_of,
    word_parts,
    word_triple,
)

__all__ = [
    "UNITS", "Claim", "Clock", "Contradiction", "Date", "DateMatch", "DateSpan", "Explainer",
    "Hedge", "Interval", "Moment", "NumberSpan", "Polarity", "Quantity", "Reading", "Support",
    "TimeSpan", "TripleWords", "ValueFact", "ValueIndex", "ValueSpan", "claim_of", "clock_of",
    "compare_dates", "date_of", "dimension_of_key", "durations_of", "find_contradictions",
    "find_dates", "find_numbers", "find_polarity", "find_siblings",
    "find_times", "find_values", "hedge_at", "interval_of", "is_comparable",
    "is_converted", "is_quality", "is_readable", "is_rounded", "is_same", "is_same_time",
    "is_value", "literal_of", "lowered", "match_unit", "moment_of", "quantity_of", "quote_value",
    "read_claims", "read_value", "say_address", "say_boolean", "say_date", "say_number",
    "say_unit", "show_value", "spellings_of", "truth_of", "unit_in", "unit_named", "unit_of_key",
    "word_parts", "word_triple",
]  # fmt: skip
