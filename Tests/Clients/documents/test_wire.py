"""Requests of replicators and simple clients."""

import base64
import email
import email.policy
import email.utils
import hashlib
import json
import threading
import time

import pytest
import requests

# A request without `Accept` accepts all types: CouchDB then sends multipart where it supports it.
JSON = {"Accept": "application/json"}
TREE = [
    {"_id": "c", "_revisions": {"start": 2, "ids": ["b", "a"]}, "v": "b"},
    {"_id": "c", "_revisions": {"start": 2, "ids": ["c", "a"]}, "v": "c"},
    {"_id": "c", "_revisions": {"start": 3, "ids": ["d", "x", "a"]}, "_deleted": True},
]


@pytest.fixture
def db(server):
    server.json("PUT", "/db")
    return server


def graft(db, *documents):
    assert db.json("POST", "/db/_bulk_docs", json={"new_edits": False, "docs": list(documents)}) == []


def test_conflicts(db):
    graft(db, *TREE)
    document = db.json("GET", "/db/c?conflicts=true&deleted_conflicts=true&revs=true")
    assert document == {
        "_id": "c", "_rev": "2-c", "v": "c", "_conflicts": ["2-b"], "_deleted_conflicts": ["3-d"],
        "_revisions": {"start": 2, "ids": ["c", "a"]}}
    leaves = db.json("GET", "/db/c?open_revs=all", headers=JSON)
    assert [leaf["ok"]["_rev"] for leaf in leaves] == ["2-c", "2-b", "3-d"]
    assert db.json("GET", '/db/c?open_revs=["2-b","9-z"]', headers=JSON)[1] == {"missing": "9-z"}
    assert db.json("GET", '/db/c?open_revs=["1-a"]&latest=true', headers=JSON)[0]["ok"]["_rev"] == "2-c"
    info = db.json("GET", "/db/c?revs_info=true")["_revs_info"]
    assert info == [{"rev": "2-c", "status": "available"}, {"rev": "1-a", "status": "missing"}]
    change = db.json("GET", "/db/_changes?style=all_docs")["results"][0]
    assert [leaf["rev"] for leaf in change["changes"]] == ["2-c", "2-b", "3-d"]
    db.json("DELETE", "/db/c?rev=2-c")
    assert db.json("GET", "/db/c")["v"] == "b"


def test_revs_diff(db):
    graft(db, *TREE)
    answer = db.json("POST", "/db/_revs_diff", json={"c": ["2-b", "3-z"], "new": ["1-a"], "known": []})
    assert answer == {
        "c": {"missing": ["3-z"], "possible_ancestors": ["2-c", "2-b"]}, "new": {"missing": ["1-a"]}}


def test_bulk_get(db):
    graft(db, *TREE)
    wanted = [{"id": "c", "rev": "2-b"}, {"id": "c"}, {"id": "c", "rev": "9-z"}, {"id": "nothing"}]
    results = db.json("POST", "/db/_bulk_get?revs=true", json={"docs": wanted})["results"]
    assert results[0]["docs"][0]["ok"]["_revisions"] == {"start": 2, "ids": ["b", "a"]}
    assert results[1]["docs"][0]["ok"]["_rev"] == "2-c"
    assert results[2]["docs"][0]["error"] == {
        "id": "c", "rev": "9-z", "error": "not_found", "reason": "missing"}
    assert results[3]["docs"][0]["error"]["rev"] == "undefined"


def test_bulk_docs_outcomes(db):
    first = db.json("POST", "/db/_bulk_docs", json={"docs": [{"_id": "a"}, {"_id": "b"}]})
    assert all(row["ok"] for row in first)
    second = db.json("POST", "/db/_bulk_docs", json={"docs": [{"_id": "a"}, {"_id": "d"}, {}]})
    assert second[0] == {"id": "a", "error": "conflict", "reason": "Document update conflict."}
    assert second[1]["ok"] and second[2]["ok"] and len(second[2]["id"]) == 32
    same = {"_id": "r", "_rev": "1-a"}
    graft(db, same)
    before = db.json("GET", "/db")["update_seq"]
    graft(db, same)
    assert db.json("GET", "/db")["update_seq"] == before


def test_changes(db):
    for name in "abc":
        db.json("PUT", f"/db/{name}", json={"n": name})
    db.json("PUT", "/db/a", json={"_rev": db.json("GET", "/db/a")["_rev"], "n": "again"})
    feed = db.json("GET", "/db/_changes?include_docs=true")
    assert [row["id"] for row in feed["results"]] == ["b", "c", "a"]
    assert feed["results"][2]["doc"]["n"] == "again"
    page = db.json("GET", "/db/_changes?limit=2")
    assert page["pending"] == 1
    rest = db.json("GET", f"/db/_changes?since={page['last_seq']}")
    assert [row["id"] for row in rest["results"]] == ["a"] and rest["last_seq"] == feed["last_seq"]
    assert db.json("GET", "/db/_changes?since=3")["results"][0]["id"] == "a"
    assert db.json("GET", "/db/_changes?since=now")["results"] == []
    beyond = db.request("GET", "/db/_changes?since=999")
    assert beyond.status_code == 400 and "beyond the last change" in beyond.json()["reason"]
    number, _, epoch = feed["last_seq"].partition("-")
    older = db.json("GET", f"/db/_changes?since={int(number) + 1}-{epoch}")
    assert len(older["results"]) == 3, "the file was replaced by an older one"
    foreign = db.json("GET", "/db/_changes?since=99-00000000")
    assert len(foreign["results"]) == 3, "a place of another database begins at the beginning"


def test_longpoll(db):
    answers = []

    def poll():
        answers.append(db.request("GET", "/db/_changes?feed=longpoll&heartbeat=100").text)

    thread = threading.Thread(target=poll)
    thread.start()
    time.sleep(0.7)
    assert not answers
    db.json("PUT", "/db/x", json={})
    thread.join(10)
    assert '"id":"x"' in answers[0] and answers[0].count("\n") > 5, "heartbeats are newlines"
    start = time.monotonic()
    assert db.json("GET", "/db/_changes?feed=longpoll&since=now&timeout=300")["results"] == []
    assert 0.2 < time.monotonic() - start < 5


def test_local_documents(db):
    assert db.request("GET", "/db/_local/x").status_code == 404
    assert db.json("PUT", "/db/_local/x", json={"a": 1}) == {"ok": True, "id": "_local/x", "rev": "0-1"}
    assert db.json("PUT", "/db/_local/x", json={"_rev": "0-1", "a": 2})["rev"] == "0-2"
    assert db.json("GET", "/db/_local%2Fx") == {"_id": "_local/x", "_rev": "0-2", "a": 2}
    assert db.json("GET", "/db/_all_docs")["rows"] == [] and db.json("GET", "/db/_changes")["results"] == []
    db.json("DELETE", "/db/_local/x?rev=0-2")
    assert db.request("GET", "/db/_local/x").status_code == 404


def test_attachments(db):
    content = bytes(range(256)) * 2_500
    saved = db.json("PUT", "/db/x/a.bin", data=content, headers={"Content-Type": "image/png"})
    digest = base64.b64encode(hashlib.md5(content).digest()).decode()
    stub = db.json("GET", "/db/x")["_attachments"]["a.bin"]
    assert stub == {
        "content_type": "image/png", "revpos": 1, "digest": f"md5-{digest}", "length": len(content), "stub": True}
    inline = db.json("GET", "/db/x?attachments=true", headers=JSON)["_attachments"]["a.bin"]
    assert base64.b64decode(inline["data"]) == content and "stub" not in inline
    for header, start, end in [("0-9", 0, 10), ("262140-262150", 262140, 262151), ("639990-", 639990, 640000), ("-5", 639995, 640000)]:
        part = db.request("GET", "/db/x/a.bin", headers={"Range": f"bytes={header}"})
        assert part.status_code == 206 and part.content == content[start:end]
        assert part.headers["Content-Range"] == f"bytes {start}-{end - 1}/640000"
    assert db.request("GET", "/db/x/a.bin", headers={"Range": "bytes=640000-"}).status_code == 416
    tag = db.request("GET", "/db/x/a.bin").headers["ETag"]
    assert db.request("GET", "/db/x/a.bin", headers={"If-None-Match": tag}).status_code == 304
    assert db.request("PUT", "/db/x/b.bin", data=b"x").status_code == 409
    updated = db.json("PUT", "/db/x", json={"_rev": saved["rev"], "_attachments": {"a.bin": {"stub": True}}, "n": 1})
    since = db.json("GET", f'/db/x?atts_since=["{saved["rev"]}"]')["_attachments"]["a.bin"]
    assert since["stub"], "the client has these bytes already"
    db.json("PUT", "/db/x", json={"_rev": updated["rev"]})
    assert "_attachments" not in db.json("GET", "/db/x")


def test_several_ranges_of_an_attachment(db):
    content = bytes(range(256)) * 2_500
    db.json("PUT", "/db/x/a.bin", data=content, headers={"Content-Type": "image/png"})

    def ask(ranges, method="GET"):
        return db.request(method, "/db/x/a.bin", headers={"Range": f"bytes={ranges}"})

    answer = ask("0-1,262140-262150, -5,700000-")
    assert answer.status_code == 206 and "Content-Range" not in answer.headers
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    head = b"Content-Type: " + answer.headers["Content-Type"].encode() + b"\r\n\r\n"
    message = email.message_from_bytes(head + answer.content, policy=email.policy.HTTP)
    assert message.get_content_type() == "multipart/byteranges" and not message.defects
    wanted = [(0, 2), (262_140, 262_151), (639_995, 640_000)]
    for part, (start, end) in zip(message.get_payload(), wanted, strict=True):
        assert part["Content-Type"] == "image/png" and part["Content-Range"] == f"bytes {start}-{end - 1}/640000"
        assert part.get_payload(decode=True) == content[start:end]
    alone = ask("0-1,640000-")
    assert alone.status_code == 206 and alone.headers["Content-Range"] == "bytes 0-1/640000"
    assert alone.content == content[:2]
    assert ask("640000-,700000-").status_code == 416
    assert ask(",".join(["0-0"] * 10)).content == content, "as in CouchDB, ten are too many"
    assert ask("0-1,nonsense").status_code == 200
    assert ask("0-1,5-6", "HEAD").headers["Content-Length"] == ask("0-1,5-6").headers["Content-Length"]


def test_tags_and_generations(db):
    first = db.json("PUT", "/db/x", json={"n": 1})["rev"]
    response = db.request("GET", "/db/x")
    assert response.headers["ETag"] == f'"{first}"'
    assert db.request("GET", "/db/x", headers={"If-None-Match": f'"{first}"'}).status_code == 304
    deleted = db.json("DELETE", "/db/x", headers={"If-Match": first})["rev"]
    assert deleted.startswith("2-")
    assert db.request("GET", "/db/x").json()["reason"] == "deleted"
    assert db.json("GET", f"/db/x?rev={deleted}")["_deleted"]
    assert db.json("GET", f"/db/x?rev={first}")["n"] == 1
    assert db.json("PUT", "/db/x", json={})["rev"].startswith("3-")
    info = db.json("GET", "/db")
    assert (info["doc_count"], info["doc_del_count"]) == (1, 0)


def test_all_docs_of_many(db):
    for start in range(0, 3_000, 1_000):
        docs = [{"_id": f"{number:05}", "n": number} for number in range(start, start + 1_000)]
        db.json("POST", "/db/_bulk_docs", json={"docs": docs})
    rows = db.json("GET", "/db/_all_docs?include_docs=true")["rows"]
    assert [row["doc"]["n"] for row in rows] == list(range(3_000))
    rows = db.json("GET", "/db/_all_docs?descending=true&skip=600&limit=700")["rows"]
    assert [row["id"] for row in rows] == [f"{number:05}" for number in range(2_399, 1_699, -1)]
    rows = db.json("GET", '/db/_all_docs?start_key="00010"&end_key="00012"&inclusive_end=false')["rows"]
    assert [row["id"] for row in rows] == ["00010", "00011"]
    assert db.json("GET", '/db/_all_docs?key="00010"')["rows"][0]["id"] == "00010"
    assert len(db.json("GET", "/db/_changes?include_docs=true")["results"]) == 3_000


def parts_of(answer):
    """The parts of a multipart answer, each as (type, payload); nested parts are in their order."""
    head = f"Content-Type: {answer.headers['Content-Type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + answer.content, policy=email.policy.HTTP)
    return [(part.get_content_type(), part.get_payload(decode=True)) for part in message.walk() if not part.is_multipart()]


@pytest.mark.parametrize("path, accept", [
    ("open_revs=all&revs=true&latest=true", "multipart/mixed"), ("open_revs=all", None), ("open_revs=all", "multipart/*"),
    ("attachments=true", "*/*"), ("attachments=true", "multipart/related"), ("attachments=true", None)])
def test_attachments_come_with_parts(db, path, accept):
    """Requests of CouchDB's replicator: it relies on the bytes, and waits half a minute at each part without bytes."""
    for name, data in [("full", b"abc"), ("empty", b"")]:
        revision = db.request("HEAD", "/db/x").headers.get("ETag", "").strip('"')
        db.json("PUT", f"/db/x/{name}?rev={revision}" if revision else f"/db/x/{name}", data=data,
                headers={"Content-Type": "text/plain"})
    answer = db.request("GET", f"/db/x?{path}", headers={"Accept": accept})
    found = parts_of(answer)
    assert [kind for kind, _ in found] == ["application/json", "text/plain"]
    assert found[1][1] == b"abc"
    stubs = json.loads(found[0][1])["_attachments"]
    assert stubs["full"]["follows"] and stubs["empty"]["data"] == ""
    asked = db.request("GET", "/db/x?open_revs=all", headers={"Accept": "multipart/mixed;q=0, application/json"})
    assert asked.headers["Content-Type"] == "application/json"


def test_feeds_have_their_last_sequence_on_a_line(db):
    for number in range(4):
        db.json("PUT", f"/db/{number}", json={})
    lines = db.request("GET", "/db/_changes?seq_interval=2").text.split("\n")
    assert lines[0] == '{"results":[' and lines[5] == "]," and lines[6].startswith('"last_seq":"4-')
    assert [json.loads(line.rstrip(","))["seq"] is None for line in lines[1:5]] == [False, True, False, True]


def test_where_a_document_is(db):
    answer = db.request("PUT", "/db/a%20b", json={})
    assert answer.headers["Location"] == f"{db.url}/db/a%20b"
    headers = {"X-Forwarded-Host": "db.example:8443", "X-Forwarded-Proto": "https"}
    assert db.request("PUT", "/db/c", json={}, headers=headers).headers["Location"] == "https://db.example:8443/db/c"
    headers = {"X-Forwarded-Host": "evil\\@x/y"}
    assert db.request("PUT", "/db/d", json={}, headers=headers).headers["Location"] == "/db/d"
    revision = answer.json()["rev"]
    assert "Location" not in db.request("DELETE", f"/db/a%20b?rev={revision}").headers


def test_a_tag_unless_the_answer_tells_of_others(db):
    revision = db.json("PUT", "/db/a", json={})["rev"]
    for query in ["", "?revs=true", "?conflicts=true", "?attachments=true", f"?rev={revision}"]:
        answer = db.request("GET", f"/db/a{query}")
        assert answer.headers["ETag"] == f'"{revision}"'
        assert db.request("GET", f"/db/a{query}", headers={"If-None-Match": f'"{revision}"'}).status_code == 304
    for query in ["revs_info=true", "local_seq=true", "meta=true"]:
        assert "ETag" not in db.request("GET", f"/db/a?{query}").headers
    graft(db, {"_id": "a", "_rev": "1-0", "_revisions": {"start": 1, "ids": ["0"]}})
    assert "ETag" not in db.request("GET", "/db/a?conflicts=true").headers


def test_one_bad_document_of_a_replicated_batch_is_one_bad_row(db):
    """Issue 55, 1: otherwise a push of CouchDB, which stores such revisions, ends with no document."""
    bad = [{"_id": "b1", "_rev": "1-"}, {"_id": "b2", "_rev": "x"}, {"_id": "b3"}, {"_id": "_b4", "_rev": "1-a"}, {"_id": "b5", "_rev": "1-a", "_x": 1},
           {"_id": "b6", "_rev": "1-a", "_attachments": {"f": {"data": "!"}}}, {"_id": 7, "_rev": "1-a"}]
    good = [{"_id": "g1", "_rev": "1-a"}, {"_id": "g2", "_rev": "1-a", "_attachments": {"f": {"data": "eHh4\neHh4\r\n\t "}}}]
    for document in bad:
        answer = db.request("POST", "/db/_bulk_docs", json={"new_edits": False, "docs": [good[0], document, good[1]]})
        assert answer.status_code == 201, answer.text
        rows = answer.json()
        assert len(rows) == 1 and rows[0]["error"] and rows[0]["reason"], rows
        assert rows[0]["id"] == (document["_id"] if isinstance(document["_id"], str) else "") and rows[0].get("rev") == document.get("_rev")
    assert db.request("GET", "/db/g2/f").content == b"xxxxxx"
    assert db.json("GET", "/db")["doc_count"] == 2
    refused = db.request("POST", "/db/_bulk_docs", json={"docs": [{"_id": "g3"}, {"_id": "b5", "_x": 1}]})
    assert refused.status_code == 400 and db.request("GET", "/db/g3").status_code == 404, "an edit of several is all or nothing here, as in CouchDB"


def test_every_answer_has_a_date(db):
    for method, path in (("GET", "/"), ("HEAD", "/db"), ("GET", "/db/none"), ("GET", "/db/_changes"), ("PUT", "/db/a"), ("OPTIONS", "/db"), ("GET", "/no/such/route")):
        date = email.utils.parsedate_to_datetime(db.request(method, path).headers["Date"])
        assert abs(date.timestamp() - time.time()) < 60, path


def test_requests_while_their_database_is_deleted_find_no_database(server):
    """Writes and reads that race a deletion are done, or are 404: no other answer, and no error of the server."""
    statuses = set()

    def use(name, number):
        body = {"data": "x" * 20_000}
        for path, options in ((f"/{name}/d{number}", {"json": body}), (f"/{name}/_all_docs?include_docs=true", {})):
            try:
                response = server.request("PUT" if options else "GET", path, **options)
            except requests.exceptions.ChunkedEncodingError:
                # The answer had begun.
                continue
            statuses.add((response.status_code, response.json().get("reason") if response.status_code > 299 else None))

    for round in range(40):
        name = f"race-{round}"
        server.json("PUT", f"/{name}")
        threads = [threading.Thread(target=use, args=(name, number)) for number in range(8)]
        for thread in threads:
            thread.start()
        server.json("DELETE", f"/{name}")
        for thread in threads:
            thread.join()
    assert statuses <= {(200, None), (201, None), (404, "Database does not exist.")}
    assert len(statuses) >= 2
