"""Values as people write them: a fact, a wording, and whether the wording states the fact."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest

from adequa.text.values import Explainer, ValueFact, ValueIndex, find_values, read_value


def explained(facts: list[ValueFact], text: str) -> list[tuple[str, bool]]:
    """Each value of a text, and whether some fact explains it."""
    index = ValueIndex(facts)
    return [
        (text[span.start : span.end], bool(index.explain(span, text))) for span in find_values(text)
    ]


def unexplained(facts: list[ValueFact], text: str) -> list[str]:
    return [value for value, known in explained(facts, text) if not known]


# key, value, and texts that state it.
STATED = [
    ("weight_g", "780", "It weighs 780 g.|It weighs 0.78 kg.|It weighs just under 800 grams."),
    ("weightInGrams", "2150", "It weighs 2.15 kg.|It weighs about 2.2 kilograms."),
    ("height_mm", "178", "It is 17.8 cm high.|It is nearly 18 cm high."),
    ("distance_m", "2350", "The way is 2.35 km long.|a way of about 2.4 kilometres"),
    ("distanceKm", "892", "It flew 892 kilometres.|It flew almost 900 km.|It flew 554 miles."),
    ("mileage_km", "86400", "It has some 54,000 miles on the clock.|It has run 86,400 km."),
    ("temp_max_c", "21.6", "Highs reach 22 °C.|Highs reach 21.6 degrees.|Highs of 71 °F."),
    ("temp_c", "-4.2", "It is -4 °C.|It is minus four degrees Celsius."),
    ("price_eur", "10950", "It costs €10,950.|It costs just under 11,000 euros."),
    ("price_gbp", "11.5", "It costs £11.50.|It costs eleven pounds fifty."),
    ("fee_eur", "0.59", "The fee is 59 cents.|The fee is €0.59."),
    ("budget (millions)", "4.2", "It has a budget of 4.2 million."),
    ("viewers_m", "3.42", "It had 3.42 million viewers."),
    ("net_generation_mwh_2023", "214300", "It made about 214 gigawatt-hours.|It made 214,300 MWh."),
    ("area_km2", "94.3", "It covers 94.3 square kilometres.|It covers about 94 km²."),
    ("share", "0.2", "The share is 20 %.|The share is 20 percent.|One in five is.|A fifth of all."),
    ("turnout", "0.58", "Turnout was 58%.|Turnout was more than half."),
    ("capacity_factor", "0.504", "It used just over half of it."),
    ("alcohol_pct", "13.5", "It has 13.5 percent alcohol."),
    ("sunset", "17:34", "The sun sets at 5:34 pm.|The sun sets at 17:34."),
    ("opens", "12:00", "It opens at noon."),
    ("start", "2025-02-08T20:15", "It starts at 8:15 pm on 8 February 2025.|It starts at 20:15."),
    ("departure", "2024-11-08T07:25:00+01:00", "It left at 7:25 am.|It left at 6:25 am UTC."),
    ("created_at", "1731801600", "It was made on 17 November 2024."),
    ("duration_h", "168", "It lasts a full week.|It lasts 168 hours.|It lasts seven days."),
    ("duration", "PT90M", "It takes an hour and a half.|It takes 90 minutes."),
    ("duration_s", "5400", "It takes 90 minutes.|It takes one and a half hours."),
    ("length", "25:30", "It lasts 25 and a half minutes.|It lasts 25 minutes 30 seconds."),
    ("time_s", "138.2", "She took 138.2 seconds.|She took 2 minutes 18 seconds."),
    ("born", "1902-03-05", "She was born on 5 March 1902.|(1902–1978)|born in March 1902"),
    ("ending", "2024-07-28", "It ended on the 28th.|It ended on 28 July."),
    ("announced", "2016, August", "It was announced in August 2016."),
    ("flowering", "Jun-Sep", "It flowers from June to September."),
    ("open", "04-01", "It is open from 1 April."),
    ("week", "2024-W30", "It rained in week 30."),
    ("hours", "18:00-23:30", "It is open until 11:30 pm."),
    ("visitors", "11204", "About 11,200 people came.|11,204 people came."),
    ("pages", "12", "It has twelve pages.|It has a dozen pages."),
    ("result", "3-1", "They won 3-1."),
    ("rank", "3", "She came third."),
    ("age_gyr", "5.1", "It is 5.1 billion years old."),
    ("dimensions", "157.5 x 78.1 x 13.7 mm", "It measures 157.5 x 78.1 x 13.7 mm."),
    ("chip", "Octa-core (4x1.8 GHz)", "Four cores run at 1.8 GHz."),
    ("description", "Window sign, 60 cm", "a 60 cm window sign"),
    ("model", "Airbus A220-300", "an Airbus A220-300"),
]
# key, value, and texts that say something else.
WRONG = [
    ("weight_g", "780", "It weighs 78 g.|It weighs 7.8 kg.|a little under 700 grams"),
    ("height_mm", "178", "It is 1.78 m high.|It is 178 cm high."),
    ("distance_m", "2350", "The way is 23.5 km long."),
    ("temp_c", "-4.2", "It is 4 °C."),
    ("mileage_km", "86400", "It has run 54,000 km."),
    ("bagsLoaded", "97", "just over 100 bags"),
    ("bottles", "12400", "Just over 13,000 bottles were made."),
    ("ratings", "211", "from more than 250 ratings"),
    ("fee_eur", "3.5", "A fee of 3.5% applies."),
    ("turnout", "0.504", "Turnout was nearly two thirds.|Turnout was 54%."),
    ("share", "0.207", "About one in three is."),
    ("sunset", "20:07", "The sun sets at 8:17 pm.|The sun sets at 8:07 am."),
    ("dueDate", "2024-04-03", "It is due by 13 April 2024.|It is due in May."),
    ("votes", "13238", "She had 13,328 votes."),
    ("energy_mwh", "214300", "It made about 214 megawatt-hours."),
    ("description", "Window sign, 60 cm", "a 60 mm window sign"),
    ("price_eur", "20", "It costs 20 pounds.|It weighs 20 kg."),
    ("qty", "128", "It costs €128."),
    ("duration_h", "168", "It lasts a full day."),
]


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [(key, value, text) for key, value, texts in STATED for text in texts.split("|")],
)
def test_a_wording_states_the_value(key: str, value: str, text: str) -> None:
    facts = [ValueFact(key, value), ValueFact("other", "1978-11-05"), ValueFact("cores", "4")]
    assert unexplained(facts, text) == []


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [(key, value, text) for key, value, texts in WRONG for text in texts.split("|")],
)
def test_a_wrong_value_is_not_explained(key: str, value: str, text: str) -> None:
    assert unexplained([ValueFact(key, value)], text)


def test_the_unit_may_stand_beside_the_value() -> None:
    assert unexplained([ValueFact("value", "2.5", "kg")], "It weighs 2,500 g.") == []
    assert unexplained([ValueFact("value", "2.5", "kg")], "It weighs 2.5 g.") == ["2.5 g"]
    assert unexplained([ValueFact("amount", "40", "USD")], "It costs $40.") == []
    assert unexplained([ValueFact("value", "11.2", "g/dL")], "It is at 11.2 g/dL.") == []
    assert unexplained([ValueFact("value", "38.5", "million")], "It is 38.5 million.") == []


def test_a_score_is_two_numbers_that_belong_together() -> None:
    facts = [
        ValueFact("goals.home", "3", group="/goals"),
        ValueFact("goals.away", "4", group="/goals"),
        ValueFact("round", "7", group=""),
    ]
    assert unexplained(facts, "They won 4-3.") == []
    assert unexplained(facts, "They won 7-3.") == ["7-3"]


def test_money_paid_out_is_negative_in_the_data() -> None:
    assert unexplained([ValueFact("amount", "-890.0")], "The rent of €890 was paid.") == []


def test_the_ends_of_a_range_are_rounded_outwards() -> None:
    facts = [ValueFact("temp_c", value) for value in ("14.6", "20.4")]
    assert unexplained(facts, "Temperatures range from 14°C to 21°C.") == []
    assert unexplained(facts, "Temperatures range from 12°C to 23°C.") == ["12°C", "23°C"]


def test_a_support_names_the_fact() -> None:
    facts = [ValueFact("name", "Elm Tower"), ValueFact("height_m", "212")]
    text = "It is 0.212 km high."
    (support,) = ValueIndex(facts).explain(find_values(text)[0], text)
    assert (support.facts, support.how, support.why) == ((1,), "converted", "height_m: 212")


def test_reading_a_value_uses_its_key() -> None:
    assert read_value(ValueFact("sunset", "17:34")).clocks
    assert read_value(ValueFact("dt", "1731801600")).moment is not None
    assert read_value(ValueFact("count", "1731801600")).moment is None


def test_time_grows_with_facts_and_text() -> None:
    def seconds(times: int) -> float:
        facts = [ValueFact(f"v{n}", str(1000 + 7 * n)) for n in range(100 * times)]
        text = "It has 1,234 parts and weighs 5 kg. " * (10 * times)
        begin = time.process_time()
        explainer = Explainer(facts)
        for span in find_values(text):
            explainer.index.explain(span, text)
        return time.process_time() - begin

    seconds(1)
    once = max(seconds(1), 0.005)
    # The best of three: a garbage collection among all other tests takes a second.
    assert min(seconds(8) for _ in range(3)) < 30 * once


@pytest.mark.parametrize(
    ("key", "value", "number", "unit"),
    [
        ("priceKEur", "845", "845000", "euro"),
        ("budgetMioEur", "4.8", "4800000", "euro"),
        ("amount", "340 kEUR", "340000", "euro"),
        ("viewers_000", "1260", "1260000", None),
        ("Area (1000 ha)", "52", "52000", "hectare"),
        ("reads_M", "142", "142000000", None),
    ],
)
def test_a_key_or_a_value_may_have_a_scale(
    key: str, value: str, number: str, unit: str | None
) -> None:
    quantity = read_value(ValueFact(key, value)).quantities[-1]
    assert (quantity.value, quantity.unit) == (Decimal(number), unit)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("period", "2026-Q3", "It ran from July to September 2026."),
        ("weekend", "2026-11-06/08", "It opened on the weekend of 6 to 8 November 2026."),
        ("sampled", "2025-07-21T08:00/10:30", "It was sampled on 21 July 2025 until 10:30."),
    ],
)
def test_a_period_has_its_months_days_and_times(key: str, value: str, text: str) -> None:
    assert unexplained([ValueFact(key, value)], text) == []


def test_a_field_of_the_month_before_gives_that_month() -> None:
    facts = [ValueFact("month", "2026-01"), ValueFact("sessionsPrevMonth", "40000")]
    assert unexplained(facts, "There were fewer in December 2025.") == []
    assert unexplained(facts, "There were fewer in November 2025.") == ["November 2025"]
    assert unexplained(facts[:1], "There were fewer in December 2025.") == ["December 2025"]


def test_the_ends_of_a_range_in_millions_are_rounded_outwards() -> None:
    facts = [ValueFact("revenue_meur", value) for value in ("41.2", "39.6", "52.4")]
    assert unexplained(facts, "Revenue stayed between 39 and 53 million euros.") == []
    assert unexplained(facts, "Revenue stayed between 36 and 53 million euros.") == ["36"]
