"""The first version: raters, the judgments that are needed, and answers."""

from __future__ import annotations

import sqlalchemy as sql
from alembic import op

revision = "0001"
down_revision: str | None = None


def upgrade() -> None:
    """Make the tables of the first version."""
    op.create_table(
        "campaign",
        sql.Column("number", sql.Integer, sql.CheckConstraint("number = 1"), primary_key=True),
        sql.Column("fingerprint", sql.String(64), nullable=False),
        sql.Column("raters_per_text", sql.Integer, nullable=False),
        sql.Column("round", sql.Integer, nullable=False),
    )
    op.create_table(
        "raters",
        sql.Column("number", sql.Integer, primary_key=True),
        sql.Column("external", sql.Text, unique=True),
        sql.Column("status", sql.String(16), nullable=False),
        sql.Column("task", sql.Text),
        sql.Column("eligibility", sql.Text),
        sql.Column("seen", sql.Double),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "slots",
        sql.Column("number", sql.Integer, primary_key=True),
        sql.Column("text", sql.Integer, nullable=False),
        sql.Column("task", sql.Text, nullable=False),
        sql.Column("place", sql.Integer, nullable=False),
        sql.Column("round", sql.Integer, nullable=False),
        sql.Column("state", sql.String(8), nullable=False),
        sql.Column("rater", sql.Integer, sql.ForeignKey("raters.number")),
        sql.Column("seen", sql.Double),
        sql.UniqueConstraint("text", "rater", name="a_rater_judges_a_text_once"),
        sql.CheckConstraint(
            "(state = 'open') = (rater IS NULL) AND state IN ('open', 'held', 'answered', 'void')",
            name="an_open_slot_is_nobodys",
        ),
        sqlite_autoincrement=True,
    )
    for name, keys, state in (
        ("a_place_is_filled_once", ["text", "place"], "state <> 'void'"),
        ("a_rater_holds_one_text", ["rater"], "state = 'held'"),
    ):
        only = sql.text(state)
        op.create_index(name, "slots", keys, unique=True, sqlite_where=only, postgresql_where=only)
    op.create_index("slots_to_hand_out", "slots", ["state", "task", "text"])
    op.create_index("slots_of_a_rater", "slots", ["rater"])
    op.create_table(
        "visits",
        sql.Column("rater", sql.Integer, sql.ForeignKey("raters.number"), primary_key=True),
        sql.Column("text", sql.Integer, primary_key=True),
        sql.Column("draft", sql.Text, nullable=False),
        sql.Column("seconds", sql.Double, nullable=False),
    )
    op.create_table(
        "answers",
        sql.Column("slot", sql.Integer, sql.ForeignKey("slots.number"), primary_key=True),
        sql.Column("text", sql.Integer, nullable=False),
        sql.Column("rater", sql.Integer, sql.ForeignKey("raters.number"), nullable=False),
        sql.Column("given", sql.Text, nullable=False),
        sql.Column("seconds", sql.Double, nullable=False),
        sql.Column("at", sql.Double, nullable=False),
        sql.UniqueConstraint("text", "rater", name="a_rater_answers_a_text_once"),
    )
    op.create_index("answers_of_a_rater", "answers", ["rater", "at"])
