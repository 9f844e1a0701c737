# shellcheck shell=bash disable=SC2154
# Sourced by test/mpi/run, whose functions and variables it uses: the files of dt_dame_dump.

# in_new_directory LOG ARGUMENT...: mpirun with two ranks of DAME, whose files go to a new directory
# unless the arguments name another.
in_new_directory()
{
    rm -rf "$scratch/dump"
    mkdir "$scratch/dump"
    OMPI_MCA_dt_dame_dump_dir=$scratch/dump job "$1" -np 2 "${dame[@]}" "${@:2}"
}

# has_line FILE TEXT: a line of FILE is TEXT, an extended regular expression; "! TEXT": none is.
has_line()
{
    case $2 in
    "! "*) [ -e "$1" ] && ! grep -Eqx -- "${2#! }" "$1" ;;
    *) grep -Eqx -- "$2" "$1" ;;
    esac
}

# dumped CONFIGURATION end-well|fail FILES|any [FILE TEXT]... -- MODE [ARGUMENT...]: the program
# dump does MODE; afterwards there are so many files, and every FILE has_line TEXT.
dumped()
{
    local config=$1 end=$2 files=$3 log code found lines=() mode
    shift 3
    while [ "$1" != -- ]; do
        lines+=("$1" "$2")
        shift 2
    done
    read -r -a mode <<<"$2"
    shift 2
    wanted dump "$config" || return 0
    log=$(log_for dump "$config")
    in_new_directory "$log" "$@" "$PROGRAMS/dump" "$scratch/dump" "${mode[@]}"
    code=$?
    if [ "$end" = fail ]; then
        code=$((code == 0 || code == 124))
    elif ! good_log "$log"; then
        code=1
    fi
    found=$(find "$scratch/dump" -type f | wc -l)
    [ "$files" = any ] || [ "$files" = "$found" ] ||
        { code=1; echo "$found files instead of $files" >>"$log"; }
    set -- "${lines[@]}"
    while [ $# -gt 0 ]; do
        has_line "$scratch/dump/$1" "$2" || { code=1; echo "not so in $1: $2" >>"$log"; }
        shift 2
    done
    verdict $code dump "$config" "$log"
}

# dump_fails CONFIGURATION MESSAGES TEXT MODE ARGUMENT...: the job ends well, and so many of two
# processes say TEXT, once, and nothing else of files.
dump_fails()
{
    local config=$1 messages=$2 text=$3 log code=0 said mode
    read -r -a mode <<<"$4"
    shift 4
    wanted dump "$config" || return 0
    log=$(log_for dump "$config")
    in_new_directory "$log" --mca dt_dame_dump program "$@" "$PROGRAMS/dump" "$scratch/dump" \
        "${mode[@]}" && good_log "$log" || code=1
    said=$(grep -Ec -- "dt:dame: dump: $text" "$log")
    [ "$said" = "$messages" ] || { code=1; echo "said $said times instead of $messages: $text" >>"$log"; }
    said=$(grep -c -- "dt:dame: dump" "$log")
    [ "$said" = "$messages" ] || { code=1; echo "$said messages, not $messages" >>"$log"; }
    verdict $code dump "$config" "$log"
}

dumps()
{
    local on=(--mca dt_dame_dump program) unknown="# uses: not known before the datatype is freed"
    local alive=("# packed: 1 messages, 12 bytes" "# unpacked: 0 messages, 0 bytes") x

    dumped "files" end-well any dame-r0-left_alive.dame "${alive[0]}" dame-r1-left_alive.dame \
        "${alive[1]}" dame-r0-made-struct.dame "! .*STRUCT.*" -- files "${on[@]}"
    dumped "files, no passes" end-well any dame-r0-made-struct.dame " *STRUCT.*" -- files \
        "${on[@]}" --mca dt_dame_passes none
    [ $long = no ] || dumped "files, verify" end-well any dame-r0-left_alive.dame "${alive[0]}" -- \
        files "${on[@]}" --mca dt_dame_verify 1
    dumped "relative directory" end-well 20 dame-r1-1.dame "${alive[0]}" -- "count 10" "${on[@]}" \
        --mca dt_dame_dump_dir . -wdir "$scratch/dump"
    dumped "threads" end-well 802 -- threads "${on[@]}"
    dumped "killed" fail 2 dame-r0-in_use.dame "$unknown" dame-r1-in_use.dame "$unknown" -- killed \
        "${on[@]}"
    dumped "spawned jobs" end-well 3 dame-r0-twins.dame "${alive[0]}" dame-r1-twins.dame \
        "${alive[0]}" dame-j2-r0-twins.dame "${alive[0]}" -- spawn "${on[@]}"
    # Without this variable a process believes that no mpirun started it, as under srun.
    dumped "direct launch" end-well 20 dame-r0-1.dame "${alive[0]}" dame-r1-1.dame "${alive[0]}" \
        -- "count 10" "${on[@]}" env -u OMPI_MCA_orte_launch
    dumped "nothing" end-well 0 -- "count 0"
    dumped "none" end-well 0 -- "count 0" --mca dt_dame_dump none
    dump_fails "no directory" 1 "$scratch/dump/none: No such file or directory" "count 0" \
        --mca dt_dame_dump_dir "$scratch/dump/none"
    dump_fails "no room" 2 "$scratch/dump/dame-r[01]-1.dame: File too large" full
    dump_fails "limit" 1 "3 datatypes have a file, .*dt_dame_dump_limit" "count 3" \
        --mca dt_dame_dump_limit 3
    for x in threads $(in_long p2p lifetime); do
        dumped_by "$x" "${on[@]}" --mca dt_dame_dump_limit 1000
    done
}

# dumped_by NAME ARGUMENT...: another program of these works as well while files are written.
dumped_by()
{
    local name=$1 config="dame, dump" log
    shift
    wanted "$name" "$config" || return 0
    log=$(log_for "$name" "$config")
    in_new_directory "$log" "$@" "$mpi_test" "$name" && good_log "$log"
    verdict $? "$name" "$config" "$log"
}
