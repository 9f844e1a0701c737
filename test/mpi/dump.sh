# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Sourced by test/mpi/run, with its functions and variables: the files of dt_dame_dump.

# new_directory: for files of dt_dame_dump.
new_directory()
{
    rm -rf "$scratch/dump"
    mkdir "$scratch/dump"
}

# files_are N DIRECTORY
files_are()
{
    local found
    found=$(find "$2" -type f | wc -l)
    [ "$found" = "$1" ] || { echo "$found files in $2 instead of $1"; return 1; }
}

# has_line FILE TEXT: a line of FILE is TEXT, an extended regular expression; "! TEXT": no line is.
has_line()
{
    case $2 in
    "! "*) [ -e "$1" ] && ! grep -Eqx -- "${2#! }" "$1" ;;
    *) grep -Eqx -- "$2" "$1" ;;
    esac
}

# dumped CONFIGURATION RULE|FILE:TEXT... -- MODE ARGUMENT...: the program dump does MODE on two ranks of DAME
# with a new directory, a rule of expect holds, and every FILE there has_line TEXT.
dumped()
{
    local config=$1 rules=() mode
    shift
    while [ "$1" != -- ]; do
        case $1 in
        dame-*:*) rules+=("then has_line $scratch/dump/${1%%:*} '${1#*:}'") ;;
        *) rules+=("$1") ;;
        esac
        shift
    done
    read -r -a mode <<<"$2"
    new_directory
    OMPI_MCA_dt_dame_dump_dir=$scratch/dump expect dump "$config" "${rules[@]}" -- \
        -np 2 "${dame[@]}" "${@:3}" "$PROGRAMS/dump" "$scratch/dump" "${mode[@]}"
}

# dump_fails CONFIGURATION MESSAGES TEXT MODE ARGUMENT...: the job ends well, and MESSAGES of two processes
# print TEXT, once, and nothing else of files.
dump_fails()
{
    dumped "$1" "$2 of dt:dame: dump: $3" "$2 of dt:dame: dump" -- "$4" --mca dt_dame_dump program "${@:5}"
}

dumps()
{
    local on=(--mca dt_dame_dump program) calls="# mpi: vector(3, 1, 3, MPI_INT)" x
    calls=${calls//[()]/.}

    files() { echo "then files_are $1 $scratch/dump"; }
    dumped "files" "dame-r0-left=20alive.dame:$calls" "dame-r1-left=20alive.dame:$calls" \
        "dame-r0-made-struct.dame:! .*STRUCT.*" -- files "${on[@]}"
    dumped "files, no passes" "dame-r0-made-struct.dame: *STRUCT.*" -- files "${on[@]}" --mca dt_dame_passes none
    dumped "raw" "$(files 40)" "dame-r0-1.raw.dame:# form: before any pass" "dame-r0-1.dame:$calls" -- "count 10" \
        --mca dt_dame_dump raw
    [ $long = no ] || dumped "files, verify" "dame-r0-left=20alive.dame:$calls" -- files "${on[@]}" \
        --mca dt_dame_verify 1
    dumped "relative directory" "$(files 20)" "dame-r1-1.dame:$calls" -- "count 10" "${on[@]}" \
        --mca dt_dame_dump_dir . -wdir "$scratch/dump"
    dumped "threads" "$(files 6)" -- threads "${on[@]}"
    dumped "killed" fails "$(files 2)" "dame-r0-in=20use.dame:$calls" "dame-r1-in=20use.dame:$calls" -- killed "${on[@]}"
    dumped "spawned jobs" "$(files 3)" "dame-r0-twins.dame:$calls" "dame-r1-twins.dame:$calls" \
        "dame-j2-r0-twins.dame:$calls" -- spawn "${on[@]}"
    # Without this variable a process believes that no mpirun started it, as under srun.
    dumped "direct launch" "$(files 20)" "dame-r0-1.dame:$calls" "dame-r1-1.dame:$calls" -- "count 10" \
        "${on[@]}" env -u OMPI_MCA_orte_launch
    dumped "nothing" "$(files 0)" -- "count 0"
    dumped "none" "$(files 0)" -- "count 0" --mca dt_dame_dump none
    dump_fails "no directory" 1 "$scratch/dump/none: No such file or directory" "count 0" \
        --mca dt_dame_dump_dir "$scratch/dump/none"
    dump_fails "no room" 2 "$scratch/dump/dame-r[01]-1.dame: File too large" full
    dump_fails "limit" 1 "there are 10000 files, " "count 10000"
    for x in threads $(in_long p2p lifetime); do
        new_directory
        expect "$x" "dame, dump" -- -np 2 "${dame[@]}" "${on[@]}" \
            --mca dt_dame_dump_dir "$scratch/dump" "$mpi_test" "$x"
    done
}
