#include "kernel_tools.h"

#include <string.h>

#include "dame_isa.h"

void measure(blocks_t *b)
{
    b->size = 0;
    b->reach = 0;
    for (int64_t i = 0; i < b->n; i++) {
        b->size += b->lengths[i];
        int64_t end = b->disps[i] + b->lengths[i];
        b->reach = end > b->reach ? end : b->reach;
    }
}

void move_bytes(const blocks_t *b, char *user, char *packed, dame_dir_t dir)
{
    int64_t n = 0;
    for (int64_t i = 0; i < b->n; i++) {
        for (int64_t k = 0; k < b->lengths[i]; k++, n++) {
            if (dir == DAME_PACK) {
                packed[n] = user[b->disps[i] + k];
            } else {
                user[b->disps[i] + k] = packed[n];
            }
        }
    }
}

void expect_guard(const char *bytes, int64_t n, const char *what)
{
    int64_t i = 0;
    while (i < n && bytes[i] == GUARD_BYTE) {
        i++;
    }
    ck_assert_msg(i == n, "%s was overwritten at %d of %d", what, (int) i, (int) n);
}

const dame_type_t *type_of(const blocks_t *b, const dame_type_t *child)
{
    int64_t disps[MOST_BLOCKS];
    for (int64_t i = 0; i < b->n; i++) {
        disps[i] = b->disps[i] + b->away;
    }
    return index_type(b->n, b->lengths, disps, child);
}

bool force_isa(int i)
{
    const char *const *names = dame_isa_names();
    for (int k = 0; k <= i; k++) {
        if (!names[k]) {
            return false;
        }
    }
    ck_assert_int_eq(dame_isa_force(names[i]), DAME_OK);
    return true;
}

bool same_kernels(const dame_prim_t *a, const dame_prim_t *b)
{
    return a->run[DAME_PACK] == b->run[DAME_PACK] && a->run[DAME_UNPACK] == b->run[DAME_UNPACK];
}
