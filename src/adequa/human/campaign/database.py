"""A campaign's database: SQLite in the campaign's folder, or PostgreSQL by its address.

    campaign   one row: the fingerprint of the texts and questions, and the round
    raters     the people who answer
    slots      one needed judgment each: `place` 1 to N of a text; assigning a text claims a slot
    visits     the draft of a rater on a text they were shown, answered or not
    answers    one per slot
    history    earlier versions of corrected answers

A text has at most N slots that are not void, a rater at most one slot of a text, and a slot at most
one answer: the constraints of the database enforce this. `VERSIONS` creates the tables; the newest
version is named here in short.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adequa.errors import DataError, MissingExtra, ServiceError, load_extra
from adequa.files import write_errors
from adequa.human.campaign.settings import DATABASE

if TYPE_CHECKING:
    from alembic.operations import Operations

__all__ = ["Database", "answers", "campaign", "history", "raters", "slots", "sql", "visits"]

try:
    import sqlalchemy as sql
except ImportError:
    raise MissingExtra("web", "sqlalchemy") from None


def _table(name: str, *columns: str) -> sql.TableClause:
    return sql.table(name, *map(sql.column, columns))


# Types and constraints are in `VERSIONS` alone.
campaign = _table("campaign", "number", "fingerprint", "raters_per_text", "round")
raters = _table("raters", "number", "external", "status", "task", "eligibility", "seen")
slots = _table("slots", "number", "text", "task", "place", "round", "state", "rater", "seen")
visits = _table("visits", "rater", "text", "draft", "seconds")
answers = _table("answers", "slot", "text", "rater", "given", "seconds", "at")
history = _table("history", "number", "slot", "given", "seconds", "at")

VERSION_TABLE = "campaign_version"
_VERSION = sql.Table(
    VERSION_TABLE,
    sql.MetaData(),
    sql.Column("version_num", sql.String(32), nullable=False),
    sql.PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
)
_WAIT_SECONDS = 60
"""How long a request waits for a connection or a lock; no record of the data it was chosen on."""
_LOCK = 0x61646571
"""The PostgreSQL advisory lock under which a database is set up."""


class StorageFull(ServiceError):
    """The disk of the database is full; it goes on by itself once there is room."""


class Database:
    """Transactions on one database, from any number of threads and processes.

    SQLite lets one writer in at a time and makes the others poll; within a process they queue at a
    lock instead, so that waiting is short and fair.
    """

    def __init__(self, engine: sql.Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        self._is_sqlite = engine.dialect.name == "sqlite"
        self._queue = threading.Lock()

    @classmethod
    def open(cls, folder: Path, url: str | None = None) -> Database:
        """The database at an address, or the one in the folder; created if missing."""
        if url is None:
            path = folder / DATABASE
            # Readable by its owner only: it holds answers and ids of people.
            with write_errors(path, remedy="use a folder that you can write to"):
                path.touch(mode=0o600)
            address = sql.URL.create("sqlite+pysqlite", database=str(path))
            return cls(_sqlite(address), str(path))
        address = _address(url)
        name = address.render_as_string(hide_password=True)
        if address.get_backend_name() == "sqlite":
            return cls(_sqlite(address), name)
        load_extra("postgres", "psycopg")
        engine = sql.create_engine(
            address,
            pool_size=10,
            max_overflow=20,
            pool_timeout=_WAIT_SECONDS,
            pool_pre_ping=True,
            isolation_level="READ COMMITTED",
            hide_parameters=True,
        )
        return cls(engine, name)

    @contextlib.contextmanager
    def setting_up(self) -> Iterator[sql.Connection]:
        """A transaction on the newest version, open to one process at a time."""
        with self.writing() as connection:
            if not self._is_sqlite:
                connection.execute(sql.select(sql.func.pg_advisory_xact_lock(_LOCK)))
            try:
                upgrade(connection)
            except DataError as error:
                raise DataError(f"{self._name}: {error.problem}", remedy=error.remedy) from None
            yield connection

    @contextlib.contextmanager
    def writing(self, *, lasting: bool = True) -> Iterator[sql.Connection]:
        """A transaction that may write, undone after an exception.

        Once it ends, a `lasting` transaction and all before it survive a loss of power; others
        survive only the end of the process.
        """
        queue = self._queue if self._is_sqlite else contextlib.nullcontext()
        mode = "lasting" if lasting else "quick"
        with queue, self._errors(), self._engine.connect() as connection:
            marked = connection.execution_options(adequa_mode=mode)
            with marked.begin():
                if not lasting and not self._is_sqlite:
                    connection.execute(sql.text("SET LOCAL synchronous_commit = off"))
                yield marked

    @contextlib.contextmanager
    def reading(self) -> Iterator[sql.Connection]:
        """A transaction that only reads."""
        with self._errors(), self._engine.connect() as connection:
            marked = connection.execution_options(adequa_mode="reading")
            with marked.begin():
                yield marked

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sql.exc.IntegrityError, sql.exc.ProgrammingError):
            raise
        except (sql.exc.DBAPIError, sql.exc.TimeoutError) as error:
            # The driver's message without the statement and its parameters, which contain answers.
            words = str(error.orig if isinstance(error, sql.exc.DBAPIError) else error).strip()
            if _is_full(error):
                raise StorageFull(f"the database {self._name}", words, "make room on it") from None
            raise ServiceError(
                f"the database {self._name}",
                words or type(error).__name__,
                "check that it runs, that you can write to it and that it belongs to a campaign",
            ) from None


def _is_full(error: Exception) -> bool:
    cause = getattr(error, "orig", None)
    # PostgreSQL has a code for it, SQLite (before Python 3.11) only its message.
    return getattr(cause, "sqlstate", None) == "53100" or "disk is full" in str(cause)


def upgrade(connection: sql.Connection, newest: str | None = None) -> None:
    """Migrate a database within the connection's transaction: all or nothing.

    `newest` is the version that it gets, by default the last one.
    """
    try:
        from alembic.operations import Operations
        from alembic.runtime.migration import MigrationContext
    except ImportError:
        raise MissingExtra("web", "alembic") from None
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    current = context.get_current_revision()
    if current is not None and current not in VERSIONS:
        raise DataError(
            f"the database has version {current}, which this adequa does not know",
            remedy="a newer adequa created it: upgrade adequa",
        )
    _VERSION.create(connection, checkfirst=True)
    for version, create in VERSIONS.items():
        if (current or "") < version <= (newest or version):
            create(Operations(context))
            connection.execute(_VERSION.delete())
            connection.execute(_VERSION.insert().values(version_num=version))


def _address(url: str) -> sql.URL:
    try:
        address = sql.make_url(url)
    except (sql.exc.ArgumentError, ValueError):
        # Not repeated, because it may contain a password.
        raise DataError(
            "the address of the database cannot be read",
            remedy="write postgresql://user:password@host:5432/name",
        ) from None
    if address.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return address.set(drivername="postgresql+psycopg")
    if address.drivername in ("sqlite", "sqlite+pysqlite") and address.database:
        return address.set(drivername="sqlite+pysqlite")
    raise DataError(
        f"databases of type {address.drivername!r} are not supported",
        remedy="write postgresql://user:password@host:5432/name, or nothing for a file",
    )


def _sqlite(address: sql.URL) -> sql.Engine:
    engine = sql.create_engine(
        address,
        poolclass=sql.QueuePool,
        pool_size=10,
        max_overflow=40,
        pool_timeout=_WAIT_SECONDS,
        connect_args={"timeout": _WAIT_SECONDS, "check_same_thread": False},
        hide_parameters=True,
    )

    @sql.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        # The driver's own BEGIN comes late and without IMMEDIATE; ours is below.
        connection.isolation_level = None
        # Moving the log into the file makes one transaction wait for all: fewer than one in a
        # hundred is to be that one.
        for pragma in ("journal_mode = WAL", "wal_autocheckpoint = 8000", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}").close()

    @sql.event.listens_for(engine, "begin")
    def begin(connection: sql.Connection) -> None:
        mode = connection.get_execution_options()["adequa_mode"]
        if mode != "reading":
            level = "FULL" if mode == "lasting" else "NORMAL"
            connection.exec_driver_sql(f"PRAGMA synchronous = {level}")
        connection.exec_driver_sql("BEGIN" if mode == "reading" else "BEGIN IMMEDIATE")

    return engine


def _create_first(op: Operations) -> None:
    """Raters, the judgments that are needed, and answers."""
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


def _create_history(op: Operations) -> None:
    """Earlier versions of corrected answers."""
    op.create_table(
        "history",
        sql.Column("number", sql.Integer, primary_key=True),
        sql.Column("slot", sql.Integer, sql.ForeignKey("slots.number"), nullable=False, index=True),
        sql.Column("given", sql.Text, nullable=False),
        sql.Column("seconds", sql.Double, nullable=False),
        sql.Column("at", sql.Double, nullable=False),
    )


VERSIONS: Mapping[str, Callable[[Operations], None]] = {
    "0001": _create_first,
    "0002": _create_history,
}
"""What each version adds; none changes after a release."""
