#!/usr/bin/env bash
# Finds figurative words and docstrings without a subject in comments and in the documentation: CONTRIBUTING.md, "Words".
#   Scripts/words.sh [FILE...]    checks these files; without arguments all files that git knows
# Prints each finding as FILE:LINE: TEXT, and ends with status 1 if there are any.
set -euo pipefail
cd "$(dirname "$0")/.."

words='nobody|somebody|whoever|stands?|stood|beside|in hand|goes on|go on|gone on|comes? on|lies|(is|are|was|were|be|being) told'
words+='|holds? against|held against|of one.s own|by and by|thereby|thereof|wherein'
# A docstring begins with what the symbol is or does.
openings='(What|Who|Whom|How many|How much|How long|How often)'

if [ $# -eq 0 ]; then
    mapfile -t files < <(git ls-files '*.swift' '*.[ch]' '*.py' '*.sh' '*.js' '*.css' '*.md' run test .ci/run)
    set -- "${files[@]}"
fi

awk -v words="(^|[^[:alnum:]_])($words)([^[:alnum:]_]|\$)" -v openings="^ *///? $openings [a-z]" '
    FNR == 1 { isMarkdown = FILENAME ~ /\.md$/; isScript = FILENAME ~ /(\.py|\.sh|^run|^test|\.ci\/run)$/; fenced = quoted = 0 }
    isMarkdown && /^ *```/ { fenced = !fenced }
    isScript && /"""/ { wasQuoted = quoted; if (gsub(/"""/, "&") % 2) quoted = !quoted; text = $0; report(); next }
    isMarkdown { text = fenced ? "" : $0; gsub(/`[^`]*`/, "", text) }
    isScript { text = quoted || match($0, /(^|[ \t])#.*/) ? substr($0, quoted ? 1 : RSTART) : "" }
    !isMarkdown && !isScript {
        text = match($0, /(^|[ \t])\/\/.*|\/\*.*|^ +\* .*/) ? substr($0, RSTART) : ""
        if ($0 ~ openings) { print FILENAME ":" FNR ": " $0; found = 1; next }
    }
    { report() }
    function report() { if (tolower(text) ~ words) { print FILENAME ":" FNR ": " $0; found = 1 } }
    END { exit found }
' "$@"
