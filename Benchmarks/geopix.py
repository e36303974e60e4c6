"""Measures GeoPix with many photos: the list of the map, pages, thumbnails, memory, and the time from a push to a map.

    python3 Benchmarks/geopix.py [--geopix .build/release/geopix] [--photos 10000]

Each line names what was measured. The photos are made from those of Examples/GeoPix/Photos, with small pictures.
"""

import argparse
import base64
import json
import pathlib
import re
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
ADMIN = "Basic " + base64.b64encode(b"admin:secret-of-the-benchmark").decode()
BATCH = 200
LATENCIES = 40
LISTENERS = 3
THUMBNAILS = 1_000


def request(url, method="GET", body=None, headers=None):
    data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
    call = urllib.request.Request(url, data, {"Authorization": ADMIN, "Content-Type": "application/json", **(headers or {})},
                                  method=method)
    with urllib.request.urlopen(call, timeout=120) as answer:
        return answer.read()


def started(program, folder):
    """Starts a server; returns its process and address."""
    process = subprocess.Popen([program, "serve", "--data", f"{folder}/cloud", "--port", "0", "--admin",
                                "admin:secret-of-the-benchmark"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return process, re.search(r"http\S+", process.stdout.readline())[0]


def megabytes(process):
    """The resident memory of a process and its children."""
    pids = [process.pid, *map(int, subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True,
                                                  text=True).stdout.split())]
    pages = [int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids]
    return [round(count * 4096 / 1e6) for count in pages]


def fill(url, count):
    """Writes photos with places all over the world, each with a picture of some kilobytes."""
    pictures = [path.read_bytes() for path in sorted((ROOT / "Examples/GeoPix/Photos").glob("*.jpg"))]
    small = [base64.b64encode(picture).decode() for picture in sorted(pictures, key=len)[:3]]
    for start in range(0, count, BATCH):
        docs = [{"_id": f"bench:{number:06}", "type": "com.geopix.entry", "sort": 1.6e9 + number * 60.5, "clientDate": "a date",
                 "latitude": number * 7 % 160 - 80 + number / 1e5, "longitude": number * 13 % 340 - 170 + number / 1e5,
                 "altitude": None, "course": None,
                 "_attachments": {"image.jpg": {"content_type": "image/jpeg", "data": small[number % len(small)]}}}
                for number in range(start, min(start + BATCH, count))]
        request(f"{url}/geopix/_bulk_docs", "POST", {"docs": docs})


def thumbnails(url, count):
    """The number of thumbnails a second that are made when clients request them for the first time."""
    ids = iter(range(count - 1, max(0, count - 1 - THUMBNAILS), -1))
    lock = threading.Lock()

    def ask():
        while True:
            with lock:
                number = next(ids, None)
            if number is None:
                return
            request(f"{url}/thumbnail/bench:{number:06}/image.jpg")
            made.append(number)

    made = []
    begun = time.perf_counter()
    clients = [threading.Thread(target=ask) for _ in range(4)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return round(len(made) / (time.perf_counter() - begun))


def timed(call, times):
    """The median and the largest of the durations of a call, in milliseconds."""
    durations = []
    for _ in range(times):
        begun = time.perf_counter()
        call()
        durations.append((time.perf_counter() - begun) * 1e3)
    return f"median {statistics.median(durations):.1f} ms, largest {max(durations):.1f} ms of {times}"


def latencies(url):
    """The times from the end of a write to the event at each of several listeners."""
    arrivals, lock = {}, threading.Condition()

    def listen():
        with urllib.request.urlopen(f"{url}/photos/events", timeout=120) as stream:
            for line in stream:
                if line.startswith(b"data: {") and b'"id"' in line:
                    with lock:
                        arrivals.setdefault(json.loads(line[6:])["id"], []).append(time.perf_counter())
                        lock.notify_all()

    for _ in range(LISTENERS):
        threading.Thread(target=listen, daemon=True).start()
    time.sleep(1)
    picture = base64.b64encode(next((ROOT / "Examples/GeoPix/Photos").glob("*.jpg")).read_bytes()).decode()
    found = []
    for number in range(LATENCIES):
        id_ = f"bench:new-{number}"
        request(f"{url}/geopix/{id_}", "PUT", {
            "type": "com.geopix.entry", "sort": time.time(), "latitude": 47, "longitude": 8,
            "_attachments": {"image.jpg": {"content_type": "image/jpeg", "data": picture}}})
        written = time.perf_counter()
        with lock:
            lock.wait_for(lambda: len(arrivals.get(id_, [])) == LISTENERS, timeout=30)
            found += [(arrival - written) * 1e3 for arrival in arrivals[id_]]
    found.sort()
    return f"median {statistics.median(found):.0f} ms, p99 {found[int(len(found) * 0.99)]:.0f} ms, largest {found[-1]:.0f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--geopix", default=str(ROOT / ".build/release/geopix"))
    parser.add_argument("--photos", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        process, url = started(options.geopix, folder)
        print(f"empty server: {megabytes(process)} MB (server, processes for functions and pictures)")
        begun = time.perf_counter()
        fill(url, options.photos)
        print(f"{options.photos} photos written in {time.perf_counter() - begun:.0f} s")

        print(f"thumbnails made for 4 clients: {thumbnails(url, options.photos)}/s; memory {megabytes(process)} MB")
        print(f"GET /photos/map: {timed(lambda: request(f'{url}/photos/map'), 30)}")
        print(f"GET /photos?limit=100: {timed(lambda: request(f'{url}/photos?limit=100'), 30)}")
        print(f"GET /list: {timed(lambda: request(f'{url}/list'), 30)}")
        print(f"GET /thumbnail, kept: {timed(lambda: request(f'{url}/thumbnail/bench:000007/image.jpg'), 100)}")
        print(f"from a write to {LISTENERS} maps, with the thumbnail made: {latencies(url)}")
        process.terminate()
        process.wait(20)
        begun = time.perf_counter()
        process, url = started(options.geopix, folder)
        request(f"{url}/photos/map")
        print(f"start with {options.photos} photos until the map answers: {time.perf_counter() - begun:.1f} s")
        process.terminate()
        process.wait(20)


if __name__ == "__main__":
    main()
