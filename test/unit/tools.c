/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suites.h"
#include "test/lib/type_tools.h"

dame_tree_t *tree;
int refused_locks;

/* In place of the C library's. */
int flock(int fd, int operation)
{
    if (refused_locks != 0) {
        errno = refused_locks;
        return -1;
    }
    return (int) syscall(SYS_flock, fd, operation);
}

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

Suite *suite_of(const char *name, int ntests, const unit_test_t *tests, SFun setup, SFun teardown)
{
    enum { SECONDS = 120 }; /* on slow machines, with sanitizers */
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, SECONDS);
    for (int i = 0; i < ntests; i++) {
        tcase_add_loop_test(tcase, *tests[i].test, 0, tests[i].times);
    }
    suite_add_tcase(suite, tcase);
    return suite;
}

static const int64_t *copied(const int64_t *list, int64_t n)
{
    int64_t *copy = dame_tree_array(tree, n);
    ck_assert_ptr_nonnull(copy);
    return n > 0 ? memcpy(copy, list, (size_t) n * sizeof *copy) : copy;
}

static const dame_type_t *made(dame_type_t type)
{
    const dame_type_t *result = type_made(tree, &type);
    ck_assert_msg(result != NULL, "constructor %d", (int) type.kind);
    return result;
}

const dame_type_t *basic(int64_t size)
{
    return made((dame_type_t){.kind = DAME_BASIC, .size = size});
}

const dame_type_t *contig(int64_t count, const dame_type_t *child)
{
    return made((dame_type_t){.kind = DAME_CONTIG, .count = count, .child = child});
}

const dame_type_t *vector(int64_t count, int64_t blklen, int64_t stride, const dame_type_t *child)
{
    return made((dame_type_t){
        .kind = DAME_VECTOR, .count = count, .blklen = blklen, .stride = stride, .child = child});
}

const dame_type_t *blockindex(int64_t count, int64_t blklen, const int64_t *disps,
                              const dame_type_t *child)
{
    return made((dame_type_t){.kind = DAME_BLOCKINDEX,
                              .count = count,
                              .blklen = blklen,
                              .disps = copied(disps, count),
                              .child = child});
}

const dame_type_t *index_type(int64_t count, const int64_t *blklens, const int64_t *disps,
                              const dame_type_t *child)
{
    return made((dame_type_t){.kind = DAME_INDEX,
                              .count = count,
                              .blklens = copied(blklens, count),
                              .disps = copied(disps, count),
                              .child = child});
}

const dame_type_t *struct_type(int64_t count, const int64_t *blklens, const int64_t *disps,
                               const dame_type_t *const *children)
{
    const dame_type_t **types = dame_tree_types(tree, count);
    ck_assert_ptr_nonnull(types);
    for (int64_t i = 0; i < count; i++) {
        types[i] = children[i];
    }
    return made((dame_type_t){.kind = DAME_STRUCT,
                              .count = count,
                              .blklens = copied(blklens, count),
                              .disps = copied(disps, count),
                              .children = types});
}

const dame_type_t *resized(int64_t lb, int64_t extent, const dame_type_t *child)
{
    return made((dame_type_t){.kind = DAME_RESIZED, .lb = lb, .extent = extent, .child = child});
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
    return program_with(DAME_PASSES_DEFAULT, type);
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
    dame_status_t status =
        dame_program_build(type, passes == DAME_PASSES_DEFAULT ? NULL : &options, &program);
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
    char *text = program_text(program);
    ck_assert_ptr_nonnull(text);
    return text;
}

void expect_text(dame_program_t *program, const char *wanted)
{
    dame_program_t *other = program_of_text(wanted);
    char *text = text_of(program), *other_text = text_of(other);
    ck_assert_str_eq(text, other_text);
    free(text);
    free(other_text);
    dame_program_free(other);
    dame_program_free(program);
}

void make_directory(char path[DIRECTORY])
{
    (void) strcpy(path, "/tmp/dame-unit.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(path));
}

void remove_directory(const char *path)
{
    char command[3 * DIRECTORY];
    (void) snprintf(command, sizeof command, "chmod -R u+w %s && rm -r %s", path, path);
    ck_assert_int_eq(system(command), 0);
}

char directory[DIRECTORY];

void directory_setup(void)
{
    tree_setup();
    make_directory(directory);
}

void directory_teardown(void)
{
    remove_directory(directory);
    tree_teardown();
}

size_t read_file(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(text, 1, room - 1, file);
    text[size] = '\0';
    fclose(file);
    return size;
}

void write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

void expect_exit_0(pid_t child)
{
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

void fill_pattern(char *bytes, int64_t n, unsigned seed)
{
    uint32_t state = seed * 2654435761u + 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (char) (state >> 24);
    }
}
