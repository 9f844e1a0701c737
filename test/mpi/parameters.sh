# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2153,SC2154
# Sourced by test/mpi/run, with its functions and variables: parameters and their bad values.

# bad_values CONFIGURATION FIRST ROW...: parameters have bad values, by turns from the environment (FIRST 0),
# the command line (1) and a file (2). A row is "NAME|VALUE|MESSAGE|DEFAULT" without dt_; MESSAGE is a regular expression.
# The job goes on, and one of its processes, and ompi_info, say everything about each in one line;
# ompi_info shows the defaults.
bad_values()
{
    local config="bad values: $1" log info code=0 row name value message default said turn=$2
    local variables=() arguments=() shadows=() home=$scratch/home
    shift 2
    wanted parameters "$config" || return 0
    log=$(log_for parameters "$config")
    info=$log.ompi_info
    mkdir -p "$home/.openmpi"
    : >"$home/.openmpi/mca-params.conf"
    for row in "$@"; do
        IFS="|" read -r name value _ <<<"$row"
        # An empty value in a file ends prterun 5.0.7.
        [[ $((turn % 3)) != 2 || -n $value || $OMPI_VERSION != 5.* ]] || turn=$((turn + 1))
        case $((turn++ % 3)) in
        0) variables+=("OMPI_MCA_dt_$name=$value") ;;
        1)
            arguments+=(--mca "dt_$name" "$value")
            shadows+=("OMPI_MCA_dt_$name=$value") # ompi_info knows no --mca
            ;;
        2) echo "dt_$name = $value" >>"$home/.openmpi/mca-params.conf" ;;
        esac
    done
    (
        export HOME="$home" "${variables[@]}"
        job "$log" -np 2 "${dame[@]}" "${arguments[@]}" "$mpi_test" slots dame
        export "${shadows[@]}"
        OMPI_MCA_mca_base_component_path=$COMPONENTS:$PKGLIBDIR timeout "$limit" "$OMPI_INFO" \
            --parsable --param dt all --level 9 >"$info" 2>&1
    )
    good_log "$log" || code=1
    for row in "$@"; do
        IFS="|" read -r name value message default <<<"$row"
        message="dt:dame: parameter dt_$name.*: the value \"$value\" .*$message.*"
        message+=" The default, ${default:-empty}, is used\\."
        for said in "$log" "$info"; do
            [ "$(grep -Ec -- "$message" "$said")" = 1 ] ||
                { code=1; echo "not once in $said: $message" >>"$log"; }
        done
        value="^mca:dt:[a-z]*:param:dt_$name:value:\"?$default\"?\$"
        grep -Eq -- "$value" "$info" || { code=1; echo "not in $info: $value" >>"$log"; }
    done
    for said in "$log" "$info"; do
        [ "$(grep -Eci "invalid|parameter .* the value" "$said")" = $# ] ||
            { code=1; echo "not $# messages in $said" >>"$log"; }
    done
    verdict $code parameters "$config" "$log"
}

# Every parameter has a bad value in each of these.
bad_parameters()
{
    local percent="allowed: whole numbers from 0 to 100\."
    local bytes="numbers of bytes, also with K, M or G, from 0 to 2147483647\."
    local boolean="allowed: false, true," tiers="allowed: a comma-separated list of interp, x, l, opal\."
    local dump="allowed: none, or a comma-separated list of raw, program, asm, llvm\."
    local cache="from 4096 to 1073741824\."
    local passes="which is not a pass; allowed: all, none, or a comma-separated list.*normalise, merge,"
    local compile="allowed: never, background, now\\." dirs="absolute names of directories with colons between"
    local report="allowed: none, summary, json\." ahead="from -1 to 2147483647\."
    local empty=("dame_priority||$percent|20" "dame_verbose||$percent|0" \
        "dame_verify||$boolean|false" "dame_report||$report|none" "dame_last_run||$boolean|true" \
        "dame_report_file||is empty; allowed: the name of a file|dame-report.json" "dame_passes||has \"\", $passes|normalise,merge,pattern,order,buffer" \
        "dame_dump||$dump|none" \
        "dame_dump_dir||is empty; allowed: the name of a directory|\\." \
        "dame_promotion_threshold||$ahead|-1" "dame_explore||$percent|1" "dame_tiers||$tiers|interp,x,l,opal" \
        "dame_code_cache_size||$cache|16777216" \
        "dame_layout_cache_size||$bytes|1048576" \
        "dame_llvm_compile||$compile|background" \
        "dame_gdb||$boolean|false")
    bad_values "empty" 0 "${empty[@]}"
    bad_values "words" 1 "dame_code_dir|relative|$dirs|auto" "dame_priority|1000|$percent|20" "dame_verbose|loud|$percent|0" \
        "dame_verify|2|$boolean|false" "dame_report|banana|$report|none" "dame_last_run|maybe|$boolean|true" \
        "dame_passes|merge,fold|has \"fold\", $passes|normalise,merge,pattern,order,buffer" \
        "dame_dump|none,asm|$dump|none" \
        "dame_promotion_threshold|2K|$ahead|-1" "dame_explore|101|$percent|1" \
        "dame_tiers|x,x|$tiers|interp,x,l,opal" \
        "dame_code_cache_size|4095|$cache|16777216" \
        "dame_layout_cache_size|-1|$bytes|1048576" \
        "dame_llvm_compile|later|$compile|background" \
        "dame_gdb|7|$boolean|false" \
        "dame_perf_map|$scratch/none|No such file or directory.*directory that can be written to|"
    bad_values "more" 2 "dame_priority|-1|$percent|20" "dame_verify|perhaps|$boolean|false" \
        "dame_report|1|$report|none" "dame_passes|merge,all|has \"all\", $passes|normalise,merge,pattern,order,buffer" \
        "dame_dump|ir|$dump|none" \
        "dame_promotion_threshold|-2|$ahead|-1" "dame_explore|0.5|$percent|1" "dame_tiers|inter|$tiers|interp,x,l,opal" \
        "dame_code_cache_size|2G|$cache|16777216" \
        "dame_papi_events|A,,B|list, without blanks, of up to 8 names, or empty|" \
        "dame_perf_map|/dev/null|Not a directory.*directory that can be written to|"
    bad_values "lists" 0 "dame_tiers|x,m|$tiers|interp,x,l,opal" "dame_dump|program,|$dump|none"
}

# state CONFIGURATION LINE DIRECTORY ARGUMENT...: with the components in DIRECTORY, two ranks end well and
# print one line of DAME's, which matches LINE; none when LINE is empty.
state()
{
    TEST_NATIVE_ENGINE=yes expect state "$1" "$((${#2} > 0)) of dt:dame: $2" "$((${#2} > 0)) of dt:dame: " -- \
        -np 2 --mca mca_base_component_path "$3:$PKGLIBDIR" "${@:4}" "$mpi_test" p2p short
}

# Each way to run without DAME is reported if DAME is chosen or dt_dame_verbose is set. (slots() has those for which both
# components are there.)
states()
{
    local hook=$scratch/hook dame_only=$scratch/dame broken=$scratch/broken loud=(--mca dt_dame_verbose 1)
    local absent="not used: mca_dt_dame.so was not found"
    mkdir -p "$hook" "$dame_only" "$broken"
    ln -sf "$COMPONENTS/mca_hook_dt.so" "$hook"
    ln -sf "$COMPONENTS/mca_hook_dt.so" "$broken"
    ln -sf "$COMPONENTS/mca_dt_dame.so" "$dame_only"
    if [ $seam = yes ]; then # mca_dt_dame.so is all that is needed, and Open MPI says that it is missing
        expect state "not installed" fails "A requested component was not found" -- -np 2 \
            --mca mca_base_component_path "$scratch:$PKGLIBDIR" --mca dt dame "$mpi_test" p2p short
        state "without the hook" "on: " "$dame_only" --mca dt dame "${loud[@]}"
        state "without the component" "" "$hook" "${loud[@]}"
    else
        state "not installed" "" "$scratch" --mca dt dame "${loud[@]}"
        state "without the hook" "" "$dame_only" --mca dt dame "${loud[@]}"
        state "without the component" "$absent" "$hook" "${loud[@]}"
        state "without the component, report" "$absent" "$hook" --mca dt_dame_report summary
        # Site-wide dt = dame ends no job while the file is being replaced.
        state "without the component, named" "mca_dt_dame.so is missing beside mca_hook_dt.so" "$hook" --mca dt dame "${loud[@]}"
        state "without the component, listed" "mca_dt_dame.so is missing beside mca_hook_dt.so" "$hook" --mca dt opal,dame
        echo "This is not a component." >"$broken/mca_dt_dame.so"
        state "with a broken component, named" "mca_dt_dame.so is missing .* or cannot be loaded" "$broken" --mca dt dame "${loud[@]}"
        state "without the component, ^opal" "$absent" "$hook" --mca dt ^opal
    fi
    state "without the component, unasked" "" "$hook"
    state "unasked" "" "$COMPONENTS"
    state "not chosen, report" "not used: it was not asked for" "$COMPONENTS" --mca dt_dame_report json
    state "misspelt" "there is no parameter dt_dame_promtion_threshold\\. Did you mean dt_dame_promotion_threshold\?" \
        "$COMPONENTS" --mca dt dame --mca dt_dame_promtion_threshold 3
    state "misspelt component" "there is no parameter dt_damn_report\\. Did you mean dt_dame_report\?" \
        "$COMPONENTS" --mca dt_damn_report summary
    state "without dt_" "there is no parameter dame_gdb\\. Did you mean dt_dame_gdb\?" "$COMPONENTS" --mca dame_gdb 1
    state "unlike any" "there is no parameter dt_frobnicate_now\\. \"ompi_info" "$COMPONENTS" \
        --mca dt_frobnicate_now 1
    expect state "nothing to compile" exits \
        "no programs are compiled; the native engine moves messages that it was measured to move faster" -- \
        -np 2 "${dame[@]}" --mca dt_dame_tiers interp,opal --mca dt_dame_verbose 10 "$mpi_test" p2p short
    expect state "datatypes" exits "dt:dame: rank 1: .*: imported: [0-9]+ .*blocks of [0-9]+ B" -- \
        -np 2 "${dame[@]}" --mca dt_dame_verbose 5 "$mpi_test" p2p short
    expect state "messages" exits "rank 0: .*: compiled to pack, x:?[^ ]*, [0-9]+ bytes" \
        "rank [01]: .*: [0-9]+ bytes to unpack: moved by DAME" -- -np 2 "${dame[@]}" \
        --mca dt_dame_promotion_threshold 2 --mca dt_dame_verbose 20 "$mpi_test" p2p short
}

# Events that PAPI counts: without dame_papi.so, unknown to PAPI, and real ones, of which each fragment has one.
papi_events()
{
    local events=(--mca dt dame --mca dt_dame_import_threshold 1 --mca dt_dame_report summary --mca dt_dame_papi_events)
    local missing=$scratch/without_papi preload=$BUILDDIR/test/measure/.libs/define_events.so
    mkdir -p "$missing" && cp "$COMPONENTS"/mca_*.so "$missing"
    expect parameters "papi_events without dame_papi.so" \
        "dt:dame: dt_dame_papi_events: not counted: .*/dame_papi.so: not installed" -- -np 2 "${events[@]}" PAPI_L1_DCM \
        --mca mca_base_component_path "$missing:$PKGLIBDIR" "$mpi_test" mpit dame
    [ -e "$COMPONENTS/dame_papi.so" ] || return
    expect parameters "papi_events of which PAPI knows none" \
        "dt:dame: dt_dame_papi_events: not counted: NO_SUCH: .*; NOR_THIS: " -- -np 2 "${path[@]}" "${events[@]}" NO_SUCH,NOR_THIS \
        "$mpi_test" mpit dame
    [ -e "$preload" ] || return
    # mpirun would print what the program counts into a line of the report
    expect parameters "papi_events" exits "^ *events of a fragment on this rank, on average" "fragments *sde:::DAME::READINGS" \
        "^ *[1-9][0-9]* blocks of [1-9][0-9]* B, every [1-9][0-9]* B" "^ *packed +[1-9][0-9]* +1\.0\$" "^ *unpacked +[1-9][0-9]* +1\.0\$" -- -np 2 "${path[@]}" "${events[@]}" \
        sde:::DAME::READINGS sh -c 'LD_PRELOAD=$0 exec "$1" mpit dame >/dev/null' "$preload" "$mpi_test"
}

# A job that uses no derived datatype has no extra thread, no file, no PAPI, no compiler and no memory for machine code.
# With a late start it does not even have DAME's component.
idle()
{
    local name=idle config="dame costs nothing" log code=0 rank
    wanted "$name" "$config" || return 0
    log=$(log_for "$name" "$config")
    mkdir "$scratch/cache" "$scratch/home"
    XDG_CACHE_HOME=$scratch/cache job "$log" -np 2 "${path[@]}" --mca dt opal "$mpi_test" idle "$scratch/native" || code=1
    HOME=$scratch/home XDG_CACHE_HOME=$scratch/cache job "$log.dame" -np 2 "${as_users[@]}" "$mpi_test" idle "$scratch/dame" || code=1
    for rank in 0 1; do
        diff <(idle_list "$scratch/native.$rank") <(idle_list "$scratch/dame.$rank") >>"$log" || code=1
        grep -q '^threads [1-9]' "$scratch/dame.$rank" && grep -q '^mapped .*/mca_hook_dt\.so$' "$scratch/dame.$rank" || code=1
        grep -q '^mapped .*/mca_dt_dame\.so$' "$scratch/dame.$rank"
        [ $? = "$([ $late = init ]; echo $?)" ] || { echo "mca_dt_dame.so is loaded, or is not" >>"$log"; code=1; }
    done
    [ -z "$(ls -A "$scratch/cache")" ] || { echo "there are files in the cache directory" >>"$log"; code=1; }
    [ ! -e "$scratch/home/.openmpi/dame-last-run" ] || { echo "a last run was written" >>"$log"; code=1; }
    verdict $code "$name" "$config" "$log"
}

# A process's resources, except the component itself and names with the job or process number.
idle_list()
{
    grep -Ev '/mca_dt_dame\.so$|/ompi\.|/prterun\.|/openmpi-sessions|/vader_segment|/dev/shm/|/dev/pts/|/(native|dame)\.[0-9]$' "$1" |
        sed 's/[0-9]\{3,\}/N/g' | sort -u
}

parameters()
{
    local forgets=(--mca dt_dame_layout_cache_size 0) x
    idle
    papi_events
    states
    expect parameters "dt=nosuch" fails "A requested component was not found" "Framework: *dt" \
        "$([ $seam = yes ]; echo $?) of dt:dame: dt = nosuch names an engine that is not there: the job ends" \
        "Component: *nosuch" -- -np 1 "${path[@]}" --mca dt nosuch "$mpi_test" slots native
    bad_parameters
    for x in "" 101; do # when the parameter dt names no component
        [ $seam = no ] || break # it is Open MPI's own parameter
        expect parameters "opal_priority=$x" \
            "dt:dame: parameter dt_opal_priority: the value \"$x\" .* from 0 to 100\\. The default, 50," \
            -- -np 2 "${path[@]}" --mca dt_opal_priority "$x" "$mpi_test" slots native
    done
    [[ $OMPI_VERSION = 5.* ]] || # two programs end prterun 5.0.7
        expect parameters "a bad value of the second program" \
            "dt:dame: parameter dt_dame_tiers: the value \"y\" is not allowed" -- "${dame[@]}" \
            -np 1 "$mpi_test" slots dame : -np 2 env OMPI_MCA_dt_dame_tiers=y "$mpi_test" slots dame
    expect parameters "report=summary" "^DAME report: mpi_test, 2 of 2 ranks" "datatypes imported +[1-9]" \
        "datatypes have columns of which fewer than four fit a fragment" "btl_vader_max_send_size 65536" \
        -- -np 2 "${dame[@]}" --mca dt_dame_report summary "$mpi_test" mpit dame
    ! has osc rdma || [ ${#rdma_windows[@]} = 0 ] ||
        expect parameters "report of blocks" "[0-9]+ blocks were moved one by one, by one-sided calls or files:" -- \
            -np 2 "${dame[@]}" --mca osc rdma --mca dt_dame_report summary "$mpi_test" onesided allocate
    expect parameters "report of a limit" \
        "declined [1-9][0-9]* datatypes: larger or deeper than DAME accepts" \
        "the first datatype beyond a limit has 33 nested constructors, at most 32 are allowed" \
        "left to Open MPI's own engine: 33 nested constructors, at most 32 are allowed" \
        -- -np 1 "${dame[@]}" "${forgets[@]}" --mca dt_dame_report summary --mca dt_dame_verbose 10 \
        "$mpi_test" edge
    expect parameters "report of machine code" "codes compiled +402 +402 +402 +804\$" "making code +[0-9.]+ [um]s" -- \
        -np 2 "${dame[@]}" "${forgets[@]}" --mca dt_dame_report summary \
        --mca dt_dame_promotion_threshold 2 "$mpi_test" mpit dame
    expect parameters "verify and report" "fragments compared +[1-9][0-9]* " "differences +0 +0 +0 +0\$" \
        -- -np 2 "${dame[@]}" --mca dt_dame_report summary --mca dt_dame_verify 1 "$mpi_test" mpit dame
}
