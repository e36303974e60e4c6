"""Answers to the requests of Tests/Compare beside those of a real CouchDB 3.5, which are kept there (issue 22)."""

import os
import pathlib
import re
import sys

import pytest

from conftest import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/Compare"))
import compare  # noqa: E402
from normal import differences  # noqa: E402
from scenario import alternatives, scenarios  # noqa: E402

SCENARIOS = scenarios()
# Routes that CouchDB has not: those of Godwit, of its modules and of search and places, which a CouchDB has by plugins.
OWN = re.compile(r"/_(apps|godwit|map|tiles|api|search)|/_godwit/|_geo|_search|_utils|location|tracker|\\*")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("compare") / "data")
    yield server
    server.stop()


@pytest.mark.parametrize("name", SCENARIOS)
def test_answers_are_those_of_couchdb(server, name):
    found = compare.found_differences(server.url.replace("://", "://admin:secret@"), name, SCENARIOS[name])
    rest = compare.unexplained(found, name)
    allowed = compare.open_differences().get(name, 0)
    shown = "\n".join(f"{title}: {path}: CouchDB {theirs}, here {ours}" for title, path, theirs, ours in rest[:50])
    assert len(rest) <= allowed, f"{len(rest)} places differ, {allowed} did when open.txt was written:\n{shown[:20_000]}"


def test_each_line_of_differences_has_its_row():
    rows = set(re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "docs/compatibility.md").read_text(), re.MULTILINE))
    assert {line.row for line in compare.expected_differences()} == rows


def test_there_are_many_requests():
    assert sum(map(len, SCENARIOS.values())) >= 1500


def test_alternatives_are_every_choice():
    assert alternatives("/a?<x|y>=<1|2>") == ["/a?x=1", "/a?x=2", "/a?y=1", "/a?y=2"]


@pytest.mark.skipif(not os.environ.get("COUCHDB_URL"), reason="takes a CouchDB: COUCHDB_URL=http://admin:secret@host:port")
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_couchdb_answers_as_it_did(name):
    kept, answers = compare.kept_answers(name), compare.Runner(os.environ["COUCHDB_URL"], name).run(SCENARIOS[name])
    found = [(title, *each) for (title, theirs), now in zip(kept, answers) for each in differences(theirs, now)]
    assert not found, found[:20]
