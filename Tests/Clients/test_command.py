"""The command and what it writes to: a reader that goes before the end."""

import os
import subprocess

import pytest

from conftest import GODWIT, SYSTEM_DATABASES, godwit


def run_read_for(lines, *arguments, **options):
    """Runs the command with a reader that takes some lines and goes; gives the exit code and the complaints."""
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
    """The end for writing of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.parametrize("stream, command", [
    *(("stdout", command) for command in ["--help", "doctor", "replicate", "backup", "restore", "serve", "demo"]),
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
        "demo": ["--data", f"{tmp_path}/demo", "--port", "0"], "none": []}[command]
    writer = closed_pipe()
    other = {"stdout": "stderr", "stderr": "stdout"}[stream]
    run = subprocess.run(
        [GODWIT, command, *arguments], timeout=60, text=True, **{stream: writer, other: subprocess.PIPE})
    os.close(writer)
    if stream == "stdout":
        assert (run.returncode, run.stderr) == (1, "")
    else:
        # Nothing is said on standard error but of failures: the exit code stands.
        assert run.returncode == (2 if command == "none" else 0)


def test_output_that_cannot_be_kept_is_a_failure(tmp_path):
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = subprocess.run([GODWIT, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert run.returncode == 1 and "No space left" in run.stderr


@pytest.mark.parametrize("flags, complaint", [
    (["--data", "/proc/godwit"], "/proc/godwit cannot be made. Is the folder above it there"),
    (["--bind", "192.0.2.1"], "cannot be listened on: Cannot assign requested address."),
])
def test_a_server_that_cannot_start_says_why(tmp_path, flags, complaint):
    run = godwit("serve", *(["--data", str(tmp_path)] if "--data" not in flags else []), "--admin", "a:b", *flags)
    assert run.returncode == 1 and complaint in run.stderr and len(run.stderr.splitlines()) == 1, run.stderr
