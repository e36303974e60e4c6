"""Hundreds of thousands of combining marks in a row, in members of bodies and in their names: texts whose order, comparison
and hash cost the square of their length unless something sees to it. Each request gets an answer.

`./test` draws some of the members by a seed, and `./test --long` takes all. `GODWIT_MARKS` is the number of marks; each request
that takes longer than a second is printed."""

import json
import time

import pytest

from conftest import Server
from edge_requests import ENTRIES, build, fill_text
from edges import LONG, MARKS, PLACE, SEED, Draw, members, places, renamed, replaced
from raw import Answer, connect
from test_edge_files import tiles
from test_edge_routes import Unvaried

REQUESTS = 10_000 if LONG else 150
ANSWER_SECONDS_MAX = 60


class Marked(Unvaried):
    """A request with one part of its body, or one name in it, replaced by marks."""

    def __init__(self, world, draw, entry, number, part, escaped):
        self.part, self.escaped = part, escaped
        super().__init__(world, draw, entry, number)

    def vary(self, draw, path, query, headers, body, text):
        where, is_name = self.part
        self.where, self.edge = self.part, "marks"
        body = renamed(body, where, PLACE) if is_name else replaced(body, where, PLACE)
        marks = json.dumps(MARKS)[1:-1] if self.escaped else MARKS
        return path, fill_text(json.dumps(body), self.names).replace(PLACE, marks)


def parts(entry, world):
    """The paths of all parts of an entry's JSON body, and whether the name is meant."""
    body = world["bodies"].get(entry.body, entry.body) if isinstance(entry.body, str) else entry.body
    if isinstance(body, (dict, list)) and entry.type != "application/x-www-form-urlencoded":
        yield from ((where, False) for where in places(body) if where)
        yield from ((where, True) for where in members(body))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("marks")
    (folder / "backups").mkdir()
    server = Server(folder / "data", arguments=[
        "--objects", "--backups", str(folder / "backups"), "--tiles", str(tiles(folder / "t.mbtiles")),
        "--passkey-domain", "localhost"])
    yield build(server)
    server.kill()


@pytest.mark.timeout(900)
def test_marks_in_every_body(world):
    server, draw = world["server"], Draw(salt="marks")
    all = [(entry, part) for entry in ENTRIES for part in parts(entry, world)]
    assert len(all) > 500
    for number, (entry, part) in enumerate(draw.sample(all, REQUESTS)):
        sent, begun = Marked(world, draw, entry, number, part, number % 4 == 0), time.monotonic()
        with connect(server, timeout=ANSWER_SECONDS_MAX) as connection, connection.makefile("rb") as stream:
            connection.sendall(sent.bytes())
            answer = Answer(stream, entry.method, with_body=False)
        took = time.monotonic() - begun
        if took > 1:
            print(f"{took:.1f} s {entry.route} {part}: {answer.status}")
        assert answer.status not in (500, 502), (entry.route, part, answer.status, SEED)
    assert server.request("GET", "/_up").ok


def test_marks_in_the_head(server):
    server.json("PUT", "/db")
    row = "%CC%81" * 5_000
    for path in (f"/{row}", f"/db/{row}", f"/db/d?rev={row}", f"/db/_design/{row}/_view/v", f"/db/_all_docs?key=%22{row}%22"):
        answer = server.request("GET", path)
        assert answer.status_code == 400 and "combining marks" in answer.json()["reason"], (path[:60], answer.text[:200])
    for name in ("Origin", "Accept", "If-None-Match", "X-Forwarded-Host", "Accept-Language", "Cookie"):
        answer = server.request("GET", "/db", headers={name: ("\u0301" * 5_000).encode()})
        assert answer.status_code == 400 and "combining marks" in answer.json()["reason"], (name, answer.text[:200])


def test_marks_in_documents_are_kept(server):
    """A document may have any text; its order is that of the stream-safe format."""
    server.json("PUT", "/db")
    server.json("POST", "/db/_index", json={"index": {"fields": ["text"]}})
    server.json("PUT", "/db/_design/v", json={"views": {"all": {"map": "function (doc) { emit(doc.text); }"}}})
    texts = ["\u0f71" * 300_000, "\u0438" + "\u0323" * 300_000 + "\u0306", "b" + "\u0301" * 150_000 + "\u0323" * 150_000]
    for number, text in enumerate(texts):
        server.json("PUT", f"/db/{number}", json={"text": text, text[:1_000]: 1})
    rows = server.json("GET", "/db/_design/v/_view/all")["rows"]
    assert sorted(row["id"] for row in rows) == ["0", "1", "2"]
    found = server.json("POST", "/db/_find", json={"selector": {"text": {"$gt": "a"}}, "sort": ["text"]})["docs"]
    assert [row["id"] for row in rows] == [document["_id"] for document in found]
    assert {document["text"] for document in found} == set(texts)
    answer = server.request("POST", "/db/_find", json={"selector": {"text": texts[0]}})
    assert answer.status_code == 400 and "combining marks" in answer.json()["reason"]
