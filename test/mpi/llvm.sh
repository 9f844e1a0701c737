# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2153,SC2154
# Sourced by test/mpi/run, with its functions and variables: DAME-L and the code cache.

# llvm CONFIGURATION RANKS DIRECTORY LINES ARGUMENT... -- MODE...: the program llvm does MODE with the
# code cache DIRECTORY and ends well, and DAME prints LINES lines.
llvm()
{
    local config=$1 ranks=$2 cache=$3 lines=$4 log code=0 said arguments modes
    shift 4
    split "$@"
    wanted llvm "$config" || return 0
    log=$(log_for llvm "$config")
    job "$log" -np "$ranks" "${dame[@]}" --mca dt_dame_tiers "${tiers:-interp,l}" --mca dt_dame_code_dir "$cache" \
        --mca dt_dame_profile "" "${arguments[@]}" "$mpi_test" llvm "${modes[@]}" && good_log "$log" || code=1
    said=$(grep -c "dt:dame: " "$log")
    [ "$said" = "$lines" ] || { code=1; echo "said $said lines instead of $lines" >>"$log"; }
    verdict $code llvm "$config" "$log"
}

# holds CONFIGURATION DIRECTORY SUFFIX N: N files, and nothing else when SUFFIX is code.
holds()
{
    local n others=0
    wanted llvm "$1" || return 0
    n=$(find "$2" -name "*$3" 2>/dev/null | wc -l)
    [ "$3" != .code ] || others=$(find "$2" -type f ! -name "*$3" | wc -l)
    [ "$n" = "$4" ] && [ "$others" = 0 ]
    verdict $? llvm "$1" "$logs"
}

# like DIRECTORY: a copy of the components; dame_llvm.so is another file if there is a third argument.
without_llvm()
{
    mkdir -p "$1"
    cp -L "$COMPONENTS"/mca_*.so "$1"
    [ -z "${2-}" ] || echo "$2" >"$1/dame_llvm.so"
}

# without_library DIRECTORY: a copy of the components; dame_llvm.so needs a library that is nowhere.
without_library()
{
    without_llvm "$1"
    LC_ALL=C sed 's/libLLVM/libNONE/g' "$COMPONENTS/dame_llvm.so" >"$1/dame_llvm.so"
}

llvm_jobs()
{
    local at_once=(--mca dt_dame_promotion_threshold 1) cache=$scratch/codes dump=$scratch/ir other
    local now=(--mca dt_dame_llvm_compile now) never=(--mca dt_dame_llvm_compile never)
    [ "$(uname -m)" = x86_64 ] || return 0
    # Without LLVM on the machine: quiet. One that is broken: one message.
    for other in "" "no object"; do
        without_llvm "$scratch/other" "$other"
        dame=(--mca mca_base_component_path "$scratch/other:$PKGLIBDIR" --mca dt dame --mca dt_dame_import_threshold 1)
        llvm "LLVM ${other:-is not there}" 2 "$scratch/no-codes" $([ -z "$other" ]; echo $?) "${at_once[@]}" -- \
            none "" not-loaded
    done
    dame=("${path[@]}" --mca dt dame --mca dt_dame_import_threshold 1)
    [ -e "$COMPONENTS/dame_llvm.so" ] || return 0 # built without LLVM
    without_library "$scratch/no-library"
    dame=(--mca mca_base_component_path "$scratch/no-library:$PKGLIBDIR" --mca dt dame --mca dt_dame_import_threshold 1)
    llvm "LLVM's library is missing" 2 "$scratch/no-codes" 1 "${at_once[@]}" -- none "" not-loaded
    dame=("${path[@]}" --mca dt dame --mca dt_dame_import_threshold 1)
    if ldd "$COMPONENTS/dame_llvm.so" | grep "not found" >/dev/null; then
        echo "skipped: tier l, LLVM's library is missing"
        return 0
    fi
    llvm "never, cold" 2 "$cache" 0 "${at_once[@]}" "${never[@]}" -- none "" not-loaded
    llvm "measured, cold" 2 "$cache" 0 -- none "" not-loaded
    llvm "eight ranks at once" 8 "$cache" 0 "${at_once[@]}" -- fill 2
    holds "eight ranks at once, files" "$cache" .code 2
    llvm "warm" 8 "$cache" 0 "${at_once[@]}" -- fill 0 not-loaded
    llvm "read-only" 2 ":$cache" 0 "${at_once[@]}" "${never[@]}" -- fill 0 not-loaded
    dame=(--mca mca_base_component_path "$scratch/other:$PKGLIBDIR" --mca dt dame --mca dt_dame_import_threshold 1)
    llvm "warm, LLVM is not an object" 2 "$cache" 0 "${at_once[@]}" -- fill 0 not-loaded
    dame=("${path[@]}" --mca dt dame --mca dt_dame_import_threshold 1)
    llvm "no cache" 2 "" 0 "${at_once[@]}" -- fill 4 loaded
    llvm "now" 1 "$scratch/now" 0 "${at_once[@]}" "${now[@]}" -- end "" loaded
    llvm "third message" 1 "$scratch/now" 0 -- third "" not-loaded
    tiers=interp,x,l llvm "search" 1 "$scratch/search" 0 --mca dt_dame_explore 100 -- search "" loaded
    llvm "fork" 2 "$scratch/forks" 0 "${at_once[@]}" -- fork
    llvm "end" 2 "$scratch/end" 0 "${at_once[@]}" -- end
    mkdir -p "$dump"
    llvm "dump" 1 "$cache" 0 "${at_once[@]}" "${now[@]}" --mca dt_dame_dump llvm --mca dt_dame_dump_dir "$dump" -- \
        end "" loaded
    for other in .opt.ll .s pack-none.ll; do
        holds "dump, $other" "$dump" $other 2
    done
    # Options have commas between them, and the library takes paths of fewer than 400 bytes. Where nothing is written,
    # the code cache is used.
    for other in "$dump,verify=1" "$dump/$(printf 'a%.0s' {1..200})/$(printf 'b%.0s' {1..200})"; do
        mkdir -p "$other"
        llvm "dump, ${other: -9}" 2 "$scratch/refused${#other}" 1 "${at_once[@]}" "${now[@]}" --mca dt_dame_dump llvm \
            --mca dt_dame_dump_dir "$other" -- end "" loaded
        llvm "dump, in ${other: -9}" 2 "$scratch/refused${#other}" 1 "${at_once[@]}" "${now[@]}" --mca dt_dame_dump llvm -wdir "$other" -- \
            end "" not-loaded
    done
    holds "dump, no more" "$dump" .s 2
    llvm "untrusted" 2 /tmp 1 "${at_once[@]}" "${never[@]}" -- none "" not-loaded
}
