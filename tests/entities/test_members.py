"""Members: other statuses, numbers of names, quantities, empty lists, bounds and verbs."""

from __future__ import annotations

from typing import Any

import pytest

from adequa.entities.judgment import read_findings
from adequa.readers.records import read_record

PARCEL = {
    "order": "A-77", "status": "shipped", "carrier": "DHL", "customer": "Nadia Brook",
    "items": [{"name": "desk lamp", "qty": 1}, {"name": "LED bulb", "qty": 3}],
}  # fmt: skip
PATIENT = {"patient": "P-1", "sex": "F", "diagnosis": "type 2 diabetes", "allergies": ["dust"]}
FILM = {"title": "Harbor", "runtime_min": 112, "budget_usd": 4_200_000, "gross_usd": 12_700_000}
BIKE = {"name": "Kestrel", "price_eur": 2899}
TRAIN = {"train": "IC 5", "departure": "08:15", "arrival": "10:40"}
TICKETS = {
    "board": "Ops",
    "tickets": [{"name": "Alpha", "status": "open"}, {"name": "Beta", "status": "closed"}],
}
DELAY = {"flight": "X 5", "status": "delayed", "delay_min": 25}
RETURN = {"order": "A-78", "status": "PARTIALLY_REFUNDED", "refunded_usd": 89}
LAMP = {"name": "Orla", "kind": "desk lamp", "colors": ["black", "sage", "white"]}
HOTEL = {
    "hotel": "Mira", "check_in": "15:00", "check_out": "11:00", "visitors": 18240,
    "amenities": ["pool", "sauna", "free wifi"],
}  # fmt: skip
FARES = {"train": "IC 2047", "fare_standard_gbp": 34.5, "fare_first_gbp": 58}
SHOW = {
    "film": "Comets",
    "runtime_min": 148,
    "ticket": {"adult": 11.5, "child": 7, "currency": "GBP"},
}
BILL = {"invoice": "INV-3", "net": 1360, "vat": 272, "gross": 1632, "currency": "GBP"}
DAMS = {"bog": "Elva", "dams_built": 38, "dams_intact": 35}
OPEN = {
    "tournament": "Calder Open",
    "players": ["Oskar Lind", "Mateo Brisco"],
    "winner": "Oskar Lind",
}
DEAL = {
    "deal": "D-9", "status": "PENDING_APPROVAL", "price_m_eur": 88,
    "acquirer": {"name": "Fjell Foods", "staff": 5200}, "target": {"name": "Sprig", "staff": 90},
}  # fmt: skip


def faults(record: Any, text: str) -> list[str]:
    found = read_findings(read_record(record, text, id="1").item).found
    return [text[slice(*one.place)] for one in found if one.rule.startswith("member")]


@pytest.mark.parametrize(
    ("record", "text", "expected"),
    [
        (PARCEL, "The order was delivered.", "delivered"),
        (PARCEL, "The order is still being processed.", "processed"),
        (PARCEL, "The order of the desk lamp was delivered.", "delivered"),
        (DELAY, "Flight X 5 departs on time.", "on time"),
        (PARCEL, "It contains three desk lamps.", "three desk lamp"),
        (PARCEL, "It will arrive with UPS.", "UPS"),
        (PATIENT, "The 60-year-old man has type 2 diabetes.", "man"),
        (PATIENT, "She has type 1 diabetes.", "type 1 diabetes"),
        (PATIENT, "She has no known allergies.", "no known allergies"),
        (FILM, "Harbor runs for over two hours.", "over two hours"),
        (FILM, "Harbor grossed $4.2 million.", "$4.2 million"),
        (BIKE, "The Kestrel costs under €2,500.", "under €2,500"),
        (TRAIN, "The train departs at 10:40.", "10:40"),
        (TICKETS, "Beta is still open.", "open"),
        (LAMP, "It comes in black, navy and white.", "navy"),
        (LAMP, "It is available in four colours.", "four colours"),
        (HOTEL, "It offers a pool, a sauna, a fitness room and free wifi.", "a fitness room"),
        (HOTEL, "Check-in is at 11 a.m. and check-out at 3 p.m.", "11 a.m"),
        (HOTEL, "Fewer than 18,000 people visited Mira.", "Fewer than 18,000"),
        (FARES, "A standard ticket on the IC 2047 costs £58.", "£58"),
        (SHOW, "Adults pay £7 for Comets and children £11.50.", "£11.50"),
        (SHOW, "Comets lasts well over two and a half hours.", "well over two and a half hours"),
        (BILL, "The net amount is £1,632.", "£1,632"),
        (
            OPEN,
            "Mateo Brisco defeated fifth seed Oskar Lind on clay.",
            "defeated fifth seed Oskar Lind",
        ),
        (OPEN, "Oskar Lind lost to Mateo Brisco.", "Oskar Lind lost"),
        (DEAL, "Sprig is acquiring Fjell Foods for €88 million.", "Sprig is acquiring Fjell Foods"),
        (DEAL, "The deal has been completed.", "completed"),
    ],
)
def test_another_member_is_a_fault(record: Any, text: str, expected: str) -> None:
    assert any(expected in one for one in faults(record, text))


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (PARCEL, "The order has been shipped and has not been delivered yet."),
        (PARCEL, "It was sent with DHL and contains three LED bulbs and one desk lamp."),
        (PARCEL, "The order will be delivered soon."),
        (RETURN, "The jacket came back and $89 was refunded."),
        (PARCEL, "It contains a desk lamp with a USB port."),
        (PATIENT, "The woman has type 2 diabetes and an allergy to dust."),
        (PATIENT, "She has no other allergies."),
        (FILM, "Harbor, made for $4.2 million, grossed $12.7 million in under two hours."),
        (FILM, "Harbor runs for more than an hour and a half."),
        (BIKE, "The Kestrel costs less than €3,000."),
        (TRAIN, "The train departs at 8:15 and arrives at 10:40."),
        (TICKETS, "Alpha is still open."),
        (LAMP, "It comes in black, sage and white, and does not need a bulb."),
        (LAMP, "It is available in three colours."),
        (HOTEL, "It offers a pool, a sauna and free wifi to more than 18,000 visitors."),
        (HOTEL, "You can check in from 3 p.m. and must check out by 11 a.m."),
        (FARES, "A standard ticket costs £34.50, a first class ticket £58."),
        (SHOW, "Adults pay £11.50 and children £7 for almost two and a half hours."),
        (BILL, "The net amount plus VAT is £1,632."),
        (BILL, "The net and the gross amount are £1,360 and £1,632 respectively."),
        (DAMS, "Of the 38 dams 35 are intact."),
        (DAMS, "Thirty-five of the thirty-eight dams built are intact."),
        (OPEN, "Oskar Lind defeated Mateo Brisco, who had never beaten Oskar Lind."),
        (OPEN, "Mateo Brisco was defeated by Oskar Lind, who lost only the first set."),
        (DEAL, "Fjell Foods is acquiring Sprig, and the approval is pending."),
        (DEAL, "Sprig is being acquired by Fjell Foods."),
        (TICKETS, "One of the tickets is open."),
    ],
)
def test_what_agrees_is_not_a_fault(record: Any, text: str) -> None:
    assert faults(record, text) == []
