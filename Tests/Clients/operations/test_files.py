"""The commands for files: backup, restore, doctor."""

import contextlib
import json
import pathlib
import sqlite3

import pytest

from conftest import Server, godwit


@pytest.fixture
def directory(tmp_path):
    """A directory with two databases, one of them with a conflict and an attachment."""
    server = Server(tmp_path / "data")
    for name in ("trips", "a%2Fb"):
        server.json("PUT", f"/{name}")
        server.json("POST", f"/{name}/_bulk_docs", json={"docs": [{"_id": f"d{n}", "n": n} for n in range(50)]})
    for rev in ("1-aa", "1-bb"):
        server.json("PUT", "/trips/c?new_edits=false", json={"_id": "c", "_rev": rev, "from": rev})
    server.json("PUT", "/trips/p", json={"_attachments": {"x": {"content_type": "t/x", "data": "aGVsbG8="}}})
    server.stop()
    return server.data


def files(directory):
    return sorted(pathlib.Path(directory).glob("??/*.godwit"))


def test_backup_and_restore(directory, tmp_path):
    copy = str(tmp_path / "copy")
    run = godwit("backup", f"{directory}/trips", copy)
    assert run.returncode == 0 and "Backed up 52 documents" in run.stdout, run.stderr
    again = godwit("backup", f"{directory}/trips", copy)
    assert again.returncode == 1 and copy in again.stderr and "exists already" in again.stderr
    run = godwit("restore", copy, f"{directory}/old%2Ftrips")
    assert run.returncode == 0 and "Restored 52 documents" in run.stdout, run.stderr
    taken = godwit("restore", copy, f"{directory}/trips")
    assert taken.returncode == 1 and "exists already" in taken.stderr
    server = Server(directory)
    before, after = (server.json("GET", f"/{name}/_all_docs?include_docs=true&conflicts=true")
                     for name in ("trips", "old%2Ftrips"))
    assert before == after
    assert server.request("GET", "/old%2Ftrips/p/x").content == b"hello"
    # A sequence of the first database continues in the copy at the state of the backup; later ones too.
    since = server.json("GET", "/trips")["update_seq"]
    server.json("PUT", "/old%2Ftrips/new", json={})
    changes = server.json("GET", f"/old%2Ftrips/_changes?since={since}")["results"]
    assert [change["id"] for change in changes] == ["new"]
    server.stop()


def test_backup_of_nothing(directory, tmp_path):
    run = godwit("backup", f"{directory}/none", str(tmp_path / "copy"))
    assert run.returncode == 1 and len(run.stderr.splitlines()) == 1
    run = godwit("backup", "trips", str(tmp_path / "copy"))
    assert run.returncode == 2 and "DIR/name" in run.stderr
    (tmp_path / "no-backup").write_bytes(b"x" * 5000)
    run = godwit("restore", str(tmp_path / "no-backup"), f"{directory}/x")
    assert run.returncode == 1 and "damaged" in run.stderr
    run = godwit("restore", str(tmp_path / "no-backup"), "http://admin:hidden@127.0.0.1:1/db")
    assert run.returncode == 1 and "damaged" in run.stderr and "hidden" not in run.stderr
    assert not list(tmp_path.glob("copy*"))


@pytest.mark.parametrize("holds", [b"", b"x" * 5000, None])
def test_restore_names_the_file_that_is_no_backup(directory, tmp_path, holds):
    file = tmp_path / "no-backup"
    if holds is not None:
        file.write_bytes(holds)
    run = godwit("restore", str(file), f"{directory}/x")
    assert run.returncode == 1 and str(file) in run.stderr and str(directory) not in run.stderr


def test_restore_names_the_damaged_backup(directory, tmp_path):
    copy = tmp_path / "copy"
    assert godwit("backup", f"{directory}/trips", str(copy)).returncode == 0
    content = copy.read_bytes()
    for damaged in (content[:4096] + b"\0" * 4096 + content[8192:], content[:len(content) // 2]):
        copy.write_bytes(damaged)
        run = godwit("restore", str(copy), f"{directory}/x")
        assert run.returncode == 1 and str(copy) in run.stderr and str(directory) not in run.stderr


@pytest.mark.parametrize("name", ["copy", "a copy?immutable=0#%41"])
def test_restore_leaves_a_read_only_backup_as_it_is(directory, tmp_path, name, monkeypatch):
    folder = tmp_path / "shelf"
    folder.mkdir()
    copy = folder / name
    assert godwit("backup", f"{directory}/trips", str(copy)).returncode == 0
    content = copy.read_bytes()
    copy.chmod(0o444)
    folder.chmod(0o555)
    run = godwit("restore", str(copy), f"{directory}/first")
    assert run.returncode == 0 and "Restored 52 documents" in run.stdout, run.stderr
    # Also a relative path.
    monkeypatch.chdir(folder)
    run = godwit("restore", name, f"{directory}/second")
    assert run.returncode == 0, run.stderr
    folder.chmod(0o755)
    assert [file.name for file in folder.iterdir()] == [name] and copy.read_bytes() == content


@pytest.mark.parametrize("log", ["-wal", "-journal"])
def test_restore_refuses_a_database_in_use(directory, tmp_path, log):
    copy = tmp_path / "copy"
    assert godwit("backup", f"{directory}/trips", str(copy)).returncode == 0
    beside = pathlib.Path(f"{copy}{log}")
    beside.write_bytes(b"something")
    run = godwit("restore", str(copy), f"{directory}/x")
    assert run.returncode == 1 and str(beside) in run.stderr and "in use" in run.stderr
    assert beside.read_bytes() == b"something"
    beside.write_bytes(b"")
    assert godwit("restore", str(copy), f"{directory}/x").returncode == 0


def test_doctor_finds_nothing(directory):
    run = godwit("doctor", directory)
    assert run.returncode == 0, run.stdout
    assert run.stdout.splitlines() == [
        "_replicator: 0 documents, nothing wrong.", "_users: 1 document, nothing wrong.",
        "a/b: 50 documents, nothing wrong.", "trips: 52 documents, nothing wrong.",
        "Checked 4 databases and the catalogue: nothing wrong."]


def test_doctor_says_what_is_wrong(directory):
    [trips] = [file for file in files(directory) if b"from" in file.read_bytes()]
    with contextlib.closing(sqlite3.connect(trips)) as file, file:
        file.execute("UPDATE state SET live = 7")
        file.execute("UPDATE blobs SET uses = 2")
    pathlib.Path(directory, "00").mkdir(exist_ok=True)
    pathlib.Path(directory, "00", "stray.godwit").write_bytes(b"")
    run = godwit("doctor", directory)
    assert run.returncode == 1
    assert "trips: 52 live documents, counted 7" in run.stdout
    assert "trips: attachment 1: 1 uses, counted 2" in run.stdout
    assert "00/stray.godwit belongs to no database" in run.stdout
    lines = [json.loads(line) for line in godwit("doctor", directory, "--json").stdout.splitlines()]
    assert [line.get("database") for line in lines] == ["_replicator", "_users", "a/b", "trips", None]
    assert len(lines[3]["faults"]) == 2 and len(lines[4]["faults"]) == 1


def test_a_file_that_another_program_has_open_is_left_alone(directory):
    [trips] = [file for file in files(directory) if b"from" in file.read_bytes()]
    with contextlib.closing(sqlite3.connect(trips)) as file:
        assert file.execute("SELECT live FROM state").fetchone() == (52,)
        run = godwit("doctor", directory)
        assert run.returncode == 1 and "another program" in run.stdout and "a/b: 50 documents" in run.stdout
    assert godwit("doctor", directory).returncode == 0


def test_doctor_reports_a_file_that_is_gone_or_damaged(directory):
    first, second = files(directory)[:2]
    first.unlink()
    second.write_bytes(b"x" * 8192)
    run = godwit("doctor", directory)
    assert run.returncode == 1 and "is missing" in run.stdout and "damaged" in run.stdout or "not a Godwit" in run.stdout


def test_doctor_wants_a_directory_of_its_own(directory, tmp_path):
    run = godwit("doctor", str(tmp_path / "none"))
    assert run.returncode == 1 and "catalogue" in run.stderr and not (tmp_path / "none").exists()
    server = Server(directory)
    run = godwit("doctor", directory)
    assert run.returncode == 1 and "open in another Godwit" in run.stderr
    server.stop()
