#!/usr/bin/env bash
# SQLite: to read the schema of a file takes time in proportion to its virtual tables times all its tables.
#
# Each connection reads the definitions of all tables when it prepares its first statement, and again after any change of the schema.
# For each virtual table whose module has shadow tables (FTS5, R*Tree), SQLite looks at every table of the schema, to mark those
# whose names begin with that of the virtual table. An index of words usually is one FTS5 table with four or five shadow tables, so
# twice the number of indexes takes four times as long, while twice the number of ordinary tables takes twice as long. It does not
# matter whether a statement uses any of these tables. A server that lets each design document define full-text indexes should
# limit their number: a connection that is opened for one request, or a reader after each new index, pays for all of them.
#
# Seen with sqlite3 3.40.1 (Debian 12) in November 2026, processor time of the first statement on two cores:
#   1 000 FTS5 tables: 50 to 70 ms; 2 000: 200 to 240 ms
#   the same number of ordinary tables, 5 000 and 10 000: 7 to 15 ms; 15 to 38 ms
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq sqlite3=3.40.1-2+deb12u2 libsqlite3-0=3.40.1-2+deb12u2
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(dirname "$(find "$folder/usr/lib" -name libsqlite3.so.0)")
export LD_LIBRARY_PATH
python3 - usr/bin/sqlite3 <<'PY'
import resource
import subprocess
import sys

SHADOWS = ["data", "idx", "docsize", "config"]


def statements(kind, count):
    yield "PRAGMA journal_mode = off; BEGIN;"
    for number in range(count):
        if kind == "FTS5":
            yield f"CREATE VIRTUAL TABLE t{number} USING fts5(a, content='');"
        else:
            yield from (f"CREATE TABLE t{number}{suffix}(a, b);" for suffix in ["", *(f"_{name}" for name in SHADOWS)])
    yield "COMMIT;"


def seconds(file):
    """The processor time of a process that opens the file and counts its tables, the least of seven."""
    times = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.argv[1], file, "SELECT count(*) FROM sqlite_schema"], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


ratios, last = {}, {}
for kind in ("FTS5", "ordinary"):
    taken = []
    for count in (1_000, 2_000):
        file = f"{kind}{count}.db"
        subprocess.run([sys.argv[1], file], input="\n".join(statements(kind, count)), text=True, capture_output=True, check=True)
        taken.append(seconds(file))
    ratios[kind], last[kind] = taken[1] / taken[0], taken[1]
    print(f"{kind}: {taken[0] * 1_000:.0f} ms and {taken[1] * 1_000:.0f} ms, ratio {ratios[kind]:.1f}")
sys.exit(0 if ratios["FTS5"] > 3 and last["FTS5"] > 3 * last["ordinary"] else 1)
PY
