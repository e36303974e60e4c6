"""Edge numbers, dates and texts in every kind of file that a user may hand over: a clear error, or it works; no process
ends by a signal.

`GODWIT_SEED` repeats a run; `GODWIT_EDGE_ROUNDS` sets the number of files.
"""

import collections
import concurrent.futures
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import time

import pytest
import requests

from cloudant_sync import by_generation, zoo
from conftest import ADMIN, GODWIT, Server, godwit
from edge_requests import DESIGN
from edges import DATES, LONG, NUMBERS, ROUNDS, SEED, TEXTS, VALUES, Draw, places, quoted, short, text_of
from objectstores import add_account, token_of

SECONDS = 2
# The longest answer about a database of some documents.
ANSWER_BYTES_MAX = 64 << 20
ENVIRONMENT = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
# What a column of SQLite can hold.
COLUMNS = [0, -1, 1, 127, 255, 256, 65_535, 65_536, 65_600, 2**31 - 1, 2**31, -2**31, 2**32, 2**53, 2**53 + 1, 2**63 - 1,
           2**63 - 2, -2**63, -2**63 + 1, 0.5, -0.5, 5e-324, 1e308, -1e308, 1e19, float("inf"), float("-inf"), None, "", " ", "NaN", "9" * 400, "-1",
           "x" * 70_000, b"", b"\xff" * 9, b"\0" * 16, b"\xff" * 200, b"\x80" * 64]
PHRASE = "a long passphrase"


def run(*arguments, seconds=60, **options):
    """Runs a command, which must not end by a signal."""
    done = subprocess.run([GODWIT, *map(str, arguments)], capture_output=True, text=True, timeout=seconds, env={**ENVIRONMENT, **options.pop("environment", {})}, **options)
    assert done.returncode >= 0, f"DEAD {done.returncode}: {short(' '.join(map(str, arguments)))}, seed {SEED}\n{done.stderr[-1_500:]}"
    return done


def in_time(work, seconds=SECONDS, threads=3, least=6):
    """Runs numbered cases in several threads until the time is over; returns their number."""
    end, numbers = time.monotonic() + (seconds if not ROUNDS else 10**9), itertools.count(1)

    def go():
        count = 0
        while True:
            number = next(numbers)
            if (number > least and time.monotonic() > end) or (ROUNDS and number > max(ROUNDS // 1_000, least)):
                return count
            work(number)
            count += 1

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return sum(future.result() for future in [pool.submit(go) for _ in range(threads)])


def started(folder, *arguments, **options):
    """A server, or `None` if it ended with an error."""
    try:
        return Server(folder, arguments=["--log-file", f"{folder}.log", *arguments], environment={"SWIFT_BACKTRACE": "enable=no", **options})
    except AssertionError as problem:
        assert "atal error" not in str(problem) and "Swift runtime" not in str(problem), (SEED, str(problem)[-1_500:])
        return None


def lives(server, what):
    if server.process.poll() is not None:
        words = server.process.stderr.read()[-1_500:]
        code = server.process.returncode
        server.start()
        raise AssertionError(f"DEAD {code}, seed {SEED}: {what}\n{words}")


def ended(server, what):
    """Stops a server, which may have to wait for work."""
    lives(server, what)
    server.stop()


# Tables and collections

def rows_of(kind, draw, count):
    """The text of a file of a kind whose records have one part replaced each."""
    if kind == "jsonl":
        record = {"_id": "a", "n": 1, "at": "2024-01-01T00:00:00Z", "geometry": {"type": "Point", "coordinates": [1.5, 2.5, 3.5]}, "list": [1, [2]],
                  "_attachments": {"f": {"content_type": "a/b", "data": "aGVsbG8=", "length": 5, "revpos": 1}}, "_rev": "1-a", "_deleted": False}
        return "\n".join(draw.variation({**record, "_id": f"a{number}"})[2] for number in range(count))
    if kind == "csv":
        lines = ["id,lat,lon,elevation,n,at"]
        for number in range(count):
            fields = [f"r{number}", "1.5", "2.5", "3", "4", "2024-01-01T00:00:00Z"]
            fields[draw.one(range(6))] = '"' + draw.one(TEXTS).replace('"', '""') + '"'
            lines.append(",".join(fields))
        return "\n".join(lines)
    if kind == "gpx":
        def point(number):
            values = ["1.5", "2.5", "3.5", "2024-01-01T00:00:00Z", "4", "5", "0.5", "9"]
            values[draw.one(range(8))] = "".join(c for c in draw.one(TEXTS) if c not in "<>&\"\0")[:500]
            return ('<trkpt lat="{0}" lon="{1}"><ele>{2}</ele><time>{3}</time><sat>{4}</sat><hdop>{5}</hdop><speed>{6}</speed>'
                    "<course>{7}</course></trkpt>").format(*values)
        return '<gpx version="1.1"><trk><name>t</name><number>1</number><trkseg>' + "".join(map(point, range(count))) + "</trkseg></trk></gpx>"
    feature = {"type": "Feature", "id": 1, "bbox": [0, 0, 1, 1], "properties": {"n": 1, "at": "2024-01-01"}, "geometry": draw.one([
        {"type": "Point", "coordinates": [1.5, 2.5, 3.5]}, {"type": "LineString", "coordinates": [[1, 2], [3, 4]]},
        {"type": "Polygon", "coordinates": [[[0, 0], [0, 9], [9, 9], [0, 0]]]}, {"type": "MultiPoint", "coordinates": [[1, 2], [3, 4]]},
        {"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [1, 2]}]}])}
    deep = [path for path in places(feature) if path and (draw.often(0.2) or not isinstance(path[-1], str))]
    features = ",".join(text_of({**feature, "id": f"g{number}"}, draw.one(deep), draw.one(NUMBERS if draw.often(0.8) else VALUES)) for number in range(count))
    return f'{{"type":"FeatureCollection","bbox":[0,0,{draw.one(NUMBERS)},1],"features":[{features}]}}'


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
def test_imports_of_edges(tmp_path):
    """What went in is read by a server: its views, and its indexes of values, of words and of places."""
    counts = collections.Counter()

    def work(number):
        draw = Draw(salt=f"file{number}")
        kind = ["jsonl", "csv", "gpx", "geojson"][number % 4]
        file = tmp_path / f"{number}.{kind}"
        file.write_text(rows_of(kind, draw, 3 if draw.often(0.4) else 150), encoding="utf-8", errors="surrogatepass")
        flags = {"gpx": ["--tracks"] if number % 8 == 2 else [], "csv": ["--plain"] if number % 8 == 1 else [], "geojson": ["--id", "n"] if number % 8 == 3 else []}.get(kind, [])
        counts[run("import", file, f"{tmp_path}/data{number % 3}/{kind}", "--create-target", "--on-conflict", "replace", *flags).returncode] += 1

    count = in_time(work)
    print(f"{count} files, {dict(counts)}")
    for number in range(3):
        if not (tmp_path / f"data{number}").exists():
            continue
        server = Server(tmp_path / f"data{number}", environment={"SWIFT_BACKTRACE": "enable=no"})
        for name in server.json("GET", "/_all_dbs"):
            if name[0] != "_":
                index(server, name)
                assert not read(server, name, strict=True), (name, SEED)
        ended(server, "imports")
        for name in os.listdir(tmp_path / f"data{number}"):
            if name in ("jsonl", "csv", "gpx", "geojson"):
                for ending in ("jsonl", "geojson", "csv", "gpx"):
                    assert run("export", f"{tmp_path}/data{number}/{name}", f"{tmp_path}/out-{number}-{name}.{ending}").returncode == 0


def index(server, name):
    """Adds views and indexes of every kind."""
    server.request("PUT", f"/{name}/_design/d", json=DESIGN)
    server.request("POST", f"/{name}/_index", json={"index": {"fields": ["n"]}, "name": "n", "ddoc": "n"})
    server.request("POST", f"/{name}/_index", json={"index": {}, "type": "text", "name": "t", "ddoc": "t"})
    server.request("POST", f"/{name}/_index", json={"index": {"geometry": "geometry"}, "type": "geo", "name": "g", "ddoc": "g"})


READS = ["", "/_all_docs?include_docs=true&conflicts=true&attachments=true&update_seq=true", "/_changes?style=all_docs&include_docs=true&conflicts=true",
         "/_changes?descending=true&limit=3", "/_local_docs?include_docs=true", "/_design_docs?include_docs=true", "/_revs_limit", "/_purged_infos_limit", "/_security",
         "/_design/d/_info", "/_design/d/_view/all?reduce=false&include_docs=true", "/_design/d/_view/all?group=true", "/_design/d/_view/sum?group=true",
         "/_design/d/_view/dates?reduce=false", "/_design/d/_search/words?q=*:*&limit=20", "/_design/d/_search_info/words", "/_design/d/_geo/places?bbox=-180,-90,180,90",
         "/_design/d/_geo_info/places", "/_index", "/_shards"]
FINDS = [{"selector": {"n": {"$gte": 0}}, "use_index": "n"}, {"selector": {"n": {"$gt": None}}, "limit": 1_000, "sort": ["n"]}, {"selector": {"$text": "red OR a"}},
         {"selector": {"geometry": {"$geoWithin": {"$geometry": {"type": "Polygon", "coordinates": [[[-90, -80], [90, -80], [90, 80], [-90, 80], [-90, -80]]]}}}}},
         {"selector": {"geometry": {"$near": {"$geometry": {"type": "Point", "coordinates": [8, 47]}}}}}]


def read(server, name, strict=False):
    """Reads a database in every way and writes once; returns the answers that were faults."""
    faults = []

    def ask(method, path, **options):
        what, body = (name, method, path), bytearray()
        with contextlib.suppress(requests.RequestException):
            with server.request(method, f"/{name}{path}", stream=True, **options) as answer:
                for part in answer.iter_content(1 << 20):
                    body += part
                    assert len(body) <= ANSWER_BYTES_MAX, f"an endless answer, seed {SEED}: {what}"
            if answer.status_code >= 500:
                faults.append((what, answer.status_code, bytes(body[:200])))
            return body
        lives(server, what)

    for path in READS:
        ask("GET", path)
    for find in FINDS:
        ask("POST", "/_find", json=find)
    with contextlib.suppress(ValueError, TypeError, KeyError):
        for row in json.loads(ask("GET", "/_all_docs?limit=12"))["rows"]:
            ident = "/" + quoted(row["id"])
            ask("GET", ident + "?revs=true&revs_info=true&conflicts=true&local_seq=true")
            ask("GET", ident + "?open_revs=all&revs=true&attachments=true", headers={"Accept": "application/json"})
            ask("GET", ident + "/a.txt")
            ask("POST", "/_revs_diff", json={row["id"]: ["9-a", "1-a"]})
            ask("PUT", ident, json={"_rev": row["value"]["rev"], "n": 3})
    ask("POST", "/_bulk_docs", json={"docs": [{"_id": "written", "n": 1}]})
    ask("POST", "/_bulk_docs", json={"new_edits": False, "docs": [{"_id": "d1", "_rev": "9-" + "a" * 32, "n": 1}]})
    ask("PUT", "/_local/x", json={"n": 1})
    ask("POST", "/_purge", json={"d2": ["1-a"]})
    ask("POST", "/_compact", json={})
    ask("POST", "/_view_cleanup", json={})
    ask("GET", "/_changes?since=0")
    lives(server, name)
    return [fault for fault in faults if strict and "invalid_value" not in fault[2]]


# Files of SQLite

def tables(database):
    return [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")]


def edit(path, draw, edges=COLUMNS, times=1):
    """Replaces a value in a random row, and returns what was replaced."""
    told = []
    database = sqlite3.connect(path, isolation_level=None)
    database.create_collation("REVID", by_generation)
    database.execute("PRAGMA ignore_check_constraints = 1")
    with contextlib.closing(database):
        for _ in range(40):
            table = draw.one(tables(database))
            columns = [row for row in database.execute(f'PRAGMA table_info("{table}")')]
            if not columns:
                continue
            keys = [row[1] for row in columns if row[5]] or ["rowid"]
            column = draw.one([row[1] for row in columns if "INT" in row[2].upper() or "BOOL" in row[2].upper() or draw.often(0.35)] or [columns[0][1]])
            edge = draw.one(edges[:28] if draw.often(0.7) else edges)
            with contextlib.suppress(sqlite3.Error, OverflowError, UnicodeDecodeError):
                found = database.execute(f'SELECT {", ".join(keys)} FROM "{table}"').fetchall()
                if not found:
                    continue
                row = draw.one(found)
                changed = database.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE {" AND ".join(f"{key} IS ?" for key in keys)}', (edge, *row)).rowcount
                if changed:
                    told.append(f"{table}.{column} of {short(str(row))} = {short(repr(edge))}")
                    if len(told) == times:
                        break
        if database.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return told


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A data directory with a database that has everything, its backup, a set of backups, and objects."""
    folder = tmp_path_factory.mktemp("original")
    (folder / "sets").mkdir()
    server = Server(folder / "data", arguments=["--objects", "--backups", str(folder / "sets"), "--log-file", str(folder / "log")])
    server.json("PUT", "/db")
    documents = [{"_id": f"d{n}", "n": n, "text": "red fox " * n, "geometry": {"type": "Point", "coordinates": [8 + n, 47]}} for n in range(1, 9)]
    for _ in range(3):
        found = {row["id"]: row["value"]["rev"] for row in server.json("GET", "/db/_all_docs")["rows"]}
        server.json("POST", "/db/_bulk_docs", json={"docs": [{**document, **({"_rev": found[document["_id"]]} if found else {})} for document in documents]})
    server.json("POST", "/db/_bulk_docs", json={"new_edits": False, "docs": [
        {"_id": "d2", "_rev": "3-c", "_revisions": {"start": 3, "ids": ["c", "b", "a"]}, "n": -2}, {"_id": "d3", "_rev": "5-e", "_deleted": True}]})
    server.json("PUT", "/db/d1/a.txt?rev=" + server.json("GET", "/db/d1")["_rev"], data="hello" * 30_000, headers={"Content-Type": "text/plain"})
    server.json("PUT", "/db/_local/x", json={"n": 1})
    index(server, "db")
    server.json("POST", "/db/_purge", json={"d8": [server.json("GET", "/db/d8")["_rev"]]})
    read(server, "db")
    account = add_account(server, "gull", quota=10_000_000)
    swift = {"X-Auth-Token": token_of(server, account)}
    url = f"{server.url}/v1/AUTH_gull/c"
    assert requests.put(url, headers=swift, timeout=30).ok
    for name in ("a", "b", "big"):
        assert requests.put(f"{url}/{name}", headers={**swift, "X-Delete-After": "9999"}, data=b"x" * (200_000 if name == "big" else 9), timeout=30).ok
    from objectstores import s3_of
    client = s3_of(server, account)
    upload = client.create_multipart_upload(Bucket="c", Key="parts")["UploadId"]
    client.upload_part(Bucket="c", Key="parts", UploadId=upload, PartNumber=1, Body=b"x" * 100)
    assert godwit("backup", server.database("db"), str(folder / "copy")).returncode == 0
    server.json("POST", "/_godwit/backups", json={})
    time.sleep(2)
    server.stop()
    return folder, account, upload


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
def test_backups_of_edges(original, tmp_path):
    """Restored by the command, by a server, and by hand into a directory."""
    folder, _, _ = original
    counts, told = collections.Counter(), {}
    server = Server(tmp_path / "live", arguments=["--log-file", str(tmp_path / "log")], environment={"SWIFT_BACKTRACE": "enable=no"})

    def work(number):
        draw, file = Draw(salt=f"backup{number}"), tmp_path / f"copy{number}"
        shutil.copy(folder / "copy", file)
        told[number] = edit(file, draw, times=draw.one([1, 1, 2]))
        name = f"b{number}"
        restored = run("restore", file, f"{tmp_path}/data/{name}")
        counts[restored.returncode] += 1
        with open(file, "rb") as content:
            with contextlib.suppress(requests.ConnectionError):
                answer = server.request("PUT", f"/{name}/_godwit/backup", data=content, headers={"Content-Type": "application/octet-stream"})
                counts[answer.status_code] += 1
                assert answer.status_code in (201, 400), f"{answer.status_code} {short(answer.text)}, seed {SEED}: {told[number]}"
                if answer.ok:
                    try:
                        read(server, name)
                    except AssertionError as problem:
                        raise AssertionError(f"{told[number]}\n{problem}") from None
                    server.request("DELETE", f"/{name}")
        lives(server, told[number])
        file.unlink()

    count = in_time(work, seconds=SECONDS * 2, threads=2)
    print(f"{count} backups, {dict(counts)}")
    ended(server, "backups")
    if (tmp_path / "data").exists():
        counts[f"doctor {run('doctor', tmp_path / 'data').returncode}"] += 1
        server = Server(tmp_path / "data", arguments=["--log-file", str(tmp_path / "log")], environment={"SWIFT_BACKTRACE": "enable=no"})
        for name in server.json("GET", "/_all_dbs"):
            if name[0] == "b":
                try:
                    read(server, name)
                except AssertionError as problem:
                    raise AssertionError(f"{told[int(name[1:])]}\n{problem}") from None
        ended(server, "restored")


def use_everything(server, account, upload, what):
    """Reads and writes databases, objects, backups and settings."""
    def ask(method, path, **options):
        try:
            requests.request(method, server.url + path, auth=ADMIN, timeout=10, **options)
        except requests.Timeout:
            lives(server, what)
            raise AssertionError(f"no answer in 10 s: {method} {path}, seed {SEED}: {what}") from None
        except requests.RequestException:
            lives(server, what)

    for path in ("/_all_dbs", "/_dbs_info", "/_db_updates?timeout=10", "/_node/_local/_config", "/_node/_local/_prometheus", "/_active_tasks", "/_godwit/backups", "/_godwit/keys",
                 "/_godwit/objects", "/_godwit/objects/gull", "/v1/AUTH_gull?format=json", "/v1/AUTH_gull/c?format=json", "/v1/AUTH_gull/c/a", "/v1/AUTH_gull/c/big", "/_apps", "/_scheduler/docs"):
        ask("GET", path)
    with contextlib.suppress(requests.RequestException, ValueError, KeyError, IndexError, AttributeError):
        for row in server.request("GET", "/_godwit/backups").json()["backups"]:
            server.request("GET", f"/_godwit/backups/{row['id']}")
            server.request("POST", f"/_godwit/backups/{row['id']}/restore", json={"database": "db", "target": "back"})
            server.request("POST", f"/_godwit/backups/{row['id']}/check", json={})
    ask("PUT", "/v1/AUTH_gull/c/new", data=b"hello", headers={"X-Delete-After": "60"})
    ask("COPY", "/v1/AUTH_gull/c/big", headers={"Destination": "c/copied"})
    ask("GET", "/v1/AUTH_gull/c/big", headers={"Range": "bytes=5-9"})
    ask("DELETE", "/v1/AUTH_gull/c/a")
    ask("POST", "/v1/AUTH_gull/c/b", headers={"X-Delete-After": "60"})
    from objectstores import s3_of
    client = s3_of(server, account, read_timeout=10, connect_timeout=10)
    for call, options in ((client.list_buckets, {}), (client.list_objects_v2, {"Bucket": "c"}), (client.list_multipart_uploads, {"Bucket": "c"}), (client.list_parts, {"Bucket": "c", "Key": "parts", "UploadId": upload}),
                          (client.upload_part, {"Bucket": "c", "Key": "parts", "UploadId": upload, "PartNumber": 2, "Body": b"x"}),
                          (client.complete_multipart_upload, {"Bucket": "c", "Key": "parts", "UploadId": upload, "MultipartUpload": {"Parts": [{"PartNumber": 1, "ETag": "x"}]}})):
        with contextlib.suppress(Exception):
            call(**options)
    lives(server, what)


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
@pytest.mark.parametrize("kind", ["objects", "databases", "sets"])
def test_directories_of_edges(original, tmp_path, kind):
    """The catalogues of a data directory, its database, the catalogue of its objects, and a set of backups."""
    folder, account, upload = original
    counts = collections.Counter()

    def work(number):
        draw, place = Draw(salt=f"{kind}{number}"), tmp_path / str(number)
        shutil.copytree(folder / "data", place / "data")
        shutil.copytree(folder / "sets", place / "sets")
        root = place / {"objects": "data/objects", "databases": "data", "sets": "sets"}[kind]
        files = [path for path in root.rglob("*") if path.is_file() and path.open("rb").read(16).startswith(b"SQLite format 3") and (kind != "databases" or "objects" not in str(path))]
        file = draw.one(files)
        what = (str(file.relative_to(place)), edit(file, draw))
        if kind == "sets":
            for path in (place / "sets").iterdir():
                counts[f"restore {run('restore', path, place / 'again').returncode}"] += 1
                break
        server = started(place / "data", "--objects", "--backups", str(place / "sets"))
        counts["refused" if server is None else "started"] += 1
        if server is not None:
            use_everything(server, account, upload, what)
            read(server, "db")
            lives(server, what)
            server.kill()
        counts[f"doctor {run('doctor', place / 'data').returncode}"] += 1
        shutil.rmtree(place)

    print(f"{in_time(work, seconds=SECONDS, threads=2)} directories, {dict(counts)}")


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
def test_cloudant_stores_of_edges(tmp_path):
    zoo().save(tmp_path / "old")
    counts = collections.Counter()

    def work(number):
        draw, place = Draw(salt=f"cdt{number}"), tmp_path / str(number)
        shutil.copytree(tmp_path / "old", place)
        file = draw.one([path for path in place.rglob("*") if path.is_file() and path.open("rb").read(16).startswith(b"SQLite format 3")])
        told = edit(file, draw, times=3)
        done = run("import-cdt", place, tmp_path / f"new{number}", "--json", *(["--dry-run"] if number % 5 == 0 else []))
        counts[done.returncode] += 1
        assert done.returncode == 0 or done.stdout or done.stderr, told
        if done.returncode == 0 and number % 5:
            assert run("doctor", tmp_path / f"new{number}").returncode == 0, told
        shutil.rmtree(place)

    print(f"{in_time(work)} stores, {dict(counts)}")


# Files of settings

def tiles(path, rows=(), view=False, **metadata):
    """An MBTiles file of small pictures."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
    database.execute("CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
    database.execute("CREATE VIEW tiles AS SELECT * FROM map" if view else "ALTER TABLE map RENAME TO tiles")
    names = {"name": "Plain", "format": "png", "minzoom": "0", "maxzoom": "2", "bounds": "-180,-85,180,85", "center": "0,0,1", "version": "1.3", **metadata}
    database.executemany("INSERT INTO metadata VALUES (?, ?)", names.items())
    picture = b"\x89PNG\r\n\x1a\n" + bytes(40)
    own = [(zoom, column, row, picture) for zoom in range(3) for column in range(1 << zoom) for row in range(1 << zoom)]
    database.executemany(f"INSERT INTO {'map' if view else 'tiles'} VALUES (?, ?, ?, ?)", [*own, *rows])
    database.commit()
    database.close()
    return path


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
def test_tiles_of_edges(tmp_path):
    counts = collections.Counter()

    def work(number):
        draw = Draw(salt=f"tiles{number}")
        name = draw.one(["minzoom", "maxzoom", "bounds", "center", "version", "format", "name"])
        value = draw.one(TEXTS) if draw.often(0.6) else ",".join(draw.one(NUMBERS) for _ in range(4))
        rows = [[draw.one(COLUMNS), draw.one(COLUMNS), draw.one(COLUMNS), draw.one(COLUMNS)] for _ in range(20)]
        file = tiles(tmp_path / f"{number}.mbtiles", rows, view=number % 4 == 0, **{name: value.replace("\0", "")})
        server = started(tmp_path / f"data{number}", "--tiles", str(file))
        counts["refused" if server is None else "started"] += 1
        if server is not None:
            for path in ("", "/0/0/0", "/1/1/1", "/2/3/3", "/30/1073741823/0", "/255/0/0", "/22/4194303/4194303", f"/{draw.one(NUMBERS)}/{draw.one(NUMBERS)}/0"):
                with contextlib.suppress(requests.ConnectionError):
                    assert server.request("GET", "/_tiles" + path).status_code < 500, (path, name, value)
            lives(server, (name, value, rows))
            server.kill()

    print(f"{in_time(work)} files of tiles, {dict(counts)}")


APPLICATION = {
    "id": "tracker", "users": "lt_users", "database": {"prefix": "lt_user_", "indexes": [{"index": {"fields": ["n"]}, "name": "n"}]},
    "shared": {"lt_places": {"rights": ["_reader"], "roles": {"e": ["_writer"]}, "groups": {"m": ["_reader"]}, "public": False}}, "consolidated": {"name": "lt_all"},
    "registration": "open", "registrations_per_minute": 10, "passwords": {"length_min": 8, "allow_common": False, "refused": ["x"]},
    "versions": {"first": "1.0", "warned_before": "1.5", "blocked": ["1.2"], "required": False}, "url": "http://127.0.0.1:9", "redirects": ["com.example.app:/x"],
    "mail": {"server": "smtp://127.0.0.1:9", "from": "a@example.org"}, "bluelist": {},
    "providers": {"corporate": {"kind": "oidc", "client_id": "a", "issuer": "http://127.0.0.1:9"}}}


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
def test_applications_of_edges(tmp_path):
    counts = collections.Counter()

    def work(number):
        path, edge, text = Draw(salt=f"app{number}").variation(APPLICATION)
        file = tmp_path / f"{number}.json"
        file.write_text(text, encoding="utf-8", errors="surrogatepass")
        if number % 3:
            counts[run("app", "declare", file, "--data", tmp_path / f"data{number % 30}").returncode] += 1
            return
        server = started(tmp_path / f"served{number}", "--application", str(file))
        counts["refused" if server is None else "started"] += 1
        if server is not None:
            with contextlib.suppress(requests.ConnectionError):
                server.request("PUT", "/_apps/tracker/users/ann", json={"password": "her own password"})
                requests.post(f"{server.url}/_apps/tracker/login", json={"name": "ann", "password": "her own password", "version": edge[:300] if isinstance(edge, str) else "1"}, timeout=30)
            lives(server, (path, edge))
            server.kill()

    print(f"{in_time(work)} applications, {dict(counts)}")


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
def test_key_files_of_edges(tmp_path):
    """A key file says how much memory and time its passphrase costs: that is bounded."""
    (tmp_path / "a.csv").write_text("lat,lon\n1,2\n")
    made = run("key", "make", tmp_path / "key", environment={"GODWIT_NEW_PASSPHRASE": PHRASE, "GODWIT_ENCRYPTION_PASSPHRASE": PHRASE, "GODWIT_KEY_PASSPHRASE": PHRASE}, input=f"{PHRASE}\n{PHRASE}\n")
    assert (tmp_path / "key").exists(), made.stderr
    value, counts = json.loads((tmp_path / "key").read_text()), collections.Counter()
    del value["checksum"]
    key = {"GODWIT_ENCRYPTION_PASSPHRASE": PHRASE}
    assert run("import", tmp_path / "a.csv", f"{tmp_path}/data/db", "--create-target", "--encryption-key-file", tmp_path / "key", environment=key).returncode == 0

    def work(number):
        draw = Draw(salt=f"key{number}")
        path = draw.one([("passphrases", 0, name) for name in ("n", "r", "p")] * 3 + list(places(value)))
        edge = draw.one([number for number in NUMBERS if number.lstrip("-").isdigit() and len(number) < 20]) if draw.often(0.7) else draw.one(VALUES)
        text = text_of(value, path, edge)
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            # The checksum is right, so that the values themselves are judged.
            changed = json.loads(text)
            canonical = json.dumps(changed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            text = json.dumps({**changed, "checksum": hashlib.sha256(canonical.encode()).hexdigest()})
        file = tmp_path / f"key{number}"
        file.write_text(text, encoding="utf-8", errors="surrogatepass")
        file.chmod(0o600)
        done = run("key", "list", file)
        counts[done.returncode] += 1
        done = run("export", f"{tmp_path}/data/db", "-", "--format", "jsonl", "--encryption-key-file", file, environment={"GODWIT_ENCRYPTION_PASSPHRASE": PHRASE})
        counts[done.returncode] += 1

    print(f"{in_time(work, threads=2)} key files, {dict(counts)}")


@pytest.mark.timeout(20_000 if LONG or ROUNDS else 120)
def test_flags_of_edges(tmp_path):
    """Numbers on the command line and in the environment."""
    counts = collections.Counter()
    (tmp_path / "a.csv").write_text("lat,lon\n1,2\n")
    commands = [["serve", "--data", f"{tmp_path}/d", "--tls-certificate", "none", "--port"], ["serve", "--data", f"{tmp_path}/d", "--port", "0", "--bind"],
                ["objects", "account", "quota", "gull", "--data", f"{tmp_path}/o"], ["objects", "account", "add", "tern", "--data", f"{tmp_path}/o", "--quota"],
                ["replicate", f"{tmp_path}/x/a", f"{tmp_path}/x/b", "--since"], ["import", f"{tmp_path}/a.csv", f"{tmp_path}/i/db", "--create-target", "--delimiter"],
                ["bench", "--documents"], ["objects", "copy", "http://127.0.0.1:9", "http://127.0.0.1:9", "--interval"], ["export", f"{tmp_path}/i/db", "-", "--format", "jsonl", "--selector"],
                ["export", f"{tmp_path}/i/db", "-", "--format", "csv", "--id-prefix"]]

    def work(number):
        draw = Draw(salt=f"flag{number}")
        edge = draw.one([text for text in TEXTS if "\0" not in text])
        command = commands[number % len(commands)]
        with contextlib.suppress(subprocess.TimeoutExpired):
            counts[run(*command, edge, seconds=6).returncode] += 1

    print(f"{in_time(work)} commands, {dict(counts)}")
