# Sourced by `run` and `test`: finds what is missing on Debian and installs it.

missing=()

# need WHAT PACKAGE: notes a package when what it brings is not there.
need() {
    case $1 in
    *.h) [ -f "/usr/include/$1" ] ;;
    venv) python3 -c 'import ensurepip' 2>/dev/null ;;
    javascriptcore) compgen -G '/usr/lib/*/libjavascriptcoregtk-[46].*.so.[01]' >/dev/null ;;
    geos) compgen -G '/usr/lib/*/libgeos_c.so.1' >/dev/null ;;
    proj) compgen -G '/usr/lib/*/libproj.so.25' >/dev/null ;;
    stemmer) compgen -G '/usr/lib/*/libstemmer.so.0d' >/dev/null ;;
    gpsd) [ -x /usr/sbin/gpsd ] ;;
    leaflet) [ -f /usr/share/javascript/leaflet/leaflet.js ] ;;
    markercluster) [ -f /usr/share/javascript/leaflet/leaflet.markercluster.js ] ;;
    *) command -v "$1" >/dev/null ;;
    esac || missing+=("$2")
}

# install_missing: installs what was noted, as root or through sudo, and says what.
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
    echo "Installing from Debian: ${missing[*]}"
    "${root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

need_swift() {
    command -v swift >/dev/null || { echo "Swift 6.3 is not on the PATH. Install it from swift.org and try again." >&2; exit 1; }
}
