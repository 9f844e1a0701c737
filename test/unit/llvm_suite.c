/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME-L as a provider: options, variants, and that its bytes depend on nothing but the shape. */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define LEAK_CHECKS(what) __lsan_##what()
#else
#define LEAK_CHECKS(what) ((void) 0)
#endif

#include "jit/g/image.h"
#include "jit/l/variants.h"
#include "jit/provider.h"
#include "jit/shape.h"
#include "suites.h"
#include "test/lib/mallinfo.h"
#include "tools.h"

static void *object; /* dame_llvm.so */
static const dame_provider_t *l;
static const dame_cpu_t all = {.avx2 = 1, .avx512 = 1, .avx512_vbmi = 1};

static const dame_provider_t *load(void)
{
    const dame_provider_t *(*get)(void) = NULL;
    object = dlopen(DAME_LLVM_SO, RTLD_NOW | RTLD_LOCAL);
    void *symbol = object ? dlsym(object, DAME_PROVIDER_SYMBOL) : NULL;
    if (!symbol) {
        printf("no tests of DAME-L: %s\n", object ? "no provider" : dlerror());
        return NULL;
    }
    memcpy(&get, &symbol, sizeof get);
    return get();
}

static void *state_of(const char *options)
{
    void *state = NULL;
    ck_assert_int_eq(l->open(&all, options, &state), DAME_OK);
    return state;
}

TEST(options_are_checked)
{
    static const struct {
        const char *text;
        dame_status_t status;
    } cases[] = {
        {"", DAME_OK},
        {"passes=none", DAME_OK},
        {"passes=default<O1>,cpu=haswell", DAME_OK},
        {"passes=function(instcombine,simplifycfg),verify=1", DAME_OK},
        {"cpu=native,verify=0", DAME_OK},
        {"passes=no-such-pass", DAME_ERR_ARGUMENT},
        {"passes=function(instcombine", DAME_ERR_ARGUMENT},
        {"cpu=no-such-cpu", DAME_ERR_ARGUMENT},
        {"cpu=", DAME_ERR_ARGUMENT},
        {"verify=2", DAME_ERR_ARGUMENT},
        {"speed=high", DAME_ERR_ARGUMENT},
        {"passes", DAME_ERR_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        void *state = NULL;
        const dame_status_t status = l->open(&all, cases[i].text, &state);
        ck_assert_msg(status == cases[i].status, "'%s': %s", cases[i].text,
                      dame_status_text(status));
        if (status == DAME_OK) {
            l->close(state);
        }
    }
    const dame_cpu_t old = {.avx2 = 1};
    void *state = NULL;
    ck_assert_int_eq(l->open(&old, "cpu=sapphirerapids", &state), DAME_ERR_ARGUMENT);
}

/* Programs of all kinds of levels. */
static const char *const texts[] = {
    "EXIT VECTORFINAL(100, 1, 2, 1, 1) CONTIGFINAL(1) BOTTOM",
    "EXIT VECTORFINAL(162, 5, 6560, 8, 8) CONTIGFINAL(8) BOTTOM",
    "EXIT VECTORFINAL(30, 12, 20, 1, 1) CONTIGFINAL(1) BOTTOM",
    "EXIT BLOCKINDEXFINAL(5, 2, [96, 0, 48, 144, 16], 8, 8) CONTIGFINAL(8) BOTTOM",
    "EXIT INDEXFINAL(3, [3, 40, 100], [0, 8, 100], 1, 1) CONTIGFINAL(1) BOTTOM",
    "EXIT CONTIG(9, 24, 80) STRUCT(2, [1, 1], [0, 40], [8, 16], [8, 24])"
    " RETURNTO(2) CONTIGFINAL(8) BOTTOM"
    " RETURNTO(2) VECTORFINAL(2, 1, 16, 8, 8) CONTIGFINAL(8) BOTTOM BOTTOM",
};
enum { TEXTS = sizeof texts / sizeof texts[0], MOST_VARIANTS = 8 + 3 };

static bool same_code(const dame_machine_code_t *a, const dame_machine_code_t *b)
{
    return a->size == b->size && a->nentries == b->nentries && a->size > 0 &&
           memcmp(a->bytes, b->bytes, a->size) == 0 &&
           memcmp(a->entries, b->entries, (size_t) a->nentries * sizeof a->entries[0]) == 0;
}

/* Programs of one shape: displacements far from 0, and lengths of long lists, are read when the
 * kernel runs. */
static const char *const alike[][2] = {
    {"EXIT(8) BLOCKINDEXFINAL(3, 1, [0, 65536, 80000], 8, 8) CONTIGFINAL(8) BOTTOM",
     "EXIT(160) BLOCKINDEXFINAL(3, 1, [70000, 24, 8], 8, 8) CONTIGFINAL(8) BOTTOM"},
    {"EXIT STRUCT(2, [1, 1], [0, 90000], [8, 16], [8, 40])"
     " RETURNTO(1) CONTIGFINAL(8) BOTTOM"
     " RETURNTO(1) VECTORFINAL(2, 1, 32, 8, 8) CONTIGFINAL(8) BOTTOM BOTTOM",
     "EXIT STRUCT(2, [1, 1], [512, 96000], [8, 16], [8, 40])"
     " RETURNTO(1) CONTIGFINAL(8) BOTTOM"
     " RETURNTO(1) VECTORFINAL(2, 1, 32, 8, 8) CONTIGFINAL(8) BOTTOM BOTTOM"},
};

/* Two states link at two addresses, and two programs have their tables at two. */
TEST(the_bytes_depend_on_nothing_but_the_shape)
{
    void *states[] = {state_of(""), state_of("")};
    for (int i = 0; i < TEXTS + COUNT_OF(alike); i++) {
        dame_program_t *programs[2];
        char shapes[2][4096] = {{0}};
        for (int k = 0; k < 2; k++) {
            programs[k] = program_of_text(i < TEXTS ? texts[i] : alike[i - TEXTS][k]);
            ck_assert_uint_le(dame_shape(programs[k], shapes[k], sizeof shapes[k]),
                              sizeof shapes[k]);
        }
        ck_assert_mem_eq(shapes[0], shapes[1], sizeof shapes[0]);
        for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
            uint32_t variants[MOST_VARIANTS];
            int32_t n =
                l->variants(states[0], programs[0], (dame_dir_t) dir, variants, MOST_VARIANTS - 3);
            ck_assert_int_ge(n, 1);
            for (uint32_t grid = L_GRID_HOST; grid <= L_GRID_AMDGPU; grid++) {
                variants[n++] = grid;
            }
            for (int32_t v = 0; v < n; v++) {
                dame_machine_code_t codes[2];
                char name[DAME_VARIANT_NAME];
                ck_assert(l->variant_name(states[0], variants[v], name));
                for (int k = 0; k < 2; k++) {
                    ck_assert_int_eq(l->compile(states[k], programs[k], (dame_dir_t) dir,
                                                variants[v], &codes[k]),
                                     DAME_OK);
                }
                ck_assert_msg(same_code(&codes[0], &codes[1]), "program %d, direction %d, %s", i,
                              dir, name);
            }
        }
        dame_program_free(programs[0]);
        dame_program_free(programs[1]);
    }
    l->close(states[0]);
    l->close(states[1]);
}

TEST(variants_that_do_not_exist_are_refused)
{
    void *state = state_of("");
    dame_program_t *program = program_of_text(texts[0]);
    dame_machine_code_t code;
    char name[DAME_VARIANT_NAME];
    static const uint32_t missing[] = {9, 15 /* custom, without the option */, 200, UINT32_MAX};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        ck_assert_int_eq(l->compile(state, program, DAME_PACK, missing[i], &code),
                         DAME_ERR_ARGUMENT);
    }
    ck_assert(!l->variant_name(state, UINT32_MAX, name));
    ck_assert_str_eq(name, "");
    dame_program_free(program);
    l->close(state);
}

/* LLVM would end the process: a pipeline that breaks the module, and then checks it. */
TEST(an_error_inside_llvm_does_not_end_the_process)
{
    void *broken = NULL;
    LEAK_CHECKS(disable); /* what LLVM held is lost (jit/l/README.md) */
    ck_assert_int_eq(l->open(&all, "passes=trigger-verifier-error,verify", &broken),
                     DAME_ERR_ARGUMENT);
    ck_assert_int_eq(l->open(&all, "passes=module(trigger-verifier-error,verify)", &broken),
                     DAME_ERR_ARGUMENT);
    LEAK_CHECKS(enable);
    void *state = state_of("");
    dame_program_t *program = program_of_text(texts[0]);
    dame_machine_code_t code;
    ck_assert_int_eq(l->compile(state, program, DAME_PACK, 0, &code), DAME_OK);
    dame_program_free(program);
    l->close(state);
}

/* It would also end the process, which has 48 MiB left: enough for DAME, and for some of LLVM. */
LOOP_TEST(without_memory_llvm_is_not_called, 2)
{
    const int resource = _i == 0 ? RLIMIT_AS : RLIMIT_DATA;
    unsigned long mapped = 0, data = 0;
    struct rlimit old;
    void *state = state_of(""), *other = NULL;
    dame_program_t *program = program_of_text(texts[0]);
    dame_machine_code_t code;
    FILE *statm = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(statm);
    ck_assert_int_eq(fscanf(statm, "%lu %*s %*s %*s %*s %lu", &mapped, &data), 2);
    fclose(statm);
    ck_assert_int_eq(getrlimit(resource, &old), 0);
    struct rlimit now = old;
    now.rlim_cur = (_i == 0 ? mapped : data) * (unsigned long) sysconf(_SC_PAGESIZE) + (48 << 20);
    ck_assert_int_eq(setrlimit(resource, &now), 0);
    const dame_status_t compiled = l->compile(state, program, DAME_PACK, 0, &code);
    const dame_status_t opened = l->open(&all, "", &other);
    ck_assert_int_eq(setrlimit(resource, &old), 0);
    ck_assert_int_eq(compiled, DAME_ERR_NOMEM);
    ck_assert_int_eq(opened, DAME_ERR_NOMEM);
    ck_assert_int_eq(l->compile(state, program, DAME_PACK, 0, &code), DAME_OK);
    dame_program_free(program);
    l->close(state);
}

/* The application's own call of the library, which LLVM answers by ending the process. */
static void *call_badly(void *unused)
{
    void *(*new_context)(void) = NULL;
    void *(*new_module)(const char *name, void *context) = NULL;
    void (*set_layout)(void *module, const char *layout) = NULL;
    void *symbols[] = {dlsym(object, "LLVMContextCreate"),
                       dlsym(object, "LLVMModuleCreateWithNameInContext"),
                       dlsym(object, "LLVMSetDataLayout")};
    memcpy(&new_context, &symbols[0], sizeof new_context);
    memcpy(&new_module, &symbols[1], sizeof new_module);
    memcpy(&set_layout, &symbols[2], sizeof set_layout);
    usleep(50000); /* the other thread compiles by now */
    set_layout(new_module("bad", new_context()), "no layout");
    return unused;
}

TEST(an_error_of_another_threads_llvm_is_its_own)
{
    char text[4096];
    FILE *said = tmpfile();
    ck_assert_ptr_nonnull(said);
    void *state = state_of("");
    dame_program_t *program = program_of_text(texts[TEXTS - 1]);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        pthread_t thread;
        (void) setrlimit(RLIMIT_CORE, &none);
        dup2(fileno(said), STDERR_FILENO);
        if (pthread_create(&thread, NULL, call_badly, NULL) != 0) {
            _exit(2);
        }
        for (int i = 0; i < 10000; i++) {
            dame_machine_code_t code;
            if (l->compile(state, program, DAME_PACK, 0, &code) != DAME_OK) {
                _exit(3);
            }
        }
        _exit(4);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    fclose(said);
    ck_assert_msg(strstr(text, "LLVM ERROR: ") != NULL, "status %x: %s", (unsigned) status, text);
    dame_program_free(program);
    l->close(state);
}

/* The function for devices, as their assembler takes it. */
TEST(grids_are_text_for_devices)
{
    static const struct {
        uint32_t variant;
        const char *name, *parts[4];
    } targets[] = {
        {L_GRID_PTX, "ptx", {".target sm_60", ".visible .entry k0(", "ld.global.v4", "%ctaid.x"}},
        {L_GRID_AMDGPU, "amdgpu", {"gfx90a", ".globl\tk0", "global_load_dwordx4", "s_endpgm"}},
    };
    void *state = state_of("");
    for (int i = 0; i < TEXTS * COUNT_OF(targets); i++) {
        const int target = i % COUNT_OF(targets);
        dame_program_t *program = program_of_text(texts[i / COUNT_OF(targets)]);
        dame_machine_code_t code;
        char name[DAME_VARIANT_NAME];
        ck_assert(l->variant_name(state, targets[target].variant, name));
        ck_assert_str_eq(name, targets[target].name);
        ck_assert_int_eq(l->compile(state, program, DAME_PACK, targets[target].variant, &code),
                         DAME_OK);
        ck_assert_uint_eq(strlen(code.bytes) + 1, code.size);
        ck_assert_uint_eq(code.unwind, DAME_NO_UNWIND);
        for (int k = 0; k < COUNT_OF(targets[0].parts); k++) {
            ck_assert_msg(strstr(code.bytes, targets[target].parts[k]) != NULL, "no %s in\n%s",
                          targets[target].parts[k], code.bytes);
        }
        dame_program_free(program);
    }
    l->close(state);
}

/* One piece of a message far beyond 2^32 elements and bytes; addresses wrap around. */
TEST(grids_count_with_64_bits)
{
    static const char *const huge[] = {
        "EXIT(-24) CONTIGFINAL(8) BOTTOM",
        "EXIT(3000000000) VECTORFINAL(3, 1, 5000000000, 8, 8) CONTIGFINAL(8) BOTTOM",
        "EXIT CONTIG(4000000000, 16, 48) VECTORFINAL(2, 1, 24, 8, 8) CONTIGFINAL(8) BOTTOM",
    };
    void *state = state_of("");
    for (int i = 0; i < COUNT_OF(huge); i++) {
        dame_program_t *program = program_of_text(huge[i]);
        const int64_t first = INT64_C(8) * 3 * 5000000001;
        uint64_t image[64], user = 0x0123456789abcdef, packed[2] = {0};
        dame_machine_code_t code;
        dame_cursor_t cursor;
        dame_block_t block;
        ck_assert_int_eq(l->compile(state, program, DAME_PACK, L_GRID_HOST, &code), DAME_OK);
        char *memory =
            mmap(NULL, code.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(memory, code.bytes, code.size);
        ck_assert_int_eq(mprotect(memory, code.size, PROT_READ | PROT_EXEC), 0);
        dame_grid_host_fn run;
        memory += code.entries[0].offset;
        memcpy(&run, &memory, sizeof run);
        ck_assert_uint_le(dame_grid_image_size(program), sizeof image);
        dame_grid_image_write(program, image);
        ck_assert_int_eq(dame_cursor_init(&cursor, program, 0, INT64_MAX / program->size), DAME_OK);
        dame_cursor_seek(&cursor, first);
        ck_assert_int_eq(dame_cursor_blocks(&cursor, &block, 1), 1);
        dame_cursor_fini(&cursor);
        run((uintptr_t) &user - block.address, (uintptr_t) packed, first, first + 8,
            (uintptr_t) image, 3, 0);
        ck_assert_msg(packed[0] == user && packed[1] == 0, "%s: %llx", huge[i],
                      (unsigned long long) packed[0]);
        munmap(memory - code.entries[0].offset, code.size);
        dame_program_free(program);
    }
    l->close(state);
}

TEST(memory_is_returned)
{
    enum { WARM = 5, ROUNDS = 40, MOST = 64 << 10 };
    size_t before = 0;
    dame_program_t *program = program_of_text(texts[TEXTS - 1]);
    void *state = state_of("");
    for (int i = 0; i < WARM + ROUNDS; i++) {
        dame_machine_code_t code;
        if (i == WARM) {
            before = mallinfo2().uordblks;
        }
        ck_assert_int_eq(l->compile(state, program, DAME_PACK, 0, &code), DAME_OK);
    }
    const size_t after = mallinfo2().uordblks;
    ck_assert_msg(after <= before + MOST, "%zu bytes before, %zu after", before, after);
    l->close(state);
    dame_program_free(program);
}

TEST(ir_and_assembly_can_be_dumped)
{
    char directory[DIRECTORY];
    char options[100];
    int files = 0;
    make_directory(directory);
    snprintf(options, sizeof options, "dump=%s", directory);
    void *state = state_of(options);
    dame_program_t *program = program_of_text(texts[0]);
    dame_machine_code_t code;
    ck_assert_int_eq(l->compile(state, program, DAME_PACK, 0, &code), DAME_OK);
    DIR *dir = opendir(directory);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        files += entry->d_name[0] != '.';
    }
    closedir(dir);
    remove_directory(directory);
    ck_assert_int_eq(files, 3);
    dame_program_free(program);
    l->close(state);
}

SUITE_OF(llvm, (l = load()) != NULL, tree_setup, tree_teardown)
