/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine code from the code cache or else from a provider. */
#include <stdio.h>
#include <string.h>

#include "base/heap.h"
#include "base/machine.h"
#include "g/launch.h"
#include "loader.h"
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

static void tell_problem(const dame_jit_t *jit)
{
    char problem[600];
    if (dame_cache_problem(jit->cache, problem, sizeof(problem))) {
        dame_jit_complain(jit, problem);
    }
}

void dame_jit_look(dame_jit_t *jit)
{
    if (jit->cache != NULL) {
        dame_cache_look(jit->cache);
        tell_problem(jit);
    }
}

int dame_jit_has_any(const dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir)
{
    return jit->cache != NULL && dame_cache_has_shape(jit->cache, program, dir);
}

/* ---- everything but the shape that code was made from ---- */

_Static_assert(sizeof(dame_cpu_t) == 4 * sizeof(int), "a new feature belongs to write_origin()");

/* Returns the bytes it has, 0: it cannot be written; written if there is room. */
static size_t write_origin(const dame_jit_t *jit, const dame_slot_t *slot, uint32_t variant,
                           char *to, size_t room)
{
    static const char *const makes[DAME_MAKES] = {"other", "AMD", "Intel"};
    static const char format[] = "%s:%s %u, interface %d, %s, %s %s%s%s%s, options \"%s\"";
    void *state;
    const dame_provider_t *provider = dame_slot_face(slot, &state);
    const dame_cpu_t *cpu = &jit->cpu;
    char name[DAME_VARIANT_NAME];
    (void) provider->variant_name(state, variant, name);
    if (strcmp(provider->name, "l") == 0 && dame_grid_is_text(variant)) { /* the same on any CPU */
        const int length = snprintf(to, room, "%s:%s %u, interface %d, %s", provider->name, name,
                                    (unsigned) variant, DAME_PROVIDER_VERSION, provider->identity);
        return length < 0 ? 0 : 1 + (size_t) length;
    }
    const int length = snprintf(
        to, room, format, provider->name, name, (unsigned) variant, DAME_PROVIDER_VERSION,
        provider->identity, DAME_MACHINE_NAME, makes[cpu->make], cpu->avx2 ? " avx2" : "",
        cpu->avx512 ? " avx512" : "", cpu->avx512_vbmi ? " avx512_vbmi" : "", slot->options);
    return length < 0 ? 0 : 1 + (size_t) length;
}

/* A linked-in provider is as fast as a file, and its options are not kept. */
static int is_kept(const dame_jit_t *jit, const dame_slot_t *slot)
{
    void *state;
    const dame_provider_t *provider = dame_slot_face(slot, &state);
    return jit->cache != NULL && slot->path != NULL && provider != NULL && provider->by_shape &&
           provider->identity != NULL;
}

/* From now on, the maker of stored code, and the oldest maker of code that is found. */
static void set_maker(const dame_slot_t *slot, dame_cache_key_t *key)
{
    const int has_one = slot->provider != NULL && slot->provider->maker != NULL;
    snprintf(key->maker, sizeof(key->maker), "%s", has_one ? slot->provider->maker : "");
}

/* 0: without. */
static int make_key(const dame_jit_t *jit, const dame_slot_t *slot, const dame_request_t *request,
                    dame_cache_key_t *key)
{
    char few[512];
    char *origin = few;
    if (!is_kept(jit, slot)) {
        return 0;
    }
    const size_t size = write_origin(jit, slot, request->variant, few, sizeof(few));
    if (size > sizeof(few)) {
        origin = dame_heap_alloc(size);
        if (origin == NULL) {
            return 0;
        }
        (void) write_origin(jit, slot, request->variant, origin, size);
    }
    const int made =
        size > 0 && dame_cache_key_make(origin, request->program, request->dir, key) == DAME_OK;
    dame_heap_free(origin != few ? origin : NULL);
    if (made && slot->face == NULL) { /* else any maker will do */
        set_maker(slot, key);
    }
    return made;
}

/* ---- finding and keeping ---- */

static dame_status_t compile_code(const dame_jit_t *jit, dame_slot_t *slot,
                                  const dame_request_t *request, dame_machine_code_t *code)
{
    const int is_loaded = slot->path != NULL;
    dame_status_t status = dame_slot_load(jit, slot);
    if (status == DAME_OK && is_loaded && !dame_loader_enter()) {
        status = DAME_ERR_DENIED;
    } else if (status == DAME_OK) {
        status = slot->provider->compile(slot->state, request->program, request->dir,
                                         request->variant, code);
        if (is_loaded) {
            dame_loader_leave();
        }
    }
    return status == DAME_OK && code->nentries == 0 ? DAME_ERR_UNSUPPORTED : status;
}

/* Returns whether the code's entries are for loop levels of the program. */
static int code_fits(const dame_machine_code_t *code, const dame_program_t *program)
{
    for (int32_t i = 0; i < code->nentries; i++) {
        const int32_t prim = code->entries[i].prim;
        if (prim >= program->nprims || program->prims[prim].interpreted == NULL) {
            return 0;
        }
    }
    return code->nentries > 0;
}

/* 1: found; 0: not; -1: it does not fit, which would be the provider's fault, and stays in its
 * file.
 */
static int load_code(dame_cache_t *cache, const dame_cache_key_t *key,
                     const dame_request_t *request, const dame_cache_room_t *room,
                     dame_found_t *out)
{
    if (!dame_cache_load(cache, key, room, &out->kept)) {
        return 0;
    }
    if (!code_fits(&out->kept.code, request->program)) {
        dame_cache_code_free(&out->kept);
        return -1;
    }
    out->code = out->kept.code;
    out->is_of_file = 1;
    return 1;
}

static dame_status_t load_or_compile(const dame_jit_t *jit, dame_cache_key_t *key,
                                     dame_slot_t *slot, const dame_request_t *request,
                                     dame_found_t *out)
{
    dame_cache_claim_t claim;
    const int found = load_code(jit->cache, key, request, NULL, out);
    if (found != 0) {
        return found > 0 ? DAME_OK : compile_code(jit, slot, request, &out->code);
    }
    if (!dame_cache_claim(jit->cache, key, &claim)) { /* it may be there by now */
        return load_code(jit->cache, key, request, NULL, out) > 0 ? DAME_OK : DAME_ERR_BUSY;
    }
    const dame_status_t status = compile_code(jit, slot, request, &out->code);
    if (status == DAME_OK) {
        set_maker(slot, key);
        (void) dame_cache_store(jit->cache, key, &out->code); /* its problems are reported below */
    }
    dame_cache_release(&claim);
    return status;
}

dame_status_t dame_find_code(const dame_jit_t *jit, dame_slot_t *slot,
                             const dame_request_t *request, dame_found_t *out)
{
    dame_cache_key_t key;
    *out = (dame_found_t){.code = {.nentries = 0}};
    if (!make_key(jit, slot, request, &key)) {
        return compile_code(jit, slot, request, &out->code);
    }
    const dame_status_t status = load_or_compile(jit, &key, slot, request, out);
    dame_cache_key_free(&key);
    tell_problem(jit);
    return status;
}

dame_status_t dame_find_file(const dame_jit_t *jit, const dame_slot_t *slot,
                             const dame_request_t *request, const dame_cache_room_t *room,
                             dame_found_t *out)
{
    dame_cache_key_t key;
    *out = (dame_found_t){.code = {.nentries = 0}};
    if (!make_key(jit, slot, request, &key)) {
        return DAME_ERR_BUSY;
    }
    const int found = load_code(jit->cache, &key, request, room, out) > 0;
    dame_cache_key_free(&key);
    tell_problem(jit);
    return found ? DAME_OK : DAME_ERR_BUSY;
}

int dame_has_file(const dame_jit_t *jit, const dame_slot_t *slot, const dame_request_t *request)
{
    dame_cache_key_t key;
    if (!dame_jit_has_any(jit, request->program, request->dir) || /* most programs have no such
                                                                     code: no key */
        !make_key(jit, slot, request, &key)) {
        return 0;
    }
    const int has = dame_cache_has(jit->cache, &key);
    dame_cache_key_free(&key);
    return has;
}

void dame_found_free(dame_found_t *found)
{
    dame_cache_code_free(&found->kept);
}
