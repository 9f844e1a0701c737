/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of DAME-L that needs no LLVM. */
#include "base/heap.h"
#include "dame_config.h"
#include "variants.h"

static dame_status_t open_face(const dame_cpu_t *cpu, const char *options, void **out)
{
    l_options_t *state = dame_heap_alloc(sizeof(*state));
    if (state == NULL) {
        return DAME_ERR_NOMEM;
    }
    const dame_status_t status = l_options_parse(options, cpu, state);
    if (status != DAME_OK) {
        dame_heap_free(state);
        return status;
    }
    *out = state;
    return DAME_OK;
}

static int32_t face_variants(void *state, const dame_program_t *program, dame_dir_t dir,
                             uint32_t *out, int32_t room)
{
    (void) dir;
    return l_variants(state, program, out, room);
}

static int face_variant_name(void *state, uint32_t variant, char name[DAME_VARIANT_NAME])
{
    (void) state;
    return l_variant_name(variant, name);
}

static dame_status_t face_compile(void *state, const dame_program_t *program, dame_dir_t dir,
                                  uint32_t variant, dame_machine_code_t *code)
{
    (void) state, (void) program, (void) dir, (void) variant, (void) code;
    return DAME_ERR_UNSUPPORTED;
}

const dame_provider_t dame_provider_l_face = {
    .version = DAME_PROVIDER_VERSION,
    .name = "l",
    .by_shape = 1,
    .identity = L_IDENTITY,
    .open = open_face,
    .variants = face_variants,
    .variant_name = face_variant_name,
    .compile = face_compile,
    .close = dame_heap_free,
};
