"""Replications that the server runs: `_replicate`, and the documents of `_replicator`."""

import time

import pytest

from conftest import Server, eventually
from hostile import Process, settle


def fill(server, name, count):
    server.json("PUT", f"/{name}")
    server.json("POST", f"/{name}/_bulk_docs", json={"docs": [{"_id": f"d{n}", "n": n} for n in range(count)]})


def state(server, document):
    def read():
        answer = server.request("GET", f"/_scheduler/docs/_replicator/{document}")
        return answer.json().get("state") if answer.ok else None
    return read


def test_once(server, other):
    fill(server, "a", 30)
    answer = server.json("POST", "/_replicate", json={"source": "a", "target": "b", "create_target": True})
    assert answer["ok"] and answer["history"][0]["docs_written"] == 30
    again = server.json("POST", "/_replicate", json={"source": "a", "target": "b"})
    assert again["no_changes"] and again["history"] == answer["history"], "a run without changes is none"
    far = {"url": other.url + "/c", "auth": {"basic": {"username": "admin", "password": "secret"}}}
    assert server.json("POST", "/_replicate", json={"source": "b", "target": far, "create_target": True})["ok"]
    assert other.json("GET", "/c")["doc_count"] == 30
    headers = {"url": other.url + "/c", "headers": {"Authorization": other.session.auth and "Basic YWRtaW46c2VjcmV0"}}
    assert server.json("POST", "/_replicate", json={"source": headers, "target": "d", "create_target": True})["ok"]
    assert server.json("GET", "/d")["doc_count"] == 30


def test_a_document_waits_for_the_same_replication_of_a_request(server):
    fill(server, "a", 2)
    asked = {"source": "a", "target": "b", "create_target": True, "continuous": True}
    job = server.json("POST", "/_replicate", json=asked)["_local_id"]
    server.json("PUT", "/_replicator/r", json=asked)
    assert eventually(lambda: state(server, "r")() == "crashing")
    assert "started by a request" in server.json("GET", "/_scheduler/docs/_replicator/r")["info"]["error"]
    assert "_replication_state" not in server.json("GET", "/_replicator/r")
    tasks = server.json("GET", "/_active_tasks")
    assert all(task[name] for task in tasks for name in ("source_seq", "through_seq", "checkpointed_source_seq"))
    assert server.json("POST", "/_replicate", json={"replication_id": job, "cancel": True})["ok"]
    assert eventually(lambda: state(server, "r")() == "running", 30)
    server.json("DELETE", f"/_replicator/r?rev={server.json('GET', '/_replicator/r')['_rev']}")
    assert eventually(lambda: not server.json("GET", "/_scheduler/jobs")["jobs"])


def test_a_purged_document_ends_its_replication(server):
    fill(server, "a", 1)
    asked = {"source": "a", "target": "b", "create_target": True, "continuous": True}
    server.json("PUT", "/_replicator/r", json=asked)
    assert eventually(lambda: state(server, "r")() == "running")
    revision = server.json("GET", "/_replicator/r")["_rev"]
    server.json("POST", "/_replicator/_purge", json={"r": [revision]})
    assert eventually(lambda: not server.json("GET", "/_scheduler/jobs")["jobs"])
    assert server.request("GET", "/_scheduler/docs/_replicator/r").status_code == 404
    assert settle(Process(server.process.pid), 20), "nothing follows what is not there"


def test_a_run_that_tries_refused_documents_again_is_a_run(server):
    setting = "/_node/_local/_config/couchdb/max_document_size"
    server.json("PUT", "/from")
    server.json("POST", "/from/_bulk_docs", json={"docs": [{"_id": "big", "text": "x" * 2_000}, {"_id": "small"}]})
    server.json("PUT", setting, json="1000")
    asked = {"source": "from", "target": "to", "create_target": True}
    for written in [1, 0]:
        newest = server.json("POST", "/_replicate", json=asked)["history"][0]
        assert (newest["docs_written"], newest["doc_write_failures"]) == (written, 1)
    server.json("DELETE", setting)
    newest = server.json("POST", "/_replicate", json=asked)["history"][0]
    assert (newest["docs_written"], newest["doc_write_failures"]) == (1, 0)
    assert server.json("POST", "/_replicate", json=asked)["no_changes"]


@pytest.mark.parametrize("body,status,error", [
    ({"source": "none", "target": "a"}, 404, "not_found"),
    ({"source": "a"}, 400, "bad_request"),
    ({"source": "a", "target": "http://127.0.0.1:1/x"}, 500, "replication_failed"),
    ({"source": "a", "target": "b", "filter": "d/f"}, 404, "not_found"),
    ({"source": "a", "target": "b", "doc_ids": ["x"], "selector": {}}, 400, "bad_request"),
    ({"source": "a", "target": "b", "doc_ids": "x"}, 400, "bad_request"),
    ({"source": "a", "target": "b", "selector": {"n": {"$what": 1}}}, 400, "bad_request"),
    ({"source": "a", "target": "b", "cancel": True}, 404, "not_found"),
    ({"source": "a", "target": {"url": "http://127.0.0.1:1/x", "headers": {"\u00e9": "1"}}}, 400, "bad_request"),
    ({"source": {"url": "http://127.0.0.1:1/x", "headers": {"": "1"}}, "target": "a"}, 400, "bad_request"),
    ({"source": {"url": "http://127.0.0.1:1/x", "headers": {"a b": "1"}}, "target": "a"}, 400, "bad_request"),
    ({"source": {"url": "http://127.0.0.1:1/x", "headers": {"a": "1\r\nb: 2"}}, "target": "a"}, 400, "bad_request"),
])
def test_refused(server, body, status, error):
    fill(server, "a", 1)
    answer = server.request("POST", "/_replicate", json=body)
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    assert "secret" not in answer.text


def test_a_document_replicates_once(server):
    fill(server, "a", 10)
    server.json("PUT", "/_replicator/r", json={"source": "a", "target": "b", "create_target": True})
    eventually(lambda: state(server, "r")() == "completed")
    document = eventually(lambda: server.json("GET", "/_replicator/r").get("_replication_state") and
                          server.json("GET", "/_replicator/r"))
    assert document["_replication_state"] == "completed" and document["owner"] == "admin"
    assert document["_replication_stats"]["docs_written"] == 10
    assert server.json("GET", "/b")["doc_count"] == 10
    refused = server.request("PUT", "/_replicator/s", json={"source": "a"})
    assert refused.status_code == 403 and "target" in refused.json()["reason"]


def test_continuous_replications_survive_a_restart(server):
    fill(server, "a", 10)
    server.json("PUT", "/_replicator/r",
                json={"source": "a", "target": "b", "create_target": True, "continuous": True})
    eventually(lambda: server.request("GET", "/b").ok and server.json("GET", "/b")["doc_count"] == 10)
    server.json("PUT", "/a/later", json={})
    eventually(lambda: server.request("GET", "/b/later").ok)
    assert state(server, "r")() == "running"
    [job] = server.json("GET", "/_scheduler/jobs")["jobs"]
    assert job["doc_id"] == "r" and job["source"] == "a"
    server.kill()
    server.start()
    server.json("PUT", "/a/after", json={})
    eventually(lambda: server.request("GET", "/b/after").ok)
    revision = server.json("GET", "/_replicator/r")["_rev"]
    server.json("DELETE", f"/_replicator/r?rev={revision}")
    eventually(lambda: not server.json("GET", "/_scheduler/jobs")["jobs"])


def test_it_tries_again(server, tmp_path):
    late = Server(tmp_path / "late")
    late.stop()
    fill(server, "a", 3)
    server.json("PUT", "/_replicator/r", json={
        "source": "a", "target": late.database("a"), "create_target": True})
    eventually(lambda: state(server, "r")() == "crashing")
    told = server.request("GET", "/_scheduler/docs/_replicator/r")
    assert told.json()["error_count"] >= 1 and told.json()["info"]["error"] and "secret" not in told.text
    late.start()
    eventually(lambda: state(server, "r")() == "completed", 30)
    assert late.json("GET", "/a")["doc_count"] == 3
    late.stop()


def test_one_continuous_request(server):
    fill(server, "a", 3)
    asked = {"source": "a", "target": "b", "create_target": True, "continuous": True}
    begun = server.request("POST", "/_replicate", json=asked)
    assert begun.status_code == 202 and begun.json()["_local_id"].endswith("+continuous")
    eventually(lambda: server.request("GET", "/b/d2").ok)
    assert server.json("POST", "/_replicate", json={**asked, "cancel": True})["ok"]
    assert server.json("GET", "/_scheduler/jobs")["jobs"] == []


def test_a_cancelled_replication_goes_on_where_it_was(server, other):
    fill(server, "a", 12_000)
    asked = {"source": "a", "target": other.database("b"), "create_target": True, "continuous": True}
    server.json("POST", "/_replicate", json=asked)
    eventually(lambda: other.request("GET", "/b").json().get("doc_count", 0) >= 7_000)
    server.json("POST", "/_replicate", json={**asked, "cancel": True})
    arrived = other.json("GET", "/b")["doc_count"]
    again = server.json("POST", "/_replicate", json={**asked, "continuous": False})["history"][0]
    # Four pages of a thousand changes are processed at a time.
    assert int(again["start_last_seq"].split("-")[0]) >= arrived - 4_000
    assert other.json("GET", "/b")["doc_count"] == 12_000


@pytest.mark.parametrize("chosen,expected", [
    ({"doc_ids": ["d1", "d3", "none"]}, {"d1", "d3"}),
    ({"selector": {"n": {"$gt": 7}}}, {"d8", "d9"}),
])
@pytest.mark.parametrize("far", [False, True])
def test_a_choice_of_documents(server, chosen, expected, far):
    fill(server, "a", 10)
    source = server.database("a") if far else "a"
    asked = {"source": source, "target": "b", "create_target": True, **chosen}
    assert server.json("POST", "/_replicate", json=asked)["history"][0]["docs_written"] == len(expected)
    assert {row["id"] for row in server.json("GET", "/b/_all_docs")["rows"]} == expected
    assert server.json("POST", "/_replicate", json=asked)["no_changes"]
    rest = {"source": source, "target": "b"}
    assert server.json("POST", "/_replicate", json=rest)["history"][0]["docs_written"] == 10 - len(expected)
    narrower = {"source": source, "target": "b", "doc_ids": ["d1"]}
    again = server.json("POST", "/_replicate", json=narrower)
    assert again.get("no_changes") or again["history"][0]["missing_checked"] == 0, "all was there: nothing is looked at"


def test_winners_alone(server):
    fill(server, "a", 1)
    for letter in "xy":
        server.json("POST", "/a/_bulk_docs", json={"new_edits": False, "docs": [
            {"_id": "c", "_rev": f"1-{letter * 32}".replace("x", "a").replace("y", "b"), "v": letter}]})
    asked = {"source": "a", "target": "b", "create_target": True, "winning_revs_only": True}
    server.json("POST", "/_replicate", json=asked)
    assert "_conflicts" not in server.json("GET", "/b/c?conflicts=true")
    server.json("POST", "/_replicate", json={"source": "a", "target": "b"})
    assert len(server.json("GET", "/b/c?conflicts=true")["_conflicts"]) == 1


def test_a_completed_document_is_told_of_after_a_restart(server):
    fill(server, "a", 4)
    server.json("PUT", "/_replicator/r", json={"source": "a", "target": "b", "create_target": True})
    eventually(lambda: server.json("GET", "/_replicator/r").get("_replication_state") == "completed")
    server.kill()
    server.start()
    eventually(lambda: state(server, "r")() == "completed")
    assert server.json("GET", "/_scheduler/docs/_replicator/r")["info"]["docs_written"] == 4
    assert server.json("GET", "/_scheduler/jobs")["jobs"] == []


def test_a_continuous_source_elsewhere_is_followed_at_once(server, other):
    fill(other, "a", 3)
    server.json("POST", "/_replicate", json={
        "source": other.database("a"), "target": "b", "create_target": True, "continuous": True})
    eventually(lambda: server.request("GET", "/b/d2").ok)
    other.json("PUT", "/a/later", json={})
    eventually(lambda: server.request("GET", "/b/later").ok, 4)
    other.stop()
    def crashing():
        return [job for job in server.json("GET", "/_scheduler/jobs")["jobs"] if job["history"][0]["type"] == "crashed"]
    eventually(crashing)
    other.start()
    other.json("PUT", "/a/after", json={})
    eventually(lambda: server.request("GET", "/b/after").ok, 30)


def test_a_replication_that_fails_is_in_the_log(server, other):
    """Issue 55, 1: with the reason, the first time and then ever more rarely, and without the password."""
    fill(server, "a", 3)
    target = other.url.replace("://", "://admin:wrong-secret@") + "/x"
    server.json("PUT", "/_replicator/r", json={"source": "a", "target": target, "continuous": True})
    eventually(lambda: state(server, "r")() == "crashing")
    lines = [line for line in server.stop().splitlines() if "replication failing" in line]
    assert lines and "attempts=1" in lines[0] and "denied access" in lines[0] and "wrong-secret" not in lines[0], lines


def test_a_replication_without_checkpoints_stores_none(server, other):
    fill(server, "a", 3)
    other.json("PUT", "/b")
    body = {"source": "a", "target": other.database("b"), "use_checkpoints": False}
    for _ in range(2):
        assert server.json("POST", "/_replicate", json=body) == {"ok": True, "use_checkpoints": False}
    assert other.json("GET", "/b")["doc_count"] == 3
    for site, name in ((server, "a"), (other, "b")):
        assert site.json("GET", f"/{name}/_local_docs")["rows"] == []


def test_a_target_is_made_with_its_parameters(server, other):
    server.json("PUT", "/a")
    server.json("PUT", "/a/north:1", json={})
    body = {"source": "a", "target": other.database("parts"), "create_target": True}
    refused = server.request("POST", "/_replicate", json={**body, "create_target_params": "x"})
    assert refused.status_code == 400 and "create_target_params" in refused.json()["reason"]
    here = server.request("POST", "/_replicate", json={**body, "target": "parts", "create_target_params": {"partitioned": True}})
    assert here.status_code == 400 and server.request("GET", "/parts").status_code == 404, "it would not be partitioned"
    assert server.json("POST", "/_replicate", json={**body, "create_target_params": {"partitioned": True, "q": 1}})["ok"]
    assert other.json("GET", "/parts")["props"] == {"partitioned": True}
    assert other.json("GET", "/parts/_partition/north")["doc_count"] == 1
