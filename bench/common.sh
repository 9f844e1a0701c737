# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the scripts in bench/: finds the build, checks option values, starts the engines.
#
# DAME_BUILD (environment): the build directory, when it is not build/ in the source tree.

BENCH_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BENCH_BUILD=${DAME_BUILD:-$(dirname "$BENCH_DIR")/build}
BENCH_PROGRAM=$(basename "$0")

# What earlier jobs learnt is not part of a measurement, and measurements teach later jobs nothing.
export OMPI_MCA_dt_dame_profile=

fail()
{
    printf '%s: %s\n' "$BENCH_PROGRAM" "$*" >&2
    exit 1
}

usage_error()
{
    printf '%s: %s\n' "$BENCH_PROGRAM" "$*" >&2
    exit 2
}

# need_number OPTION VALUE LOW HIGH
need_number()
{
    [[ $2 =~ ^[0-9]{1,6}$ ]] && (( 10#$2 >= $3 && 10#$2 <= $4 )) ||
        usage_error "$1 '$2': a whole number from $3 to $4 is allowed"
}

# Reads what configure found and builds the programs; leaves the machine's caches and clocks alone.
find_build()
{
    [ -r "$BENCH_BUILD/env.sh" ] || fail "no $BENCH_BUILD/env.sh; run ./setup first"
    . "$BENCH_BUILD/env.sh"
    [ -n "$MPIRUN" ] || fail "this build was configured without Open MPI"
    if [ -e "$BENCH_BUILD/Makefile" ]; then
        make -s -C "$BENCH_BUILD" ${BENCH_PROGRAMS:-bench-programs} >&2 || fail "the programs of bench/ do not build"
    fi
    choose_binding
}

# One process is bound to a core, where the machine lets us. If taskset has pinned us to a few cores, keep them:
# mpirun would bind to the machine's first core instead.
choose_binding()
{
    BIND=(--bind-to core)
    [ "$(nproc)" = "$(nproc --all)" ] || BIND=(--bind-to none)
    "$MPIRUN" -np 1 "${BIND[@]}" true >/dev/null 2>&1 || BIND=(--bind-to none)
}

have_dame()
{
    [ -e "$COMPONENTS/mca_hook_dt.so" ] && [ -e "$COMPONENTS/mca_dt_dame.so" ]
}

have_mpich()
{
    [ -n "${MPICH_MPIRUN:-}" ] && [ -x "$BENCH_BUILD/bench/$1.mpich" ]
}

# engine NAME RANKS PROGRAM ARGUMENT…: runs build/bench/PROGRAM with native, dame, mpich, known (dame
# whatever $DAME_PARAMETERS), at-once (dame that imports each layout at its first use), interp (dame that
# compiles nothing), x (dame that compiles a datatype at its first use), l (the same by DAME-L), threshold:N (at its n-th use), dame:PASSES (only these passes of
# the optimiser), before or before:NAME (dame or NAME, with $BEFORE_COMPONENTS instead of the build's), peer:NAME
# (another MPI, in $peer, for which peer_programs() was called).
# Native and dame differ in `--mca dt dame` and in nothing else.
engine()
{
    local name=$1 ranks=$2 program=$3 common binding=none
    shift 3
    [ "$ranks" != 1 ] || binding=${BIND[1]}
    # A directory that is not there makes mpirun fail in odd ways. PMIx 5 would look there, too, and complain of each file.
    local path=$PKGLIBDIR
    [ ! -d "$COMPONENTS" ] || path=$COMPONENT_PATH
    common=(env OMPI_MCA_mca_base_component_path="$path" ${PMIX_COMPONENTS:+PMIX_MCA_mca_base_component_path="$PMIX_COMPONENTS"} "$MPIRUN")
    if [ "$ranks" = 1 ]; then
        common+=(-np 1 "${BIND[@]}")
    else
        common+=(-np "$ranks" --oversubscribe --bind-to none)
    fi
    case $name in
    native)
        "${common[@]}" "$BENCH_BUILD/bench/$program" "$@"
        ;;
    dame)
        "${common[@]}" --mca dt dame "${DAME_PARAMETERS[@]}" \
            "$BENCH_BUILD/bench/$program" "$@"
        ;;
    at-once)
        engine_with dt_dame_import_threshold 1 "$ranks" "$program" "$@"
        ;;
    known)
        local DAME_PARAMETERS=()
        engine dame "$ranks" "$program" "$@"
        ;;
    interp)
        engine_with dt_dame_promotion_threshold 0 "$ranks" "$program" "$@"
        ;;
    x)
        engine_with dt_dame_promotion_threshold 1 "$ranks" "$program" "$@"
        ;;
    l)
        local DAME_PARAMETERS=("${DAME_PARAMETERS[@]}" --mca dt_dame_tiers interp,l
            --mca dt_dame_llvm_compile now --mca dt_dame_code_dir "$code_dir")
        engine x "$ranks" "$program" "$@"
        ;;
    threshold:*)
        engine_with dt_dame_promotion_threshold "${name#threshold:}" "$ranks" "$program" "$@"
        ;;
    dame:*)
        engine_with dt_dame_passes "${name#dame:}" "$ranks" "$program" "$@"
        ;;
    before)
        engine before:dame "$ranks" "$program" "$@"
        ;;
    before:*)
        COMPONENT_PATH=$BEFORE_COMPONENTS:$PKGLIBDIR engine "${name#before:}" "$ranks" "$program" "$@"
        ;;
    mpich)
        "$MPICH_MPIRUN" -np "$ranks" -bind-to "$binding" "$BENCH_BUILD/bench/$program.mpich" "$@"
        ;;
    peer:*)
        # shellcheck disable=SC2154 # the caller's
        "$peer/bin/mpirun" -np "$ranks" --bind-to "$binding" "$BENCH_BUILD/bench/$program.peer_${name#peer:}" "$@"
        ;;
    esac
}

# peer_programs NAME MPICC PROGRAM…: builds them again with another MPI, as PROGRAM.peer_NAME.
peer_programs()
{
    local mpicc=$2 programs=("${@:3}")
    programs=("${programs[@]/#/bench/}")
    programs=("${programs[@]/%/.peer_$1}")
    (cd "$BENCH_BUILD" && rm -f "${programs[@]}")
    make -s -C "$BENCH_BUILD" other="peer_$1" OTHER_MPICC="$mpicc" "${programs[@]}" ||
        fail "$mpicc does not build the programs"
}

# engine_with PARAMETER VALUE RANKS PROGRAM ARGUMENT…
engine_with()
{
    local DAME_PARAMETERS=("${DAME_PARAMETERS[@]}" --mca "$1" "$2")
    shift 2
    engine dame "$@"
}

# Where the engine l keeps its code: none.
code_dir=

# More --mca arguments for the dame engine.
DAME_PARAMETERS=()

# check_dame WORKER: Open MPI passes over a component that does not load, and the native engine
# would be measured twice. DAME's report at the end of a run tells that it was there.
check_dame()
{
    local DAME_PARAMETERS=(--mca dt_dame_report summary) plain reported

    plain=$(engine native 1 "$1" --list --layout vector_16x1_64 2>&1) || fail "a run without DAME failed: $plain"
    reported=$(engine dame 1 "$1" --list --layout vector_16x1_64 2>&1) ||
        fail "a run with --mca dt dame failed: $reported"
    [ "$plain" != "$reported" ] || fail "--mca dt dame gives no report: $COMPONENTS did not load"
}

# check_tier x|l: where machine code is denied, and without LLVM, that would be the interpreter once
# more. The report tells.
check_tier()
{
    local DAME_PARAMETERS=(--mca dt_dame_report summary) reported

    reported=$(engine "$1" 1 life_worker types --layout vector_16x1_64 2>&1) ||
        fail "a run with dt_dame_promotion_threshold 1 failed: $reported"
    grep -Eq '^ *codes compiled +[1-9]' <<<"$reported" ||
        fail "tier $1 compiled nothing: $reported"
}
