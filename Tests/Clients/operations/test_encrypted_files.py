"""No file of an encrypted directory reveals its data, at any time; the files of a plain directory contain all of it."""

import base64
import os
import pathlib
import stat
import threading
import time

import pytest
import requests

from conftest import Server, godwit
from test_sqlcipher import KEY, Side

# The words in the data: each text repeats one of them, so that any eight bytes of it are a rotation of the word.
WORDS = {
    "id": "qzxjkvwy", "field": "bvkzqxwj", "body": "zhqwvxkf", "attachment": "xjqvkgwz", "view": "kwzvqjhx",
    "design": "vzwxqkjc", "local": "wqkxzvjp", "index": "jvxwkzqd", "large": "gzkqwvxj"}
TEXTS = {kind: word * 4 for kind, word in WORDS.items()}
PATTERNS = {kind: [(word[n:] + word[:n]).encode() for n in range(8)] for kind, word in WORDS.items()}
ENCRYPTED = pytest.mark.parametrize("is_encrypted", [True, False], ids=["encrypted", "plain"])


class Watcher:
    """Reads all files below some folders, and all open files of a process, repeatedly."""

    def __init__(self, *folders):
        self.folders = folders
        self.process = None
        self.found = {}
        self.rounds = 0
        self.deleted = 0
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_done.set()
        self.thread.join()

    def run(self):
        while not self.is_done.is_set():
            self.look()

    def look(self):
        for folder in self.folders:
            for path in pathlib.Path(folder).rglob("*"):
                self.read(path)
        # Temporary files have no name.
        if self.process:
            for path in pathlib.Path(f"/proc/{self.process}/fd").glob("*"):
                self.read(path)
        self.rounds += 1

    def read(self, path):
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                return
            name = os.readlink(path) if path.is_symlink() else str(path)
            content = path.read_bytes()
        except OSError:
            return
        self.deleted += name.endswith(" (deleted)") and len(content) > 0
        for kind, patterns in PATTERNS.items():
            if any(pattern in content for pattern in patterns) or WORDS[kind] in name:
                self.found.setdefault(kind, name)


def attachment(count):
    return base64.b64encode(TEXTS["attachment"].encode() * count).decode()


def use(server, turn):
    """Writes every kind of text to a database."""
    documents = [
        {"_id": f"{TEXTS['id']}-{turn}-{number}", TEXTS["field"]: number, "text": f"{TEXTS['body']} {number}",
         "indexed": f"{TEXTS['index']} {number}",
         "_attachments": {"a": {"content_type": "t/x", "data": attachment(1 if number else 3_000)}}}
        for number in range(150)]
    server.json("POST", "/db/_bulk_docs", json={"docs": documents})
    server.json("PUT", f"/db/_local/{TEXTS['local']}-{turn}", json={"text": TEXTS["local"]})
    large = [{"text": TEXTS["large"] * 30_000} for _ in range(4)]
    server.json("POST", "/db/_bulk_docs", json={"docs": large})
    server.json("POST", "/db/_find", json={"selector": {"indexed": {"$gt": TEXTS["index"]}}, "limit": 5})
    server.json("GET", "/db/_design/d/_view/v?limit=5")
    server.json("POST", "/db/_compact", json={})


def prepare(server):
    server.json("PUT", "/db")
    source = f"function (doc) {{ if (doc.indexed) emit('{TEXTS['view']}' + doc.indexed, doc.text) }}"
    server.json("PUT", "/db/_design/d", json={"note": TEXTS["design"], "views": {"v": {"map": source}}})
    server.json("POST", "/db/_index", json={"index": {"fields": ["indexed"]}, "name": "i", "type": "json"})
    server.json("POST", "/db/_index", json={"index": {}, "name": "t", "type": "text"})


@ENCRYPTED
def test_a_server_under_load_and_after_kills(tmp_path, is_encrypted):
    temporary, backup = tmp_path / "temporary", tmp_path / "backup"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary), "SQLITE_TMPDIR": str(temporary)}
    if is_encrypted:
        environment["GODWIT_ENCRYPTION_KEY"] = KEY.removeprefix("key:")
    server = Server(tmp_path / "data", environment=environment)
    prepare(server)
    with Watcher(tmp_path) as watcher:
        for turn in range(3):
            watcher.process = server.process.pid
            use(server, turn)
            writing = threading.Thread(target=write_until_killed, args=(server,))
            writing.start()
            time.sleep(0.3)
            server.kill()
            writing.join()
            watcher.look()
            server.start()
        server.stop()
        run = godwit("backup", str(tmp_path / "data" / "db"), str(backup), env={**os.environ, **environment})
        assert run.returncode == 0, run.stderr
        watcher.look()
    assert watcher.rounds > 5
    assert watcher.found == {} if is_encrypted else set(watcher.found) == set(WORDS), watcher.found


def write_until_killed(server):
    session = requests.Session()
    session.auth = ("admin", "secret")
    try:
        while True:
            documents = [{TEXTS["field"]: TEXTS["body"] * 50} for _ in range(300)]
            session.post(server.url + "/db/_bulk_docs", json={"docs": documents}, timeout=10)
    except requests.RequestException:
        return


@ENCRYPTED
@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
def test_in_the_middle_of_a_transaction_that_spills(tmp_path, journal_mode, is_encrypted):
    """The engine keeps temporary data in memory; here it must use files, to test that these are encrypted too."""
    os.environ["SQLITE_TMPDIR"] = str(tmp_path)
    with Side("godwit", tmp_path / "file", KEY if is_encrypted else "none") as side, Watcher(tmp_path) as watcher:
        watcher.process = side.process.pid
        side.run(
            f"PRAGMA journal_mode = {journal_mode}", "PRAGMA cache_size = 2", "PRAGMA temp_store = FILE",
            "CREATE TABLE t(id, x)",
            "WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
            f"INSERT INTO t SELECT i, '{TEXTS['body'] * 20}' || i FROM n")
        watcher.look()
        for turn in range(3):
            side.run(
                "BEGIN", f"UPDATE t SET x = '{TEXTS['large'] * 20}' || {turn}", "SAVEPOINT s",
                f"UPDATE t SET x = '{TEXTS['field'] * 20}' || id")
            watcher.look()
            side.run(
                "ROLLBACK TO s",
                # Sorted in files, since the cache is so small.
                "SELECT count(*) FROM (SELECT x, random() AS r FROM t ORDER BY x || r LIMIT 900 OFFSET 5)",
                "CREATE TEMP TABLE IF NOT EXISTS own AS SELECT x FROM t", "COMMIT" if turn < 2 else "SAVEPOINT u")
        watcher.look()
        assert watcher.deleted > 0, "no temporary file was seen"
        side.kill()
        watcher.look()
    assert watcher.found == {} if is_encrypted else {"body", "large", "field"} <= set(watcher.found), watcher.found
