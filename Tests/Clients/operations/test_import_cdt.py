"""`godwit import-cdt` brings the datastores of Cloudant Sync over, loses nothing, and names what is damaged."""

import base64
import hashlib
import json
import os
import pathlib
import secrets
import signal
import sqlite3
import subprocess
import time
import urllib.parse

import pytest
from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

from cloudant_sync import Datastore, zoo, zoo_photo
from conftest import GODWIT, Server, godwit

KEY = "00112233445566778899aabbccddeeff" * 2


def import_cdt(*arguments, **options):
    run = godwit("import-cdt", *map(str, arguments), "--json", **options)
    return run, [json.loads(line) for line in run.stdout.splitlines()]


def digests(directory):
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in pathlib.Path(directory).rglob("*") if path.is_file()}


def key_file(tmp_path, key=KEY):
    path = tmp_path / f"key-{secrets.token_hex(3)}"
    path.write_text(key + "\n")
    path.chmod(0o600)
    return path


def wrapped_key_file(tmp_path, password, encode=bytes.hex):
    """The values that Cloudant Sync's key providers stored: the key in AES-CBC under PBKDF2."""
    salt, vector = secrets.token_bytes(32), b"a fixed vector.."
    wrapping = PBKDF2HMAC(hashes.SHA1(), 32, salt, 10_000).derive(password.encode())
    padder = padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(wrapping), modes.CBC(vector)).encryptor()
    sealed = encryptor.update(padder.update(bytes.fromhex(KEY)) + padder.finalize()) + encryptor.finalize()
    path = tmp_path / f"wrapped-{secrets.token_hex(3)}.json"
    path.write_text(json.dumps({
        "encryptedDPK": encode(sealed), "salt": encode(salt), "iv": encode(vector), "iterations": 10_000, "version": "1.0"}))
    return path


@pytest.mark.parametrize("encode", [bytes.hex, lambda value: base64.b64encode(value).decode()], ids=["hexadecimal", "base64"])
def test_a_password_opens_the_key_of_the_old_provider(tmp_path, encode):
    old = tmp_path / "old"
    zoo(key=KEY).save(old)
    wrapped = wrapped_key_file(tmp_path, "a tern's pässword", encode)
    run, (report,) = import_cdt(
        old, tmp_path / "new", "--cdt-wrapped-key", wrapped, env={**os.environ, "GODWIT_CDT_PASSWORD": "a tern's pässword"})
    assert run.returncode == 0 and report["complete"] and report["compared"] == 7, run.stderr


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "server")
    yield server
    server.stop()


@pytest.mark.parametrize("keep_log", [False, True], ids=["closed", "with-log"])
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
@pytest.mark.parametrize("android", [False, True], ids=["ios", "android"])
def test_a_datastore_comes_over_completely(tmp_path, server, key, android, keep_log):
    old = tmp_path / "old"
    store = zoo(key=key, android=android)
    path = store.save(old, keep_log)
    assert not keep_log or pathlib.Path(f"{path}-wal").stat().st_size > 0
    before = digests(old)
    arguments = ["--cdt-key-file", key_file(tmp_path)] if key else []
    url = server.database("").rstrip("/")
    run, (report,) = import_cdt(old, url, *arguments)
    assert run.returncode == 0, run.stdout + run.stderr
    assert report["complete"] and (report["documents"], report["written"], report["compared"]) == (6, 7, 7), report
    assert report["attachments"] == 3 and report["local_documents"] == 1 and report["indexes"] == ["classes", "words"]
    assert digests(old) == before, "the old files are only read"
    documents = {row["id"]: row for row in server.json("GET", "/animals/_all_docs?conflicts=true&include_docs=true")["rows"]}
    revisions = {id: row["value"]["rev"] for id, row in documents.items() if not id.startswith("_design/")}
    winners = {id: revision for id, revision in store.revisions.items() if id not in ("dodo", "kookaburra")}
    assert {id: rev for id, rev in revisions.items() if id != "kookaburra"} == winners
    assert len(server.json("GET", "/animals/kookaburra?conflicts=true")["_conflicts"]) == 1
    assert server.request("GET", "/animals/dodo").json()["reason"] == "deleted"
    lemur = server.json("GET", "/animals/lemur")
    assert lemur["n"] == 12345678901234567890 and lemur["@datatype"] == "Animal"
    assert server.request("GET", "/animals/lemur/photo.jpg").content == zoo_photo()
    assert server.request("GET", "/animals/lemur/notes.txt").content == b"tail " * 5_000
    assert lemur["_attachments"]["photo.jpg"]["revpos"] == 2
    history = server.json("GET", "/animals/snail?revs=true")["_revisions"]
    assert history["start"] == 1_000 and len(history["ids"]) == 1_000
    assert server.json("GET", "/animals/_local/settings")["sound"] is True
    found = server.json("POST", "/animals/_find", json={"selector": {"class": "mammal"}, "execution_stats": True})
    assert sorted(doc["_id"] for doc in found["docs"]) == ["aardvark", "lemur"]
    # A second import writes nothing.
    run, (report,) = import_cdt(old, url, *arguments)
    assert run.returncode == 0 and (report["written"], report["present"]) == (0, 7), report


def test_the_first_replication_transfers_nothing(tmp_path, server):
    old = tmp_path / "old"
    zoo().save(old)
    assert import_cdt(old, server.database("").rstrip("/"))[0].returncode == 0
    assert import_cdt(old, tmp_path / "device")[0].returncode == 0
    for source, target in ((tmp_path / "device/animals", server.database("animals")),
                           (server.database("animals"), tmp_path / "device/animals")):
        # The design documents of the indexes are new on both sides.
        selector = ["--selector", '{"class": {"$exists": true}}']
        run = godwit("replicate", str(source), str(target), "--json", *selector)
        assert run.returncode == 0, run.stderr
        counts = json.loads(run.stdout.splitlines()[-1])
        assert (counts["missing_found"], counts["docs_written"]) == (0, 0) and counts["missing_checked"] >= 4, counts


def test_a_survey_writes_nothing(tmp_path):
    old = tmp_path / "old"
    zoo().save(old)
    Datastore("other/name").save(old)
    before = digests(tmp_path)
    run = godwit("import-cdt", str(old), "--dry-run")
    assert run.returncode == 0, run.stderr
    assert "animals: 6 documents with 7 leaf revisions, 3 attachments" in run.stdout and "other/name: 0" in run.stdout
    assert digests(tmp_path) == before
    run, reports = import_cdt(old, tmp_path / "new", "--datastore", "animals", "--as", "zoo")
    assert run.returncode == 0, run.stderr
    assert [report["datastore"] for report in reports] == ["animals"]
    assert godwit("export", str(tmp_path / "new/zoo"), "-", "--format", "jsonl").returncode == 0


def written(directory):
    """The number of bytes in the files of a directory."""
    total = 0
    for path in pathlib.Path(directory).glob("**/*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:  # The process removed it meanwhile.
            pass
    return total


def big(count):
    store = Datastore("big")
    store.database.execute("BEGIN")
    for number in range(count):
        first = store.revise(f"d{number:06}", {"n": number, "text": "x" * 200})
        attachments = {"a": (str(number).encode() * 3_000, "text/plain")} if number % 20 == 0 else None
        store.revise(f"d{number:06}", {"n": -number}, first, attachments=attachments)
        if number % 50 == 0:
            store.revise(f"d{number:06}", {"n": "other"}, first)
    store.database.execute("COMMIT")
    return store


def test_an_import_that_is_killed_continues(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    big(3_000).save(old)
    kills = 0
    # Each run is killed after it has written another part.
    for part in range(6):
        process = subprocess.Popen(
            [GODWIT, "import-cdt", str(old), str(new)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and written(new) <= part * 400_000:
            time.sleep(0.005)
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert kills >= 1
    run, (report,) = import_cdt(old, new)
    assert run.returncode == 0, run.stderr
    assert report["complete"] and (report["compared"], report["attachments"]) == (3_060, 150), report
    assert godwit("doctor", str(new)).returncode == 0


def test_a_damaged_attachment_is_named_and_the_rest_imported(tmp_path):
    old = tmp_path / "old"
    zoo().save(old)
    files = sorted((old / "animals attachments").iterdir(), key=lambda path: path.stat().st_size)
    damaged = bytearray(files[-1].read_bytes())
    damaged[1_000] ^= 1
    files[-1].write_bytes(damaged)
    files[0].unlink()
    for arguments in ([old, "--dry-run"], [old, tmp_path / "new"]):
        run, (report,) = import_cdt(*arguments)
        assert run.returncode == 1
        losses = {loss["subject"].split(" at ")[0]: loss["reason"] for loss in report["losses"]}
        assert set(losses) == {"lemur/photo.jpg", "lemur/é.txt"}, report
        assert "SHA-1" in losses["lemur/photo.jpg"] and "missing" in losses["lemur/é.txt"]
    assert report["compared"] == 7 and report["attachments"] == 1


def test_damaged_bodies_are_named(tmp_path):
    old = tmp_path / "old"
    store = Datastore()
    store.revise("good", {"a": 1})
    for id, body in (("broken", b'{"a": '), ("list", b"[1]"), ("reserved", b'{"_x": 1}'), ("gone", None)):
        store.revise(id, body)
    store.revise("bad-revision", {"a": 1}, revision="nonsense")
    store.save(old)
    run, (report,) = import_cdt(old, tmp_path / "new")
    assert run.returncode == 1
    assert {loss["subject"].split(" at ")[0] for loss in report["losses"]} == {
        "broken", "list", "reserved", "gone", "bad-revision"}, report
    assert report["written"] == 1


def exported(database):
    run = godwit("export", str(database), "-", "--format", "jsonl", "--attachments")
    return {document["_id"]: document for document in map(json.loads, run.stdout.splitlines())}


@pytest.mark.parametrize("remote", [False, True], ids=["local", "server"])
def test_empty_attachments_are_compared(tmp_path, server, remote):
    old = tmp_path / "old"
    store = Datastore()
    store.revise("none", {"a": 1}, attachments={"empty.txt": (b"", "text/plain")})
    store.revise("both", {"a": 1}, attachments={"empty": (b"", "text/plain"), "full": (b"x", "text/plain"), "gz": (b"", "a/b", "gzip")})
    store.save(old)
    run, (report,) = import_cdt(old, "--dry-run")
    assert run.returncode == 0 and report["attachments"] == 4, report
    run, (report,) = import_cdt(old, server.database("").rstrip("/") if remote else tmp_path / "new")
    assert run.returncode == 0 and report["complete"] and report["attachments"] == 4, report


@pytest.mark.parametrize("remote", [False, True], ids=["local", "server"])
def test_local_documents_keep_any_name(tmp_path, server, remote):
    old = tmp_path / "old"
    store = Datastore()
    ids = ["plain", "with/slash", "a/b/c?d#e%2F", "e\u0301", "\u00e9"]
    for id in ids:
        store.local(id, {"name": id})
    store.save(old)
    run, (report,) = import_cdt(old, server.database("").rstrip("/") if remote else tmp_path / "new")
    assert run.returncode == 0 and report["local_documents"] == len(ids), report
    if remote:
        for id in ids:
            assert server.json("GET", f"/animals/_local/{urllib.parse.quote(id, safe='')}")["name"] == id


def test_half_a_character_is_replaced_and_said(tmp_path):
    old = tmp_path / "old"
    store = Datastore()
    store.revise("cut", b'{"text": "a\\ud83d", "low": "\\udc00b", "pair": "\\ud83d\\ude00", "back": "\\\\ud83d", "\\ud83d\\ud83d": 1}')
    store.revise("whole", {"text": "\U0001f600"})
    store.local("cut", {})
    store.database.execute("UPDATE localdocs SET json = ?", [b'{"text": "\\ud800"}'])
    store.save(old)
    run, (report,) = import_cdt(old, tmp_path / "new")
    assert run.returncode == 0 and report["complete"], report
    assert [repair["subject"].split(" at ")[0] for repair in report["repairs"]] == ["_local/cut", "cut"]
    document = exported(tmp_path / "new/animals")["cut"]
    assert {name: document[name] for name in document if name[0] != "_"} == {
        "text": "a\ufffd", "low": "\ufffdb", "pair": "\U0001f600", "back": "\\ud83d", "\ufffd\ufffd": 1}


def test_duplicates_of_the_first_schemas_keep_their_attachments(tmp_path):
    old = tmp_path / "old"
    store = Datastore(version=100)
    first = store.revise("twice", {"n": 1})
    second = store.revise("twice", {"n": 2}, first, attachments={"one": (b"1", "text/plain")})
    store.revise("twice", {"n": 2}, first, revision=second, attachments={"one": (b"other", "text/plain"), "two": (b"22", "text/plain")})
    # A child of the duplicate is a child of the revision.
    base = store.revise("child", {"n": 1})
    store.revise("child", {"n": 1}, revision=base)
    store.revise("child", {"n": 2}, base)
    (duplicate,) = store.database.execute("SELECT max(sequence) FROM revs WHERE revid = ?", [base]).fetchone()
    store.database.execute("UPDATE revs SET parent = ? WHERE parent IS NOT NULL AND doc_id = 2", [duplicate])
    store.save(old)
    run, (report,) = import_cdt(old, tmp_path / "new")
    assert run.returncode == 0 and report["complete"], report
    assert (report["compared"], report["attachments"]) == (2, 2), report
    documents = exported(tmp_path / "new/animals")
    assert {name: base64.b64decode(value["data"]) for name, value in documents["twice"]["_attachments"].items()} == {
        "one": b"1", "two": b"22"}
    assert documents["child"]["n"] == 2


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_damaged_pages_lose_only_their_documents(tmp_path, key):
    old = tmp_path / "old"
    store = Datastore(key=key)
    for number in range(300):
        store.revise(f"doc{number:04}", {"n": number, "text": f"{number:04}" * 300})
    path = store.save(old)
    page_bytes = 1_024 if key else 4_096
    content = bytearray(path.read_bytes())
    pages = len(content) // page_bytes
    for page in range(pages // 2, pages // 2 + 3):
        start = page * page_bytes
        content[start:start + page_bytes] = bytes(byte ^ 0x5A for byte in content[start:start + page_bytes])
    path.write_bytes(content)
    arguments = ["--cdt-key-file", key_file(tmp_path)] if key else []
    run, (report,) = import_cdt(old, tmp_path / "new", *arguments)
    assert run.returncode == 1, run.stdout + run.stderr
    run = godwit("export", str(tmp_path / "new/animals"), "-", "--format", "jsonl")
    present = {json.loads(line)["_id"] for line in run.stdout.splitlines()}
    lost = {loss["subject"].split(" at ")[0] for loss in report["losses"]}
    named = {id for id in lost if id.startswith("doc0")}
    anonymous = [subject for subject in lost if subject.startswith("document number")]
    assert len(present) > 200
    missing = {f"doc{number:04}" for number in range(300)} - present
    assert missing - named == set() or len(missing - named) <= len(anonymous), (missing, named, anonymous)


@pytest.mark.parametrize("tables,loss,isEmpty", [
    (["localdocs"], "local documents", False), (["docs", "revs"], "documents after number 0", True)])
def test_damaged_tables_are_named(tmp_path, tables, loss, isEmpty):
    """The first pages of the tables and of their indexes are damaged, so that the tables cannot even be listed."""
    old = tmp_path / "old"
    path = zoo().save(old)
    connection = sqlite3.connect(path)
    [page_bytes] = connection.execute("PRAGMA page_size").fetchone()
    roots = [root for table in tables
             for (root,) in connection.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name = ?", (table,))]
    connection.close()
    content = bytearray(path.read_bytes())
    for root in roots:
        content[(root - 1) * page_bytes:root * page_bytes] = b"\x5a" * page_bytes
    path.write_bytes(content)
    for arguments in ([old, "--dry-run"], [old, tmp_path / "new"]):
        run, (report,) = import_cdt(*arguments)
        assert run.returncode == 1, run.stdout + run.stderr
        assert not report["complete"] and loss in [loss["subject"] for loss in report["losses"]], report
    assert (report["written"] == 0) == isEmpty


def test_wrong_keys_and_foreign_files_are_named(tmp_path):
    old, plain = tmp_path / "old", tmp_path / "plain"
    zoo(key=KEY).save(old)
    zoo().save(plain)
    target = tmp_path / "new"
    for arguments, expected in (
            ([old, target], "--cdt-key-file"),
            ([old, target, "--cdt-key-file", key_file(tmp_path, "ff" * 32)], "wrong"),
            ([plain, target, "--cdt-key-file", key_file(tmp_path)], "not encrypted"),
            ([tmp_path / "nothing", target], "no datastore"),
            ([plain, target, "--datastore", "none"], "no datastore none")):
        run = godwit("import-cdt", *map(str, arguments))
        assert run.returncode == 1 and expected in run.stderr, (arguments, run.stderr)
        assert KEY not in run.stderr
    wrapped = wrapped_key_file(tmp_path, "heron")
    for environment, expected in (({}, "GODWIT_CDT_PASSWORD"), ({"GODWIT_CDT_PASSWORD": "tern"}, "does not open the wrapped key")):
        run = godwit("import-cdt", str(old), str(target), "--cdt-wrapped-key", str(wrapped), env={**os.environ, **environment})
        assert run.returncode == 1 and expected in run.stderr and "tern" not in run.stderr, run.stderr
    (tmp_path / "text").mkdir()
    (tmp_path / "text/x.touchdb").write_text("this is no database " * 100)
    run = godwit("import-cdt", str(tmp_path / "text"), str(target))
    assert run.returncode == 1 and "x.touchdb" in run.stderr


def linked_attachments(old, tmp_path):
    (old / "animals attachments").rename(tmp_path / "elsewhere")
    (old / "animals attachments").symlink_to(tmp_path / "elsewhere")


def linked_documents(old, tmp_path):
    (old / "animals.touchdb").rename(tmp_path / "elsewhere.touchdb")
    (old / "animals.touchdb").symlink_to(tmp_path / "elsewhere.touchdb")


def piped_documents(old, _):
    (old / "animals.touchdb").unlink()
    os.mkfifo(old / "animals.touchdb")


def piped_log(old, _):
    (old / "animals.touchdb-wal").unlink(missing_ok=True)
    os.mkfifo(old / "animals.touchdb-wal")


@pytest.mark.parametrize("change", [linked_attachments, linked_documents, piped_documents, piped_log])
def test_an_import_follows_no_link_and_opens_no_pipe(tmp_path, change):
    old = tmp_path / "old"
    zoo().save(old)
    change(old, tmp_path)
    run = godwit("import-cdt", str(old), str(tmp_path / "new"))
    assert run.returncode == 1 and ("symbolic link" in run.stderr or "not a regular file" in run.stderr), run.stderr
    assert not (tmp_path / "new/catalogue.sqlite").exists() or "animals" not in godwit("doctor", str(tmp_path / "new")).stdout


def test_a_datastore_does_not_become_a_database_of_the_server(tmp_path):
    old = tmp_path / "old"
    zoo(name="_users").save(old)
    run = godwit("import-cdt", str(old), str(tmp_path / "new"))
    assert run.returncode == 1 and "reserved" in run.stderr and "--as" in run.stderr, run.stderr
