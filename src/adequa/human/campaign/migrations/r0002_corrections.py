"""The second version: earlier versions of corrected answers are kept."""

from __future__ import annotations

import sqlalchemy as sql
from alembic import op

revision = "0002"
down_revision: str | None = "0001"


def upgrade() -> None:
    """Make the table of earlier answers."""
    op.create_table(
        "history",
        sql.Column("number", sql.Integer, primary_key=True),
        sql.Column("slot", sql.Integer, sql.ForeignKey("slots.number"), nullable=False, index=True),
        sql.Column("given", sql.Text, nullable=False),
        sql.Column("seconds", sql.Double, nullable=False),
        sql.Column("at", sql.Double, nullable=False),
    )
