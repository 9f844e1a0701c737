# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2153,SC2154
# Sourced by test/mpi/run, with its functions and variables: data in the memory of devices, on a stand-in for a driver.

# on_devices CONFIGURATION RANKS MODE RULE... -- ARGUMENT...: mpi_test devices ends as the rules say.
on_devices()
{
    local config=$1 ranks=$2 mode=$3 rules=()
    shift 3
    while [ "$1" != -- ]; do
        rules+=("$1")
        shift
    done
    expect devices "$config" "${rules[@]}" -- -np "$ranks" "${dame[@]}" --mca dt_dame_code_dir "$kernels" "${@:2}" \
        "$mpi_test" devices "$BUILDDIR/test/lib/.libs/libcuda.so.1" "$mode"
}

devices()
{
    local dame=("${dame[@]}") mode=kernels kernels=$scratch/kernels
    if [ ! -e "$COMPONENTS/dame_llvm.so" ] || ldd "$COMPONENTS/dame_llvm.so" | grep "not found" >/dev/null; then
        mode=copies
    fi
    on_devices "shared memory" 2 $mode -- # and kernels go to the code cache
    [ $mode = copies ] || on_devices "before MPI_Init" 2 early --
    on_devices "tcp" 2 $mode -- "${tcp[@]}"
    on_devices "fragments of 1001 bytes" 2 $mode -- --mca "btl_${sm}_flags" send --mca "btl_${sm}_eager_limit" 999 \
        --mca "btl_${sm}_max_send_size" 1001
    on_devices "threads" 2 threads --
    on_devices "a local copy first" 1 copy --
    on_devices "verify, report" 2 $mode "on devices:" -- --mca dt_dame_verify 1 --mca dt_dame_report summary
    on_devices "switched off" 2 off -- --mca dt_dame_devices 0
    on_devices "a driver's error" 1 error fails "a device's memory: CUDA_ERROR_OF_THE_STAND_IN. The job cannot go on" --
    without_llvm "$scratch/no-llvm"
    dame=(--mca mca_base_component_path "$scratch/no-llvm:$PKGLIBDIR" --mca dt dame)
    [ $mode = copies ] || on_devices "kernels that were made before" 2 kernels --
    kernels=
    on_devices "without kernels" 2 copies "by 0 kernels and [1-9][0-9]* copies" -- --mca dt_dame_report summary
}
