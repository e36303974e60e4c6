"""Measures replications between two servers on this machine: rate, CPU time of all processes, memory.

    swift build -c release --static-swift-stdlib --product godwit
    python3 Benchmarks/replication.py [--documents 100000] [--revisions 1] [--attachments 1000] [--godwit .build/release/godwit]

Documents have 300 bytes. Each row is a replication: a pull runs in the server of the target, a push in that of the source,
the command in a separate process. CPU is that of all processes for one document; memory is the maximum of one of them since
its start.
"""

import argparse
import base64
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time
import urllib.request

ADMIN = "admin:secret"
ATTACHMENT_BYTES = 100_000
DOCUMENTS_IN_A_BATCH = 1_000
MB = 1 << 20


class Server:
    def __init__(self, godwit, directory):
        self.process = subprocess.Popen(
            [godwit, "serve", "--data", directory, "--port", "0", "--admin", ADMIN],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def request(self, method, path, body=None, content_type="application/json"):
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        login = base64.b64encode(ADMIN.encode()).decode()
        asked = urllib.request.Request(
            self.url + path, method=method, data=body,
            headers={"Content-Type": content_type, "Authorization": f"Basic {login}"})
        with urllib.request.urlopen(asked, timeout=900) as answer:
            return json.load(answer)

    def database(self, name):
        return f"{self.url.replace('://', f'://{ADMIN}@')}/{name}"

    def cpu(self):
        """The CPU time of the process in seconds."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        """The maximum memory of the process in bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024


def fill(server, name, count, revisions):
    server.request("PUT", f"/{name}")
    for start in range(0, count, DOCUMENTS_IN_A_BATCH):
        docs = []
        for number in range(start, min(start + DOCUMENTS_IN_A_BATCH, count)):
            document = {"_id": f"{number:08}", "text": "x" * 260, "n": number}
            if revisions > 1:
                hashes = [f"{number + place * 1_000_000_007:032x}" for place in range(revisions)]
                document["_revisions"] = {"start": revisions, "ids": hashes}
            docs.append(document)
        server.request("POST", f"/{name}/_bulk_docs", {"docs": docs, "new_edits": revisions == 1})


def fill_with_attachments(server, name, count):
    """Creates documents with an attachment that compression does not make smaller."""
    server.request("PUT", f"/{name}")
    noise = random.Random(1)
    for number in range(count):
        server.request(
            "PUT", f"/{name}/{number:08}/photo.jpg", noise.randbytes(ATTACHMENT_BYTES), content_type="image/jpeg")


class Bench:
    def __init__(self, godwit, first, second):
        self.godwit, self.first, self.second = godwit, first, second

    def row(self, title, count, replicate, is_done=False):
        """Runs a replication and prints its row."""
        cpu = self.first.cpu() + self.second.cpu()
        begun = time.monotonic()
        own_cpu, own_peak = replicate()
        seconds = time.monotonic() - begun
        cpu = self.first.cpu() + self.second.cpu() - cpu + own_cpu
        peak = max(self.first.peak(), self.second.peak(), own_peak)
        if is_done:
            print(f"{title:<32}{seconds:>7.3f} s{'':>14}{cpu * 1_000:>11.0f} ms CPU in all{peak / MB:>4.0f} MB")
        else:
            print(f"{title:<32}{seconds:>7.2f} s{count / seconds:>7.0f} docs/s{cpu / count * 1_000:>11.4f} ms CPU a document"
                  f"{peak / MB:>4.0f} MB", flush=True)

    def by_server(self, server, source, target, count, is_done=False):
        """Runs a replication in a server."""
        def replicate():
            done = server.request("POST", "/_replicate", {"source": source, "target": target, "create_target": True})
            assert done["history"][0]["docs_written"] == (0 if is_done else count), done
            return 0, 0
        return replicate

    def by_command(self, source, target):
        def replicate():
            run = subprocess.Popen([self.godwit, "replicate", source, target, "--create-target"], stdout=subprocess.DEVNULL)
            _, code, usage = os.wait4(run.pid, 0)
            run.returncode = code
            assert code == 0
            return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        return replicate

    def rows(self, name, count, kind):
        far, there = self.first.database(name), self.second.database(f"pushed-{name}")
        pull = (self.second, far, f"pulled-{name}", count)
        self.row(f"{kind}: pull", count, self.by_server(*pull))
        self.row(f"{kind}: nothing to do", count, self.by_server(*pull, is_done=True), is_done=True)
        self.row(f"{kind}: push", count, self.by_server(self.first, name, there, count))
        self.row(f"{kind}: command", count, self.by_command(far, self.second.database(f"third-{name}")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--revisions", type=int, default=1, help="how long the history of each document is")
    parser.add_argument("--attachments", type=int, default=1_000, help="documents with an attachment of 100 KB")
    parser.add_argument("--godwit", default=str(pathlib.Path(__file__).resolve().parents[1] / ".build/release/godwit"))
    arguments = parser.parse_args()
    for title, count, load in [
        ("300 bytes", arguments.documents, lambda server, count: fill(server, "docs", count, arguments.revisions)),
        ("100 KB attached", arguments.attachments, lambda server, count: fill_with_attachments(server, "docs", count)),
    ]:
        if not count:
            continue
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            # A separate server for each kind: the memory of the process is then the memory that this load takes.
            with Server(arguments.godwit, one) as first, Server(arguments.godwit, two) as second:
                load(first, count)
                Bench(arguments.godwit, first, second).rows("docs", count, title)


if __name__ == "__main__":
    main()
