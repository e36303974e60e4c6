"""Damaged files and full disks (issue 21, number 14): no wrong byte is served, a full disk stops only writes."""

import http.client
import os
import pathlib
import time
import urllib.parse

import pytest
import requests

from conftest import ADMIN, Server, godwit
from disks import fill, small_disk

# Short, so that many of them are in one page of the file.
MARK = b"attached-"


def flip(server, mark, count=1):
    """Flips the highest bit of some bytes after the first occurrence of a text in the files of a stopped server."""
    for file in pathlib.Path(server.data).rglob("*.godwit"):
        content = bytearray(file.read_bytes())
        place = content.find(mark)
        if place >= 0:
            for offset in range(place + len(mark), place + len(mark) + count):
                content[offset] ^= 0x80
            file.write_bytes(content)
            return
    raise AssertionError(f"{mark} is in no file")


def read_all(server, path, headers=None):
    """The status and the body of an answer; the body is `None` if the connection ended before it was complete."""
    host = urllib.parse.urlsplit(server.url).netloc
    connection = http.client.HTTPConnection(host, timeout=30)
    login = requests.auth._basic_auth_str(*ADMIN)
    connection.request("GET", path, headers={"Authorization": login, **(headers or {})})
    try:
        response = connection.getresponse()
        return response.status, response.read()
    except (http.client.IncompleteRead, ConnectionError):
        return None, None
    finally:
        connection.close()


@pytest.fixture
def damaged(tmp_path):
    """A server with a small and a large damaged attachment, a damaged document, and undamaged ones."""
    server = Server(tmp_path / "data")
    for name in ("small", "large", "body"):
        server.json("PUT", f"/{name}")
        server.json("PUT", f"/{name}/whole", json={"n": 1})
    for name, count in (("small", 100), ("large", 80_000)):
        url = f"/{name}/doc/photo.jpg"
        server.json("PUT", url, data=MARK * count, headers={"Content-Type": "image/jpeg"})
    server.json("PUT", "/body/broken", json={"text": "flip-me-0123456789abcdef-and-more"})
    server.stop()
    # Within the bytes of each attachment: in the first file with the text it is flipped, and it still occurs later in
    # the file.
    for file in pathlib.Path(server.data).rglob("*.godwit"):
        content = bytearray(file.read_bytes())
        place = content.find(MARK)
        if place >= 0:
            content[place + 3] ^= 1
            file.write_bytes(content)
    flip(server, b"flip-me-", 16)
    server.start()
    yield server
    if server.process.poll() is None:
        server.stop()


def test_a_damaged_attachment_of_one_piece_is_a_500_with_its_name(damaged):
    status, body = read_all(damaged, "/small/doc/photo.jpg")
    assert status == 500 and b'"error":"internal_server_error"' in body, body
    assert b"the attachment photo.jpg is damaged" in body and damaged.data.encode() not in body
    for path in ("/small/doc?attachments=true", "/small/_all_docs?include_docs=true&attachments=true"):
        status, body = read_all(damaged, path, {"Accept": "application/json"})
        assert status == 500 or body is None, (path, body[:200])
    status, body = read_all(damaged, "/small/doc?attachments=true", {"Accept": "multipart/related"})
    assert status == 500 or body is None, body


def test_a_damaged_attachment_of_many_pieces_is_cut(damaged):
    status, body = read_all(damaged, "/large/doc/photo.jpg")
    assert body is None or status == 500
    status, body = read_all(damaged, "/large/doc?attachments=true", {"Accept": "application/json"})
    assert body is None or status == 500
    # A range has no digest, except one of the complete attachment.
    status, body = read_all(damaged, "/large/doc/photo.jpg", {"Range": "bytes=600000-600008"})
    assert status == 206 and len(body) == 9
    status, body = read_all(damaged, "/large/doc/photo.jpg", {"Range": "bytes=0-"})
    assert body is None or status == 500


def test_a_body_that_is_no_utf8_is_never_sent(damaged):
    status, body = read_all(damaged, "/body/broken")
    assert status == 500 and b"the document broken is damaged" in body, body
    for path in (
        "/body/_all_docs?include_docs=true",
        "/body/_changes?include_docs=true",
        "/body/broken?revs=true",
        "/body/broken?open_revs=all",
    ):
        status, body = read_all(damaged, path, {"Accept": "application/json"})
        assert body is None or b"damaged" in body and body.decode(), (path, body)
    assert damaged.json("GET", "/body/whole")["n"] == 1
    assert damaged.json("GET", "/body/_all_docs")["total_rows"] == 2


def test_writes_to_a_damaged_database_are_refused_and_it_can_be_deleted(damaged):
    assert damaged.request("PUT", "/body/before", json={}).status_code == 201
    assert damaged.request("GET", "/body/broken").status_code == 500
    for method, path, body in (
        ("PUT", "/body/other", {}),
        ("POST", "/body/_bulk_docs", {"docs": [{}]}),
        ("POST", "/body/_purge", {"broken": ["1-x"]}),
        ("PUT", "/body/_local/place", {}),
    ):
        answer = damaged.request(method, path, json=body)
        assert answer.status_code >= 400 or "damaged" in answer.text, (path, answer.text)
    assert damaged.json("GET", "/body")["doc_count"] == 3
    answer = damaged.request("PUT", "/body/other", json={})
    assert answer.status_code == 500 and "the database body is damaged" in answer.json()["reason"], answer.text
    assert "godwit doctor" in answer.json()["reason"]
    # The other databases still work.
    assert damaged.request("PUT", "/small/other", json={}).status_code == 201
    assert damaged.request("DELETE", "/body").status_code == 200
    assert damaged.request("GET", "/body").status_code == 404


def test_damage_is_logged_counted_and_found_by_doctor(damaged):
    for _ in range(5):
        assert damaged.request("GET", "/body/broken").status_code == 500
        read_all(damaged, "/small/doc/photo.jpg")
    found = damaged.json("GET", "/_node/_local/_stats/godwit/damage_found")["value"]
    assert found >= 10
    metrics = damaged.request("GET", "/_node/_local/_prometheus").text
    assert f"\ngodwit_damage_found_total {found}\n" in metrics, metrics
    lines = [line for line in damaged.stop().splitlines() if "a database is damaged" in line]
    assert len([line for line in lines if "the document broken is damaged" in line]) == 1, lines
    assert len([line for line in lines if "the attachment photo.jpg is damaged" in line]) == 1, lines
    run = godwit("doctor", damaged.data)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "broken: the winner's body is not a JSON object" in run.stdout, run.stdout
    assert run.stdout.count("its bytes do not match its digest") == 2, run.stdout


def test_a_server_starts_on_a_full_disk_serves_reads_deletes_databases_and_goes_on(small_disk):
    server = Server(small_disk / "data")
    for name in ("trips", "old"):
        server.json("PUT", f"/{name}")
        for number in range(20):
            server.json("PUT", f"/{name}/{number}", json={"text": "x" * 1000})
    assert (small_disk / "data" / "reserve").stat().st_size == 1 << 20
    server.kill()
    fill(small_disk)
    server.start()
    try:
        assert server.json("GET", "/trips/7")["text"] == "x" * 1000
        assert server.json("GET", "/trips")["doc_count"] == 20
        for path, body in (("/trips/more", {"text": "y" * 100_000}), ("/new", None)):
            answer = server.request("PUT", path, json=body)
            assert answer.status_code == 507 and answer.json()["error"] == "insufficient_storage", answer.text
            assert str(small_disk) not in answer.text
        assert server.request("DELETE", "/old").status_code == 200
        assert "old" not in server.json("GET", "/_all_dbs")
        (small_disk / "filler").unlink()
        end = time.monotonic() + 30
        while server.request("PUT", "/trips/more", json={"text": "y"}).status_code != 201:
            assert time.monotonic() < end
            time.sleep(0.2)
        assert server.request("PUT", "/new").status_code == 201
    finally:
        complaints = server.stop()
    assert "the disk is full" in complaints, complaints


def test_databases_can_be_deleted_when_the_disk_fills_while_the_server_runs(small_disk):
    server = Server(small_disk / "data")
    try:
        for name in ("trips", "old"):
            server.json("PUT", f"/{name}")
            server.json("PUT", f"/{name}/a", json={"text": "x" * 1000})
        fill(small_disk)
        assert server.request("PUT", "/trips/b", json={"text": "y" * 100_000}).status_code == 507
        assert server.json("GET", "/trips/a")["text"] == "x" * 1000
        for name in ("old", "trips"):
            assert server.request("DELETE", f"/{name}").status_code == 200
        (small_disk / "filler").unlink()
    finally:
        server.stop()


def test_a_server_starts_with_a_damaged_users_database(tmp_path):
    server = Server(tmp_path / "data")
    server.json("PUT", "/kept")
    server.json("PUT", "/kept/doc", json={"n": 1})
    server.json("PUT", "/_users/org.couchdb.user:vic", json={
        "name": "vic", "type": "user", "roles": [], "password": "correct horse"})
    server.stop()
    for file in pathlib.Path(server.data).rglob("*.godwit"):
        content = bytearray(file.read_bytes())
        if b"org.couchdb.user:vic" in content:
            # All pages but the first, which identifies the file's format.
            content[4096:] = os.urandom(len(content) - 4096)
            file.write_bytes(content)
    server.start()
    assert server.json("GET", "/kept/doc")["n"] == 1
    assert server.request("GET", "/_session").status_code == 200
    answer = server.request("GET", "/kept/doc", auth=("vic", "correct horse"))
    assert answer.status_code in (401, 500), answer.text
    assert server.request("GET", "/_users/_all_docs").status_code == 500
    assert server.request("DELETE", "/_users").status_code == 200
    assert server.request("PUT", "/_users").status_code == 201
    server.json("PUT", "/_users/org.couchdb.user:vic", json={
        "name": "vic", "type": "user", "roles": [], "password": "correct horse"})
    assert server.request("GET", "/_session", auth=("vic", "correct horse")).status_code == 200
    server.stop()
