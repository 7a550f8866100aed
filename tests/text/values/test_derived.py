from __future__ import annotations

import pytest

from adequa.text.values import Explainer, ValueFact, find_values


def listed(key: str, field: str, values: str) -> list[ValueFact]:
    """The same field of several objects of a list."""
    return [
        ValueFact(f"{key}.{field}", value, group=f"/{key}/{place}")
        for place, value in enumerate(values.split())
    ]


PAYMENTS = [
    *listed("payments", "shop", "Rewe Bahn Rewe Bakery"),
    *listed("payments", "amount_eur", "64.38 47.9 81.12 12.5"),
]
CUPS = listed("cupping", "score", "87.5 86.0 88.75")
WEEK = [
    *listed("days", "calls", "412 365 327 358 298"),
    *listed("days", "answered", "371 343 320 341 289"),
]
SEATS = [
    ValueFact("seats.indoor", "46", group="/seats"),
    ValueFact("seats.terrace", "20", group="/seats"),
]
TRIP = [
    ValueFact("placedAt", "2025-04-11T19:22+02:00"),
    ValueFact("deliveredAt", "2025-04-11T20:09+02:00"),
    ValueFact("estimated_min", "40"),
]
LIFE = [ValueFact("born", "1902-03-05"), ValueFact("died", "1978-11-05")]
POWER = [ValueFact("charge.start", "0.14", group="/c"), ValueFact("charge.end", "0.8", group="/c")]
STOCK = [
    ValueFact("boxes", "46"),
    ValueFact("pieces_per_box", "200"),
    ValueFact("weight_kg", "3.6"),
]
FLAT = [ValueFact("rent_eur", "1180"), ValueFact("area_m2", "84.5")]
CITY = [ValueFact("population", "161775"), ValueFact("area_km2", "94.3")]
LEVELS = [ValueFact("capacity_ML", "12400"), *listed("weeks", "storage_ML", "10912 9672 10044")]
SHIFT = [
    *listed("stops", "from", "16:12 18:40 19:05"),
    *listed("stops", "to", "16:34 18:45 19:47"),
]
ORDER = [
    *listed("lines", "item", "pads oil filter"),
    *listed("lines", "qty", "1 5 1"),
    *listed("lines", "unit_eur", "64.5 11.9 14.8"),
]
JUDGES = [
    ValueFact("cooks.marks", value, group=f"/cooks/{cook}/marks/{place}")
    for cook, marks in enumerate(("8 7 9", "5 6 6"))
    for place, value in enumerate(marks.split())
] + [
    ValueFact("cooks.name", name, group=f"/cooks/{n}") for n, name in enumerate(("Yusra", "Dario"))
]
SNOW = [
    *listed("days", "day", "Thursday Friday Saturday Sunday"),
    *listed("days", "snow_cm", "0 8 27 12"),
]
TRADE = listed("days", "volume_k", "312 287 940 528 401")
PUMP = [ValueFact("hydraulics.pump_flow_min", "64")]
PLANS = [
    *listed("plans", "plan", "Solo Team Business"),
    *listed("plans", "arpa_usd", "25 190 860"),
]
BACKUPS = [
    *listed("jobs", "job", "mail erp archive"),
    *listed("jobs", "ok", "1 1 0"),
    *listed("jobs", "size_gb", "14 320 540"),
    *listed("jobs", "start", "22:00 22:30 23:50"),
    *listed("jobs", "end", "22:20 00:10 01:10"),
]
VOTES = [*listed("reviews", "stars", "5 1 2 4 1"), *listed("reviews", "votes", "14 212 96 31 58")]
CEREAL = [ValueFact("servingSizeG", "45"), ValueFact("per100g.energyKcal", "440", group="/per100g")]
CLINIC = [
    *listed("districts", "target", "14200 9800 21000"),
    *listed("districts", "vaccinated", "13490 6370 20580"),
    ValueFact("coverage_goal", "0.95"),
]
SALES = [
    *listed("titles", "hardback", "2400 900 1700"),
    *listed("titles", "ebook", "1600 2100 1300"),
]
TRIPS = [
    *listed("trips", "no", "1 2 3 4 5"),
    ValueFact("trips.cancelled", "true", group="/trips/4"),
]
GATE = [
    ValueFact("gate_opens_before_min", "150"),
    ValueFact("gate_closes_after_min", "150"),
]
TARIFF = listed("registers", "price_ct", "34 27.5 19")
CLOUD = [ValueFact("cost_usd", "4320"), ValueFact("usage", "14400 vCPU-h")]
FERRY = [*listed("runs", "ship", "Tern Havorn Tern"), *listed("runs", "pax", "268 151 301")]
MATCH = [
    ValueFact("goals.home", "3", group="/goals"),
    ValueFact("goals.away", "2", group="/goals"),
]


@pytest.mark.parametrize(
    ("facts", "text", "how"),
    [
        (PAYMENTS, "Altogether the payments come to €205.90.", "total"),
        (PAYMENTS, "The two payments at Rewe added up to €145.50.", "total"),
        (SEATS, "There are 66 seats.", "total"),
        (CUPS, "Three people scored it, with an average of about 87.4.", "mean"),
        (WEEK, "They received 1,760 calls in the week.", "total"),
        (WEEK, "In all 96 calls went unanswered.", "difference"),
        (WEEK, "On Monday 41 of the calls were lost, less than before.", "difference"),
        (TRIP, "The delivery took 47 minutes.", "time"),
        (LIFE, "She died aged 76.", "time"),
        (POWER, "The charge rose by 66 percentage points.", "difference"),
        (STOCK, "The boxes hold 9,200 pieces in all.", "product"),
        (STOCK, "The boxes weigh 165.6 kg altogether.", "product"),
        (FLAT, "The rent is just under €14 per square metre.", "rate"),
        (CITY, "It has a density of roughly 1,700 people per square kilometre.", "rate"),
        (LEVELS, "The storage is at 88% of its capacity.", "share"),
        (LEVELS, "The reservoir was just over three quarters full.", "share"),
        (LEVELS, "The list has 3 weeks.", "count"),
        (MATCH, "They took a 2-1 lead.", "score"),
        (SHIFT, "The stops had a combined length of 69 minutes.", "total"),
        (ORDER, "The oil costs 59.50 euros.", "product"),
        (JUDGES, "Yusra earned 24 marks.", "total"),
        (SNOW, "Between Friday and Sunday 47 cm of snow fall.", "total"),
        (TRADE, "Roughly 2.47 million changed hands in all.", "total"),
        (PUMP, "The pump moves 64 litres a minute.", "unit"),
        (PLANS, "An average Business customer pays $860.", "same"),
        (BACKUPS, "The successful jobs saved 334 GB in all.", "total"),
        (BACKUPS, "The erp job took 100 minutes.", "time"),
        (VOTES, "The three lowest ratings collected 366 helpful votes.", "total"),
        (CEREAL, "A serving has 198 kcal.", "product"),
        (
            CLINIC,
            "The province stayed 5.1 percentage points below its coverage goal.",
            "difference",
        ),
        (SALES, "It sold 10,000 books, 5,000 of them hardbacks.", "total"),
        (TRIPS, "It completed 80 percent of its trips.", "count"),
        (GATE, "The gate is open for 5 hours.", "total"),
        (TARIFF, "It costs 15 cents more.", "change"),
        (CLOUD, "Each unit of usage cost $0.30.", "rate"),
        (FERRY, "It carried 720 passengers.", "total"),
        ([ValueFact("front_change_m", "-34")], "The front retreated by 34 m.", "same"),
        ([ValueFact("rent_gbp_week", "112")], "The rent comes to £16 a day.", "rate"),
        ([ValueFact("response_rate", "0.973")], "Of the rate 2.7% is missing.", "share"),
        (
            [ValueFact("grant_eur", "340000"), ValueFact("share_of_cost", "0.4")],
            "Going by the grant, the cost is €850,000.",
            "product",
        ),
        (
            [ValueFact("fund_usd", "6000"), ValueFact("first_share_pct", "30")],
            "The first gets 30 percent of the fund, leaving $4,200.",
            "product",
        ),
    ],
)
def test_a_derived_value_is_explained(facts: list[ValueFact], text: str, how: str) -> None:
    explainer = Explainer(facts)
    spans = [
        one
        for one in find_values(text)
        if any(map(str.isdigit, text[one.start : one.end])) or one.kind == "share"
    ]
    span = spans[-1] if "leaving" in text else spans[0]
    supports = explainer.explain(span, text)
    assert [one.how for one in supports] == [how]
    assert supports[0].why


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (PAYMENTS, "The two payments at Rewe added up to €154.50."),
        (CUPS, "It was scored with an average of about 88.1."),
        (CUPS, "The average was 86.0."),
        (WEEK, "They received 1,860 calls in the week."),
        (WEEK, "In all 86 calls went unanswered."),
        (TRIP, "The delivery took 57 minutes."),
        (POWER, "The charge rose by 0.66 percentage points."),
        (FLAT, "The rent is just under €12 per square metre."),
        (LEVELS, "The storage is at 65% of its capacity."),
        (MATCH, "They took a 4-1 lead."),
        (SHIFT, "The stops had a combined length of 79 minutes."),
        (ORDER, "The oil costs 49.50 euros."),
        (JUDGES, "Yusra earned 27 marks."),
        (SNOW, "Between Friday and Sunday 49 cm of snow fall."),
        (TRADE, "Roughly 3.47 million changed hands in all."),
        (PUMP, "The pump moves 46 litres a minute."),
    ],
)
def test_a_wrong_derived_value_is_not_explained(facts: list[ValueFact], text: str) -> None:
    explainer = Explainer(facts)
    spans = [
        one for one in find_values(text) if text[one.start].isdigit() or text[one.start] == "€"
    ]
    assert any(not explainer.explain(span, text) for span in spans)


def test_the_counterpart_has_the_same_kind_and_is_spoken_of() -> None:
    facts = [
        ValueFact("name", "Packlite 28"),
        ValueFact("volume_l", "28"),
        ValueFact("weight_g", "780"),
        ValueFact("sunset", "17:34"),
    ]
    explainer = Explainer(facts)

    def counterpart(text: str) -> int | None:
        return explainer.counterpart(find_values(text)[-1], text)

    assert counterpart("Its weight is 0.87 kg.") == 2
    assert counterpart("At sunset, which is at 5:43 pm.") == 3
    assert counterpart("It is 5 m long.") is None


def test_a_number_that_is_called_a_difference_is_one_of_facts_spoken_of() -> None:
    explainer = Explainer(
        [*listed("skis", "name", "Kite Rook"), *listed("skis", "price_eur", "1849 2299")]
    )
    for text, expected in (
        ("The Kite is €450 cheaper than the Rook.", True),
        ("The Kite is €440 cheaper than the Rook.", False),
        ("The Kite costs €450.", False),
    ):
        assert explainer.is_gap(find_values(text)[0], text) == expected


def test_ranks_and_running_numbers_make_nothing() -> None:
    facts = [
        *listed("tracks", "n", "1 2 3 4"),
        *listed("tracks", "place", "3 1 4 2"),
        ValueFact("chart_peak", "14"),
        ValueFact("till", "4"),
    ]
    text = "The tracks peaked at number 17 of the chart altogether."
    assert not Explainer(facts).explain(find_values(text)[0], text)


def test_the_mean_of_some_rows_needs_a_word_of_what_they_share() -> None:
    facts = [
        *listed("flats", "street", "Weir Mill Yard Dock"),
        *listed("flats", "lift", "yes no no yes"),
        *listed("flats", "rent_eur", "980 750 1250 1420"),
    ]
    explainer = Explainer(facts)
    for text, explained in (
        ("Rents average €1,200.", False),
        ("With a lift rents average €1,200.", True),
        ("Rents average €1,100.", True),
    ):
        assert bool(explainer.explain(find_values(text)[0], text)) == explained
