"""Imports a datastore of Cloudant Sync with 100 000 documents, and one of a tenth: the rate, and the memory of both.

    swift build -c release --static-swift-stdlib --product godwit
    python3 Benchmarks/import_cdt.py [PROGRAM]

PROGRAM is `godwit`, by default that of the release build. One document in 20 has an attachment of 20 KB, one in 200 a conflict, one in
5 000 a history of 1 000 revisions; the others have three revisions. The files are written by the tests' writer of the published schema.
Memory is the largest resident set. It must not grow with the number of documents."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/Clients"))
from cloudant_sync import Datastore  # noqa: E402

DOCUMENTS = 100_000
ATTACHMENT_EVERY, CONFLICT_EVERY, HISTORY_EVERY = 20, 200, 5_000
ATTACHMENT_BYTES, HISTORY = 20_000, 1_000
ROUNDS = 2
SAMPLE_SECONDS = 0.05
# The memory of the large import in relation to the small one.
GROWTH_MAX = 1.3


def written(folder, count):
    """Writes the datastore, and returns the number of its revisions."""
    store = Datastore("animals")
    store.database.execute("BEGIN")
    for number in range(count):
        id, body = f"animal-{number:07}", {"@datatype": "Animal", "name": f"Animal {number}", "weight": number % 977, "text": "x" * 200}
        photo = {"photo.jpg": (number.to_bytes(4, "big") * (ATTACHMENT_BYTES // 4), "image/jpeg")}
        attachments = photo if number % ATTACHMENT_EVERY == 0 else None
        revision = store.revise(id, body)
        for step in range((HISTORY if number % HISTORY_EVERY == 0 else 3) - 1):
            above = revision
            revision = store.revise(id, {**body, "step": step}, above, attachments=attachments)
        if number % CONFLICT_EVERY == 0:
            store.revise(id, {**body, "step": "other"}, above)
    store.database.execute("COMMIT")
    store.save(folder)
    return store.count


def imported(program, old, new):
    """Imports a folder: the seconds, the memory in megabytes, and the summary."""
    begun = time.monotonic()
    process = subprocess.Popen([program, "import-cdt", str(old), str(new), "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    status, memory = pathlib.Path(f"/proc/{process.pid}/status"), 0
    # The counter of the process itself: that of `wait4` contains the memory of this script.
    while process.poll() is None:
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        memory = int(found[1]) / 1024 if found else memory
        time.sleep(SAMPLE_SECONDS)
    seconds, output = time.monotonic() - begun, process.stdout.read()
    assert process.returncode == 0, output
    return seconds, memory, json.loads(output.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=str(ROOT / ".build/release/godwit"))
    program, memories = parser.parse_args().program, {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for count in [DOCUMENTS // 10, DOCUMENTS]:
            old = folder / f"old{count}"
            revisions = written(old, count)
            for number in range(ROUNDS):
                seconds, memory, summary = imported(program, old, folder / f"new{count}-{number}")
                memories[count] = max(memory, memories.get(count, 0))
                print(f"{count} documents, {revisions} revisions: {seconds:6.1f} s, {count / seconds:7.0f} documents/s, {memory:4.0f} MB")
            print(json.dumps(summary)[:600])
    growth = memories[DOCUMENTS] / memories[DOCUMENTS // 10]
    print(f"memory of {DOCUMENTS} documents: {growth:.2f} times that of {DOCUMENTS // 10}")
    assert growth <= GROWTH_MAX, "The memory grows with the number of documents."


if __name__ == "__main__":
    main()
