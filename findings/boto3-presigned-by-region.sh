#!/usr/bin/env bash
# boto3: the name of a region decides which version of the signature a presigned URL has, whatever the server is.
#
# `generate_presigned_url` of an S3 client without `Config(signature_version=...)` makes a URL of signature version 2
# (`AWSAccessKeyId`, `Signature`) if no region is set, and for eight regions of before 2014. For later regions, and for names that
# are no regions of Amazon, the URL has version 4 (`X-Amz-Signature`). The requests of all these clients have version 4. For a
# server that is not Amazon's, the region is only a name. So a server that accepts version 4 alone answers all requests of a program,
# and refuses the links that the program shares, until the name is changed. To serve these links, a server has to accept version 2
# for GET, HEAD and PUT.
#
# Seen with boto3 1.44.8 (PyPI) in November 2026, with an endpoint on this machine:
#   us-east-1, us-west-1, us-west-2, eu-west-1, ap-southeast-1, ap-southeast-2, ap-northeast-1, sa-east-1, no region: URL of version 2
#   eu-central-1, ap-northeast-2, us-east-2, and the invented name "home":                                      URL of version 4
#   a GET of each of these clients:                                                                             AWS4-HMAC-SHA256
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check boto3==1.44.8
HOME=$folder "$folder/venv/bin/python" - <<'PY'
import http.server
import sys
import threading

import boto3

OLD = ["us-east-1", "us-west-1", "us-west-2", "eu-west-1", "ap-southeast-1", "ap-southeast-2", "ap-northeast-1", "sa-east-1", None]
LATER = ["eu-central-1", "ap-northeast-2", "us-east-2", "home"]
schemes = []


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        schemes.append(self.headers["Authorization"].split()[0])
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
is_as_seen = True
for region in OLD + LATER:
    client = boto3.client(
        "s3", endpoint_url=f"http://127.0.0.1:{server.server_port}", region_name=region, aws_access_key_id="key",
        aws_secret_access_key="secret")
    url = client.generate_presigned_url("get_object", Params={"Bucket": "bucket", "Key": "object"})
    version = 4 if "X-Amz-Signature=" in url else 2 if "AWSAccessKeyId=" in url else None
    client.get_object(Bucket="bucket", Key="object")
    print(f"{region}: URL of version {version}, request with {schemes[-1]}")
    is_as_seen &= version == (4 if region in LATER else 2) and schemes[-1] == "AWS4-HMAC-SHA256"
sys.exit(0 if is_as_seen else 1)
PY
