"""Programs for backups and files work with Godwit as they come: restic, rclone and s3cmd (Debian), aws and minio (PyPI).

restic, s3cmd and minio cannot use an endpoint with a path. They use the port with S3 at its root.
"""

import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import requests

from objectstores import MB, REGION, add_account, new_name, objects_server, s3_client
from test_objects_port import s3_url

pytestmark = pytest.mark.skipif(
    not os.environ.get("GODWIT_LONG"), reason="takes restic, rclone and s3cmd of Debian, and minio of PyPI: ./test --long, or GODWIT_LONG=1")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = objects_server(tmp_path_factory.mktemp("objects") / "data", "--s3-port", "0")
    server.s3 = s3_url(server)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def account(server):
    return add_account(server, "gull")


@pytest.fixture
def folder(tmp_path):
    """Files of all kinds of names and sizes."""
    files = {"large": os.urandom(20 * MB), "a/ü b.txt": b"text", "a/b/c+d": b"c", "empty": b"", "100%": b"%", "fog.jpg": b"\xff\xd8"}
    for name, body in files.items():
        (tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / name).write_bytes(body)
    return tmp_path / "folder"


def contents(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in pathlib.Path(folder).rglob("*") if path.is_file()}


class Program:
    def __init__(self, name, directory, environment=None, options=()):
        self.program = shutil.which(name) or shutil.which(name, path=os.path.dirname(sys.executable))
        if not self.program:
            pytest.skip(f"{name} is not installed")
        self.directory, self.options = directory, options
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "RCLONE_", "RESTIC_", "OS_"))}
        self.environment = {**kept, "HOME": str(directory), "XDG_CACHE_HOME": str(directory), **(environment or {})}

    def __call__(self, *words, status=0):
        run = subprocess.run([self.program, *self.options, *map(str, words)], cwd=self.directory, capture_output=True, text=True,
                             timeout=120, env=self.environment)
        assert run.returncode == status, run.stdout[-4_000:] + run.stderr[-4_000:]
        return run.stdout + run.stderr


def test_restic(server, account, folder, tmp_path):
    restic = Program("restic", tmp_path, {
        "AWS_ACCESS_KEY_ID": account.access_key, "AWS_SECRET_ACCESS_KEY": account.secret_key, "RESTIC_PASSWORD": "fog",
        "RESTIC_REPOSITORY": f"s3:{server.s3}/{new_name()}/backups"})
    restic("init")
    restic("backup", "folder")
    (folder / "a/b/c+d").write_bytes(b"changed")
    restic("backup", "folder")
    restic("check", "--read-data")
    assert restic("snapshots").count("folder") >= 2
    restic("restore", "latest", "--target", tmp_path / "back")
    [back] = (tmp_path / "back").rglob("folder")
    assert contents(back) == contents(folder)
    restic("forget", "--keep-last", "1", "--prune")
    restic("check")


@pytest.mark.parametrize("kind", ["s3", "s3-path", "swift"])
def test_rclone(server, account, folder, tmp_path, kind):
    if kind == "swift":
        settings = {"TYPE": "swift", "AUTH": f"{server.url}/v3", "USER": account.name, "KEY": account.secret_key, "DOMAIN": "Default",
                    "TENANT": account.name, "TENANT_DOMAIN": "Default", "AUTH_VERSION": "3", "CHUNK_SIZE": "5Mi"}
    else:
        endpoint = server.s3 if kind == "s3" else f"{server.url}/_s3"
        settings = {"TYPE": "s3", "PROVIDER": "Other", "ENDPOINT": endpoint, "ACCESS_KEY_ID": account.access_key,
                    "SECRET_ACCESS_KEY": account.secret_key, "REGION": REGION, "UPLOAD_CUTOFF": "5Mi", "CHUNK_SIZE": "5Mi"}
    rclone = Program("rclone", tmp_path, {f"RCLONE_CONFIG_G_{name}": value for name, value in settings.items()},
                     ["--retries", "1", "--config", str(tmp_path / "none.conf")])
    (tmp_path / "none.conf").touch()
    box = "g:" + new_name()
    rclone("mkdir", box)
    rclone("sync", "folder", box)
    rclone("check", "folder", box)
    rclone("check", "--download", "folder", box)
    rclone("copy", box, tmp_path / "back")
    assert contents(tmp_path / "back") == contents(folder)
    (folder / "empty").unlink()
    (folder / "a/b/c+d").write_bytes(b"changed")
    rclone("sync", "folder", box)
    assert sorted(rclone("lsf", "-R", "--files-only", box).splitlines()) == sorted(contents(folder))
    rclone("moveto", f"{box}/large", f"{box}/moved")
    assert "large" not in rclone("lsf", box)
    rclone("purge", box)
    assert f" {box.removeprefix('g:')}\n" not in rclone("lsd", "g:")


def test_s3cmd(server, account, folder, tmp_path):
    place = server.s3.removeprefix("http://")
    s3cmd = Program("s3cmd", tmp_path, options=[
        "--access_key", account.access_key, "--secret_key", account.secret_key, "--host", place, "--host-bucket", place, "--no-ssl",
        "--config", "none", "--multipart-chunk-size-mb", "5"])
    bucket = f"s3://{new_name()}"
    s3cmd("mb", bucket)
    assert bucket in s3cmd("ls")
    s3cmd("sync", "folder/", bucket + "/")
    assert s3cmd("ls", "--recursive", bucket).count("s3://") == 6
    (tmp_path / "back").mkdir()
    s3cmd("sync", bucket + "/", f"{tmp_path}/back/")
    assert contents(tmp_path / "back") == contents(folder)
    s3cmd("cp", f"{bucket}/large", f"{bucket}/copy")
    s3cmd("mv", f"{bucket}/copy", f"{bucket}/moved")
    s3cmd("info", f"{bucket}/moved")
    s3cmd("del", "--recursive", "--force", bucket)
    s3cmd("rb", bucket)
    assert bucket not in s3cmd("ls")


def test_aws(server, account, folder, tmp_path):
    aws = Program("aws", tmp_path, {
        "AWS_ACCESS_KEY_ID": account.access_key, "AWS_SECRET_ACCESS_KEY": account.secret_key, "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1"}, ["--endpoint-url", server.s3])
    bucket = f"s3://{new_name()}"
    aws("s3", "mb", bucket)
    aws("s3", "sync", "--no-progress", "folder", bucket)
    aws("s3", "sync", "--no-progress", bucket, "back")
    assert contents(tmp_path / "back") == contents(folder)
    url = aws("s3", "presign", f"{bucket}/large").strip()
    assert url.startswith(server.s3)
    aws("s3api", "get-object-attributes", "--bucket", bucket[5:], "--key", "large", "--object-attributes", "Checksum", "ObjectParts")
    aws("s3", "rb", "--force", bucket)


def test_minio(server, account, folder):
    minio = pytest.importorskip("minio", reason="pip install minio")
    client = minio.Minio(server.s3.removeprefix("http://"), access_key=account.access_key, secret_key=account.secret_key, secure=False)
    box = new_name()
    client.make_bucket(bucket_name=box)
    assert box in [bucket.name for bucket in client.list_buckets()] and client.bucket_exists(bucket_name=box)
    client.fput_object(bucket_name=box, object_name="large", file_path=str(folder / "large"), part_size=5 * MB)
    client.put_object(bucket_name=box, object_name="a/ü b", data=io.BytesIO(b"text"), length=4, metadata={"place": "Husum"})
    with client.get_object(bucket_name=box, object_name="large") as answer:
        assert answer.read() == (folder / "large").read_bytes()
    assert client.stat_object(bucket_name=box, object_name="a/ü b").metadata["x-amz-meta-place"] == "Husum"
    assert [row.object_name for row in client.list_objects(bucket_name=box, recursive=True)] == ["a/ü b", "large"]
    url = client.presigned_get_object(bucket_name=box, object_name="a/ü b")
    assert requests.get(url, timeout=30).content == b"text"
    for name in ("a/ü b", "large"):
        client.remove_object(bucket_name=box, object_name=name)
    client.remove_bucket(bucket_name=box)


def test_boto3_without_settings(server, account, folder):
    client = s3_client(server.s3, account, signature_version=None, s3={})
    box = new_name()
    client.create_bucket(Bucket=box)
    client.upload_file(str(folder / "large"), box, "large")
    client.download_file(box, "large", str(folder / "back"))
    assert (folder / "back").read_bytes() == (folder / "large").read_bytes()
