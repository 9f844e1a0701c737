# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by test/hosts, with its functions and variables: hosts that share home, code cache, profile, report and last run, as
# slow as on a network file system.

shared=$scratch/shared
tool=$BUILDDIR/tools/dame
own_cpu='options ""' other_cpu='options "cpu=x86-64-v3"' # of the second host, in what `dame cache list` prints

# in_shared HOW ARGUMENT...: sets on_a and on_b: the hosts share a home with these faults, and have these parameters.
in_shared()
{
    local slow=(-x "LD_PRELOAD=$scratch/slow_files.so" -x "SLOW_FILES=$shared" -x "SLOW_FILES_HOW=$1"
        -x "SLOW_FILES_LOG=$scratch/slow-files")
    on_a=(-x "HOME=$shared" -x "XDG_CACHE_HOME=$shared/cache" "${slow[@]}" "${@:2}"
        -x "OMPI_MCA_dt_dame_report_file=$shared/report.json" -x OMPI_MCA_dt_dame_report_every=1)
    on_b=("${on_a[@]}")
}

# codes_of TEXT: the names of the files of code with the text in their line of `dame cache list`.
codes_of()
{
    "$tool" cache --code-dir "$shared/cache/dame" list | grep -F "$1" | cut -d' ' -f1 | sort
}

# compiled: how many codes the ranks of the last job made and did not find.
compiled()
{
    awk -F'"' '$2 ~ /^compiled_(un)?pack$/ { n += sum($0) } $2 ~ /^found_(un)?pack$/ { n -= sum($0) }
        function sum(line) { sub(/.*"sum": /, "", line); return line + 0 } END { print n }' "$shared/report.json"
}

# watch_report FILE: until FILE is gone, reads the report, and adds a line when it is not whole.
watch_report()
{
    while [ -e "$1" ]; do
        [ ! -e "$shared/report.json" ] || "$tool" report "$shared/report.json" >/dev/null
        sleep 0.05
    done 2>>"$1"
}

# files_are_whole MARK: after each job there are whole files of both ranks, written since the file MARK, and nothing else.
files_are_whole()
{
    local left ranks file
    for file in report.json .openmpi/dame-last-run; do
        [ "$shared/$file" -nt "$1" ] || echo "the job has not written $file"
    done
    grep -qx '  "reporting": 2,' "$shared/report.json" && "$tool" report "$shared/report.json" >/dev/null ||
        echo "the report does not have both ranks"
    ranks=$(HOME=$shared OMPI_MCA_mca_base_component_path=$COMPONENT_PATH "$OMPI_INFO" --param dt dame --level 9 \
        --parsable | sed -n 's/.*last_run_ranks:value://p')
    [ "$ranks" = "2 of 2" ] || echo "the last run has the ranks $ranks"
    [ "$(tail -n 1 "$shared/.openmpi/dame-last-run")" = end ] || echo "the last run has no end"
    "$tool" cache --code-dir "$shared/cache/dame" check >"$scratch/bad" 2>&1 || cat "$scratch/bad"
    left=$(find "$shared" -mindepth 1 ! -name '*.code' ! -name '*.profile' ! -name report.json ! -name dame-last-run \
        ! -path "$shared/cache" ! -path "$shared/cache/dame" ! -path "$shared/.openmpi")
    [ -z "$left" ] || echo "left: $left"
}

# shared_job NAME ENGINE ARGUMENT...: programs; both hosts have this engine.
shared_job()
{
    local log=$scratch/log found
    # The report of the job before stays: this one replaces it while it is read.
    : >"$scratch/start"
    launch "$log" "$2" "$2" "${ob1[@]}" "${@:3}" || echo "the job failed" >"$scratch/found"
    files_are_whole "$scratch/start" >>"$scratch/found" 2>&1
    [ "$2" != interp,l ] || ! grep -q '"code": "x' "$shared/report.json" || echo "the report names code of x" >>"$scratch/found"
    # Half of a file is refused, with a message.
    [[ $1 = *half* ]] || grep 'dt:dame: .*\(not used\|not written\|could not\)' "$log" >>"$scratch/found"
    found=$(wc -l <"$scratch/found")
    cat "$log" >>"$scratch/found"
    verdict "$found" "$1" "$scratch/found"
    : >"$scratch/found"
}

# codes_stay_apart HOW: code of LLVM for two CPUs in one cache; what one host made is of no use to the other.
codes_stay_apart()
{
    local now=(-x OMPI_MCA_dt_dame_promotion_threshold=1 -x OMPI_MCA_dt_dame_llvm_compile=now) new
    in_shared "$1" "${now[@]}"
    on_b+=(-x OMPI_MCA_dt_dame_llvm_cpu=x86-64-v3)
    shared_job "files $1: two CPUs, no code yet" interp,l
    codes_of "$own_cpu" >own
    codes_of "$other_cpu" >other
    verdict "$([ -s own ] && [ -s other ] && [ -z "$(comm -12 own other)" ]; echo $?)" \
        "files $1: code of each CPU ($(wc -l <own) and $(wc -l <other) files)"
    [ "$short" = no ] || return 0
    shared_job "files $1: two CPUs, all code is there" interp,l
    # When messages come decides whether some codes are needed. A name that was not found once is not found for a while.
    new=$(($(codes_of options | wc -l) - $(cat own other | wc -l)))
    [[ $1 = *cached* ]] ||
        verdict $(($(compiled) - new)) "files $1: no code is compiled that is there ($(compiled) codes, $new new)"
    codes_of "$own_cpu" >own
    (cd "$shared/cache/dame" && xargs rm) <other
    shared_job "files $1: two CPUs, the code of one is there" interp,l
    codes_of "$own_cpu" >own-now
    codes_of "$other_cpu" >other-now
    verdict "$([ -z "$(comm -23 own own-now)" ] && [ -n "$(comm -12 other other-now)" ] &&
        [ "$(compiled)" -ge "$(comm -12 other other-now | wc -l)" ]; echo $?)" "files $1: the other's code is made again"
}

# one_cpu HOW: hosts that make the same code at the same time, and measure it.
one_cpu()
{
    local program=("${program[@]}") cases=$cases
    in_shared "$1" -x OMPI_MCA_dt_dame_promotion_threshold=1 -x OMPI_MCA_dt_dame_llvm_compile=now
    shared_job "files $1: one CPU" interp,l
    # The more programs, the more is measured.
    cases=$((cases < 20 ? 20 : cases)) program=("$enemy" --seed 34 --cases "$cases" --no-truncate)
    in_shared "$1"
    shared_job "files $1: measurements" interp,x,l
    "$tool" tune --show --profile "$shared"/cache/dame/*.profile >profile 2>&1 && grep -q ' x' profile
    verdict $? "files $1: the profile is whole" profile
}

# slow_files HOW: all of it with these faults.
slow_files()
{
    local word watcher
    rm -rf "$shared" slow-files
    mkdir -p "$shared"
    : >watched
    watch_report watched &
    watcher=$!
    codes_stay_apart "$1"
    if [ "$short" = no ]; then
        rm -rf "$shared/cache"
        one_cpu "$1"
    fi
    [[ $1 = *half* ]] || verdict "$(wc -l <watched)" "files $1: readers of the report find a whole one" watched
    rm watched
    wait "$watcher"
    for word in $1; do
        verdict "$(grep -q "^$word .*\.code" slow-files; echo $?)" \
            "files $1: it happened to files of code ($(grep -c "^$word " slow-files) times $word)"
    done
    on_a=() on_b=()
}

group_files()
{
    local all=$cases program limit=600 # each code waits for the disk
    [ -e "$COMPONENTS/dame_llvm.so" ] || { echo "SKIP files: built without LLVM"; return 77; }
    "$CC" -std=gnu11 -O1 -Wall -Wextra -shared -fPIC -o slow_files.so "$here/lib/slow_files.c"
    verdict $? "slow_files.c compiles"
    # LLVM takes milliseconds for each code.
    [ "$cases" -le 40 ] || cases=40
    program=("$enemy" --seed 34 --cases "$cases" --no-truncate)
    slow_files "half late"
    if [ "$short" = no ]; then
        slow_files "late"
        slow_files "cached late"
        slow_files "unlocked late"
    fi
    cases=$all
}
