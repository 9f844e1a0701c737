/*
 * A DAME that makes mistakes, to see that dt_dame_verify notices: dame_program_build() is wrapped
 * by the linker (--wrap), and the programs it gives have two broken run kernels. A strided loop
 * over blocks of 8 bytes packs one bit wrong; one over blocks of 4 bytes unpacks one bit wrong.
 */
#include <stddef.h>

#include "dame/dame.h"

dame_status_t __real_dame_program_build(const dame_type_t *type, const dame_options_t *options,
                                        dame_program_t **out);
dame_status_t __wrap_dame_program_build(const dame_type_t *type, const dame_options_t *options,
                                        dame_program_t **out);

static dame_run_fn pack_8, unpack_4;

static void broken_pack(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                        int64_t n)
{
    pack_8(prim, origin, packed, first, n);
    packed[8 * (n - 1) + 5] ^= 0x10;
}

static void broken_unpack(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                          int64_t n)
{
    unpack_4(prim, origin, packed, first, n);
    ((char *) origin)[first * prim->step + 2] ^= 0x10;
}

/* Every such loop has the same kernel, unless it is one for a special case: those stay. */
static void replace(_Atomic(dame_run_fn) *kernel, dame_run_fn *original, dame_run_fn broken)
{
    if (NULL == *original) {
        *original = *kernel;
    }
    if (*original == *kernel) {
        *kernel = broken;
    }
}

dame_status_t __wrap_dame_program_build(const dame_type_t *type, const dame_options_t *options,
                                        dame_program_t **out)
{
    dame_status_t status = __real_dame_program_build(type, options, out);
    for (int32_t i = 0; DAME_OK == status && i < (*out)->nprims; i++) {
        dame_prim_t *prim = &(*out)->prims[i];
        if (DAME_OP_VECTORFINAL != prim->op || 0 != prim->inner) {
            continue;
        }
        if (8 == prim->isize) {
            replace(&prim->run[DAME_PACK], &pack_8, broken_pack);
        } else if (4 == prim->isize) {
            replace(&prim->run[DAME_UNPACK], &unpack_4, broken_unpack);
        }
    }
    return status;
}
