#!/usr/bin/env bash
# Runs `swift test --skip-build` with the given arguments; the variable SWIFT_TEST may name another command than `swift test`.
# Prints only failures, and, when a time limit ends it, the tests that had not ended.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Prints the names of the tests that began and did not end.
unfinished() {
    # The end of a case is not printed.
    sed -nE '/^◇ Test (run|case) /d; s/^◇ Test (.*) started\.$/began \1/p; s/^[✔✘] Test (.*) (passed|failed) after .*/ended \1/p' "$log" |
        sed -E 's/ with [0-9]+ test cases?$//' |
        awk '{ name = substr($0, 7); if (/^began/) began[name] = 1; else delete began[name] }
            END { for (name in began) print "  " name }' | sort
}

ended_early() {
    echo "These tests had not ended:" >&2
    unfinished >&2
    kill "$tests" 2>/dev/null
    exit 124
}

# shellcheck disable=SC2086
${SWIFT_TEST:-swift test} --skip-build "$@" >"$log" 2>&1 &
tests=$!
trap ended_early TERM
wait "$tests"
status=$?
if [ $status -eq 0 ]; then
    grep -E '^✔ Test run' "$log" || true
else
    grep -vE '^[◇✔]' "$log" | tail -n 300
    echo "These tests had not ended:"
    unfinished
fi
exit $status
