"""The programs of README and of the pages of docs equal those that are built, and print what the pages show."""

import pathlib
import re
import subprocess

from conftest import GODWIT, ROOT


def check(page, example, directory, *arguments):
    """Compares a page's program with the built one, and runs it."""
    text = (ROOT / page).read_text()
    program = (ROOT / f"Examples/{example}/main.swift").read_text()
    shown = re.search(r"```swift\n(import Godwit.*?)```", text, re.DOTALL)[1]
    assert shown.strip() == program[program.index("import Godwit"):].strip()
    output = re.search(r"prints\n\n```\n(.*?)```", text, re.DOTALL)[1]
    binary = pathlib.Path(GODWIT).with_name(example)
    run = subprocess.run([binary, *arguments], cwd=directory, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and run.stdout == output, run.stderr


def test_first_steps(tmp_path):
    check("README.md", "FirstSteps", tmp_path)


def test_query_steps(tmp_path):
    check("docs/queries.md", "QuerySteps", tmp_path)


def test_place_steps(tmp_path):
    check("docs/geo.md", "PlaceSteps", tmp_path)


def test_view_steps(tmp_path):
    check("docs/views.md", "ViewSteps", tmp_path)


def test_encryption_steps(tmp_path):
    check("docs/encrypt.md", "EncryptionSteps", tmp_path)


def test_key_steps(tmp_path):
    check("docs/keys.md", "KeySteps", tmp_path)


def test_remote_steps(tmp_path, server):
    check("docs/remote.md", "RemoteSteps", tmp_path, server.url)


def test_access_steps(tmp_path, server):
    server.json("PUT", "/_apps/com.example.trips", json={"database": {"prefix": "trip_user_"}})
    check("docs/sessions.md", "AccessSteps", tmp_path, server.url)


def test_replication_steps(tmp_path, server):
    check("docs/replicate.md", "ReplicationSteps", tmp_path, server.url)


def test_the_pages_own_server_is_the_one_that_is_built():
    """Every snippet of docs/build-an-app.md is in the sources of the Location Tracker or of the package outside."""
    sources = "".join(
        file.read_text() for folder in ("Examples/LocationTracker", "Tests/Outside") for file in (ROOT / folder).rglob("*.swift"))
    snippets = re.findall(r"```swift\n(.*?)```", (ROOT / "docs/build-an-app.md").read_text(), re.DOTALL)
    assert len(snippets) > 4
    for snippet in snippets:
        assert snippet in sources, snippet


def test_links_of_the_documentation_lead_to_a_page_and_a_heading():
    def anchors(page):
        headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

    wrong = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("Benchmarks/*.md")]:
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            path, _, anchor = link.partition("#")
            there = page.parent / path if path else page
            if not re.match(r"\w+:", link) and (not there.exists() or anchor and anchor not in anchors(there)):
                wrong.append(f"{page.name}: {link}")
    assert not wrong, wrong
