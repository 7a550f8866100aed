"""Words of English that name nothing, or nothing in particular."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["CALENDAR", "GENERIC", "SMALL_WORDS", "TITLES", "common_words"]

SMALL_WORDS = {
    *("the", "of", "in", "and", "or", "for", "with", "to", "from", "on", "at", "an", "by", "as"),
    *("a", "is", "was", "are", "were", "has", "have", "had", "it", "its", "this", "that", "which"),
    *("who", "where", "be", "been", "he", "she", "they", "his", "her", "their", "also", "s"),
}
CALENDAR = frozenset(
    (  # noqa: SIM905
        "january february march april may june july august september october november december "
        "jan feb mar apr jun jul aug sept sep oct nov dec "
        "monday tuesday wednesday thursday friday saturday sunday"
    ).split()
)
TITLES = frozenset(
    (  # noqa: SIM905
        "mr mrs ms dr sir lady lord prof professor president queen king prince princess chief "
        "justice minister prime governor mayor chairman emperor senator captain general colonel "
        "commander deputy vice secretary director manager coach saint"
    ).split()
)
GENERIC = TITLES | frozenset(
    (  # noqa: SIM905
        "tv id fc afc cf sc inc ltd co corp plc gmbh bsc msc ba ma bs ms mba phd md jr sr hq "
        "am pm ad bc bce ce usd eur gbp km kg cm mm ft sq sqkm isbn issn oclc lccn iata icao utc "
        "celsius fahrenheit kelvin iso bachelor master doctor science degree internet web "
        "old new house small large great big long short high low young father mother woman son "
        "daughter brother sister wife husband war peace game art music film book song day night "
        "today north south east west northern southern eastern western national international "
        "company group party army navy road street river lake sea mountain church school college "
        "hospital museum hotel park bridge tower building kids children family friendly "
        "club team league season island line airport university city county state country"
    ).split()
)


@cache
def common_words() -> frozenset[str]:
    """Words that texts write in lower case and that do not come from their data."""
    source = files("adequa.entities") / "resources" / "words.txt"
    lines = source.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))
