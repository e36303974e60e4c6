"""Writes datastores of Cloudant Sync in its published schema: plain with SQLite, encrypted with Debian's sqlcipher.

There is no file of the real library here. `encrypted` files are written by sqlcipher 3, which that library contained."""

import functools
import gzip
import hashlib
import json
import os
import pathlib
import secrets
import sqlite3
import subprocess
import uuid

SCHEMA = """
CREATE TABLE docs (doc_id INTEGER PRIMARY KEY, docid TEXT UNIQUE NOT NULL);
CREATE INDEX docs_docid ON docs(docid);
CREATE TABLE revs (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    doc_id INTEGER NOT NULL REFERENCES docs(doc_id) ON DELETE CASCADE,
    revid TEXT NOT NULL COLLATE REVID, parent INTEGER REFERENCES revs(sequence) ON DELETE SET NULL,
    current BOOLEAN, deleted BOOLEAN DEFAULT 0, json BLOB, UNIQUE (doc_id, revid));
CREATE INDEX revs_current ON revs(doc_id, current);
CREATE INDEX revs_parent ON revs(parent);
CREATE TABLE localdocs (docid TEXT UNIQUE NOT NULL, revid TEXT NOT NULL COLLATE REVID, json BLOB);
CREATE TABLE attachments (
    sequence INTEGER NOT NULL REFERENCES revs(sequence) ON DELETE CASCADE, filename TEXT NOT NULL, key BLOB NOT NULL,
    type TEXT, length INTEGER NOT NULL, revpos INTEGER DEFAULT 0, encoding INTEGER DEFAULT 0, encoded_length INTEGER);
CREATE INDEX attachments_by_sequence ON attachments(sequence, filename);
CREATE TABLE attachments_key_filename (key TEXT UNIQUE NOT NULL, filename TEXT UNIQUE NOT NULL);
CREATE TABLE replicators (remote TEXT NOT NULL, push BOOLEAN, last_sequence TEXT, UNIQUE (remote, push));
CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT);
"""
INDEX_SCHEMA = """
CREATE TABLE _t_cloudant_sync_query_metadata (
    index_name TEXT NOT NULL, index_type TEXT NOT NULL, field_name TEXT NOT NULL, last_sequence INTEGER NOT NULL,
    index_settings TEXT);
"""


def by_generation(one, other):
    def key(revision):
        return int(revision.split("-")[0]), revision.split("-")[1]

    return (key(one) > key(other)) - (key(one) < key(other))


class Datastore:
    """A datastore that is built in memory and written by `save`."""

    def __init__(self, name="animals", key=None, android=False, version=200):
        self.name, self.key, self.android, self.version = name, key, android, version
        self.database = sqlite3.connect(":memory:", isolation_level=None)
        self.database.create_collation("REVID", by_generation)
        # The first schemas did not refuse a second row of a revision.
        self.database.executescript(SCHEMA if version >= 200 else SCHEMA.replace(", UNIQUE (doc_id, revid)", ""))
        self.database.execute("INSERT INTO info VALUES('privateUUID', ?)", [str(uuid.uuid4())])
        self.files, self.indexes, self.count = {}, [], 0

    def revise(self, id, body, parent=None, deleted=False, revision=None, attachments=None):
        """Adds a revision, and returns its id. `attachments`: name → (bytes, type) or (bytes, type, "gzip")."""
        execute = self.database.execute
        execute("INSERT OR IGNORE INTO docs(docid) VALUES(?)", [id])
        (number,) = execute("SELECT doc_id FROM docs WHERE docid = ?", [id]).fetchone()
        generation = int(parent.split("-")[0]) + 1 if parent else 1
        self.count += 1
        revision = revision or f"{generation}-{hashlib.md5(f'{id}{parent}{body}{self.count}'.encode()).hexdigest()}"
        above = None
        if parent:
            found = execute("SELECT sequence FROM revs WHERE doc_id = ? AND revid = ?", [number, parent]).fetchone()
            above = found[0] if found else None
            execute("UPDATE revs SET current = 0 WHERE sequence = ?", [above])
        text = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        sequence = execute(
            "INSERT INTO revs(doc_id, revid, parent, current, deleted, json) VALUES(?, ?, ?, 1, ?, ?)",
            [number, revision, above, int(deleted), text]).lastrowid
        for name, (plain, kind, *encoding) in (attachments or {}).items():
            stored = gzip.compress(plain, mtime=0) if encoding else plain
            digest = hashlib.sha1(stored).digest()
            execute("INSERT INTO attachments VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                    [sequence, name, digest, kind, len(plain), generation, int(bool(encoding)),
                     len(stored) if encoding else None])
            self.files[digest.hex()] = stored
        return revision

    def local(self, id, body):
        self.database.execute("INSERT INTO localdocs VALUES(?, '1-local', ?)", [f"_local/{id}", json.dumps(body)])

    def index(self, name, *fields, kind="json", settings=None):
        self.indexes += [(name, kind, field, 7, settings) for field in ("_id", "_rev", *fields)]

    def paths(self, directory):
        root = pathlib.Path(directory)
        file_name = self.name.replace("/", ":")
        if self.android:
            root = root / file_name
            return root / "db.sync", root / "extensions/com.cloudant.attachments", (
                root / "extensions/com.cloudant.sync.query/indexes.sqlite")
        return root / f"{file_name}.touchdb", root / f"{file_name} attachments", (
            root / f"{file_name}_extensions/com.cloudant.sync.query/indexes.sqlite")

    def save(self, directory, keep_log=False):
        """Writes the files, and returns the path of the documents. `keep_log` leaves all pages in the log."""
        documents, attachments, indexes = self.paths(directory)
        for folder in (documents.parent, attachments, indexes.parent):
            folder.mkdir(parents=True, exist_ok=True)
        for digest, stored in self.files.items():
            name = secrets.token_hex(20) if self.key else digest.upper()
            self.database.execute("INSERT OR IGNORE INTO attachments_key_filename VALUES(?, ?)", [digest, f"{name}.blob"])
            (name,) = self.database.execute(
                "SELECT filename FROM attachments_key_filename WHERE key = ?", [digest]).fetchone()
            (attachments / name).write_bytes(self.sealed(stored))
        dump = "\n".join(line for line in self.database.iterdump() if "sqlite_sequence" not in line)
        self.write(documents, dump, self.version, keep_log)
        if self.indexes:
            rows = sqlite3.connect(":memory:", isolation_level=None)
            rows.executescript(INDEX_SCHEMA)
            rows.executemany("INSERT INTO _t_cloudant_sync_query_metadata VALUES(?, ?, ?, ?, ?)", self.indexes)
            self.write(indexes, "\n".join(rows.iterdump()), 2, False)
        return documents

    def sealed(self, plain):
        """The content of an attachment's file."""
        if not self.key:
            return plain
        vector = os.urandom(16)
        run = subprocess.run(
            ["openssl", "enc", "-aes-256-cbc", "-K", self.key, "-iv", vector.hex()], input=plain, capture_output=True,
            check=True)
        return b"\x01" + vector + run.stdout

    def write(self, path, dump, version, keep_log):
        # The programs here do not have Cloudant Sync's collation: the schema names it after the rows are there.
        script = [f"PRAGMA key = \"x'{self.key}'\";"] if self.key else []
        script += ["PRAGMA journal_mode = WAL;"]
        if keep_log:
            script += ["PRAGMA wal_autocheckpoint = 0;"]
        script += [dump.replace(" COLLATE REVID", ""), f"PRAGMA user_version = {version};", "PRAGMA writable_schema = 1;",
                   "UPDATE sqlite_master SET sql = replace(sql, 'revid TEXT NOT NULL', 'revid TEXT NOT NULL COLLATE REVID');"]
        program = "sqlcipher" if self.key else None
        text = "\n".join(script)
        if program:
            run_sqlcipher(path, text, keep_log)
        else:
            run_sqlite(path, text, keep_log)


def run_sqlcipher(path, script, keep_log):
    # A process that is killed leaves its log.
    process = subprocess.Popen(
        ["sqlcipher", "-batch", str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True)
    if keep_log:
        process.stdin.write(script + "\nSELECT 'written';\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.strip() == "written":
                break
        process.kill()
        process.wait()
    else:
        output, _ = process.communicate(script)
        assert process.returncode == 0 and "rror" not in output, output


def run_sqlite(path, script, keep_log):
    if keep_log:
        child = os.fork()
        if child == 0:
            sqlite3.connect(path, isolation_level=None).executescript(script)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    else:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript(script)
        connection.close()


@functools.cache
def zoo_photo():
    """The bytes of an attachment that is longer than those inside a document."""
    return b"".join(hashlib.sha256(bytes([number % 256, number // 256])).digest() for number in range(8_000))


def zoo(name="animals", key=None, android=False):
    """A datastore with everything: histories, a conflict, deletions, attachments, local documents, indexes."""
    store = Datastore(name, key, android)
    store.revisions = {}
    first = store.revise("aardvark", {"class": "mammal", "weight": 40})
    store.revisions["aardvark"] = store.revise("aardvark", {"class": "mammal", "weight": 65.5}, first)
    base = store.revise("kookaburra", {"class": "bird"})
    left = store.revise("kookaburra", {"class": "bird", "diet": "carnivore"}, base)
    store.revise("kookaburra", {"class": "bird", "diet": "snakes"}, base)
    store.revisions["kookaburra"] = left
    gone = store.revise("dodo", {"class": "bird"})
    store.revisions["dodo"] = store.revise("dodo", None, gone, deleted=True)
    photo = {"photo.jpg": (zoo_photo(), "image/jpeg"), "é.txt": ("grüße".encode(), "text/plain")}
    lemur = store.revise("lemur", {"class": "mammal", "@datatype": "Animal"}, attachments=photo)
    store.revisions["lemur"] = store.revise(
        "lemur", {"class": "mammal", "@datatype": "Animal", "n": 12345678901234567890}, lemur,
        attachments={**photo, "notes.txt": (b"tail " * 5_000, "text/plain", "gzip")})
    previous = None
    for turn in range(1_000):
        previous = store.revise("snail", {"turn": turn}, previous)
    store.revisions["snail"] = previous
    store.revisions["zebra/ü"] = store.revise("zebra/ü", {"stripes": ["a", {"b": None}], "emoji": "🦓"})
    store.local("settings", {"sound": True})
    store.index("classes", "class", "weight")
    store.index("words", "diet", kind="text", settings='{"tokenize": "porter"}')
    return store
