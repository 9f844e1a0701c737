/* Machine code from the code cache or, where it has none, from a provider. */
#include <stdio.h>
#include <string.h>

#include "dame/heap.h"
#include "state.h"

dame_status_t dame_jit_set_cache(dame_jit_t *jit, const char *directories, int64_t limit)
{
    dame_cache_t *cache = NULL;
    if (directories != NULL) {
        const dame_status_t status = dame_cache_open(directories, limit, &cache);
        if (status != DAME_OK) {
            return status;
        }
    }
    dame_cache_close(jit->cache);
    jit->cache = cache;
    return DAME_OK;
}

/* ---- everything but the shape that code was made from ---- */

#if defined(__x86_64__)
static const char machine[] = "x86-64";
#elif defined(__aarch64__)
static const char machine[] = "aarch64";
#else
static const char machine[] = "unknown";
#endif

_Static_assert(sizeof(dame_cpu_t) == 4 * sizeof(int), "a new feature belongs to origin_of()");

/* The caller frees it; NULL: memory is out. */
static char *origin_of(const dame_jit_t *jit, const dame_slot_t *slot, uint32_t variant)
{
    static const char *const makes[DAME_MAKES] = {"other", "AMD", "Intel"};
    static const char format[] = "%s:%s %u, interface %d, %s, %s %s%s%s%s, options \"%s\"";
    const dame_provider_t *provider = slot->provider;
    const dame_cpu_t *cpu = &jit->cpu;
    char name[DAME_VARIANT_NAME];
    char *origin = NULL;
    size_t size = 0;
    (void) provider->variant_name(slot->state, variant, name);
    for (;;) {
        const int length = snprintf(
            origin, size, format, provider->name, name, (unsigned) variant, DAME_PROVIDER_VERSION,
            provider->identity, machine, makes[cpu->make], cpu->avx2 ? " avx2" : "",
            cpu->avx512 ? " avx512" : "", cpu->avx512_vbmi ? " avx512_vbmi" : "", slot->options);
        if (origin != NULL || length < 0) {
            return origin;
        }
        size = (size_t) length + 1;
        origin = dame_heap_alloc(size);
        if (origin == NULL) {
            return NULL;
        }
    }
}

static int make_key(const dame_jit_t *jit, const dame_slot_t *slot, const dame_request_t *request,
                    dame_cache_key_t *key)
{
    char *origin = origin_of(jit, slot, request->variant);
    const int made = origin != NULL &&
                     dame_cache_key_make(origin, request->program, request->dir, key) == DAME_OK;
    dame_heap_free(origin);
    return made;
}

/* ---- finding and keeping ---- */

static dame_status_t compile(const dame_slot_t *slot, const dame_request_t *request,
                             dame_machine_code_t *code)
{
    const dame_status_t status = slot->provider->compile(slot->state, request->program,
                                                         request->dir, request->variant, code);
    return status == DAME_OK && code->nentries == 0 ? DAME_ERR_UNSUPPORTED : status;
}

/* Are its entries for loop levels of the program? */
static int fits(const dame_machine_code_t *code, const dame_program_t *program)
{
    for (int32_t i = 0; i < code->nentries; i++) {
        const int32_t prim = code->entries[i].prim;
        if (prim >= program->nprims || program->prims[prim].interpreted == NULL) {
            return 0;
        }
    }
    return code->nentries > 0;
}

/* What was found. If it does not fit, which would be the provider's fault, it stays in its file. */
static dame_status_t use(const dame_slot_t *slot, const dame_request_t *request, dame_found_t *out)
{
    if (!fits(&out->kept.code, request->program)) {
        dame_cache_code_free(&out->kept);
        return compile(slot, request, &out->code);
    }
    out->code = out->kept.code;
    return DAME_OK;
}

static dame_status_t load_or_compile(dame_cache_t *cache, const dame_cache_key_t *key,
                                     const dame_slot_t *slot, const dame_request_t *request,
                                     dame_found_t *out)
{
    dame_cache_claim_t claim;
    if (dame_cache_load(cache, key, &out->kept)) {
        return use(slot, request, out);
    }
    if (!dame_cache_claim(cache, key, &claim)) { /* it may be there by now */
        return dame_cache_load(cache, key, &out->kept) ? use(slot, request, out) : DAME_ERR_BUSY;
    }
    const dame_status_t status = compile(slot, request, &out->code);
    if (status == DAME_OK) {
        (void) dame_cache_store(cache, key, &out->code); /* its problems are told below */
    }
    dame_cache_release(&claim);
    return status;
}

dame_status_t dame_find_code(const dame_jit_t *jit, const dame_slot_t *slot,
                             const dame_request_t *request, dame_found_t *out)
{
    dame_cache_key_t key;
    char problem[600];
    *out = (dame_found_t){.code = {.nentries = 0}};
    /* What is linked in is as fast as a file, and its options are not remembered. */
    const int is_kept = jit->cache != NULL && slot->path != NULL && slot->provider->by_shape &&
                        slot->provider->identity != NULL;
    if (!is_kept || !make_key(jit, slot, request, &key)) {
        return compile(slot, request, &out->code);
    }
    const dame_status_t status = load_or_compile(jit->cache, &key, slot, request, out);
    dame_cache_key_free(&key);
    if (dame_cache_problem(jit->cache, problem, sizeof(problem))) {
        dame_jit_complain(jit, problem);
    }
    return status;
}

void dame_found_free(dame_found_t *found)
{
    dame_cache_code_free(&found->kept);
}
