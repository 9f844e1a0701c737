# shellcheck shell=bash disable=SC2153,SC2154
# Sourced by test/mpi/run, whose functions and variables it uses: dame doctor, and use without installing.

# doctor CONFIGURATION CODE DIRECTORY VARIABLES TEXT...: with the components in DIRECTORY and these
# variables of the environment, dame doctor ends with CODE and prints every TEXT, and none of -TEXT.
doctor()
{
    local config=$1 want=$2 directory=$3 log code=0 text variables=()
    read -r -a variables <<<"$4"
    shift 4
    wanted doctor "$config" || return 0
    log=$(log_for doctor "$config")
    HOME=$scratch timeout -k 10 "$limit" env -u OMPI_MCA_dt "${variables[@]}" \
        OMPI_MCA_mca_base_component_path="$directory:$PKGLIBDIR" "$BUILDDIR/tools/dame" doctor \
        >"$log" 2>&1
    [ $? = "$want" ] || { code=1; echo "exit code not $want" >>"$log"; }
    for text in "$@"; do
        if [[ $text = -* ]]; then
            ! grep -Eq -- "${text#-}" "$log" || { code=1; echo "not to be there: ${text#-}" >>"$log"; }
        else
            grep -Eq -- "$text" "$log" || { code=1; echo "missing: $text" >>"$log"; }
        fi
    done
    verdict $code doctor "$config" "$log"
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
    mkdir -p "$hook" "$alone" "$bad"
    ln -sf "$COMPONENTS/mca_hook_dt.so" "$hook"
    ln -sf "$COMPONENTS/mca_dt_dame.so" "$alone"
    ln -sf "$COMPONENTS/mca_hook_dt.so" "$bad"
    echo "no shared object" >"$bad/mca_dt_dame.so"
    other=$(cd "$PROGRAMS/other-version" && pwd)
    doctor "on" 0 "$COMPONENTS" $on "^chosen +yes: dt = dame" "^working +yes: .* 20 messages packed" \
        "machine code: compiled and used" "^code memory +" "^profile +" "^PAPI events +none" "^All is well"
    doctor "not chosen" 1 "$COMPONENTS" "" "^chosen +no: dt is not set, .* opal 50, dame 20" \
        "^working +yes" "DAME is not asked for: mpirun --mca dt dame"
    doctor "not chosen, opal" 1 "$COMPONENTS" OMPI_MCA_dt=opal "^chosen +no: dt = opal" \
        "dt = opal is Open MPI's own engine" "export OMPI_MCA_dt=dame" -"^ +dame on$" -"does not load"
    doctor "not chosen, list" 1 "$COMPONENTS" OMPI_MCA_dt=dame,opal "dt = dame,opal lists candidates" -"does not load"
    doctor "excluded" 1 "$COMPONENTS" OMPI_MCA_dt=^dame "loaded +mca_hook_dt.so: yes; mca_dt_dame.so: yes" \
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
    doctor "half installed, dame" 1 "$alone" "$on" "mca_hook_dt.so: not there" "one of the two files"
    doctor "does not load" 1 "$bad" "$on" "mca_dt_dame.so: no" "does not load what is installed" \
        "mca_dt_dame.so: file too short|invalid ELF header"
    doctor "another version" 1 "$other" "$on" "this build of DAME is for Open MPI 4.0, but this is"
    without_installing use.sh ". '$BUILDDIR/use.sh' && . '$BUILDDIR/use.sh' && dame doctor"
    x=$(command -v tclsh) || { echo "SKIP doctor [dame.module]: no tclsh"; return; }
    # What an environment module does with the file, in as much as this one asks for it.
    without_installing dame.module "
        eval \"\$(printf '%s\n' 'proc module-whatis {text} {}' \
            'proc setenv {name value} {puts \"export \$name=\\\"\$value\\\"\"}' \
            'proc prepend-path {name value} {puts \"export \$name=\\\"\$value:\\\$\$name\\\"\"}' \
            'source {$BUILDDIR/dame.module}' | '$x')\" && dame doctor"
}
