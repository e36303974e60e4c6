"""`godwit backup URL FILE`: one state from a Godwit, a replication from any other server."""

import base64
import http.server
import json
import os
import pathlib
import socket
import sqlite3
import subprocess
import threading
from urllib.parse import urlsplit

import pytest
import requests

from conftest import ADMIN, GODWIT, Server, eventually, godwit
from replicas import fill, fingerprint

MEGABYTE = 1 << 20


def left_in(server):
    """The files in a server's directory other than its databases."""
    return [file.name for file in pathlib.Path(server.data).iterdir() if "backup" in file.name]


def backups(server):
    return [task for task in server.json("GET", "/_active_tasks") if task["type"] == "database_backup"]


def test_from_a_godwit(server, other, tmp_path):
    fill(server, "a%2Fb")
    copy = tmp_path / "copy"
    run = godwit("backup", server.database("a%2Fb"), str(copy))
    assert run.returncode == 0 and "Backed up 1506 documents" in run.stdout and run.stderr == "", run.stderr
    assert not list(tmp_path.glob("copy?*")) and left_in(server) == []
    # The file equals that of the local command: it contains superseded revisions, which no replication copies.
    with sqlite3.connect(f"file:{copy}?immutable=1", uri=True) as file:
        assert file.execute("SELECT count(*) FROM superseded").fetchone()[0] >= 40
    other.stop()
    assert godwit("restore", str(copy), f"{other.data}/again").returncode == 0
    other.start()
    assert fingerprint(other, "again") == fingerprint(server, "a%2Fb")
    again = godwit("backup", server.database("a%2Fb"), str(copy))
    assert again.returncode == 1 and "exists already" in again.stderr


def test_it_is_one_state_while_others_write(server, tmp_path):
    server.json("PUT", "/db")
    server.json("PUT", "/db/big/a", data=os.urandom(8 * MEGABYTE), headers={"Content-Type": "x/y"})
    going = threading.Event()

    def write():
        session, number = requests.Session(), 0
        session.auth = ADMIN
        while not going.is_set():
            number += 1
            docs = [{"_id": f"{side}-{number:06}"} for side in "ab"]
            assert session.post(f"{server.url}/db/_bulk_docs", json={"docs": docs}, timeout=30).ok

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            assert godwit("backup", server.database("db"), f"{tmp_path}/copy{number}").returncode == 0
    finally:
        going.set()
        writer.join(30)
    for number in range(3):
        with sqlite3.connect(f"file:{tmp_path}/copy{number}?immutable=1", uri=True) as file:
            ids = [row[0] for row in file.execute("SELECT id FROM documents WHERE id LIKE '%-%' ORDER BY id")]
            live = file.execute("SELECT live FROM state").fetchone()[0]
        assert len(ids) == live - 1 and len(ids) % 2 == 0
        assert [i[2:] for i in ids[:len(ids) // 2]] == [i[2:] for i in ids[len(ids) // 2:]]


def test_who_may_and_that_no_password_is_shown(server, tmp_path):
    server.json("PUT", "/db")
    for name in ("boss", "mia"):
        server.json("PUT", f"/_users/org.couchdb.user:{name}",
                    json={"name": name, "type": "user", "roles": [], "password": "hidden-word"})
    server.json("PUT", "/db/_security", json={"admins": {"names": ["boss"]}, "members": {"names": ["mia"]}})
    environment = {**os.environ, "GODWIT_USER": "boss", "GODWIT_PASSWORD": "hidden-word"}
    run = godwit("backup", f"{server.url}/db", f"{tmp_path}/copy", env=environment)
    assert run.returncode == 0, run.stderr
    for environment, status in [({"GODWIT_USER": "mia", "GODWIT_PASSWORD": "hidden-word"}, "403"), ({}, "401")]:
        run = godwit("backup", f"{server.url}/db", f"{tmp_path}/none", env={**os.environ, **environment})
        assert run.returncode == 1 and status in run.stderr and "administrators" in run.stderr
        assert "hidden-word" not in run.stdout + run.stderr
    run = godwit("backup", server.database("nowhere"), f"{tmp_path}/none")
    assert run.returncode == 1 and "404" in run.stderr and "secret" not in run.stderr
    run = godwit("backup", server.database("db"), f"{tmp_path}/no-folder/none")
    assert run.returncode == 1 and "no-folder" in run.stderr
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["copy"]
    assert left_in(server) == []


def begin_reading(server, path):
    """A client that requests a backup and reads only its beginning."""
    connection = socket.create_connection(("127.0.0.1", urlsplit(server.url).port))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    request = requests.Request("GET", server.url + path, auth=ADMIN).prepare()
    connection.sendall(
        f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {request.headers['Authorization']}\r\n\r\n".encode())
    assert connection.recv(15) == b"HTTP/1.1 200 OK"
    return connection


def open_files(server):
    folder = f"/proc/{server.process.pid}/fd"
    targets = []
    for number in os.listdir(folder):
        try:
            targets.append(os.readlink(f"{folder}/{number}"))
        except FileNotFoundError:
            pass
    return [target for target in targets if ".passing-" in target]


def test_a_cut_connection_leaves_nothing(server):
    server.json("PUT", "/db")
    server.json("PUT", "/db/big/a", data=os.urandom(16 * MEGABYTE), headers={"Content-Type": "x/y"})
    connections = [begin_reading(server, "/db/_godwit/backup") for _ in range(4)]
    assert left_in(server) == [] and len(open_files(server)) == 4 and len(backups(server)) == 4
    # A fifth at a time exceeds the limit.
    refused = server.request("GET", "/db/_godwit/backup")
    assert refused.status_code == 503 and "4 tasks of the kind database_backup" in refused.json()["reason"]
    for connection in connections:
        connection.close()
    eventually(lambda: backups(server) == [] and open_files(server) == [])
    head = server.request("HEAD", "/db/_godwit/backup")
    assert head.status_code == 200 and head.content == b""
    answer = server.request("GET", "/db/_godwit/backup")
    assert answer.content.startswith(b"SQLite format 3\0") and len(answer.content) > 16 * MEGABYTE


def test_what_a_crash_left_is_removed_at_the_start(server):
    server.kill()
    for name in (".passing-1", ".passing-1-wal", "my-backup"):
        pathlib.Path(server.data, name).write_bytes(b"x")
    server.start()
    assert left_in(server) == ["my-backup"]


class Imposter(http.server.BaseHTTPRequestHandler):
    """A server that pretends to be a Godwit and sends a test's backup."""

    content, length = b"", 0

    def do_GET(self):
        body, length = self.content, self.length
        if self.path == "/":
            body = json.dumps({"couchdb": "Welcome", "vendor": {"name": "Godwit"}}).encode()
            length = len(body)
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("damage", ["cut", "other", "garbage"])
def test_a_damaged_or_cut_answer_is_no_backup(server, tmp_path, damage):
    server.json("PUT", "/db")
    content = server.request("GET", "/db/_godwit/backup").content
    Imposter.length = len(content)
    Imposter.content = {
        "cut": content[:-100], "other": content[:4096] + bytes(4096) + content[8192:],
        "garbage": b"x" * len(content)}[damage]
    imposter = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Imposter)
    threading.Thread(target=imposter.serve_forever, daemon=True).start()
    run = godwit("backup", f"http://127.0.0.1:{imposter.server_port}/db", f"{tmp_path}/copy")
    imposter.shutdown()
    imposter.server_close()
    assert run.returncode == 1 and len(run.stderr.splitlines()) == 1, run.stderr
    assert [file.name for file in tmp_path.iterdir() if "copy" in file.name] == []


class Disguise(http.server.BaseHTTPRequestHandler):
    """Passes requests on to a Godwit and pretends to be another server."""

    url = ""

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        headers = {name: value for name, value in self.headers.items() if name.lower() in ("authorization", "content-type")}
        found = requests.request(
            self.command, self.url + self.path, data=self.rfile.read(length), headers=headers, timeout=30)
        content = found.content
        if self.path == "/":
            content = json.dumps({"couchdb": "Welcome", "vendor": {"name": "The Apache Software Foundation"}}).encode()
        assert "_godwit" not in self.path
        self.send_response(found.status_code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


def test_from_another_server_it_replicates_and_says_so(server, tmp_path):
    fill(server, "trips")
    Disguise.url = server.url
    disguise = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Disguise)
    threading.Thread(target=disguise.serve_forever, daemon=True).start()
    address = f"127.0.0.1:{disguise.server_port}/trips"
    run = godwit("backup", f"http://admin:secret@{address}", f"{tmp_path}/copy")
    assert run.returncode == 0 and "Backed up 1506 documents" in run.stdout, run.stderr
    assert "not a snapshot" in run.stderr and "secret" not in run.stderr and len(run.stderr.splitlines()) == 1
    missing = godwit("backup", f"http://admin:secret@{address}-none", f"{tmp_path}/none")
    assert missing.returncode == 1 and "none" in missing.stderr
    disguise.shutdown()
    disguise.server_close()
    assert [file.name for file in tmp_path.iterdir() if file.name != "data"] == ["copy"]
    before = fingerprint(server, "trips")
    server.stop()
    assert godwit("restore", f"{tmp_path}/copy", f"{server.data}/again").returncode == 0
    server.start()
    assert fingerprint(server, "again") == before


def test_nobody_listens(tmp_path):
    run = godwit("backup", "http://127.0.0.1:1/db", f"{tmp_path}/copy")
    assert run.returncode == 1 and "127.0.0.1:1" in run.stderr and not list(tmp_path.iterdir())


def test_a_reader_that_goes_does_not_spoil_the_backup(server, tmp_path):
    server.json("PUT", "/db")
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(
        [GODWIT, "backup", server.database("db"), f"{tmp_path}/copy"], stdout=writer, stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert (run.returncode, run.stderr) == (1, b"") and (tmp_path / "copy").exists()


def restores(server):
    return [task for task in server.json("GET", "/_active_tasks") if task["type"] == "database_restore"]


def test_a_backup_becomes_a_database_of_a_running_server(server, other, tmp_path):
    fill(server, "a%2Fb")
    copy = tmp_path / "copy"
    assert godwit("backup", server.database("a%2Fb"), str(copy)).returncode == 0
    run = godwit("restore", str(copy), other.database("c%2Fd"))
    assert run.returncode == 0 and "Restored" in run.stdout and "secret" not in run.stdout, run.stderr
    assert fingerprint(other, "c%2Fd") == fingerprint(server, "a%2Fb") and left_in(other) == []
    assert passing(other) == [] and restores(other) == []
    # The restored database has a new epoch, and its `_security` is not in the file.
    assert other.json("GET", "/c%2Fd")["update_seq"] != server.json("GET", "/a%2Fb")["update_seq"]
    assert requests.get(f"{other.url}/c%2Fd").status_code == 401
    again = godwit("restore", str(copy), other.database("c%2Fd"))
    assert again.returncode == 1 and " exists already" in again.stderr
    other.stop()
    other.start()
    assert fingerprint(other, "c%2Fd") == fingerprint(server, "a%2Fb")


def passing(server):
    """The bytes of unfinished backup files."""
    return [file.name for file in pathlib.Path(server.data).iterdir() if file.name.startswith(".passing-")]


def test_what_is_no_backup_makes_no_database(server, tmp_path):
    server.json("PUT", "/db")
    server.json("PUT", "/db/x", json={"n": 1})
    copy = tmp_path / "copy"
    assert godwit("backup", server.database("db"), str(copy)).returncode == 0
    whole = copy.read_bytes()
    bodies = {"nothing": b"", "words": b"no database", "half": whole[: len(whole) // 2],
              "another database": sqlite_of(tmp_path / "other"), "keyed": os.urandom(len(whole))}
    for name, body in bodies.items():
        refused = server.request("PUT", "/made/_godwit/backup", data=body)
        assert refused.status_code == 400 and refused.json()["error"] in ("bad_backup", "wrong_key"), (name, refused.text)
        assert str(server.data) not in refused.text
        assert server.request("GET", "/made").status_code == 404, name
    assert server.request("PUT", "/Made/_godwit/backup", data=whole).json()["error"] == "illegal_database_name"
    assert server.request("PUT", "/db/_godwit/backup", data=whole).status_code == 412
    assert requests.put(f"{server.url}/made/_godwit/backup", data=whole).status_code == 401
    assert passing(server) == []
    # A client that disconnects in the middle leaves no files.
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port)) as half:
        login = base64.b64encode(":".join(ADMIN).encode()).decode()
        half.sendall(f"PUT /made/_godwit/backup HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {login}\r\n"
                     f"Content-Length: {len(whole)}\r\n\r\n".encode() + whole[:4096])
        eventually(lambda: passing(server))
    eventually(lambda: not passing(server))
    assert server.request("GET", "/made").status_code == 404
    assert server.request("PUT", "/made/_godwit/backup", data=whole).status_code == 201
    assert server.json("GET", "/made/x")["n"] == 1


def sqlite_of(path):
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE t(a)")
    return path.read_bytes()


def test_an_encrypted_backup_needs_the_servers_key(tmp_path, server):
    key = tmp_path / "key"
    key.write_text(os.urandom(32).hex())
    key.chmod(0o600)
    sealed = Server(tmp_path / "sealed", arguments=["--encryption-key-file", str(key)])
    try:
        sealed.json("PUT", "/db")
        sealed.json("PUT", "/db/x", json={"n": 1})
        copy = tmp_path / "copy"
        assert godwit("backup", sealed.database("db"), str(copy)).returncode == 0
        assert godwit("restore", str(copy), sealed.database("again")).returncode == 0
        assert sealed.json("GET", "/again/x")["n"] == 1
        refused = godwit("restore", str(copy), server.database("again"))
        assert refused.returncode == 1 and "a key that is not this server's" in refused.stderr
        usage = godwit("restore", str(copy), server.database("again"), "--backup-key-file", str(key))
        assert usage.returncode == 2 and "own key" in usage.stderr
    finally:
        sealed.stop()


def test_a_restore_wants_a_godwit(tmp_path, server):
    server.json("PUT", "/db")
    copy = tmp_path / "copy"
    assert godwit("backup", server.database("db"), str(copy)).returncode == 0
    Disguise.url = server.url
    disguise = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Disguise)
    threading.Thread(target=disguise.serve_forever, daemon=True).start()
    refused = godwit("restore", str(copy), f"http://admin:secret@127.0.0.1:{disguise.server_port}/again")
    disguise.shutdown()
    disguise.server_close()
    assert refused.returncode == 1 and "not on a Godwit" in refused.stderr
