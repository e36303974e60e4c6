"""The process of a device: its access, photos, the location, work without a network, and logins."""

import hashlib
import json
import random
import threading
import time
import urllib.parse

import requests

from bad_network import Proxy
from conftest import ROOT, Server, eventually
from geopixes import PASSWORD, PHOTOS, PROGRAM, Device, Listener, device, png, site, with_exif  # noqa: F401
from issuers import Issuer

FIELDS = {"sort", "clientDate", "latitude", "longitude", "altitude", "course", "type"}


def documents(site):
    rows = site.json("GET", "/geopix/_all_docs?include_docs=true")["rows"]
    return {row["id"]: row["doc"] for row in rows if not row["id"].startswith("_design/")}


# ---- Access


def test_other_programs_and_pages_are_refused(device):
    own, foreign = device.browser, requests.Session()
    assert foreign.get(device.url + "/state", timeout=60).status_code == 403
    assert foreign.get(device.url + "/?key=wrong", timeout=60).status_code == 403
    assert foreign.post(device.url + "/photos", data=PHOTOS[0].read_bytes(), timeout=60).status_code == 403
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"},
                    {"Origin": "null"}, {"Sec-Fetch-Site": "same-site"}):
        for path in ("/state", "/events", "/gallery"):
            assert own.get(device.url + path, headers=headers, timeout=60).status_code == 403, headers
        answer = own.post(device.url + "/actions/signOut", json={}, headers=headers, timeout=60)
        assert answer.status_code == 403, headers
    assert device.state()["user"] == "ann"
    cookie = requests.get(device.address, allow_redirects=False, timeout=60).headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    key = device.address.split("key=")[1]
    for path in ("/state", "/gallery", "/nothing"):
        assert key not in requests.get(device.url + path, timeout=60).text


def test_only_one_browser_is_the_screen(device):
    listener = Listener(device.url + "/events", device.browser)
    eventually(lambda: listener.found)
    second = requests.Session()
    second.get(device.address, timeout=60)
    assert second.get(device.url + "/state", timeout=60).status_code == 200
    assert device.get("/state").status_code == 403
    count = len(listener.found)
    second.post(device.url + "/actions/location",
                json={"latitude": 1, "longitude": 2, "time": round(time.time() * 1000)}, timeout=60)
    time.sleep(1)
    assert len(listener.found) == count


# ---- Photos


def test_a_photo_has_the_seven_fields_and_reaches_the_server(device, site):
    device.locate(47.3769, 8.5417, altitude=410, course=90)
    before = time.time()
    id_ = device.taken(PHOTOS[0], source="camera")
    device.settled()
    document = documents(site)[id_]
    assert FIELDS == {name for name in document if not name.startswith("_")}
    assert document["type"] == "com.geopix.entry" and before <= document["sort"] <= time.time()
    assert (document["latitude"], document["longitude"]) == (47.3769, 8.5417)
    assert (document["altitude"], document["course"]) == (410, 90)
    assert isinstance(document["clientDate"], str) and len(document["clientDate"]) > 20
    (name, attachment), = document["_attachments"].items()
    assert name == f"image{int(document['sort'])}.jpg" and attachment["content_type"] == "image/jpeg"
    # A quality of 80 %, without the data of the camera.
    assert device.state()["settings"]["quality"] == 0.8
    assert PHOTOS[0].stat().st_size / 3 < attachment["length"] < PHOTOS[0].stat().st_size * 1.5
    stored = site.request("GET", f"/geopix/{id_}/{name}").content
    assert stored == device.get(f"/photo/{id_}/image").content and b"Exif" not in stored
    assert len(device.get(f"/photo/{id_}/thumbnail").content) < len(stored)


def test_a_repeated_request_stores_a_photo_once(device, site):
    ids = {device.taken(PHOTOS[0], token="one-token-12") for _ in range(3)}
    assert len(ids) == 1 and device.state()["count"] == 1
    assert device.photo(PHOTOS[0], token="../../x").status_code == 400


def test_the_place_of_a_file_is_its_own(device):
    device.locate(1, 2)
    alps = next(path for path in PHOTOS if "alps" in path.name)
    bare = next(path for path in PHOTOS if "sea-cliffs" in path.name)
    for file in (alps, bare):
        device.taken(file, source="file")
    places = {round(p["latitude"], 4) if p["latitude"] is not None else None
              for p in device.get("/gallery").json()["photos"]}
    assert places == {46.9672, None}
    device.done("settings", usesPhotoPlaces=False)
    id_ = device.taken(alps, source="file")
    assert next(p for p in device.get("/gallery").json()["photos"] if p["id"] == id_)["latitude"] is None


def test_an_old_position_is_ignored(device):
    device.locate(10, 20, age=20)
    assert device.state()["location"] is None
    device.locate(10, 20, age=13)
    location = device.state()["location"]
    assert location["isFresh"] and location["label"] == "Lat: +10.00000, Lon: +20.00000"
    eventually(lambda: not device.state()["location"]["isFresh"])
    id_ = device.taken(PHOTOS[0], source="camera")
    assert next(p for p in device.get("/gallery").json()["photos"] if p["id"] == id_)["latitude"] is None


def test_positions_of_a_file_are_played(tmp_path, site):
    track = ROOT / "Examples/LocationTracker/Data/tracks/drive-past-the-places.gpx"
    device = Device(tmp_path / "ann", site.url, "--gpx", str(track), "--speed", "60").register("ann")
    assert device.state()["locationSource"] == "gpx"
    first = eventually(lambda: device.state()["location"])
    assert first["isFresh"]
    id_ = device.taken(PHOTOS[0], source="camera")
    photo = next(p for p in device.get("/gallery").json()["photos"] if p["id"] == id_)
    assert abs(photo["latitude"] - first["latitude"]) < 1
    eventually(lambda: device.state()["location"]["latitude"] != first["latitude"])
    device.stop()


def test_the_gallery_is_paged_and_newest_first(device):
    for number in range(7):
        device.taken(PHOTOS[number % 3], source="camera")
    found, query = [], {"limit": 3}
    while True:
        page = device.get("/gallery", params=query).json()
        found += page["photos"]
        if not page["next"]:
            break
        query = {"limit": 3, **page["next"]}
    assert len(found) == 7 == len({p["id"] for p in found})
    assert [p["sort"] for p in found] == sorted((p["sort"] for p in found), reverse=True)
    assert device.state()["last"]["id"] == found[0]["id"]


def test_captions_and_deletions_reach_the_server(device, site):
    id_ = device.taken(PHOTOS[0], caption="<b>Zürich</b>")
    assert device.state()["last"]["caption"] == "<b>Zürich</b>"
    device.done("caption", id=id_, caption="The lake")
    device.settled()
    eventually(lambda: documents(site).get(id_, {}).get("caption") == "The lake")
    device.done("delete", id=id_)
    eventually(lambda: id_ not in documents(site))
    assert device.state()["count"] == 0 and device.get(f"/photo/{id_}/image").status_code == 404


# ---- Bad pictures


def test_bad_pictures_are_refused_and_harm_nothing(device):
    jpeg = PHOTOS[0].read_bytes()
    huge_offset = b"\xff\xff\xff\xff"
    cases = [
        (png(50_000, 50_000), 413), (jpeg[:len(jpeg) // 2], 400), (jpeg[:3], 400), (b"", 415),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", 415),
        (b"GIF89a" + bytes(100), 415), (png(10, 10)[:45], 400), (bytes(33 << 20), 413),
        (b"\xff\xd8\xff\xc0" + bytes(200), 400),
    ]
    for number, (file, status) in enumerate(cases):
        answer = device.photo(file)
        assert answer.status_code == status, (number, answer.text)
        assert answer.json()["reason"]
    # Damaged data of the camera is no reason to refuse the picture.
    for entries in ([(0x8825, 4, 1, huge_offset)], [(0x8769, 4, 1, huge_offset)], [(0x10E, 2, 0xFFFFFFFF, huge_offset)],
                    [(0x112, 3, 1, b"\x63\0\0\0")]):
        assert device.photo(with_exif(jpeg, entries)).status_code == 201, entries
    assert device.state()["count"] == 4


def test_a_photo_is_turned_upright(device):
    lighthouse = next(path for path in PHOTOS if "lighthouse" in path.name)
    id_ = device.taken(lighthouse)
    picture = device.get(f"/photo/{id_}/image").content
    assert size(lighthouse.read_bytes()) == (1600, 1200) and size(picture) == (1200, 1600)


def size(jpeg):
    """The width and height in the frame header of a JPEG."""
    place = 2
    while jpeg[place + 1] not in (0xC0, 0xC1, 0xC2):
        place += 2 + int.from_bytes(jpeg[place + 2:place + 4])
    return int.from_bytes(jpeg[place + 7:place + 9]), int.from_bytes(jpeg[place + 5:place + 7])


# ---- Without a network


def test_photos_of_a_device_without_a_network_follow(device, site):
    listener = Listener(device.url + "/events", device.browser)
    site.kill()
    ids = [device.taken(PHOTOS[number % len(PHOTOS)]) for number in range(5)]
    state = eventually(lambda: (state := device.state())["replication"]["text"] == "Replication Error" and state)
    assert state["waiting"] == 5 and state["count"] == 5 and state["replication"]["reason"]
    assert len(device.get("/gallery").json()["photos"]) == 5
    site.start()
    state = device.settled()
    assert set(ids) <= set(documents(site))
    eventually(lambda: device.state()["replication"]["text"] == "Replication Complete")
    texts = [data["replication"]["text"] for _, data in listener.found]
    assert "Replication Started" in texts and "Replication Error" in texts
    eventually(lambda: listener.found[-1][1]["replication"]["text"] == "Replication Complete")


def test_killed_devices_and_cut_connections_lose_no_acknowledged_photo(tmp_path, site):
    with Proxy(site, seed=28, cut=(1_000, 200_000), cuts_max=25) as proxy:
        device = Device(tmp_path / "ann", f"http://127.0.0.1:{proxy.port}")
        proxy_cut, proxy.cut = proxy.cut, None
        device.register("ann")
        proxy.cut = proxy_cut
        acknowledged, chance = {}, random.Random(7)
        while len(acknowledged) < 20:
            token = f"photo-{len(acknowledged):03}"
            killer = threading.Timer(chance.uniform(0.05, 0.8), device.kill) if chance.random() < 0.3 else None
            if killer:
                killer.start()
            try:
                id_ = device.taken(PHOTOS[len(acknowledged) % len(PHOTOS)], token=token)
                acknowledged[id_] = hashlib.sha256(device.get(f"/photo/{id_}/image").content).hexdigest()
            except requests.RequestException:
                pass
            if killer:
                killer.join()
                device.process.wait(10)
                device.start()
        device.settled()
        found = documents(site)
        assert set(found) == set(acknowledged)
        for id_, digest in acknowledged.items():
            (name, _), = found[id_]["_attachments"].items()
            assert hashlib.sha256(site.request("GET", f"/geopix/{id_}/{name}").content).hexdigest() == digest
            assert len(site.json("GET", f"/geopix/{id_}?revs=true")["_revisions"]["ids"]) == 1
        device.stop()
    assert proxy.cuts > 3


def test_the_counts_of_photos_that_the_server_lacks(device, site):
    sent = device.taken(PHOTOS[0])
    gone = device.taken(PHOTOS[1])
    device.settled()
    site.kill()
    device.done("caption", id=sent, caption="changed")
    device.done("delete", id=gone)
    fresh = device.taken(PHOTOS[2])
    device.done("delete", id=device.taken(PHOTOS[3]))
    state = device.state()
    assert (state["count"], state["waiting"], state["unsent"]) == (2, 2, 1)
    photos = {photo["id"]: photo for photo in device.get("/gallery").json()["photos"]}
    assert (photos[sent]["isSent"], photos[sent]["isOnServer"]) == (False, True)
    assert (photos[fresh]["isSent"], photos[fresh]["isOnServer"]) == (False, False)
    site.start()
    state = device.settled()
    assert state["unsent"] == 0
    eventually(lambda: set(documents(site)) == {sent, fresh})


def test_a_photo_that_the_server_refuses_is_not_counted_as_sent(device, site):
    rule = "function (doc) { if (doc.caption === 'refused') throw({forbidden: 'This caption is refused.'}); }"
    site.json("PUT", "/geopix/_design/rule", json={"validate_doc_update": rule})
    refused = device.taken(PHOTOS[0], caption="refused")
    eventually(lambda: device.state()["replication"]["reason"] == "This caption is refused.")
    # Later photos arrive, and the refused one still waits, after a restart too.
    other = device.taken(PHOTOS[1])
    eventually(lambda: set(documents(site)) == {other})
    eventually(lambda: (device.state()["waiting"], device.state()["unsent"]) == (1, 1))
    device.kill()
    device.start()
    device.done("sync")
    # Each run tries it again, and says why it is refused.
    eventually(lambda: device.state()["replication"]["reason"] == "This caption is refused.")
    assert (device.state()["waiting"], device.state()["unsent"]) == (1, 1)
    device.done("caption", id=refused, caption="accepted")
    device.settled()
    assert set(documents(site)) == {refused, other}


def test_the_work_goes_on_without_a_browser(device, site):
    site.kill()
    device.taken(PHOTOS[0])
    device.browser.close()
    site.start()
    eventually(lambda: len(documents(site)) == 1, 60)


# ---- What is stored


def test_the_files_of_a_device_contain_no_photo_and_no_place(device):
    device.locate(47.37690123, 8.54170123)
    id_ = device.taken(PHOTOS[0], source="camera", caption="a secret caption")
    picture = device.get(f"/photo/{id_}/image").content
    device.settled()
    device.kill()
    samples = [b"a secret caption", b"47.37690123", b"com.geopix.entry", b"ann", picture[1000:1064], b"JFIF"]
    for path in device.home.rglob("*"):
        if path.is_file():
            bytes_ = path.read_bytes()
            assert not [sample for sample in samples if len(sample) > 3 and sample in bytes_], path
    device.start()
    assert device.state()["user"] == "ann" and device.state()["last"]["id"] == id_


def test_a_passphrase_protects_the_photos(tmp_path, site):
    device = Device(tmp_path / "home", site.url, key=None)
    assert device.state()["stage"] == "new"
    assert device.act("unlock", passphrase="short").status_code == 400
    assert device.act("register", name="ann", password=PASSWORD).status_code == 409
    device.done("unlock", passphrase="a long passphrase")
    assert device.state()["stage"] == "signedOut"
    device.register("ann")
    device.taken(PHOTOS[0])
    device.stop()
    # The kernel may keep the key until the machine restarts.
    device.start()
    if device.state()["stage"] == "locked":
        assert device.act("unlock", passphrase="another passphrase").status_code == 409
        device.done("unlock", passphrase="a long passphrase")
    assert device.state()["stage"] == "ready" and device.state()["count"] == 1
    device.stop()


# ---- Logins


def test_a_login_of_the_servers_own(tmp_path, site):
    device = Device(tmp_path / "home", site.url)
    answers = []
    threading.Thread(target=lambda: answers.append(device.act("signIn", login="studio")), daemon=True).start()
    challenge = eventually(lambda: device.state()["challenge"])
    assert [field["name"] for field in challenge["fields"]] == ["name", "pin"] and challenge["message"] is None
    device.done("answer", values={"name": "ann", "pin": "0000"})
    challenge = eventually(lambda: (found := device.state()["challenge"]) and found["message"] and found)
    assert challenge["message"] == "Invalid login credentials"
    device.done("answer", values={"name": "ann", "pin": "4711"})
    eventually(lambda: answers)
    assert answers[0].status_code == 200, answers[0].text
    assert device.state()["stage"] == "ready"
    device.taken(PHOTOS[0])
    device.settled()
    device.stop()


def test_a_login_at_a_provider_in_the_browser(tmp_path):
    issuer = Issuer()
    try:
        declaration = tmp_path / "logins.json"
        declaration.write_text(json.dumps({"providers": {"corporate": issuer.declaration(display_name="The company")}}))
        site = Server(tmp_path / "cloud", program=PROGRAM, environment={"GEOPIX_LOGINS": str(declaration)})
        device = Device(tmp_path / "home", site.url)
        login = eventually(lambda: next((one for one in device.state()["logins"] if one["id"] == "corporate"), None))
        assert login == {"id": "corporate", "kind": "browser", "title": "The company"}
        for origin in ("http://evil.example", "https://127.0.0.1.evil.example"):
            assert device.act("open", login="corporate", origin=origin).status_code == 400
        assert device.act("open", login="studio", origin=device.url).status_code == 400
        address = device.done("open", login="corporate", origin=device.url)["address"]
        # Another site sends the browser to the device, without the device's cookie.
        end = requests.get(address, headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, timeout=60)
        assert end.url.startswith(f"{device.url}/login?") and end.status_code == 200 and 'href="/"' in end.text
        state = device.state()
        assert state["stage"] == "ready" and state["user"] == "corporate-u1", state
        # The address of the return is of no use a second time, and to others.
        assert requests.get(end.url, timeout=60).status_code == 200
        assert device.state()["stage"] == "ready"
        assert requests.get(f"{device.url}/login", timeout=60).status_code == 403
        device.taken(PHOTOS[0])
        device.settled()
        device.done("signOut")
        address = device.done("open", login="corporate", origin=device.url)["address"]
        state = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)["state"][0]
        requests.get(f"{device.url}/login?state={state}&error=access_denied&error_description=You+said+no", timeout=60)
        assert device.state()["loginFailure"] == "You said no" and device.state()["stage"] == "signedOut"
        device.stop()
        site.stop()
    finally:
        issuer.stop()


def test_wrong_logins_and_signing_out(device, site):
    assert device.act("signIn", login="password", name="ann", password=PASSWORD).status_code == 400
    device.taken(PHOTOS[0])
    device.settled()
    device.done("signOut")
    state = device.state()
    assert state["stage"] == "signedOut" and state["count"] == 0 and state["user"] is None
    assert device.photo(PHOTOS[0]).status_code == 409
    answer = device.act("signIn", login="password", name="ann", password="a wrong password")
    assert answer.status_code == 403 and PASSWORD not in answer.text
    device.done("signIn", login="password", name="ann", password=PASSWORD)
    assert len(documents(site)) == 1
    # A login brings the user's photos to the device, where they can be changed.
    state = eventually(lambda: (state := device.state())["count"] == 1 and state["waiting"] == 0 and state)
    assert state["unsent"] == 0
    id_ = state["last"]["id"]
    device.done("caption", id=id_, caption="changed here")
    eventually(lambda: documents(site)[id_].get("caption") == "changed here")
    # The photos on the server are read with the same query.
    shared = device.get("/gallery", params={"from": "server"}).json()["photos"]
    assert len(shared) == 1 and shared[0]["user"] == "ann"
    image = device.get(f"/photo/{shared[0]['id']}/image", params={"from": "server"})
    assert image.headers["Content-Type"] == "image/jpeg"


def test_a_lost_device_removes_its_photos(device, site):
    device.taken(PHOTOS[0])
    device.settled()
    (own,) = site.json("GET", "/_apps/geopix/users/ann/devices")["devices"]
    site.json("PUT", f"/_apps/geopix/users/ann/devices/{own['id']}/state", json={"state": "lost"})
    device.taken(PHOTOS[1])
    state = eventually(lambda: (state := device.state())["notice"] and state["stage"] == "signedOut" and state, 60)
    assert state["notice"]["kind"] == "wiped" and state["count"] == 0 and state["user"] is None
    assert device.get("/gallery").status_code == 409


# ---- Rights


def test_a_user_cannot_change_the_photos_of_another(device, site, tmp_path):
    id_ = device.taken(PHOTOS[0])
    device.settled()
    site.json("PUT", "/_apps/geopix/users/eve", json={"password": PASSWORD})
    login = requests.post(f"{site.url}/_apps/geopix/login", json={"name": "eve", "password": PASSWORD,
                                                                  "device": {"name": "x"}}, timeout=60).json()
    eve = requests.Session()
    eve.headers["Authorization"] = f"Bearer {login['access_token']}"
    document = documents(site)[id_]
    photo = {name: document[name] for name in FIELDS}
    base = f"{site.url}/geopix"

    def put(id_, body, **options):
        return eve.put(f"{base}/{id_}", json=body, timeout=60, **options).status_code

    assert put(id_, {**photo, "_rev": document["_rev"], "caption": "mine"}) == 403
    assert eve.delete(f"{base}/{id_}?rev={document['_rev']}", timeout=60).status_code == 403
    assert put("ann:another", photo) == 403 and put("nobody", photo) == 403
    assert put("_design/x", {"views": {}}) == 403
    assert put("eve:one", {**photo, "owner": "ann"}) == 403 and put("eve:two", {**photo, "latitude": 91}) == 403
    assert put("eve:three", {**photo, "type": "x"}) == 403 and put("eve:four", {**photo, "sort": "x"}) == 403
    html = {"x.html": {"content_type": "text/html", "data": "PHNjcmlwdD4="}}
    assert put("eve:five", {**photo, "_attachments": html}) == 403
    assert eve.put(f"{base}/{id_}/x.jpg?rev={document['_rev']}", data=b"x",
                   headers={"Content-Type": "image/jpeg"}, timeout=60).status_code == 403
    assert put("eve:six", photo) == 201
    for path in ("/geopix_users/_all_docs", "/geopix_thumbnails/_all_docs", "/_users/_all_docs"):
        assert eve.get(site.url + path, timeout=60).status_code in (401, 403), path
    assert requests.put(f"{base}/eve:seven", json=photo, timeout=60).status_code == 401
    assert requests.get(f"{base}/{id_}", timeout=60).status_code == 200
    assert documents(site)[id_] == document
