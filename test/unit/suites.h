/* The suites of the unit tests, one for each subject. */
#ifndef TEST_SUITES_H
#define TEST_SUITES_H

#include <check.h>

Suite *type_suite(void);
Suite *range_suite(void);
Suite *program_suite(void);
Suite *verify_suite(void);
Suite *cursor_suite(void);
Suite *copy_suite(void);
Suite *fragment_suite(void);
Suite *isa_suite(void);
Suite *kernels_suite(void);
Suite *print_suite(void);
Suite *parse_suite(void);
Suite *language_suite(void);
Suite *limits_suite(void);
Suite *heap_suite(void);
Suite *threads_suite(void);
Suite *sequence_suite(void);
Suite *optimiser_suite(void);
Suite *normal_form_suite(void);
Suite *options_suite(void);
Suite *code_arena_suite(void);
Suite *reader_suite(void);
Suite *jit_suite(void);
Suite *jit_process_suite(void);
Suite *jit_names_suite(void);
Suite *provider_suite(void);
Suite *ranks_suite(void);
Suite *cache_suite(void);
Suite *find_code_suite(void);
Suite *background_suite(void);
Suite *tune_suite(void);
Suite *llvm_suite(void);
Suite *clock_suite(void);
Suite *profile_suite(void);
Suite *policy_suite(void);
Suite *x_aarch64_suite(void);

#endif
