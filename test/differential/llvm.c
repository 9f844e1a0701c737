/* SPDX-License-Identifier: BSD-3-Clause */
#include "llvm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dame/isa.h"
#include "jit/l/variants.h"
#include "jit/shape.h"

int64_t llvm_compiled, llvm_used_again;

bool llvm_is_there(void)
{
    return access(DAME_LLVM_SO, R_OK) == 0;
}

const char *llvm_random_options(rng_t *rng)
{
    static const char *const options[] = {
        "",
        "verify=1",
        "passes=default<O1>",
        "passes=default<O3>",
        "passes=default<Os>",
        "passes=function(mem2reg,instcombine,loop-mssa(licm),loop-unroll,gvn,dse)",
        "cpu=x86-64",
        "cpu=x86-64-v3",
    };
    const int64_t n = dame_isa_cpu().avx2 ? 8 : 7;
    return rng_chance(rng, 40) ? "" : options[rng_range(rng, 0, n - 1)];
}

/* ---- states of DAME-L, one for each options and CPU, for as long as the process lives ---- */

typedef struct open_state {
    const char *options;
    dame_cpu_t cpu;
    void *state;
} open_state_t;

static const dame_provider_t *real(void)
{
    static const dame_provider_t *provider;
    if (!provider) {
        const dame_provider_t *(*get)(void) = NULL;
        void *object = dlopen(DAME_LLVM_SO, RTLD_NOW | RTLD_LOCAL);
        void *symbol = object ? dlsym(object, DAME_PROVIDER_SYMBOL) : NULL;
        if (!symbol) {
            fprintf(stderr, "differential: %s\n", dlerror());
            exit(EXIT_FAILURE);
        }
        memcpy(&get, &symbol, sizeof get);
        provider = get();
    }
    return provider;
}

static open_state_t *state_for(const dame_cpu_t *cpu, const char *options)
{
    enum { MOST = 64 };
    static open_state_t states[MOST];
    static int n;
    for (int i = 0; i < n; i++) {
        if (strcmp(states[i].options, options) == 0 &&
            memcmp(&states[i].cpu, cpu, sizeof *cpu) == 0) {
            return &states[i];
        }
    }
    if (n == MOST) {
        return NULL;
    }
    states[n] = (open_state_t){.options = options, .cpu = *cpu};
    return real()->open(cpu, options, &states[n].state) == DAME_OK ? &states[n++] : NULL;
}

/* ---- codes, by all they depend on ---- */

typedef struct kept {
    const open_state_t *in;
    dame_dir_t dir;
    uint32_t variant;
    char *shape;
    size_t shape_size;
    dame_status_t status;
    dame_machine_code_t code;
} kept_t;

enum { KEPT = 32 };
static kept_t kept[KEPT];
static int newest;

static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size ? size : 1);
    if (!copy) {
        exit(EXIT_FAILURE);
    }
    memcpy(copy, bytes, size);
    return copy;
}

static const kept_t *find(const kept_t *key)
{
    for (int i = 0; i < KEPT; i++) {
        const kept_t *k = &kept[i];
        if (k->shape && k->in == key->in && k->dir == key->dir && k->variant == key->variant &&
            k->shape_size == key->shape_size &&
            memcmp(k->shape, key->shape, key->shape_size) == 0) {
            return k;
        }
    }
    return NULL;
}

static const kept_t *compile_anew(const kept_t *key, const dame_program_t *program)
{
    newest = (newest + 1) % KEPT;
    kept_t *k = &kept[newest];
    free(k->shape);
    free((void *) (uintptr_t) k->code.bytes);
    free((void *) (uintptr_t) k->code.entries);
    *k = *key;
    dame_machine_code_t code = {0};
    k->shape = copy_of(key->shape, key->shape_size);
    k->status = real()->compile(key->in->state, program, key->dir, key->variant, &code);
    if (k->status == DAME_OK) {
        k->code = (dame_machine_code_t){
            copy_of(code.bytes, code.size), code.size,
            copy_of(code.entries, (size_t) code.nentries * sizeof code.entries[0]), code.nentries,
            code.unwind};
        llvm_compiled++;
    }
    return k;
}

/* ---- the provider ---- */

static const char *next_options;
static uint64_t next_choice;

typedef struct mine {
    const open_state_t *in;
    uint64_t choice;
} mine_t;

static dame_status_t open_mine(const dame_cpu_t *cpu, const char *options, void **state)
{
    mine_t *mine = malloc(sizeof *mine);
    (void) options; /* DAME-X's */
    if (!mine) {
        return DAME_ERR_NOMEM;
    }
    *mine = (mine_t){state_for(cpu, next_options), next_choice};
    *state = mine;
    return mine->in ? DAME_OK : DAME_ERR_UNSUPPORTED;
}

static int32_t variants(void *state, const dame_program_t *program, dame_dir_t dir, uint32_t *out,
                        int32_t room)
{
    enum { MOST = 16 };
    const mine_t *mine = state;
    uint32_t all[MOST];
    const int32_t n = real()->variants(mine->in->state, program, dir, all, MOST);
    if (n > 0 && room > 0) {
        out[0] = all[mine->choice % (uint64_t) n];
    }
    return n > 0 && room > 0;
}

static int variant_name(void *state, uint32_t variant, char name[DAME_VARIANT_NAME])
{
    const mine_t *mine = state;
    return real()->variant_name(mine->in->state, variant, name);
}

/* The code of a shape; NULL: no memory. */
static const kept_t *code_of(const open_state_t *in, const dame_program_t *program, dame_dir_t dir,
                             uint32_t variant)
{
    const size_t size = dame_shape(program, NULL, 0);
    char *shape = malloc(size);
    if (!shape) {
        return NULL;
    }
    dame_shape(program, shape, size);
    const kept_t key = {
        .in = in, .dir = dir, .variant = variant, .shape = shape, .shape_size = size};
    const kept_t *k = find(&key);
    llvm_used_again += k != NULL;
    k = k ? k : compile_anew(&key, program);
    free(shape);
    return k;
}

static dame_status_t compile(void *state, const dame_program_t *program, dame_dir_t dir,
                             uint32_t variant, dame_machine_code_t *code)
{
    const mine_t *mine = state;
    const kept_t *k = code_of(mine->in, program, dir, variant);
    if (!k) {
        return DAME_ERR_NOMEM;
    }
    *code = k->code;
    return k->status;
}

const dame_machine_code_t *llvm_grid(const dame_program_t *program, dame_dir_t dir)
{
    const dame_cpu_t cpu = dame_isa_cpu();
    const open_state_t *in = state_for(&cpu, "");
    const kept_t *k = in ? code_of(in, program, dir, L_GRID_HOST) : NULL;
    return k && k->status == DAME_OK ? &k->code : NULL;
}

static void close_mine(void *state)
{
    free(state);
}

const dame_provider_t *llvm_provider(const char *options, uint64_t choice)
{
    static const dame_provider_t provider = {
        .version = DAME_PROVIDER_VERSION,
        .name = "l",
        .by_shape = 1,
        .open = open_mine,
        .variants = variants,
        .variant_name = variant_name,
        .compile = compile,
        .close = close_mine,
    };
    next_options = options;
    next_choice = choice;
    return &provider;
}
