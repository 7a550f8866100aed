"""Fields, objects and sides that a text gives to values and names of a record."""

from __future__ import annotations

from typing import Any

import pytest

from adequa.entities import JudgmentSettings, credibility, judge
from adequa.readers.records import read_record

LEASE = {"lessor": "Lindholt", "notice_months": 6, "visit": "every 14 days", "deposit_eur": 900}
BIKE = {
    "name": "Grus 210",
    "designer": "Ane Thorsen",
    "manufacturer": "Polaris Cycles",
    "frame_weight_g": 1450,
    "fork_weight_g": 520,
    "children": 1,
    "binding": "PAPERBACK",
    "warranty": {"frame": 5, "components": 2},
}
TRIP = {"flight": "KV 418", "departure": {"airport": "Bergen"}, "arrival": {"airport": "Leeds"}}
TOWNS = {
    "region": "Nordmark",
    "rows": [
        {"town": "Aldby", "inhabitants": 12840, "median_age": 43.1},
        {"town": "Isnes", "inhabitants": 2108, "median_age": 52.7},
        {"town": "Kvernes", "inhabitants": 16655, "median_age": 39.2},
        {"town": "Fosshaug", "inhabitants": 940, "median_age": 50.3},
    ],
}
CREW = {
    "heat": "Heat 3",
    "swimmers": [
        {"name": "Ann Bell", "club": "CN Arles", "lane": 4},
        {"name": "Mia Donn", "club": "Leeds Aquatics", "lane": 5},
    ],
}


BIKES = {
    "shop": "Velo Harkness",
    "bikes": [
        {"model": "Lark", "weightKg": 14.6, "price_eur": 310},
        {"model": "Corrie", "weightKg": 9.8, "price_eur": 610},
        {"model": "Piper", "weightKg": 8.4, "price_eur": 300},
    ],
}
PITCHES = {
    "site": "Lac Bleu",
    "pitches": [
        {"type": "tent", "eur_night": 19, "occ_jul": 0.85, "occ_aug": 0.95},
        {"type": "chalet", "eur_night": 95, "occ_jul": 1.0, "occ_aug": 1.0},
    ],
}
COUNTY = {
    "county": "Nordmark",
    "year": 2021,
    "population": 212400,
    "largest_town": {"name": "Elvsund", "inhabitants": 70800},
}
LISTED = {"list": "Slow Travel", "subscribers": 24000, "unsub_may": 96, "new_subs_may": 420}


def reasons(record: Any, text: str) -> list[str]:
    """The reasons for what a text says wrongly."""
    judgment = judge(read_record(record, text, id="1").item, JudgmentSettings())
    return [why for _, why in judgment.surplus()]


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (BIKE, "The Grus 210, designed by Ane Thorsen, has a frame weight of 1450 g."),
        (BIKE, "It is manufactured by Polaris Cycles; the fork weighs 520 g."),
        (BIKE, "The frame has a longer warranty than the components."),
        (BIKE, "There is one child; it is a paperback, not a hardback."),
        (TRIP, "KV 418 flew from Bergen to Leeds."),
        (LEASE, "Lindholt wants six months' notice, which is half a year, and 900 euros."),
        (LEASE, "Lindholt comes every two weeks."),
        (CREW, "Ann Bell of CN Arles swam against Mia Donn of Leeds Aquatics."),
        (TOWNS, "Isnes had the oldest people at 52.7, and Kvernes the youngest at 39.2."),
        (TOWNS, "Aldby has more inhabitants than Isnes. The largest town has 16,655 inhabitants."),
        (BIKES, "The Piper: at 8.4 kg it weighs 1.4 kg less than the Corrie."),
        (BIKES, "The Piper is €310 cheaper than the Corrie."),
        (BIKES, "The Corrie costs more than double the usual price of 300 euros."),
        (PITCHES, "Tents went from 85 percent full in July to 95 in August."),
        (COUNTY, "Nordmark had 212,400 inhabitants in 2021."),
        (LISTED, "The list gained 420 subscribers and lost 96."),
    ],
)
def test_right_roles(record: Any, text: str) -> None:
    assert reasons(record, text) == []


@pytest.mark.parametrize(
    ("record", "text", "why"),
    [
        (
            BIKE,
            "The fork weight is 1450 g.",
            "'1450 g': the data has fork_weight_g '520'; '1450' is that of frame_weight_g",
        ),
        (
            BIKE,
            "It was designed by Polaris Cycles.",
            (
                "'designed by Polaris Cycles': the data has designer 'Ane Thorsen'; "
                "'Polaris Cycles' is that of manufacturer"
            ),
        ),
        (
            BIKE,
            "It lacks components.",
            "'lacks components': the data has warranty components '2'",
        ),
        (
            BIKE,
            "The designer is not specified.",
            "'The designer is not specified': the data has designer 'Ane Thorsen'",
        ),
        (BIKE, "It is a hardback.", "'hardback': the data has binding 'PAPERBACK'"),
        (
            TRIP,
            "KV 418 flew to Bergen.",
            (
                "'to Bergen': the data has arrival airport 'Leeds'; 'Bergen' is that of departure "
                "airport"
            ),
        ),
        (
            TOWNS,
            "Isnes had a median age of 50.3.",
            "'50.3': the data has median_age '52.7'; '50.3' is that of Fosshaug",
        ),
        (
            CREW,
            "Ann Bell of Leeds Aquatics won.",
            (
                "'Ann Bell of Leeds Aquatics': the data has club 'CN Arles'; "
                "'Leeds Aquatics' is that of Mia Donn"
            ),
        ),
        (
            TOWNS,
            "Isnes has more inhabitants than Aldby.",
            (
                "'more inhabitants than': the data has inhabitants '2108' for Isnes and '12,840' "
                "for Aldby"
            ),
        ),
        (LEASE, "He wants six years of notice.", "'six years': the data has notice_months '6'"),
        (LEASE, "Lindholt comes every 14 weeks.", "'14 weeks': the data has visit 'every 14 days'"),
        (LEASE, "The deposit is 900 dollars.", "'900 dollars': the data has deposit_eur '900'"),
        (
            TOWNS,
            "The largest town has 12,840 inhabitants.",
            "'12,840': the data has inhabitants '16,655'; '12,840' is that of Aldby",
        ),
    ],
)
def test_wrong_roles(record: Any, text: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credibility, "read_credibility", lambda: None)  # nothing is dropped
    assert reasons(record, text) == [why]
