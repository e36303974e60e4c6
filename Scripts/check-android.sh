#!/usr/bin/env bash
# Compiles the modules that an app links for Android: with Swift's SDK for Android if it is installed, otherwise with declarations.
set -euo pipefail
cd "$(dirname "$0")/.."
sdk=$(swift sdk list 2>/dev/null | grep -m 1 android || true)
if [ -z "$sdk" ]; then
    exec python3 Scripts/platforms.py android
fi
for product in Godwit GodwitDatabase GodwitGeo GodwitText GodwitCloudantCompat GodwitCloudantImport GodwitTesting; do
    echo "Compiling $product with the SDK $sdk."
    swift build --swift-sdk "$sdk" --disable-default-traits --traits Portable --scratch-path .build-android --product "$product"
done
