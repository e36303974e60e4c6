"""Background work that was running when the server ended several times, and the last words of a server."""

import signal

import pytest
import requests

from conftest import Server, eventually, godwit

# A trace of all threads takes longer than these tests.
QUICK = {"SWIFT_BACKTRACE": "enable=no"}


def crash(server):
    """Ends the server by the signal of a fault. Returns what it wrote to standard error."""
    server.process.send_signal(signal.SIGILL)
    _, complaints = server.process.communicate(timeout=60)
    assert server.process.returncode == -signal.SIGILL
    return complaints


def start_again(server):
    server.start()
    return server


def held(server):
    return server.json("GET", "/_godwit/work")["held"]


@pytest.fixture
def replicating(tmp_path):
    """A server with a continuous replication that is running."""
    server = Server(tmp_path / "data", arguments=["--log-file", str(tmp_path / "log")], environment=QUICK)
    server.log = tmp_path / "log"
    server.json("PUT", "/a")
    server.json("PUT", "/_replicator/copy", json={
        "source": server.database("a"), "target": server.database("b"), "create_target": True, "continuous": True})
    eventually(lambda: job(server)["state"] == "running")
    yield server
    if server.process.poll() is None:
        server.stop()


def job(server):
    answer = server.request("GET", "/_scheduler/docs/_replicator/copy")
    return answer.json() if answer.ok else {"state": None}


def test_a_job_that_ran_at_two_faults_is_held_until_an_administrator_starts_it(replicating):
    server = replicating
    crash(server)
    start_again(server)
    eventually(lambda: job(server)["state"] == "running")
    crash(server)
    start_again(server)
    state = eventually(lambda: job(server)["state"] == "crashing" and job(server))
    assert "held" in state["info"]["error"]
    [work] = held(server)
    assert work["work"].startswith("replication copy") and work["ends"] == 2
    log = server.log.read_text()
    assert "the server was ended by a fault" in log and "SIGILL" in log and "background work is held" in log
    assert log.count("replication copy") >= 2
    # Other work runs, and the held job does not begin by itself at the next start.
    assert server.json("POST", "/_replicate", json={"source": "a", "target": "c", "create_target": True})["ok"]
    server.stop()
    doctor = godwit("doctor", server.data)
    assert "held: the replication copy" in doctor.stdout and doctor.returncode == 0, doctor.stdout + doctor.stderr
    start_again(server)
    [work] = held(server)
    assert requests.post(server.url + "/_godwit/work", json={"start": work["id"]}, timeout=30).status_code == 401
    assert server.request("POST", "/_godwit/work", json={"start": "x"}).status_code == 404
    assert server.request("POST", "/_godwit/work", json={"begin": 1}).status_code == 400
    server.json("POST", "/_godwit/work", json={"start": work["id"]})
    eventually(lambda: job(server)["state"] == "running")
    assert held(server) == []


def test_a_changed_document_is_another_job(replicating):
    server = replicating
    for _ in range(2):
        crash(server)
        start_again(server)
        eventually(lambda: job(server)["state"] in ("running", "crashing"))
    eventually(lambda: job(server)["state"] == "crashing")
    document = server.json("GET", "/_replicator/copy")
    server.json("PUT", "/_replicator/copy", json={**document, "comment": "mended"})
    eventually(lambda: job(server)["state"] == "running")


def test_kills_from_outside_hold_a_job_only_after_many(replicating):
    server = replicating
    for _ in range(3):
        server.kill()
        start_again(server)
        eventually(lambda: job(server)["state"] == "running")
    assert held(server) == []


def test_a_safe_start_runs_no_background_work(replicating):
    server = replicating
    server.json("PUT", "/a/_design/d", json={"views": {"v": {"map": "function (doc) { emit(doc._id) }"}}})
    server.json("PUT", "/a/x", json={"n": 1})
    server.stop()
    server.arguments.append("--safe")
    start_again(server)
    work = server.json("GET", "/_godwit/work")
    assert work["safe"] and work["held"] == []
    assert server.request("GET", "/_scheduler/docs").json()["docs"] == []
    answer = server.request("GET", "/a/_design/d/_view/v")
    assert answer.status_code == 503 and "--safe" in answer.json()["reason"]
    # What ends the server can be removed.
    document = server.json("GET", "/_replicator/copy")
    server.json("DELETE", f"/_replicator/copy?rev={document['_rev']}")
    server.json("PUT", "/a/y", json={"n": 1})
    server.stop()
    server.arguments.remove("--safe")
    start_again(server)
    assert server.json("GET", "/a/_design/d/_view/v")["total_rows"] == 2


def test_a_build_that_ran_at_two_faults_is_held(tmp_path):
    server = Server(tmp_path / "data", environment=QUICK)
    server.json("PUT", "/a")
    server.json("POST", "/a/_bulk_docs", json={"docs": [{"n": n} for n in range(200)]})
    server.json("PUT", "/_node/_local/_config/couchdb/os_process_timeout", data='"60000"')
    slow = "function (doc) { var end = Date.now() + 500; while (Date.now() < end) {} emit(doc.n) }"
    server.json("PUT", "/a/_design/d", json={"views": {"v": {"map": slow}}})

    def begin():
        try:
            server.request("GET", "/a/_design/d/_view/v", params={"stale": "update_after"})
        except requests.ConnectionError:
            pass
        eventually(lambda: [task for task in server.json("GET", "/_active_tasks") if task["type"] == "indexer"])

    for _ in range(2):
        begin()
        crash(server)
        start_again(server)
    [work] = held(server)
    assert work["work"].startswith("index a ")
    answer = server.request("GET", "/a/_design/d/_view/v")
    assert answer.status_code == 503 and "held" in answer.json()["reason"]
    server.json("POST", "/_godwit/work", json={"start": work["id"]})
    begin()
    server.kill()


def test_the_journal_of_an_encrypted_directory_has_no_names(tmp_path):
    key = tmp_path / "key"
    key.write_text("a1" * 32 + "\n")
    key.chmod(0o600)
    server = Server(tmp_path / "data", arguments=["--encryption-key-file", str(key)])
    server.json("PUT", "/a")
    server.json("PUT", "/_replicator/hidden-name", json={
        "source": server.database("a"), "target": server.database("b"), "create_target": True, "continuous": True})
    eventually(lambda: server.request("GET", "/_scheduler/docs/_replicator/hidden-name").json().get("state") == "running")
    journal = (tmp_path / "data/background-work").read_bytes()
    assert b"replication" in journal and b"hidden-name" not in journal
    server.stop()
