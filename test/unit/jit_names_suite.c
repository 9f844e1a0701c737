/* SPDX-License-Identifier: BSD-3-Clause */
/* perf and GDB come to know the names of machine code, and forget them. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit/perf_dump.h"
#include "jit/perf_map.h"
#include "jit/provider.h"
#include "base/whole_file.h"
#include "jit_tools.h"
#include "suites.h"
#include "tools.h"

/* ---- perf ---- */

static char map_path[100], dump_path[100];

static void setup(void)
{
    directory_setup();
    snprintf(map_path, sizeof map_path, "%s/perf-%ld.map", directory, (long) getpid());
    snprintf(dump_path, sizeof dump_path, "%s/jit-%ld.dump", directory, (long) getpid());
}

static void teardown(void)
{
    unlink(map_path);
    unlink(dump_path);
    ck_assert_int_eq(rmdir(directory), 0); /* nothing else was left there */
    tree_teardown();
}

static void expect_file(const char *wanted)
{
    char text[1000];
    read_file(map_path, text, sizeof text);
    ck_assert_str_eq(text, wanted);
}

TEST(names_are_appended_a_line_each)
{
    dame_perf_map_t *map = NULL;
    ck_assert_int_eq(dame_perf_map_create(directory, &map), DAME_OK);
    ck_assert_int_eq(access(map_path, F_OK), -1);
    ck_assert_int_eq(dame_perf_map_add(map, (void *) 0x1000, 0x40, "one"), 0);
    ck_assert_int_eq(dame_perf_map_add(map, (void *) 0x1040, 0x80, "two words"), 0);
    ck_assert_int_eq(dame_perf_map_add(map, (void *) 0x10c0, 0x40, "three\nlines\t"), 0);
    expect_file("1000 40 one\n1040 80 two words\n10c0 40 three?lines?\n");
    char longest[2000];
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    ck_assert_int_eq(dame_perf_map_add(map, (void *) 0x1080, 0x41, longest), 0);
    char text[2000];
    ck_assert_int_eq(text[read_file(map_path, text, sizeof text) - 1], '\n');
    dame_perf_map_destroy(map);
}

TEST(the_map_follows_no_link)
{
    char victim[120];
    snprintf(victim, sizeof victim, "%s/victim", directory);
    ck_assert_int_eq(symlink(victim, map_path), 0);
    dame_perf_map_t *map = NULL;
    ck_assert_int_eq(dame_perf_map_create(directory, &map), DAME_OK);
    ck_assert_int_eq(dame_perf_map_add(map, (void *) 0x1000, 0x40, "one"), ELOOP);
    ck_assert_int_eq(access(victim, F_OK), -1);
    dame_perf_map_destroy(map);
}

static int add_one(void)
{
    dame_perf_map_t *map = NULL;
    ck_assert_int_eq(dame_perf_map_create(directory, &map), DAME_OK);
    const int error = dame_perf_map_add(map, (void *) 0x1000, 0x40, "one");
    dame_perf_map_destroy(map);
    return error;
}

/* Any user with write access to the directory can have put it there. */
TEST(nothing_is_appended_to_a_file_of_somebody_else)
{
    char other[120];
    snprintf(other, sizeof other, "%s/other", directory);
    write_file(other, "old\n", 4);
    ck_assert_int_eq(link(other, map_path), 0);
    ck_assert_int_eq(add_one(), EMLINK);
    expect_file("old\n");
    unlink(other);
    ck_assert_int_eq(add_one(), 0);
    expect_file("old\n1000 40 one\n");
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(map_path, 65534, 65534), 0);
        ck_assert_int_eq(add_one(), DAME_FILE_FOREIGN);
        expect_file("old\n1000 40 one\n");
    }
}

static int add_to_dump(void)
{
    static const char code[8];
    dame_perf_dump_t *dump = NULL;
    ck_assert_int_eq(dame_perf_dump_create(directory, &dump), DAME_OK);
    const int error = dame_perf_dump_add(dump, code, sizeof code, DAME_NO_UNWIND, "one");
    dame_perf_dump_destroy(dump);
    return error;
}

/* The name may be anybody's; a file of an earlier process of this number is the user's own. */
TEST(the_dump_replaces_regular_files_of_the_user_only)
{
    struct stat before, after;
    ck_assert_int_eq(mkfifo(dump_path, 0600), 0);
    ck_assert_int_eq(add_to_dump(), DAME_FILE_NOT_REGULAR);
    ck_assert_int_eq(lstat(dump_path, &after), 0);
    ck_assert(S_ISFIFO(after.st_mode));
    unlink(dump_path);
    ck_assert_int_eq(symlink("/nowhere/at/all", dump_path), 0);
    ck_assert_int_eq(add_to_dump(), ELOOP);
    ck_assert_int_eq(lstat(dump_path, &after), 0);
    ck_assert(S_ISLNK(after.st_mode));
    unlink(dump_path);
    write_file(dump_path, "old\n", 4);
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(dump_path, 65534, 65534), 0);
        ck_assert_int_eq(stat(dump_path, &before), 0);
        ck_assert_int_eq(add_to_dump(), DAME_FILE_FOREIGN);
        ck_assert_int_eq(stat(dump_path, &after), 0);
        ck_assert_int_eq(after.st_size, before.st_size);
        ck_assert_int_eq(chown(dump_path, 0, 0), 0);
    }
    ck_assert_int_eq(add_to_dump(), 0);
    ck_assert_int_eq(stat(dump_path, &after), 0);
    ck_assert_int_gt(after.st_size, 40);
}

/* A program, compiled in both directions with names for perf; one has a name. */
static dame_jit_t *told_to_perf(dame_program_t **program)
{
    dame_jit_options_t options = *dame_jit_options_default();
    options.perf_map = directory;
    dame_jit_t *jit = jit_with(&options);
    *program = strided_program(20);
    ck_assert_int_eq(dame_jit_compile(jit, *program, DAME_PACK, "WRF x"), DAME_OK);
    ck_assert_int_eq(dame_jit_compile(jit, *program, DAME_UNPACK, NULL), DAME_OK);
    return jit;
}

TEST(compiled_programs_stand_in_the_map)
{
    dame_program_t *program;
    dame_jit_t *jit = told_to_perf(&program);
    const void *code[2] = {NULL};
    size_t size[2];
    for (int dir = 0; dir < 2; dir++) {
        size[dir] = dame_jit_code(program, dir, &code[dir]);
    }
    char wanted[200];
    snprintf(wanted, sizeof wanted, "%lx %zx dame_pack:WRF x\n%lx %zx dame_unpack\n",
             (unsigned long) code[0], size[0], (unsigned long) code[1], size[1]);
    expect_file(wanted);
    const dame_jit_stats_t stats = stats_of(jit);
    ck_assert_int_eq(stats.perf_map_errno, 0);
    ck_assert_int_eq(stats.memory, DAME_JIT_MEMORY_OWN); /* the kind that perf gives names to */
    ck_assert_int_eq(stats.memory_errno, 0);
    free_all(jit, &program, 1);
    expect_file(wanted);
}

/* Two records for each code: how it is unwound, and the code. The table refers to the code as it
   will lie in the file that perf makes of it: behind the code, from a multiple of 8 bytes on. */
TEST(compiled_programs_are_in_the_dump)
{
    enum { HEADER = 40, LOAD = 56, UNWINDING = 40, SEARCHED = 20 };
    char *dump;
    dame_program_t *program;
    dame_jit_t *jit = told_to_perf(&program);
    FILE *file = fopen(dump_path, "r");
    ck_assert_ptr_nonnull(file);
    dump = malloc(1 << 20);
    const size_t size = fread(dump, 1, 1 << 20, file);
    fclose(file);
    uint32_t word[4];
    memcpy(word, dump, sizeof word);
    ck_assert_uint_eq(word[0], 0x4a695444);
    ck_assert_uint_eq(word[2], HEADER);
    size_t at = HEADER;
    for (int dir = 0; dir < 2; dir++) {
        const void *code;
        const char *name = dir == 0 ? "dame_pack:WRF x" : "dame_unpack";
        const size_t code_size = dame_jit_code(program, dir, &code),
                     behind = (code_size + 7) / 8 * 8;
        uint64_t sizes[3], load[4];
        int32_t table[4];
        memcpy(word, dump + at, sizeof word);
        ck_assert_uint_eq(word[0], 4);
        memcpy(sizes, dump + at + 16, sizeof sizes);
        ck_assert_uint_eq(sizes[1], SEARCHED);
        memcpy(table, dump + at + UNWINDING + sizes[0] - SEARCHED + 4, sizeof table);
        const int64_t head = (int64_t) behind + (int64_t) sizes[0] - SEARCHED;
        ck_assert_int_eq(table[0], (int64_t) behind - (head + 4)); /* the table */
        ck_assert_int_eq(table[1], 1);
        ck_assert_int_eq(table[2], -head); /* the code */
        const int64_t entry = table[3] + head - (int64_t) behind;
        int64_t distance;
        memcpy(&distance, dump + at + UNWINDING + entry + 8, sizeof distance);
        ck_assert_int_eq(distance, -((int64_t) behind + entry + 8));
        at += word[1];
        memcpy(word, dump + at, sizeof word);
        ck_assert_uint_eq(word[0], 0);
        memcpy(load, dump + at + 24, sizeof load);
        ck_assert_uint_eq(load[0], (uintptr_t) code);
        ck_assert_uint_eq(load[2], code_size);
        ck_assert_uint_eq(load[3], (uint64_t) dir);
        ck_assert_str_eq(dump + at + LOAD, name);
        ck_assert_mem_eq(dump + at + LOAD + strlen(name) + 1, code, code_size);
        at += word[1];
    }
    ck_assert_uint_eq(at, size);
    free(dump);
    free_all(jit, &program, 1);
}

TEST(a_map_that_cannot_be_written_is_said_so)
{
    dame_jit_options_t options = *dame_jit_options_default();
    options.perf_map = "/nowhere/at/all";
    dame_jit_t *jit = jit_with(&options);
    dame_program_t *program = strided_program(20);
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, "one"), DAME_OK);
    ck_assert(is_compiled(program, DAME_PACK));
    ck_assert_int_eq(stats_of(jit).perf_map_errno, ENOENT);
    free_all(jit, &program, 1);
}

/* ---- GDB ---- */

/* As the GDB manual has it, chapter "JIT Compilation Interface". */
struct jit_code_entry {
    struct jit_code_entry *next_entry;
    struct jit_code_entry *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};

struct jit_descriptor {
    uint32_t version;
    uint32_t action_flag;
    struct jit_code_entry *relevant_entry;
    struct jit_code_entry *first_entry;
};

extern struct jit_descriptor __jit_debug_descriptor;

/* The name that an object gives to code at `start`, or NULL. */
static const char *name_in(const struct jit_code_entry *entry, const void *start, size_t size)
{
    const char *image = entry->symfile_addr;
    const ElfW(Ehdr) *header = (const void *) image;
    ck_assert_mem_eq(header->e_ident, ELFMAG, SELFMAG);
    ck_assert_uint_le(header->e_shoff + header->e_shnum * sizeof(ElfW(Shdr)), entry->symfile_size);
    const ElfW(Shdr) *sections = (const void *) (image + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB) {
            continue;
        }
        const ElfW(Sym) *symbols = (const void *) (image + sections[i].sh_offset);
        const char *names = image + sections[sections[i].sh_link].sh_offset;
        ck_assert_uint_eq(sections[i].sh_size, 2 * sizeof(ElfW(Sym)));
        const ElfW(Shdr) *text = &sections[symbols[1].st_shndx];
        if (text->sh_addr + symbols[1].st_value == (uintptr_t) start &&
            symbols[1].st_size == size) {
            return names + symbols[1].st_name;
        }
    }
    return NULL;
}

static int gdb_knows(const dame_program_t *program, dame_dir_t dir, const char *name)
{
    const void *start = NULL;
    const size_t size = dame_jit_code(program, dir, &start);
    const struct jit_code_entry *prev = NULL;
    int known = 0;
    for (const struct jit_code_entry *entry = __jit_debug_descriptor.first_entry; entry;
         entry = entry->next_entry) {
        ck_assert_ptr_eq(entry->prev_entry, prev);
        const char *found = name_in(entry, start, size);
        known |= found && strcmp(found, name) == 0;
        prev = entry;
    }
    return known;
}

static int gdb_objects(void)
{
    int n = 0;
    for (const struct jit_code_entry *entry = __jit_debug_descriptor.first_entry; entry;
         entry = entry->next_entry) {
        n++;
    }
    return n;
}

TEST(gdb_is_told_of_code_that_comes_and_goes)
{
    dame_jit_options_t options = *dame_jit_options_default();
    options.gdb = 1;
    options.arena_bytes = 4 * UNIT;
    atomic_store(&test_provider_bytes, 2 * UNIT);
    dame_jit_t *jit = jit_with(&options);
    dame_program_t *programs[3];
    for (int i = 0; i < 3; i++) {
        programs[i] = strided_program(20 + i);
    }
    ck_assert_uint_eq(__jit_debug_descriptor.version, 1);
    ck_assert_int_eq(dame_jit_compile(jit, programs[0], DAME_PACK, "zero"), DAME_OK);
    ck_assert_int_eq(__jit_debug_descriptor.action_flag, 1); /* JIT_REGISTER_FN */
    ck_assert_int_eq(dame_jit_compile(jit, programs[1], DAME_UNPACK, "one"), DAME_OK);
    ck_assert(gdb_knows(programs[0], DAME_PACK, "dame_pack:zero"));
    ck_assert(gdb_knows(programs[1], DAME_UNPACK, "dame_unpack:one"));
    ck_assert_int_eq(gdb_objects(), 2);
    /* The third evicts the first. */
    ck_assert_int_eq(dame_jit_compile(jit, programs[2], DAME_PACK, NULL), DAME_OK);
    ck_assert(!is_compiled(programs[0], DAME_PACK));
    ck_assert_int_eq(gdb_objects(), 2);
    ck_assert(gdb_knows(programs[2], DAME_PACK, "dame_pack"));
    free_all(jit, programs, 3);
    ck_assert_int_eq(__jit_debug_descriptor.action_flag, 2); /* JIT_UNREGISTER_FN */
    ck_assert_int_eq(gdb_objects(), 0);
}

TEST(nobody_is_told_who_did_not_ask)
{
    dame_jit_t *jit = jit_with(NULL);
    dame_program_t *program = strided_program(20);
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, "one"), DAME_OK);
    ck_assert_int_eq(gdb_objects(), 0);
    snprintf(map_path, sizeof map_path, "/tmp/perf-%ld.map", (long) getpid());
    ck_assert_int_eq(access(map_path, F_OK), -1);
    free_all(jit, &program, 1);
}

SUITE_OF(jit_names, have_jumps(), setup, teardown)
