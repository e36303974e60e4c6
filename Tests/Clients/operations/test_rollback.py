"""A database file that was replaced by an older copy, without `godwit restore`: no client misses what is written after it."""

import pathlib
import shutil

import pytest

from conftest import Server

KEY = "00112233445566778899aabbccddeeff" * 2


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_a_file_that_was_copied_back_begins_a_new_epoch(tmp_path, key):
    environment = {"GODWIT_ENCRYPTION_KEY": key} if key else {}
    data, log = tmp_path / "data", tmp_path / "log"

    def start():
        return Server(data, environment=environment, arguments=("--log-file", str(log)))

    def write(server, *ids):
        for id in ids:
            server.json("PUT", f"/birds/{id}", json={})

    def changed(server, since):
        return {row["id"] for row in server.json("GET", f"/birds/_changes?since={since}")["results"]}

    server = start()
    server.json("PUT", "/birds")
    write(server, "a", "b", "c")
    early = server.json("GET", "/birds/_changes")["last_seq"]
    server.stop()
    files = [path for path in data.rglob("*.godwit") if path.is_file()]
    copies = {file: shutil.copy(file, tmp_path / file.name) for file in files}

    server = start()
    write(server, "lost1", "lost2", "lost3")
    late = server.json("GET", "/birds/_changes")["last_seq"]
    before = server.json("GET", "/birds")["instance_start_time"]
    server.stop()
    [file] = [file for file in files if file.read_bytes() != pathlib.Path(copies[file]).read_bytes()]
    shutil.copy(copies[file], file)

    server = start()
    assert server.json("GET", "/birds")["instance_start_time"] != before
    write(server, "new1", "new2", "new3", "new4")
    # The client that had read the lost changes reads those that have their numbers now.
    assert changed(server, late) == {"new1", "new2", "new3", "new4"}
    assert changed(server, early) == {"new1", "new2", "new3", "new4"}
    sequence = server.json("GET", "/birds/_changes")["last_seq"]
    server.stop()
    assert log.read_text().count("was copied back") == 1

    # Another start changes nothing.
    server = start()
    assert server.json("GET", "/birds/_changes")["last_seq"] == sequence
    assert changed(server, late) == {"new1", "new2", "new3", "new4"}
    server.stop()
    assert log.read_text().count("was copied back") == 1
