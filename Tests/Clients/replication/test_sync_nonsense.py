"""Replications with peers that answer nonsense for a while."""

import subprocess
import time

import pytest

from bad_network import LONG, NONSENSE, WAIT_SECONDS, Proxy, Run, assert_equal, contents, load
from conftest import GODWIT, eventually
from replicas import replicate

NONSENSE_SECONDS = 10 if LONG else 0.5


@pytest.mark.timeout(600 if LONG else 120)
@pytest.mark.parametrize("nonsense", [name for name in NONSENSE if LONG or name != "silent"])
def test_nonsense_for_a_while(server, other, nonsense):
    """While a proxy answers nonsense in place of both peers, a continuous replication waits and loses nothing; a run that
    is started meanwhile ends with an error."""
    load(server, "a", 400)
    with Proxy(server) as source, Proxy(other) as target:
        with Run(source.database("a"), target.database("b")) as run:
            run.wait_until_idle()
            for proxy in (source, target):
                proxy.say(NONSENSE[nonsense])
            load(server, "a", 400, start=400)
            if nonsense != "silent":
                failed = subprocess.run(
                    [GODWIT, "replicate", source.database("a"), target.database("b")], capture_output=True, text=True,
                    timeout=60)
                assert failed.returncode == 1 and failed.stderr.strip() and "secret" not in failed.stderr
            time.sleep(NONSENSE_SECONDS)
            # First the source alone works again: documents must not be written to a peer that answers nonsense.
            source.say(None)
            time.sleep(NONSENSE_SECONDS)
            assert run.process.poll() is None
            target.say(None)
            eventually(lambda: other.json("GET", "/b")["doc_count"] == 800, WAIT_SECONDS)
            run.stop()
        assert_equal(contents(other, "b"), contents(server, "a"))
        again = replicate(source.database("a"), target.database("b"))
        assert again["ok"] and again["docs_written"] == 0
