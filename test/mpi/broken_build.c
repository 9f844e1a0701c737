/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DAME that makes mistakes, to see that dt_dame_verify notices. Functions are wrapped by the
 * linker (--wrap): the programs that dame_program_build() gives have two broken run kernels, or,
 * when the environment has BROKEN=code, those that dame_jit_compile() has put machine code into. A
 * strided loop over blocks of 8 bytes packs one bit wrong, and copies one bit wrong, which is never
 * machine code's to do; one over blocks of 4 bytes unpacks one bit wrong. Whatever BROKEN says,
 * what (double, int) pairs leave of a room is taken for a spared block, and a short for something
 * that a sender may be positioned in. With BROKEN=native it is Open MPI's engine that makes the
 * mistake, where DAME asks it: it packs one bit wrong of a datatype of 400 bytes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "dame/dame.h"
#include "jit/jit.h"
#include "opal-glue/abi/openmpi.h"

dame_status_t __real_dame_program_build(const dame_type_t *type, const dame_options_t *options,
                                        dame_program_t **out);
dame_status_t __wrap_dame_program_build(const dame_type_t *type, const dame_options_t *options,
                                        dame_program_t **out);
dame_status_t __real_dame_jit_compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                                      const char *name);
dame_status_t __wrap_dame_jit_compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                                      const char *name);

static dame_run_fn pack_8, unpack_4; /* the interpreter's */
static dame_copy_fn copy_8;

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

static void broken_copy(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift, int64_t first,
                        int64_t n)
{
    copy_8(prim, origin, shift, first, n);
    ((char *) (origin + shift))[first * prim->step + 3] ^= 0x10;
}

/* "interp", "code" or "native" */
static bool has_broken(const char *which)
{
    const char *what = getenv("BROKEN");
    return what != NULL && strcmp(which, what) == 0;
}

/* Has the primitive the interpreter's kernel that is to be broken? Every such loop has the same,
   unless it is one for a special case: those stay. */
static bool is_to_break(const dame_prim_t *prim, dame_dir_t dir)
{
    dame_run_fn *original = dir == DAME_PACK ? &pack_8 : &unpack_4;
    if (prim->params->op != DAME_OP_VECTORFINAL || prim->inner_delta != 0 ||
        (dir == DAME_PACK ? 8 : 4) != prim->iter_size) {
        return false;
    }
    if (*original == NULL) {
        *original = dame_prim_run(prim, dir);
    }
    return *original == dame_prim_run(prim, dir);
}

static void break_kernel(dame_prim_t *prim, dame_dir_t dir)
{
    dame_prim_set_run(prim, dir, dir == DAME_PACK ? broken_pack : broken_unpack);
}

dame_status_t __wrap_dame_program_build(const dame_type_t *type, const dame_options_t *options,
                                        dame_program_t **out)
{
    dame_status_t status = __real_dame_program_build(type, options, out);
    for (int32_t i = 0; status == DAME_OK && has_broken("interp") && i < (*out)->nprims; i++) {
        if (is_to_break(&(*out)->prims[i], DAME_PACK)) {
            copy_8 = (*out)->prims[i].copy;
            (*out)->prims[i].copy = broken_copy;
        }
        for (int dir = 0; dir < 2; dir++) {
            if (is_to_break(&(*out)->prims[i], (dame_dir_t) dir)) {
                break_kernel(&(*out)->prims[i], (dame_dir_t) dir);
            }
        }
    }
    return status;
}

dame_status_t __wrap_dame_jit_compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                                      const char *name)
{
    enum { MOST = 16 };
    bool breaks[MOST] = {false};
    const int32_t n = program->nprims < MOST ? program->nprims : MOST;
    for (int32_t i = 0; has_broken("code") && i < n; i++) {
        breaks[i] = is_to_break(&program->prims[i], dir);
    }
    dame_status_t status = __real_dame_jit_compile(jit, program, dir, name);
    for (int32_t i = 0; status == DAME_OK && i < n; i++) {
        if (breaks[i]) {
            break_kernel(&program->prims[i], dir);
        }
    }
    return status;
}

int32_t __real_opal_convertor_pack(opal_convertor_t *convertor, struct iovec *iov,
                                   uint32_t *out_size, size_t *max_data);
int32_t __wrap_opal_convertor_pack(opal_convertor_t *convertor, struct iovec *iov,
                                   uint32_t *out_size, size_t *max_data);

int32_t __wrap_opal_convertor_pack(opal_convertor_t *convertor, struct iovec *iov,
                                   uint32_t *out_size, size_t *max_data)
{
    const int32_t rc = __real_opal_convertor_pack(convertor, iov, out_size, max_data);
    if (has_broken("native") && convertor->pDesc->size == 400 && *max_data > 8) {
        ((char *) iov->iov_base)[8] ^= 0x10;
    }
    return rc;
}

int __real_dame_cursor_spares(const dame_cursor_t *cursor, int64_t length);
int __wrap_dame_cursor_spares(const dame_cursor_t *cursor, int64_t length);
int __real_dame_cursor_on_boundary(const dame_cursor_t *cursor);
int __wrap_dame_cursor_on_boundary(const dame_cursor_t *cursor);

int __wrap_dame_cursor_spares(const dame_cursor_t *cursor, int64_t length)
{
    return cursor->program->size == 12 || __real_dame_cursor_spares(cursor, length);
}

int __wrap_dame_cursor_on_boundary(const dame_cursor_t *cursor)
{
    return cursor->program->granule == 2 || __real_dame_cursor_on_boundary(cursor);
}
