"""A small disk, and a way to fill it."""

import os
import subprocess

import pytest


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 16 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    run = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)], capture_output=True, text=True)
    if run.returncode != 0:
        pytest.skip(f"a disk of its own needs the right to mount: {run.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder):
    """Uses all space of a disk."""
    with open(folder / "filler", "wb", buffering=0) as file:
        for size in (1 << 16, 4096):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                pass
    state = os.statvfs(folder)
    assert state.f_bavail == 0
