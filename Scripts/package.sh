#!/usr/bin/env bash
# Runs a command of swift for another package of this repository in the build folder of Godwit, so that no module is built twice:
#   Scripts/package.sh Examples run FirstSteps
#   Scripts/package.sh Examples build --build-tests
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
package=$root/$1 command=$2
shift 2
# SwiftPM keeps the plan of the package that it built last in a folder, and uses it for any other package there.
trap 'rm -f "$root"/.build/debug.yaml "$root"/.build/release.yaml' EXIT
swift "$command" --package-path "$package" --scratch-path "$root/.build" --disable-build-manifest-caching "$@"
