"""Multipart documents and attachments, copies, and lists other than `_all_docs`."""

import email
import gzip
import hashlib
import base64
import json

import pytest

BOUNDARY = "a boundary: 7"


@pytest.fixture
def db(server):
    server.json("PUT", "/db")
    return server


def related(document, *bodies, boundary=BOUNDARY):
    """A multipart/related body in the form of CouchDB's replicator."""
    parts = [b"Content-Type: application/json\r\n\r\n" + json.dumps(document).encode()]
    parts += [b"Content-Disposition: attachment\r\n\r\n" + body for body in bodies]
    line = b"--" + boundary.encode()
    return line + b"\r\n" + (b"\r\n" + line + b"\r\n").join(parts) + b"\r\n" + line + b"--"


def put(db, path, document, *bodies):
    return db.request("PUT", path, data=related(document, *bodies),
                      headers={"Content-Type": f'multipart/related; boundary="{BOUNDARY}"'})


def parts(response):
    """The parts of an answer, also nested ones, parsed by Python's own parser."""
    head = f"Content-Type: {response.headers['Content-Type']}\r\n\r\n".encode()
    return [part for part in email.message_from_bytes(head + response.content).walk() if not part.is_multipart()]


def md5(body):
    return "md5-" + base64.b64encode(hashlib.md5(body).digest()).decode()


BIG = b"\r\n--a boundary: " + bytes(range(256)) * 3000


def test_attachments_follow(db):
    document = {"n": 1, "_attachments": {
        "b.bin": {"follows": True, "content_type": "image/x", "length": len(BIG), "digest": md5(BIG)},
        "a.txt": {"follows": True, "content_type": "text/plain", "length": 5}}}
    saved = put(db, "/db/x", document, BIG, b"hello").json()
    assert saved["ok"]
    assert db.request("GET", "/db/x/b.bin").content == BIG
    assert db.request("GET", "/db/x/a.txt").content == b"hello"
    answer = db.request("GET", "/db/x?attachments=true", headers={"Accept": "multipart/related, application/json"})
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    text, first, second = parts(answer)
    told = json.loads(text.get_payload())
    assert list(told["_attachments"]) == ["a.txt", "b.bin"]
    assert all(entry["follows"] for entry in told["_attachments"].values())
    assert first.get_payload(decode=True) == b"hello" and first.get_filename() == "a.txt"
    assert answer.content.count(BIG) == 1 and second.get_content_type() == "image/x"
    # The answer can be sent back unchanged.
    again = db.request("PUT", "/db/y", data=answer.content.replace(b'"_id":"x"', b'"_id":"y"').replace(
        saved["rev"].encode(), b"1-" + b"a" * 32), params={"new_edits": "false"},
        headers={"Content-Type": answer.headers["Content-Type"]})
    assert again.status_code == 201, again.text
    assert db.request("GET", "/db/y/b.bin").content == BIG


def test_packed_attachments(db):
    packed = gzip.compress(b"hello" * 1000)
    entry = {"follows": True, "content_type": "text/plain", "encoding": "gzip", "length": 5000,
             "encoded_length": len(packed), "digest": md5(packed)}
    assert put(db, "/db/x", {"_attachments": {"a": entry}}, packed).status_code == 201
    assert db.request("GET", "/db/x/a").content == b"hello" * 1000
    sent = db.request("PUT", "/db/z/a", data=packed, headers={"Content-Encoding": "gzip", "Content-Type": "a/b"})
    assert sent.status_code == 201
    assert db.request("GET", "/db/z/a").content == b"hello" * 1000


@pytest.mark.parametrize("document,bodies,reason", [
    ({"_attachments": {"a": {"follows": True}}}, [], "but is missing"),
    ({}, [b"x"], "more attachments"),
    ({"_attachments": {"a": {"follows": True, "length": 9}}}, [b"x"], "1 bytes"),
    ({"_attachments": {"a": {"follows": True, "digest": md5(b"y")}}}, [b"x"], "corruption"),
])
def test_refused(db, document, bodies, reason):
    answer = put(db, "/db/x", document, *bodies)
    assert answer.status_code == 400 and reason in answer.json()["reason"], answer.text
    assert db.json("GET", "/db")["doc_count"] == 0
    cut = db.request("PUT", "/db/x", data=related({"n": 1})[:-4],
                     headers={"Content-Type": f'multipart/related; boundary="{BOUNDARY}"'})
    assert cut.status_code == 400


def test_follows_without_parts(db):
    answer = db.request("PUT", "/db/x", json={"_attachments": {"a": {"follows": True}}})
    assert answer.status_code == 400 and "multipart" in answer.json()["reason"]


def test_open_revisions_and_bulk_get_in_parts(db):
    put(db, "/db/x", {"_attachments": {"a": {"follows": True, "content_type": "t/x"}}}, b"hello")
    db.json("PUT", "/db/x?new_edits=false", json={"_id": "x", "_rev": "1-b", "v": 2})
    mixed = {"Accept": "multipart/mixed"}
    answer = db.request("GET", '/db/x?open_revs=["1-b","7-z"]&revs=true', headers=mixed)
    plain, missing = parts(answer)
    assert json.loads(plain.get_payload())["v"] == 2
    assert missing.get_param("error") == "true" and json.loads(missing.get_payload()) == {"missing": "7-z"}
    answer = db.request("GET", "/db/x?open_revs=all&attachments=true", headers=mixed)
    assert sorted(part.get_content_type() for part in parts(answer)) == ["application/json"] * 2 + ["t/x"]
    answer = db.request("POST", "/db/_bulk_get?attachments=true&revs=true", headers=mixed,
                        json={"docs": [{"id": "x", "rev": "1-b"}, {"id": "none"}, {"id": "x"}]})
    found = parts(answer)
    assert json.loads(found[0].get_payload())["_rev"] == "1-b" and found[0]["X-Doc-Id"] is None
    assert json.loads(found[1].get_payload()) == {
        "id": "none", "rev": "undefined", "error": "not_found", "reason": "missing"}
    assert b"X-Doc-Id: x" in answer.content and b"X-Doc-Id: none" not in answer.content


def test_what_a_client_knows_of_other_branches_says_nothing(db):
    """A peer with one leaf requests the other, and needs that leaf's attachment."""
    data = base64.b64encode(b"of this branch").decode()
    db.json("POST", "/db/_bulk_docs", json={"new_edits": False, "docs": [
        {"_id": "d", "_rev": "2-b", "_revisions": {"start": 2, "ids": ["b", "a"]}},
        {"_id": "d", "_rev": "2-c", "_revisions": {"start": 2, "ids": ["c", "a"]},
         "_attachments": {"x": {"content_type": "text/plain", "data": data}}}]})
    known = '["1-a","2-b"]'
    answer = db.json("GET", f"/db/d?rev=2-c&atts_since={known}", headers={"Accept": "application/json"})
    assert answer["_attachments"]["x"]["data"] == data
    answer = db.json("GET", f'/db/d?open_revs=["2-c"]&atts_since={known}', headers={"Accept": "application/json"})
    assert answer[0]["ok"]["_attachments"]["x"]["data"] == data
    answer = db.json("POST", "/db/_bulk_get?attachments=true", json={
        "docs": [{"id": "d", "rev": "2-c", "atts_since": ["2-b"]}]})
    assert answer["results"][0]["docs"][0]["ok"]["_attachments"]["x"]["data"] == data
    answer = db.json("GET", '/db/d?rev=2-c&atts_since=["2-c"]', headers={"Accept": "application/json"})
    assert answer["_attachments"]["x"]["stub"] is True


def test_bulk_get_gives_all_leaves(db):
    db.json("POST", "/db/_bulk_docs", json={"new_edits": False, "docs": [
        {"_id": "d", "_rev": "2-b", "_revisions": {"start": 2, "ids": ["b", "a"]}},
        {"_id": "d", "_rev": "2-c", "_revisions": {"start": 2, "ids": ["c", "a"]}}]})
    found = db.json("POST", "/db/_bulk_get", json={"docs": [{"id": "d"}]})["results"][0]["docs"]
    assert [each["ok"]["_rev"] for each in found] == ["2-c", "2-b"]


def test_copy(db):
    put(db, "/db/x", {"n": 1, "_attachments": {"a": {"follows": True, "content_type": "t/x"}}}, b"hello")
    assert db.request("COPY", "/db/x").status_code == 400
    made = db.request("COPY", "/db/x", headers={"Destination": "y%2Fz"})
    assert made.status_code == 201 and made.json()["id"] == "y/z"
    copy = db.json("GET", "/db/y%2Fz")
    assert copy["n"] == 1 and db.request("GET", "/db/y%2Fz/a").content == b"hello"
    assert db.request("COPY", "/db/x", headers={"Destination": "y%2Fz"}).status_code == 409
    over = db.request("COPY", "/db/x", headers={"Destination": f"y%2Fz?rev={copy['_rev']}"})
    assert over.status_code == 201 and over.json()["rev"].startswith("2-")


def test_lists(db):
    for name in ("a", "b", "_design/d", "_design/e", "z"):
        db.json("PUT", f"/db/{name}", json={})
    for name in ("one", "two"):
        db.json("PUT", f"/db/_local/{name}", json={"n": name})
    designs = db.json("GET", "/db/_design_docs")
    assert designs["total_rows"] == 2 and [row["id"] for row in designs["rows"]] == ["_design/d", "_design/e"]
    assert [row["id"] for row in db.json("GET", "/db/_design_docs?descending=true&limit=1")["rows"]] == ["_design/e"]
    locals_ = db.json("GET", "/db/_local_docs?include_docs=true")["rows"]
    assert [row["id"] for row in locals_] == ["_local/one", "_local/two"] and locals_[0]["doc"]["n"] == "one"
    assert db.json("POST", "/db/_local_docs", json={"keys": ["_local/two"]})["rows"][0]["id"] == "_local/two"
    answers = db.json("POST", "/db/_all_docs/queries", json={"queries": [{"limit": 1}, {"keys": ["z", "none"]}]})
    assert [len(answer["rows"]) for answer in answers["results"]] == [1, 2]
    assert db.json("GET", "/_all_dbs?start_key=\"d\"&limit=1") == ["db"]
    assert db.json("GET", "/_all_dbs?descending=true")[0] == "db"
    infos = db.json("POST", "/_dbs_info", json={"keys": ["db", "none"]})
    assert infos[0]["info"]["doc_count"] == 5 and infos[1] == {"key": "none", "error": "not_found"}


def test_partitioned(server):
    server.json("PUT", "/parts?partitioned=true")
    assert server.json("GET", "/parts")["props"] == {"partitioned": True}
    for name, word in (("plain", "form partition:id"), (":x", "empty"), ("p:", "empty")):
        answer = server.request("PUT", f"/parts/{name}", json={})
        assert answer.status_code == 400 and word in answer.json()["reason"], answer.text
    for name in ("p:1", "p:2", "q:1", "_design/d"):
        server.json("PUT", f"/parts/{name}", json={"n": 1})
    info = server.json("GET", "/parts/_partition/p")
    assert (info["partition"], info["doc_count"], info["doc_del_count"]) == ("p", 2, 0)
    rows = server.json("GET", "/parts/_partition/p/_all_docs")
    assert rows["total_rows"] == 4 and [row["id"] for row in rows["rows"]] == ["p:1", "p:2"]
    server.json("PUT", "/plain")
    assert server.request("GET", "/plain/_partition/p").status_code == 400


def test_upkeep(db):
    revision = db.json("PUT", "/db/x", json={"n": 1})["rev"]
    assert db.json("GET", "/db/_revs_limit") == 1000
    assert db.request("PUT", "/db/_revs_limit", data="7").json() == {"ok": True}
    assert db.json("GET", "/db/_revs_limit") == 7
    assert db.request("PUT", "/db/_revs_limit", data="-1").status_code == 400
    assert db.json("POST", "/db/_missing_revs", json={"x": [revision, "9-a"]}) == {"missing_revs": {"x": ["9-a"]}}
    assert db.request("POST", "/db/_compact", json={}).status_code == 202
    purged = db.request("POST", "/db/_purge", json={"x": [revision], "none": ["1-a"]})
    assert purged.status_code == 201 and purged.json()["purged"] == {"x": [revision], "none": []}
    assert db.request("GET", "/db/x").json()["reason"] == "missing"
    assert db.json("GET", "/db/_purged_infos_limit") == 1000
    assert db.request("PUT", "/db/_purged_infos_limit", data="70").ok
    assert db.json("GET", "/db/_purged_infos_limit") == 70
