"""SECURITY.md and docs/security.md say what is so (issue 21)."""

import pathlib
import re

from conftest import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Routes that name no database and ask for nobody's rights at first.
OPEN = ("anyone", "login", "loopback")


def named_paths(text):
    """The paths in a table of SECURITY.md. A piece in braces has any name there."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    words = [word for row in rows for code in re.findall(r"`([^`]+)`", row.split("|")[1]) for word in code.split()]
    return {re.sub(r"\{[^}]*\}", "{}", word) for word in words}


def test_what_answers_without_a_login_is_listed(tmp_path):
    server = Server(tmp_path / "data")
    routes = server.json("GET", "/_godwit/routes")["routes"]
    server.stop()
    assert {route["access"] for route in routes} >= {"anyone", "login", "administrator", "database", "document", "upkeep"}
    section = (ROOT / "SECURITY.md").read_text().partition("## What answers without a login")[2].partition("\n## ")[0]
    named = named_paths(section)
    # `/_apps/{app}/login`, `refresh`, `logout`: the last piece alone is named.
    named |= {f"/_apps/{{}}/{word}" for word in named if "/" not in word}
    prose = re.sub(r"\{[^}]*\}", "{}", section)
    missing = {route["path"] for route in routes if route["access"] in OPEN
               and re.sub(r"\{[^}]*\}", "{}", route["path"]) not in named
               # Those that take a request and answer 401.
               and re.sub(r"\{[^}]*\}", "{}", route["path"]).rsplit("/", 1)[0] not in prose
               and re.sub(r"\{[^}]*\}", "{}", route["path"]) not in prose}
    assert not missing, missing


def test_the_tests_that_the_page_names_are_there():
    page = (ROOT / "docs/security.md").read_text()
    tests = {path.name: path.read_text() for path in (ROOT / "Tests/Clients").glob("test_*.py")}
    named = re.findall(r"(test_\w+\.py)(?:::(test_\w+))?", page)
    assert len(named) > 20
    for file, test in named:
        assert file in tests, file
        assert not test or f"def {test}(" in tests[file], (file, test)
    for test in re.findall(r"`(test_\w+)`", page):
        assert any(f"def {test}(" in text for text in tests.values()), test
