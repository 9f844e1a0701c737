/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DAME-X: machine code written directly, in the calling thread. This file goes through a program;
 * variant.c says which variants there are, level.c writes kernels, move.c the copies in them,
 * cpu_*.h instructions.
 */
#include "x.h"

#include "base/heap.h"
#include "jit/provider.h"
#include "cpu.h"
#include "level.h"
#include "options.h"
#include "variant.h"

#if DAME_X_HAVE_CPU

enum { CODE_ROOM = 1 << 16 }; /* bytes of a program's code; what does not fit stays interpreted */

/* .. of the table behind it, which says how to unwind it where it has frames. */
enum { MOST_FRAMES = 1024, TABLE_ROOM = 8 + DAME_UNWIND_LEAF + MOST_FRAMES * X_FRAME_DESCRIPTION };

/* What stays between compilations. */
typedef struct x_state {
    dame_cpu_t cpu;
    x_options_t options;
    char *bytes;                 /* CODE_ROOM and TABLE_ROOM, or NULL */
    x_frame_t *frames;           /* MOST_FRAMES, or NULL */
    dame_entry_point_t *entries; /* room for entries_room, or NULL */
    int32_t entries_room;
} x_state_t;

static dame_status_t open(const dame_cpu_t *cpu, const char *options, void **out)
{
    x_state_t *state = dame_heap_zalloc(sizeof(*state));
    if (state == NULL) {
        return DAME_ERR_NOMEM;
    }
    state->cpu = *cpu;
    const dame_status_t status = x_options_parse(options, &state->options);
    if (status != DAME_OK) {
        dame_heap_free(state);
        return status;
    }
    *out = state;
    return DAME_OK;
}

static void close(void *opaque)
{
    x_state_t *state = opaque;
    dame_heap_free(state->bytes);
    dame_heap_free(state->frames);
    dame_heap_free(state->entries);
    dame_heap_free(state);
}

static int32_t x_variant_list(void *opaque, const dame_program_t *program, dame_dir_t dir,
                              uint32_t *out, int32_t room)
{
    const x_state_t *state = opaque;
    return x_variants(&state->cpu, &state->options, program, dir, out, room);
}

static int x_variant_text(void *opaque, uint32_t variant, char name[DAME_VARIANT_NAME])
{
    (void) opaque;
    name[0] = '\0';
    if (x_variant_exists(variant)) {
        x_variant_name(variant, name);
    }
    return name[0] != '\0';
}

const char *dame_x_vector_name(const dame_cpu_t *cpu, int vector_bits)
{
    return x_vectors_for(vector_bits, cpu, 0).name;
}

static dame_status_t make_room(x_state_t *state, int32_t nprims)
{
    if (state->bytes == NULL) {
        state->bytes = dame_heap_alloc(CODE_ROOM + TABLE_ROOM);
    }
    if (state->frames == NULL) {
        state->frames = dame_heap_alloc(MOST_FRAMES * sizeof(*state->frames));
    }
    if (state->entries_room < nprims) {
        dame_heap_free(state->entries);
        state->entries = dame_heap_alloc((size_t) nprims * sizeof(*state->entries));
        state->entries_room = state->entries != NULL ? nprims : 0;
    }
    const int has_all = state->bytes != NULL && state->frames != NULL && state->entries != NULL;
    return has_all ? DAME_OK : DAME_ERR_NOMEM;
}

/* Inner levels follow outer ones. */
static void compile_levels(x_context_t *context, dame_entry_point_t *entries,
                           dame_machine_code_t *out)
{
    const dame_program_t *program = context->program;
    for (int32_t i = program->nprims; i-- > 0;) {
        context->kernels[i] = -1;
        if (program->prims[i].interpreted == NULL) {
            continue;
        }
        context->kernels[i] = x_compile_level(context, i);
        if (context->kernels[i] >= 0) {
            entries[out->nentries++] =
                (dame_entry_point_t){.prim = i, .offset = (uint32_t) context->kernels[i]};
        }
    }
    out->size = (size_t) (context->code.at - context->code.start);
}

/* Behind the code; all other code is a leaf. */
static void describe_frames(const x_code_t *code, dame_machine_code_t *out)
{
    dame_unwind_t table;
    uint32_t at = 0;
    if (code->nframes == 0) {
        return;
    }
    out->unwind = (uint32_t) (out->size + 7) / 8 * 8;
    memset(code->start + out->size, X_FILL, out->unwind - out->size);
    dame_unwind_begin(&table, (char *) code->start + out->unwind);
    dame_unwind_function(&table, (char *) code->start, out->size);
    for (int i = 0; i < code->nframes; i++) {
        x_describe_frame(&table, &code->frames[i], &at);
    }
    out->size = out->unwind + dame_unwind_end(&table);
}

static dame_status_t x_compile(void *opaque, const dame_program_t *program, dame_dir_t dir,
                               uint32_t variant, dame_machine_code_t *out)
{
    enum { MOST_PRIMS = 1024 };
    x_state_t *state = opaque;
    if (program->nprims > MOST_PRIMS || !x_variant_exists(variant)) {
        return DAME_ERR_UNSUPPORTED;
    }
    dame_status_t status = make_room(state, program->nprims);
    if (status != DAME_OK) {
        return status;
    }
    x_context_t *context =
        dame_heap_alloc(sizeof(*context) + (size_t) program->nprims * sizeof(context->kernels[0]));
    if (context == NULL) {
        return DAME_ERR_NOMEM;
    }
    context->code = (x_code_t){
        .start = (uint8_t *) state->bytes,
        .at = (uint8_t *) state->bytes,
        .end = (uint8_t *) state->bytes + CODE_ROOM,
        .vectors = x_vectors_for((int) state->options.vector_bits, &state->cpu, variant),
        .frames = state->frames,
        .most_frames = MOST_FRAMES,
    };
    context->program = program;
    context->dir = dir;
    context->options = x_variant_options(variant, &state->options);
    *out = (dame_machine_code_t){.bytes = state->bytes, .entries = state->entries};
    compile_levels(context, state->entries, out);
    describe_frames(&context->code, out);
    dame_heap_free(context);
    return out->nentries == 0 ? DAME_ERR_UNSUPPORTED : DAME_OK;
}

#else

static dame_status_t open(const dame_cpu_t *cpu, const char *options, void **out)
{
    (void) cpu;
    (void) options;
    (void) out;
    return DAME_ERR_UNSUPPORTED;
}

/* The rest is not called then. */
static int32_t x_variant_list(void *state, const dame_program_t *program, dame_dir_t dir,
                              uint32_t *out, int32_t room)
{
    (void) state, (void) program, (void) dir, (void) out, (void) room;
    return 0;
}

static int x_variant_text(void *state, uint32_t variant, char name[DAME_VARIANT_NAME])
{
    (void) state, (void) variant, (void) name;
    return 0;
}

static dame_status_t x_compile(void *state, const dame_program_t *program, dame_dir_t dir,
                               uint32_t variant, dame_machine_code_t *out)
{
    (void) state, (void) program, (void) dir, (void) variant, (void) out;
    return DAME_ERR_UNSUPPORTED;
}

static void close(void *state)
{
    (void) state;
}

const char *dame_x_vector_name(const dame_cpu_t *cpu, int vector_bits)
{
    (void) cpu;
    (void) vector_bits;
    return "";
}

#endif

const dame_provider_t dame_provider_x = {
    .version = DAME_PROVIDER_VERSION,
    .name = "x",
    .open = open,
    .variants = x_variant_list,
    .variant_name = x_variant_text,
    .compile = x_compile,
    .close = close,
};
