# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by test/hosts, with its functions and variables: jobs in which one host or the link is slow.

# ranks_of HOST: the processes of test/enemy there.
ranks_of()
{
    local process
    for process in $(ip netns pids "$1"); do
        [ "$(cat "/proc/$process/comm" 2>/dev/null)" != enemy ] || echo "$process"
    done
}

# stop_and_go HOST FILE: until FILE is gone, stops the ranks there for up to 60 ms, about half of the time; adds a line
# to FILE each time.
stop_and_go()
{
    local ranks
    RANDOM=34
    while [ -e "$2" ]; do
        mapfile -t ranks < <(ranks_of "$1")
        if [ ${#ranks[@]} -gt 0 ] && kill -STOP "${ranks[@]}" 2>/dev/null; then
            echo stopped
            sleep "0.0$((RANDOM % 50 + 10))"
            kill -CONT "${ranks[@]}" 2>/dev/null
        fi
        sleep "0.0$((RANDOM % 50 + 10))"
    done >>"$2"
}

# stopped NAME FIRST SECOND ARGUMENT...: as between, and the second host's rank is stopped again and again.
stopped()
{
    local file=$scratch/stops n stopper
    : >"$file"
    stop_and_go "$b" "$file" &
    stopper=$!
    between "$@"
    n=$(wc -l <"$file")
    rm "$file"
    wait "$stopper"
    verdict "$([ "$n" -gt 0 ]; echo $?)" "$1: the rank was stopped ($n times)"
}

# starved NAME FIRST SECOND ARGUMENT...: as between; the second host's rank shares a core with a loop that has three
# times its weight.
starved()
{
    local core loop
    core=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    taskset -c "$core" timeout "$limit" bash -c 'while :; do :; done' &
    loop=$!
    starter_b=(taskset -c "$core" nice -n 5)
    between "$@"
    starter_b=()
    kill $loop
    wait $loop 2>/dev/null
}

# on_slow_link NAME FIRST SECOND ARGUMENT...: as between, at 20 Mbit/s.
on_slow_link()
{
    local host
    for host in "$a" "$b"; do
        tc -n "$host" qdisc add dev veth0 root tbf rate 20mbit burst 4kb latency 50ms 2>refused ||
            { echo "SKIP $1: $(tail -n 1 refused)"; return; }
    done
    between "$@"
    for host in "$a" "$b"; do
        tc -n "$host" qdisc del dev veth0 root
    done
}

# slow_compiler HOW NAME FIRST SECOND ARGUMENT...: as between, and the second host's LLVM is slow (test/lib/slow_llvm.c)
# and compiles now, while the message waits, or in the background, where it may come too late.
slow_compiler()
{
    local how=$1 cases=$cases program
    shift
    [ -e "$COMPONENTS/dame_llvm.so" ] || { echo "SKIP $1: built without LLVM"; return; }
    [ "$how" = background ] || [ "$cases" -le 20 ] || cases=20
    program=("$enemy" --seed 34 --cases "$cases" --no-truncate)
    : >slow-llvm
    rm -rf "$scratch/b/cache/dame" # with the code of the last job
    on_a=(-x OMPI_MCA_dt_dame_promotion_threshold=1)
    on_b=("${on_a[@]}" -x "OMPI_MCA_dt_dame_llvm_compile=$how" -x "LD_PRELOAD=$scratch/slow_llvm.so"
        -x "SLOW_LLVM_LOG=$scratch/slow-llvm")
    between "$@"
    on_a=() on_b=()
    if [ "$how" = now ]; then
        verdict "$([ -s slow-llvm ]; echo $?)" "$1: it compiled ($(wc -l <slow-llvm) codes)"
    else
        echo "    $(wc -l <slow-llvm) codes"
    fi
}

group_slow()
{
    "$CC" -std=gnu11 -O1 -Wall -Wextra -shared -fPIC -o slow_llvm.so "$here/lib/slow_llvm.c"
    verdict $? "slow_llvm.c compiles"
    stopped "one rank stops, tcp" x native "${ob1[@]}" "${tiny[@]}"
    slow_compiler now "slow compiler, ucx" native interp,l "${ucx[@]}"
    [ "$short" = no ] || return 0
    stopped "one rank stops, ucx" interp,l x "${ucx[@]}"
    starved "one rank starves, tcp" native x "${ob1[@]}"
    starved "one rank starves, ucx" interp x,l "${ucx[@]}"
    on_slow_link "slow link, tcp" native interp,l "${ob1[@]}" "${tiny[@]}"
    on_slow_link "slow link, ucx" x native "${ucx[@]}"
    slow_compiler now "slow compiler, tcp" x interp,l "${ob1[@]}"
    slow_compiler background "slow compiler in the background, tcp" interp,l interp,l "${ob1[@]}"
    slow_compiler background "slow compiler in the background, ucx" native x,l "${ucx[@]}"
}
