/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does dame bench notice a tier that unpacks other bytes? tools/measure.c runs with an engine that
 * unpacks wrongly, or with a compiler that makes wrong machine code: dame_program_optimise() and
 * dame_jit_compile() come here first (linked with --wrap).
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/measure.h"
#include "cli/tool.h"

static int broken_run, broken_compiler;
static char message[256];

dame_status_t __real_dame_program_optimise(const dame_program_t *program,
                                           const dame_options_t *options, dame_program_t **out);
dame_status_t __wrap_dame_program_optimise(const dame_program_t *program,
                                           const dame_options_t *options, dame_program_t **out);
static void run_nothing(const dame_prim_t *prim, uintptr_t base, char *packed, int64_t first,
                        int64_t n)
{
    (void) prim, (void) base, (void) packed, (void) first, (void) n;
}

dame_status_t __wrap_dame_program_optimise(const dame_program_t *program,
                                           const dame_options_t *options, dame_program_t **out)
{
    dame_status_t status = __real_dame_program_optimise(program, options, out);
    if (status == DAME_OK && broken_run) {
        (*out)->prims[0].run[DAME_UNPACK] = run_nothing;
    }
    return status;
}

/* The engine's own compiler need not have one for this CPU. */
dame_status_t __wrap_dame_jit_compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                                      const char *name);
dame_status_t __wrap_dame_jit_compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                                      const char *name)
{
    (void) jit, (void) name;
    if (broken_compiler) {
        dame_prim_set_run(&program->prims[0], dir, run_nothing);
    }
    return DAME_OK;
}

/* In the place of those of cli/options.c, which print. */
/* Open MPI's own engine takes no part. */
double native_seconds(native_t *native, int unpacks, int64_t times)
{
    (void) native, (void) unpacks, (void) times;
    return 1;
}

int tool_error(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    return code;
}

int tool_status_error(const char *thing, dame_status_t status)
{
    return tool_error(TOOL_SYSTEM, "%s: %s", thing, dame_status_text(status));
}

static int measure(const dame_program_t *program)
{
    measure_t measure = {.program = program,
                         .count = 3,
                         .low = program->true_lb,
                         .high = 2 * program->extent + program->true_ub,
                         .total = 3 * program->size,
                         .seconds = 0.001};
    message[0] = '\0';
    int code = measure_run(&measure);
    measure_free(&measure);
    return code;
}

static int expect(const char *name, const dame_program_t *program, int code, const char *text)
{
    int got = measure(program);
    int passed = got == code && strcmp(message, text) == 0;
    printf("%s %s\n", passed ? "PASS" : "FAIL", name);
    if (!passed) {
        printf("    expected %d, \"%s\"\n    got %d, \"%s\"\n", code, text, got, message);
    }
    return !passed;
}

int main(void)
{
    static const char text[] = "EXIT VECTORFINAL(4, 1, 8, 4, 4) CONTIGFINAL(4) BOTTOM";
    static const char wrong[] = "tier plain unpacks other bytes than the program as it is";
    dame_program_t *program;
    dame_text_error_t error;
    if (dame_program_parse(text, strlen(text), &program, &error) != DAME_OK) {
        fprintf(stderr, "%s: %s\n", text, error.message);
        return 1;
    }
    int failed = expect("bench, tiers that are right", program, TOOL_OK, "");
    broken_run = 1;
    failed += expect("bench, unpack of the whole message is wrong", program, TOOL_WRONG, wrong);
    broken_run = 0;
    broken_compiler = 1;
    failed += expect("bench, machine code is wrong", program, TOOL_WRONG,
                     "tier x packs other bytes than the program as it is");
    dame_program_free(program);
    return failed != 0;
}
