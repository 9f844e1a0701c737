# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2054,SC2153,SC2154
# Sourced by test/mpi/run, with its functions and variables: the transports of clusters, on one node. InfiniBand has
# pml ucx, which moves fragments through the convertor; Omni-Path and Slingshot have pml cm with mtl ofi, which packs
# and unpacks whole messages.

# Transports that work on one node: shared memory; TCP; and both at once, where fragments overtake each other.
ucx=(--mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any)
ucx_tcp=("${ucx[@]}" -x UCX_TLS=tcp,self)
ucx_lanes=("${ucx[@]}" -x UCX_TLS=posix,sysv,tcp,self -x UCX_MAX_RNDV_LANES=4 -x UCX_MAX_EAGER_LANES=4)
ofi=(--mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include tcp)

# is_there FRAMEWORK COMPONENT ARGUMENT...: do two ranks of Open MPI's own engine connect this way? Said once.
declare -A there
is_there()
{
    local name="$1 $2" log
    [ -z "${there[$name]-}" ] || { [ "${there[$name]}" = yes ]; return; }
    there[$name]=no
    log=$(log_for transports "$name")
    if ! has "$1" "$2"; then
        echo "SKIP $name: Open MPI $OMPI_VERSION has no component $2 of $1"
    elif ! job "$log" -np 2 "${@:3}" "$mpi_test" slots native || ! counted_log "$log"; then
        echo "SKIP $name: two ranks do not connect by it, without DAME either: see $log"
    else
        there[$name]=yes
    fi
    [ "${there[$name]}" = yes ]
}

# over TRANSPORT PROGRAM CONFIGURATION ARGUMENT...: as program, if the transport is there.
over()
{
    local transport=$1 component=(pml ucx)
    local -n arguments=$transport
    [ "$transport" != ofi ] || component=(mtl ofi)
    [ $list = yes ] || ! wanted "$2" "$3" || is_there "${component[@]}" "${arguments[@]}" || return 0
    program "$2" "$3" "${arguments[@]}" "${@:4}"
}

# messages_over TRANSPORT ENGINE ARGUMENT...: messages of each kind.
messages_over()
{
    local t=$1 e="$2, ${1/_/ }" x expect=dame
    [ "$2" != native ] || expect=native
    shift 2
    for x in p2p frags matching threads mpit "lifetime short"; do
        # shellcheck disable=SC2086 # a word of its own
        over "$t" "${x% *}" "$e" -np 2 "$@" "$mpi_test" ${x/mpit/mpit $expect}
    done
}

# windows_over TRANSPORT ENGINE ARGUMENT...: by components that use it. With mtl ofi and others than osc pt2pt, btl
# moves the data; osc rdma then takes minutes for windows of MPI_Win_create.
windows_over()
{
    local t=$1 e="$2, ${1/_/ }" osc=ucx kinds=(allocate)
    shift 2
    [[ " ${windows[*]} " != *" create "* ]] || kinds+=(create)
    [ "$t" != ofi ] || osc=pt2pt
    [[ $t/$OMPI_VERSION != ucx_lanes/[56].* ]] || { own_fault onesided "$e, osc $osc"; return; }
    ! has osc $osc || over "$t" onesided "$e, osc $osc" -np 2 "$@" --mca osc $osc "$mpi_test" onesided "${kinds[@]}"
}

# slots_over TRANSPORT "ARGUMENTS" OBJECT...: these are loaded, unless they are parts of libmpi, and all that they
# call of what DAME replaces leads to DAME.
slots_over()
{
    local t=$1 object loaded=() arguments
    read -r -a arguments <<<"$2"
    for object in "${@:3}"; do
        [ ! -e "$PKGLIBDIR/$object" ] || loaded+=("/$object")
    done
    over "$t" slots "dame, ${t/_/ }" -np 2 "${dame[@]}" "${arguments[@]}" "$mpi_test" slots dame "${loaded[@]}"
}

mixed_over()
{
    local t=$1 x
    for x in p2p "frags typed"; do
        # shellcheck disable=SC2086 # words
        over "$t" "${x% *}" "dame and native, ${t/_/ }" "${path[@]}" -np 2 "$engines" dame,native "$mpi_test" $x
    done
}

transports()
{
    local t d=("${dame[@]}" --mca dt_dame_verify 1)
    slots_over ucx "--mca osc ucx" mca_pml_ucx.so mca_osc_ucx.so
    slots_over ofi "" mca_pml_cm.so
    for t in ucx ofi; do
        messages_over $t dame "${dame[@]}"
        windows_over $t dame "${dame[@]}"
        over $t p2p "verify, $t" -np 2 "${d[@]}" "$mpi_test" p2p short
    done
    over ucx_lanes frags "dame, ucx lanes" -np 2 "${dame[@]}" "$mpi_test" frags
    over ucx_lanes frags "verify, ucx lanes" -np 2 "${d[@]}" "$mpi_test" frags
    [ $long = yes ] || return 0
    for t in ucx ucx_tcp ucx_lanes ofi; do
        messages_over $t native
        windows_over $t native
        messages_over $t verify "${d[@]}"
        windows_over $t verify "${d[@]}"
        mixed_over $t
    done
    for t in ucx_tcp ucx_lanes; do
        messages_over $t dame "${dame[@]}"
        windows_over $t dame "${dame[@]}"
    done
}
