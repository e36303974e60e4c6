"""Debian's OpenStack Swift: one node with one replica on the loopback address, in a temporary directory.

Its servers are plain processes with the test's user; Debian's services and `/etc/swift` are not used. Users log in with the
simple authentication of version 1 (`tempauth`), which stores its tokens in memcached.
"""

import getpass
import os
import shutil
import socket
import subprocess

import pytest
import requests

from conftest import eventually

PROGRAMS = {"swift-proxy-server": "swift-proxy", "swift-account-server": "swift-account",
            "swift-container-server": "swift-container", "swift-object-server": "swift-object",
            "swift-ring-builder": "swift", "memcached": "memcached"}
# The first user is that of ObjectStoreTests; the second one has an account without a key of temporary URLs.
USER, OTHER_USER, PASSWORD = "test:tester", "other:tester", "testing"
KINDS = ["account", "container", "object"]
# Without other processes a killed test leaves none: only a server's first process ends with the test.
SERVER = """
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
user = {user}
swift_dir = {directory}
devices = {directory}/devices
mount_check = false
workers = 0
fallocate_reserve = 0
# Without the process that repeats updates, a list would never have an object whose update takes too long.
conn_timeout = 10
node_timeout = 30
container_update_timeout = 30
"""
STORAGE = SERVER + """
[pipeline:main]
pipeline = {kind}-server

[app:{kind}-server]
use = egg:swift#{kind}
"""
# Debian's pipeline without limits of rates and synchronization with other clusters.
PIPELINE = ("catch_errors gatekeeper healthcheck cache listing_formats bulk tempurl tempauth copy container-quotas "
            "account-quotas slo dlo versioned_writes symlink proxy-server")
PROXY = SERVER + """
[pipeline:main]
pipeline = {pipeline}

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
# Otherwise the proxy does not use a server for a minute after ten requests that came before its start.
error_suppression_limit = 1000000

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{memory}

[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
user_other_tester = testing .admin
"""
FILTER = """
[filter:{name}]
use = egg:swift#{egg}
"""


def free_ports(count):
    """Different ports that are free."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [found.getsockname()[1] for found in sockets]
    for found in sockets:
        found.close()
    return ports


def keeps_attributes(directory):
    """Whether files in the directory have room for the attributes in which Swift stores an object's metadata."""
    path = directory / "attributes"
    path.touch()
    try:
        os.setxattr(path, "user.swift.metadata", bytes(2_000))
        return True
    except OSError:
        return False
    finally:
        path.unlink()


class DebianSwift:
    """A Swift in a directory, with the users `test:tester` and `other:tester`."""

    def __init__(self, directory):
        self.directory = directory
        self.processes = {}
        self.ports = dict(zip([*KINDS, "proxy", "memory"], free_ports(5)))
        self.url = f"http://127.0.0.1:{self.ports['proxy']}"
        self.auth_url = f"{self.url}/auth/v1.0"
        (directory / "devices/disk").mkdir(parents=True)
        self.write("swift.conf", "[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n")
        for kind in KINDS:
            self.write(f"{kind}-server.conf", self.filled(STORAGE, kind, kind=kind))
            builder = directory / f"{kind}.builder"
            for words in (["create", "4", "1", "0"], ["add", f"r1z1-127.0.0.1:{self.ports[kind]}/disk", "1"], ["rebalance"]):
                subprocess.run(["swift-ring-builder", str(builder), *words], check=True, capture_output=True, timeout=60)
        filters = [name for name in PIPELINE.split() if name not in ("cache", "tempauth", "proxy-server")]
        self.write("proxy-server.conf", self.filled(PROXY, "proxy", pipeline=PIPELINE, memory=self.ports["memory"])
                   + "".join(FILTER.format(name=name, egg=name.replace("-", "_")) for name in filters))

    def filled(self, text, name, **values):
        return text.format(directory=self.directory, port=self.ports[name], user=getpass.getuser(), **values)

    def write(self, name, text):
        (self.directory / name).write_text(text)

    def start(self):
        self.run("memory", ["memcached", "-l", "127.0.0.1", "-p", str(self.ports["memory"]), "-U", "0", "-m", "16",
                            "-u", getpass.getuser()])
        for name in [*KINDS, "proxy"]:
            self.run(name, [f"swift-{name}-server", str(self.directory / f"{name}-server.conf"), "--verbose"])
        # An object needs all servers.
        eventually(self.answers, 150)

    def run(self, name, command):
        # It ends with this process, even if that is killed.
        with open(self.directory / f"{name}.log", "wb") as log:
            self.processes[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def log(self, name):
        return (self.directory / f"{name}.log").read_text(errors="replace")[-4_000:]

    def answers(self):
        for name, process in self.processes.items():
            assert process.poll() is None, f"{name} ended: {self.log(name)}"
        try:
            login = requests.get(
                self.auth_url, headers={"X-Auth-User": USER, "X-Auth-Key": PASSWORD}, timeout=10)
            if login.status_code != 200:
                return False
            token = {"X-Auth-Token": login.headers["X-Auth-Token"]}
            return all(requests.put(login.headers["X-Storage-Url"] + path, b"", headers=token, timeout=10).ok
                       for path in ("/first", "/first/object"))
        except requests.RequestException:
            return False

    def stop(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    """Debian's Swift. Skips without `./test --long`, without its packages, or on a disk without extended attributes."""
    if not os.environ.get("GODWIT_LONG"):
        pytest.skip("takes Debian's Swift: ./test --long, or install it and set GODWIT_LONG=1")
    missing = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
    if missing:
        pytest.skip(f"takes Debian's packages {' '.join(missing)}")
    directory = tmp_path_factory.mktemp("swift")
    if not keeps_attributes(directory):
        pytest.skip(f"the file system of {directory} has no extended attributes of users, which Swift needs")
    swift = DebianSwift(directory)
    try:
        swift.start()
        yield swift
    finally:
        swift.stop()
        shutil.rmtree(directory, ignore_errors=True)
