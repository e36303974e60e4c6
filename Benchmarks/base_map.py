"""Measures the base map: the processor time of a tile on the server and in the page, and the first view of a page.

    swift build -c release --static-swift-stdlib --product godwit
    python3 Benchmarks/base_map.py

`requests`, `selenium` and Chromium are required (`./test` installs them; `.venv-clients` has the first two). It fails if a tile
takes more than 1 ms of processor time, or a first view more than 150 kB or one second."""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import requests

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/Clients"))
import browser as browsers  # noqa: E402

GODWIT = ROOT / ".build/release/godwit"
TURNS = 7
TILE_REQUESTS = 4_000
INDEX = {"index": "function(doc){if(doc.geometry){st_index(doc.geometry);}}"}
PLACES = {"london": [-0.1, 51.5], "rome": [12.5, 41.9], "vienna": [16.4, 48.2]}
TILES = [(6, x, y) for x in range(28, 40) for y in range(18, 28)]
# The time to read and to draw tiles in the page. The drawing ends when the image is read.
DECODE = """
const done = arguments[1], paths = arguments[0]
import('/_base/tile.js').then(async module => {
    const buffers = []
    for (const path of paths) buffers.push(await (await fetch(path)).arrayBuffer())
    const begun = performance.now()
    for (let turn = 0; turn < 5; turn++) for (const buffer of buffers) module.readTile(buffer)
    done((performance.now() - begun) / (5 * buffers.length))
})"""
DRAW = """
const begun = performance.now()
for (let turn = 0; turn < 10; turn++) baseMap._draw()
baseMap._context.getImageData(0, 0, 1, 1)
return [(performance.now() - begun) / 10, baseMap._tiles().length]"""
SEEN = "return !!window.baseMap && baseMap.shownNames().length > 5"
BYTES = "return performance.getEntriesByType('resource').reduce((sum, entry) => sum + entry.transferSize, 0)"


class Server:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [GODWIT, "serve", "--data", folder, "--port", "0", "--admin", "admin:secret"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        admin = requests.Session()
        admin.auth = ("admin", "secret")
        admin.put(self.url + "/db").raise_for_status()
        for name, place in PLACES.items():
            admin.put(f"{self.url}/db/{name}", json={"geometry": {"type": "Point", "coordinates": place}}).raise_for_status()
        admin.put(self.url + "/db/_design/geo", json={"st_indexes": {"places": INDEX}}).raise_for_status()

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tile_on_server(server):
    session = requests.Session()
    begun = server.processor_seconds()
    for number in range(TILE_REQUESTS):
        level, x, y = TILES[number % len(TILES)]
        session.get(f"{server.url}/_base/{level}/{x}/{y}").raise_for_status()
    return (server.processor_seconds() - begun) / TILE_REQUESTS * 1000


def first_view(server, folder):
    """The seconds until the map is drawn with its names, in a browser without a cache, and the bytes received."""
    chromium = browsers.chromium(folder)
    try:
        browsers.resize(chromium, *browsers.SIZES[0])
        chromium.get(server.url + "/_up")
        session = requests.post(server.url + "/_session", json={"name": "admin", "password": "secret"}, timeout=10)
        chromium.add_cookie({"name": "AuthSession", "value": session.cookies["AuthSession"]})
        begun = time.monotonic()
        chromium.get(f"{server.url}/db/_design/geo/_geo/places?format=html")
        browsers.until(chromium, lambda: chromium.execute_script(SEEN), poll_frequency=0.01)
        seconds = time.monotonic() - begun
        paths = [f"/_base/{level}/{x}/{y}" for level, x, y in TILES]
        draw, tiles = chromium.execute_script(DRAW)
        return seconds, chromium.execute_script(BYTES), chromium.execute_async_script(DECODE, paths), draw, tiles
    finally:
        chromium.quit()


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = Server(f"{folder}/data")
        try:
            tile = [tile_on_server(server) for _ in range(3)]
            views = [first_view(server, f"{folder}/chromium-{turn}") for turn in range(TURNS)]
        finally:
            server.process.terminate()
            server.process.wait()
    seconds, sizes, decode, draw, tiles = (sorted(column) for column in zip(*views))
    print(f"a tile on the server: {statistics.median(tile):.3f} ms of processor time ({min(tile):.3f} to {max(tile):.3f})")
    print(f"a tile read in the page: {statistics.median(decode):.3f} ms")
    print(f"a view of {tiles[0]} tiles drawn with names: {statistics.median(draw):.1f} ms")
    print(f"a first view of /_map, {TURNS} turns: {statistics.median(seconds):.2f} s ({seconds[0]:.2f} to {seconds[-1]:.2f}), "
          f"{sizes[-1] / 1000:.0f} kB")
    failed = statistics.median(tile) > 1 or statistics.median(decode) > 1 or statistics.median(seconds) > 1 or sizes[-1] > 150_000
    sys.exit("a limit is exceeded" if failed else 0)


if __name__ == "__main__":
    main()
