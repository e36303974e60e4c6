"""`godwit user` and `godwit app`, on a running server and on its directory."""

import json
import subprocess

import pytest
import requests

from applications import APP, User, declare
from conftest import GODWIT, Server


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("administration") / "data")
    declare(site)
    yield site
    site.stop()


@pytest.fixture(params=["--url", "--data"])
def command(request, site):
    """Runs a subcommand on the running server, or on its directory while it is stopped."""

    def run(*arguments, code=0, **environment):
        if request.param == "--url":
            options = ["--url", site.url.replace("://", "://admin:secret@")]
        else:
            site.stop()
            options = ["--data", site.data]
        try:
            done = subprocess.run(
                [GODWIT, *arguments, *options], capture_output=True, text=True, timeout=60,
                env={"PATH": "/usr/bin:/bin", **environment})
        finally:
            if request.param == "--data":
                site.start()
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    run.way = request.param.strip("-")
    return run


def test_users_are_added_listed_blocked_and_given_roles(site, command):
    name = f"ann {command.way}"
    assert command("user", "add", "tracker", name, "--email", "ann@example.org", "--role", "analyst",
                   GODWIT_NEW_PASSWORD="a long password") == f"Added {name}.\n"
    line = next(line for line in command("user", "list", "tracker").splitlines() if line.startswith(name))
    assert line == f"{name}\tann@example.org\troles: analyst"
    assert command("user", "roles", "tracker", name, "editor", "analyst") == "editor\nanalyst\n"
    assert command("user", "roles", "tracker", name, "--none") == ""
    assert command("user", "block", "tracker", name) == f"Blocked {name}.\n"
    user = {"name": name, "password": "a long password"}
    assert requests.post(f"{site.url}{APP}/login", json=user, timeout=30).status_code == 403
    assert command("user", "block", "tracker", name, "--undo") == f"Unblocked {name}.\n"
    command("user", "password", "tracker", name, GODWIT_NEW_PASSWORD="another password")
    assert requests.post(f"{site.url}{APP}/login", json=user, timeout=30).status_code == 401
    user["password"] = "another password"
    assert requests.post(f"{site.url}{APP}/login", json=user, timeout=30).status_code == 200


def test_devices_are_shown_and_blocked(site, command):
    user = User(site, f"owner {command.way}", device={"id": "phone", "name": "her phone"})
    shown = [json.loads(line) for line in command("user", "devices", "tracker", user.name).splitlines()]
    assert [(device["id"], device["state"]) for device in shown] == [("phone", "active")]
    shown = json.loads(command("user", "devices", "tracker", user.name, "--lost", "phone"))
    assert shown["state"] == "lost"
    assert json.loads(command("user", "devices", "tracker", user.name, "--activate", "phone"))["state"] == "active"
    assert "No device" in command("user", "devices", "tracker", user.name, "--block", "tablet", code=1)


def test_accounts_move_to_another_application(site, command, tmp_path):
    user = User(site, f"mover {command.way}")
    file = tmp_path / "accounts.jsonl"
    assert "Exported" in command("user", "export", "tracker", str(file))
    assert file.stat().st_mode & 0o077 == 0
    assert "exists" in command("user", "export", "tracker", str(file), code=1)
    exported = [json.loads(line) for line in file.read_text().splitlines()]
    assert user.name in [account["name"] for account in exported]
    assert user.password not in file.read_text() and user.key[1] not in file.read_text()
    other = Server(tmp_path / "other")
    declare(other)
    target = other.url.replace("://", "://admin:secret@")
    done = subprocess.run([GODWIT, "user", "import", "tracker", str(file), "--url", target],
                          capture_output=True, text=True, timeout=60)
    assert done.stdout == f"Imported {len(exported)} account{'' if len(exported) == 1 else 's'}.\n", done.stderr
    # The user logs in with the same password and has the same key.
    moved = User(other, user.name, registers=False)
    assert moved.key == user.key and moved.database == user.database
    moved.save("mine")
    done = subprocess.run([GODWIT, "user", "import", "tracker", str(file), "--url", target],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "line 1" in done.stderr and "0 accounts before it were imported" in done.stderr
    other.stop()


def test_applications_are_declared_and_shown(site, command, tmp_path):
    file = tmp_path / "app.json"
    name = f"declared-{command.way}"
    file.write_text(json.dumps({"id": name, "url": "https://sync.example.org", "providers": {
        "google": {"client_id": "c", "client_secret": "hidden"}}}))
    assert command("app", "declare", str(file)) == f"Declared {name}.\n"
    assert name in command("app", "list").split()
    shown = command("app", "show", name)
    assert json.loads(shown)["id"] == name and "hidden" not in shown
    assert command("app", "providers", name) == (
        f"google: google, client c, redirect URI https://sync.example.org/_apps/{name}/login/google/callback\n")
    versions = json.loads(command("app", "versions", name, "--first", "1.2", "--block", "1.4", "--block", "1.5"))
    assert versions["first"] == "1.2" and versions["blocked"] == ["1.4", "1.5"]
    versions = json.loads(command("app", "versions", name, "--unblock", "1.4", "--warned-before", "2"))
    assert versions["blocked"] == ["1.5"] and versions["warned_before"] == "2"
    assert site.json("GET", f"/_apps/{name}")["versions"] == versions


def test_errors_say_what_to_do(site, tmp_path):
    def fails(*arguments, code=1, **environment):
        done = subprocess.run([GODWIT, *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                              env={"PATH": "/usr/bin:/bin", **environment})
        assert done.returncode == code, done.stdout + done.stderr
        return done.stderr

    admin = site.url.replace("://", "://admin:secret@")
    assert "either --url or --data" in fails("user", "list", "tracker", code=2)
    assert "administrator's name and password" in fails("user", "list", "tracker", "--url", site.url)
    wrong = fails("user", "list", "tracker", "--url", site.url.replace("://", "://admin:wrong@"))
    assert "wrong@" not in wrong and "administrator's name and password" in wrong
    assert "No application has this id" in fails("user", "list", "unknown", "--url", admin)
    assert "GODWIT_NEW_PASSWORD" in fails("user", "add", "tracker", "x", "--url", admin)
    assert "no catalogue.sqlite" in fails("user", "list", "tracker", "--data", str(tmp_path))
    assert "is open in another Godwit process" in fails("user", "list", "tracker", "--data", site.data)
    file = tmp_path / "accounts.jsonl"
    file.write_text("\n{\n")
    assert "line 2, is not JSON" in fails("user", "import", "tracker", str(file), "--url", admin)
    file.write_text('{"name": "x"}\n')
    assert "not an exported account" in fails("user", "import", "tracker", str(file), "--url", admin)


def test_only_administrators_list_accounts(site):
    user = User(site, "curious")
    for method, path in [("GET", "/users"), ("POST", "/users"), ("PUT", "/users/curious/roles")]:
        assert user.ask(method, APP + path, json=[]).status_code in (401, 403)
    answer = site.request("GET", APP + "/users?limit=0")
    assert answer.status_code == 400
    names = []
    after = ""
    while True:
        page = site.json("GET", f"{APP}/users?limit=2{after}")
        names += [account["name"] for account in page["users"]]
        if "next" not in page:
            break
        after = "&after=" + requests.utils.quote(page["next"])
    assert names == sorted(names) and "curious" in names
