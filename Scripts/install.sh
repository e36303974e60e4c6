# Sourced by `run` and `test`: finds missing packages on Debian and installs them.

missing=()

# need WHAT PACKAGE: records a package if its file or program is missing.
need() {
    case $1 in
    *.h) [ -f "/usr/include/$1" ] ;;
    venv) python3 -c 'import ensurepip' 2>/dev/null ;;
    javascriptcore) compgen -G '/usr/lib/*/libjavascriptcoregtk-[46].*.so.[01]' >/dev/null ;;
    geos) compgen -G '/usr/lib/*/libgeos_c.so.1' >/dev/null ;;
    proj) compgen -G '/usr/lib/*/libproj.so.25' >/dev/null ;;
    curl-library) compgen -G '/usr/lib/*/libcurl.so.4' >/dev/null ;;
    pocketsphinx-model) [ -d /usr/share/pocketsphinx/model/en-us/en-us ] ;;
    dbconfig) [ -d /usr/share/dbconfig-common ] ;;
    cldr) [ -d /usr/share/unicode/cldr/common/uca ] ;;
    stemmer) compgen -G '/usr/lib/*/libstemmer.so.0d' >/dev/null ;;
    gpsd) [ -x /usr/sbin/gpsd ] ;;
    leaflet) [ -f /usr/share/javascript/leaflet/leaflet.js ] ;;
    codemirror) [ -f /usr/share/javascript/codemirror/lib/codemirror.js ] ;;
    chart.js) [ -f /usr/share/javascript/chart.js/chart.min.js ] ;;
    markercluster) [ -f /usr/share/javascript/leaflet/leaflet.markercluster.js ] ;;
    *) command -v "$1" >/dev/null ;;
    esac || missing+=("$2")
}

# alive WORDS COMMAND...: runs a command that shows no progress, and prints a line every 20 s while it runs.
alive() {
    local words=$1 ticker status=0
    shift
    (while sleep 20 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do echo "$words, $SECONDS s by now."; done) &
    ticker=$!
    "$@" || status=$?
    kill $ticker
    wait $ticker 2>/dev/null || true
    return $status
}

# build_in_steps COMMAND...: runs a build. On a terminal the build shows its own progress; elsewhere a line every 20 s
# shows the current step and their number. If the build fails, its errors are shown.
build_in_steps() {
    local log ticker status=0
    if [ -t 1 ]; then
        "$@"
        return
    fi
    log=$(mktemp)
    (while sleep 20 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        echo "$(grep '^\[' "$log" | tail -1 | cut -c 1-80), $SECONDS s by now."
    done) &
    ticker=$!
    "$@" >"$log" 2>&1 || status=$?
    kill $ticker
    wait $ticker 2>/dev/null || true
    [ $status -eq 0 ] || grep -A 5 'error:' "$log" >&2 || tail -20 "$log" >&2
    rm "$log"
    return $status
}

# install_missing: installs the recorded packages, as root or through sudo, and prints their names.
install_missing() {
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "Please install: ${missing[*]}" >&2
        exit 1
    fi
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "Please install as root: apt-get install ${missing[*]}" >&2; exit 1; }
        root=(sudo)
    fi
    echo "Installing from Debian, which takes a minute or two: ${missing[*]}"
    alive "Still reading Debian's lists" "${root[@]}" apt-get update -qq
    # Debian's configuration of glewlwyd starts a service for the whole network with a known password.
    case " ${missing[*]} " in
    *" glewlwyd "*)
        "${root[@]}" debconf-set-selections <<<'glewlwyd glewlwyd/config_type select No configuration'
        ;;
    esac
    alive "Still installing" "${root[@]}" sh -c \
        'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null' sh "${missing[@]}"
}

need_swift() {
    command -v swift >/dev/null || { echo "Swift 6.3 is not on the PATH. Install it from swift.org and try again." >&2; exit 1; }
}

# Flags for programs in use. On Linux they link Swift's runtime, so that programs run on machines without Swift. Another
# set of flags would rebuild everything in the same folder.
release=(-c release)
[ "$(uname)" = Darwin ] || release+=(--static-swift-stdlib)
