# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154 # $fault
# Sourced: the call sites of objects that fault.c makes fail, and how many of them jobs have reached. $fault is fault.c's library.

# call_sites OBJECT: those that its machine code has, as fault.c lists them. A jump to a function at a function's end is none: it
# looks like its caller's call.
call_sites()
{
    objdump -d --no-show-raw-insn "$1" | awk -v object="${1##*/}" -v functions="$(nm -D --defined-only "$fault" | awk '{ printf "%s ", $3 }')" '
        BEGIN {
            n = split(functions, names)
            for (i = 1; i <= n; i++) fails[names[i]] = 1
        }
        /^ *[0-9a-f]+:\t/ { # the call returns to the instruction behind it
            if (called != "") print called, object "+" substr($1, 1, length($1) - 1)
            called = ""
            if ($2 ~ /^(call|bl)/ && match($0, /<[^>]*@plt>/)) called = substr($0, RSTART + 1, RLENGTH - 6)
            if (!(called in fails)) called = ""
        }'
}

# tell_reached LISTED UNREACHED OBJECT...: prints how many of each object's call sites are in the file LISTED, and writes the others
# to UNREACHED, each with its function and line.
tell_reached()
{
    local listed=$1 unreached=$2 object all missed
    shift 2
    : >"$unreached"
    command -v objdump >/dev/null || { echo "SKIP call sites that nothing reaches: no objdump"; return; }
    for object in "$@"; do
        [ -e "$object" ] || continue
        call_sites "$object" | sort -u >all_sites
        grep -vxFf "$listed" all_sites >missed_sites
        all=$(wc -l <all_sites) missed=$(wc -l <missed_sites)
        echo "${object##*/}: $((all - missed)) of $all call sites reached, the others: $unreached"
        # the listed calls are also found here, or this list is worth nothing
        ! grep -qF " ${object##*/}+" "$listed" || holds "call sites of ${object##*/} are known" [ "$all" -gt "$missed" ]
        paste -d' ' missed_sites <(sed 's/.*+/0x/' missed_sites | addr2line -f -p -e "$object") >>"$unreached"
    done
}
