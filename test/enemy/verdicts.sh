# SPDX-License-Identifier: BSD-3-Clause
# What logs of enemy say of programs and their steps. Sourced by run and ../soak.
#
# A step that differs is a line "DIFFERS SEED:NUMBER step K (OPERATION) rank R: ..."; a program that failed is a
# line "failed: NUMBER"; one in which the process ended, or waited for ever, is a line "ended: NUMBER", which the
# script that watches appends.
# shellcheck shell=bash

# finished LOG: it came to its end.
finished()
{
    grep -Eqx '[0-9]+ passed, [0-9]+ failed' "$1"
}

# bad_programs SEED LOG...: the numbers of the programs that failed.
bad_programs()
{
    local seed=$1
    shift
    sed -n -e 's/^failed: //p' -e 's/^ended: //p' -e "s/.*DIFFERS $seed:\([0-9]*\) step.*/\1/p" "$@" | sort -nu
}

# wrong_steps SEED NUMBER LOG...: the steps of this program that differ.
wrong_steps()
{
    local seed=$1 number=$2
    shift 2
    sed -n "s/.*DIFFERS $seed:$number step \([0-9]*\) .*/\1/p" "$@" | sort -u
}

# is_own SEED NUMBER DAME NATIVE: is it Open MPI's own? Without DAME (log NATIVE), the program does not come to
# its end either, or every step differs that differs with DAME.
is_own()
{
    finished "$4" || return 0
    ! grep -qx "ended: $2" "$3" && [ -n "$(wrong_steps "$1" "$2" "$4")" ] &&
        [ -z "$(comm -23 <(wrong_steps "$1" "$2" "$3") <(wrong_steps "$1" "$2" "$4"))" ]
}

# dame_was_right LOG: dt_dame_verify saw no wrong bytes of DAME's. It also reports those of Open MPI's own engine.
dame_was_right()
{
    ! grep -q "of the datatype DAME is wrong" "$1"
}
