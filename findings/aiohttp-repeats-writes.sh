#!/usr/bin/env bash
# aiohttp: a client sees a conflict with its own write.
#
# If the connection ends before the answer to a PUT or DELETE has come, and it was used before, aiohttp sends the request again
# on a new connection, once and without a setting or a log line. HTTP allows this, because both methods are idempotent by
# definition. A PUT of a document is not: the first request may have been carried out, so the second one is a conflict (409). The
# program sees only the 409, and a conflict seems to mean another writer. A POST is not repeated and raises
# ServerDisconnectedError, so only it tells the program that the outcome is unknown. A client of a store with revisions should
# read the document after a 409 of its own PUT before it treats it as another's write.
#
# Seen with aiohttp 3.14.5 (PyPI) and Python 3.11 in November 2026, each with one call of the program:
#   PUT:    2 requests reached the server, the program got 409
#   DELETE: 2 requests reached the server, the program got 409
#   POST:   1 request reached the server, ServerDisconnectedError
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check aiohttp==3.14.5
"$folder/venv/bin/python" - <<'PY'
import asyncio
import sys

import aiohttp

writes = []


async def answer(reader, writer):
    """Answers requests. Carries out the first write, and closes the connection without an answer to it."""
    while head := await reader.readuntil(b"\r\n\r\n"):
        lengths = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
        await reader.readexactly(sum(lengths))
        if head.startswith(b"GET"):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            continue
        writes.append(head)
        if len(writes) == 1:
            return writer.close()
        writer.write(b"HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\n{}")


async def connected(reader, writer):
    try:
        await answer(reader, writer)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main():
    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    url = "http://127.0.0.1:%d/db/document" % server.sockets[0].getsockname()[1]
    seen = {}
    for method in ["PUT", "DELETE", "POST"]:
        writes.clear()
        async with aiohttp.ClientSession() as session:
            async with session.get(url) as response:
                await response.read()
            try:
                async with session.request(method, url, json={"n": 1}) as response:
                    outcome = response.status
            except aiohttp.ServerDisconnectedError:
                outcome = "disconnected"
        seen[method] = (len(writes), outcome)
        print(f"{method}: {len(writes)} requests, {outcome}")
    server.close()
    sys.exit(0 if seen == {"PUT": (2, 409), "DELETE": (2, 409), "POST": (1, "disconnected")} else 1)


asyncio.run(main())
PY
