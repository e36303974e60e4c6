"""The clients of this project with other services: the cases of ObjectStoreTests (Swift) with PyPI's moto server."""

import os
import subprocess

from conftest import ROOT
from objectstores import moto_url


def test_the_s3_client_behaves_alike_with_moto(moto_url):
    # It uses the build that ./test has made.
    run = subprocess.run(
        ["swift", "test", "--skip-build", "--filter", "ObjectStoreTests/"], cwd=ROOT, capture_output=True, text=True,
        timeout=240, env={**os.environ, "GODWIT_S3_URL": moto_url})
    assert run.returncode == 0, run.stdout[-6_000:] + run.stderr[-2_000:]
    assert "foreignS3" in run.stdout
