"""PUT and GET of objects of 100 kB and 10 MB at this server and at PyPI's moto server, in turns, over S3 and Swift.

    python3 Benchmarks/objects.py [ROUNDS]

With GODWIT_SWIFT_URL also at the Swift whose login is there (http://HOST:PORT/auth/v1.0, test:tester, testing).

Needs a release build (`./run` makes one) and the packages of Tests/Clients/requirements.txt. The clients are four threads with
boto3 or requests on the same machine, whose own time is a part of each figure. Each round runs all servers one after the other; the
table has the medians of the rounds, and the ratio to moto."""

import concurrent.futures
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import boto3
import requests
from botocore.config import Config

ROOT = pathlib.Path(__file__).resolve().parents[1]
GODWIT = os.environ.get("GODWIT", str(ROOT / ".build/release/godwit"))
THREADS = 4
SIZES = {"100 kB": (100_000, 400), "10 MB": (10_000_000, 16)}


def s3_client(endpoint, access, secret):
    return boto3.client(
        "s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id=access, aws_secret_access_key=secret,
        config=Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required",
                      response_checksum_validation="when_required", max_pool_connections=THREADS))


class S3:
    def __init__(self, endpoint, access="key", secret="secret"):
        self.client = s3_client(endpoint, access, secret)
        self.client.create_bucket(Bucket="bench")

    def put(self, name, body):
        self.client.put_object(Bucket="bench", Key=name, Body=body)

    def get(self, name):
        return len(self.client.get_object(Bucket="bench", Key=name)["Body"].read())


class Swift:
    def __init__(self, base, token):
        self.base = f"{base}/swift-bench"
        self.session = requests.Session()
        self.session.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=THREADS))
        self.session.headers["X-Auth-Token"] = token
        self.session.put(self.base, timeout=30).raise_for_status()

    @classmethod
    def of_godwit(cls, url, account, secret):
        answer = requests.post(f"{url}/v3/auth/tokens", json={"auth": {"identity": {"methods": ["password"], "password": {
            "user": {"name": account, "domain": {"id": "default"}, "password": secret}}}}}, timeout=30)
        return cls(f"{url}/v1/AUTH_{account}", answer.headers["X-Subject-Token"])

    @classmethod
    def of_debian(cls, url):
        answer = requests.get(url, headers={"X-Auth-User": "test:tester", "X-Auth-Key": "testing"}, timeout=30)
        return cls(answer.headers["X-Storage-Url"], answer.headers["X-Auth-Token"])

    def put(self, name, body):
        self.session.put(f"{self.base}/{name}", data=body, timeout=60).raise_for_status()

    def get(self, name):
        return len(self.session.get(f"{self.base}/{name}", timeout=60).content)


def seconds(work, count):
    """The time in which several threads do a piece of work for each number."""
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(count)))
    return time.monotonic() - start


def measure(store, size, count, round_number):
    bodies = [os.urandom(size) for _ in range(4)]
    # Different bytes in each object: equal ones would be stored once.
    put = seconds(lambda i: store.put(f"{round_number}/{size}/{i}", i.to_bytes(4, "big") + bodies[i % 4][4:]), count)
    get = seconds(lambda i: store.get(f"{round_number}/{size}/{i}"), count)
    return {"PUT": count / put, "GET": count / get}


def main(rounds):
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen(
            [GODWIT, "serve", "--data", data, "--port", "0", "--admin", "admin:secret", "--objects"],
            stdout=subprocess.PIPE, text=True)
        url = server.stdout.readline().split()[-1]
        keys = requests.put(f"{url}/_godwit/objects/bench", json={}, auth=("admin", "secret"), timeout=30).json()
        moto = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-p", "5977"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(5)
        try:
            stores = {
                "moto, S3": S3("http://127.0.0.1:5977"),
                "Godwit, S3": S3(f"{url}/_s3", keys["access_key"], keys["secret_key"]),
                "Godwit, Swift": Swift.of_godwit(url, "bench", keys["secret_key"]),
            }
            if "GODWIT_SWIFT_URL" in os.environ:
                stores["Debian's Swift"] = Swift.of_debian(os.environ["GODWIT_SWIFT_URL"])
            found = {}
            for number in range(rounds):
                for label, (size, count) in SIZES.items():
                    for name, store in stores.items():
                        for method, rate in measure(store, size, count, number).items():
                            found.setdefault((label, method, name), []).append(rate)
            for label in SIZES:
                for method in ("PUT", "GET"):
                    base = statistics.median(found[label, method, "moto, S3"])
                    for name in stores:
                        rate = statistics.median(found[label, method, name])
                        print(f"{method} {label:7} {name:14} {rate:8.1f}/s  {rate / base:5.2f} of moto")
            with open(f"/proc/{server.pid}/status") as status:
                print(*(line.strip() for line in status if line.startswith("VmHWM")))
        finally:
            server.terminate()
            moto.terminate()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
