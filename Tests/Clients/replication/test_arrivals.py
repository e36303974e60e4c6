"""Partial attachments of interrupted uploads on a Godwit server: storing them, listing them, and continuing the upload."""

import base64
import hashlib
import json
import random
import time

import pytest
import requests

from conftest import Server
from raw import WAIT_SECONDS, connect, request

BOUNDARY = "a-boundary-7"
FILM = random.Random(11).randbytes(3_000_000)
# The maximum number of bytes that the server's parser holds back, since they could be the beginning of a boundary.
HELD_BACK_MAX = 200
READER, WRITER, MEMBER = ("rita", "rita"), ("willy", "willy"), ("mia", "mia")
NUMBERS = iter(range(1_000_000))


def md5(body):
    return "md5-" + base64.b64encode(hashlib.md5(body).digest()).decode()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("arrivals") / "data")
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1000")
    for name, password in (READER, WRITER, MEMBER):
        site.json("PUT", f"/_users/org.couchdb.user:{name}",
                  json={"name": name, "password": password, "type": "user", "roles": []})
    yield site
    site.stop()


@pytest.fixture
def db(site):
    """A separate database for each test."""
    site.name = f"db{next(NUMBERS)}"
    site.json("PUT", f"/{site.name}")
    site.json("PUT", f"/{site.name}/_security", json={
        "cloudant": {"rita": ["_reader"], "willy": ["_writer"]}, "members": {"names": ["mia"], "roles": []}})
    return site


def stub(film=FILM, **members):
    return {"follows": True, "content_type": "video/mp4", "revpos": 1, "length": len(film), "digest": md5(film),
            **members}


def related(attachments, *parts, identifier="film"):
    """A replicated document; each part is its start offset, or `None`, and its bytes."""
    document = {"_id": identifier, "_rev": "1-a", "_revisions": {"start": 1, "ids": ["a"]}, "_attachments": attachments}
    body = f"--{BOUNDARY}\r\nContent-Type: application/json\r\n\r\n{json.dumps(document)}".encode()
    for start, content, *headers in parts:
        lines = [f"\r\n--{BOUNDARY}", "Content-Disposition: attachment", *headers]
        lines += [] if start is None else [f"Godwit-Start: {start}"]
        body += "\r\n".join(lines).encode() + b"\r\n\r\n" + content
    return body + f"\r\n--{BOUNDARY}--".encode()


def put(db, body, *, identifier="film", query="new_edits=false", auth=None):
    return requests.put(
        f"{db.url}/{db.name}/{identifier}?{query}", data=body, auth=auth or db.session.auth, timeout=60,
        headers={"Content-Type": f'multipart/related; boundary="{BOUNDARY}"'})


def begin(db, body, count, identifier="film"):
    """Sends the first `count` bytes of a request, and leaves the connection open."""
    connection = connect(db)
    connection.sendall(request(
        "PUT", f"/{db.name}/{identifier}?new_edits=false", f"Content-Length: {len(body)}",
        f'Content-Type: multipart/related; boundary="{BOUNDARY}"') + body[:count])
    return connection


def ask(db, *films, auth=None):
    questions = [{"digest": md5(film), "length": len(film)} for film in films]
    return requests.post(f"{db.url}/{db.name}/_godwit/arrivals", json=questions, auth=auth or db.session.auth, timeout=60)


def arrived(db, film=FILM, until=lambda arrival: not arrival["under_way"]):
    """The number of stored bytes, when the last request has ended."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        arrival, = ask(db, film).json()["arrivals"]
        if until(arrival):
            return arrival["bytes"]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def leave(db, start, count, film=FILM, identifier="film"):
    """Cuts a request within its one attachment, of which `count` bytes were sent; returns the number of bytes that the
    server stored."""
    body = related({"a.bin": stub(film)}, (start, film[start:]), identifier=identifier)
    before = arrived(db, film)
    begin(db, body, body.index(film[start:start + 100]) + count, identifier).close()
    return arrived(db, film, lambda arrival: not arrival["under_way"] and arrival["bytes"] > before)


def expect_film(db, identifier="film", film=FILM):
    assert db.request("GET", f"/{db.name}/{identifier}/a.bin").content == film
    assert arrived(db, film) == 0, "nothing is told of attachments of documents"


def test_a_cut_push_goes_on(db):
    kept = leave(db, 0, 1_700_000)
    assert 1_700_000 - HELD_BACK_MAX <= kept <= 1_700_000
    more = leave(db, kept, 500_000)
    assert kept + 500_000 - HELD_BACK_MAX <= more <= kept + 500_000
    # A client may start at less than the stored bytes, and the server skips the rest.
    start = more - 123_456
    answer = put(db, related({"a.bin": stub()}, (start, FILM[start:])))
    assert answer.status_code == 201, answer.text
    expect_film(db)


def test_it_goes_on_after_a_kill(db):
    body = related({"a.bin": stub()}, (0, FILM))
    connection = begin(db, body, 2_500_000)
    arrived(db, until=lambda arrival: arrival["under_way"])
    deadline = time.monotonic() + WAIT_SECONDS
    # Two runs of chunks are written by then.
    while db.json("GET", f"/{db.name}")["sizes"]["file"] < 2 << 20:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    db.kill()
    connection.close()
    db.start()
    kept = arrived(db)
    assert kept >= 1 << 20
    assert put(db, related({"a.bin": stub()}, (kept, FILM[kept:]))).status_code == 201
    expect_film(db)


def test_whole_attachments_wait_for_the_others(db):
    """Of several attachments none is sent twice, also by another document."""
    small, plain = FILM[:400_000], b"plain"
    stubs = {"a.bin": stub(), "b.bin": stub(small), "c.txt": stub(plain)}
    body = related(stubs, (0, FILM), (0, small), (None, plain))
    begin(db, body, body.index(FILM) + len(FILM) + 3_000).close()
    arrived(db, until=lambda arrival: arrival["bytes"] == len(FILM) and not arrival["under_way"])
    begin(db, body, body.rindex(small) + 300_000).close()
    kept = arrived(db, small, lambda arrival: arrival["bytes"] > 200_000 and not arrival["under_way"])
    answer = ask(db, FILM, small, plain).json()["arrivals"]
    assert [arrival["bytes"] for arrival in answer] == [len(FILM), kept, 0]
    body = related(stubs, (len(FILM), b""), (kept, small[kept:]), (None, plain), identifier="other")
    assert put(db, body, identifier="other").status_code == 201
    expect_film(db, "other")
    assert db.request("GET", f"/{db.name}/other/b.bin").content == small
    assert db.request("GET", f"/{db.name}/other/c.txt").content == plain


def test_couchdbs_form_leaves_nothing(db):
    body = related({"a.bin": stub()}, (None, FILM))
    begin(db, body, 2_500_000).close()
    assert leave(db, 0, 1_200_000) <= 1_200_000
    assert put(db, body).status_code == 201
    assert db.request("GET", f"/{db.name}/film/a.bin").content == FILM


OTHER = FILM[:-1]
PLACES = {
    "before the beginning": (stub(), -1, FILM, 400),
    "behind the end": (stub(), len(FILM) + 1, b"", 400),
    "no number": (stub(), "x", FILM, 400),
    "nothing": (stub(), "", FILM, 400),
    "without a digest": ({"follows": True, "length": len(FILM)}, 0, FILM, 400),
    "without a length": ({"follows": True, "digest": md5(FILM)}, 0, FILM, 400),
    "of another digest": (stub(digest="sha1-abc"), 0, FILM, 400),
    "of what is packed": (stub(encoding="gzip"), 0, FILM, 400),
    "nothing is here": (stub(), 1, FILM[1:], 412),
    "at the end of nothing": (stub(), len(FILM), b"", 412),
    "too much": (stub(), 0, FILM + b"x", 400),
    "too little": (stub(), 0, FILM[:-1], 400),
    "other bytes": (stub(), 0, FILM[:-1] + b"x", 400),
}


@pytest.mark.parametrize("name", PLACES)
def test_places_that_cannot_be(db, name):
    told, start, content, status = PLACES[name]
    answer = put(db, related({"a.bin": told}, (start, content)))
    assert answer.status_code == status, answer.text
    if status == 412:
        assert answer.json()["error"] == "missing_arrival"
    assert arrived(db) == 0
    assert db.request("GET", f"/{db.name}/film").status_code == 404


def test_more_than_is_here_cannot_be_gone_on_with(db):
    kept = leave(db, 0, 1_700_000)
    answer = put(db, related({"a.bin": stub()}, (kept + 1, FILM[kept + 1:])))
    assert (answer.status_code, answer.json()["error"]) == (412, "missing_arrival")
    # The stored bytes are identified by their length and digest.
    for told in (stub(length=len(FILM) + 1), stub(digest=md5(OTHER))):
        answer = put(db, related({"a.bin": told}, (kept, FILM[kept:])))
        assert (answer.status_code, answer.json()["error"]) == (412, "missing_arrival")
    assert arrived(db) == kept


def test_bytes_that_do_not_fit_take_what_arrived_with_them(db):
    kept = leave(db, 0, 1_700_000)
    answer = put(db, related({"a.bin": stub()}, (kept, FILM[kept:-1] + b"x")))
    assert (answer.status_code, answer.json()["error"]) == (400, "content_md5_mismatch")
    assert arrived(db) == 0
    assert put(db, related({"a.bin": stub()}, (0, FILM))).status_code == 201
    expect_film(db)


def test_only_revisions_made_elsewhere_are_gone_on_with(db):
    body = related({"a.bin": stub()}, (0, FILM)).replace(b'"_rev": "1-a", "_revisions": {"start": 1, "ids": ["a"]}, ', b"")
    assert put(db, body, query="").status_code == 400
    assert arrived(db) == 0


def test_two_requests_with_the_same_bytes(db):
    """The requests do not share bytes; if one is cut, its bytes are stored when the other has ended."""
    body = related({"a.bin": stub()}, (0, FILM))
    first = begin(db, body, 1_500_000)
    arrived(db, until=lambda arrival: arrival["under_way"])
    assert ask(db, FILM).json()["arrivals"] == [{"bytes": 0, "under_way": True}]
    assert put(db, related({"a.bin": stub()}, (1_000, FILM[1_000:]))).status_code == 412
    assert put(db, related({"a.bin": stub()}, (0, FILM), identifier="other"), identifier="other").status_code == 201
    first.close()
    kept = arrived(db, until=lambda arrival: arrival["bytes"] > 0)
    assert put(db, related({"a.bin": stub()}, (kept, FILM[kept:]))).status_code == 201
    for identifier in ("film", "other"):
        expect_film(db, identifier)


def test_a_document_that_is_refused_leaves_nothing(db):
    """Neither its own bytes nor those that arrived before, complete or not."""
    kept = leave(db, 0, 1_700_000)
    small = FILM[:400_000]
    body = related({"a.bin": stub(), "b.bin": stub(small)}, (kept, FILM[kept:]), (0, small), identifier="_design/x")
    answer = put(db, body, identifier="_design/x", auth=MEMBER)
    assert answer.status_code == 403, answer.text
    assert (arrived(db), arrived(db, small)) == (0, 0)
    # The same for a document whose second attachment is wrong.
    body = related({"a.bin": stub(), "b.bin": stub(small)}, (0, FILM), (0, small[1:]))
    assert put(db, body).status_code == 400
    assert (arrived(db), arrived(db, small)) == (0, 0)
    # The same for a document that exists already.
    body = related({"a.bin": stub()}, (0, FILM))
    for _ in range(2):
        assert put(db, body).status_code == 201
        expect_film(db)


def test_who_may_not_write_neither_asks_nor_leaves_anything(db):
    kept = leave(db, 0, 1_700_000)
    for auth, status in ((READER, 403), (("admin", "wrong"), 401), (WRITER, 200), (MEMBER, 200)):
        assert ask(db, FILM, auth=auth).status_code == status
    for start in (0, kept):
        body = related({"a.bin": stub()}, (start, FILM[start:]))
        assert put(db, body, auth=READER).status_code == 403
    assert arrived(db) == kept


@pytest.mark.parametrize("question", [
    {}, [1], [{}], [{"digest": md5(FILM)}], [{"length": 1}], [{"digest": md5(FILM), "length": -1}],
    [{"digest": md5(FILM), "length": 1.5}], [{"digest": "md5-x", "length": 1}],
    [{"digest": md5(FILM), "length": 1}] * 1_001])
def test_questions_that_are_none(db, question):
    answer = db.request("POST", f"/{db.name}/_godwit/arrivals", json=question)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
