"""A name whose address changes, in separate network and mount namespaces: `test_reach.py` runs this program there."""

import fcntl
import http.server
import pathlib
import socket
import struct
import subprocess
import sys
import threading

from conftest import Server
from accounts import ask, configure, make_user

# In this namespace it is an address of the loopback device, so that no packet leaves the machine.
PUBLIC = "11.0.0.1"
NAME = "couch.rebinding.example"
SIOCSIFADDR, SIOCSIFFLAGS, IFF_UP = 0x8916, 0x8914, 1


def bring_up(device, address=None):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        if address:
            request = struct.pack("16sHH4s8x", device.encode(), socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(control, SIOCSIFADDR, request)
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14x", device.encode(), IFF_UP))


class Peer(http.server.ThreadingHTTPServer):
    """A server that is no CouchDB and counts its connections."""

    def __init__(self, address, port=0):
        self.connections = 0
        super().__init__((address, port), http.server.BaseHTTPRequestHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def verify_request(self, request, client_address):
        self.connections += 1
        return True


def replicate(site, scheme, port):
    return ask(site, "POST", "/_replicate", "rob", json={"source": f"{scheme}://{NAME}:{port}/db", "target": "robs"})


def main(directory):
    directory = pathlib.Path(directory)
    bring_up("lo")
    bring_up("lo:1", PUBLIC)
    hosts = directory / "hosts"
    hosts.write_text(f"127.0.0.1 localhost\n{PUBLIC} {NAME}\n")
    subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
    outside = Peer(PUBLIC)
    inside = Peer("127.0.0.1", outside.server_port)
    site = Server(directory / "data")
    configure(site, "chttpd_auth/iterations", "1000")
    configure(site, "replicator/allowed_hosts", "*")
    make_user(site, "rob")
    site.json("PUT", "/robs")
    site.json("PUT", "/robs/_security", json={"admins": {"names": ["rob"]}, "members": {"names": ["rob"]}})

    answer = replicate(site, "http", outside.server_port)
    assert "not a database" in answer.json()["reason"] and outside.connections > 0, answer.text
    hosts.write_text(f"127.0.0.1 localhost {NAME}\n")
    for scheme in ("http", "https"):
        answer = replicate(site, scheme, outside.server_port)
        assert answer.status_code == 403 and "allowed_hosts" in answer.json()["reason"], answer.text
    assert inside.connections == 0
    site.stop()


if __name__ == "__main__":
    main(sys.argv[1])
