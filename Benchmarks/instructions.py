#!/usr/bin/env python3
"""Counts the instructions of two builds of a server for a request of each kind.

    python3 Benchmarks/instructions.py NEW/godwit OLD/godwit [KIND ...]

Both servers run in QEMU's user mode with a plugin that counts (`instructions.c`), so other load on the machine does not
matter. For each kind, rounds of REQUESTS requests alternate between the two builds; the round with the fewest instructions
counts. Needs `qemu-user` and `cc`."""

import base64
import http.client
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_suffix(".c")
DOCUMENTS = 2_000
REQUESTS = 40
TURNS = 3
BASIC = {"Authorization": "Basic " + base64.b64encode(b"admin:secret").decode(), "Content-Type": "application/json"}
DESIGN = {"views": {"by_n": {"map": "function (doc) { emit(doc.n, 1) }", "reduce": "_sum"}}}


class Counted:
    """A server in QEMU, with the documents for the requests."""

    def __init__(self, program, directory, plugin):
        self.directory = pathlib.Path(directory)
        self.count = self.directory / "instructions"
        self.process = subprocess.Popen(
            ["qemu-x86_64", "-plugin", f"{plugin},count={self.count}", program, "serve", "--data", f"{directory}/data",
             "--port", "0", "--admin", "admin:secret"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r":(\d+)$", self.process.stdout.readline().strip())[1])
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        self.headers = BASIC
        self.fill()
        answer, cookie = self.ask("POST", "/_session", {"name": "admin", "password": "secret"})
        self.cookie = {"Cookie": cookie.split(";")[0], "Content-Type": "application/json"}

    def fill(self):
        self.ask("PUT", "/db")
        for start in range(0, DOCUMENTS, 500):
            self.ask("POST", "/db/_bulk_docs", {"docs": [
                {"_id": f"d{n:06}", "n": n, "kind": f"k{n % 50}", "text": "some words to read " * 10}
                for n in range(start, start + 500)]})
        self.ask("POST", "/db/_index", {"index": {"fields": ["kind", "n"]}, "name": "kinds"})
        self.ask("PUT", "/db/_design/d", DESIGN)
        self.ask("GET", "/db/_design/d/_view/by_n?limit=1")

    def ask(self, method, path, body=None):
        self.connection.request(method, path, json.dumps(body) if body is not None else None, self.headers)
        response = self.connection.getresponse()
        content = response.read()
        assert response.status < 300, f"{method} {path}: {response.status} {content[:300]}"
        return content, response.headers.get("Set-Cookie")

    def instructions(self, send):
        """The number of instructions of REQUESTS requests."""
        for n in range(3):
            send(self, n)
        before = self.executed()
        for n in range(REQUESTS):
            send(self, n)
        return (self.executed() - before) / REQUESTS

    def executed(self):
        """The number of instructions until now."""
        return struct.unpack("Q", self.count.read_bytes())[0]

    def stop(self):
        self.process.terminate()
        self.process.wait(120)


serial = 0


def create(server, _):
    global serial
    serial += 1
    server.ask("PUT", f"/db/new{serial:09}", {"n": -1, "kind": "new", "text": "some words to read " * 10})


def create_many(server, _):
    global serial
    serial += 1
    server.ask("POST", "/db/_bulk_docs", {"docs": [
        {"_id": f"many{serial:06}-{n}", "n": -1, "kind": "new", "text": "some words to read"} for n in range(50)]})


def asking(method, path, body=None):
    return lambda server, n: server.ask(method, path.replace("{n}", f"{n:06}"), body)


KINDS = {
    "GET a document": asking("GET", "/db/d{n}"),
    "GET information": asking("GET", "/db"),
    "_all_docs of 50 with documents": asking("GET", '/db/_all_docs?limit=50&include_docs=true&startkey="d{n}"'),
    "_changes of 50": asking("GET", "/db/_changes?limit=50"),
    "_bulk_get of 20": asking("POST", "/db/_bulk_get", {"docs": [{"id": f"d{n:06}"} for n in range(20)]}),
    "_revs_diff of 50": asking("POST", "/db/_revs_diff", {f"d{n:06}": ["1-" + "a" * 32] for n in range(50)}),
    "_find of 25 by an index": asking("POST", "/db/_find", {"selector": {"kind": "k7", "n": {"$gt": 100}}, "limit": 25}),
    "_find that reads all documents": asking("POST", "/db/_find", {"selector": {"text": {"$regex": "nothing$"}}}),
    "view of 25 rows": asking("GET", "/db/_design/d/_view/by_n?reduce=false&limit=25&startkey=100"),
    "view reduced": asking("GET", "/db/_design/d/_view/by_n"),
    "PUT a document": create,
    "_bulk_docs of 50": create_many,
}


def main(new, old, *kinds):
    ratios = {"Basic": [], "cookie": []}
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        plugin = pathlib.Path(first) / "instructions.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", plugin, SOURCE], check=True)
        servers = [Counted(new, first, plugin), Counted(old, second, plugin)]
        print(f"{'instructions a request':34} {'login':7} {'new':>12} {'old':>12}  new/old")
        for name, send in KINDS.items():
            if kinds and name not in kinds:
                continue
            for login in ratios:
                for server in servers:
                    server.headers = BASIC if login == "Basic" else server.cookie
                counts = [[server.instructions(send) for server in servers] for _ in range(TURNS)]
                a, b = (min(turn[side] for turn in counts) for side in (0, 1))
                ratios[login].append(a / b)
                print(f"{name:34} {login:7} {a:12,.0f} {b:12,.0f}  {a / b:.3f}", flush=True)
        for server in servers:
            server.stop()
    for login, values in ratios.items():
        print(f"geometric mean, {login}: {math.exp(sum(map(math.log, values)) / len(values)):.3f}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
