# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by test scripts: their options, what they need, a line for each test, and "N passed, M failed" as the last one.

passed=0
failed=0

# pass NAME
pass()
{
    passed=$((passed + 1))
    echo "PASS $1"
}

# fail NAME [FILE]: FILE tells more.
fail()
{
    failed=$((failed + 1))
    echo "FAIL $1"
    [ -z "${2-}" ] || sed 's/^/    /' "$2"
}

# verdict CODE NAME [FILE]: FILE tells more when CODE is not 0.
verdict()
{
    if [ "$1" -eq 0 ]; then
        pass "$2"
    else
        fail "${@:2}"
    fi
}

# holds NAME COMMAND...: the command succeeds; its output tells more.
holds()
{
    local name=$1
    shift
    "$@" >difference 2>&1
    verdict $? "$name" difference
}

# options NAME... NAME=PATTERN... -- ARGUMENT...: reads --NAME, which sets $NAME to yes (no without it), and --NAME VALUE, which sets
# $NAME to a value that matches the extended regular expression (as the caller has set it without it). For --help, and for
# anything else, usage() says what there is.
options()
{
    local names=() name pattern one
    while [ "$1" != -- ]; do
        names+=("$1")
        [[ $1 == *=* ]] || printf -v "$1" no
        shift
    done
    shift
    while [ $# -gt 0 ]; do
        [[ $1 != --help && $1 != -h ]] || { usage; exit 0; }
        name=
        for one in "${names[@]}"; do
            [ "--${one%%=*}" != "$1" ] || name=${one%%=*} pattern=${one#"$name"}
        done
        if [ -n "$name" ] && [ -z "$pattern" ]; then
            printf -v "$name" yes
        elif [ -n "$name" ] && [ $# -gt 1 ] && [[ $2 =~ ^(${pattern#=})$ ]]; then
            printf -v "$name" %s "$2"
            shift
        else
            echo "$0: '$1${name:+ ${2-}}' is not understood" >&2
            usage >&2
            exit 2
        fi
        shift
    done
}

# begin NAME [FOLDER]: of test/NAME, which needs mpirun: reads the settings of $BUILDDIR, by default build/, or skips the script. Then
# $logs is a folder for logs, and $scratch one that goes at the end, where temporary files and caches are. FOLDER is the logs' name.
begin()
{
    local root
    root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
    BUILDDIR=$(cd "${BUILDDIR:-$root/build}" && pwd) && . "$BUILDDIR/env.sh" ||
        { echo "${BUILDDIR:-$root/build}/env.sh is missing: run configure first" >&2; exit 2; }
    [ -n "$MPIRUN" ] || skip_all "test/$1" "configured --without-openmpi"
    logs=$BUILDDIR/test-logs/${2-${1%/run}}
    mkdir -p "$logs"
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/dame-test.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    export TMPDIR=$scratch XDG_CACHE_HOME=$scratch/xdg # not the user's
}

# needs PROGRAM: of this build.
needs()
{
    [ -x "$1" ] || { echo "$0: $1 is missing: type make -C $BUILDDIR test-programs" >&2; exit 2; }
}

# skip_all WHAT WHY: the whole script is skipped.
skip_all()
{
    echo "skipped: $1 ($2)"
    exit 77
}

# turn_of_tests: chooses the cases that a short run takes: the number of commits, or of the day where the history is not there.
turn_of_tests()
{
    local here
    here=$(dirname "${BASH_SOURCE[0]}")
    if [ "$(git -C "$here" rev-parse --is-shallow-repository 2>/dev/null)" = false ]; then
        git -C "$here" rev-list --count HEAD
    else
        echo $(($(date +%s) / 86400))
    fi
}

# end_of_tests: the exit code is 0 when no test failed, and one passed.
end_of_tests()
{
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
}
