#!/usr/bin/env bash
# boto3: the name of a region decides which version of the signature a presigned URL has, whatever the server is.
#
# `generate_presigned_url` of an S3 client without `Config(signature_version=...)` makes a URL of signature version 2
# (`AWSAccessKeyId`, `Signature`, `Expires` as a time) for the oldest regions and for no region, and of version 4
# (`X-Amz-Signature`) for a region that came after 2013. Requests of the same client are always of version 4. The region is only a
# name for a server that is not Amazon's, and the endpoint does not matter. So a server that accepts version 4 only serves all
# requests of a program, and refuses the links that it shares, until the region is changed. A server that wants to serve
# these links has to accept version 2 for GET, HEAD and PUT.
#
# Seen with boto3 1.44.8 (PyPI) in November 2026, with and without an endpoint:
#   us-east-1, eu-west-1, no region: version 2
#   eu-central-1:                    version 4
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check boto3==1.44.8
HOME=$folder "$folder/venv/bin/python" - <<'PY'
import sys

import boto3

seen = {}
for region in ["us-east-1", "eu-west-1", None, "eu-central-1"]:
    for endpoint in ["http://127.0.0.1:9000", None]:
        client = boto3.client(
            "s3", endpoint_url=endpoint, region_name=region, aws_access_key_id="key", aws_secret_access_key="secret")
        url = client.generate_presigned_url("get_object", Params={"Bucket": "bucket", "Key": "object"})
        versions = [version for version, name in [(2, "AWSAccessKeyId="), (4, "X-Amz-Signature=")] if name in url]
        seen[region, endpoint] = versions
        print(f"{region}, {endpoint or 'Amazon'}: version {versions}")
wanted = {(region, endpoint): [4 if region == "eu-central-1" else 2] for region, endpoint in seen}
sys.exit(0 if seen == wanted else 1)
PY
