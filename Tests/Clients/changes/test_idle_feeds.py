"""Many waiting feeds: their costs, and the time until they wake."""

import contextlib
import selectors
import time

import pytest

from loads import KB, LONG, many_files, resident, serves_others
from raw import Answer, connect, request

IDLE_FEEDS = 10_000 if LONG else 1_000
IDLE_FEED_BYTES_MAX = 100 * KB
WOKEN_SECONDS_MAX = 5 * (IDLE_FEEDS / 1_000)


@pytest.mark.timeout(600 if LONG else 120)
def test_idle_feeds_cost_little_and_wake_together(server):
    """Each idle continuous feed costs less than `IDLE_FEED_BYTES_MAX`; one write reaches all of them in seconds."""
    server.json("PUT", "/db")
    text = request("GET", "/db/_changes?feed=continuous&since=now&heartbeat=600000")
    # The first feeds pay the costs that occur once.
    with contextlib.ExitStack() as stack:
        def feed():
            connection = stack.enter_context(connect(server))
            connection.sendall(text)
            answer = Answer(stack.enter_context(connection.makefile("rb", buffering=0)), with_body=False)
            assert answer.status == 200
            return connection

        for _ in range(20):
            feed()
        before = resident(server)
        feeds = [feed() for _ in range(IDLE_FEEDS)]
        each = (resident(server) - before) / IDLE_FEEDS
        print(f"{each / KB:.0f} KB for an idle feed")
        assert each < IDLE_FEED_BYTES_MAX, f"{each / KB:.0f} KB each"
        selector = selectors.DefaultSelector()
        for connection in feeds:
            selector.register(connection, selectors.EVENT_READ, bytearray())
        begun = time.monotonic()
        server.json("PUT", "/db/x", json={})
        waiting = IDLE_FEEDS
        while waiting and time.monotonic() - begun < WOKEN_SECONDS_MAX:
            for key, _ in selector.select(0.2):
                key.data.extend(key.fileobj.recv(4096))
                if b'"id":"x"' in key.data and key.data.endswith(b"}\n\r\n"):
                    selector.unregister(key.fileobj)
                    waiting -= 1
        selector.close()
        assert waiting == 0, f"{waiting} of {IDLE_FEEDS} were not told"
    serves_others(server, 3)
