"""Live queries over HTTP (`_find?feed=eventsource`)."""

import contextlib
import functools
import http.server
import json
import random
import threading
import time
from urllib.parse import quote

import pytest
import requests

from browser import chromium, until
from conftest import Server
from raw import Feed

# The timeout after which a feed without events ends, if a test sets it.
SHORT_MILLISECONDS = 100
END_SECONDS_MAX = 20


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("live") / "data")
    yield server
    server.stop()


@pytest.fixture
def db(shared, request):
    name = "".join(letter if letter.isalnum() else "_" for letter in request.node.name.lower())
    shared.json("PUT", f"/{name}")
    yield functools.partial(Database, shared, name)()
    shared.request("DELETE", f"/{name}")


class Database:
    def __init__(self, server, name):
        self.server, self.name = server, name

    def put(self, identifier, **members):
        found = self.server.request("GET", f"/{self.name}/{identifier}")
        if found.ok:
            members["_rev"] = found.json()["_rev"]
        return self.server.json("PUT", f"/{self.name}/{identifier}", json=members)["rev"]

    def delete(self, identifier):
        revision = self.server.json("GET", f"/{self.name}/{identifier}")["_rev"]
        self.server.json("DELETE", f"/{self.name}/{identifier}?rev={revision}")

    def bulk(self, documents):
        self.server.json("POST", f"/{self.name}/_bulk_docs", json={"docs": documents})

    def index(self, *fields):
        self.server.json("POST", f"/{self.name}/_index", json={"index": {"fields": list(fields)}})

    def live(self, body, query="heartbeat=60000", **options):
        return Live(self.server, f"/{self.name}/_find?feed=eventsource&{query}", "POST", body, **options)

    def find(self, body):
        return self.server.json("POST", f"/{self.name}/_find", json=body)["docs"]


class Live(Feed):
    """A feed with the list that a client builds from its events."""

    docs = None

    def next(self):
        """The next event that is not a heartbeat; applies it to the list."""
        while (event := self.event()) is not None and event.get("event") == "heartbeat":
            pass
        if not event:
            return None
        change = json.loads(event["data"])
        if "event" in event:
            return event["event"], change
        if "docs" in change:
            self.docs = change["docs"]
            return change
        assert list(change) == ["left", "moved", "entered", "changed"] and any(change.values())
        for row in sorted(change["left"] + change["moved"], key=lambda row: -row["from"]):
            assert self.docs.pop(row["from"])["_id"] == row["id"]
        for row in sorted(change["moved"] + change["entered"], key=lambda row: row["at"]):
            self.docs.insert(row["at"], row["doc"])
        for row in change["changed"]:
            assert self.docs[row["at"]]["_id"] == row["id"]
            self.docs[row["at"]] = row["doc"]
        return change

    def ids(self):
        return [document["_id"] for document in self.docs]


def test_results_come_first_then_what_changes(db):
    db.index("km")
    revisions = [db.put(f"t{km}", km=km) for km in (1, 2, 3)]
    db.put("other", km=-1)
    with db.live({"selector": {"km": {"$gt": 0}}, "sort": ["km"]}) as live:
        assert live.status == 200 and live.answer.getheader("Content-Type").startswith("text/event-stream")
        assert live.next() == {
            "docs": [{"_id": f"t{km}", "_rev": revisions[km - 1], "km": km} for km in (1, 2, 3)]}
        db.put("other", km=-2)
        revision = db.put("t4", km=0.5)
        assert live.next() == {"left": [], "moved": [], "entered": [
            {"at": 0, "id": "t4", "doc": {"_id": "t4", "_rev": revision, "km": 0.5}}], "changed": []}
        revision = db.put("t4", km=2.5)
        assert live.next() == {"left": [], "moved": [
            {"from": 0, "at": 2, "id": "t4", "doc": {"_id": "t4", "_rev": revision, "km": 2.5}}],
            "entered": [], "changed": []}
        revision = db.put("t4", km=2.5, note="x")
        assert live.next() == {"left": [], "moved": [], "entered": [], "changed": [
            {"at": 2, "id": "t4", "doc": {"_id": "t4", "_rev": revision, "km": 2.5, "note": "x"}}]}
        db.delete("t1")
        assert live.next() == {"left": [{"from": 0, "id": "t1"}], "moved": [], "entered": [], "changed": []}
        db.put("t2", km=-2)
        assert live.next()["left"] == [{"from": 0, "id": "t2"}]
        assert live.ids() == ["t4", "t3"]


@pytest.mark.parametrize("fields", [{}, {"fields": ["_id", "in"]}, {"fields": ["_id", "in.list"]}])
def test_documents_written_over_several_lines_are_one_event(db, fields):
    def write(text):
        db.server.json("PUT", f"/{db.name}/a", data=text, headers={"Content-Type": "application/json"})

    write('{\n  "in":\r\n {\n "list":\r[\n1,\r\n\n2]}\n\n}')
    with db.live({"selector": {"in": {"$exists": True}}, **fields}) as live:
        live.next()
        assert live.docs[0]["in"] == {"list": [1, 2]}
        write('{"_rev":"%s",\n\n"in":{\r"list":\n[]\n}}' % db.server.json("GET", f"/{db.name}/a")["_rev"])
        live.next()
        assert live.docs[0]["in"] == {"list": []}


def test_purged_documents_leave(db):
    revision = db.put("a", km=1)
    with db.live({"selector": {"km": 1}}) as live:
        assert len(live.next()["docs"]) == 1
        db.server.json("POST", f"/{db.name}/_purge", json={"a": [revision]})
        assert live.next()["left"] == [{"from": 0, "id": "a"}]


def test_by_get_as_a_browser_asks(db):
    db.put("a", km=1)
    query = quote(json.dumps({"selector": {"km": {"$gt": 0}}, "fields": ["_id"]}))
    path = f"/{db.name}/_find?feed=eventsource&heartbeat=60000&query={query}"
    with Live(db.server, path) as live:
        assert live.next() == {"docs": [{"_id": "a"}]}
        db.put("b", km=2)
        assert live.next()["entered"] == [{"at": 1, "id": "b", "doc": {"_id": "b"}}]


def test_words_are_searched_again(db):
    db.server.json("POST", f"/{db.name}/_index", json={"type": "text", "index": {}})
    db.put("a", t="a fox in a wood")
    with db.live({"selector": {"$text": "fox"}}) as live:
        live.next()
        assert live.ids() == ["a"]
        db.put("b", t="fox fox fox")
        live.next()
        assert live.ids() == ["b", "a"]
        db.put("b", t="wood")
        live.next()
        assert live.ids() == ["a"]


def test_a_slow_reader_gets_the_state_that_counts(db):
    text = "x" * 10_000
    db.bulk([{"_id": f"d{number:04}", "text": text, "n": 0} for number in range(1_000)])
    with db.live({"selector": {"n": {"$gte": 0}}, "limit": 2_000}) as live:
        # Ten megabytes in transfer, of which the server has created a small part.
        for turn in range(1, 4):
            rows = db.server.json("GET", f"/{db.name}/_all_docs")["rows"]
            db.bulk([{"_id": row["id"], "_rev": row["value"]["rev"], "n": turn} for row in rows])
        db.delete("d0500")
        live.next()
        while len(live.docs) != 999 or any(document.get("n") != 3 for document in live.docs):
            assert live.next()
        assert live.ids() == [f"d{number:04}" for number in range(1_000) if number != 500]


def test_many_results_come_in_order(db):
    db.bulk([{"_id": f"d{number:05}", "n": number, "text": "x" * 200} for number in range(5_000)])
    with db.live({"selector": {"n": {"$gte": 0}}, "limit": 100_000}) as live:
        live.next()
        assert live.ids() == [f"d{number:05}" for number in range(5_000)]
        db.bulk([{"_id": f"e{number:05}", "n": number} for number in range(3_000)])
        while len(live.docs) < 8_000:
            live.next()
        assert live.ids() == [f"d{number:05}" for number in range(5_000)] + [f"e{number:05}" for number in range(3_000)]


@pytest.mark.parametrize("body", [
    {"selector": {"km": {"$gt": 3}}, "sort": [{"km": "desc"}], "limit": 5},
    {"selector": {"km": {"$gt": 3}}, "sort": ["km"], "limit": 4, "skip": 3},
    {"selector": {"kind": "trip"}, "limit": 1_000},
    {"selector": {"kind": "trip"}, "fields": ["_id", "km"], "limit": 6},
], ids=lambda body: json.dumps(body))
def test_the_list_ends_as_the_query_has_it(db, body):
    db.index("km")
    chance = random.Random(5)

    def write():
        identifier = f"d{chance.randrange(25)}"
        if chance.random() < 0.3 and db.server.request("HEAD", f"/{db.name}/{identifier}").ok:
            db.delete(identifier)
        else:
            # Each document has a different sort key, so that the order of equal ones does not matter.
            number = chance.randrange(10) + int(identifier[1:]) / 100
            db.put(identifier, km=number, kind=chance.choice(["trip", "stop"]))

    for _ in range(20):
        write()
    with db.live(body) as live:
        live.next()
        for _ in range(15):
            for _ in range(chance.choice([1, 4])):
                write()
        db.put("zz", km=99, kind="trip")
        db.delete("zz")
        wanted = db.find(body) if "sort" in body else sorted(
            db.find({**body, "limit": 1_000}), key=lambda document: document["_id"])[:body["limit"]]
        begun = time.monotonic()
        while live.docs != wanted:
            assert time.monotonic() - begun < END_SECONDS_MAX and live.next()


def test_heartbeats_and_timeout(db):
    with db.live({"selector": {}}, "heartbeat=100") as live:
        assert live.next() == {"docs": []}
        assert [live.event() for _ in range(3)] == [{"event": "heartbeat", "data": ""}] * 3
        db.put("a")
        assert live.next()["entered"][0]["id"] == "a"
    with db.live({"selector": {}}, f"timeout={SHORT_MILLISECONDS}") as live:
        assert len(live.next()["docs"]) == 1 and live.next() is None


def test_what_cannot_be_asked(db):
    def refused(live):
        with live:
            return live.status, json.loads(live.text())["error"]

    assert refused(db.live({"selector": {"a": {"$strange": 1}}}))[0] == 400
    assert refused(db.live({"selector": {}, "sort": ["a"]})) == (400, "no_usable_index")
    assert refused(db.live({"selector": {}, "bookmark": "g1AAAA"})) == (400, "invalid_bookmark")
    assert refused(db.live({})) == (400, "missing_required_key")
    assert refused(Feed(db.server, f"/{db.name}/_find?feed=continuous", "POST", {"selector": {}})) == (
        400, "query_parse_error")
    for path in ["_find", "_find?feed=eventsource", "_find?query={}"]:
        answer = db.server.request("GET", f"/{db.name}/{path}")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert db.server.request("HEAD", f"/{db.name}/_find?feed=eventsource&query=%7B%7D").status_code == 405
    assert db.server.request("GET", f"/{db.name}/_find?feed=eventsource&query=nonsense").status_code == 400
    assert db.server.json("POST", f"/{db.name}/_find?feed=normal", json={"selector": {}})["docs"] == []


def test_readers_alone_may_follow(db):
    for path, method, body in [
        ("_find?feed=eventsource", "POST", {"selector": {}}),
        ('_find?feed=eventsource&query=' + quote('{"selector":{}}'), "GET", None),
    ]:
        answer = requests.request(method, f"{db.server.url}/{db.name}/{path}", json=body, timeout=10)
        assert answer.status_code == 401, answer.text


def test_an_index_that_goes_ends_the_feed_with_its_reason(db):
    db.index("km")
    db.bulk([{"_id": f"d{number:04}", "km": number} for number in range(300)])
    with db.live({"selector": {"km": {"$gte": 0}}, "sort": ["km"], "limit": 5}) as live:
        assert len(live.next()["docs"]) == 5
        for index in db.server.json("GET", f"/{db.name}/_index")["indexes"]:
            if index["ddoc"]:
                db.server.json("DELETE", f"/{db.name}/_index/{index['ddoc']}/json/{index['name']}")
        # More documents leave than the reserve has, so that the query runs again.
        rows = db.server.json("GET", f"/{db.name}/_all_docs?limit=200")["rows"]
        db.bulk([{"_id": row["id"], "_rev": row["value"]["rev"], "_deleted": True} for row in rows])
        while not isinstance(event := live.next(), tuple):
            assert event
        assert event[0] == "failure" and event[1]["error"] == "no_usable_index"
        assert live.next() is None


def test_it_ends_when_its_database_is_deleted(db):
    with db.live({"selector": {}}) as live:
        live.next()
        db.server.json("DELETE", f"/{db.name}")
        begun = time.monotonic()
        with contextlib.suppress(Exception):
            live.text()
        assert time.monotonic() - begun < END_SECONDS_MAX


def test_feeds_that_are_left_leave_nothing(db):
    for _ in range(50):
        with db.live({"selector": {}}, "heartbeat=50"):
            pass
    db.put("a")
    with db.live({"selector": {}}) as live:
        assert len(live.next()["docs"]) == 1


# MARK: The page of docs/live.md

PAGE = """<!doctype html><title>Live</title><script>
const query = {selector: {km: {$gt: 0}}, limit: 3};
const source = new EventSource(new URLSearchParams(location.search).get('server')
    + `/page/_find?feed=eventsource&heartbeat=500&query=${encodeURIComponent(JSON.stringify(query))}`);
let list = [];
source.onmessage = event => {
    const {docs, left, moved, entered, changed} = JSON.parse(event.data);
    if (docs) {
        list = docs;
    } else {
        for (const {from} of [...left, ...moved].sort((a, b) => b.from - a.from)) list.splice(from, 1);
        for (const {at, doc} of [...entered, ...moved].sort((a, b) => a.at - b.at)) list.splice(at, 0, doc);
        for (const {at, doc} of changed) list[at] = doc;
    }
    document.title = list.map(doc => doc._id + doc.km).join(' ');
};
</script>"""


def test_page_of_another_origin_follows_a_query(server, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(PAGE)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    for section, key, value in [("chttpd", "enable_cors", "true"), ("cors", "origins", "*")]:
        server.json("PUT", f"/_node/_local/_config/{section}/{key}", json=value)
    server.json("PUT", "/page")
    server.json("PUT", "/page/_security", json={"members": {"names": [], "roles": []}, "admins": {}})
    database = Database(server, "page")
    database.put("b", km=1)
    handler = functools.partial(Quiet, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        browser = chromium()

        def shows(title):
            until(browser, lambda: browser.title == title, f"{title}: {browser.title}")

        try:
            browser.get(f"http://127.0.0.1:{site.server_port}/?server={server.url}")
            shows("b1")
            database.put("a", km=2)
            shows("a2 b1")
            database.put("b", km=5)
            shows("a2 b5")
            database.bulk([{"_id": name, "km": 1} for name in "cde"])
            shows("a2 b5 c1")
            database.delete("a")
            shows("b5 c1 d1")
            # The server restarts: the feed sends the results again.
            server.kill()
            server.start()
            database.put("a", km=0.5)
            shows("a0.5 b5 c1")
        finally:
            browser.quit()
            site.shutdown()
