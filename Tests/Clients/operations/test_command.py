"""The command and its output: a reader that closes the pipe before the end."""

import json
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess

import pytest

from conftest import GODWIT, SYSTEM_DATABASES, godwit


def run_read_for(lines, *arguments, **options):
    """Runs the command with a reader that reads some lines and closes the pipe; returns the exit code and the errors."""
    process = subprocess.Popen(
        [GODWIT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    for _ in range(lines):
        assert process.stdout.readline()
    process.stdout.close()
    complaints = process.stderr.read()
    process.stderr.close()
    return process.wait(60), complaints


@pytest.mark.parametrize("flags", [["--json"], []])
def test_a_bench_whose_reader_goes_deletes_its_database(server, flags):
    code, complaints = run_read_for(1, "bench", "--url", server.database(""), "--scale", "0.02", *flags)
    assert (code, complaints) == (1, "")
    assert server.json("GET", "/_all_dbs") == SYSTEM_DATABASES


def test_every_workload_of_a_bench_comes_to_its_end(server):
    run = godwit("bench", "--url", server.database(""), "--scale", "0.02")
    assert run.returncode == 0 and run.stderr == "" and "create a database" in run.stdout, run.stdout + run.stderr
    assert server.json("GET", "/_all_dbs") == SYSTEM_DATABASES


def closed_pipe():
    """The write end of a pipe without a reader."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.parametrize("stream, command", [
    *(("stdout", command) for command in ["--help", "doctor", "replicate", "backup", "restore", "serve"]),
    *(("stderr", command) for command in ["--help", "doctor", "replicate", "none"])])
def test_every_command_survives_a_closed_pipe(tmp_path, stream, command, server):
    server.json("PUT", "/db")
    server.json("PUT", "/db/a", json={})
    assert godwit("replicate", server.database("db"), f"{tmp_path}/here/db", "--create-target").returncode == 0
    assert godwit("backup", f"{tmp_path}/here/db", f"{tmp_path}/copy").returncode == 0
    arguments = {
        "--help": [], "doctor": [f"{tmp_path}/here"],
        "replicate": [server.database("db"), f"{tmp_path}/there/db", "--create-target"],
        "backup": [f"{tmp_path}/here/db", f"{tmp_path}/other"], "restore": [f"{tmp_path}/copy", f"{tmp_path}/here/e"],
        "serve": ["--data", f"{tmp_path}/served", "--port", "0", "--admin", "a:a strong pass phrase"],
        "none": []}[command]
    writer = closed_pipe()
    other = {"stdout": "stderr", "stderr": "stdout"}[stream]
    run = subprocess.run(
        [GODWIT, command, *arguments], timeout=60, text=True, **{stream: writer, other: subprocess.PIPE})
    os.close(writer)
    if stream == "stdout":
        assert (run.returncode, run.stderr) == (1, "")
    else:
        # Standard error has only messages of failures: the exit code is unchanged.
        assert run.returncode == (2 if command == "none" else 0)


def test_output_that_cannot_be_kept_is_a_failure(tmp_path):
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = subprocess.run([GODWIT, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert run.returncode == 1 and "No space left" in run.stderr


@pytest.mark.parametrize("flags, complaint", [
    (["--data", "/proc/godwit"], "/proc/godwit cannot be created. Check that the parent directory exists"),
    (["--bind", "192.0.2.1"], "cannot be used to listen: Cannot assign requested address."),
])
def test_a_server_that_cannot_start_says_why(tmp_path, flags, complaint):
    run = godwit("serve", *(["--data", str(tmp_path)] if "--data" not in flags else []), "--admin", "a:b", *flags)
    assert run.returncode == 1 and complaint in run.stderr and len(run.stderr.splitlines()) == 1, run.stderr


def test_commands_that_fail_leave_no_directories(tmp_path):
    (tmp_path / "file.jsonl").write_text('{"_id": "a"}\n')
    for arguments in (
            ["backup", "none/db", "copy"], ["export", "none/db", "copy.jsonl"], ["import", "file.jsonl", "none/db"],
            ["replicate", "none/db", "out/db", "--create-target"], ["replicate", "none/db", "none/other"]):
        run = godwit(*arguments, cwd=tmp_path)
        assert run.returncode == 1 and "the database none/db does not exist" in run.stderr, run.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["file.jsonl"]


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


@pytest.mark.parametrize("program, command", [("godwit", "serve"), ("location-tracker", "demo"), ("location-tracker", "serve")])
def test_a_server_whose_port_is_taken_leaves_no_new_directory_and_an_old_one_as_it_was(tmp_path, program, command):
    path = pathlib.Path(GODWIT).with_name(program)
    old = tmp_path / "old"
    (old / "server" if command == "demo" else old).mkdir(parents=True)
    (old / "mine").write_text("kept")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for data in ("new/er", "old"):
            run = subprocess.run(
                [path, command, "--data", data, "--port", port], capture_output=True, text=True, cwd=tmp_path, timeout=60)
            assert run.returncode == 1 and f"port {port} is in use. Choose another with --port" in run.stderr, run.stderr
            assert len(run.stderr.splitlines()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["old"] and (old / "mine").read_text() == "kept"
    if program == "godwit" and command == "serve":
        run = godwit("serve", "--data", "new", "--bind", "192.0.2.1", cwd=tmp_path)
        assert run.returncode == 1 and "192.0.2.1:5984 cannot be used to listen" in run.stderr, run.stderr
        assert not (tmp_path / "new").exists()


def test_a_server_starts_again_on_a_port_whose_connections_are_still_ending(tmp_path):
    port = free_port()
    for data in ("a", "b"):
        process = subprocess.Popen(
            [GODWIT, "serve", "--data", str(tmp_path / data), "--port", port, "--admin", "a:b"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert "listening" in process.stdout.readline(), process.stderr.read()
        with socket.create_connection(("127.0.0.1", int(port))) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            while client.recv(65_536):
                pass
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == 0


def on_a_terminal(*arguments, cwd):
    """Runs the command on a terminal; returns its output there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([GODWIT, *arguments], stdout=theirs, stderr=theirs, cwd=cwd)
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 65_536)
        except OSError:
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    assert process.wait(60) == 0, written
    return written.decode()


def test_progress_is_shown_on_a_terminal_with_its_unit_and_ends_at_the_whole(tmp_path):
    (tmp_path / "file.jsonl").write_text("".join(f'{{"_id": "d{n}", "text": "{"x" * 200}"}}\n' for n in range(20_000)))
    bytes_in_all = f"{(tmp_path / 'file.jsonl').stat().st_size // 100_000 / 10:.1f}"
    shown = on_a_terminal("import", "file.jsonl", "a/db", "--create-target", cwd=tmp_path)
    assert f"\x1b[K{bytes_in_all} of {bytes_in_all} MB" in shown and "Imported 20000 new documents" in shown
    shown = on_a_terminal("backup", "a/db", "copy", cwd=tmp_path)
    whole = r"\x1b\[K(\d+\.\d) of \1 MB(?![^\r]*left)[^\r]*\r\n"
    assert re.search(whole + "Backed up 20000 documents", shown), shown
    shown = on_a_terminal("restore", "copy", "r/db", cwd=tmp_path)
    assert re.search(whole + "Restored 20000 documents", shown), shown
    (tmp_path / "key").write_text("11" * 32)
    (tmp_path / "key").chmod(0o600)
    for arguments, end in [
            (["encrypt", "r"], "Encrypted: r"), (["encrypt", "copy"], "Encrypted: copy"),
            (["restore", "copy", "s/db"], "Restored 20000 documents"), (["decrypt", "copy"], "Decrypted: copy"),
            (["restore", "copy", "r/again"], "Restored 20000 documents")]:
        shown = on_a_terminal(*arguments, "--encryption-key-file", "key", cwd=tmp_path)
        assert re.search(whole + end, shown), shown
    shown = on_a_terminal("replicate", "a/db", "b/db", "--create-target", cwd=tmp_path)
    assert f"[{'#' * 30}] 20000/20000\r\n" in shown
    # Without a terminal, the commands print only the result.
    for arguments, words in [
            (["backup", "a/db", "other"], "Backed up 20000 documents to other."),
            (["restore", "other", "t/db"], "Restored 20000 documents to t/db.")]:
        run = godwit(*arguments, cwd=tmp_path)
        assert run.stdout == words + "\n" and run.stderr == ""


def test_an_absent_side_of_a_replication_is_named(tmp_path, server):
    (tmp_path / "file.jsonl").write_text('{"_id": "a"}\n')
    assert godwit("import", "file.jsonl", "a/db", "--create-target", cwd=tmp_path).returncode == 0
    for source, target, words in [
            ("none/db", "a/db", "It is the source of the replication: check its name."),
            ("a/db", "none/db", "It is the target: --create-target creates it."),
            (server.database("none"), "a/db", "It is the source of the replication: check its name."),
            ("a/db", server.database("none"), "It is the target: --create-target creates it.")]:
        run = godwit("replicate", source, target, cwd=tmp_path)
        assert run.returncode == 1 and words in run.stderr, run.stderr


def test_a_source_that_fails_or_a_bad_file_leaves_no_target(tmp_path, server):
    (tmp_path / "file.jsonl").write_text('{"_id": "a"}\n')
    for arguments in (
            ["replicate", "http://127.0.0.1:1/db", "b/db", "--create-target"],
            ["replicate", server.database("none"), "b/db", "--create-target"],
            ["import", "none.jsonl", "b/db", "--create-target"], ["restore", "none", "b/db"],
            ["restore", "file.jsonl", "b/db"], ["serve", "--data", "b", "--tiles", "none"],
            ["serve", "--data", "b", "--port", "x"]):
        assert godwit(*arguments, cwd=tmp_path).returncode in (1, 2), arguments
        assert not (tmp_path / "b").exists(), arguments


def test_one_thing_is_told_of_in_the_singular(tmp_path):
    (tmp_path / "file.jsonl").write_text('{"_id": "a", "n": 1}\n')
    told = [godwit(*arguments, cwd=tmp_path).stdout for arguments in (
        ["import", "file.jsonl", "a/db", "--create-target"], ["import", "file.jsonl", "a/db"], ["doctor", "a"],
        ["export", "a/db", "out.geojson"], ["replicate", "a/db", "b/db", "--create-target"], ["backup", "a/db", "copy"])]
    for words in [
            "Imported 1 new document of 1 record", "1 existed already and was not changed", "Checked 1 database and",
            "1 document has no geometry and was left out", "1 of 1 missing revision.", "Backed up 1 document "]:
        assert words in "".join(told), told


def test_an_export_offers_the_formats_that_it_writes(tmp_path):
    formats = godwit("export", "--help").stdout
    assert "(values: jsonl, geojson, csv, gpx)" in " ".join(formats.split()), formats
    run = godwit("export", "a/db", "b", "--format", "kml", cwd=tmp_path)
    assert run.returncode == 2 and "'jsonl', 'geojson', 'csv' or 'gpx'" in run.stderr, run.stderr


def test_a_restore_names_the_database_that_is_there(tmp_path, server):
    (tmp_path / "file.jsonl").write_text('{"_id": "a"}\n')
    for target in ["a/db", server.database("db")]:
        assert godwit("import", "file.jsonl", target, "--create-target", cwd=tmp_path).returncode == 0
    assert godwit("backup", "a/db", "copy", cwd=tmp_path).returncode == 0
    for target, name in [("a/db", "a/db"), (server.database("db"), f"{server.url}/db")]:
        run = godwit("restore", "copy", target, cwd=tmp_path)
        assert run.returncode == 1 and f"the database {name} exists already" in run.stderr, run.stderr


def test_a_message_about_a_long_name_is_short(tmp_path):
    """A message of any length would fill the pipe of a program that reads only the output, and both would wait."""
    file = tmp_path / "app.json"
    file.write_text(json.dumps({"id": "tracker", "x" * 70_000: 1}))
    done = godwit("serve", "--application", str(file), "--data", str(tmp_path / "data"), "--port", "0")
    assert done.returncode == 1 and "unknown member" in done.stderr and len(done.stderr) < 5_000
