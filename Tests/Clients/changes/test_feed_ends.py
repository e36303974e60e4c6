"""The ends of feeds."""

import contextlib
import time

import pytest

from feeds import ENDLESS, END_SECONDS_MAX, KINDS, SHORT_MILLISECONDS, db, shared


@pytest.mark.parametrize("kind", KINDS[1:])
def test_feed_ends_when_its_database_is_deleted(db, kind):
    with db.feed(f"feed={kind}&since=now&heartbeat=60000") as feed:
        assert db.server.json("DELETE", f"/{db.name}")["ok"]
        begun = time.monotonic()
        with contextlib.suppress(Exception):
            # With or without a last row: the test is that it ends.
            feed.text()
        assert time.monotonic() - begun < END_SECONDS_MAX


def test_feed_of_a_new_database_of_the_same_name(db):
    """The feed of a deleted database shows no changes of a new database with the same name."""
    db.put("old")
    with db.feed("feed=continuous&heartbeat=60000") as feed:
        feed.row()
        db.server.json("DELETE", f"/{db.name}")
        db.server.json("PUT", f"/{db.name}")
        db.put("new")
        rest = b""
        with contextlib.suppress(Exception):
            rest = feed.answer.read()
        assert b"new" not in rest


def test_feed_that_is_left_leaves_nothing(db):
    for _ in range(50):
        with db.feed("feed=continuous&heartbeat=50"):
            pass
    db.put("a")
    assert db.ids(f"feed=continuous&timeout={SHORT_MILLISECONDS}") == ["a"]


def test_many_kinds_at_once_see_the_same(db):
    feeds = [db.feed(f"feed={kind}&heartbeat=60000") for kind in ENDLESS for _ in range(10)]
    names = [f"n{number}" for number in range(30)]
    for name in names:
        db.put(name)
    for number, feed in enumerate(feeds):
        with feed:
            read = feed.row if number < 10 else lambda feed=feed: feed.change()[0]
            assert [read()["id"] for _ in names] == names
