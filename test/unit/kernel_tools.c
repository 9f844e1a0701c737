#include "kernel_tools.h"

#include <string.h>

#include "dame/isa.h"
#include "jit/jit.h"

void measure(blocks_t *b)
{
    b->size = 0;
    b->reach = 0;
    for (int64_t i = 0; i < b->n; i++) {
        b->size += b->lengths[i];
        int64_t end = b->disps[i] + b->lengths[i];
        b->reach = end > b->reach ? end : b->reach;
    }
}

void move_bytes(const blocks_t *b, char *user, char *packed, dame_dir_t dir)
{
    int64_t n = 0;
    for (int64_t i = 0; i < b->n; i++) {
        for (int64_t k = 0; k < b->lengths[i]; k++, n++) {
            if (dir == DAME_PACK) {
                packed[n] = user[b->disps[i] + k];
            } else {
                user[b->disps[i] + k] = packed[n];
            }
        }
    }
}

void expect_guard(const char *bytes, int64_t n, const char *what)
{
    int64_t i = 0;
    while (i < n && bytes[i] == GUARD_BYTE) {
        i++;
    }
    ck_assert_msg(i == n, "%s was overwritten at %d of %d", what, (int) i, (int) n);
}

const dame_type_t *type_of(const blocks_t *b, const dame_type_t *child)
{
    int64_t disps[MOST_BLOCKS];
    for (int64_t i = 0; i < b->n; i++) {
        disps[i] = b->disps[i] + b->away;
    }
    return index_type(b->n, b->lengths, disps, child);
}

bool force_isa(int i)
{
    const char *const *names = dame_isa_names();
    for (int k = 0; k <= i; k++) {
        if (!names[k]) {
            return false;
        }
    }
    ck_assert_int_eq(dame_isa_force(names[i]), DAME_OK);
    return true;
}

/* What compiles, NULL when the interpreter provides the kernels. */
static dame_jit_t *compiler;
static int64_t compiled, uncompiled; /* programs and directions, by this compiler */

static void kernels_teardown(void)
{
    const int64_t n = compiled, tried = compiled + uncompiled;
    compiled = uncompiled = 0;
    if (compiler) {
        dame_jit_destroy(compiler);
    }
    compiler = NULL;
    ck_assert_msg(tried == 0 || n > 0, "nothing of %d was compiled", (int) tried);
}

TCase *kernels_case(const char *name)
{
    TCase *tcase = tree_case(name);
    tcase_add_checked_fixture(tcase, NULL, kernels_teardown);
    return tcase;
}

bool force_kernels(int i)
{
    if (i < ISAS) {
        return force_isa(i);
    }
    dame_jit_options_t options = *dame_jit_options_default();
    dame_jit_stats_t stats;
    options.vector_bits = 128 << (i - ISAS);
    ck_assert_int_eq(dame_jit_create(&options, &compiler), DAME_OK);
    dame_jit_stats(compiler, &stats);
    return stats.vector_name[0] != '\0';
}

void kernels_compile(dame_program_t *program)
{
    for (int dir = DAME_PACK; compiler && dir <= DAME_UNPACK; dir++) {
        dame_status_t status = dame_jit_compile(compiler, program, (dame_dir_t) dir, NULL);
        ck_assert_msg(status == DAME_OK || status == DAME_ERR_UNSUPPORTED, "%s",
                      dame_status_text(status));
        compiled += status == DAME_OK;
        uncompiled += status != DAME_OK;
    }
}

dame_program_t *kernels_of(const dame_type_t *type)
{
    dame_program_t *program = program_of(type);
    kernels_compile(program);
    return program;
}

void kernels_free(dame_program_t *program)
{
    if (compiler) {
        dame_jit_release(compiler, program);
    }
    dame_program_free(program);
}

bool same_kernels(const dame_prim_t *a, const dame_prim_t *b)
{
    return a->run[DAME_PACK] == b->run[DAME_PACK] && a->run[DAME_UNPACK] == b->run[DAME_UNPACK];
}
