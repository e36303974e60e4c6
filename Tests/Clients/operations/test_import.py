"""`godwit import` and `godwit export`: real files into databases of a directory and of a server, and out again."""

import base64
import contextlib
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import time
import xml.etree.ElementTree

import pytest
import requests

from conftest import CLIENTS, GODWIT, ROOT, godwit

HERE = CLIENTS / "Data"
THERE = ROOT / "Examples/LocationTracker/Data"


def run(*arguments, code=0, **options):
    """Runs a command that prints an object of counts at the end, and returns it."""
    run = subprocess.run(
        [GODWIT, *map(str, arguments), "--json"], capture_output=True, text=True, timeout=300, **options)
    assert run.returncode == code, run.stdout + run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def documents(tmp_path, database, *flags):
    """The documents of a database, by id."""
    file = tmp_path / f"{len(os.listdir(tmp_path))}.jsonl"
    run("export", database, file, *flags)
    return {document["_id"]: document for document in map(json.loads, file.read_text().splitlines())}


@pytest.mark.parametrize("file, flags, count, made, failed", [
    (HERE / "populated-places.geojson", [], 7343, 7343, 0), (HERE / "elevation-points.geojson", [], 711, 711, 0),
    (ROOT / "Tests/GodwitPlacesTests/Geometry/Data/countries.json", [], 178, 0, 1), (THERE / "places.json", ["--features", "places"], 50, 50, 0),
    (HERE / "tracks/korita-zbevnica.gpx", [], 873, 873, 0), (HERE / "tracks/cerknicko-jezero.gpx", [], 303, 303, 0),
    (HERE / "tracks/Mojstrovka.gpx", [], 184, 184, 0), (HERE / "tracks/Mojstrovka.gpx", ["--tracks"], 1, 1, 0),
    (THERE / "tracks/drive-past-the-places.gpx", [], 406, 406, 0),
    (THERE / "tracks/around-visnjan-with-car.gpx", [], 104, 104, 0)])
def test_a_file_goes_in_once(tmp_path, file, flags, count, made, failed):
    target = f"{tmp_path}/data/db"
    first = run("import", file, target, "--create-target", *flags, code=1 if failed else 0)
    assert (first["written"], first["ids_made"], first["failed"]) == (count, made, failed)
    again = run("import", file, target, *flags, code=1 if failed else 0)
    assert (again["written"], again["skipped"], again["failed"]) == (0, count, failed)
    if failed:
        assert [(failure["id"], failure["number"]) for failure in first["failures"]] == [("-99", 147)]
    found = documents(tmp_path, target)
    assert len(found) == count
    assert all(document["type"] == "Feature" and document["geometry"] for document in found.values())


def test_what_a_feature_has_is_what_its_document_has(tmp_path):
    file = HERE / "populated-places.geojson"
    done = run("import", file, f"{tmp_path}/data/db", "--create-target", "--id", "geonameid", code=1)
    found = documents(tmp_path, f"{tmp_path}/data/db")
    # Records without an id have -1, or null: the first has the id -1, and no other overwrites it.
    assert (done["written"], done["failed"], len(done["failures"]), len(found)) == (6797, 546, 100, 6797)
    seen = set()
    for feature in json.loads(file.read_text())["features"]:
        number = str(int(feature["properties"]["geonameid"] or -1))
        if feature["properties"]["geonameid"] and number not in seen:
            assert {name: found[number][name] for name in feature} == feature
        seen.add(number)


def test_a_file_goes_to_a_server_and_comes_back(tmp_path, server):
    target = server.database("cities")
    assert run("import", HERE / "populated-places.geojson", target, "--create-target")["written"] == 7343
    assert server.json("GET", "/cities")["doc_count"] == 7343
    for ending in ["geojson", "jsonl", "csv"]:
        file = f"{tmp_path}/cities.{ending}"
        assert run("export", target, file)["written"] == 7343
        copy = f"{tmp_path}/here/{ending}"
        assert run("import", file, copy, "--create-target")["written"] == 7343
        again = f"{tmp_path}/again.{ending}"
        run("export", copy, again)
        if ending == "csv":
            # A column without any value is missing the second time.
            one, two = (
                [{name: field for name, field in row.items() if field}
                 for row in csv.DictReader(open(name, newline="", encoding="utf-8"))] for name in [file, again])
            assert one == two and len(one) == 7343
        elif ending == "jsonl":
            assert open(file, "rb").read() == open(again, "rb").read()
    original = documents(tmp_path, target)
    assert documents(tmp_path, f"{tmp_path}/here/jsonl") == original
    assert documents(tmp_path, f"{tmp_path}/here/geojson") == original


def test_a_password_in_a_target_is_never_shown(tmp_path, server):
    (tmp_path / "a.csv").write_text("lat,lon\n1,2\n")
    for arguments, code in ([], 1), (["--create-target"], 0):
        done = godwit("import", "a.csv", server.database("cities"), *arguments, cwd=tmp_path)
        assert done.returncode == code and "/cities" in done.stdout + done.stderr
        assert "secret" not in done.stdout + done.stderr


def test_attachments_go_and_come_in_json_lines(tmp_path, server):
    server.json("PUT", "/from")
    content = os.urandom(3_000_001)
    made = server.json("PUT", "/from/a", json={"n": 1})
    server.json("PUT", f"/from/a/photo.jpg?rev={made['rev']}", data=content, headers={"Content-Type": "image/jpeg"})
    file = tmp_path / "from.jsonl"
    left = run("export", server.database("from"), file)
    assert left["without_attachments"] == 1 and "_attachments" not in file.read_text()
    file.unlink()
    assert run("export", server.database("from"), file, "--attachments")["without_attachments"] == 0
    assert base64.b64decode(json.loads(file.read_text())["_attachments"]["photo.jpg"]["data"]) == content
    for target in [f"{tmp_path}/here/to", server.database("to")]:
        assert run("import", file, target, "--create-target")["written"] == 1
        found = documents(tmp_path, target, "--attachments")["a"]["_attachments"]["photo.jpg"]
        assert (base64.b64decode(found["data"]), found["content_type"]) == (content, "image/jpeg")


def test_standard_input_and_output(tmp_path):
    table = "id,lat,lon,name\r\na,1.5,2.0,\"x, y\"\r\n"
    first = run("import", "-", f"{tmp_path}/data/db", "--format", "csv", "--create-target", input=table)
    assert first["written"] == 1
    out = godwit("export", f"{tmp_path}/data/db", "-", "--format", "csv")
    assert out.returncode == 0 and "Exported 1 document" in out.stderr
    assert list(csv.reader(io.StringIO(out.stdout))) == [
        ["_id", "latitude", "longitude", "name"], ["a", "1.5", "2.0", "x, y"]]


GPX = "{http://www.topografix.com/GPX/1/1}"
# The order of the elements of a point, in the schema of GPX 1.1.
POINT = "ele time magvar geoidheight name cmt desc src link sym type fix sat hdop vdop pdop ageofdgpsdata dgpsid extensions".split()


def points(root):
    """The points of a GPX file by track and segment: position, elevation, time and heart rate."""
    heart = ".//{http://www.garmin.com/xmlschemas/TrackPointExtension/v2}hr"
    return [
        [[(float(point.get("lat")), float(point.get("lon")), float(point.findtext(GPX + "ele", "nan")),
           point.findtext(GPX + "time"), point.findtext(heart)) for point in segment.findall(GPX + "trkpt")]
         for segment in track.findall(GPX + "trkseg")] for track in root.findall(GPX + "trk")]


def check_gpx(path):
    """Reads a GPX file and checks what its schema says about elements and their order."""
    root = xml.etree.ElementTree.parse(path).getroot()
    assert (root.tag, root.get("version"), bool(root.get("creator"))) == (GPX + "gpx", "1.1", True)
    order = [child.tag.removeprefix(GPX) for child in root]
    assert order == sorted(order, key=["wpt", "rte", "trk"].index)
    for point in [point for name in ["wpt", "rtept", "trkpt"] for point in root.iter(GPX + name)]:
        assert -90 <= float(point.get("lat")) <= 90 and -180 <= float(point.get("lon")) < 180
        assert "e" not in (point.get("lat") + point.get("lon")).lower()
        names = [child.tag.removeprefix(GPX) for child in point]
        assert names == sorted(names, key=POINT.index) and all(names.count(name) == 1 for name in names if name != "link")
    assert not [child for extensions in root.iter(GPX + "extensions") for child in extensions if child.tag.startswith(GPX)]
    return root


@pytest.mark.parametrize("flags", [[], ["--tracks"]])
@pytest.mark.parametrize("file", [
    HERE / "tracks/korita-zbevnica.gpx", HERE / "tracks/cerknicko-jezero.gpx", HERE / "tracks/Mojstrovka.gpx",
    THERE / "tracks/around-visnjan-with-car.gpx"])
def test_tracks_go_out_and_in_as_the_same_documents(tmp_path, file, flags):
    database, copy = f"{tmp_path}/data/db", f"{tmp_path}/data/copy"
    count = run("import", file, database, "--create-target", *flags)["written"]
    report = run("export", database, tmp_path / "a.gpx")
    assert (report["written"], report["left_out"]) == (count, 0)
    check_gpx(tmp_path / "a.gpx")
    assert run("import", tmp_path / "a.gpx", copy, "--create-target")["written"] == count
    assert documents(tmp_path, copy) == documents(tmp_path, database)
    run("export", copy, tmp_path / "b.gpx")
    assert (tmp_path / "a.gpx").read_bytes() == (tmp_path / "b.gpx").read_bytes()


def test_an_exported_track_has_the_points_of_the_file(tmp_path, server):
    file = HERE / "tracks/Mojstrovka.gpx"
    run("import", file, server.database("tracks"), "--create-target")
    out = godwit("export", server.database("tracks"), "-", "--format", "gpx")
    assert out.returncode == 0 and "Exported 184 documents" in out.stderr
    (tmp_path / "a.gpx").write_text(out.stdout)
    exported = [point[:2] for track in points(check_gpx(tmp_path / "a.gpx")) for segment in track for point in segment]
    original = xml.etree.ElementTree.parse(file).getroot()
    assert exported == [(float(point.get("lat")), float(point.get("lon"))) for point in original.iter()
                        if point.tag.endswith("}trkpt")]


def test_measurements_of_a_sports_watch(tmp_path):
    (tmp_path / "ride.gpx").write_text("""<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"
        xmlns:ns3="http://www.garmin.com/xmlschemas/TrackPointExtension/v1" xmlns:me="http://example.org/me">
        <trk><name>Ride</name><trkseg><trkpt lat="46.1" lon="14.5"><ele>300.5</ele><time>2026-05-01T08:00:00Z</time>
        <extensions><power>231</power><ns3:TrackPointExtension><ns3:atemp>18.5</ns3:atemp><ns3:hr>142</ns3:hr>
        <ns3:cad>88</ns3:cad></ns3:TrackPointExtension><me:mood level="3">good</me:mood></extensions></trkpt>
        </trkseg></trk></gpx>""")
    database = f"{tmp_path}/data/db"
    run("import", tmp_path / "ride.gpx", database, "--create-target")
    [document] = documents(tmp_path, database).values()
    assert document["properties"] == {
        "kind": "track", "track": 1, "segment": 1, "track_name": "Ride", "point": 1, "time": "2026-05-01T08:00:00Z",
        "elevation": 300.5, "power": 231, "temperature": 18.5, "heartRate": 142, "cadence": 88,
        "extensions": {"mood": {"level": 3, "text": "good"}}}
    run("export", database, tmp_path / "out.gpx")
    assert points(check_gpx(tmp_path / "out.gpx")) == [[[(46.1, 14.5, 300.5, "2026-05-01T08:00:00Z", "142")]]]
    assert run("import", tmp_path / "out.gpx", database)["skipped"] == 1


def test_a_database_of_other_documents_as_waypoints(tmp_path):
    database, copy = f"{tmp_path}/data/db", f"{tmp_path}/data/copy"
    run("import", HERE / "elevation-points.geojson", database, "--create-target")
    assert run("export", database, tmp_path / "a.gpx")["written"] == 711
    root = check_gpx(tmp_path / "a.gpx")
    assert len(root.findall(GPX + "wpt")) == 711
    run("import", tmp_path / "a.gpx", copy, "--create-target")
    first, second = documents(tmp_path, database), documents(tmp_path, copy)
    assert {id: document["properties"] for id, document in first.items()} == {
        id: document["properties"] for id, document in second.items()}
    run("import", ROOT / "Tests/GodwitPlacesTests/Geometry/Data/countries.json", f"{tmp_path}/data/areas", "--create-target", code=1)
    done = godwit("export", f"{tmp_path}/data/areas", tmp_path / "b.gpx")
    assert done.returncode == 0 and "no point and no line" in done.stdout


def test_a_table_of_excel(tmp_path):
    """`sep=`, semicolons, decimal commas, empty rows, a byte order mark; and a table that is separated by tabs."""
    (tmp_path / "excel.csv").write_bytes(
        "\ufeffsep=;\r\nid;Name;lat;lon;Höhe\r\na;\"Dom; alt\";48,137;11,575;519,5\r\n;;;;\r\n\r\n \r\nb;Turm, neu;47,5;12;1,234\r\n".encode())
    database = f"{tmp_path}/data/db"
    assert run("import", tmp_path / "excel.csv", database, "--create-target")["written"] == 2
    found = documents(tmp_path, database)
    assert found["a"]["geometry"]["coordinates"] == [11.575, 48.137]
    assert found["a"]["properties"] == {"Name": "Dom; alt", "Höhe": 519.5}
    assert found["b"]["geometry"]["coordinates"] == [12.0, 47.5]
    assert found["b"]["properties"] == {"Name": "Turm, neu", "Höhe": 1.234}
    (tmp_path / "tabs.csv").write_text("id\tlat\tlon\tn\nc\t1\t2\t3,5\n\t\t\t\n")
    assert run("import", tmp_path / "tabs.csv", database)["written"] == 1
    assert documents(tmp_path, database)["c"]["properties"] == {"n": 3.5}
    # A given delimiter is used as it is.
    failed = godwit("import", tmp_path / "tabs.csv", database, "--delimiter", ",")
    assert failed.returncode == 1 and "--delimiter" in failed.stderr


def test_rows_that_cannot_be_read_are_told_and_the_rest_goes_in(tmp_path):
    lines = ["lat,lon,n"] + [f"{n % 90},{n % 180},{n}" for n in range(1000)]
    lines[10] = "x,1,2"
    lines[20] = "1,2"
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(lines))
    done = godwit("import", file, f"{tmp_path}/data/db", "--create-target")
    assert done.returncode == 1 and "998 new documents of 1000 records" in done.stdout
    assert "line 11 (record 10)" in done.stderr and "line 21 (record 20)" in done.stderr


def test_what_is_there_is_skipped_replaced_or_a_failure(tmp_path, server):
    target = server.database("db")
    server.json("PUT", "/db")
    server.json("PUT", "/db/a", json={"n": 1})
    file = tmp_path / "a.jsonl"
    file.write_text('{"_id":"a","n":2}\n{"_id":"b","n":2}\n')
    assert run("import", file, target, "--on-conflict", "fail", code=1)["failed"] == 1
    assert run("import", file, target)["skipped"] == 2 and server.json("GET", "/db/a")["n"] == 1
    replaced = run("import", file, target, "--on-conflict", "replace")
    assert (replaced["replaced"], replaced["skipped"]) == (1, 1) and server.json("GET", "/db/a")["n"] == 2


def most_memory(process):
    """Waits for the end of a process, and returns its maximum memory, in KB."""
    most = 0
    while process.poll() is None:
        with contextlib.suppress(OSError):
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            most = max([most, *(int(kilobytes) for kilobytes in re.findall(r"VmHWM:\s+(\d+) kB", status))])
        time.sleep(0.02)
    assert process.returncode == 0
    return most


def test_a_long_file_takes_little_memory(tmp_path):
    """A collection of 80 MB, of which import and export hold only a few batches in memory."""
    file = tmp_path / "long.geojson"
    with open(file, "wb") as out:
        out.write(b'{"type":"FeatureCollection","features":[')
        for number in range(20_000):
            text = b'%s{"type":"Feature","id":%d,"properties":{"text":"%s"},"geometry":null}'
            out.write(text % (b"," if number else b"", number, b"x" * 4000))
        out.write(b"]}")
    with open(file, "rb") as source:
        process = subprocess.Popen(
            [GODWIT, "import", "-", f"{tmp_path}/data/db", "--format", "geojson", "--create-target"],
            stdin=source, stdout=subprocess.DEVNULL)
        assert 10_000 < most_memory(process) < 120_000
    process = subprocess.Popen(
        [GODWIT, "export", f"{tmp_path}/data/db", f"{tmp_path}/db.jsonl"], stdout=subprocess.DEVNULL)
    assert 10_000 < most_memory(process) < 120_000
    with open(tmp_path / "db.jsonl", "rb") as lines:
        assert sum(1 for _ in lines) == 20_000


@pytest.mark.parametrize("arguments, code, words", [
    (["import", "none.geojson", "data/db", "--create-target"], 1, "No such file"),
    (["import", "a.xyz", "data/db"], 2, "--format"), (["import", "a.csv", "db"], 2, "DIR/name"),
    (["import", "a.csv", "data/none"], 1, "--create-target"), (["import", "a.csv", "data/db", "--delimiter", "ab"], 2, "ASCII"),
    (["import", "a.csv", "http://127.0.0.1:1/db"], 1, "cannot be reached"), (["export", "data/db", "a.csv"], 1, "exists already"),
    (["export", "data/db", "a.gpx", "--attachments"], 2, "jsonl"), (["export", "data/db", "a.xyz"], 2, "gpx"), (["export", "data/db", "b.csv", "--attachments"], 2, "jsonl"),
    (["import", "bad.geojson", "data/db"], 1, "line 2"), (["import", "bad.gpx", "data/db"], 1, "line 1"),
    (["export", "data/db", "nowhere/b.csv"], 1, "nowhere/b.csv")])
def test_what_cannot_be_done_says_what_to_do(tmp_path, arguments, code, words):
    (tmp_path / "a.csv").write_text("lat,lon\n1,2\n")
    (tmp_path / "bad.geojson").write_text("\n<kml/>")
    (tmp_path / "bad.gpx").write_text("<kml/>")
    assert godwit("import", "a.csv", "data/db", "--create-target", cwd=tmp_path).returncode == 0
    done = godwit(*arguments, cwd=tmp_path)
    assert done.returncode == code and words in done.stderr, done.stderr
    assert not list(tmp_path.glob("*.partial"))


def test_an_encrypted_directory(tmp_path):
    (tmp_path / "key").write_text("ab" * 32)
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "a.csv").write_text("lat,lon\n1,2\n")
    key = ["--encryption-key-file", tmp_path / "key"]
    assert run("import", tmp_path / "a.csv", f"{tmp_path}/data/db", "--create-target", *key)["written"] == 1
    assert run("export", f"{tmp_path}/data/db", tmp_path / "b.csv", *key)["written"] == 1
    assert godwit("export", f"{tmp_path}/data/db", f"{tmp_path}/c.csv").returncode == 1


def test_a_server_that_goes_away_ends_the_import_and_the_same_command_goes_on(tmp_path, server):
    """The written documents exist, and are found again."""
    file = HERE / "populated-places.geojson"
    process = subprocess.Popen(
        [GODWIT, "import", file, server.database("cities"), "--create-target", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    while requests.get(f"{server.url}/cities", auth=("admin", "secret"), timeout=5).json().get("doc_count", 0) < 500:
        pass
    server.kill()
    report = json.loads(process.communicate(timeout=60)[0].splitlines()[-1])
    assert process.returncode == 1 and not report["ok"] and "reached" in report["stopped"]
    server.start()
    rest = run("import", file, server.database("cities"))
    # Whether a batch in transfer was written is not known before.
    assert rest["written"] + rest["skipped"] == 7343 and rest["skipped"] >= max(report["written"], 500)
    assert server.json("GET", "/cities")["doc_count"] == 7343


def test_some_documents_are_exported_by_their_ids_and_by_a_selector(tmp_path):
    lines = tmp_path / "all.jsonl"
    lines.write_text("".join(
        json.dumps({"_id": f"{user}:{number}", "at": number}) + "\n"
        for user in ["ann", "anna", "bob", "ann\U0010ffff"] for number in range(5)))
    database = f"{tmp_path}/data/db"
    run("import", lines, database, "--create-target")
    assert run("export", database, tmp_path / "a.jsonl", "--id-prefix", "ann:")["written"] == 5
    assert run("export", database, tmp_path / "b.jsonl", "--selector", '{"at": {"$gte": 3}}')["written"] == 8
    assert run("export", database, tmp_path / "c.csv", "--id-prefix", "bob:", "--selector",
               '{"at": {"$gte": 1, "$lt": 3}, "_id": {"$ne": "bob:2"}}')["written"] == 1
    assert (tmp_path / "c.csv").read_text().splitlines()[1].startswith("bob:1")
    for selector, reason in [("{", "the text ends before the end of the JSON, at byte 1"), ('{"$x": 1}', "Invalid operator"), ('{"$text": "a"}', "cannot use $text")]:
        answer = godwit("export", database, f"{tmp_path}/d.csv", "--selector", selector)
        assert answer.returncode == 2 and reason in answer.stderr
