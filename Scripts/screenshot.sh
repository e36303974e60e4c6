#!/usr/bin/env bash
# Creates README's picture again: the demo's page in Chromium, as the user ana sees it. Run ./test once before, which installs Chromium
# and its driver and builds the command.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GODWIT="$PWD/$(realpath --relative-to="$PWD" "$(swift build --show-bin-path)")/godwit" GODWIT_PICTURES=$folder
.venv-clients/bin/pytest -q Tests/Clients/tracker/test_tracker_page.py -k 'a_user_sees_their_own_locations and 1440'
cp "$folder/tracker-user-1440.png" docs/images/demo.png
