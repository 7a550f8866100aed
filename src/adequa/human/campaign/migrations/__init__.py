"""The versions of a campaign's database, and the way from an older one to the newest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adequa.errors import DataError, MissingExtra

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

__all__ = ["VERSION_TABLE", "upgrade"]


VERSION_TABLE = "campaign_version"


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring a database to a version, within the connection's transaction: whole or not at all."""
    try:
        from alembic import command
        from alembic.runtime.migration import MigrationContext
        from alembic.script import ScriptDirectory
    except ImportError:
        raise MissingExtra("web", "alembic") from None
    config = _config(connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    for head in context.get_current_heads():
        if head not in known:
            raise DataError(
                f"the database is of version {head}, which this adequa does not know",
                remedy="it was made by a newer adequa: pip install --upgrade adequa",
            )
    command.upgrade(config, revision)


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "adequa.human.campaign:migrations")
    config.attributes["connection"] = connection
    return config
