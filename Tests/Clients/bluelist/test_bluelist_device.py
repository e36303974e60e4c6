"""Bluelist's devices: the list without a network, its storage, its user, and two devices with the same list."""

import base64
import hashlib
import json

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from bluelists import ENCRYPTION, PASSWORD, Device, cloud
from conftest import eventually
from sqlcipher import connect

# A change arrives within two seconds, or later on a machine with much other work. Without the feed, it takes up to a minute.
ARRIVAL_SECONDS = 10
ITEMS = ["milk", "Apples", "bread"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = cloud(tmp_path_factory.mktemp("site"))
    yield site
    site.stop()


@pytest.fixture
def own_site(tmp_path):
    site = cloud(tmp_path / "own")
    yield site
    if site.process.poll() is None:
        site.stop()


@pytest.fixture
def start(tmp_path, site):
    """Starts devices, which end with the test."""
    devices = []

    def start(name, *, server=None, **options):
        devices.append(Device(tmp_path / name, (server or site).url, **options))
        return devices[-1]

    yield start
    for device in devices:
        device.stop()


def files(device):
    return sorted(path for path in device.home.rglob("*") if path.is_file())


def contains(device, text):
    return any(text.encode() in path.read_bytes() for path in files(device))


def test_the_list_works_without_an_account(start):
    device = start("one")
    assert device.act("add", name="early").status_code == 200
    device.done("later")
    assert device.state()["stage"] == "ready"
    for name in ITEMS:
        device.done("add", name=name)
    assert device.items() == [("Apples", 0), ("bread", 0), ("early", 0), ("milk", 0)]
    for priority in [1, 2, 0, 1]:
        device.done("tap", id=device.id("milk"))
        assert ("milk", priority) in device.items()
    device.done("filter", filter="medium")
    assert device.items() == [("milk", 1)]
    assert device.get("/items").json()["counts"] == {"all": 4, "medium": 1, "high": 0}
    device.done("filter", filter="all")
    device.done("rename", id=device.id("Apples"), name="pears")
    device.done("delete", id=device.id("early"))
    assert device.items() == [("bread", 0), ("milk", 1), ("pears", 0)]
    for _ in range(2):
        device.done("undo")
    assert device.items() == [("Apples", 0), ("bread", 0), ("early", 0), ("milk", 1)]
    assert device.act("refresh").status_code == 409, "There is no user."
    device.kill()
    device.start()
    assert device.state()["stage"] == "ready"
    assert device.items() == [("Apples", 0), ("bread", 0), ("early", 0), ("milk", 1)]


@pytest.mark.parametrize("action,arguments,status", [
    ("add", {}, 400), ("add", {"name": "  "}, 400), ("add", {"name": "x" * 1001}, 400), ("add", {"name": "x", "priority": 3}, 400),
    ("filter", {"filter": "low"}, 400), ("rename", {"id": "absent", "name": "x"}, 200), ("tap", {"id": "absent"}, 200),
    ("delete", {"id": "absent"}, 200), ("undo", {}, 200), ("nothing", {}, 404), ("signOut", {}, 200)])
def test_actions_that_cannot_be_done(start, action, arguments, status):
    device = start("one")
    answer = device.act(action, **arguments)
    assert answer.status_code == status, answer.text
    assert device.browser.post(f"{device.url}/photos", data=b"x", timeout=60).status_code == 404


def test_a_list_is_encrypted_and_sqlcipher_opens_it(start, tmp_path):
    device = start("one")
    device.register("anna")
    device.done("add", name="a secret errand")
    device.sent()
    device.stop()
    assert not contains(device, "secret errand") and not contains(device, PASSWORD) and not contains(device, ENCRYPTION)
    key = device_key(device.home / "data/bluelist.key")
    stores = [path for path in files(device) if path.suffix == ".godwit"]
    assert len(stores) == 2, "The list, and the state of the device."
    assert any(b"a secret errand" in value for path in stores for value in values(path, key))


def values(path, key):
    """All values of a database that SQLCipher opens, as bytes."""
    connection = connect(path, f"key:{key}")
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in connection.execute(f'SELECT * FROM "{table}"').fetchall():
            yield from (value if isinstance(value, bytes) else str(value).encode() for value in row)
    connection.close()


def device_key(path):
    """The key in a key file with a passphrase: scrypt and AES-GCM, as `WrappedKey` describes it."""
    file = json.loads(path.read_bytes())
    [slot] = file["passphrases"]
    wrapping = Scrypt(salt=bytes.fromhex(slot["salt"]), length=32, n=slot["n"], r=slot["r"], p=slot["p"]).derive(ENCRYPTION.encode())
    heading = {name: file[name] for name in ["format", "version", "id"]}
    authenticated = {**heading, **{name: slot[name] for name in slot if name != "key"}}
    return AESGCM(wrapping).decrypt(
        bytes.fromhex(slot["nonce"]), bytes.fromhex(slot["key"]),
        json.dumps(authenticated, sort_keys=True, separators=(",", ":")).encode()).hex()


def test_the_password_of_the_settings(start, tmp_path):
    device = start("one")
    device.done("later")
    device.done("add", name="milk")
    device.stop()
    other = Device(device.home, device.server, password="not the password")
    state = other.state()
    assert (state["stage"], state["unlockFailure"]) == ("locked", "The encryption password is wrong.")
    assert other.get("/items").json()["items"] == []
    assert other.act("add", name="x").status_code == 409
    assert other.act("unlock", passphrase="wrong too").status_code == 400
    other.done("unlock", passphrase=ENCRYPTION)
    assert other.items() == [("milk", 0)]
    other.stop()
    # A plain list is another one, as in the original.
    plain = Device(device.home, device.server, password="")
    assert plain.items() == [] and not plain.state()["isEncrypted"]
    plain.done("add", name="a plain errand")
    plain.stop()
    assert contains(device, "a plain errand")


def test_the_browser_asks_for_the_password(start):
    device = start("one", password=None)
    assert device.state()["stage"] == "new"
    device.done("unlock", passphrase="a word of mine")
    assert device.state()["isEncrypted"]
    device.done("later")
    device.done("add", name="milk")
    device.kill()
    device.start()
    assert device.state()["stage"] == "locked"
    assert device.act("unlock", passphrase="").status_code == 400
    device.done("unlock", passphrase="a word of mine")
    assert device.items() == [("milk", 0)]
    device.done("removeList")
    assert device.state()["stage"] == "new"
    device.done("unlock", passphrase="")
    assert not device.state()["isEncrypted"] and device.items() == []
    device.done("add", name="bread")
    device.kill()
    device.start()
    assert device.state()["stage"] == "signedOut" and device.items() == [("bread", 0)]


def test_two_devices_merge_by_member(site, start):
    one, two = start("one").register("ben"), start("two", password="")
    one.done("add", name="milk")
    one.done("add", name="bread")
    one.sent()
    two.sign_in("ben")
    eventually(lambda: len(two.items()) == 2, 60)
    # Both change the same item: one its text, the other its priority; and each makes an item.
    one.done("rename", id=one.id("milk"), name="oat milk")
    two.done("tap", id=two.id("milk"))
    two.done("add", name="cheese")
    for device in [one, two, one, two]:
        device.done("refresh")
    expected = [("bread", 0), ("cheese", 0), ("oat milk", 1)]
    assert one.items() == expected and two.items() == expected
    one.done("delete", id=one.id("bread"))
    one.sent()
    two.done("refresh")
    assert two.items() == expected[1:]
    # The database of the adapter, with the original's documents.
    database = "todosdb_" + hashlib.sha1(b"ben").hexdigest()
    documents = [row["doc"] for row in site.json("GET", f"/{database}/_all_docs?include_docs=true")["rows"]]
    items = [document for document in documents if not document["_id"].startswith("_design/")]
    assert sorted((item["@datatype"], item["name"], item["priority"]) for item in items) == [
        ("TodoItem", "cheese", 0), ("TodoItem", "oat milk", 1)]
    # Undoing the deletion and the text on one device leaves the priority that the other device set.
    for _ in range(2):
        one.done("undo")
    one.sent()
    two.done("refresh")
    assert one.items() == two.items() == [("bread", 0), ("cheese", 0), ("milk", 1)]


def test_a_change_of_another_device_arrives_at_once(site, start):
    one, two = start("one").register("frida"), start("two")
    one.sent()
    two.sign_in("frida")
    # The feeds begin after the first replication.
    eventually(lambda: two.state()["isSent"], 60)
    for number, (source, target) in enumerate([(one, two), (two, one), (one, two)]):
        source.done("add", name=f"item {number}")
        eventually(lambda: (f"item {number}", 0) in target.items(), ARRIVAL_SECONDS)
    one.done("done", id=one.id("item 0"), isDone=True)
    eventually(lambda: two.is_done("item 0"), ARRIVAL_SECONDS)
    two.done("delete", id=two.id("item 1"))
    eventually(lambda: [name for name, _ in one.items()] == ["item 0", "item 2"], ARRIVAL_SECONDS)


def test_an_item_is_done_without_a_change_of_its_priority(site, start):
    one, two = start("one").register("gustav"), start("two")
    one.done("add", name="milk", priority=2)
    one.sent()
    two.sign_in("gustav")
    eventually(lambda: two.items() == [("milk", 2)], 60)
    assert not one.is_done("milk")
    # One device marks the item while the other one changes its priority.
    one.done("done", id=one.id("milk"), isDone=True)
    two.done("tap", id=two.id("milk"))
    for device in [one, two]:
        eventually(lambda: device.is_done("milk") and device.items() == [("milk", 0)], 60)
    database = "todosdb_" + hashlib.sha1(b"gustav").hexdigest()
    documents = [row["doc"] for row in site.json("GET", f"/{database}/_all_docs?include_docs=true")["rows"]]
    item = next(document for document in documents if document.get("name") == "milk")
    assert (item["@datatype"], item["priority"], item["done"]) == ("TodoItem", 0, True)
    one.done("undo")
    assert not one.is_done("milk") and one.items() == [("milk", 0)]
    assert one.act("done", id=one.id("milk")).status_code == 400


def test_changes_are_sent_when_the_network_is_back(own_site, start):
    device = start("one", server=own_site).register("cleo")
    device.done("add", name="milk")
    device.sent()
    own_site.kill()
    device.done("add", name="bread")
    eventually(lambda: device.state()["trouble"] == "The server cannot be reached.", 60)
    assert not device.state()["isSent"]
    assert device.act("refresh").status_code == 502
    device.kill()
    device.start()
    assert device.state()["user"] == "cleo" and len(device.items()) == 2
    own_site.start()
    device.sent()
    assert device.state()["trouble"] is None
    second = start("two", server=own_site)
    second.sign_in("cleo")
    eventually(lambda: second.items() == [("bread", 0), ("milk", 0)], 60)


def test_items_of_before_the_login_become_the_users(start):
    device = start("one")
    device.done("later")
    device.done("add", name="milk")
    device.done("welcome")
    device.register("dan")
    device.sent()
    second = start("two")
    second.sign_in("dan")
    eventually(lambda: second.items() == [("milk", 0)], 60)


def test_a_device_does_not_mix_the_lists_of_two_users(site, start):
    device = start("one").register("eve")
    device.done("add", name="eve's")
    device.sent()
    # The administrator ends the session.
    [known] = site.json("GET", "/_apps/bluelist/users/eve/devices")["devices"]
    site.json("DELETE", f"/_apps/bluelist/users/eve/devices/{known['id']}")
    device.kill()
    device.start()
    eventually(lambda: device.state()["stage"] == "signedOut", 60)
    assert device.state()["notice"]["kind"] == "loggedOut"
    answer = device.act("register", name="finn", password=PASSWORD)
    assert answer.status_code == 403 and "the list of eve" in answer.text
    # The list of eve can be read and changed without a session, and is sent after her next login.
    device.done("later")
    device.done("add", name="later")
    device.sign_in("eve")
    device.sent()
    device.done("signOut")
    assert device.items() == []
    device.register("finn")
    device.sent()
    assert device.items() == []


def test_a_lost_device_removes_the_list_and_its_key(site, start):
    device = start("one", password=None)
    device.done("unlock", passphrase=ENCRYPTION)
    device.register("hal")
    device.done("add", name="milk")
    device.sent()
    [known] = site.json("GET", "/_apps/bluelist/users/hal/devices")["devices"]
    site.json("PUT", f"/_apps/bluelist/users/hal/devices/{known['id']}/state", json={"state": "lost"})
    device.kill()
    device.start()
    device.done("unlock", passphrase=ENCRYPTION)
    eventually(lambda: device.state()["stage"] == "new", 60)
    assert device.state()["notice"]["kind"] == "wiped"
    assert not (device.home / "data/bluelist.key").exists() and not list(device.home.rglob("*.godwit"))
    second = start("two")
    second.sign_in("hal")
    eventually(lambda: second.items() == [("milk", 0)], 60)


def test_signing_out_removes_the_list(site, start):
    device = start("one", password="").register("gus")
    device.done("add", name="a plain errand")
    device.sent()
    assert contains(device, "a plain errand")
    device.done("signOut")
    assert device.state()["user"] is None and device.items() == []
    assert not contains(device, "a plain errand")
    assert device.act("signIn", name="gus", password="wrong wrong").status_code == 403
    device.sign_in("gus")
    eventually(lambda: device.items() == [("a plain errand", 0)], 60)
    assert base64.b64encode(PASSWORD.encode()) not in b"".join(path.read_bytes() for path in files(device))
