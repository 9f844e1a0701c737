/*
 * DAME-X: machine code written directly, in the calling thread. This file goes through a program
 * and chooses vectors; level.c writes kernels, move.c the copies in them, cpu_*.h instructions.
 */
#include "dame/heap.h"
#include "dame/isa.h"
#include "jit/tier.h"
#include "cpu.h"
#include "level.h"

#if DAME_X_HAVE_CPU

enum { CODE_ROOM = 1 << 16 }; /* bytes of a program's code; what does not fit stays interpreted */

static dame_status_t make_room(dame_machine_code_t *code, int32_t nprims)
{
    if (code->room < CODE_ROOM) {
        dame_heap_free(code->bytes);
        code->bytes = dame_heap_alloc(CODE_ROOM);
        code->room = NULL != code->bytes ? CODE_ROOM : 0;
    }
    if (code->entries_room < nprims) {
        dame_heap_free(code->entries);
        code->entries = dame_heap_alloc((size_t) nprims * sizeof(*code->entries));
        code->entries_room = NULL != code->entries ? nprims : 0;
    }
    return NULL == code->bytes || NULL == code->entries ? DAME_ERR_NOMEM : DAME_OK;
}

static dame_cpu_t cpu_of(const dame_jit_options_t *options)
{
    return NULL != options->cpu ? *options->cpu : dame_isa_cpu();
}

static const dame_tune_t *tune_of(const dame_jit_options_t *options, const dame_cpu_t *cpu)
{
    return NULL != options->tune ? options->tune : dame_tune_of(cpu->make);
}

static const char *vector_name(const dame_jit_options_t *options)
{
    const dame_cpu_t cpu = cpu_of(options);
    return x_vectors_for(options->vector_bits, &cpu, tune_of(options, &cpu), DAME_PACK).name;
}

/* Inner levels stand behind outer ones. */
static void compile_levels(x_context_t *context, dame_machine_code_t *out)
{
    const dame_program_t *program = context->program;
    for (int32_t i = program->nprims; i-- > 0;) {
        context->kernels[i] = -1;
        if (NULL == dame_prim_run(&program->prims[i], context->dir)) {
            continue;
        }
        context->kernels[i] = x_compile_level(context, i);
        if (context->kernels[i] >= 0) {
            out->entries[out->nentries++] =
                (dame_entry_point_t){.prim = i, .offset = (uint32_t) context->kernels[i]};
        }
    }
    out->size = (size_t) (context->code.at - context->code.start);
}

static dame_status_t compile(const dame_program_t *program, dame_dir_t dir,
                             const dame_jit_options_t *options, dame_machine_code_t *out)
{
    enum { MOST_PRIMS = 1024 };
    if (program->nprims > MOST_PRIMS) {
        return DAME_ERR_UNSUPPORTED;
    }
    dame_status_t status = make_room(out, program->nprims);
    if (DAME_OK != status) {
        return status;
    }
    x_context_t *context =
        dame_heap_alloc(sizeof(*context) + (size_t) program->nprims * sizeof(context->kernels[0]));
    if (NULL == context) {
        return DAME_ERR_NOMEM;
    }
    out->size = 0;
    out->nentries = 0;
    const dame_cpu_t cpu = cpu_of(options);
    const dame_tune_t *tune = tune_of(options, &cpu);
    context->code = (x_code_t){
        .start = (uint8_t *) out->bytes,
        .at = (uint8_t *) out->bytes,
        .end = (uint8_t *) out->bytes + out->room,
        .vectors = x_vectors_for(options->vector_bits, &cpu, tune, dir),
    };
    context->program = program;
    context->dir = dir;
    context->options = options;
    context->prefetch_distance =
        options->prefetch_distance >= 0 ? options->prefetch_distance : tune->prefetch_distance[dir];
    compile_levels(context, out);
    dame_heap_free(context);
    return 0 == out->nentries ? DAME_ERR_UNSUPPORTED : DAME_OK;
}

#else

static const char *vector_name(const dame_jit_options_t *options)
{
    (void) options;
    return "";
}

static dame_status_t compile(const dame_program_t *program, dame_dir_t dir,
                             const dame_jit_options_t *options, dame_machine_code_t *out)
{
    (void) program;
    (void) dir;
    (void) options;
    (void) out;
    return DAME_ERR_UNSUPPORTED;
}

#endif

const dame_tier_t dame_tier_x = {.name = "x", .vector_name = vector_name, .compile = compile};
