"""Encrypted directories by the command: a server with a key, conversions, backups, errors that describe what to do."""

import os
import pathlib
import pty
import secrets
import subprocess
import time

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
    """The known words that any file contains."""
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
    assert "is not a directory of databases" in run.stderr
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


def passphrases(**given):
    """The environment with passphrases in their variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GODWIT_")}
    names = {"old": "GODWIT_ENCRYPTION_PASSPHRASE", "new": "GODWIT_NEW_ENCRYPTION_PASSPHRASE",
             "backup": "GODWIT_BACKUP_PASSPHRASE", "source": "GODWIT_SOURCE_PASSPHRASE",
             "target": "GODWIT_TARGET_PASSPHRASE"}
    return {**kept, **{names[name]: value for name, value in given.items()}}


def ok(*arguments, **given):
    """The output of a command, run with passphrases."""
    run = godwit(*arguments, env=passphrases(**given))
    assert run.returncode == 0, run.stderr
    assert not any(text in run.stdout + run.stderr for text in given.values())
    return run.stdout


def refused(*arguments, status=1, **given):
    run = godwit(*arguments, env=passphrases(**given))
    assert run.returncode == status and run.stdout == "", run.stdout + run.stderr
    assert not any(text in run.stderr for text in given.values())
    return run.stderr


def test_a_key_file_is_made_and_its_passphrases_change(tmp_path):
    file = str(tmp_path / "keys")
    assert "GODWIT_ENCRYPTION_PASSPHRASE" in refused("key", "make", file)
    ok("key", "make", file, "--label", "ana", old="pine cone")
    assert os.stat(file).st_mode & 0o777 == 0o600 and "pine cone" not in pathlib.Path(file).read_text()
    assert "exists already" in refused("key", "make", file, old="pine cone")
    assert "GODWIT_NEW_ENCRYPTION_PASSPHRASE" in refused("key", "add", file, old="pine cone")
    assert "ana" in refused("key", "add", file, "--label", "ana", old="pine cone", new="grey heron")
    assert refused("key", "add", file, "--label", "ben", old="no such one", new="grey heron")
    ok("key", "add", file, "--label", "ben", old="pine cone", new="grey heron")
    assert ok("key", "list", file) == "ana\nben\n"
    digits = str(tmp_path / "digits")
    ok("key", "make", digits, "--plain", "--from", file, old="grey heron")
    ok("key", "change", file, old="pine cone", new="tall larch")
    assert refused("key", "change", file, old="pine cone", new="other")
    ok("key", "remove", file, "--label", "ben", old="tall larch")
    assert refused("key", "remove", file, "--label", "ben", old="tall larch")
    assert refused("key", "remove", file, "--label", "ana", old="tall larch")
    assert ok("key", "list", file) == "ana\n"
    # The key is always the same, also when it is encrypted with a passphrase again.
    again = str(tmp_path / "again")
    ok("key", "make", again, "--from", digits, new="wide moor")
    for number, (source, passphrase) in enumerate([(file, "tall larch"), (again, "wide moor")]):
        ok("key", "make", f"{tmp_path}/plain-{number}", "--plain", "--from", source, old=passphrase)
        assert (tmp_path / f"plain-{number}").read_text() == pathlib.Path(digits).read_text()
    assert "passphrase" in refused("key", "list", digits)
    refused("key", "add", status=2)


def test_passphrases_of_all_key_files_come_in_variables_of_their_own(tmp_path):
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    ok("key", "make", first, old="pine cone")
    ok("key", "make", second, old="grey heron")
    server = Server(tmp_path / "data", environment={
        "GODWIT_ENCRYPTION_KEY_FILE": first, "GODWIT_ENCRYPTION_PASSPHRASE": "pine cone"})
    fill(server)
    server.stop()
    trips, backup = f"{server.data}/trips", str(tmp_path / "backup")
    one = ["--encryption-key-file", first]
    assert "GODWIT_ENCRYPTION_PASSPHRASE" in refused("doctor", server.data, *one)
    assert refused("doctor", server.data, *one, old="grey heron")
    ok("doctor", server.data, *one, old="pine cone")
    ok("backup", trips, backup, *one, old="pine cone")
    # The backup has another passphrase than the directory to which it is restored.
    restore = ["restore", backup, f"{tmp_path}/other/trips", "--encryption-key-file", second, "--backup-key-file", first]
    refused(*restore, old="grey heron")
    ok(*restore, old="grey heron", backup="pine cone")
    ok("doctor", str(tmp_path / "other"), "--encryption-key-file", second, old="grey heron")
    rekey = ["rekey", server.data, *one, "--new-encryption-key-file", second]
    refused(*rekey, old="pine cone")
    ok(*rekey, old="pine cone", new="grey heron")
    refused("doctor", server.data, *one, old="pine cone")
    assert "trips: 21 documents" in ok("doctor", server.data, "--encryption-key-file", second, old="grey heron")


def test_the_two_sides_of_a_replication_have_keys_of_their_own(tmp_path, key):
    second = str(tmp_path / "second")
    ok("key", "make", second, old="grey heron")
    server = encrypted_server(tmp_path / "data", key)
    fill(server)
    server.stop()
    source, target, plain = f"{server.data}/trips", f"{tmp_path}/target/trips", f"{tmp_path}/plain/trips"
    run = ["replicate", source, target, "--create-target"]
    ok(*run, "--encryption-key-file", key, "--target-key-file", second, target="grey heron")
    refused("doctor", str(tmp_path / "target"), "--encryption-key-file", key)
    assert "trips: 21 documents" in ok(
        "doctor", str(tmp_path / "target"), "--encryption-key-file", second, old="grey heron")
    ok("replicate", target, plain, "--create-target", "--source-key-file", second, source="grey heron")
    assert "trips: 21 documents" in ok("doctor", str(tmp_path / "plain"))
    same = f"{server.data}/copy"
    assert "two different keys were given" in refused(
        "replicate", source, same, "--create-target", "--source-key-file", key, "--target-key-file", second,
        target="grey heron")
    refused("replicate", "http://127.0.0.1:1/a", target, "--source-key-file", key, status=2)


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
        assert run.returncode == 1 and "was interrupted. Run it again" in run.stderr, run.stderr
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
        assert run.returncode == 1 and "Specify the directory" in run.stderr, run.stderr
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


def test_a_passphrase_is_asked_for_on_a_terminal(tmp_path):
    def type_in(*answers, arguments):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([GODWIT, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path)
        os.close(theirs)
        shown, answers = b"", list(answers)
        while True:
            try:
                piece = os.read(ours, 4_096)
            except OSError:
                break
            shown += piece
            if piece.endswith(b": ") and answers:
                # Echo is off when the question is shown, or a moment later.
                time.sleep(0.2)
                os.write(ours, answers.pop(0).encode() + b"\n")
        os.close(ours)
        assert b"pine" not in shown
        return process.wait(30), shown.decode()

    code, shown = type_in("pine cone", "pine cone", arguments=["key", "make", "file"])
    assert code == 0 and "Made file." in shown, shown
    code, shown = type_in("pine cone", "pine tree", arguments=["key", "make", "other"])
    assert code == 1 and "differ" in shown and not (tmp_path / "other").exists(), shown
    code, shown = type_in("pine needle", "pine needle", "pine cone", arguments=["key", "add", "file", "--label", "ben"])
    assert code == 0 and "Added" in shown, shown
