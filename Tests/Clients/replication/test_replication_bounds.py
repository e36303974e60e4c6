"""Limits of replications per owner and in total (issue 21, numbers 2 and 3)."""

import socket
import threading
import time

import pytest

from conftest import Server, eventually
from accounts import ask, configure, make_user


@pytest.fixture
def site(tmp_path):
    site = Server(tmp_path / "data")
    configure(site, "chttpd_auth/iterations", "1000")
    make_user(site, "rob")
    for name in ("robs", "robs-too", "admins", "admins-too"):
        site.json("PUT", f"/{name}")
    for name in ("robs", "robs-too"):
        site.json("PUT", f"/{name}/_security", json={"admins": {"names": ["rob"]}, "members": {"names": ["rob"]}})
    yield site
    site.stop()


def begin(site, number):
    return ask(site, "POST", "/_replicate", "rob", json={
        "source": "robs", "target": "robs-too", "continuous": True, "doc_ids": [f"d{number}"]})


def test_number_3_an_administrators_job_does_not_wait_for_a_users_turns(site):
    configure(site, "replicator/max_jobs", "5")
    for number in range(30):
        assert begin(site, number).status_code == 202
    states = lambda: [job["history"][0]["type"] for job in site.json("GET", "/_scheduler/jobs")["jobs"]]
    eventually(lambda: states().count("started") == 5)
    site.json("PUT", "/admins/one", json={})
    site.json("POST", "/_replicate", json={"source": "admins", "target": "admins-too", "continuous": True})
    # The others' time slice is 60 s.
    eventually(lambda: site.request("GET", "/admins-too/one").ok)


def test_number_3_jobs_of_one_owner(site):
    configure(site, "replicator/max_jobs_per_owner", "3")
    answers = [begin(site, number) for number in range(4)]
    assert [answer.status_code for answer in answers] == [202, 202, 202, 429]
    assert "replicator/max_jobs_per_owner" in answers[3].json()["reason"]
    document = {"source": "robs", "target": "robs-too", "owner": "rob", "continuous": True}
    site.json("PUT", "/_replicator/fourth", json=document)
    eventually(lambda: site.json("GET", "/_replicator/fourth").get("_replication_state") == "failed")
    assert "max_jobs_per_owner" in site.json("GET", "/_replicator/fourth")["_replication_state_reason"]
    ended = {"source": "robs", "target": "robs-too", "continuous": True, "doc_ids": ["d0"], "cancel": True}
    assert ask(site, "POST", "/_replicate", "rob", json=ended).ok
    assert begin(site, 5).status_code == 202


@pytest.fixture
def silent():
    """A server that accepts requests and does not answer."""
    listener = socket.create_server(("127.0.0.1", 0))
    taken, closed = [], []

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            taken.append(connection)
            threading.Thread(target=watch, args=(connection,), daemon=True).start()

    def watch(connection):
        try:
            while connection.recv(65_536):
                pass
        except OSError:
            pass
        closed.append(connection)

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1], taken, closed
    listener.close()
    for connection in taken:
        connection.close()


def test_number_2_requests_of_one_owner_that_wait(site, silent):
    port, taken, _ = silent
    configure(site, "replicator/allowed_hosts", f"127.0.0.1:{port}")
    job = {"source": f"http://127.0.0.1:{port}/x", "target": "robs"}
    waiting = [threading.Thread(target=lambda: swallow(site, job), daemon=True) for _ in range(10)]
    for thread in waiting:
        thread.start()
    eventually(lambda: len(taken) == 10)
    answer = ask(site, "POST", "/_replicate", "rob", json=job)
    assert answer.status_code == 429 and "continuous" in answer.json()["reason"], answer.text
    assert site.request("POST", "/_replicate", json={"source": "admins", "target": "admins-too"}).ok


def swallow(site, job):
    try:
        ask(site, "POST", "/_replicate", "rob", json=job)
    except OSError:
        pass


def test_number_2_a_replication_ends_with_its_client(site, silent):
    port, taken, closed = silent
    body = b'{"source": "http://127.0.0.1:%d/x", "target": "robs"}' % port
    with socket.create_connection(("127.0.0.1", int(site.port))) as client:
        client.sendall(b"POST /_replicate HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YWRtaW46c2VjcmV0\r\n"
                       b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        eventually(lambda: taken)
    eventually(lambda: len(closed) == len(taken))
    time.sleep(0.5)
    assert len(closed) == len(taken)
    assert site.json("GET", "/_active_tasks") == []


def test_number_2_an_answer_without_an_end(site):
    """A source whose answer to `GET /db` is a gigabyte is no database, and the answer is not read to its end."""
    listener = socket.create_server(("127.0.0.1", 0))
    sent = [0]

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=flood, args=(connection,), daemon=True).start()

    def flood(connection):
        piece = b"0," * 32_768
        try:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n[")
            for _ in range((1 << 30) // len(piece)):
                connection.sendall(piece)
                sent[0] += len(piece)
        except OSError:
            pass
        connection.close()

    threading.Thread(target=serve, daemon=True).start()
    source = f"http://127.0.0.1:{listener.getsockname()[1]}/x"
    answer = site.request("POST", "/_replicate", json={"source": source, "target": "admins"})
    listener.close()
    assert answer.status_code >= 400 and sent[0] < 128 << 20, f"{answer.text} {sent[0]} bytes"
