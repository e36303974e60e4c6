"""Backups of all databases by schedule, restored and checked over HTTP and by the command (`serve --backups`)."""

import os
import re
import time

import pytest
import requests

from conftest import Server, eventually, godwit
from replicas import fill, fingerprint
from test_damage import flip

KEY = "%064x" % 48
# The age of the last change from which a database is recognized as unchanged.
SETTLED_SECONDS = 4


def serve(tmp_path, **options):
    return Server(tmp_path / "data", arguments=["--backups", str(tmp_path / "backups")], **options)


@pytest.fixture
def server(tmp_path):
    server = serve(tmp_path)
    yield server
    if server.process.poll() is None:
        server.stop()


def state(server):
    return server.json("GET", "/_godwit/backups")


def newest(server):
    """The newest backup, when none is in progress."""
    found = eventually(lambda: (found := state(server))["running"] is None and found["backups"] and found)
    return found["backups"][0]


def back_up(server):
    """Makes a backup. The name of a backup is its second, so that two of them differ."""
    before = newest(server)["id"]
    while (answer := server.request("POST", "/_godwit/backups", json={})).status_code == 409 or answer.json()["id"] == before:
        time.sleep(0.2)
    assert answer.status_code == 202, answer.text
    backup = eventually(lambda: (found := newest(server))["id"] >= answer.json()["id"] and found)
    return backup


def files(tmp_path, backup):
    return {file.name: file.stat() for file in (tmp_path / "backups" / backup["id"]).rglob("*.godwit")}


def test_the_first_backup_is_made_at_the_start_and_the_next_one_after_a_day(server):
    first = newest(server)
    found = state(server)
    assert found["every_hours"] == 24 and found["keep"] == 7 and found["failure"] is None
    assert 86_400 - 60 < found["next"] - first["started"] <= 86_400
    assert first["databases"] == 2 and first["failures"] == 0


def test_a_backup_has_each_database_and_is_restored_with_its_rights(server, tmp_path):
    fill(server, "a%2Fb")
    server.json("PUT", "/a%2Fb/_security", json={"members": {"names": ["mia"], "roles": []}})
    backup = back_up(server)
    assert backup["databases"] == 3 and backup["documents"] >= 1_500
    shown = server.json("GET", f"/_godwit/backups/{backup['id']}?startkey=a")
    assert [entry["name"] for entry in shown["entries"]] == ["a/b"] and shown["failed"] == []
    before = fingerprint(server, "a%2Fb")
    server.json("DELETE", "/a%2Fb")
    answer = server.request("POST", f"/_godwit/backups/{backup['id']}/restore", json={"database": "a/b"})
    assert answer.status_code == 201 and answer.headers["Location"].endswith("/a%2Fb"), answer.text
    assert fingerprint(server, "a%2Fb") == before
    assert server.json("GET", "/a%2Fb/_security")["members"]["names"] == ["mia"]
    again = server.request("POST", f"/_godwit/backups/{backup['id']}/restore", json={"database": "a/b"})
    assert again.status_code == 412
    server.json("POST", f"/_godwit/backups/{backup['id']}/restore", json={"database": "a/b", "target": "copy"})
    assert fingerprint(server, "copy") == before


def test_an_unchanged_database_has_one_file_for_all_backups(server, tmp_path):
    server.json("PUT", "/still")
    server.json("PUT", "/busy")
    time.sleep(SETTLED_SECONDS)
    first = back_up(server)
    server.json("PUT", "/busy/doc", json={"n": 1})
    second = back_up(server)
    assert second["unchanged"] == second["databases"] - 1 == 3
    one, two = files(tmp_path, first), files(tmp_path, second)
    assert sum(one[name].st_ino != two[name].st_ino for name in one) == 1
    # The changed database has the document, also in a later backup that has no newer copy.
    time.sleep(SETTLED_SECONDS)
    back_up(server)
    third = back_up(server)
    assert third["unchanged"] == 4
    server.json("POST", f"/_godwit/backups/{third['id']}/restore", json={"database": "busy", "target": "copy"})
    assert server.json("GET", "/copy/doc")["n"] == 1
    # A removed backup takes nothing from the others.
    server.json("DELETE", f"/_godwit/backups/{first['id']}")
    server.json("POST", f"/_godwit/backups/{third['id']}/restore", json={"database": "still", "target": "copy2"})
    server.json("POST", f"/_godwit/backups/{third['id']}/check", json={})
    report = eventually(lambda: (report := server.json("GET", "/_godwit/check"))["ended"] and report)
    assert (report["backup"], report["done"], report["faulty"]) == (third["id"], 4, 0), report


def test_old_backups_are_removed(server):
    server.json("PUT", "/_node/_local/_config/backup/keep", json="2")
    server.json("PUT", "/_node/_local/_config/backup/every_hours", json="0")
    made = [back_up(server)["id"] for _ in range(3)]
    assert [backup["id"] for backup in state(server)["backups"]] == made[:0:-1]
    assert state(server)["next"] is None


def test_backups_that_a_schedule_would_keep_stay(server):
    server.json("PUT", "/_node/_local/_config/backup/keep", json="1")
    made = {newest(server)["id"]} | {back_up(server)["id"] for _ in range(2)}
    assert {backup["id"] for backup in state(server)["backups"]} == made


def test_a_damaged_database_is_named_and_older_backups_stay(tmp_path):
    server = serve(tmp_path)
    server.json("PUT", "/good")
    server.json("PUT", "/bad")
    server.json("PUT", "/bad/doc", json={"text": "flip-me-0123456789"})
    server.json("PUT", "/_node/_local/_config/backup/keep", json="1")
    server.json("PUT", "/_node/_local/_config/backup/every_hours", json="0")
    healthy = back_up(server)
    server.stop()
    flip(server, b"flip-me-")
    server.start()
    damaged = back_up(server)
    assert damaged["failures"] == 1 and damaged["databases"] == 4
    [failed] = server.json("GET", f"/_godwit/backups/{damaged['id']}")["failed"]
    assert failed["name"] == "bad" and "damaged" in failed["failure"]
    assert healthy["id"] in {backup["id"] for backup in state(server)["backups"]}
    # The last healthy copy can be restored.
    server.json("POST", f"/_godwit/backups/{healthy['id']}/restore", json={"database": "bad", "target": "mended"})
    assert server.json("GET", "/mended/doc")["text"] == "flip-me-0123456789"
    # The check of the running server finds it too.
    server.json("POST", "/_godwit/check", json={})
    report = eventually(lambda: (report := server.json("GET", "/_godwit/check"))["ended"] and report)
    assert report["faulty"] == 1 and report["faults"][0]["database"] == "bad", report
    server.stop()
    # All undamaged databases are restored together, and the damaged one is named.
    run = godwit("restore", str(tmp_path / "backups" / damaged["id"]), str(tmp_path / "restored"))
    assert run.returncode == 0 and "Restored 3 databases" in run.stdout and "bad was not restored" in run.stderr, run.stderr


def test_a_damaged_copy_is_found(server, tmp_path):
    server.json("PUT", "/db")
    server.json("PUT", "/db/doc", json={"text": "flip-me-0123456789"})
    backup = back_up(server)
    for file in (tmp_path / "backups" / backup["id"]).rglob("*.godwit"):
        content = file.read_bytes()
        file.write_bytes(content.replace(b"flip-me-0", b"flip-me-\xff"))
    server.json("POST", f"/_godwit/backups/{backup['id']}/check", json={})
    report = eventually(lambda: (report := server.json("GET", "/_godwit/check"))["ended"] and report)
    assert report["faulty"] == 1 and report["faults"][0]["database"] == "db", report


def test_what_a_killed_server_leaves_is_no_backup(tmp_path):
    server = serve(tmp_path)
    server.json("PUT", "/db")
    server.json("PUT", "/db/big", json={"text": "x" * 7_000_000})
    newest(server)
    for number in range(4):
        server.request("POST", "/_godwit/backups", json={})
        time.sleep(0.01 * number)
        server.kill()
        server.start()
        for backup in state(server)["backups"]:
            shown = server.json("GET", f"/_godwit/backups/{backup['id']}")
            assert shown["failures"] == 0 and len(shown["entries"]) == shown["databases"]
        eventually(lambda: not list((tmp_path / "backups").glob("*.partial")))
    back_up(server)
    server.stop()


def test_a_backup_is_cancelled_and_a_stop_does_not_wait_for_it(tmp_path):
    server = serve(tmp_path)
    newest(server)
    for number in range(300):
        server.json("PUT", f"/db{number}")
    id = server.json("POST", "/_godwit/backups", json={})["id"]
    server.request("DELETE", f"/_godwit/backups/{id}")
    assert state(server)["running"] is None and state(server)["failure"] is None
    server.request("POST", "/_godwit/backups", json={})
    server.stop()


def test_bad_requests(server, tmp_path):
    backup = newest(server)["id"]
    for path in ["20200101T000000Z", "%2e%2e", "..%2f..%2fdata", "20200101T000000Z%2f..", "x"]:
        for method, suffix in [("GET", ""), ("DELETE", ""), ("POST", "/restore"), ("POST", "/check")]:
            answer = server.request(method, f"/_godwit/backups/{path}{suffix}", json={"database": "_users"})
            assert answer.status_code in (400, 404, 405), (path, answer.text)
    for body, status in [({}, 400), ({"database": 3}, 400), ({"database": "_users", "target": 4}, 400), ({"database": "none"}, 404),
                         ({"database": "_users", "target": "UPPER"}, 400), ({"database": "_users"}, 412), ({"database": "../x"}, 404)]:
        answer = server.request("POST", f"/_godwit/backups/{backup}/restore", json=body)
        assert answer.status_code == status, (body, answer.text)
    server.json("PUT", "/_users/org.couchdb.user:mia", json={"name": "mia", "type": "user", "roles": [], "password": "a long password"})
    for method, path in [("GET", ""), ("POST", ""), ("GET", f"/{backup}"), ("DELETE", f"/{backup}"), ("POST", f"/{backup}/restore")]:
        for login, status in [(None, 401), (("mia", "a long password"), 401)]:
            answer = requests.request(method, f"{server.url}/_godwit/backups{path}", auth=login, json={}, timeout=30)
            assert answer.status_code == status
    assert newest(server)["id"] == backup
    for path in (tmp_path / "backups").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_without_a_directory(tmp_path):
    server = Server(tmp_path / "data")
    assert state(server)["directory"] is None and state(server)["backups"] == []
    answer = server.request("POST", "/_godwit/backups", json={})
    assert answer.status_code == 404 and "--backups" in answer.json()["reason"]
    server.json("POST", "/_godwit/check", json={})
    assert eventually(lambda: (report := server.json("GET", "/_godwit/check"))["ended"] and report)["databases"] == 2
    server.stop()


def test_a_directory_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "backups").write_text("a file")
    server = serve(tmp_path)
    found = eventually(lambda: (found := state(server))["failure"] and found)
    assert "backups" in found["failure"]["reason"] and found["next"] > time.time() + 300
    assert server.request("PUT", "/db").status_code == 201
    assert "a backup failed" in server.stop()


def test_all_databases_are_restored_to_a_new_directory(tmp_path):
    server = serve(tmp_path, admin=None)
    login = re.search("administrator (\\S+) with the password (\\S+)", server.process.stderr.readline()).groups()
    server.session.auth = login
    fill(server, "trips")
    server.json("PUT", "/trips/_security", json={"members": {"names": ["mia"], "roles": []}})
    server.json("PUT", "/_node/_local/_config/log/slow_query_milliseconds", json="77")
    backup, before = back_up(server), fingerprint(server, "trips")
    server.stop()
    run = godwit("restore", str(tmp_path / "backups" / backup["id"]), str(tmp_path / "restored"))
    assert run.returncode == 0 and "Restored 3 databases" in run.stdout, run.stderr
    again = godwit("restore", str(tmp_path / "backups" / backup["id"]), str(tmp_path / "restored"))
    assert again.returncode == 1 and "exists already" in again.stderr
    restored = Server(tmp_path / "restored", admin=None)
    restored.session.auth = login
    assert fingerprint(restored, "trips") == before
    assert restored.json("GET", "/trips/_security")["members"]["names"] == ["mia"]
    assert restored.json("GET", "/_node/_local/_config/log/slow_query_milliseconds") == "77"
    restored.stop()
    one = godwit("restore", "--database", "trips", str(tmp_path / "backups" / backup["id"]), str(tmp_path / "restored" / "copy"))
    assert one.returncode == 0 and "Restored 1506 documents" in one.stdout, one.stdout + one.stderr
    none = godwit("restore", "--database", "none", str(tmp_path / "backups" / backup["id"]), str(tmp_path / "restored" / "x"))
    assert none.returncode == 1 and "no copy of the database none" in none.stderr


def test_backups_of_an_encrypted_server(tmp_path):
    environment = {"GODWIT_ENCRYPTION_KEY": KEY}
    server = serve(tmp_path, environment=environment)
    server.json("PUT", "/secretname")
    server.json("PUT", "/secretname/doc", json={"text": "a secret word"})
    backup = back_up(server)
    for file in (tmp_path / "backups" / backup["id"]).rglob("*"):
        if file.is_file():
            assert b"secret" not in file.read_bytes() and b"SQLite format" not in file.read_bytes(), file
    server.json("POST", f"/_godwit/backups/{backup['id']}/restore", json={"database": "secretname", "target": "copy"})
    assert server.json("GET", "/copy/doc")["text"] == "a secret word"
    server.stop()
    path = str(tmp_path / "backups" / backup["id"])
    wrong = godwit("restore", path, str(tmp_path / "restored"), env={**os.environ, "GODWIT_ENCRYPTION_KEY": "%064x" % 49})
    assert wrong.returncode == 1 and "key" in wrong.stderr and not (tmp_path / "restored").exists()
    run = godwit("restore", path, str(tmp_path / "restored"), env={**os.environ, **environment})
    assert run.returncode == 0, run.stderr
    restored = Server(tmp_path / "restored", environment=environment)
    assert restored.json("GET", "/secretname/doc")["text"] == "a secret word"
    restored.stop()


def test_a_full_disk_ends_a_backup_and_leaves_no_part_of_it(tmp_path):
    """The directory of the backups is a small file system, if this machine allows one."""
    disk = tmp_path / "backups"
    disk.mkdir()
    if os.system(f"mount -t tmpfs -o size=3m none {disk} 2>/dev/null") != 0:
        pytest.skip("a file system cannot be mounted here")
    try:
        server = serve(tmp_path)
        newest(server)
        server.json("PUT", "/db")
        server.json("PUT", "/db/big/file", data=os.urandom(6_000_000), headers={"Content-Type": "a/b"})
        server.json("POST", "/_godwit/backups", json={})
        found = eventually(lambda: (found := state(server))["failure"] and found)
        assert len(found["backups"]) == 1 and not list(disk.glob("*.partial"))
        assert server.request("PUT", "/db/more", json={}).status_code == 201
        server.stop()
    finally:
        os.system(f"umount {disk}")
