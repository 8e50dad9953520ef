# Sourced by the scripts beside it: finding a Python and keeping an environment.
#
# `root` is the repository. An environment carries the stamp of what it was made
# from, so that a later start costs two comparisons and no pip.

# Prints the first Python that can make an environment; says what to do if none can.
find_python() {
    without_venv=
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        if "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
            printf '%s\n' "$candidate"
            return
        fi
        without_venv=$candidate
    done
    if [ -n "$without_venv" ]; then
        echo "serq: $without_venv has no venv module; install it (Debian, Ubuntu: apt install python3-venv)" >&2
    else
        echo "serq: needs Python 3.11 or newer, and found none; install one from https://www.python.org/downloads/" >&2
    fi
    return 2
}

# What an environment is made from: this folder and its pyproject.toml.
stamp() {
    printf '%s\n' "$root"
    cat "$root/pyproject.toml"
}

# ready VENV EXTRAS: whether the environment is there and up to date.
ready() {
    [ -x "$1/bin/python" ] && stamp | cmp -s - "$1/installed$2"
}
