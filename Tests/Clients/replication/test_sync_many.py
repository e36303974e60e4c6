"""A thousand replications at once."""

import os
import pathlib
import time

import pytest

from bad_network import KB, LONG, MB, WAIT_SECONDS, load
from conftest import eventually

REPLICATIONS = 1_000 if LONG else 300
IDLE_SECONDS = 10 if LONG else 3
REPLICATIONS_BYTES_MAX = 500 * MB


def memory(server):
    """The current and the maximum memory of a server's process, in bytes."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return int(fields["VmRSS"].split()[0]) * KB, int(fields["VmHWM"].split()[0]) * KB


def cpu(server):
    """The CPU time of a server's process in seconds."""
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.timeout(600 if LONG else 120)
def test_a_thousand_at_once(server, other):
    """A server runs a thousand continuous replications, half of them in each direction: all become idle, a write arrives,
    and they use little memory."""
    server.json("PUT", "/_node/_local/_config/replicator/max_jobs", json=str(REPLICATIONS))
    half = REPLICATIONS // 2
    for number in range(10):
        for side in (server, other):
            load(side, f"from{number}", 3)
    begun = time.monotonic()
    jobs = []
    for number in range(half):
        there = other.database(f"from{number % 10}")
        jobs.append({"source": f"from{number % 10}", "target": other.database(f"to{number}")})
        jobs.append({"source": there, "target": f"to{number}"})
    docs = [{"_id": f"job{place}", **job, "create_target": True, "continuous": True} for place, job in enumerate(jobs)]
    for row in server.json("POST", "/_replicator/_bulk_docs", json={"docs": docs}):
        assert row["ok"], row

    def states():
        rows = server.json("GET", "/_scheduler/docs")["docs"]
        return sum(row["state"] == "running" and row["info"].get("docs_written") == 3 for row in rows)
    eventually(lambda: states() == REPLICATIONS, WAIT_SECONDS)
    print(f"{time.monotonic() - begun:.1f} s until {REPLICATIONS} replications are idle")
    time.sleep(1)
    before = cpu(server)
    time.sleep(IDLE_SECONDS)
    share = (cpu(server) - before) / IDLE_SECONDS
    now, peak = memory(server)
    print(f"idle: {share * 100:.1f} % of a core, {now / MB:.0f} MB (at most {peak / MB:.0f} MB)")
    server.json("PUT", "/from0/later", json={})
    other.json("PUT", "/from1/later", json={})
    eventually(lambda: all(other.request("GET", f"/to{n}/later").ok for n in range(0, half, 10)), WAIT_SECONDS)
    eventually(lambda: all(server.request("GET", f"/to{n}/later").ok for n in range(1, half, 10)), WAIT_SECONDS)
    assert memory(server)[1] < REPLICATIONS_BYTES_MAX
