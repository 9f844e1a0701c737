# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Sourced by test/hosts, with its functions and variables: jobs with a host that has another release of Open MPI.

# enter_other: writes the program `enter`, which runs a command in the other Debian with this machine's devices, names
# of hosts, and the files of this job and of the project.
enter_other()
{
    cat >enter <<END
#!/bin/bash
exec unshare --mount --propagation private bash -c '
    set -e
    root=\$1
    shift
    for directory in /dev /proc /sys "\$@"; do
        [ "\$directory" != -- ] || break
        mkdir -p "\$root\$directory"
        mount --rbind "\$directory" "\$root\$directory"
    done
    while [ "\$1" != -- ]; do shift; done
    shift
    touch "\$root/etc/hosts"
    mount --bind /etc/hosts "\$root/etc/hosts"
    exec chroot "\$root" "\$@"
' enter $(printf '%q ' "$other" "$scratch" "$DAME_SRCDIR" "$BUILDDIR") -- "\$@"
END
    # In the place of ssh: the daemon of the second host is the other Open MPI's.
    cat >agent <<END
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
shift
exec $(printf %q "$HOST_ON") b $(printf %q "$scratch/enter") bash -c "\$*"
END
    chmod +x enter agent
}

# compile_other: the program test/enemy for the other Debian.
compile_other()
{
    # shellcheck disable=SC2016 # expanded there
    ./enter bash -c 'cd "$1" && mpicc.openmpi -std=gnu11 -D_GNU_SOURCE -O1 -w -ffunction-sections -Wl,--gc-sections \
        -I. -Iinclude -Idame -Itest/lib -Itest/mpi -I"$2" -o "$3" test/enemy/*.c test/mpi/{pvar,mpi_check}.c \
        test/lib/{oracle,random_layout,random_type,type_tools,walk}.c dame/{arena,granule,heap,ops,type}.c -lm' \
        compile "$DAME_SRCDIR" "$BUILDDIR" "$scratch/enemy"
}

# with_other NAME ENGINE ARGUMENT...: programs of our rank 0, which has this engine, and the other's rank 1. (As rank 0
# 4.1.0 does not name its pml, which 4.1.4 asks for: "PML add procs failed".) Those that also fail natively are Open
# MPI's own; the array own has their lines.
with_other()
{
    local log=$scratch/log code=0 random=(--seed 34 --cases "$cases" --no-truncate) bad
    [ "$other_version" != 4.1.0 ] || random+=(--no-external) # which it unpacks wrong
    engine_of "$2" a
    rm -f "$scratch"/report-*
    timeout -k 5 "$limit" "$HOST_ON" a "$MPIRUN" --mca plm_rsh_agent "$scratch/agent" --mca oob_tcp_if_include veth0 \
        "${@:3}" -np 1 --host "$a" "${engine[@]}" -x "OMPI_MCA_mca_base_component_path=$COMPONENT_PATH" "$enemy" \
        "${random[@]}" : -np 1 --host "$b" "$scratch/enemy" "${random[@]}" </dev/null >"$log" 2>&1
    grep -Eqx '[0-9]+ passed, [0-9]+ failed' "$log" || code=1
    mapfile -t bad < <(grep '^failed: ' "$log")
    if [ "$2" = native ]; then
        own=("${bad[@]}")
        echo "$1: ${#own[@]} of $cases programs fail without DAME"
    else
        ! printf '%s\n' "${bad[@]}" | grep -vxF -f <(printf '%s\n' "${own[@]}" "") >/dev/null || code=1
    fi
    used "$2" grep -q '"messages_unpacked": {.*"sum": [1-9]' report-a.json || code=1
    verdict $code "$1: $OMPI_VERSION and $2 with $other_version" <(tail -n 15 "$log")
}

group_other()
{
    local other_version own=() engine
    enter_other
    other_version=$(./enter mpirun.openmpi --version | sed -n '1s/.* //p')
    [[ $other_version = "${OMPI_VERSION%.*}".* ]] || {
        echo "test/hosts: --other $other: Open MPI ${other_version:-(none)}; allowed: one of the series ${OMPI_VERSION%.*}" >&2
        exit 2
    }
    compile_other >log 2>&1
    verdict $? "test/enemy for Open MPI $other_version" log
    with_other tcp native "${ob1[@]}"
    with_other tcp x "${ob1[@]}"
    with_other tcp x,interp "${ob1[@]}"
    with_other tcp interp,l "${ob1[@]}"
    with_other "tcp, tiny fragments" native "${ob1[@]}" "${tiny[@]}"
    with_other "tcp, tiny fragments" interp "${ob1[@]}" "${tiny[@]}"
    with_other "tcp, tiny fragments" x "${ob1[@]}" "${tiny[@]}"
}
