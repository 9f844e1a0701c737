#include "cpu.h"
#include "maker.h"

#if DAME_X_HAVE_CPU

/* ---- registers ---- */

x_reg_t x_take(x_maker_t *m)
{
    if (0 == m->nfree) {
        m->wants_saved = 1;
        return X_TEMP; /* this attempt is thrown away */
    }
    return m->free[--m->nfree];
}

void x_give_back(x_maker_t *m, x_reg_t reg)
{
    if (X_TEMP != reg) {
        m->free[m->nfree++] = reg;
    }
}

void x_catch_up(x_maker_t *m)
{
    x_add_constant(m->code, m->packed, m->packed, m->ahead);
    m->ahead = 0;
}

x_reg_t x_take_address(x_maker_t *m, x_place_t user)
{
    const x_reg_t reg = x_take(m);
    x_add_constant(m->code, reg, user.base, user.disp);
    return reg;
}

/* ---- straight code ---- */

int x_append(const x_maker_t *m, const dame_prim_t *prim, int64_t first, int64_t n, int64_t user,
             int64_t *packed, x_pieces_t *to)
{
    if (n > X_PIECES ||
        (dame_prim_has_list(prim) && n > 1 && n > m->context->options->list_entries)) {
        return 0;
    }
    for (int64_t i = first; i < first + n; i++) {
        const int32_t inner = dame_iter_inner(prim, i);
        int64_t at;
        if (__builtin_add_overflow(user, (int64_t) dame_iter_offset(prim, i), &at)) {
            return 0;
        }
        if (0 != inner) {
            if (!x_append(m, prim + inner, 0, dame_iter_inner_count(prim, i, prim + inner), at,
                          packed, to)) {
                return 0;
            }
            continue;
        }
        const int64_t bytes = dame_iter_size(prim, i);
        x_piece_t *last = to->n > 0 ? &to->at[to->n - 1] : NULL;
        if (bytes > m->context->options->memcpy_bytes || x_is_far(at)) {
            return 0;
        }
        if (NULL != last && last->user + last->bytes == at) {
            last->bytes += bytes;
        } else if (to->n == X_PIECES) {
            return 0;
        } else {
            to->at[to->n++] = (x_piece_t){at, *packed, bytes};
        }
        *packed += bytes;
    }
    return 1;
}

int x_is_straight(x_maker_t *m, const dame_prim_t *prim, int64_t first, int64_t n, x_place_t user,
                  int64_t most)
{
    int64_t packed = m->ahead;
    x_no_pieces(m->pieces);
    if (NULL == prim->prefix && prim->isize > 0 && n > most / prim->isize) {
        return 0;
    }
    return x_append(m, prim, first, n, user.disp, &packed, m->pieces) && packed - m->ahead <= most;
}

int x_is_iteration_straight(x_maker_t *m, const dame_prim_t *prim, int64_t user)
{
    const int64_t most = m->context->options->memcpy_bytes;
    int64_t packed = m->ahead;
    x_pieces_t *pieces = m->pieces;
    x_no_pieces(pieces);
    if (x_is_far(user)) {
        return 0;
    }
    if (0 == prim->inner) {
        if (prim->isize > most) {
            return 0;
        }
        pieces->at[pieces->n++] = (x_piece_t){user, packed, prim->isize};
        return 1;
    }
    const dame_prim_t *inner = prim + prim->inner;
    return x_append(m, inner, 0, inner->count, user, &packed, pieces) && packed - m->ahead <= most;
}

void x_move_straight(x_maker_t *m, x_place_t user)
{
    const x_pieces_t *pieces = m->pieces;
    x_move_pieces(m->code, m->context->dir, user, m->packed, pieces);
    if (pieces->n > 0) {
        m->ahead = pieces->at[pieces->n - 1].packed + pieces->at[pieces->n - 1].bytes;
    }
}

#endif
