"""Object storage in the console: accounts and their keys, quotas, containers, public reading, objects, folders."""

import concurrent.futures
import struct
import zlib

import pytest
import requests

import accessibility
import browser as browsers
from conftest import ADMIN
from consoles import HOSTILE, NAMELESS, OVERFLOW, chromium, console  # noqa: F401
from objectstores import objects_server

KEEPS_SESSION = True
TEXT = f'{{"km": 41, "note": "{HOSTILE}"}}'.encode()
# Names with signs that a URL must escape, and with markup that must stay text.
ODD, MARKUP = "50% #1?&ä/b+c [x]", "<img src=x onerror=alert(1)>"


def png(width, height):
    """A grey picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"\x80" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = objects_server(tmp_path_factory.mktemp("objects") / "data")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that are uploaded."""
    folder = tmp_path_factory.mktemp("files")
    for name, data in [("grey.png", png(12, 8)), ("trip.json", TEXT), ("raw.bin", bytes(100))]:
        (folder / name).write_bytes(data)
    return folder


def many(server, method, container, names):
    """Sends a request for each object, eight at a time."""
    address = f"{server.url}/v1/AUTH_shop/{container}/"
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: requests.request(method, address + requests.utils.quote(name), data=b"x", auth=ADMIN, timeout=60), names))


@pytest.fixture
def shop(server):
    """An account with the container `photos` and an object in it, however many tests ran before."""
    server.request("PUT", "/_godwit/objects/shop", json={})
    server.request("PUT", "/v1/AUTH_shop/photos")
    server.request("PUT", "/v1/AUTH_shop/photos/first.txt", data=b"first", headers={"Content-Type": "text/plain"})
    yield "shop"
    for container in server.json("GET", "/v1/AUTH_shop?format=json"):
        names = [item["name"] for item in server.json("GET", f"/v1/AUTH_shop/{container['name']}?format=json")]
        many(server, "DELETE", container["name"], names)
        server.request("DELETE", f"/v1/AUTH_shop/{container['name']}")
    server.request("DELETE", "/_godwit/objects/shop")


def cells(console):
    return console.browser.execute_script(
        "return [...document.querySelectorAll('main .data-table tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")


def first_cells(console, *names):
    """Waits until the table has exactly these names."""
    return console.until(lambda: [row[0] for row in cells(console)] == list(names))


def told(console, *words):
    return console.until(lambda: all(word in console.one("#toasts").text for word in words))


def close(console):
    """Closes the dialog. Messages have a button with the same name."""
    console.one("dialog .dialog-head button").click()
    console.until(lambda: not console.all("dialog"))


def codes(console):
    """The blocks of code of the dialog, by their titles."""
    return console.browser.execute_script("""
        return Object.fromEntries([...document.querySelectorAll('dialog .code')].map(
            code => [code.querySelector('.code-head span').textContent, code.querySelector('pre').textContent]))""")


def faults_of_dialog(console):
    """The findings in a dialog. The targets of the page behind it do not count."""
    checks = [accessibility.weak_texts, accessibility.weak_edges, accessibility.structure, accessibility.nameless, accessibility.focus_order]
    return [finding for check in checks for finding in check(console.browser)]


def upload(console, folder, *names):
    console.one("main input[type=file]").send_keys("\n".join(str(folder / name) for name in names))


def test_an_account_is_added_with_keys_and_a_quota_and_removed(console, server):
    console.visit("")
    assert console.one("#menu a[data-page='x/objects']").text == "Objects"
    console.one("#menu a[data-page='x/objects']").click()
    console.until(lambda: "There are no accounts yet." in console.text())
    console.press("Add an account")
    console.write(console.labelled("Name", "dialog"), "farm")
    console.write(console.labelled("Quota", "dialog"), "1.5")
    console.one("dialog form .primary").click()
    shown = console.until(lambda: len(codes(console)) == 4 and codes(console))
    assert shown["Endpoint of S3"] == f"{server.url}/_s3" and shown["Endpoint of Swift (Keystone)"] == f"{server.url}/v3"
    account = server.json("GET", "/_godwit/objects/farm")
    assert shown["Access key"] == account["access_key"] and len(shown["Secret key"]) > 20
    assert account["quota"] == 1_500_000_000
    assert faults_of_dialog(console) == []
    console.press("Done")
    console.until(lambda: cells(console) and cells(console)[0][:5] == ["farm", "0", "0", "0 B", "0 B of 1.5 GB"])
    console.press("Change quota of farm")
    assert console.labelled("Quota", "dialog").get_attribute("value") == "1500"
    console.write(console.labelled("Quota", "dialog"), "")
    console.one("dialog form .primary").click()
    console.until(lambda: cells(console)[0][4] == "no limit")
    assert server.json("GET", "/_godwit/objects/farm")["quota"] is None
    console.press("New keys for farm")
    console.one("dialog .danger").click()
    renewed = console.until(lambda: codes(console))
    assert renewed["Secret key"] != shown["Secret key"]
    assert renewed["Access key"] == server.json("GET", "/_godwit/objects/farm")["access_key"]
    console.press("Done")
    assert console.complaints() == []
    console.press("Add an account")
    console.write(console.labelled("Name", "dialog"), "farm")
    console.one("dialog form .primary").click()
    console.until(lambda: "exists already" in console.one("dialog .refusal").text)
    console.press("Cancel")
    console.press("Remove farm")
    assert not console.one("dialog .danger").is_enabled()
    console.one("dialog input").send_keys("farm")
    console.one("dialog .danger").click()
    told(console, "farm was removed.")
    console.until(lambda: "There are no accounts yet." in console.text())
    assert server.json("GET", "/_godwit/objects")["accounts"] == []


def test_a_container_is_created_made_public_and_deleted(console, server, shop):
    console.visit("x/objects/shop")
    first_cells(console, "photos")
    console.press("Create a container")
    console.write(console.labelled("Name", "dialog"), "photos")
    console.one("dialog form .primary").click()
    console.until(lambda: "The container photos exists already." in console.one("dialog .refusal").text)
    # The reason is in the paragraph of a page.
    console.write(console.labelled("Name", "dialog"), "a/b")
    console.one("dialog form .primary").click()
    console.until(lambda: "not valid" in console.one("dialog .refusal").text and "<" not in console.one("dialog .refusal").text)
    console.complaints()
    console.write(console.labelled("Name", "dialog"), ODD.split("/")[0])
    console.one("dialog form .primary").click()
    first_cells(console, ODD.split("/")[0], "photos")
    address = f"{server.url}/v1/AUTH_shop/photos/first.txt"
    assert requests.get(address, timeout=30).status_code == 401
    switch = console.until(lambda: [box for box in console.all("main [role=switch]")[1:] if box.is_enabled()])[0]
    switch.click()
    told(console, "Everyone may read photos now.")
    assert requests.get(address, timeout=30).text == "first"
    console.until(switch.is_enabled)
    switch.click()
    told(console, "photos is not public now.")
    assert requests.get(address, timeout=30).status_code == 401
    # The state is shown after the page is read again.
    server.request("POST", "/v1/AUTH_shop/photos", headers={"X-Container-Read": "ben,.r:*"})
    console.visit("x/objects/shop/photos")
    console.until(lambda: console.one("[role=switch]").is_selected() and f"{server.url}/v1/AUTH_shop/photos" in console.text())
    console.one("[role=switch]").click()
    console.until(lambda: server.request("HEAD", "/v1/AUTH_shop/photos").headers["X-Container-Read"] == "ben")
    assert console.complaints() == []
    console.visit("x/objects/shop")
    console.press("Delete photos")
    console.one("dialog .danger").click()
    told(console, "The container photos has objects.")
    console.press("Cancel")
    console.press(f"Delete {ODD.split('/')[0]}")
    console.one("dialog .danger").click()
    first_cells(console, "photos")


def test_files_are_uploaded_and_shown(console, server, shop, files):
    console.visit("x/objects/shop/photos")
    first_cells(console, "first.txt")
    upload(console, files, "grey.png", "trip.json", "raw.bin")
    told(console, "3 files were uploaded.")
    first_cells(console, "first.txt", "grey.png", "raw.bin", "trip.json")
    sizes = [f"{len(png(12, 8))} B", "100 B", f"{len(TEXT)} B"]
    types = ["image/png", "application/octet-stream", "application/json"]
    assert [row[1:3] for row in cells(console)[1:]] == [list(pair) for pair in zip(sizes, types)]
    assert "Objects\n4" in console.one(".figures").text
    console.press("grey.png")
    picture = console.one("dialog .preview img")
    console.until(lambda: console.browser.execute_script("return [arguments[0].naturalWidth, arguments[0].naturalHeight]", picture) == [12, 8])
    console.until(lambda: "ETag" in console.one("dialog").text and "image/png" in console.one("dialog").text)
    assert faults_of_dialog(console) == []
    close(console)
    console.press("trip.json")
    console.until(lambda: console.one("dialog .preview pre").text == TEXT.decode())
    assert not console.all("dialog .preview img")
    close(console)
    console.press("raw.bin")
    console.until(lambda: "No preview." in console.one("dialog").text)
    close(console)
    # An existing object is replaced only after a question.
    (files / "trip.json").write_bytes(b"[]")
    upload(console, files, "trip.json")
    console.until(lambda: "This object exists already: trip.json." in console.one("dialog").text)
    assert server.request("GET", "/v1/AUTH_shop/photos/trip.json").content == TEXT
    console.press("Replace")
    told(console, "trip.json was uploaded.")
    assert server.request("GET", "/v1/AUTH_shop/photos/trip.json").content == b"[]" and console.complaints() == []
    (files / "trip.json").write_bytes(TEXT)


def test_a_download_has_the_bytes_and_a_large_object_a_line_of_curl(console, server, shop):
    data = bytes(range(256)) * 40
    server.request("PUT", "/v1/AUTH_shop/photos/" + requests.utils.quote(ODD), data=data, headers={"X-Object-Meta-Author": "mia"})
    console.visit("x/objects/shop/photos?folder=" + requests.utils.quote(ODD.split("/")[0] + "/", safe=""))
    first_cells(console, ODD.split("/")[1])
    console.browser.execute_script("""
        window.saved = []
        URL.createObjectURL = blob => { blob.arrayBuffer().then(b => saved.push([blob.type, b.byteLength])); return 'blob:none' }
        HTMLAnchorElement.prototype.click = function () { saved.push(this.download) }""")
    console.press(f"Download {ODD}")
    console.until(lambda: len(console.browser.execute_script("return saved")) == 2)
    assert console.browser.execute_script("return saved") == [ODD.split("/")[1], ["application/octet-stream", len(data)]]
    console.press(ODD.split("/")[1])
    console.until(lambda: "Metadata: author\nmia" in console.one("dialog").text)
    close(console)
    # The server's list with an object of 2 GB.
    console.browser.execute_script("""
        const send = window.fetch
        window.fetch = async (address, options) => {
            const answer = await send(address, options)
            if (!address.includes('delimiter=')) return answer
            return new Response(JSON.stringify([{ name: 'big one.iso', bytes: 2e9, hash: '', content_type: 'video/mp4', last_modified: '2026-01-01T00:00:00.000000' }]))
        }
        location.hash = '#/x/objects/shop/photos'""")
    first_cells(console, "big one.iso")
    console.press("Download big one.iso")
    console.until(lambda: codes(console).get("curl") == f"curl -u 'admin' '{server.url}/v1/AUTH_shop/photos/big%20one.iso' -o 'big one.iso'")
    console.browser.get(server.url + "/_up")


def test_folders_are_opened_searched_and_uploaded_to(console, server, shop, files):
    many(server, "PUT", "photos", ["2024/may/a.txt", "2024/june/b.txt", "2024/x.txt", "2025/c.txt", ODD])
    console.visit("x/objects/shop/photos")
    first_cells(console, "2024/", "2025/", ODD.split("/")[0] + "/", "first.txt")
    console.one(".data-table .folder").click()
    console.until(lambda: console.heading() == "photos/2024/")
    first_cells(console, "june/", "may/", "x.txt")
    console.one("[data-search]").send_keys("m")
    first_cells(console, "may/")
    assert console.labelled("Folder").get_attribute("value") == "2024/"
    console.write(console.labelled("Folder"), "2024/new")
    upload(console, files, "raw.bin")
    told(console, "2024/new/raw.bin was uploaded.")
    assert server.request("GET", "/v1/AUTH_shop/photos/2024/new/raw.bin").content == bytes(100)
    console.browser.execute_script("[...document.querySelectorAll('.crumbs a')].at(-1).click()")
    console.until(lambda: console.heading() == "photos")
    # Pages of 100, also when a page ends with a folder.
    server.request("PUT", "/v1/AUTH_shop/many")
    names = [f"{number:03}{'/x' if number == 99 else ''}" for number in range(105)]
    many(server, "PUT", "many", names)
    console.visit("x/objects/shop/many")
    assert len(console.until(lambda: cells(console))) == 100 and cells(console)[-1][0] == "099/"
    console.one(".table-foot [data-more]").click()
    console.until(lambda: [row[0] for row in cells(console)][99:] == ["099/", "100", "101", "102", "103", "104"])
    assert console.complaints() == []


def test_selected_objects_are_deleted(console, server, shop):
    many(server, "PUT", "photos", ["a", "b", MARKUP])
    console.visit("x/objects/shop/photos")
    console.until(lambda: len(cells(console)) == 4)
    console.press("Delete a")
    console.one("dialog .danger").click()
    console.until(lambda: len(cells(console)) == 3)
    for name in ["b", "first.txt"]:
        console.one(f"main [aria-label='Select {name}']").click()
    console.until(lambda: "2 objects are selected." in console.one(".selection").text)
    console.press("Delete the selected objects")
    console.one("dialog .danger").click()
    told(console, "2 objects were deleted.")
    console.until(lambda: len(cells(console)) == 1)
    console.press("Select all objects in the table")
    console.press("Delete the selected objects")
    console.one("dialog .danger").click()
    console.until(lambda: "There are no objects here yet." in console.text())
    assert server.json("GET", "/v1/AUTH_shop/photos?format=json") == [] and console.complaints() == []


def test_a_refusal_of_the_server_is_shown_in_words(console, server, shop, files):
    server.json("POST", "/_godwit/objects/shop", json={"quota": 50})
    console.visit("x/objects/shop/photos")
    first_cells(console, "first.txt")
    upload(console, files, "raw.bin")
    told(console, "raw.bin was not uploaded.")
    assert "<" not in console.one("#toasts").text and "quota" in console.one("#toasts").text.lower()
    for page, words in [("x/objects/shop/none", "none"), ("x/objects/nobody", "nobody")]:
        console.visit(page)
        console.until(lambda: console.all(".state-error") and words in console.one(".state-error").text)
        assert "<" not in console.one(".state-error").text


def test_the_pages_are_accessible_and_fit_a_phone(console, server, shop):
    server.request("PUT", "/v1/AUTH_shop/photos/2024/x.txt", data=b"x")
    server.request("POST", "/_godwit/objects/shop", json={"quota": 1000})
    found = {}
    for size, scheme in [((1280, 900), "light"), ((320, 640), "dark")]:
        browsers.resize(console.browser, *size)
        console.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        for page in ["x/objects", "x/objects/shop", "x/objects/shop/photos"]:
            console.visit(page)
            console.until(lambda: console.all("main .data-table"))
            if console.all("main [role=switch]"):
                console.until(console.one("main [role=switch]").is_enabled)
            console.browser.execute_script("for (const d of document.querySelectorAll('main details')) d.open = true")
            findings = accessibility.findings(console.browser) + accessibility.focus_order(console.browser)
            findings += ["too wide"] * (console.browser.execute_script(OVERFLOW) > 0) + console.browser.execute_script(NAMELESS)
            found[size, page] = findings
            browsers.picture(console.browser, f"console-objects-{page.count('/')}-{scheme}")
    console.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert {page: findings for page, findings in found.items() if findings} == {}
