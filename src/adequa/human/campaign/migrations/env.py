"""Alembic's environment: the versions are run on the connection they are given."""

from __future__ import annotations

from alembic import context

from adequa.human.campaign.migrations import VERSION_TABLE


def run() -> None:
    """Run the versions asked for; the transaction is the caller's."""
    connection = context.config.attributes["connection"]
    context.configure(connection=connection, version_table=VERSION_TABLE)
    context.run_migrations()


if __name__ == "env_py":  # so Alembic names it; any other import only looks
    run()
