#!/usr/bin/env bash
# Measures what an app with one database costs with the trait `Portable`: the code of Godwit's modules in a stripped program, the
# time from the start of the process to the end of one that has read a document of 100 000, and the memory with a live query.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
GODWIT_TRAIT=Portable swift build -c release --package-path Tests/Portable --scratch-path .build-phone --product Start \
    -Xswiftc -gnone -Xlinker --gc-sections
program=.build-phone/release/Start
nm -S --defined-only "$program" | awk '
    function number(text,   value, i) { for (i = 1; i <= length(text); i++) value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1; return value }
    NF == 4 { kind = $4 ~ /Godwit|godwit|pagecipher/ ? "Godwit" : "others"; sizes[kind] += number($2) }
    END { for (kind in sizes) printf "symbols of %s: %.1f MB\n", kind, sizes[kind] / 1048576 }'
strip -o "$folder/Start" "$program"
size "$folder/Start"
"$folder/Start" make "$folder/data"
python3 - "$folder/Start" "$folder/data" <<'END'
import statistics, subprocess, sys, time
times = []
for _ in range(21):
    begin = time.perf_counter()
    subprocess.run([sys.argv[1], "read", sys.argv[2]], check=True, capture_output=True)
    times.append((time.perf_counter() - begin) * 1000)
print(f"a process that reads a document: median {statistics.median(times):.1f} ms, least {min(times):.1f} ms")
END
"$folder/Start" live "$folder/data"
