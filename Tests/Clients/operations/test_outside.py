"""Programs of a separate package that depends on Godwit (issue 23): `Tests/Outside`, which `./test` builds."""

import json
import os
import pathlib
import subprocess

import pytest

from conftest import ROOT, Server

PROGRAMS = pathlib.Path(os.environ.get("GODWIT_OUTSIDE", ROOT / ".build/debug"))


def program(name):
    path = PROGRAMS / name
    if not path.exists():
        pytest.skip(f"Scripts/package.sh Tests/Outside build")
    return path


def test_a_program_of_the_library(server, tmp_path):
    notes = subprocess.run(
        [program("Notes"), tmp_path / "notes", server.database("notes")], capture_output=True, text=True, timeout=60)
    assert notes.returncode == 0, notes.stderr
    found, pushed = notes.stdout.splitlines()
    assert json.loads(found.removeprefix("found ")) == {"type": "note", "text": "buy milk", "stars": 3}
    # The note, and the design document of its index.
    assert pushed == "pushed 2"
    note, = (row["id"] for row in server.json("GET", "/notes/_all_docs")["rows"] if not row["id"].startswith("_"))
    assert server.request("GET", f"/notes/{note}/list.txt").text == "milk, bread"


def test_a_server_with_a_route_of_its_own(tmp_path):
    # A program with one command has no subcommand `serve`.
    wrapper = tmp_path / "guestbook"
    wrapper.write_text(f'#!/bin/sh\nshift\nexec {program("Guestbook")} "$@"\n')
    wrapper.chmod(0o700)
    server = Server(tmp_path / "data", program=wrapper)
    signed = server.json("POST", "/guestbook/ana")["signed"]
    assert server.json("GET", f"/signatures/{signed}")["guest"] == "ana"
    assert server.request("PUT", "/guestbook").status_code == 400
    server.stop()
    server.start()
    assert server.json("GET", "/signatures")["doc_count"] == 1
    server.stop()


@pytest.mark.parametrize("page, source", [("library", "Notes/main"), ("build-an-app", "Guestbook/Guestbook")])
def test_the_pages_show_these_programs(page, source):
    code = (ROOT / f"Tests/Outside/{source}.swift").read_text()
    assert code[code.index("import "):].rstrip() in (ROOT / f"docs/{page}.md").read_text()
