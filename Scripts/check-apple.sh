#!/usr/bin/env bash
# Compiles the modules that an app links for Apple's systems: with Xcode if it is installed, otherwise with declarations.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! xcodebuild -version >/dev/null 2>&1; then
    exec python3 Scripts/platforms.py apple
fi
for product in Godwit GodwitDatabase GodwitGeo GodwitText GodwitCloudantCompat GodwitCloudantImport GodwitTesting; do
    echo "Compiling $product with the SDK of Xcode."
    xcodebuild -quiet -scheme "$product" -destination generic/platform=iOS build
done
