"""Encrypted directories by the command: a server with a key, conversions, backups, errors that say what to do."""

import os
import pathlib
import secrets
import subprocess

import pytest

from conftest import GODWIT, Server, godwit

WORDS = [b"bartailed", b"godwitfield", b"flight-of-the-id"]


def make_key(path, mode=0o600):
    path.write_text(secrets.token_hex(32) + "\n")
    path.chmod(mode)
    return str(path)


@pytest.fixture
def key(tmp_path):
    return make_key(tmp_path / "first.key")


def encrypted_server(data, key):
    return Server(data, environment={"GODWIT_ENCRYPTION_KEY_FILE": key})


def fill(server):
    server.json("PUT", "/trips")
    for number in range(20):
        server.json("PUT", f"/trips/flight-of-the-id-{number}", json={"godwitfield": "bartailed", "n": number})
    server.json("POST", "/trips/_index", json={"index": {"fields": ["godwitfield"]}})
    server.json("POST", "/trips/_find", json={"selector": {"godwitfield": "bartailed"}})


def words_in(directory):
    """Which of the known words lie in any file."""
    files = [path for path in pathlib.Path(directory).rglob("*") if path.is_file()]
    return {word for path in files for word in WORDS if word in path.read_bytes()}


def test_a_server_with_a_key_leaves_no_word_and_a_plain_one_does(tmp_path, key):
    plain = Server(tmp_path / "plain")
    fill(plain)
    assert words_in(plain.data) == set(WORDS)
    plain.stop()
    server = encrypted_server(tmp_path / "data", key)
    fill(server)
    assert words_in(server.data) == set()
    server.kill()
    assert words_in(server.data) == set()
    server.start()
    assert server.json("GET", "/trips")["doc_count"] == 21
    server.stop()
    assert words_in(server.data) == set()


def test_no_key_a_wrong_key_and_a_key_for_plain_files(tmp_path, key):
    server = encrypted_server(tmp_path / "data", key)
    fill(server)
    server.stop()
    other = make_key(tmp_path / "other.key")
    plain = Server(tmp_path / "plain")
    plain.stop()
    before = {path: path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()}
    for arguments, words in [
        ([server.data], "is encrypted"),
        ([server.data, "--encryption-key-file", other], "wrong"),
        ([plain.data, "--encryption-key-file", key], "not encrypted"),
        ([server.data, "--encryption-key-file", str(tmp_path / "none")], "none"),
    ]:
        for command in (["doctor"], ["serve", "--port", "0", "--data"]):
            run = godwit(*command, *arguments)
            assert run.returncode == 1 and words in run.stderr, run.stderr
    assert before == {path: path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()}


def test_a_key_file_that_others_can_read_is_refused(tmp_path):
    run = godwit("serve", "--data", str(tmp_path / "data"), "--encryption-key-file", make_key(tmp_path / "key", 0o644))
    assert run.returncode == 1 and "chmod 600" in run.stderr


def test_a_damaged_key_file_is_named_as_one(tmp_path):
    file = tmp_path / "keys"
    file.write_text('{"version": 1, ')
    file.chmod(0o600)
    run = godwit("doctor", str(tmp_path), env={**os.environ, "GODWIT_ENCRYPTION_PASSPHRASE": "p"})
    assert "is no directory of databases" in run.stderr
    run = godwit("serve", "--data", str(tmp_path / "data"), "--encryption-key-file", str(file),
                 env={**os.environ, "GODWIT_ENCRYPTION_PASSPHRASE": "p"})
    assert run.returncode == 1 and "damaged" in run.stderr, run.stderr
    run = godwit("serve", "--data", str(tmp_path / "data"), "--encryption-key-file", str(file))
    assert run.returncode == 1 and "GODWIT_ENCRYPTION_PASSPHRASE" in run.stderr, run.stderr


def test_the_key_in_the_environment(tmp_path):
    digits = secrets.token_hex(32)
    server = Server(tmp_path / "data", environment={"GODWIT_ENCRYPTION_KEY": digits})
    fill(server)
    complaints = server.stop()
    assert digits not in complaints and words_in(server.data) == set()
    run = godwit("doctor", server.data, env={**os.environ, "GODWIT_ENCRYPTION_KEY": digits})
    assert run.returncode == 0, run.stderr
    run = godwit("doctor", server.data, env={**os.environ, "GODWIT_ENCRYPTION_KEY": "abc"})
    assert run.returncode == 1 and "GODWIT_ENCRYPTION_KEY" in run.stderr and "abc" not in run.stderr


def test_a_directory_is_encrypted_given_another_key_and_decrypted(tmp_path, key):
    second = make_key(tmp_path / "second.key")
    server = Server(tmp_path / "data")
    fill(server)
    run = godwit("encrypt", server.data, "--encryption-key-file", key)
    assert run.returncode == 1 and "open in another" in run.stderr, run.stderr
    server.stop()
    for arguments, current in [
        (["encrypt", server.data, "--encryption-key-file", key], key),
        (["rekey", server.data, "--encryption-key-file", key, "--new-encryption-key-file", second], second),
    ]:
        run = godwit(*arguments)
        assert run.returncode == 0, run.stderr
        assert words_in(server.data) == set()
        run = godwit("doctor", server.data, "--encryption-key-file", current)
        assert run.returncode == 0 and "trips: 21 documents, nothing wrong." in run.stdout, run.stdout + run.stderr
    assert godwit("doctor", server.data, "--encryption-key-file", key).returncode == 1
    assert godwit("decrypt", server.data, "--encryption-key-file", second).returncode == 0
    assert words_in(server.data) == set(WORDS)
    server.start()
    assert len(server.json("POST", "/trips/_find", json={"selector": {"n": {"$gte": 0}}})["docs"]) == 20
    server.stop()


def test_a_change_of_keys_that_was_cut_is_named_and_finished(tmp_path, key):
    second = make_key(tmp_path / "second.key")
    server = encrypted_server(tmp_path / "data", key)
    fill(server)
    server.stop()
    command = [GODWIT, "rekey", server.data, "--encryption-key-file", key, "--new-encryption-key-file", second]
    mark = tmp_path / "data" / "changing-key"
    # Stopped before its first file by one that it cannot write.
    [file] = [path for path in (tmp_path / "data").rglob("*.godwit") if path.stat().st_size > 40_000]
    (file.parent / (file.name + ".converting")).mkdir()
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1 and mark.exists(), run.stderr
    for arguments in (["doctor", server.data], ["serve", "--port", "0", "--data", server.data]):
        run = godwit(*arguments, "--encryption-key-file", key)
        assert run.returncode == 1 and "was cut short. Run it again" in run.stderr, run.stderr
    run = godwit("decrypt", server.data, "--encryption-key-file", second)
    assert run.returncode == 1 and words_in(server.data) == set()
    (file.parent / (file.name + ".converting")).rmdir()
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and not mark.exists(), run.stderr
    run = godwit("doctor", server.data, "--encryption-key-file", second)
    assert run.returncode == 0 and "trips: 21 documents, nothing wrong." in run.stdout, run.stdout


def test_one_file_of_a_directory_is_refused(tmp_path, key):
    server = Server(tmp_path / "data")
    fill(server)
    server.stop()
    for file in (tmp_path / "data").rglob("*.godwit"):
        run = godwit("encrypt", str(file), "--encryption-key-file", key)
        assert run.returncode == 1 and "Give the directory" in run.stderr, run.stderr
    assert godwit("doctor", server.data).returncode == 0


def test_wrong_usage_of_the_conversions(tmp_path, key):
    run = godwit("encrypt", str(tmp_path))
    assert run.returncode == 2 and "--encryption-key-file" in run.stderr
    for name in ("none", "."):
        run = godwit("encrypt", str(tmp_path / name), "--encryption-key-file", key)
        assert run.returncode == 1 and str(tmp_path) in run.stderr, run.stderr


def test_backups_stay_encrypted_unless_told_otherwise(tmp_path, key):
    server = encrypted_server(tmp_path / "data", key)
    fill(server)
    source = server.database("trips")
    run = godwit("backup", source, str(tmp_path / "unchecked"))
    assert run.returncode == 0 and "could not be checked" in run.stderr
    run = godwit("backup", source, str(tmp_path / "checked"), "--encryption-key-file", key)
    assert run.returncode == 0 and "Backed up 21 documents" in run.stdout and run.stderr == ""
    run = godwit("backup", source, str(tmp_path / "no"), "--plain")
    assert run.returncode == 1 and "--encryption-key-file" in run.stderr and not list(tmp_path.glob("no*"))
    run = godwit("backup", source, str(tmp_path / "plain"), "--plain", "--encryption-key-file", key)
    assert run.returncode == 0, run.stderr
    server.stop()
    local = str(pathlib.Path(server.data) / "trips")
    run = godwit("backup", local, str(tmp_path / "local"), "--encryption-key-file", key)
    assert run.returncode == 0, run.stderr
    for name in ("unchecked", "checked", "local"):
        assert not any(word in (tmp_path / name).read_bytes() for word in WORDS)
    assert WORDS[0] in (tmp_path / "plain").read_bytes()
    second = make_key(tmp_path / "second.key")
    for name in ("unchecked", "plain"):
        backup_key = ["--backup-key-file", key] if name == "unchecked" else []
        for number, arguments in enumerate((backup_key, [*backup_key, "--encryption-key-file", second])):
            target = f"{tmp_path}/restored-{name}-{number}/trips"
            run = godwit("restore", str(tmp_path / name), target, *arguments)
            assert run.returncode == 0 and "Restored 21 documents" in run.stdout, run.stderr
            assert (words_in(pathlib.Path(target).parent) == set()) == (number == 1)
    run = godwit("restore", str(tmp_path / "local"), f"{tmp_path}/again/trips")
    assert run.returncode == 1 and "--encryption-key-file" in run.stderr
    assert not (tmp_path / "again").exists()


def test_a_replica_of_an_encrypted_directory(tmp_path, key, server):
    fill(server)
    target = f"{tmp_path}/replica/trips"
    run = godwit("replicate", server.database("trips"), target, "--create-target", "--encryption-key-file", key)
    assert run.returncode == 0, run.stderr
    assert words_in(tmp_path / "replica") == set()


def test_a_damaged_page_is_named(tmp_path, key):
    server = encrypted_server(tmp_path / "data", key)
    fill(server)
    server.stop()
    [file] = [path for path in (tmp_path / "data").rglob("*.godwit") if path.stat().st_size > 40_000]
    bytes_of_file = bytearray(file.read_bytes())
    for page in (4, 6):
        bytes_of_file[(page - 1) * 4096 + 100] ^= 1
    file.write_bytes(bytes_of_file)
    run = godwit("doctor", server.data, "--encryption-key-file", key)
    assert run.returncode == 1
    assert "page 4 does not match" in run.stdout and "page 6 does not match" in run.stdout, run.stdout
