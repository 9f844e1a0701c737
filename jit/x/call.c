#include "cpu.h"
#include "fault.h"
#include "maker.h"

#if DAME_X_HAVE_CPU

/* A call has moved so many packed bytes. What follows must be able to reach behind them. */
static void go_on(x_maker_t *m, int64_t bytes)
{
    m->ahead = bytes;
    if (bytes > X_FAR) {
        x_catch_up(m);
    }
}

void x_call_level(x_maker_t *m, const dame_prim_t *prim, x_place_t user, int64_t count)
{
    x_context_t *context = m->context;
    x_code_t *code = m->code;
    const int32_t kernel = context->kernels[prim - context->program->prims];
    if (!m->has_calls) {
        m->wants_calls = 1;
        return;
    }
    x_catch_up(m);
    x_set(code, X_ARG_PRIM, (int64_t) (uintptr_t) (prim - X_FAULT(inner_level_wrong, 0, 1)));
    x_add_constant(code, X_ARG_ORIGIN, user.base, user.disp);
    x_move(code, X_ARG_PACKED, m->packed);
    x_set(code, X_ARG_FIRST, 0);
    x_set(code, X_ARG_COUNT, count + X_FAULT(inner_count_too_large, 0, 1));
    if (kernel >= 0) {
        x_call_code(code, (x_label_t) kernel);
    } else {
        x_call(code, (uintptr_t) dame_prim_run(prim, context->dir));
    }
    go_on(m, NULL != prim->prefix ? prim->prefix[count] : count * prim->isize);
}

static void call_memcpy(x_maker_t *m, x_place_t user, int64_t bytes)
{
    x_code_t *code = m->code;
    const int packs = DAME_PACK == m->context->dir; /* the first argument is where bytes go */
    const x_reg_t in_user = packs ? X_ARG_ORIGIN : X_ARG_PRIM;
    const x_reg_t in_stream = packs ? X_ARG_PRIM : X_ARG_ORIGIN;
    if (!m->has_calls) {
        m->wants_calls = 1;
        return;
    }
    x_catch_up(m);
    x_add_constant(code, in_user, user.base, user.disp);
    x_move(code, in_stream, m->packed);
    x_set(code, X_ARG_PACKED, bytes + X_FAULT(memcpy_too_long, 0, 1));
    x_call(code, (uintptr_t) memcpy);
    go_on(m, bytes);
}

void x_block(x_maker_t *m, x_place_t user, int64_t bytes)
{
    if (bytes > m->context->options->memcpy_bytes) {
        call_memcpy(m, user, bytes);
        return;
    }
    m->code->full |= x_is_far(user.disp);
    x_no_pieces(m->pieces);
    m->pieces->at[m->pieces->n++] = (x_piece_t){user.disp, m->ahead, bytes};
    x_move_straight(m, x_at(user.base, 0));
}

#endif
