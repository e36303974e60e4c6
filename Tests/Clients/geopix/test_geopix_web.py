"""The pages, pictures and events of GeoPix's server, without a browser."""

import base64
import concurrent.futures
import json
import subprocess
import time

import pytest
import requests

from bad_network import LONG
from conftest import Server, eventually
from geopixes import (PASSWORD, PHOTOS, PROGRAM, Device, Listener, device, png, site, with_exif)  # noqa: F401
from web_sockets import Socket


def anyone(site, path, **options):
    return requests.get(site.url + path, timeout=60, **options)


def test_the_home_page_is_the_map(site):
    page = anyone(site, "/", headers={"Accept": "text/html", "Sec-Fetch-Mode": "navigate"}, allow_redirects=False)
    assert page.status_code in (302, 303) and page.headers["Location"].endswith("/map")
    assert anyone(site, "/", headers={"Accept": "application/json"}).json()["couchdb"] == "Welcome"
    for path in ("/map", "/list"):
        answer = anyone(site, path)
        assert answer.status_code == 200 and "text/html" in answer.headers["Content-Type"]
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert "no photos" in anyone(site, "/list").text
    assert anyone(site, "/photos/files/nothing.js").status_code == 404
    assert anyone(site, "/photos/leaflet/leaflet.js").status_code == 200
    assert anyone(site, "/photos/leaflet/..%2F..%2Fx.js").status_code in (401, 404)


def test_photos_pages_and_pictures_are_public(device, site):
    ids = [device.taken(PHOTOS[number], source="file", caption=f"Photo {number}") for number in range(5)]
    device.settled()
    found, query = [], "?limit=2"
    while query:
        page = anyone(site, "/photos" + query).json()
        found += page["photos"]
        query = page["next"] and f"?limit=2&before={page['next']['before']}&beforeId={page['next']['beforeId']}"
    assert {photo["id"] for photo in found} == set(ids) and len(found) == 5
    assert [photo["sort"] for photo in found] == sorted((photo["sort"] for photo in found), reverse=True)
    photo = found[0]
    assert anyone(site, f"/photos/one/{photo['id']}").json() == photo
    assert anyone(site, "/photos/one/nobody:x").status_code == 404
    assert anyone(site, "/photos/one/_design%2Fsort").status_code == 404
    image = anyone(site, photo["image"])
    assert image.headers["Content-Type"] == "image/jpeg" and image.headers["ETag"]
    part = anyone(site, photo["image"], headers={"Range": "bytes=10-19"})
    assert part.status_code == 206 and part.content == image.content[10:20]
    assert anyone(site, photo["image"], headers={"If-None-Match": image.headers["ETag"]}).status_code == 304
    assert anyone(site, "/image/_design%2Fowners/x").status_code in (401, 404)
    assert anyone(site, "/photos?before=x").status_code == 400
    rows = anyone(site, "/photos/map").json()
    assert rows["total"] == len(rows["photos"]) == sum(1 for photo in found if photo["latitude"] is not None)


def test_a_thumbnail_is_made_once_and_kept(device, site):
    id_ = device.taken(PHOTOS[0])
    device.settled()
    photo = anyone(site, f"/photos/one/{id_}").json()
    first = anyone(site, photo["thumbnail"])
    assert first.status_code == 200 and first.headers["Content-Type"] == "image/jpeg"
    assert anyone(site, photo["thumbnail"], headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    kept = site.json("GET", f"/geopix_thumbnails/{id_}")
    assert kept["_rev"].startswith("1-")
    assert anyone(site, photo["thumbnail"]).content == first.content
    assert site.json("GET", f"/geopix_thumbnails/{id_}")["_rev"] == kept["_rev"]
    assert requests.get(f"{site.url}/geopix_thumbnails/{id_}", timeout=60).status_code == 401
    device.done("delete", id=id_)
    eventually(lambda: site.request("GET", f"/geopix_thumbnails/{id_}").status_code == 404)
    assert anyone(site, photo["thumbnail"]).status_code == 404


def test_many_clients_get_the_thumbnails_of_many_new_photos(device, site):
    ids = [device.taken(PHOTOS[0]) for _ in range(40)]
    device.settled()
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = pool.map(lambda id_: anyone(site, f"/thumbnail/{id_}/image.jpg").status_code, ids * 3)
        assert set(answers) == {200}


def test_the_list_shows_captions_as_text(device, site):
    device.taken(PHOTOS[0], caption="<script>alert('x')</script> & \"more\"")
    device.settled()
    text = anyone(site, "/list").text
    assert "<script" not in text and "&lt;script&gt;alert(&#39;x&#39;)" in text
    assert "latitude: " in text and 'href="/map#ann%3A' in text


def test_the_list_is_paged_without_scripts(device, site):
    for number in range(26):
        device.taken(PHOTOS[0], caption=f"number {number:02}")
    device.settled()
    text, seen, pages = anyone(site, "/list").text, [], 0
    while True:
        pages += 1
        seen += [number for number in range(26) if f"number {number:02}" in text]
        if 'rel="next"' not in text:
            break
        text = anyone(site, text.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0].replace("&amp;", "&")).text
    assert pages == 2 and sorted(seen) == list(range(26)) and 'rel="first"' in text


def test_new_and_deleted_photos_reach_every_listener(device, site, tmp_path):
    listeners = [Listener(site.url + "/photos/events") for _ in range(3)]
    eventually(lambda: all(listener.found for listener in listeners))
    second = Device(tmp_path / "ben", site.url).register("ben")
    ids = [device.taken(PHOTOS[0]), second.taken(PHOTOS[1])]
    for listener in listeners:
        eventually(lambda: {data["id"] for name, data in listener.found if name == "image"} == set(ids))
    photo = next(data for name, data in listeners[0].found if name == "image")
    assert anyone(site, photo["thumbnail"]).status_code == 200
    device.done("delete", id=ids[0])
    for listener in listeners:
        eventually(lambda: ("gone", {"id": ids[0]}) in listener.found)
    second.stop()


def test_photos_are_announced_over_a_web_socket(device, site):
    client = Socket(site, "/photos/socket")
    assert client.status == 101 and client.headers["upgrade"] == "websocket"
    # The key and its answer are those of RFC 6455.
    assert client.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    id_ = device.taken(PHOTOS[0])
    opcode, text = client.frame()
    event = json.loads(text)
    assert opcode == 1 and event["event"] == "image" and event["data"]["id"] == id_
    client.send(9, b"hello")
    assert client.frame() == (10, b"hello")
    client.send(1, b"a message is ignored")
    device.done("delete", id=id_)
    assert json.loads(client.frame()[1]) == {"event": "gone", "data": {"id": id_}}
    client.send(8, b"\x03\xe8")
    assert client.frame()[0] == 8 and client.frame() is None
    # A client that leaves without a word, and one that sends nonsense, end too.
    Socket(site, "/photos/socket").socket.close()
    broken = Socket(site, "/photos/socket")
    broken.socket.sendall(b"\xff" * 100)
    assert broken.frame() is None
    waiting = [Socket(site, "/photos/socket") for _ in range(3)]
    site.stop()
    for client in waiting:
        assert client.frame() in ((8, b"\x03\xe9"), None)


def test_a_request_that_is_no_handshake_is_told_so(site):
    answer = anyone(site, "/photos/socket")
    assert answer.status_code == 426 and answer.headers["Upgrade"] == "websocket" and answer.json()["reason"]
    for changed in ({"Sec-WebSocket-Key": "short"}, {"Sec-WebSocket-Key": None}, {"Sec-WebSocket-Version": "8"},
                    {"Upgrade": "h2c"}):
        assert Socket(site, "/photos/socket", **changed).status == 426, changed
    # Other routes do not change the protocol.
    assert Socket(site, "/_up").status == 200
    assert anyone(site, "/_up").status_code == 200


@pytest.mark.skipif(not LONG, reason="a timing: GODWIT_LONG=1")
def test_a_photo_is_on_every_map_within_a_second_of_the_push(device, site, tmp_path):
    listeners = [Listener(site.url + "/photos/events") for _ in range(3)]
    second = Device(tmp_path / "ben", site.url).register("ben")
    eventually(lambda: all(listener.found for listener in listeners))
    durations = []
    for number in range(40):
        taker = (device, second)[number % 2]
        id_ = taker.taken(PHOTOS[number % len(PHOTOS)])
        eventually(lambda: site.request("HEAD", f"/geopix/{id_}").status_code == 200)
        pushed = time.monotonic()
        for listener in listeners:
            eventually(lambda: any(data.get("id") == id_ for _, data in listener.found))
        durations.append(time.monotonic() - pushed)
    second.stop()
    print(f"largest {max(durations) * 1000:.0f} ms of {len(durations)}")
    assert max(durations) < 1


def test_photos_of_a_bound_service_are_on_the_map(tmp_path, other):
    other.json("PUT", "/geopix")
    picture = base64.b64encode(PHOTOS[0].read_bytes()).decode()
    other.json("PUT", "/geopix/image1", json={
        "type": "com.geopix.entry", "sort": 1000.5, "latitude": 1, "longitude": 2, "clientDate": "a date",
        "_attachments": {"image1000.jpg": {"content_type": "image/jpeg", "data": picture}}})
    services = {"cloudantNoSQLDB": [{"credentials": {"url": other.url.replace("://", "://admin:secret@")}}]}
    server = Server(tmp_path / "cloud", program=PROGRAM, environment={"VCAP_SERVICES": json.dumps(services)})
    photo = eventually(lambda: (photos := anyone(server, "/photos").json()["photos"]) and photos[0])
    assert anyone(server, photo["thumbnail"]).status_code == 200
    assert "secret" not in server.stop()


def test_a_server_that_starts_again_has_the_photos_of_the_map(device, site):
    ids = {device.taken(PHOTOS[number], source="file") for number in range(3)}
    device.settled()
    before = anyone(site, "/photos/map").json()
    site.kill()
    site.start()
    assert anyone(site, "/photos/map").json() == before and {row[0] for row in before["photos"]} <= ids


def test_pictures_of_strangers_harm_nothing(site):
    site.json("PUT", "/_apps/geopix/users/eve", json={"password": PASSWORD})
    token = requests.post(f"{site.url}/publicServices/generateToken", json={"name": "eve", "password": PASSWORD},
                          timeout=60).json()["token"]
    jpeg = PHOTOS[0].read_bytes()
    files = {"bomb": png(50_000, 50_000), "cut": jpeg[:5000], "svg": b"<svg onload='alert(1)'/>", "empty": b"",
             "offset": with_exif(jpeg, [(0x8825, 4, 1, b"\xff\xff\xff\xff")])}
    for name, file in files.items():
        body = {"type": "com.geopix.entry", "sort": 1000, "latitude": 1, "longitude": 2}
        base = f"{site.url}/geopix/eve:{name}"
        headers = {"Authorization": f"Bearer {token}"}
        rev = requests.put(base, json=body, headers=headers, timeout=60).json()["rev"]
        answer = requests.put(f"{base}/image1000.jpg?rev={rev}", data=file, timeout=60,
                              headers={**headers, "Content-Type": "image/jpeg"})
        assert answer.status_code == 201, answer.text
    for name, file in files.items():
        for _ in range(2):
            answer = anyone(site, f"/thumbnail/eve%3A{name}/image1000.jpg")
            assert answer.status_code == (200 if name == "offset" else 415), (name, answer.text)
        image = anyone(site, f"/image/eve%3A{name}/image1000.jpg")
        assert image.headers["Content-Type"] == "image/jpeg" and image.content == file
        assert image.headers["X-Content-Type-Options"] == "nosniff"
    # The reason is kept, so that a picture is not decoded again for each request.
    assert site.json("GET", "/geopix_thumbnails/eve:bomb")["refused"]
    assert anyone(site, "/_up").status_code == 200


def test_tokens_of_the_original(site):
    site.json("PUT", "/_apps/geopix/users/ann", json={"password": PASSWORD})
    for path in ("/protectedServices/test", "/protected/x.html"):
        answer = anyone(site, path)
        assert answer.status_code == 401 and answer.headers["WWW-Authenticate"] == "Bearer"
    wrong = requests.post(f"{site.url}/publicServices/generateToken", json={"name": "ann", "password": "wrong"},
                          timeout=60)
    assert wrong.status_code == 401
    made = requests.post(f"{site.url}/publicServices/generateToken", json={"name": "ann", "password": PASSWORD},
                         timeout=60)
    assert made.status_code == 200
    headers = {"Authorization": f"Bearer {made.json()['token']}"}
    answer = anyone(site, "/protectedServices/test", headers=headers)
    assert answer.status_code == 200 and answer.text == "Successfully access to protected backend endpoint."
    assert anyone(site, "/protected/x.html", headers=headers).status_code == 404
    assert requests.post(f"{site.url}/publicServices/generateToken", data="{}", timeout=60).status_code in (400, 415)


def test_the_demo_prints_what_to_try(tmp_path):
    command = [PROGRAM, "demo", "--data", str(tmp_path / "demo"), "--port", "0", "--device-port", "0",
               "--photos", str(PHOTOS[0].parent)]
    # A demo that is stopped while it adds the photos adds the others at its next start.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "account registered" in process.stderr.readline()
    process.terminate()
    process.communicate(timeout=30)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = []
    while not lines or "Ctrl-C ends the demo" not in lines[-1]:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        lines.append(line)
    text = "".join(lines)
    address = text.split("Map      ")[1].split()[0]
    assert requests.get(address, timeout=60).status_code == 200
    assert len(requests.get(address.replace("/map", "/photos"), timeout=60).json()["photos"]) == len(PHOTOS)
    assert "Added 12 sample photos." in text and "Device   http://127.0.0.1:" in text
    process.terminate()
    process.communicate(timeout=30)
    time.sleep(0.2)
    try:
        requests.get(address, timeout=5)
        raise AssertionError("the server of the demo still runs")
    except requests.ConnectionError:
        pass
