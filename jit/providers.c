/* SPDX-License-Identifier: BSD-3-Clause */
/* The providers of a jit: opened, loaded when first needed, used by one thread at a time. */
#include <stdio.h>
#include <string.h>

#include "base/heap.h"
#include "dame/isa.h"
#include "loader.h"
#include "base/lock.h"
#include "state.h"

int dame_jit_wait(const dame_jit_t *jit)
{
    if (dame_code_arena_is_inherited(jit->arena)) {
        return 0;
    }
    dame_wait(DAME_LOCK_COMPILER);
    return 1;
}

dame_status_t dame_slot_open(dame_jit_t *jit, const dame_provider_t *provider, const char *options)
{
    dame_slot_t *slot = &jit->slots[0];
    const dame_status_t status = jit->options.without_x
                                     ? DAME_ERR_UNSUPPORTED
                                     : provider->open(&jit->cpu, options, &slot->state);
    slot->provider = status == DAME_OK ? provider : NULL;
    slot->has_failed = status != DAME_OK;
    jit->nslots = 1;
    return status == DAME_ERR_UNSUPPORTED ? DAME_OK : status; /* the interpreter goes on */
}

static dame_status_t offer(dame_jit_t *jit, const char *path, const char *options,
                           const dame_provider_t *face, void *face_state, int32_t *provider)
{
    const size_t bytes = strlen(path) + 1;
    char *copy = dame_heap_alloc(bytes + strlen(options) + 1);
    if (copy == NULL) {
        return DAME_ERR_NOMEM;
    }
    memcpy(copy, path, bytes);
    strcpy(copy + bytes, options);
    dame_lock(DAME_LOCK_COMPILER);
    const int32_t number = jit->nslots;
    if (number < DAME_JIT_MOST_PROVIDERS) {
        jit->slots[number] = (dame_slot_t){
            .path = copy, .options = copy + bytes, .face = face, .face_state = face_state};
        jit->nslots++;
        *provider = number;
    }
    dame_unlock(DAME_LOCK_COMPILER);
    if (number == DAME_JIT_MOST_PROVIDERS) {
        dame_heap_free(copy);
        return DAME_ERR_LIMIT;
    }
    return DAME_OK;
}

dame_status_t dame_jit_offer(dame_jit_t *jit, const char *path, const char *options,
                             int32_t *provider)
{
    return offer(jit, path, options, NULL, NULL, provider);
}

dame_status_t dame_jit_offer_l(dame_jit_t *jit, const char *path, const char *options,
                               int32_t *provider)
{
    return dame_jit_offer_with(jit, &dame_provider_l_face, path, options, provider);
}

int dame_jit_l_understands(const char *options)
{
    const dame_cpu_t cpu = dame_isa_cpu();
    void *state = NULL;
    const int good = dame_provider_l_face.open(&cpu, options, &state) == DAME_OK;
    if (good) {
        dame_provider_l_face.close(state);
    }
    return good;
}

dame_status_t dame_jit_offer_with(dame_jit_t *jit, const dame_provider_t *face, const char *path,
                                  const char *options, int32_t *provider)
{
    void *state = NULL;
    dame_status_t status = face->open(&jit->cpu, options, &state);
    if (status == DAME_OK) {
        status = offer(jit, path, options, face, state, provider);
        if (status != DAME_OK) {
            face->close(state);
        }
    }
    return status;
}

/* ---- loading ---- */

void dame_jit_complain(const dame_jit_t *jit, const char *message)
{
    if (jit->options.complain != NULL) {
        jit->options.complain(jit->options.complain_argument, message);
    } else {
        fprintf(stderr, "dame: %s\n", message);
    }
}

/* Returns whether the provider is what its face says. Otherwise the code cache would mix them up.
 * */
static int is_behind(const dame_provider_t *face, const dame_provider_t *provider)
{
    return face == NULL ||
           (strcmp(provider->name, face->name) == 0 && provider->by_shape &&
            provider->identity != NULL && strcmp(provider->identity, face->identity) == 0);
}

static const dame_provider_t *load_provider(const dame_jit_t *jit, const dame_slot_t *slot,
                                            void **state)
{
    char message[DAME_LOADER_MESSAGE + 200];
    const dame_provider_t *provider = dame_loader_load(slot->path, message);
    if (provider != NULL && !is_behind(slot->face, provider)) {
        snprintf(message, sizeof(message), "%.300s is %.100s, but %.100s is needed", slot->path,
                 provider->identity != NULL ? provider->identity : provider->name,
                 slot->face->identity);
        dame_loader_fail(provider);
        provider = NULL;
    }
    if (provider != NULL) {
        dame_status_t status = DAME_ERR_UNSUPPORTED;
        if (dame_loader_enter()) {
            status = provider->open(&jit->cpu, slot->options, state);
            dame_loader_leave();
        }
        if (status != DAME_OK) {
            snprintf(message, sizeof(message),
                     status == DAME_ERR_NOMEM ? "%s cannot be used: there is not enough memory"
                                              : "%s cannot be used with the options \"%s\": %s",
                     slot->path, slot->options, dame_status_text(status));
            dame_loader_fail(provider);
            provider = NULL;
        }
    }
    if (provider == NULL && message[0] != '\0') {
        dame_jit_complain(jit, message);
    }
    return provider;
}

dame_status_t dame_slot_load(const dame_jit_t *jit, dame_slot_t *slot)
{
    if (slot->provider == NULL && !slot->has_failed) {
        slot->has_failed = 1; /* before the attempt: whatever escapes from it leaves that */
        slot->provider = load_provider(jit, slot, &slot->state);
    }
    return slot->provider != NULL ? DAME_OK : DAME_ERR_UNSUPPORTED;
}

void dame_slot_put(dame_slot_t *slot, const dame_slot_t *copy)
{
    slot->provider = copy->provider;
    slot->state = copy->state;
    slot->has_failed = copy->has_failed;
}

const dame_provider_t *dame_slot_face(const dame_slot_t *slot, void **state)
{
    *state = slot->provider != NULL ? slot->state : slot->face_state;
    return slot->provider != NULL ? slot->provider : slot->face;
}

void dame_slot_release(dame_jit_t *jit, int32_t number)
{
    jit->slots[number].is_busy = 0;
    dame_wake(DAME_LOCK_COMPILER);
}

/* Locked, given back meanwhile: the slot is reserved. */
static dame_status_t load_reserved(dame_jit_t *jit, dame_slot_t *slot)
{
    dame_slot_t copy = *slot;
    dame_unlock(DAME_LOCK_COMPILER);
    const dame_status_t status = dame_slot_load(jit, &copy);
    dame_lock(DAME_LOCK_COMPILER);
    dame_slot_put(slot, &copy);
    return status;
}

dame_status_t dame_slot_reserve(dame_jit_t *jit, int32_t number)
{
    if (number < 0 || number >= jit->nslots) {
        return DAME_ERR_UNSUPPORTED;
    }
    dame_slot_t *slot = &jit->slots[number];
    while (slot->is_busy && !jit->is_fork) {
        if (!dame_jit_wait(jit)) {
            return DAME_ERR_DENIED;
        }
    }
    if (jit->is_fork) {
        return DAME_ERR_DENIED;
    }
    slot->is_busy = 1;
    if (slot->face == NULL && slot->provider == NULL && load_reserved(jit, slot) != DAME_OK) {
        dame_slot_release(jit, number);
        return DAME_ERR_UNSUPPORTED;
    }
    return DAME_OK;
}

dame_status_t dame_jit_load(dame_jit_t *jit, int32_t provider)
{
    const int cancel_state = dame_cancel_defer();
    dame_lock(DAME_LOCK_COMPILER);
    dame_status_t status = dame_slot_reserve(jit, provider);
    if (status == DAME_OK) {
        status = load_reserved(jit, &jit->slots[provider]);
        dame_slot_release(jit, provider);
    }
    dame_unlock(DAME_LOCK_COMPILER);
    dame_cancel_restore(cancel_state);
    return status;
}

void dame_slots_close(dame_jit_t *jit)
{
    for (int32_t i = 0; i < jit->nslots; i++) {
        dame_slot_t *slot = &jit->slots[i];
        const int is_loaded = slot->path != NULL;
        if (slot->provider != NULL && !slot->is_abandoned && (!is_loaded || dame_loader_enter())) {
            slot->provider->close(slot->state);
            if (is_loaded) {
                dame_loader_leave();
            }
        }
        if (slot->face != NULL) {
            slot->face->close(slot->face_state);
        }
        dame_heap_free(slot->path);
    }
    jit->nslots = 0;
}

/* ---- questions ---- */

/* The provider with this number or its face, and its state; NULL: it has neither. */
static const dame_provider_t *loaded(dame_jit_t *jit, int32_t number, void **state)
{
    const dame_provider_t *provider = NULL;
    dame_lock(DAME_LOCK_COMPILER);
    if (number >= 0 && number < jit->nslots && !jit->slots[number].is_abandoned) {
        provider = dame_slot_face(&jit->slots[number], state);
    }
    dame_unlock(DAME_LOCK_COMPILER);
    return provider;
}

int dame_jit_is_by_shape(dame_jit_t *jit, int32_t provider)
{
    void *state = NULL;
    const dame_provider_t *found = loaded(jit, provider, &state);
    return found != NULL && found->by_shape;
}

int32_t dame_jit_candidates(dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir,
                            dame_candidate_t *out, int32_t room)
{
    enum { MOST_VARIANTS = 16 };
    uint32_t variants[MOST_VARIANTS];
    int32_t n = 0;
    for (int32_t i = 0; i < DAME_JIT_MOST_PROVIDERS && n < room; i++) {
        void *state = NULL;
        const dame_provider_t *provider = loaded(jit, i, &state);
        const int32_t most = room - n < MOST_VARIANTS ? room - n : MOST_VARIANTS;
        const int32_t found =
            provider != NULL ? provider->variants(state, program, dir, variants, most) : 0;
        for (int32_t k = 0; k < found; k++) {
            out[n++] = (dame_candidate_t){.provider = i, .variant = variants[k]};
        }
    }
    return n;
}

const char *dame_jit_candidate_name(dame_jit_t *jit, const dame_candidate_t *candidate,
                                    char name[DAME_CANDIDATE_NAME])
{
    void *state = NULL;
    const dame_provider_t *provider = loaded(jit, candidate->provider, &state);
    const size_t length = provider != NULL ? strlen(provider->name) : 0;
    const int fits = length + 1 + DAME_VARIANT_NAME <= DAME_CANDIDATE_NAME;
    if (provider == NULL || !fits ||
        !provider->variant_name(state, candidate->variant, name + length + 1)) {
        name[0] = '\0';
        return name;
    }
    memcpy(name, provider->name, length);
    name[length] = ':';
    return name;
}
