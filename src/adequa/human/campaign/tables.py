"""The tables of a campaign's database; `migrations` makes them, this module names them.

    campaign   one row: what the database was made for, and the round
    raters     who answers
    slots      a judgment that is needed: `place` 1 to N of a text; handing out is claiming one
    visits     what a rater entered about a text they were shown, answered or not
    answers    one a slot
    history    what an answer was before its rater corrected it

A text has at most N slots that are not void, a rater at most one slot of a text, and a slot at most
one answer: these are constraints of the database, whatever its clients do.
"""

from __future__ import annotations

from adequa.errors import MissingExtra

try:
    import sqlalchemy as sql
except ImportError:
    raise MissingExtra("web", "sqlalchemy") from None

__all__ = ["answers", "campaign", "history", "raters", "slots", "sql", "visits"]

_metadata = sql.MetaData()


campaign = sql.Table(
    "campaign",
    _metadata,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("fingerprint", sql.String(64), nullable=False),
    sql.Column("raters_per_text", sql.Integer, nullable=False),
    sql.Column("round", sql.Integer, nullable=False),
)

raters = sql.Table(
    "raters",
    _metadata,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("external", sql.Text, unique=True),
    sql.Column("status", sql.String(16), nullable=False),
    sql.Column("task", sql.Text),
    sql.Column("eligibility", sql.Text),
    sql.Column("seen", sql.Double),
    sqlite_autoincrement=True,
)

slots = sql.Table(
    "slots",
    _metadata,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("text", sql.Integer, nullable=False),
    sql.Column("task", sql.Text, nullable=False),
    sql.Column("place", sql.Integer, nullable=False),
    sql.Column("round", sql.Integer, nullable=False),
    sql.Column("state", sql.String(8), nullable=False),
    sql.Column("rater", sql.Integer, sql.ForeignKey("raters.number")),
    sql.Column("seen", sql.Double),
    sqlite_autoincrement=True,
)

visits = sql.Table(
    "visits",
    _metadata,
    sql.Column("rater", sql.Integer, sql.ForeignKey("raters.number"), primary_key=True),
    sql.Column("text", sql.Integer, primary_key=True),
    sql.Column("draft", sql.Text, nullable=False),
    sql.Column("seconds", sql.Double, nullable=False),
)

answers = sql.Table(
    "answers",
    _metadata,
    sql.Column("slot", sql.Integer, sql.ForeignKey("slots.number"), primary_key=True),
    sql.Column("text", sql.Integer, nullable=False),
    sql.Column("rater", sql.Integer, sql.ForeignKey("raters.number"), nullable=False),
    sql.Column("given", sql.Text, nullable=False),
    sql.Column("seconds", sql.Double, nullable=False),
    sql.Column("at", sql.Double, nullable=False),
)

history = sql.Table(
    "history",
    _metadata,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("slot", sql.Integer, sql.ForeignKey("slots.number"), nullable=False),
    sql.Column("given", sql.Text, nullable=False),
    sql.Column("seconds", sql.Double, nullable=False),
    sql.Column("at", sql.Double, nullable=False),
)
