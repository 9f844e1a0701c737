# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2153,SC2154
# Sourced by test/mpi/run, with its functions and variables: dame doctor, and use without installing.

# says COMMAND CONFIGURATION CODE DIRECTORY VARIABLES TEXT...: with the components in DIRECTORY (-: those that a
# file of parameters names) and these variables of the environment, dame COMMAND ends with CODE and prints every
# TEXT, and none of -TEXT.
says()
{
    local command=$1 config=$2 want=$3 directory=$4 log code=0 text variables=()
    read -r -a variables <<<"$5"
    shift 5
    wanted "$command" "$config" || return 0
    [ "$directory" = - ] || variables+=(OMPI_MCA_mca_base_component_path="$directory:$PKGLIBDIR")
    log=$(log_for "$command" "$config")
    HOME=$scratch timeout -k 10 "$limit" env -u OMPI_MCA_dt "${variables[@]}" "$BUILDDIR/tools/dame" "$command" \
        >"$log" 2>&1
    [ $? = "$want" ] || { code=1; echo "exit code not $want" >>"$log"; }
    for text in "$@"; do
        if [[ $text = -* ]]; then
            ! grep -Eq -- "${text#-}" "$log" || { code=1; echo "not to be there: ${text#-}" >>"$log"; }
        else
            grep -Eq -- "$text" "$log" || { code=1; echo "missing: $text" >>"$log"; }
        fi
    done
    verdict $code "$command" "$config" "$log"
}

# In short, one of each kind: each finding takes a job of its own.
in_short="on, no home, a link for a home's directory, broken LLVM, two builds, not chosen, misspelt engine, half installed, hook, another version"
doctor()
{
    [[ $long = no && ", $in_short, " != *", $1, "* ]] || says doctor "$@"
}

# Its job leaves the user's files alone, whatever the user's parameters ask jobs to write.
doctor_leaves_no_trace()
{
    local config="leaves no trace" log code=0 home=$scratch/traces
    wanted doctor "$config" || return 0
    log=$(log_for doctor "$config")
    mkdir -p "$home/.openmpi" "$home/work"
    echo "my last run" >"$home/.openmpi/dame-last-run"
    (cd "$home/work" && timeout -k 10 "$limit" env HOME="$home" XDG_CACHE_HOME="$home/cache" OMPI_MCA_dt=dame \
        OMPI_MCA_dt_dame_report=json OMPI_MCA_dt_dame_dump=program OMPI_MCA_dt_dame_llvm_compile=now \
        OMPI_MCA_dt_dame_perf_map="$home/work" \
        OMPI_MCA_mca_base_component_path="$COMPONENTS:$PKGLIBDIR" "$BUILDDIR/tools/dame" doctor) >"$log" 2>&1 || code=1
    [ "$(cat "$home/.openmpi/dame-last-run")" = "my last run" ] || { code=1; echo "the last run was replaced" >>"$log"; }
    ! find "$home" -type f -not -name dame-last-run | grep . >>"$log" || code=1
    verdict $code doctor "$config" "$log"
}

# mounted COMMAND CONFIGURATION MOUNTING: dame COMMAND after MOUNTING, which no other process sees; with DAME chosen by
# OMPI_MCA_dt=$dt and the home directory $home. Its output is in $log.
mounted()
{
    log=$(log_for "$1" "$2")
    unshare -m true 2>/dev/null || { echo "SKIP $1 [$2]: may not mount"; return 1; }
    env HOME="$home" XDG_CACHE_HOME= OMPI_MCA_dt="$dt" OMPI_MCA_mca_base_component_path="$COMPONENTS:$PKGLIBDIR" \
        timeout -k 10 "$limit" unshare -m bash -c "$3 && exec '$BUILDDIR/tools/dame' $1" >"$log" 2>&1
    echo "exit code $?" >>"$log"
}

# Nothing can be written there.
doctor_on_read_only()
{
    local config="read-only home" home=$scratch/read-only dt=dame log code=0
    wanted doctor "$config" || return 0
    mkdir -p "$home"
    mounted doctor "$config" "mount -t tmpfs -o ro none '$home'" || return
    [ "$(grep -c "cannot be written: .*: Read-only file system" "$log")" = 3 ] &&
        grep -q "cannot keep machine code" "$log" && grep -q "dt_dame_last_run 0" "$log" &&
        grep -qx "exit code 0" "$log" || code=1
    verdict $code doctor "$config" "$log"
}

# A file of the system's that comes before everything.
info_before_all()
{
    local config="before all" home=$scratch dt=opal log code=0 etc
    wanted info "$config" || return 0
    etc=$("$OMPI_INFO" --parsable --path sysconfdir | sed 's/^path:sysconfdir://')
    mounted info "$config" "mount -t tmpfs none '$etc' && echo dt=dame >'$etc/openmpi-mca-params-override.conf'" || return
    grep -Eqx "switched +on: dt = dame in $etc/openmpi-mca-params-override.conf, before environment and command line" "$log" || code=1
    verdict $code info "$config" "$log"
}

# settings CONFIGURATION VARIABLES TEXT...: what dame info says when these are the files of parameters.
settings()
{
    says info "$1" 0 "$COMPONENTS" "OMPI_MCA_mca_base_param_files=$scratch/own.conf,$scratch/system.conf $2" "${@:3}"
}

# dame off where another file, or a priority, has DAME on.
off_by_files()
{
    local other log code=0 config="by files" file=$scratch/off/.openmpi/mca-params.conf
    wanted off "$config" || return 0
    log=$(log_for off "$config")
    for other in "dt = dame" "dt_dame_priority = 60"; do
        rm -rf "$scratch/off"
        mkdir -p "$scratch/off/.openmpi"
        echo "$other" >"$scratch/system.conf"
        HOME=$scratch/off OMPI_MCA_mca_base_param_files=$file,$scratch/system.conf \
            OMPI_MCA_mca_base_component_path="$COMPONENTS:$PKGLIBDIR" "$BUILDDIR/tools/dame" off >>"$log" 2>&1 &&
            grep -qx "dt = opal" "$file" && grep -qx "off: dt = opal in $file" "$log" || code=1
    done
    verdict $code off "$config" "$log"
}

all_settings()
{
    local own=$scratch/own.conf system=$scratch/system.conf
    echo "pml = ob1" >"$own"
    printf 'dt = opal\ndt=dame' >"$system"
    settings "the system's file" "" "^switched +on: dt = dame in $system$"
    settings "the environment" OMPI_MCA_dt=opal "^switched +off: OMPI_MCA_dt=opal in the environment"
    info_before_all
    echo "dt = opal" >"$own"
    settings "the user's file" "" "^switched +off: dt = opal in $own$"
    echo "dt_dame_priority = 60" >"$own"
    : >"$system"
    settings "a priority" "" "^switched +on: dt is not set; dt_dame_priority = 60 in $own$"
    settings "priorities" OMPI_MCA_dt_opal_priority=70 "^switched +off: dt is not set; dt_dame_priority = 60 in $own$"
    printf 'dt_dame_report = summary\ndt = opal\n' >"$own"
    settings "others" "OMPI_MCA_dt_dame_report=json OMPI_MCA_dt_dame_import_threshold=3 OMPI_MCA_btl=self" "^ +OMPI_MCA_dt_dame_report=json in the environment" \
        "^ +OMPI_MCA_dt_dame_import_threshold=3 in the environment" -"summary|btl|^ +dt = "
    : >"$own"
    settings "nothing" "" "^switched +off: dt is not set in $own,$system$"
    off_by_files
}

# In a shell that has sourced use.sh, or loaded the module, everything works with nothing installed.
without_installing()
{
    local config=$1 log code=0
    wanted doctor "$config" || return 0
    log=$(log_for doctor "$config")
    env -u OMPI_MCA_mca_base_component_path HOME="$scratch" OMPI_MCA_dt=dame \
        timeout -k 10 "$limit" bash -c "$2" >"$log" 2>&1 && grep -q "^All is well" "$log" || code=1
    verdict $code doctor "$config" "$log"
}

doctors()
{
    local hook=$scratch/doctor-hook alone=$scratch/doctor-dame bad=$scratch/doctor-bad other x
    local on=OMPI_MCA_dt=dame
    local bare=$scratch/doctor-bare llvm="^LLVM +none" papi="^PAPI +none"
    mkdir -p "$hook" "$alone" "$bad" "$bare"
    cp "$COMPONENTS/mca_hook_dt.so" "$COMPONENTS/mca_dt_dame.so" "$bare"
    [ ! -e "$COMPONENTS/dame_llvm.so" ] || llvm="^LLVM +[1-9][0-9]\.[0-9]+\.[0-9]+, by $COMPONENTS/dame_llvm.so"
    [ ! -e "$COMPONENTS/dame_papi.so" ] || papi="^PAPI +by $COMPONENTS/dame_papi.so"
    ln -sf "$COMPONENTS/mca_hook_dt.so" "$hook"
    ln -sf "$COMPONENTS/mca_dt_dame.so" "$alone"
    ln -sf "$COMPONENTS/mca_hook_dt.so" "$bad"
    echo "no shared object" >"$bad/mca_dt_dame.so"
    other=$(cd "$PROGRAMS/other-version" && pwd)
    doctor "on" 0 "$COMPONENTS" $on "^chosen +yes: dt = dame" "^working +yes: .* 20 messages packed" \
        "machine code: compiled and used" "^code memory +" "^profile +" "^PAPI events +none" "^All is well" \
        "^last run +$scratch/.openmpi/dame-last-run" "$llvm" "$papi"
    doctor_leaves_no_trace
    doctor_on_read_only
    doctor "no home" 0 "$COMPONENTS" "$on HOME=/dev/null/home XDG_CACHE_HOME=/dev/null/cache" "^working +yes" \
        "cannot be written: /dev/null/cache/dame: Not a directory" "cannot keep machine code in" "cannot keep their profile" \
        "cannot be written: /dev/null/home/.openmpi: Not a directory" "dt_dame_last_run 0"
    mkdir -p "$scratch/linked/own"
    ln -sfn own "$scratch/linked/.openmpi"
    doctor "a link for a home's directory" 0 "$COMPONENTS" "$on HOME=$scratch/linked" "cannot be written: .*/.openmpi: it is a symbolic link"
    doctor "without LLVM and PAPI" 0 "$bare" "$on" "^LLVM +none: dame_llvm.so is not beside" "^PAPI +none"
    echo "no shared object" >"$bare/dame_llvm.so"
    echo "no shared object" >"$bare/dame_papi.so"
    doctor "broken LLVM" 1 "$bare" "$on OMPI_MCA_dt_dame_papi_events=PAPI_TOT_CYC" "^LLVM +no: .*dame_llvm.so: (file too short|invalid ELF)" \
        "without it jobs have no tier l" "^PAPI +no: " "dt_dame_papi_events = PAPI_TOT_CYC counts nothing"
    doctor "a copy in a chosen path" 0 "$COMPONENTS:$bare" "$on" "the same again, not used: $bare/mca_hook_dt.so"
    cp "$COMPONENTS/mca_dt_dame.so" "$bare/changed" && echo x >>"$bare/changed" && mv "$bare/changed" "$bare/mca_dt_dame.so"
    doctor "another build in a chosen path" 0 "$COMPONENTS:$bare" "$on" "another build, not used: $bare/mca_dt_dame.so"
    mkdir -p "$scratch/.openmpi"
    echo "mca_base_component_path = $COMPONENTS:$PKGLIBDIR:$bare" >"$scratch/.openmpi/mca-params.conf"
    doctor "two builds" 1 - "$on" "another build, not used: $bare/mca_dt_dame.so" "two builds of DAME are installed" \
        "^    $COMPONENTS/mca_dt_dame.so, not$"
    rm "$scratch/.openmpi/mca-params.conf"
    if [ $seam = no ]; then
        doctor "apart" 1 "$hook:$alone" "$on" "in different directories"
    else # it needs mca_dt_dame.so alone
        doctor "apart" 0 "$hook:$alone" "$on" "^working +yes"
    fi
    all_settings
    doctor "not chosen" 0 "$COMPONENTS" "" "^chosen +no: dt is not set, .* opal 50, dame 20" \
        "^working +yes" "^All is well: DAME works here" "DAME is not asked for: mpirun --mca dt dame"
    doctor "not chosen, opal" 0 "$COMPONENTS" OMPI_MCA_dt=opal "^chosen +no: dt = opal" \
        "dt = opal is Open MPI's own engine" "export OMPI_MCA_dt=dame" -"^ +dame on$" -"does not load"
    doctor "not chosen, list" 0 "$COMPONENTS" OMPI_MCA_dt=dame,opal "dt = dame,opal lists candidates" -"does not load"
    doctor "excluded" 0 "$COMPONENTS" OMPI_MCA_dt=^dame "loaded +mca_hook_dt.so: yes; mca_dt_dame.so: yes" \
        "dt = \^dame excludes DAME" "export OMPI_MCA_dt=dame" -"does not load"
    doctor "misspelt engine" 1 "$COMPONENTS" OMPI_MCA_dt=dmae "there is no engine \"dmae\", and jobs end" \
        "export OMPI_MCA_dt=dame" -"does not load" -"not asked for"
    mkdir -p "$scratch/.openmpi"
    echo "dt = dmae" >"$scratch/.openmpi/mca-params.conf"
    doctor "misspelt engine, file" 1 "$COMPONENTS" "" "^chosen +no: dt = dmae \(file .*mca-params.conf" \
        "there is no engine \"dmae\"" "^ +dame on$" -"does not load" -"export"
    rm "$scratch/.openmpi/mca-params.conf"
    doctor "misspelt parameter" 1 "$COMPONENTS" "$on OMPI_MCA_dt_dame_reprot=summary" "^working +yes" \
        "no parameter dt_dame_reprot. Did you mean dt_dame_report\?"
    doctor "chosen by priority" 0 "$COMPONENTS" OMPI_MCA_dt_dame_priority=60 "^chosen +yes: dt is not set"
    doctor "not installed" 1 "$scratch" $on "mca_hook_dt.so: not there" "DAME is not installed" \
        "make -C build install"
    doctor "half installed, hook" 1 "$hook" "$on" "mca_dt_dame.so: not there" "one of the two files"
    if [ $seam = no ]; then
        doctor "half installed, dame" 1 "$alone" "$on" "mca_hook_dt.so: not there" "one of the two files"
    else
        doctor "half installed, dame" 0 "$alone" "$on" "mca_hook_dt.so: not there" "^working +yes"
    fi
    doctor "does not load" 1 "$bad" "$on" "mca_dt_dame.so: no" "does not load the installed components" \
        "mca_dt_dame.so: file too short|invalid ELF header"
    doctor "another version" 1 "$other" "$on" "this build of DAME is for Open MPI 4.0, but this is" \
        -"[^0-9]-1 "
    # Open MPI does load the first.
    doctor "the first of two versions" 0 "$COMPONENTS:$other" "$on" "^working +yes" \
        "another build, not used: $other/mca_dt_dame.so"
    doctor "the wrong one of two versions" 1 "$other:$COMPONENTS" "$on" "^working +no" \
        "another build, not used: $COMPONENTS/mca_dt_dame.so"
    without_installing use.sh ". '$BUILDDIR/use.sh' && . '$BUILDDIR/use.sh' && dame doctor"
    x=$(command -v tclsh) || { echo "SKIP doctor [dame.module]: no tclsh"; return; }
    # What an environment module does with the file, in as much as this one asks for it.
    without_installing dame.module "
        eval \"\$(printf '%s\n' 'proc module-whatis {text} {}' \
            'proc setenv {name value} {puts \"export \$name=\\\"\$value\\\"\"}' \
            'proc prepend-path {name value} {puts \"export \$name=\\\"\$value\\\${\$name:+:\\\$\$name}\\\"\"}' \
            'proc append-path {name value} {puts \"export \$name=\\\"\\\${\$name:+\\\$\$name:}\$value\\\"\"}' \
            'source {$BUILDDIR/dame.module}' | '$x')\" && dame doctor"
}
