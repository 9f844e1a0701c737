# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2153,SC2154
# Sourced by test/mpi/run, with its functions and variables: a job on two nodes. They are network namespaces with
# names, temporary directories and memory of their own on this machine, which root makes.

nodes=()

stop_nodes()
{
    [ ${#nodes[@]} -eq 0 ] || kill -KILL "${nodes[@]}" 2>/dev/null
    nodes=()
}

# in_node NUMBER COMMAND...
in_node()
{
    nsenter -t "${nodes[$1]}" -n -m -u "${@:2}"
}

# start_nodes DIRECTORY OWN...: two nodes, each with file systems of its own at the places OWN.
start_nodes()
{
    local dir=$1 n
    shift
    printf '127.0.0.1 localhost\n10.88.0.1 dame-0\n10.88.0.2 dame-1\n' >"$dir/hosts"
    for n in 0 1; do
        rm -f "$dir/ready"
        # shellcheck disable=SC2016 # expanded inside
        unshare --uts --net --mount sh -c 'set -e; hostname "dame-$1"; dir=$2; shift 2; ip link set lo up
            mount --bind "$dir/hosts" /etc/hosts
            for own in "$@"; do mount -t tmpfs node "$own"; done
            : >"$dir/ready"; exec sleep 100' sh $n "$dir" "$@" &
        nodes[n]=$!
        disown $! # the shell need not report its end
        for _ in $(seq 100); do [ -e "$dir/ready" ] || sleep 0.1; done
        [ -e "$dir/ready" ] || return 1
    done
    ip link add dame0 netns "${nodes[0]}" type veth peer name dame0 netns "${nodes[1]}" || return 1
    for n in 0 1; do
        in_node $n ip addr add 10.88.0.$((n + 1))/24 dev dame0 && in_node $n ip link set dame0 up || return 1
    done
    # What mpirun starts its daemon on the other node with.
    printf '#!/bin/sh\nshift\nexec nsenter -t %s -n -m -u sh -c "$*"\n' "${nodes[1]}" >"$dir/rsh"
    chmod +x "$dir/rsh"
}

# two_nodes CONFIGURATION OWN-HOME|SHARED-HOME TEXT...: one report, with every TEXT.
two_nodes()
{
    local config=$1 home=$2 dir=$scratch/nodes log code=0 text own
    shift 2
    wanted nodes "$config" || return 0
    log=$(log_for nodes "$config")
    if ! unshare --uts --net --mount true 2>/dev/null || ! command -v ip >/dev/null; then
        echo "SKIP nodes [$config]: needs root, namespaces and the program ip"
        return 0
    fi
    mkdir -p "$dir/tmp" "$dir/home"
    own=(/dev/shm "$dir/tmp")
    [ "$home" = SHARED-HOME ] || own+=("$dir/home")
    start_nodes "$dir" "${own[@]}" >"$log" 2>&1 &&
        in_node 0 env HOME="$dir/home" TMPDIR="$dir/tmp" timeout -k 10 "$limit" "$MPIRUN" -np 4 --host dame-0:2,dame-1:2 \
            --mca plm_rsh_agent "$dir/rsh" --mca btl "tcp,$sm,self" --mca btl_tcp_if_include dame0 \
            --mca oob_tcp_if_include dame0 -x HOME -x TMPDIR "${dame[@]}" --mca dt_dame_promotion_threshold 20 --mca dt_dame_report summary \
            "$mpi_test" report dame </dev/null >>"$log" 2>&1 && good_log "$log" || code=1
    stop_nodes
    one_page "$log" >>"$log.page" 2>&1 || { code=1; cat "$log.page" >>"$log"; }
    for text in "$@"; do
        [ "$(grep -Ec -- "$text" "$log")" = 1 ] || { code=1; echo "not once: $text" >>"$log"; }
    done
    verdict $code nodes "$config" "$log"
}

two_nodes_report()
{
    [[ $OMPI_VERSION = 4.* ]] || return 0 # plm_rsh_agent is PRRTE's from 5.0 on
    two_nodes "they share a home" SHARED-HOME "^DAME report: mpi_test, 4 of 4 ranks" \
        "^  messages packed +110 +110 +110 +440$"
    two_nodes "each has a home" OWN-HOME "^DAME report: mpi_test, 2 of 4 ranks" "^  2-3$" \
        "dt:dame: rank 2 is not in a report: rank 0 .* does not share .HOME with it"
}
