"""A replication has the rights of the user who started it."""

import time

import pytest

from accounts import ask, make_user, site  # noqa: F401


@pytest.fixture(scope="module")
def replicas(site):
    make_user(site, "rob")
    for name, members in (("secrets", ["nobody"]), ("robs", ["rob"])):
        site.json("PUT", f"/{name}")
        security = {"members": {"names": members, "roles": []}, "admins": {"names": [], "roles": []}}
        site.json("PUT", f"/{name}/_security", json=security)
    site.json("PUT", "/secrets/secret", json={"n": 1})
    site.json("PUT", "/robs/mine", json={"n": 1})
    yield site
    site.json("PUT", "/_replicator/_security", json={"members": {"roles": ["_admin"]}})


@pytest.mark.parametrize("source, target", [("secrets", "robs"), ("robs", "secrets"), ("robs", "_users")])
def test_a_replication_reaches_no_further_than_its_owner(replicas, source, target):
    before = [replicas.json("GET", f"/{name}")["doc_count"] for name in ("robs", "secrets", "_users")]
    response = ask(replicas, "POST", "/_replicate", "rob", json={"source": source, "target": target})
    assert response.status_code in (401, 403, 404, 500) or response.json()["history"][0]["docs_written"] == 0
    assert [replicas.json("GET", f"/{name}")["doc_count"] for name in ("robs", "secrets", "_users")] == before


@pytest.mark.parametrize("claim", [
    pytest.param({}, id="no claim"),
    pytest.param({"owner": "admin"}, id="owner"),
    pytest.param({"user_ctx": {"name": "admin", "roles": ["_admin"]}}, id="user_ctx"),
])
def test_a_replication_document_reaches_no_further_than_its_owner(replicas, claim):
    replicas.json("PUT", "/_replicator/_security", json={})
    bait = replicas.json("POST", "/secrets", json={})["id"]
    job = {"source": "secrets", "target": "robs", **claim}
    saved = ask(replicas, "POST", "/_replicator", "rob", json=job)
    for _ in range(10):
        time.sleep(0.1)
        assert replicas.request("GET", f"/robs/{bait}").status_code == 404, "a stranger's document was copied"
    if saved.ok:
        path = f"/_replicator/{saved.json()['id']}"
        replicas.json("DELETE", f"{path}?rev={replicas.json('GET', path)['_rev']}")


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_replication_tells_nothing_of_databases(replicas, side):
    answers = []
    for database in ("secrets", "nowhere", "_users"):
        job = {"source": "robs", "target": "robs", side: database}
        response = ask(replicas, "POST", "/_replicate", "rob", json=job)
        answers.append((response.status_code, response.text.replace(database, "")))
    assert answers[0] == answers[1] == answers[2]


def test_credentials_of_a_replication_are_for_its_owner(replicas):
    replicas.json("PUT", "/_replicator/_security", json={})
    job = {"_replication_state": "completed", "target": "robs"}
    sources = {"in-url": "http://u:pass-word@127.0.0.1:1/x", "in-auth": {
        "url": "http://127.0.0.1:1/x", "auth": {"basic": {"username": "u", "password": "pass-word"}}}}
    for name, source in sources.items():
        revision = replicas.json("PUT", f"/_replicator/{name}", json={**job, "source": source})["rev"]
        for path in (name, f"{name}?open_revs=all", f"{name}?rev={revision}"):
            response = ask(replicas, "GET", f"/_replicator/{path}", "rob", headers={"Accept": "application/json"})
            assert "pass-word" not in response.text
        got = ask(replicas, "POST", "/_replicator/_bulk_get", "rob", json={"docs": [{"id": name}]})
        assert "pass-word" not in got.text
        assert "pass-word" in replicas.request("GET", f"/_replicator/{name}").text
        replicas.json("DELETE", f"/_replicator/{name}?rev={replicas.json('GET', f'/_replicator/{name}')['_rev']}")


def test_issue_21_number_8_a_job_of_another_owner_is_not_deleted(replicas):
    """Number 8: a tombstone with the right revision does not end the replication of another owner."""
    replicas.json("PUT", "/_replicator/_security", json={})
    job = {"_replication_state": "completed", "source": "robs", "target": "robs"}
    revision = replicas.json("PUT", "/_replicator/theirs", json=job)["rev"]
    tombstone = {"_id": "theirs", "_rev": revision, "_deleted": True}
    refusal = {"error": "forbidden", "reason": "Can't update replication documents from other users."}
    for method, path, body in (
            ("PUT", "/_replicator/theirs", tombstone), ("POST", "/_replicator", tombstone),
            ("PUT", "/_replicator/theirs", {**tombstone, "owner": "rob"}),
            ("DELETE", f"/_replicator/theirs?rev={revision}", None)):
        response = ask(replicas, method, path, "rob", json=body)
        assert response.status_code in (403, 404), response.text
        assert response.status_code == 404 or response.json() == refusal
    rows = ask(replicas, "POST", "/_replicator/_bulk_docs", "rob", json={"docs": [tombstone]}).json()
    assert [row["error"] for row in rows] == ["forbidden"]
    assert replicas.json("GET", "/_replicator/theirs")["_rev"] == revision
    own = ask(replicas, "PUT", "/_replicator/robs-own", "rob", json=job).json()["rev"]
    assert ask(replicas, "DELETE", f"/_replicator/robs-own?rev={own}", "rob").ok
    replicas.json("DELETE", f"/_replicator/theirs?rev={revision}")


def test_a_replication_of_ones_own(replicas):
    replicas.json("PUT", "/robs-too")
    replicas.json("PUT", "/robs-too/_security", json={"admins": {"names": ["rob"]}})
    answer = ask(replicas, "POST", "/_replicate", "rob", json={"source": "robs", "target": "robs-too"})
    assert answer.ok, answer.text
    assert answer.json()["history"][0]["docs_written"] >= 1
    assert ask(replicas, "POST", "/_replicate", json={"source": "robs", "target": "x"}).status_code == 401
