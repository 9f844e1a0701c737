#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dame_tree_t *tree;

void tree_setup(void)
{
    tree = dame_tree_new();
    ck_assert_ptr_nonnull(tree);
}

void tree_teardown(void)
{
    dame_tree_free(tree);
    tree = NULL;
}

TCase *tree_case(const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, tree_setup, tree_teardown);
    tcase_set_timeout(tcase, 120);
    return tcase;
}

static const int64_t *copied(const int64_t *list, int64_t n)
{
    int64_t *copy = dame_tree_array(tree, n);
    ck_assert_ptr_nonnull(copy);
    for (int64_t i = 0; i < n; i++) {
        copy[i] = list[i];
    }
    return copy;
}

/* The type that a successful constructor made. */
static const dame_type_t *made(dame_status_t status, const dame_type_t *const *type)
{
    ck_assert_msg(status == DAME_OK, "constructor: %s", dame_status_text(status));
    ck_assert_ptr_nonnull(*type);
    return *type;
}

const dame_type_t *basic(int64_t size)
{
    const dame_type_t *type = NULL;
    return made(dame_type_basic(tree, size, &type), &type);
}

const dame_type_t *contig(int64_t count, const dame_type_t *child)
{
    const dame_type_t *type = NULL;
    return made(dame_type_contig(tree, count, child, &type), &type);
}

const dame_type_t *vector(int64_t count, int64_t blklen, int64_t stride, const dame_type_t *child)
{
    const dame_type_t *type = NULL;
    return made(dame_type_vector(tree, count, blklen, stride, child, &type), &type);
}

const dame_type_t *blockindex(int64_t count, int64_t blklen, const int64_t *disps,
                              const dame_type_t *child)
{
    const dame_type_t *type = NULL;
    return made(dame_type_blockindex(tree, count, blklen, copied(disps, count), child, &type),
                &type);
}

const dame_type_t *index_type(int64_t count, const int64_t *blklens, const int64_t *disps,
                              const dame_type_t *child)
{
    const dame_type_t *type = NULL;
    return made(
        dame_type_index(tree, count, copied(blklens, count), copied(disps, count), child, &type),
        &type);
}

const dame_type_t *struct_type(int64_t count, const int64_t *blklens, const int64_t *disps,
                               const dame_type_t *const *children)
{
    const dame_type_t **types = dame_tree_types(tree, count);
    ck_assert_ptr_nonnull(types);
    for (int64_t i = 0; i < count; i++) {
        types[i] = children[i];
    }
    const dame_type_t *type = NULL;
    return made(
        dame_type_struct(tree, count, copied(blklens, count), copied(disps, count), types, &type),
        &type);
}

const dame_type_t *resized(int64_t lb, int64_t extent, const dame_type_t *child)
{
    const dame_type_t *type = NULL;
    return made(dame_type_resized(tree, lb, extent, child, &type), &type);
}

static dame_program_t *verified(dame_status_t status, dame_program_t *program)
{
    ck_assert_msg(status == DAME_OK, "program: %s", dame_status_text(status));
    char message[300] = "";
    status = dame_program_verify(program, message, sizeof message);
    ck_assert_msg(status == DAME_OK, "verify: %s", message);
    return program;
}

dame_program_t *program_of(const dame_type_t *type)
{
    dame_program_t *program = NULL;
    dame_status_t status = dame_program_build(type, NULL, &program);
    return verified(status, program);
}

dame_program_t *plain_of(const dame_type_t *type)
{
    return program_with(DAME_PASSES_NONE, type);
}

dame_program_t *program_with(dame_passes_t passes, const dame_type_t *type)
{
    dame_options_t options = *dame_options_default();
    options.passes = passes;
    dame_program_t *program = NULL;
    dame_status_t status = dame_program_build(type, &options, &program);
    return verified(status, program);
}

dame_program_t *optimised_with(dame_passes_t passes, const dame_program_t *program)
{
    dame_options_t options = *dame_options_default();
    options.passes = passes;
    dame_program_t *optimised = NULL;
    dame_status_t status = dame_program_optimise(program, &options, &optimised);
    return verified(status, optimised);
}

dame_program_t *program_of_text(const char *text)
{
    dame_program_t *program = NULL;
    dame_text_error_t error = {.line = 0};
    dame_status_t status = dame_program_parse(text, strlen(text), &program, &error);
    ck_assert_msg(status == DAME_OK, "parse: line %d, column %d: %s", (int) error.line,
                  (int) error.column, error.message);
    return verified(status, program);
}

char *text_of(const dame_program_t *program)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(dame_program_print(program, out), 0);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

void fill_pattern(char *bytes, int64_t n, unsigned seed)
{
    uint32_t state = seed * 2654435761u + 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (char) (state >> 24);
    }
}
