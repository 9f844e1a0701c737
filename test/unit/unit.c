/* Runs every suite; each test in a process of its own unless CK_FORK=no says otherwise. */
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"

int main(void)
{
    SRunner *runner = srunner_create(type_suite());
    srunner_add_suite(runner, range_suite());
    srunner_add_suite(runner, program_suite());
    srunner_add_suite(runner, verify_suite());
    srunner_add_suite(runner, cursor_suite());
    srunner_add_suite(runner, copy_suite());
    srunner_add_suite(runner, fragment_suite());
    srunner_add_suite(runner, isa_suite());
    srunner_add_suite(runner, kernels_suite());
    srunner_add_suite(runner, print_suite());
    srunner_add_suite(runner, parse_suite());
    srunner_add_suite(runner, language_suite());
    srunner_add_suite(runner, limits_suite());
    srunner_add_suite(runner, sequence_suite());
    srunner_add_suite(runner, optimiser_suite());
    srunner_add_suite(runner, normal_form_suite());
    srunner_add_suite(runner, options_suite());
    srunner_add_suite(runner, heap_suite());
    srunner_add_suite(runner, threads_suite());
    srunner_add_suite(runner, code_arena_suite());
    srunner_add_suite(runner, reader_suite());
    srunner_add_suite(runner, jit_suite());
    srunner_add_suite(runner, jit_process_suite());
    srunner_add_suite(runner, jit_names_suite());
    srunner_add_suite(runner, provider_suite());
    srunner_add_suite(runner, ranks_suite());
    srunner_add_suite(runner, cache_suite());
    srunner_add_suite(runner, find_code_suite());
    srunner_add_suite(runner, background_suite());
    srunner_add_suite(runner, tune_suite());
    srunner_add_suite(runner, clock_suite());
    srunner_add_suite(runner, profile_suite());
    srunner_add_suite(runner, policy_suite());
    srunner_add_suite(runner, x_aarch64_suite());
    srunner_add_suite(runner, llvm_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    int passed = srunner_ntests_run(runner) - failed;
    srunner_free(runner);
    fflush(stdout);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
