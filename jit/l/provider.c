/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DAME-L: kernels by LLVM, a provider in a shared object of its own. See README.md.
 */
#include "jit/provider.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "dame_config.h"
#include "dump.h"
#include "base/spare.h"
#include "jit/g/grid.h"
#include "jit/g/text.h"
#include "kernels.h"
#include "machine.h"
#include "options.h"
#include "variants.h"

typedef struct state {
    l_code_t code; /* of the last compilation */
    l_options_t options;
    l_target_t target;
    l_machine_t *machine;
    int is_broken; /* LLVM gave up inside: it is never called again */
} state_t;

static int variant_name(void *state, uint32_t variant, char name[DAME_VARIANT_NAME])
{
    (void) state;
    return l_variant_name(variant, name);
}

static int32_t variants(void *opaque, const dame_program_t *program, dame_dir_t dir, uint32_t *out,
                        int32_t room)
{
    const state_t *state = opaque;
    (void) dir;
    return l_variants(&state->options, program, out, room);
}

/* ---- errors that LLVM does not return ---- */

/* One compilation at a time in the process: the handler is the process's. */
static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER;
static pthread_t owner; /* of the compilation */
static jmp_buf escape;

/* Another thread is the application's, which uses the same library: after this, LLVM ends the
 * process, but says nothing where there is a handler. */
static void on_fatal_error(const char *reason)
{
    if (pthread_equal(owner, pthread_self())) {
        longjmp(escape, 1);
    }
    fprintf(stderr, "LLVM ERROR: %s\n", reason);
}

/* Diagnostics are for people who compile programs of theirs. */
static void ignore(LLVMDiagnosticInfoRef info, void *context)
{
    (void) info;
    (void) context;
}

/* Where LLVM gets no memory, it throws what no C program can catch. All compilations of the corpus
 * together take 16 MiB; a thread's first malloc() takes 64 of addresses, and 128 for a moment. */
enum { SPARE = 256 << 20 };

/* Runs what calls LLVM, and comes back even where LLVM would end the process. DAME_ERR_NOMEM: there
 * is not enough to call it. DAME_ERR_UNSUPPORTED: its memory is lost, and the state is broken. */
static dame_status_t guarded(state_t *state, void (*body)(state_t *state, void *arguments),
                             void *arguments)
{
    pthread_mutex_lock(&compiling);
    if (!dame_has_spare(SPARE)) {
        pthread_mutex_unlock(&compiling);
        return DAME_ERR_NOMEM;
    }
    state->is_broken = 1;
    owner = pthread_self();
    if (setjmp(escape) == 0) {
        LLVMInstallFatalErrorHandler(on_fatal_error);
        body(state, arguments);
        state->is_broken = 0;
    }
    LLVMResetFatalErrorHandler();
    pthread_mutex_unlock(&compiling);
    return state->is_broken ? DAME_ERR_UNSUPPORTED : DAME_OK;
}

/* ---- opening and closing ---- */

static void describe_target(const l_options_t *options, l_target_t *target)
{
    const dame_cpu_t *cpu = &options->cpu;
    target->cpu = *cpu;
    target->vector_bytes = cpu->avx512 ? 64 : cpu->avx2 ? 32 : 16;
    snprintf(target->features, sizeof(target->features), "%s%s%s", cpu->avx2 ? "+avx2" : "+sse2",
             cpu->avx512 ? ",+avx512f,+avx512bw,+avx512vl" : "",
             cpu->avx512_vbmi ? ",+avx512vbmi" : "");
    target->tune = options->tune;
}

static void close_state(void *opaque)
{
    state_t *state = opaque;
    if (!state->is_broken) {
        l_machine_close(state->machine);
    }
    free(state);
}

/* Tries whether LLVM knows the pipeline. It says so only when it runs it. Sets *known. */
static void try_pipeline(state_t *state, void *known)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("empty", context);
    l_machine_prepare(state->machine, module);
    *(int *) known = l_machine_optimise(state->machine, module, state->options.passes, 0);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

static void open_machine(state_t *state, void *status)
{
    *(dame_status_t *) status = l_machine_open(&state->machine);
    if (*(dame_status_t *) status == DAME_OK) {
        describe_target(&state->options, &state->target);
    }
}

static dame_status_t open_state(const dame_cpu_t *cpu, const char *options, void **out)
{
    state_t *state = calloc(1, sizeof(*state));
    if (state == NULL) {
        return DAME_ERR_NOMEM;
    }
    dame_status_t status = l_options_parse(options, cpu, &state->options);
    dame_status_t opened = DAME_ERR_UNSUPPORTED;
    if (status == DAME_OK) {
        status = guarded(state, open_machine, &opened);
    }
    if (status == DAME_OK) {
        status = opened;
    }
    if (status != DAME_OK) {
        free(state);
        return status;
    }
    int known = 0;
    status = guarded(state, try_pipeline, &known);
    if (status != DAME_OK || !known) {
        close_state(state);
        return status == DAME_ERR_NOMEM ? DAME_ERR_NOMEM : DAME_ERR_ARGUMENT;
    }
    *out = state;
    return DAME_OK;
}

/* ---- compiling ---- */

static dame_status_t generate(state_t *state, const l_unit_t *u, uint32_t variant)
{
    char name[DAME_VARIANT_NAME];
    (void) variant_name(state, variant, name);
    const l_dump_t dump = l_dump_begin(state->options.dump, u->dir, name);
    l_dump_ir(&dump, u->module, ".ll");
    if (!l_machine_optimise(state->machine, u->module, l_passes_of(&state->options, variant),
                            state->options.verify)) {
        return DAME_ERR_UNSUPPORTED;
    }
    l_dump_ir(&dump, u->module, ".opt.ll");
    l_dump_assembly(&dump, state->machine, u->module);
    LLVMMemoryBufferRef object = l_machine_generate(state->machine, u->module, LLVMObjectFile);
    if (object == NULL) {
        return DAME_ERR_UNSUPPORTED;
    }
    return l_machine_link(state->machine, object, &state->code);
}

static dame_status_t generate_text(state_t *state, const l_unit_t *u, uint32_t variant)
{
    l_code_t *code = &state->code;
    const dame_status_t status =
        dame_grid_text(u->module, (dame_grid_target_t) (variant - L_GRID_HOST), code->bytes,
                       sizeof(code->bytes), &code->size);
    code->unwind = DAME_NO_UNWIND;
    return status;
}

/* Writes the IR; `u` has context and module, which the caller disposes of. */
static dame_status_t write_ir(state_t *state, l_unit_t *u)
{
    l_code_t *code = &state->code;
    l_machine_prepare(state->machine, u->module);
    const int32_t n = l_emit_kernels(u, &state->target);
    for (int32_t i = 0; i < u->program->nprims; i++) {
        if (u->kernels[i] != NULL) {
            code->entries[code->nentries++] = (dame_entry_point_t){.prim = i};
        }
    }
    return n == 0 || LLVMVerifyModule(u->module, LLVMReturnStatusAction, NULL)
               ? DAME_ERR_UNSUPPORTED
               : DAME_OK;
}

/* Writes a grid's function in place of kernels. */
static dame_status_t write_grid(state_t *state, l_unit_t *u, uint32_t variant)
{
    const dame_grid_target_t target = (dame_grid_target_t) (variant - L_GRID_HOST);
    if (target == DAME_GRID_HOST) {
        l_machine_prepare(state->machine, u->module);
    }
    state->code.entries[state->code.nentries++] = (dame_entry_point_t){.prim = 0};
    return !l_emit_grid(u, target) || LLVMVerifyModule(u->module, LLVMReturnStatusAction, NULL)
               ? DAME_ERR_UNSUPPORTED
               : DAME_OK;
}

/* What l_compile() was asked for, and its answer. */
typedef struct request {
    const dame_program_t *program;
    dame_dir_t dir;
    uint32_t variant;
    dame_status_t status;
} request_t;

static void compile_program(state_t *state, void *arguments)
{
    request_t *request = arguments;
    LLVMValueRef kernels[L_MOST_PRIMS] = {NULL};
    l_unit_t u = {.program = request->program,
                  .dir = request->dir,
                  .cpu = state->target.cpu,
                  .vector_bytes =
                      l_vector_bytes(request->variant, (int) state->target.vector_bytes),
                  .kernels = kernels};
    u.context = LLVMContextCreate(); /* a new one each time: contexts keep all they have seen */
    LLVMContextSetDiagnosticHandler(u.context, ignore, NULL);
    u.module = LLVMModuleCreateWithNameInContext("dame", u.context);
    u.b = LLVMCreateBuilderInContext(u.context);
    l_find_types(&u);
    request->status =
        l_is_grid(request->variant) ? write_grid(state, &u, request->variant) : write_ir(state, &u);
    if (request->status == DAME_OK) {
        request->status = dame_grid_is_text(request->variant)
                              ? generate_text(state, &u, request->variant)
                              : generate(state, &u, request->variant);
    }
    LLVMDisposeBuilder(u.b);
    LLVMDisposeModule(u.module);
    LLVMContextDispose(u.context);
}

static dame_status_t l_compile(void *opaque, const dame_program_t *program, dame_dir_t dir,
                               uint32_t variant, dame_machine_code_t *code)
{
    state_t *state = opaque;
    request_t request = {program, dir, variant, DAME_ERR_UNSUPPORTED};
    if (!l_is_variant(&state->options, variant)) {
        return DAME_ERR_ARGUMENT;
    }
    if (state->is_broken || program->nprims > L_MOST_PRIMS) {
        return DAME_ERR_UNSUPPORTED;
    }
    state->code.size = 0;
    state->code.nentries = 0;
    const dame_status_t status = guarded(state, compile_program, &request);
    if (status != DAME_OK) {
        return status;
    }
    *code = (dame_machine_code_t){state->code.bytes, state->code.size, state->code.entries,
                                  state->code.nentries, state->code.unwind};
    return request.status;
}

static char maker[32]; /* written by the loader's thread, once a process */

__attribute__((visibility("default"))) const dame_provider_t *dame_provider(void)
{
    unsigned major = 0, minor = 0, patch = 0;
    LLVMGetVersion(&major, &minor, &patch); /* of the library that is loaded */
    snprintf(maker, sizeof(maker), "LLVM %u.%u.%u", major, minor, patch);
    static const dame_provider_t provider = {
        .version = DAME_PROVIDER_VERSION,
        .name = "l",
        .by_shape = 1,
        .identity = L_IDENTITY,
        .maker = maker,
        .open = open_state,
        .variants = variants,
        .variant_name = variant_name,
        .compile = l_compile,
        .close = close_state,
    };
    return &provider;
}
