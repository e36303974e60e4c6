#!/usr/bin/env bash
# Builds a program with the trait `Portable`, which links what a phone has, and with `SystemLibraries`, and checks that the first
# links nothing else, and that each answers queries of the other's databases alike.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
key=$(printf '%064x' 47)

GODWIT_TRAIT=SystemLibraries Scripts/build-checks.sh Tests/Portable
cp .build/debug/Answers "$folder/linked"
GODWIT_TRAIT=Portable Scripts/build-checks.sh Tests/Portable --scratch-path .build-portable
cp .build-portable/debug/Answers "$folder/portable"

libraries=$(ldd "$folder/portable" | awk '{ print $1 }' |
    grep -vE '^(linux-vdso|/lib.*/ld-linux|lib(c|m|gcc_s|stdc\+\+|pthread|dl|rt|util|sqlite3|z)\.so|libswift|lib(dispatch|BlocksRuntime|FoundationEssentials)\.so|lib_FoundationCShims)' || true)
if [ -n "$libraries" ]; then
    echo "The portable program links $libraries" >&2
    exit 1
fi
symbols=$(nm -D --undefined-only "$folder/portable" | grep -E ' (u_|ubrk_|ucol_|unorm|pcre2_|EVP_|RAND_|GEOS|proj_|sb_stemmer|curl_)' || true)
if [ -n "$symbols" ]; then
    echo "The portable program calls $symbols" >&2
    exit 1
fi

# answers MAKER READER [KEY]: each of two programs opens the database that the first one makes.
answers() {
    for program in "$1" "$2"; do
        "$folder/$program" "$folder/words-$1${3:+-encrypted}" ${3+"$3"} >"$folder/answers-$program"
    done
    cmp "$folder/answers-$1" "$folder/answers-$2"
}
answers linked portable
answers portable linked
answers linked portable "$key"
answers portable linked "$key"
echo "The portable program links no other library. Each program answers queries of the other's databases alike."
