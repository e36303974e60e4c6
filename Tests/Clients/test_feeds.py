"""Feeds of changes and of databases, in all their kinds and by all their filters, at last in a browser."""

import base64
import contextlib
import functools
import http.server
import json
import threading
import time

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

from conftest import Server
from raw import Feed

# A feed that has nothing more to tell ends after this long, where a test asks for it.
SHORT_MILLISECONDS = 100
# By then a feed that is to end has ended.
END_SECONDS_MAX = 20
KINDS = ["normal", "longpoll", "continuous", "eventsource"]
ENDLESS = ["continuous", "eventsource"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("feeds") / "data")
    yield server
    server.stop()


class Database:
    """A database of its own for each test, on the one server."""

    def __init__(self, server, name):
        self.server, self.name, self.port = server, name, server.port
        server.json("PUT", f"/{name}")

    def put(self, identifier, **members):
        return self.server.json("PUT", f"/{self.name}/{identifier}", json=members)["rev"]

    def changes(self, query=""):
        return self.server.json("GET", f"/{self.name}/_changes?{query}")

    def feed(self, query, **options):
        return Feed(self.server, f"/{self.name}/_changes?{query}", **options)

    def ids(self, query, **options):
        """What a feed of any kind shows until it ends."""
        with self.feed(query, **options) as feed:
            assert feed.status == 200, feed.text()
            if "eventsource" in query:
                return [row["id"] for row, _ in iter(feed.change, None)]
            if "continuous" in query:
                return [row["id"] for row in feed.rows() if "id" in row]
            return [row["id"] for row in json.loads(feed.text())["results"]]


@pytest.fixture
def db(shared, request):
    name = "".join(letter if letter.isalnum() else "_" for letter in request.node.name.lower())
    yield Database(shared, name)
    shared.request("DELETE", f"/{name}")


# MARK: continuous


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


# MARK: eventsource


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


# MARK: Where a feed begins, and how much it gives


@pytest.mark.parametrize("kind", KINDS)
def test_since(db, kind):
    for name in "abcde":
        db.put(name)
    ends = f"feed={kind}&timeout={SHORT_MILLISECONDS}"
    rows = db.changes()["results"]
    assert db.ids(ends) == db.ids(f"{ends}&since=0") == ["a", "b", "c", "d", "e"]
    assert db.ids(f"{ends}&since={rows[2]['seq']}") == ["d", "e"]
    assert db.ids(f"{ends}&since=3") == ["d", "e"], "a bare number is a place too"
    assert db.ids(f"{ends}&since=now") == []
    assert db.ids(f"{ends}&limit=2") == ["a", "b"]
    assert db.ids(f"{ends}&limit=0") == ["a"], "as in CouchDB, no limit is below one"


@pytest.mark.parametrize("kind", KINDS[1:])
def test_since_now_shows_what_comes_after(db, kind):
    db.put("before")
    with db.feed(f"feed={kind}&since=now&heartbeat=60000&limit=1") as feed:
        db.put("after")
        assert "after" in (text := feed.text()) and "before" not in text


def test_descending(db):
    for name in "abcd":
        db.put(name)
    newest = db.changes()["last_seq"]
    feed = db.changes("descending=true")
    assert [row["id"] for row in feed["results"]] == ["d", "c", "b", "a"]
    assert feed["results"][0]["seq"] == newest
    assert db.ids("descending=true&limit=2") == ["d", "c"]
    assert db.ids("descending=true&filter=_doc_ids&doc_ids=[\"a\",\"c\"]") == ["c", "a"]
    with db.feed(f"feed=longpoll&descending=true&timeout={SHORT_MILLISECONDS}") as feed:
        assert [row["id"] for row in json.loads(feed.text())["results"]] == ["d", "c", "b", "a"]


def test_sequence_interval(db):
    for number in range(12):
        db.put(f"{number:02}")
    everything = [row["seq"] for row in db.changes()["results"]]
    for interval in [1, 3, 4]:
        feed = db.changes(f"seq_interval={interval}")
        given = {row["id"]: row["seq"] for row in feed["results"] if row["seq"] is not None}
        assert len(feed["results"]) == 12 and len(given) == 12 // interval
        assert feed["last_seq"] == everything[-1]
        assert all(place == everything[int(name)] for name, place in given.items())


@pytest.mark.parametrize("interval", [
    "0",
    "-1", "x"])
def test_wrong_sequence_interval(db, interval):
    with db.feed(f"seq_interval={interval}") as feed:
        assert feed.status == 400, feed.text()


@pytest.mark.parametrize("heartbeat", ["0", "-1", "x"])
def test_wrong_heartbeat(db, heartbeat):
    """CouchDB: "The heartbeat value should be a positive integer (in milliseconds)."."""
    with db.feed(f"feed=continuous&limit=1&heartbeat={heartbeat}&timeout=1") as feed:
        assert feed.status == 400


def test_each_document_is_in_a_feed_once(db):
    for turn in range(3):
        for name in "ab":
            query = "" if turn == 0 else f"?rev={last[name]}"
            saved = db.server.json("PUT", f"/{db.name}/{name}{query}", json={"turn": turn})
            last = {**(last if turn or name == "b" else {}), name: saved["rev"]}
    feed = db.changes()["results"]
    assert [(row["id"], row["changes"][0]["rev"]) for row in feed] == [("a", last["a"]), ("b", last["b"])]


# MARK: What a row tells


TREE = [
    {"_id": "c", "_revisions": {"start": 2, "ids": ["b", "a"]}, "v": "b"},
    {"_id": "c", "_revisions": {"start": 2, "ids": ["c", "a"]}, "v": "c"},
    {"_id": "c", "_revisions": {"start": 3, "ids": ["d", "x", "a"]}, "_deleted": True},
]


def graft(db, *documents):
    body = {"new_edits": False, "docs": list(documents)}
    assert db.server.json("POST", f"/{db.name}/_bulk_docs", json=body) == []


@pytest.mark.parametrize("kind", ENDLESS)
def test_style(db, kind):
    with db.feed(f"feed={kind}&style=all_docs&heartbeat=60000") as feed:
        graft(db, *TREE)
        row = feed.change()[0] if kind == "eventsource" else feed.row()
    assert [leaf["rev"] for leaf in row["changes"]] == ["2-c", "2-b", "3-d"]
    assert db.changes("style=main_only")["results"][0]["changes"] == [{"rev": "2-c"}]


def test_conflicts_in_documents(db):
    graft(db, *TREE)
    assert db.changes("include_docs=true")["results"][0]["doc"] == {"_id": "c", "_rev": "2-c", "v": "c"}
    row = db.changes("include_docs=true&conflicts=true")["results"][0]
    assert row["doc"] == {"_id": "c", "_rev": "2-c", "v": "c", "_conflicts": ["2-b"]}
    assert "doc" not in db.changes("conflicts=true&attachments=true")["results"][0]


@pytest.mark.parametrize("kind", ENDLESS)
def test_attachments_in_documents(db, kind):
    content = bytes(range(256)) * 400
    with db.feed(f"feed={kind}&include_docs=true&attachments=true&heartbeat=60000") as feed:
        db.server.json("PUT", f"/{db.name}/x/a.bin", data=content, headers={"Content-Type": "image/x"})
        row = feed.change()[0] if kind == "eventsource" else feed.row()
    attachment = row["doc"]["_attachments"]["a.bin"]
    assert base64.b64decode(attachment["data"]) == content and "stub" not in attachment
    stub = db.changes("include_docs=true")["results"][0]["doc"]["_attachments"]["a.bin"]
    assert stub["stub"] and stub["length"] == len(content) and "data" not in stub


@pytest.mark.parametrize("kind", ENDLESS)
def test_deletions(db, kind):
    first = db.put("a", n=1)
    with db.feed(f"feed={kind}&since=now&include_docs=true&heartbeat=60000") as feed:
        gone = db.server.json("DELETE", f"/{db.name}/a?rev={first}")["rev"]
        row = feed.change()[0] if kind == "eventsource" else feed.row()
    assert row == {"seq": row["seq"], "id": "a", "changes": [{"rev": gone}], "deleted": True,
                   "doc": {"_id": "a", "_rev": gone, "_deleted": True}}
    assert db.changes()["results"] == [{"seq": row["seq"], "id": "a", "changes": [{"rev": gone}], "deleted": True}]
    again = db.put("a", n=2)
    row = db.changes()["results"][0]
    assert row["changes"] == [{"rev": again}] and "deleted" not in row


def test_local_documents_are_in_no_feed(db):
    with db.feed("feed=continuous&heartbeat=60000&limit=1") as feed:
        db.put("_local/x")
        db.put("a")
        assert [row.get("id") for row in feed.rows()] == ["a", None]


# MARK: Filters


@pytest.mark.parametrize("kind", KINDS)
def test_document_ids(db, kind):
    for name in "abcd":
        db.put(name)
    ends = f"feed={kind}&timeout={SHORT_MILLISECONDS}&filter=_doc_ids"
    assert db.ids(ends + '&doc_ids=["d","b","z"]') == ["b", "d"]
    assert db.ids(ends, method="POST", body={"doc_ids": ["d", "b", "z"]}) == ["b", "d"]
    assert db.ids(ends, method="POST", body={"doc_ids": []}) == []


@pytest.mark.parametrize("body", [{"doc_ids": "a"}, {"doc_ids": [1]}, {"doc_ids": {"a": 1}}, {}])
def test_wrong_document_ids(db, body):
    with db.feed("filter=_doc_ids", method="POST", body=body) as feed:
        assert feed.status == 400 and set(json.loads(feed.text())) == {"error", "reason"}


def test_longpoll_waits_for_what_its_filter_shows(db):
    db.put("old")
    answers = []
    query = "feed=longpoll&heartbeat=60000&filter=_doc_ids"
    with db.feed(query, method="POST", body={"doc_ids": ["wanted"]}) as feed:
        thread = threading.Thread(target=lambda: answers.append(feed.text()))
        thread.start()
        db.put("other")
        time.sleep(0.3)
        assert not answers
        db.put("wanted")
        thread.join(END_SECONDS_MAX)
    assert [row["id"] for row in json.loads(answers[0])["results"]] == ["wanted"]


DOCUMENTS = {
    "apple": {"kind": "fruit", "weight": 150, "tags": ["red", "sweet"], "from": {"land": "pl"}},
    "lemon": {"kind": "fruit", "weight": 100, "tags": ["yellow"], "from": {"land": "it"}},
    "nail": {"kind": "tool", "weight": 5, "tags": []},
    "note": {"text": "no kind"},
}
SELECTORS = [
    ({"kind": "fruit"}, ["apple", "lemon"]),
    ({"weight": {"$gt": 5, "$lte": 100}}, ["lemon"]),
    ({"kind": {"$exists": False}}, ["note"]),
    ({"$or": [{"kind": "tool"}, {"text": {"$exists": True}}]}, ["nail", "note"]),
    ({"$and": [{"kind": "fruit"}, {"weight": {"$ne": 100}}]}, ["apple"]),
    ({"$nor": [{"kind": "fruit"}, {"weight": 7}]}, ["nail"]),
    ({"kind": {"$not": {"$eq": "fruit"}}}, ["nail"]),
    ({"tags": {"$all": ["red", "sweet"]}}, ["apple"]),
    ({"tags": {"$elemMatch": {"$eq": "yellow"}}}, ["lemon"]),
    ({"tags": {"$size": 0}}, ["nail"]),
    ({"from.land": {"$in": ["pl", "de"]}}, ["apple"]),
    ({"from": {"land": "it"}}, ["lemon"]),
    ({"weight": {"$mod": [50, 0]}}, ["apple", "lemon"]),
    ({"text": {"$regex": "^no"}}, ["note"]),
    ({"text": {"$type": "string"}}, ["note"]),
    ({"_id": {"$gt": "m"}}, ["nail", "note"]),
    ({"_id": {"$beginsWith": "n"}}, ["nail", "note"]),
    ({}, ["apple", "lemon", "nail", "note"]),
]


@pytest.fixture(scope="module")
def larder(shared):
    db = Database(shared, "larder")
    for name, members in DOCUMENTS.items():
        db.put(name, **members)
    return db


@pytest.mark.parametrize("selector,expected", SELECTORS, ids=lambda value: json.dumps(value))
def test_selector(larder, selector, expected):
    assert larder.ids("filter=_selector", method="POST", body={"selector": selector}) == expected


def test_selector_in_live_feeds(db):
    db.put("before", kind="fruit")
    query = "feed=continuous&filter=_selector&include_docs=true&heartbeat=60000"
    with db.feed(query, method="POST", body={"selector": {"kind": "fruit"}}) as feed:
        assert feed.row()["id"] == "before"
        db.put("nail", kind="tool")
        revision = db.put("apple", kind="fruit", n=1)
        assert feed.row()["doc"] == {"_id": "apple", "_rev": revision, "kind": "fruit", "n": 1}


@pytest.mark.parametrize("body", [{}, {"selector": 7}, {"selector": {"a": {"$strange": 1}}}, {"selector": None}])
def test_wrong_selector(larder, body):
    with larder.feed("filter=_selector", method="POST", body=body) as feed:
        assert feed.status == 400 and set(json.loads(feed.text())) == {"error", "reason"}


@pytest.mark.parametrize("kind", KINDS)
def test_design_documents(db, kind):
    for name in ["a", "_design/x", "b", "_design/y", "_designed".replace("_", "z")]:
        db.put(name)
    assert db.ids(f"feed={kind}&filter=_design&timeout={SHORT_MILLISECONDS}") == ["_design/x", "_design/y"]


# MARK: How feeds end


@pytest.mark.parametrize("kind", KINDS[1:])
def test_feed_ends_when_its_database_is_deleted(db, kind):
    with db.feed(f"feed={kind}&since=now&heartbeat=60000") as feed:
        assert db.server.json("DELETE", f"/{db.name}")["ok"]
        begun = time.monotonic()
        with contextlib.suppress(Exception):
            # With or without a last row: that it is over is what counts.
            feed.text()
        assert time.monotonic() - begun < END_SECONDS_MAX


def test_feed_of_a_new_database_of_the_same_name(db):
    """The feed of a deleted database shows nothing of its successor."""
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


# MARK: _db_updates


def updates(server, query):
    return Feed(server, f"/_db_updates?{query}")


def test_updates_at_once(db):
    with updates(db.server, "") as feed:
        answer = json.loads(feed.text())
    rows = [row for row in answer["results"] if row["db_name"] == db.name]
    assert rows == [{"db_name": db.name, "type": "created", "seq": rows[0]["seq"]}]
    with updates(db.server, f"since={answer['last_seq']}") as feed:
        assert json.loads(feed.text())["results"] == []
    with updates(db.server, "limit=1") as feed:
        assert len(json.loads(feed.text())["results"]) == 1


def test_updates_by_longpoll(other):
    other.json("PUT", "/db")
    with updates(other, "feed=longpoll&since=now&heartbeat=60000") as feed:
        other.json("PUT", "/db/a", json={})
        answer = json.loads(feed.text())
    assert answer["results"] == [{"db_name": "db", "type": "updated", "seq": answer["last_seq"]}]
    with updates(other, f"feed=longpoll&since=now&timeout={SHORT_MILLISECONDS}") as feed:
        assert json.loads(feed.text())["results"] == []


def test_last_update_of_a_deleted_database_tells_so(other):
    other.json("PUT", "/db")
    other.json("PUT", "/db/a", json={})
    other.json("DELETE", "/db")
    other.json("PUT", "/marker")
    with updates(other, "feed=continuous&timeout=2000") as feed:
        rows = [row for row in feed.rows() if row.get("db_name") == "db"]
    assert rows[-1]["type"] == "deleted", rows


@pytest.mark.parametrize("kind", ENDLESS)
def test_updates_as_they_come(db, kind):
    name = f"{db.name}-made"
    with updates(db.server, f"feed={kind}&since=now&heartbeat=60000") as feed:
        read = feed.row if kind == "continuous" else lambda: feed.change()[0]
        db.server.json("PUT", f"/{name}")
        created = read()
        db.server.json("PUT", f"/{name}/a", json={})
        updated = read()
        db.server.json("DELETE", f"/{name}")
        deleted = read()
    assert [(row["db_name"], row["type"]) for row in [created, updated, deleted]] == [
        (name, "created"), (name, "updated"), (name, "deleted")]


def test_updates_heartbeats_limit_and_timeout(db):
    with updates(db.server, "feed=continuous&since=now&heartbeat=100") as feed:
        assert [feed.line() for _ in range(3)] == [""] * 3
    with updates(db.server, f"feed=continuous&since=now&timeout={SHORT_MILLISECONDS}") as feed:
        assert [list(row) for row in feed.rows()] == [["last_seq"]]
    with updates(db.server, "feed=continuous&limit=2&heartbeat=60000") as feed:
        assert [list(row)[0] for row in feed.rows()] == ["db_name", "db_name", "last_seq"]
    with updates(db.server, "feed=eventsource&since=now&heartbeat=100") as feed:
        assert feed.event() == {"event": "heartbeat", "data": ""}


# MARK: A page of another origin

PAGE = """<!doctype html><title>Changes</title><ul id="changes"></ul><script>
const base = new URLSearchParams(location.search).get('server');
const show = text => {
    const item = document.createElement('li');
    item.textContent = text;
    document.getElementById('changes').append(item);
};
(async () => {
    const login = await fetch(base + '/_session', {
        method: 'POST', credentials: 'include', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({name: 'reader', password: 'secret'})});
    show('login ' + login.status);
    const session = await (await fetch(base + '/_session', {credentials: 'include'})).json();
    show('name ' + session.userCtx.name);
    const source = new EventSource(
        base + '/page/_changes?feed=eventsource&include_docs=true&heartbeat=500', {withCredentials: true});
    let beats = 0;
    source.addEventListener('heartbeat', () => document.body.dataset.beats = ++beats);
    source.onopen = () => show('open');
    source.onmessage = event => {
        const row = JSON.parse(event.data);
        show(`${row.id} ${row.deleted ? 'deleted' : row.doc.n}`);
    };
})().catch(error => show('failed ' + error));
</script>"""


@pytest.fixture
def page(tmp_path):
    """The address of a page that another server gives."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(PAGE)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}"
        site.shutdown()


@pytest.fixture
def browser(tmp_path):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    flags = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
        --disable-component-update --disable-sync --disable-dev-shm-usage"""
    for flag in [*flags.split(), f"--user-data-dir={tmp_path / 'chromium'}"]:
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield browser
    browser.quit()


def items(browser):
    return browser.execute_script("return [...document.querySelectorAll('li')].map(item => item.textContent)")


def test_page_of_another_origin_follows_changes(server, page, browser):
    for section, key, value in [
        ("chttpd", "enable_cors", "true"), ("cors", "origins", page), ("cors", "credentials", "true"),
        ("chttpd_auth", "same_site", "lax"),
    ]:
        server.json("PUT", f"/_node/_local/_config/{section}/{key}", json=value)
    server.json("PUT", "/page")
    server.json("PUT", "/_users/org.couchdb.user:reader", json={
        "name": "reader", "password": "secret", "type": "user", "roles": []})
    server.json("PUT", "/page/_security", json={"members": {"names": ["reader"]}})
    server.json("PUT", "/page/before", json={"n": 0})

    def shows(*expected):
        wait = WebDriverWait(browser, 30)
        wait.until(lambda _: items(browser)[-len(expected):] == list(expected), f"{expected}: {items(browser)}")

    browser.get(f"{page}/?server={server.url}")
    shows("login 200", "name reader", "open", "before 0")
    for number in range(1, 6):
        server.json("PUT", f"/page/n{number}", json={"n": number})
        shows(f"n{number} {number}")
    server.json("DELETE", f"/page/before?rev={server.json('GET', '/page/before')['_rev']}")
    shows("before deleted")
    WebDriverWait(browser, 30).until(lambda _: int(browser.execute_script("return document.body.dataset.beats || 0")))
    # The server goes and comes again: the browser says where it was, and misses nothing.
    count = len(items(browser))
    server.kill()
    server.start()
    server.json("PUT", "/page/later", json={"n": "later"})
    shows("open", "later later")
    assert len(items(browser)) == count + 2, "nothing is shown twice"


def test_page_that_is_not_allowed_sees_nothing(server, page, browser):
    server.json("PUT", "/_node/_local/_config/chttpd/enable_cors", json="true")
    server.json("PUT", "/_node/_local/_config/cors/origins", json="http://elsewhere.example")
    browser.get(f"{page}/?server={server.url}")
    WebDriverWait(browser, 30).until(lambda _: any(item.startswith("failed") for item in items(browser)))
