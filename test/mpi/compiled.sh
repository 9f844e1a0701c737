# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2153,SC2154
# Sourced by test/mpi/run, with its functions and variables: machine code.

# compiled CONFIGURATION MESSAGES ARGUMENT... -- MODE...: the program compiled does MODE on two ranks
# and ends well, and the message that machine code cannot be executed is printed MESSAGES times.
compiled()
{
    local config=$1 messages=$2 arguments modes
    shift 2
    split "$@"
    expect compiled "$config" "$messages of does not let a process execute machine code" -- \
        -np 2 "${dame[@]}" "${arguments[@]}" "$mpi_test" compiled "${modes[@]}"
}

# The programs of the matrix, where everything is machine code from its first use.
# matrix CONFIGURATION PROGRAMS ARGUMENT...
matrix()
{
    local config="dame, $1" programs=$2 first=(--mca dt_dame_promotion_threshold 1) ranks x
    local -A extra=([convertor]=dame [edge]=$edge_plugin [onesided]="${windows[*]}")
    shift 2
    first+=("$@")
    for x in $programs; do
        case $x in
        pack | convertor | edge) ranks=1 ;;
        *) ranks=2 ;;
        esac
        # shellcheck disable=SC2086 # none, one or several arguments
        program "$x" "$config" -np $ranks "${dame[@]}" "${first[@]}" "$mpi_test" "$x" ${extra[$x]-}
    done
}

# A datatype's files: its machine code, which is named with its length in the file of the program; and
# its place and name for perf.
code_files_are_there()
{
    local code=0 x rank y line bytes
    for x in 0:pack:packing 0:unpack:unpacking 1:pack:packing 1:unpack:unpacking; do
        IFS=: read -r rank y line <<<"$x"
        bytes=$(stat -c %s "$scratch/dump/dame-r$rank-two=20words.$y.bin") || code=1
        line="# machine code for $line, $bytes bytes: objdump -D -b binary -m [-a-z0-9:]+ dame-r$rank-two=20words.$y.bin"
        has_line "$scratch/dump/dame-r$rank-two=20words.dame" "$line" || { code=1; echo "missing: $line"; }
    done
    line='#   [0-9a-f]+: primitive [0-9]+, (EXIT|VECTORFINAL)'
    has_line "$scratch/dump/dame-r0-two=20words.dame" "$line" || { code=1; echo "missing: $line"; }
    for x in "$scratch"/maps/perf-*.map; do
        for y in pack unpack; do
            [ "$(grep -Ecx "[0-9a-f]+ [0-9a-f]+ dame_$y:two words" "$x")" = 1 ] ||
                { code=1; echo "dame_$y:two words is not in $x"; }
        done
        [ "$(wc -l <"$x")" = 2 ] || { code=1; echo "not 2 lines in $x"; }
    done
    files_are 6 "$scratch/dump" && files_are 4 "$scratch/maps" && return $code
}

# code_is_named FILES: machine code for packing, named with its length in the file of the program.
code_is_named()
{
    has_line "$1.dame" "# machine code for packing, $(stat -c %s "$1.pack.bin") bytes: .*"
}

crashes()
{
    local first=("${dame[@]}" --mca dt_dame_promotion_threshold 1)
    program compiled "a crash in machine code" -np 1 "${first[@]}" --mca dt_dame_gdb 1 "$mpi_test" compiled crash
    program compiled "a crash, gdb 0" -np 1 "${first[@]}" "$mpi_test" compiled crash
}

code_files()
{
    local asm=(--mca dt_dame_dump asm --mca dt_dame_dump_dir "$scratch/dump")
    mkdir -p "$scratch/maps"
    new_directory
    expect compiled "files of machine code, perf map, GDB" "then code_files_are_there" -- -np 2 "${dame[@]}" "${asm[@]}" \
        --mca dt_dame_promotion_threshold 1 --mca dt_dame_perf_map "$scratch/maps" --mca dt_dame_gdb 1 \
        --mca dt_dame_layout_cache_size 0 "$mpi_test" compiled uses 1
    # Six lives of one datatype share a file, with the code that the second had compiled.
    new_directory
    expect compiled "files of machine code of several lives" "then code_is_named $scratch/dump/dame-r0-life" \
        "then [ ! -e $scratch/dump/dame-r0-life-2.dame ]" -- \
        -np 2 "${dame[@]}" "${asm[@]}" --mca dt_dame_promotion_threshold 2 "$mpi_test" compiled lives 2
}

# Samples in machine code have the program's own function among their callers, all but a few: code may start before its file is there.
chains_are_complete()
{
    "$PERF" inject --jit -i "$scratch/perf/data" -o "$scratch/perf/jit" &&
        "$PERF" script -i "$scratch/perf/jit" 2>/dev/null | awk -v RS= '/dame_(un)?pack:huge/ { n++; complete += /pack_huge/ }
            END { printf "%d of %d chains are complete\n", complete, n; exit !(n >= 5 && complete >= 0.9 * n) }'
}

# perf(1) finds the callers of machine code.
perf_chains()
{
    mkdir -p "$scratch/perf"
    PERF=$(command -v perf) && "$PERF" record -q -e cpu-clock -o "$scratch/perf/try" true >/dev/null 2>&1 || {
        [ $list = yes ] || echo "SKIP compiled [perf]: perf is not here, or may not record"
        return 0
    }
    expect compiled "perf, call chains" exits "then chains_are_complete" -- -np 1 "${dame[@]}" \
        --mca dt_dame_promotion_threshold 1 --mca dt_dame_perf_map "$scratch/perf" \
        "$PERF" record -q -k mono -e cpu-clock -F 5000 --call-graph dwarf -o "$scratch/perf/data" "$mpi_test" report huge
}

machine_code()
{
    crashes
    local at_once=(--mca dt_dame_promotion_threshold 1) small=(--mca dt_dame_code_cache_size 4K) x
    local forgets=(--mca dt_dame_layout_cache_size 0)
    perf_chains
    for x in 0 1 2 $(in_long 50) 1000; do
        compiled "threshold $x" 0 "${forgets[@]}" --mca dt_dame_promotion_threshold $x -- uses $x
    done
    compiled "lives" 0 --mca dt_dame_promotion_threshold 3 -- lives 3
    compiled "measured" 0 "${forgets[@]}" -- measured
    compiled "measured, profile" 0 "${forgets[@]}" --mca dt_dame_profile "$scratch/profile" -- measured
    compiled "measured, profile known" 0 "${forgets[@]}" --mca dt_dame_profile "$scratch/profile" -- measured
    wanted compiled "measured, profile written" && {
        grep -Eq '^[a-z0-9<-]+ (un)?pack [0-9]+ x:' "$scratch/profile"
        verdict $? compiled "measured, profile written" "$logs"
    }
    compiled "measured, small cache" 0 "${forgets[@]}" "${small[@]}" --mca dt_dame_explore 100 -- measured
    compiled "measured, no search" 0 "${forgets[@]}" --mca dt_dame_explore 0 -- measured
    compiled "tier interp" 0 "${forgets[@]}" "${at_once[@]}" --mca dt_dame_tiers interp -- uses 0
    compiled "tier x" 0 "${forgets[@]}" "${at_once[@]}" --mca dt_dame_tiers x -- uses 1
    compiled "churn" 0 "${forgets[@]}" "${at_once[@]}" -- churn 16777216
    compiled "churn, small cache" 0 "${forgets[@]}" "${at_once[@]}" "${small[@]}" -- churn 4096
    compiled "eviction" 0 "${forgets[@]}" "${at_once[@]}" "${small[@]}" -- evict
    compiled "eviction, second use" 0 "${forgets[@]}" --mca dt_dame_promotion_threshold 2 "${small[@]}" -- evict
    program forks "dame, small cache" -np 1 "${dame[@]}" "${at_once[@]}" "${small[@]}" "$mpi_test" forks 30
    compiled "shared mappings denied" 0 "${at_once[@]}" -- denied shared
    compiled "advice denied" 0 "${at_once[@]}" -- denied advice
    # Open MPI 6.0's own patches would crash.
    compiled "execution denied" 1 "${at_once[@]}" --mca patcher ^overwrite -- denied all
    code_files
    # The code above the convertor knows of no codes.
    matrix "compiled at once" "convertor lifetime threads frags $(in_long pack edge p2p onesided)"
    matrix "small code cache" "lifetime threads $(in_long convertor p2p)" "${small[@]}"
    matrix "compiled at once, verify" "convertor threads $(in_long p2p)" --mca dt_dame_verify 1
}
