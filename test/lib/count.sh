# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by test scripts: a line for each test, and "N passed, M failed" as the last one.

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
