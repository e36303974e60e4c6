"""`godwit replicate` between servers and files: both databases are equal at the end, whatever is killed meanwhile."""

import gzip
import os
import pathlib
import re
import subprocess
import time

import pytest

from conftest import GODWIT, Server, godwit
from replicas import fill, fingerprint, replicate


def test_server_file_server_and_back(server, other, tmp_path):
    fill(server, "trips")
    local = str(tmp_path / "phone" / "a%2Fb")
    first = replicate(server.database("trips"), local, "--create-target")
    assert first["ok"] and first["docs_written"] == first["missing_found"] == 1_509
    assert first["start_last_seq"] == "0" and first["failures"] == []
    replicate(local, other.database("copy"), "--create-target")
    expected = fingerprint(server, "trips")
    assert fingerprint(other, "copy") == expected

    again = replicate(server.database("trips"), local)
    assert (again["docs_read"], again["missing_checked"]) == (0, 0)
    assert again["start_last_seq"] == first["end_last_seq"]

    new = other.json("PUT", "/copy/new", json={"from": "other"})
    back = replicate(other.database("copy"), server.database("trips"))
    assert back["docs_written"] == 1
    assert server.json("GET", "/trips/new")["_rev"] == new["rev"]
    assert fingerprint(other, "copy") == fingerprint(server, "trips")


def test_two_local_databases(server, tmp_path):
    fill(server, "trips")
    replicate(server.database("trips"), str(tmp_path / "d" / "one"), "--create-target")
    done = replicate(str(tmp_path / "d" / "one"), str(tmp_path / "d" / "two"), "--create-target")
    assert done["docs_written"] == 1_509


def test_refusals(server, tmp_path):
    server.json("PUT", "/there")
    there = server.database("there")
    cases = [
        ([server.database("nowhere"), there], 1, "nowhere: Database does not exist. It is the source"),
        ([there, server.database("nowhere")], 1, "nowhere: Database does not exist. It is the target: --create-target creates it"),
        ([there.replace("secret", "wr0ng"), there], 1, "denied access"),
        (["http://127.0.0.1:9/x", there], 1, "network"),
        ([str(tmp_path / "none" / "x"), there], 1, "none/x does not exist"),
        ([str(tmp_path / "data" / "there"), there], 1, "is open in another Godwit"),
        ([there], 2, "target"),
        ([there, there, "--strange"], 2, "strange"),
        (["nonsense", there], 2, "DIR/name"), ([there, "nonsense"], 2, "DIR/name"), ([there, "db/"], 2, "DIR/name"),
        ([there, "ftp://admin:secret@127.0.0.1/x"], 2, "must begin with http:// or https://"),
        ([there.rsplit("/", 1)[0], there], 2, "add the database"),
        ([there, there, "--selector", '{"a":'], 2, "'--selector <selector>': the text ends before the end of the JSON, at byte 5"),
        ([there, there, "--selector", '{"a": {"$in": 3}}'], 2, "Bad argument for operator $in: 3"),
        ([there, there, "--selector", '{"$text": "a"}'], 2, "cannot use $text"),
        ([there, there, "--doc-ids", "a,,b"], 2, "One of the ids is empty"),
        ([there, there, "--doc-ids", "_mine"], 2, "start with underscore"),
        ([there, there, "--filter", "mine"], 2, "a slash and the name of a function"),
        ([there, there, "--filter", "a/b", "--doc-ids", "c"], 2, "Use only one of"),
        ([there, there, "--attachment-bytes-max", "9"], 2, "local target"),
        ([there, str(tmp_path / "d" / "x"), "--attachment-bytes-max=-9"], 2, "must not be negative"),
    ]
    for arguments, code, words in cases:
        run = godwit("replicate", *arguments)
        assert run.returncode == code, arguments
        assert words in run.stderr, run.stderr
        assert "secret" not in run.stdout + run.stderr and "wr0ng" not in run.stdout + run.stderr


def test_credentials_from_the_environment(server, tmp_path):
    server.json("PUT", "/there")
    environment = {**os.environ, "GODWIT_USER": "admin", "GODWIT_PASSWORD": "secret"}
    replicate(f"{server.url}/there", str(tmp_path / "d" / "x"), "--create-target", env=environment)


def test_large_attachments_stay_at_the_source_when_asked(server, tmp_path):
    server.json("PUT", "/films")
    for name, length in [("short", 1_000), ("long", 1_001)]:
        server.json("PUT", f"/films/{name}/a", data=os.urandom(length), headers={"Content-Type": "video/mp4"})
    local = str(tmp_path / "d" / "films")
    done = replicate(server.database("films"), local, "--create-target", "--attachment-bytes-max", "1000")
    assert done["ok"] and done["docs_written"] == 2
    there = Server(tmp_path / "d")
    assert len(there.request("GET", "/films/short/a").content) == 1_000
    assert there.json("GET", "/films/long")["_attachments"]["a"]["length"] == 1_001
    assert there.request("GET", "/films/long/a").status_code == 404
    there.stop()


def test_a_body_just_below_the_limit_arrives(server, other):
    server.json("PUT", "/source")
    server.json("PUT", "/source/small", json={})
    server.json("PUT", "/source/big", json={"a": "x" * 7_999_980})
    done = replicate(server.database("source"), other.database("target"), "--create-target")
    assert done["ok"] and done["docs_written"] == 2


COUNT = 10_000


@pytest.fixture
def many(server):
    server.json("PUT", "/many")
    for start in range(0, COUNT, 1_000):
        docs = [{"_id": f"{number:06}", "text": "x" * 200} for number in range(start, start + 1_000)]
        server.json("POST", "/many/_bulk_docs", json={"docs": docs})
    return server


@pytest.mark.parametrize("victim", ["replicator", "source", "target"])
def test_killed_half_way(many, other, victim):
    other.json("PUT", "/copy")
    source, target = many.database("many"), other.database("copy")
    run = subprocess.Popen([GODWIT, "replicate", source, target], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while other.json("GET", "/copy")["doc_count"] < 6_000:
        assert run.poll() is None and time.monotonic() < deadline
    if victim == "replicator":
        run.kill()
        run.communicate()
        # Bytes in transfer are still written.
        time.sleep(1)
    else:
        (many if victim == "source" else other).kill()
        _, complaint = run.communicate(timeout=60)
        assert run.returncode == 1 and "secret" not in complaint
        (many if victim == "source" else other).start()
    arrived = other.json("GET", "/copy")["doc_count"]
    again = replicate(many.database("many"), other.database("copy"))
    assert again["docs_written"] == COUNT - arrived
    assert again["start_last_seq"] != "0", "it goes on from a checkpoint"
    assert again["missing_checked"] < COUNT, "and does not look at all again"
    assert fingerprint(other, "copy") == fingerprint(many, "many")


def test_a_document_that_is_refused_is_told_of(server, other):
    """Defect 6, case 39: a 403 for one document of a push is reported. The others arrive, and the command fails."""
    server.json("PUT", "/source")
    docs = [{"_id": f"d{number}"} for number in range(20)] + [{"_id": "_design/mine", "x": 1}]
    server.json("POST", "/source/_bulk_docs", json={"docs": docs})
    other.json("PUT", "/target")
    other.json("PUT", "/_users/org.couchdb.user:ann", json={"name": "ann", "type": "user", "roles": [], "password": "pw"})
    other.json("PUT", "/target/_security", json={"members": {"names": ["ann"]}, "admins": {"names": ["nobody"]}})
    target = other.database("target").replace("admin:secret", "ann:pw")
    # Each later run tries it again, and does not succeed either.
    for written in (20, 0):
        done = replicate(server.database("source"), target, code=1)
        assert done["docs_written"] == written
        assert [(failure["id"], failure["status"]) for failure in done["failures"]] == [("_design/mine", 403)]
    assert other.json("GET", "/target")["doc_count"] == 20


def test_a_packed_attachment_arrives_as_it_was_sent(server, other, tmp_path):
    """Case 38: an attachment that was sent with `Content-Encoding: gzip` has the same bytes everywhere."""
    server.json("PUT", "/source")
    text = b"a line that is repeated\n" * 20_000
    for name, body in [("small", text[:2_400]), ("large", text), ("noise", os.urandom(200_000))]:
        server.json("PUT", f"/source/{name}/a.txt", data=gzip.compress(body),
                    headers={"Content-Type": "text/plain", "Content-Encoding": "gzip"})
    local = str(tmp_path / "d" / "x")
    replicate(server.database("source"), local, "--create-target")
    replicate(local, other.database("target"), "--create-target")
    replicate(server.database("source"), other.database("straight"), "--create-target")
    for name in ("small", "large", "noise"):
        first = server.request("GET", f"/source/{name}/a.txt")
        for database in ("target", "straight"):
            found = other.request("GET", f"/{database}/{name}/a.txt")
            assert found.content == first.content
            assert found.headers["Content-Type"] == first.headers["Content-Type"]


def test_large_attachments_are_not_held_in_memory(server, other, tmp_path):
    """Defects 3 and 5: attachments are streamed, in both directions."""
    server.json("PUT", "/films")
    film = os.urandom(60_000_000)
    server.json("PUT", "/films/a/film.bin", data=film, headers={"Content-Type": "video/mp4"})
    local = str(tmp_path / "d" / "films")
    for source, target in [(server.database("films"), local), (local, other.database("films")),
                           (server.database("films"), other.database("again"))]:
        run = subprocess.Popen([GODWIT, "replicate", source, target, "--create-target"], stdout=subprocess.DEVNULL)
        peak = 0
        while run.poll() is None:
            if found := re.search(r"VmHWM:\s*(\d+) kB", pathlib.Path(f"/proc/{run.pid}/status").read_text()):
                peak = int(found[1]) * 1_024
            time.sleep(0.005)
        assert run.returncode == 0
        print(f"{peak / 1e6:.0f} MB")
        # The command without attachments uses about 50 MB.
        assert 0 < peak < 90_000_000
    for database in ("films", "again"):
        assert other.request("GET", f"/{database}/a/film.bin").content == film
