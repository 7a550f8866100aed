"""An older database is brought to the newest version; one of a newer version is refused."""

from __future__ import annotations

import contextlib

import pytest
import sqlalchemy as sql

from adequa.errors import DataError
from adequa.human.campaign import database as tables
from adequa.human.campaign.database import VERSION_TABLE, Database, upgrade
from adequa.human.campaign.model import NothingLeft
from adequa.human.campaign.store import CampaignStore

from .conftest import sample


def names(connection: sql.Connection) -> set[str]:
    return set(sql.inspect(connection).get_table_names())


def test_an_answer_of_the_first_version_can_be_corrected_in_the_second(make_campaign, database):
    folder = make_campaign(sample(2, 2))
    older = Database.open(folder, database)
    with older.writing() as connection:
        upgrade(connection, "0001")
        assert "history" not in names(connection)
        assert "answers" in names(connection)
    older.close()

    # What the first version wrote: everything but corrections.
    store = CampaignStore.open(folder, url=database)
    (rater,) = store.add_raters(1)
    page = store.next_page(rater.number)
    assert not isinstance(page, NothingLeft)
    assert store.answer(rater.number, page.slot, {"sense": 1}, 1.0) == "stored"
    store.close()
    back = Database.open(folder, database)
    with back.writing() as connection:
        connection.execute(sql.text("DROP TABLE history"))
        connection.execute(sql.text(f"UPDATE {VERSION_TABLE} SET version_num = '0001'"))
    back.close()

    store = CampaignStore.open(folder, url=database)
    assert [one.value for one in store.ratings() if one.rater] == [1.0]
    assert store.answer(rater.number, page.slot, {"sense": 2}, 1.0) == "stored"
    assert [one.value for one in store.ratings() if one.rater] == [2.0]
    store.close()


NULLABLE = {"raters": ("external", "task", "eligibility", "seen"), "slots": ("rater", "seen")}


def test_the_newest_version_has_the_tables_that_are_named(make_campaign, database):
    folder = make_campaign(sample(2, 2))
    CampaignStore.open(folder, url=database).close()
    opened = Database.open(folder, database)
    with opened.reading() as connection:
        inspector = sql.inspect(connection)
        for table in (
            tables.campaign,
            tables.raters,
            tables.slots,
            tables.visits,
            tables.answers,
            tables.history,
        ):
            found = {
                column["name"]: column["nullable"] for column in inspector.get_columns(table.name)
            }
            nullable = NULLABLE.get(table.name, ())
            assert found == {column.name: column.name in nullable for column in table.columns}
    opened.close()


def test_a_newer_database_is_refused_and_left_as_it_is(make_campaign, database):
    folder = make_campaign(sample(2, 2))
    CampaignStore.open(folder, url=database).close()
    opened = Database.open(folder, database)
    with opened.writing() as connection:
        connection.execute(sql.text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(DataError, match="version 9999") as caught:
        CampaignStore.open(folder, url=database)
    assert "upgrade" in str(caught.value.remedy)
    with opened.reading() as connection:
        version = connection.execute(sql.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    assert version == "9999"
    opened.close()


def test_a_version_is_reached_whole_or_not_at_all(make_campaign, database):
    folder = make_campaign(sample(2, 2))
    opened = Database.open(folder, database)
    with contextlib.suppress(ZeroDivisionError), opened.writing() as connection:
        upgrade(connection)
        assert "slots" in names(connection)
        raise ZeroDivisionError
    with opened.reading() as connection:
        assert names(connection) == set()
    opened.close()


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param(
            "UPDATE slots SET rater = 1, state = 'answered' WHERE text = 0", id="twice on a text"
        ),
        pytest.param("UPDATE slots SET state = 'answered' WHERE number = 1", id="nobody's answer"),
        pytest.param("UPDATE slots SET rater = 1 WHERE number = 1", id="an open slot of somebody"),
        pytest.param(
            "UPDATE slots SET rater = 1, state = 'held' WHERE place = 1", id="two held texts"
        ),
        pytest.param("UPDATE slots SET place = 1", id="more than N live slots"),
        pytest.param(
            "UPDATE slots SET rater = 77, state = 'held' WHERE number = 1", id="an unknown rater"
        ),
        pytest.param(
            "UPDATE slots SET state = 'lost', rater = 1 WHERE number = 1", id="an unknown state"
        ),
        pytest.param(
            "INSERT INTO campaign SELECT 2, fingerprint, 1, 1 FROM campaign", id="two campaigns"
        ),
    ],
)
def test_the_database_itself_forbids(make_campaign, database, statement):
    folder = make_campaign(sample(2, 2))
    store = CampaignStore.open(folder, url=database)
    store.add_raters(1)
    store.close()
    opened = Database.open(folder, database)
    with pytest.raises(sql.exc.IntegrityError), opened.writing() as connection:
        connection.execute(sql.text(statement))
    opened.close()
