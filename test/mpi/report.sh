# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2153,SC2154
# Sourced by test/mpi/run, with its functions and variables: the report, its file, and the last run.

# one_page LOG: one report, of at most 80 columns and 66 lines.
one_page()
{
    [ "$(grep -c '^DAME report: ' "$1")" = 1 ] || { echo "not one report"; return 1; }
    sed -n '/^DAME report: /,$p' "$1" | grep -E '^(DAME|  )' | awk 'length > 80 { print "too wide: " $0; bad = 1 }
        END { if (NR > 66) { print "too long"; bad = 1 } exit bad }'
}

# summary CONFIGURATION TEXT... -- ARGUMENT...: mpirun ends well and prints one page with every TEXT.
summary()
{
    local config=$1 log code=0 texts=() text
    shift
    while [ "$1" != -- ]; do texts+=("$1"); shift; done
    shift
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    HOME=$scratch job "$log" "$@" && good_log "$log" || code=1
    one_page "$log" >"$log.page" 2>&1 || { code=1; cat "$log.page" >>"$log"; }
    for text in "${texts[@]}"; do
        grep -Eq -- "$text" "$log" || { code=1; echo "missing: $text" >>"$log"; }
    done
    verdict $code report "$config" "$log"
}

json_report()
{
    local config=json log code=0 file=$scratch/report.json
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    echo old >"$file"
    HOME=$scratch job "$log" -np 4 "${dame[@]}" "${twenty[@]}" --mca dt_dame_report json \
        --mca dt_dame_report_file "$file" "$mpi_test" report dame && good_log "$log" || code=1
    [ "$(grep -c "DAME report" "$log")" = 0 ] || { code=1; echo "also a report on stderr" >>"$log"; }
    python3 - "$file" >>"$log" 2>&1 <<'END' || code=1
import json, sys
report = json.load(open(sys.argv[1]))
assert report["format"] == 1 and report["ranks"] == report["reporting"] == 4, report
counters = report["counters"]
assert counters["messages_packed"] == {"min": 110, "mean": 110, "max": 110, "sum": 440}, counters
assert counters["pack_interp_uses"]["sum"] == 4 * (19 + 10), counters
assert counters["pack_code_bytes"]["sum"] == 4 * 81 * 4000, counters
face, corner = report["datatypes"][:2]  # the busiest first
assert face["name"] == 'face "x"' and face["layout"] == "500 blocks of 8 B, every 64 B" and face["size"] == 4000, face
assert face["ranks"] == 4 and face["datatypes"] == 4 and face["bytes"] == 2 * 4 * 100 * 4000, face
assert face["pack"]["code"]["uses"] == 4 * 81 and face["pack"]["compiled_at_use"] == 20, face
assert face["pack"]["history"] == [{"use": 20, "code": "x"}], face
assert face["pack"]["native_ns_per_byte"] > 0 and face["pack"]["code"]["ns_per_byte"] > 0, face
assert counters["promoted"]["sum"] == 8 and counters["compile_make_ns"]["sum"] > 0, counters
assert corner["name"] == "" and corner["pack"]["interp"]["uses"] == 40, corner
compared = report["compared"]
assert 0 < compared["dame_ns"] and 0 < compared["native_ns"], compared
# Whether the few messages of the corner are timed depends on how long they take.
assert 2 * 4 * 100 * 4000 <= compared["bytes"] <= 2 * 4 * (100 * 4000 + 10 * 24), compared
END
    verdict $code report "$config" "$log"
}

# Each byte of non-contiguous data is in the report, also those that DAME left to Open MPI's own engine, and why.
left_to_native()
{
    local config="data left to Open MPI" log code=0 file=$scratch/left.json
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    HOME=$scratch job "$log" -np 2 "${as_users[@]}" --mca dt_dame_report json \
        --mca dt_dame_report_file "$file" "$mpi_test" report left && good_log "$log" || code=1
    python3 - "$file" >>"$log" 2>&1 <<'END' || code=1
import json, sys
report = json.load(open(sys.argv[1]))
counters = {name: value["sum"] for name, value in report["counters"].items()}
by_name = {row["name"]: row for row in report["datatypes"]}
moved = counters["bytes_packed"] + counters["bytes_unpacked"] + counters["bytes_copied"]
left = counters["bytes_left"]
everything = 2 * 2 * 100 * (4000 + 6 * 512) + 2 * 2 * 40
assert moved + left == everything, (moved, left, everything)
assert sum(row["bytes"] for row in by_name.values()) == everything, by_name
rows = by_name["rows"]
assert rows["layout"] == "6 blocks of 512 B, every 528 B" and rows["size"] == 3072, rows
assert 0 < rows["left"]["pack_uses"] + rows["left"]["unpack_uses"] < 200 < rows["pack"]["interp"]["uses"] + 100, rows
assert rows["left"]["why"] == "too few uses to repay an import", rows
assert abs(report["share_of_bytes"] - (moved - counters["pack_opal_bytes"] - counters["unpack_opal_bytes"]) / everything) < 1e-3
END
    verdict $code report "$config" "$log"
}

# Open MPI's own engine is also timed for whole messages of megabytes.
huge()
{
    local config="huge messages" log code=0 file=$scratch/huge.json
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    HOME=$scratch job "$log" -np 1 "${dame[@]}" --mca dt_dame_report json --mca dt_dame_report_file "$file" \
        "$mpi_test" report huge && good_log "$log" || code=1
    python3 - "$file" >>"$log" 2>&1 <<'END' || code=1
import json, sys
report = json.load(open(sys.argv[1]))
(huge,) = report["datatypes"]
assert huge["name"] == "huge" and huge["bytes"] == 2 * 40 * 2097152, huge
assert huge["pack"]["native_ns_per_byte"] > 0 and huge["unpack"]["native_ns_per_byte"] > 0, huge
compared, ranks = report["compared"], report["all_ranks"]
assert compared["part"] == 1 and compared["bytes"] == huge["bytes"] and compared["error_ns"] >= 0, compared
assert 0 < ranks["moving_ns"] < ranks["run_ns"] and ranks["waited_for_cpu_ns"] >= 0, ranks
assert report["counters"]["fragments_sampled"]["sum"] <= 2 * 40 / 2, report["counters"]
END
    verdict $code report "$config" "$log"
}

# A rank that dies ends the job; no rank waits for its record.
dying_rank()
{
    local config="a rank dies" log code
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    HOME=$scratch job "$log" -np 4 "${dame[@]}" --mca dt_dame_report summary "$mpi_test" report die
    code=$?
    verdict $((code == 0 || code == 124)) report "$config" "$log"
}

# What all ranks of the node had done so far is left of a job that is killed: in the report's file, and as the last run.
killed_while_it_works()
{
    local config="a job is killed" log code=0 file=$scratch/snapshot.json
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    rm -f "$file.all"
    {
        until grep -q '"reporting": 2' "$file" && grep -Eq '"messages_packed": [^}]*"sum": [0-9]{3}' "$file"; do sleep 0.2; done
        touch "$file.all"
    } 2>/dev/null &
    HOME=$scratch job "$log" -np 2 "${dame[@]}" --mca dt_dame_report json --mca dt_dame_report_file "$file" \
        --mca dt_dame_report_every 1 "$mpi_test" report working "$file.all" && code=1
    kill $! 2>/dev/null
    grep -q "^ended=running at " "$scratch/.openmpi/dame-last-run" && grep -q "^ranks=2 of 2$" "$scratch/.openmpi/dame-last-run" ||
        { code=1; cat "$scratch/.openmpi/dame-last-run" >>"$log"; }
    python3 - "$file" >>"$log" 2>&1 <<'END' || code=1
import json, sys
report = json.load(open(sys.argv[1]))
assert "running" in report and "ended" not in report and report["ranks"] == 2 and report["reporting"] == 2, report
assert report["seconds"] >= 1 and report["counters"]["messages_packed"]["sum"] >= 100, report
(face,) = report["datatypes"]
assert face["name"] == 'face "x"' and face["bytes"] >= 2 * 100 * 4000, face
END
    verdict $code report "$config" "$log"
}

# .. and nothing beside the report of a job that ends.
snapshots_of_a_job_that_ends()
{
    local config="snapshots, and then the report" log code=0 at=$scratch/snapshots x
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    mkdir -p "$at"
    HOME=$scratch job "$log" -np 2 "${dame[@]}" --mca dt_dame_report json --mca dt_dame_report_file "$at/%p.json" \
        --mca dt_dame_report_every 1 --mca dt_dame_explore 0 "$mpi_test" report long || code=1
    for x in "$at"/*; do
        python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["reporting"] != 2)' "$x" >>"$log" 2>&1 || code=1
    done
    [ "$(find "$at" -type f | wc -l)" = 1 ] || { code=1; ls "$at" >>"$log"; }
    verdict $code report "$config" "$log"
}

# A tool may empty the report's name while there are snapshots: no snapshot is left, and the job says why.
name_that_is_emptied()
{
    local config="a tool empties the report's name" log code=0 at=$scratch/emptied
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    mkdir -p "$at"
    HOME=$scratch job "$log" -np 2 "${dame[@]}" --mca dt_dame_report json --mca dt_dame_report_file "$at/report.json" \
        --mca dt_dame_report_every 1 --mca dt_dame_explore 0 "$mpi_test" report emptied || code=1
    grep -qx "dt:dame: no report: dt_dame_report_file is empty" "$log" || code=1
    [ -z "$(ls -A "$at")" ] || { code=1; ls "$at" >>"$log"; }
    verdict $code report "$config" "$log"
}

# fnv TEXT: its FNV-1a, 64 bits.
fnv()
{
    python3 -c 'import sys
h = 0xcbf29ce484222325
for c in sys.argv[1].encode():
    h = (h ^ c) * 0x100000001b3 % 2**64
print("%016x" % h)' "$1"
}

# Records of a job that was killed inside MPI_Finalize do not count for the next one of the same namespace, and are gone then.
killed_job()
{
    local config="a namespace comes again" log code=0 left
    local space=report-$$-$(printf '%0100d' 0) # its name is cut, and the part cut off counts
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    left=/dev/shm/dame-$(id -u)-${space:0:78}-$(fnv "$space")
    {
        HOME=$scratch job "$log.killed" -np 4 "${dame[@]}" --mca dt_dame_report summary "$mpi_test" report killed "$space" "$left" &&
            { code=1; echo "the job was not killed"; }
        [ -e "$left/rank-0" ] || { code=1; echo "it has left nothing"; }
        HOME=$scratch job "$log.next" "${path[@]}" --mca dt_dame_report summary -np 2 "$engines" native,dame \
            "$mpi_test" report native "$space" && good_log "$log.next" || code=1
        grep -q "1 of 2 ranks" "$log.next" || { code=1; echo "not the report of one rank"; }
        [ -z "$(find /dev/shm -maxdepth 1 -name "${left##*/}*")" ] || { code=1; echo "$left is still there"; }
        cat "$log.next"
    } >"$log" 2>&1
    rm -rf "$left" "$left.collected"
    verdict $code report "$config" "$log"
}

# The name of a datatype is bytes of the program's, which no terminal and no file takes as they are.
hostile_names()
{
    local config="hostile names" log code=0 home=$scratch/names file=$scratch/names.json shown='a\\n\\x1b\[31mbé\\x9b[\]'
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    mkdir "$home"
    (umask 0 && HOME=$home job "$log" -np 2 "${dame[@]}" --mca dt_dame_report summary --mca dt_dame_verbose 5 \
        "$mpi_test" report names) && good_log "$log" || code=1
    grep -Eq "^  $shown  [0-9.]+ [kM]?B on 2 ranks" "$log" || { code=1; echo "not in the summary" >>"$log"; }
    [ "$(grep -Ec "rank [01]: $shown: imported" "$log")" = 2 ] || { code=1; echo "not at verbosity 5" >>"$log"; }
    ! LC_ALL=C grep -qa $'[\x1b\x9b]' "$log" || { code=1; echo "it has controls" >>"$log"; }
    # Open MPI loads files from there: no other user may write them.
    [ "$(stat -c %a "$home/.openmpi")" = 700 ] || { code=1; ls -ld "$home/.openmpi" >>"$log"; }
    shown "$home" | grep -E "last_run_datatype_1:value:.*$shown: 500" >/dev/null || { code=1; shown "$home" >>"$log"; }
    HOME=$scratch job "$log.json" -np 2 "${dame[@]}" --mca dt_dame_report json --mca dt_dame_report_file "$file" \
        "$mpi_test" report names || code=1
    python3 - "$file" >>"$log" 2>&1 <<'END' || code=1
import json, sys
name = json.load(open(sys.argv[1], encoding="utf-8"))["datatypes"][0]["name"]
assert name == "a\n\x1b[31mb\u00e9\u009b\\", ascii(name)
END
    verdict $code report "$config" "$log"
}

# into NAME [TEXT]: the report is asked for in that file, and the job ends well; its log has TEXT.
into()
{
    HOME=$scratch job "$log" -np 2 -wdir "$at" "${dame[@]}" --mca dt_dame_report json --mca dt_dame_report_file "$1" \
        "$mpi_test" report native && counted_log "$log" && grep -Eq -- "${2-}" "$log" && return
    echo "$1:"
    cat "$log"
    return 1
}

is_report()
{
    python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["format"] != 1)' || { echo "no report: $1"; return 1; }
}

# Anything but a regular file is written into, or left alone and named.
report_files()
{
    local config="files that are none" log all code=0 at=$scratch/files reader x
    wanted report "$config" || return 0
    all=$(log_for report "$config")
    log=$all.job
    mkdir -p "$at/directory"
    {
        echo old >"$at/target"
        ln -s target "$at/link"
        into "$at/link" && [ -L "$at/link" ] && is_report link <"$at/target" || code=1
        mkfifo "$at/pipe"
        into "$at/pipe" "no report: $at/pipe: no process has the pipe open for reading" && [ -p "$at/pipe" ] || code=1
        timeout "$limit" cat "$at/pipe" >"$at/read" &
        reader=$!
        into "$at/pipe" && [ -p "$at/pipe" ] && wait $reader && is_report pipe <"$at/read" || code=1
        into "$at/directory" "\"$at/directory\" is a directory; allowed: the name of a file" || code=1
        rmdir "$at/directory"
        is_report directory <"$at/dame-report.json" && rm "$at/dame-report.json" || code=1
        into "$at/%j-%p-%%.json" && into "$at/%j-%p-%%.json" || code=1 # two jobs, two files
        [ "$(find "$at" -name '*-*-%.json' -not -name '*%[jp]*' | wc -l)" = 2 ] || { code=1; ls "$at"; }
        for x in "$at"/*-%.json; do
            is_report "$x" <"$x" && rm "$x" || code=1
        done
        into "$at/a%n.json" "has \"%n\"; allowed: %j for the job" || code=1
        rm "$at/dame-report.json" || code=1
        for x in stdout stderr; do # by links of our own: not to risk the machine's
            ln -s /dev/$x "$at/$x"
            into "$at/$x" '^  "format": 1,' && [ -L "$at/$x" ] && rm "$at/$x" || code=1
        done
        if mknod "$at/null" c 1 3 2>/dev/null; then
            into "$at/null" && [ -c "$at/null" ] || code=1
        fi
        ! find "$at" -mindepth 1 -not -name link -not -name null -not -name pipe -not -name read -not -name target |
            grep . || code=1
    } >"$all" 2>&1
    verdict $code report "$config" "$all"
}

# shown HOME: what ompi_info shows of the last run.
shown()
{
    HOME=$1 OMPI_MCA_mca_base_component_path=$COMPONENTS:$PKGLIBDIR timeout "$limit" "$OMPI_INFO" \
        --parsable --param dt dame --level 9 2>&1 | grep -E "param:dt_dame_last_run_[a-z0-9_]+:value:"
}

last_runs()
{
    local config="last run" log code=0 home=$scratch/last file x jobs=()
    wanted report "$config" || return 0
    log=$(log_for report "$config")
    file=$home/.openmpi/dame-last-run
    mkdir -p "$home"
    {
        shown "$home" | grep -v "value:none recorded" >/dev/null && { code=1; echo "recorded before any run"; }
        HOME=$home job "$log.job" -np 2 "${dame[@]}" --mca dt_dame_last_run 0 "$mpi_test" report native || code=1
        [ ! -e "$file" ] || { code=1; echo "written although off"; }
        for x in 1 2 3; do # at the same time; mpirun fails where another makes the same directory
            mkdir -p "$home/tmp$x"
            HOME=$home TMPDIR=$home/tmp$x job "$log.job$x" -np 2 "${dame[@]}" "${twenty[@]}" "$mpi_test" report dame &
            jobs+=($!)
        done
        for x in "${jobs[@]}"; do wait "$x" || code=1; done
        [ "$(ls "$home/.openmpi")" = dame-last-run ] || { code=1; ls "$home/.openmpi"; }
        shown "$home" >"$log.info"
        for x in "program:value:.*mpi_test" "ranks:value:2 of 2" "uses:value:440" "promotions:value:4" \
            "bytes:value:1600960" 'datatype_1:value:.*face "x": 500 blocks of 8 B, every 64 B, 400 uses, 1600000 bytes, code' \
            "datatype_3:value:none" "seconds_saved:value:.*not estimated: dt_dame_report was none"; do
            grep -Eq "last_run_$x" "$log.info" || { code=1; echo "missing: $x"; cat "$log.info"; }
        done
        HOME=$home job "$log.one" -np 2 "${path[@]}" "$engines" native,dame "$mpi_test" report native || code=1
        shown "$home" | grep "ranks:value:1 of 2" >/dev/null || { code=1; echo "rank 1 alone was not kept"; shown "$home"; }
        cp "$file" "$home/good"
        echo old >"$home/elsewhere"
        ln -sf ../elsewhere "$file"
        HOME=$home job "$log.link" -np 2 "${dame[@]}" "$mpi_test" report native || code=1
        { [ -L "$file" ] && [ "$(cat "$home/elsewhere")" = old ]; } || { code=1; echo "a link was followed or replaced"; }
        rm "$file"
        mv "$home/.openmpi" "$home/own"
        ln -s own "$home/.openmpi"
        HOME=$home job "$log.link2" -np 2 "${dame[@]}" "$mpi_test" report native || code=1
        [ ! -e "$file" ] || { code=1; echo "a link to a directory was followed"; }
        rm "$home/.openmpi"
        mv "$home/own" "$home/.openmpi"
        if [ "$(id -u)" = 0 ]; then # a job of root's with the home of another user, who could put any name there
            chown 1000 "$home/.openmpi"
            HOME=$home job "$log.foreign" -np 2 "${dame[@]}" "$mpi_test" report native || code=1
            [ ! -e "$file" ] || { code=1; echo "written into another user's directory"; }
            chown 0 "$home/.openmpi"
        fi
        mkfifo "$file" # which ompi_info does not wait for
        HOME=$home job "$log.pipe" -np 2 "${dame[@]}" "$mpi_test" report native || code=1
        [ "$(shown "$home" | grep -c "value:\"\?none recorded")" -gt 5 ] || { code=1; echo "a pipe was read"; }
        [ -p "$file" ] || { code=1; echo "a pipe was replaced"; }
        rm "$file"
        for x in "head -c 100" "sed s/uses/used/" "sed 1d" "sed 5d" "tr \n x" "cat - /etc/passwd"; do
            # shellcheck disable=SC2086
            $x <"$home/good" >"$file"
            shown "$home" | grep -v "value:\"\?none recorded" >/dev/null && { code=1; echo "shown after $x"; }
        done
    } >"$log" 2>&1
    verdict $code report "$config" "$log"
}

reports()
{
    local twenty=(--mca dt_dame_promotion_threshold 20) sums=(--mca dt_dame_report summary)
    summary "summary" "report: mpi_test, 4 of 4 ranks" "^  messages packed +110 +110 +110 +440$" \
        "^  on: interpreter and machine code from use 20 on" "uses: interp [0-9.]+, code [0-9.]+; Open MPI [0-9.]+$" "^ +interp 19 uses, x at 20; (saved|LOST|no clear)" \
        "^  face \"x\"  3.20 MB on 4 ranks, [0-9.e-]+ % of the run time$" "^    500 blocks of 8 B, every 64 B; 4.00 kB$" \
        "^  \(no name\)  " "^    3 blocks of 8 B, every [0-9]+ B; 24 B$" \
        "CPU time of all ranks together, which ran for [0-9.]+ m?s; estimated by samples$" \
        "moving DAME's bytes +[0-9.]+ [num]?s, [0-9.e-]+ % of the run time$" "100 % of those bytes, DAME +[0-9.]+ [num]?s$" \
        "^  in all: (saved [0-9.]+|LOST [0-9.]+|no clear difference \(-?[0-9.]+) [num]?s \+- [0-9.]+ [num]?s" \
        -- -np 4 "${dame[@]}" "${twenty[@]}" "${sums[@]}" "$mpi_test" report dame
    summary "messages in fragments" "50000 blocks of 8 B" "Open MPI [0-9.]+$" "in all: (saved|LOST|no clear difference)" \
        -- -np 2 "${dame[@]}" "${sums[@]}" "$mpi_test" report fragments
    summary "two ranks of four, and the lowest is native" "2 of 4 ranks" "the other 2 ranks did not use DAME" "^  0, 3$" \
        -- "${path[@]}" "${sums[@]}" -np 4 "$engines" native,dame,dame,native "$mpi_test" report native
    summary "MPI_T stays open" "2 of 2 ranks" -- -np 2 "${dame[@]}" "${sums[@]}" "$mpi_test" report tool
    json_report
    huge
    left_to_native
    report_files
    hostile_names
    dying_rank
    killed_job
    killed_while_it_works
    snapshots_of_a_job_that_ends
    name_that_is_emptied
    last_runs
}
