"""The formats of live feeds: `continuous` and `eventsource`."""

import json

import pytest

from feeds import ENDLESS, SHORT_MILLISECONDS, db, shared


def test_continuous_gives_rows_as_they_come(db):
    first = db.put("a", n=1)
    with db.feed("feed=continuous&heartbeat=60000") as feed:
        assert feed.status == 200 and feed.answer.getheader("Content-Type").startswith("application/json")
        row = feed.row()
        assert row == {"seq": row["seq"], "id": "a", "changes": [{"rev": first}]}
        for number in range(20):
            revision = db.put(f"n{number}")
            row = feed.row()
            assert (row["id"], row["changes"]) == (f"n{number}", [{"rev": revision}])
            assert row["seq"] == db.changes("since=now")["last_seq"]


def test_continuous_rows_come_at_once_though_the_client_takes_gzip(db):
    with db.feed("feed=continuous&heartbeat=60000", Accept_Encoding="gzip") as feed:
        db.put("a")
        assert feed.answer.getheader("Content-Encoding") in (None, "identity")
        assert feed.row()["id"] == "a"


@pytest.mark.parametrize("kind", ENDLESS)
def test_documents_written_over_several_lines_are_one_row(db, kind):
    db.server.json(
        "PUT", f"/{db.name}/a", data='{\n  "in": {\r\n"list":\r[\n1,\n\n2]}\n\n}',
        headers={"Content-Type": "application/json"})
    with db.feed(f"feed={kind}&include_docs=true&heartbeat=60000") as feed:
        row = feed.row() if kind == "continuous" else feed.change()[0]
        assert row["doc"]["in"] == {"list": [1, 2]}


def test_continuous_heartbeats(db):
    with db.feed("feed=continuous&heartbeat=100&timeout=1") as feed:
        assert [feed.line() for _ in range(5)] == [""] * 5, "a heartbeat takes the timeout's place"
        db.put("a")
        assert feed.row()["id"] == "a"
        assert feed.line() == ""


def test_continuous_timeout_ends_with_the_last_sequence(db):
    db.put("a")
    with db.feed(f"feed=continuous&timeout={SHORT_MILLISECONDS}") as feed:
        row, end = feed.rows()
        assert end == {"last_seq": row["seq"], "pending": 0}
    with db.feed(f"feed=continuous&since=now&timeout={SHORT_MILLISECONDS}") as feed:
        assert feed.rows() == [end]


def test_continuous_ends_at_its_limit(db):
    for name in "abc":
        db.put(name)
    with db.feed("feed=continuous&limit=2&heartbeat=60000") as feed:
        rows = feed.rows()
        assert [row.get("id") for row in rows] == ["a", "b", None]
        assert rows[2] == {"last_seq": rows[1]["seq"], "pending": 1}
    with db.feed("feed=continuous&limit=4&heartbeat=60000") as feed:
        assert [feed.row()["id"] for _ in range(3)] == ["a", "b", "c"]
        db.put("d")
        rows = feed.rows()
        assert [row.get("id") for row in rows] == ["d", None] and rows[1]["pending"] == 0


def test_continuous_goes_on_where_another_ended(db):
    seen = []
    since = "0"
    for turn in range(5):
        for number in range(3):
            db.put(f"{turn}-{number}")
        with db.feed(f"feed=continuous&since={since}&timeout={SHORT_MILLISECONDS}") as feed:
            *rows, end = feed.rows()
        seen += [row["id"] for row in rows]
        since = end["last_seq"]
    assert seen == [f"{turn}-{number}" for turn in range(5) for number in range(3)]


def test_live_is_continuous(db):
    """CouchDB: `live` is "sugar for continuous"."""
    db.put("a")
    with db.feed(f"feed=live&timeout={SHORT_MILLISECONDS}") as feed:
        assert feed.status == 200, feed.text()
        assert [row.get("id") for row in feed.rows()] == ["a", None]


def test_eventsource_format(db):
    first = db.put("a")
    with db.feed(f"feed=eventsource&timeout={SHORT_MILLISECONDS}") as feed:
        assert feed.answer.getheader("Content-Type").startswith("text/event-stream")
        data, place, empty, *rest = feed.text().split("\n")
    assert data.startswith("data: {") and place.startswith("id: ") and empty == "" and rest == [""]
    row = json.loads(data.removeprefix("data: "))
    assert row == {"seq": row["seq"], "id": "a", "changes": [{"rev": first}]}
    assert place.removeprefix("id: ").strip('"') == row["seq"]


def test_eventsource_is_not_to_be_cached(db):
    with db.feed(f"feed=eventsource&timeout={SHORT_MILLISECONDS}") as feed:
        assert feed.answer.getheader("Cache-Control") == "no-cache"


def test_eventsource_heartbeats_and_rows(db):
    with db.feed("feed=eventsource&heartbeat=100") as feed:
        assert [feed.event() for _ in range(3)] == [{"event": "heartbeat", "data": ""}] * 3
        db.put("a")
        assert feed.change()[0]["id"] == "a"
        assert feed.event() == {"event": "heartbeat", "data": ""}


def test_eventsource_goes_on_after_the_last_event(db):
    for name in "abc":
        db.put(name)
    ends = f"feed=eventsource&timeout={SHORT_MILLISECONDS}"
    with db.feed(ends) as feed:
        places = {row["id"]: place for row, place in iter(feed.change, None)}
    assert list(places) == ["a", "b", "c"]
    assert db.ids(ends, Last_Event_ID=places["a"]) == ["b", "c"]
    assert db.ids(ends, Last_Event_ID=f'"{places["a"]}"') == ["b", "c"], "as CouchDB writes it"
    assert db.ids(f"{ends}&last-event-id={places['b']}") == ["c"]
    assert db.ids(f"{ends}&since=0", Last_Event_ID=places["b"]) == ["c"], "a browser that comes again"
    assert db.ids(f"{ends}&since=now", Last_Event_ID=places["b"]) == ["c"]


def test_last_event_parameter_is_for_all_feeds(db):
    db.put("a")
    assert db.ids(f"last-event-id={db.changes()['last_seq']}") == []


def test_last_event_header_is_for_eventsource_alone(db):
    db.put("a")
    assert db.ids("feed=normal", Last_Event_ID=db.changes()["last_seq"]) == ["a"]


def test_feeds_pass_through_proxies_at_once(db):
    """nginx keeps an answer back until its buffer is full, unless the answer says otherwise."""
    for kind in ("continuous", "longpoll", "eventsource"):
        with db.feed(f"feed={kind}&timeout=50") as feed:
            assert feed.answer.headers["X-Accel-Buffering"] == "no"
    assert "X-Accel-Buffering" not in db.server.request("GET", f"/{db.name}/_changes").headers
