from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.text.values import UNITS, unit_of_key, units

KEYS = {
    "gram": "weight_g greenWeight_g weightInGrams bag_g",
    "kilogram": "box_weight_kg honey_kg kg weight(kg)",
    "degree Celsius": "temp_max_c tempC beanTempC hardiness_min_c main.temp_c",
    "kelvin": "eqTempK",
    "euro": "price_eur priceEur eur total_eur price_eur_per_500g rate_eur_night perKwh_eur "
    "admission_eur.adult",
    "US dollar": "revenue_usd USD usd_total",
    "Swiss franc": "insuranceValueChf hammer_chf",
    "cent": "unitPrice_ct_kWh",
    "kilometre": "distanceKm length_km km",
    "metre": "pool_m altitude_masl damHeight_m elevation_(in_metres)",
    "square kilometre": "area_km2 surfaceAreaKm2",
    "square metre": "area_m2 green_space_m2_per_inhabitant area_sqm",
    "kilowatt-hour": "energyKwh energyKWh energy_kWh monthly_kwh",
    "megawatt-hour": "net_generation_mwh_2023",
    "kilowatt": "maxKw kW",
    "megawatt": "installed_mw_el installed_mw_th",
    "watt": "powerW power_w",
    "megalitre": "capacity_ML",
    "millilitre": "capacityMl bottle_ml",
    "minute": "estimated_min durationMin delay_min delayMinutes minutesPlayed",
    "hour": "hoursPerWeek goal_h",
    "second": "time_s avgWaitSec duration_seconds",
    "millisecond": "latency_ms",
    "metre per second": "wind_speed_ms speed_m_s",
    "kilometre per hour": "avgSpeed_kmh windSpeedKmH speed_kph",
    "day": "avg_stay_days periodDays",
    "month": "warrantyMonths shelf_life_months",
    "percent": "alcohol_pct humidity_percent percentOfVotes",
    "inch": "screen_size_in",
    "tonne": "co2_t_2023",
    "inhabitant per square kilometre": "population_per_km2",
}
NO_UNIT = (
    "temp_min price_min rating max min year birth_year day season round qty check_in opt_in "
    "vitamin_c grade_c viewers_m revenue_m spot_ore_per_kwh id team system items c m s total "
    "second first_name floor order_total number_of_seats lat status days.calls weeks.score"
)


@pytest.mark.parametrize(
    ("key", "unit"), [(key, unit) for unit, keys in KEYS.items() for key in keys.split()]
)
def test_the_unit_is_read_from_a_key(key: str, unit: str) -> None:
    assert unit_of_key(key) == unit
    assert unit in UNITS


@pytest.mark.parametrize("key", NO_UNIT.split())
def test_a_key_without_a_unit_has_none(key: str) -> None:
    assert unit_of_key(key) is None


def test_two_units_at_the_end_of_a_key_are_a_rate() -> None:
    assert unit_of_key("P_mg_kg") == "milligram"
    assert unit_of_key("lime_t_ha") == "tonne"
    assert unit_of_key("pump_l_min") == "litre"
    assert unit_of_key("weight_kg") == "kilogram"


def test_nautical_miles_and_nanometres_have_one_symbol_in_keys() -> None:
    assert unit_of_key("course_nm") == "nautical mile"
    assert unit_of_key("laser_wavelength_nm") == "nanometre"
    assert unit_of_key("torque_nm") == "newton metre"


_LETTERS = ["sq", "square", "km", "mile", "s", " ", "-", "per", "hour", "m²", "L", "in", "°", "µ"]


@given(st.lists(st.sampled_from(_LETTERS), max_size=6).map("".join), st.booleans())
def test_units_are_those_of_one_pattern_of_all(text: str, glued: bool) -> None:
    refused = {"L", "K", "W", "AU"} if glued else {"in"}
    words = _ALL_WORDS.match(text.lower())
    sign = units._alternatives(one for one in units._symbols if one not in refused).match(text)
    found = units._match_plain(text, text.lower(), 0, glued)
    if words and (sign is None or words.end() >= sign.end()):
        assert found == (units._named[units._squeeze(words[0])], words.end())
    else:
        assert found == (sign and (units._symbols[sign[0]], sign.end()))


_ALL_WORDS = units._alternatives(units._spellings, r"[\s-]{0,2}")
