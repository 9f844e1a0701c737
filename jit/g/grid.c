/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid.h"

#include "image.h"
#include "jit/l/loop.h"
#include "jit/shape.h"

enum {
    ARG_BASE,
    ARG_PACKED,
    ARG_FIRST,
    ARG_LAST,
    ARG_IMAGE,
    ARG_LOG2_WIDTH,
    ARG_PIECE,
    ARGS,
    DEVICE_ARGS = ARG_PIECE
};

enum { WIDTHS = 5, GLOBAL = 1, MOST_LEVELS = 2000 };

/* A function that finds where bytes of the stream are. */
typedef struct grid {
    l_unit_t *u;
    LLVMTypeRef global;      /* a pointer to memory that all threads see */
    LLVMBasicBlockRef found; /* where the address is known: */
    LLVMValueRef address;    /* a phi there */
    int64_t levels;          /* emitted so far */
} grid_t;

/* Byte `at` of a level's stream, and the origin of that level. `at` is less than `bound` (0: than
 * 2^64) and has 32 bits where that suffices. */
typedef struct where {
    LLVMValueRef origin;
    LLVMValueRef at;
    uint64_t bound;
} where_t;

/* ---- Numbers -------------------------------------------------------------------------------- */

static LLVMTypeRef type_for(const l_unit_t *u, uint64_t bound)
{
    return bound != 0 && bound <= UINT32_MAX ? u->i32 : u->i64;
}

static LLVMValueRef wide(const l_unit_t *u, LLVMValueRef v)
{
    return LLVMBuildZExtOrBitCast(u->b, v, u->i64, "");
}

static LLVMValueRef constant_like(LLVMValueRef v, uint64_t value)
{
    return LLVMConstInt(LLVMTypeOf(v), value, 0);
}

static LLVMValueRef add_value(const l_unit_t *u, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAdd(u->b, a, b, "");
}

/* An entry of the image, as 64 bits. */
static LLVMValueRef load_image(const grid_t *g, int64_t place, LLVMValueRef i, int64_t bytes)
{
    l_unit_t *u = g->u;
    LLVMValueRef offset = add_value(u, LLVMGetParam(u->function, ARG_IMAGE), l_int(u, place));
    offset = i == NULL ? offset : add_value(u, offset, l_mul(u, wide(u, i), bytes));
    LLVMValueRef p = LLVMBuildIntToPtr(u->b, offset, g->global, "");
    LLVMValueRef entry = l_load_table(u, bytes == 4 ? u->i32 : u->i64, p, "");
    LLVMSetAlignment(entry, (unsigned) bytes);
    return bytes == 4 ? LLVMBuildSExt(u->b, entry, u->i64, "") : entry;
}

/* ---- From a byte of the stream to its address ----------------------------------------------- */

static void place(grid_t *g, int32_t index, where_t where);

/* Where iteration i starts. */
static LLVMValueRef origin_of(const grid_t *g, int32_t index, LLVMValueRef origin, LLVMValueRef i)
{
    l_unit_t *u = g->u;
    const dame_prim_t *prim = &u->program->prims[index];
    const dame_grid_place_t at = dame_grid_place(u->program, index);
    if (dame_prim_has_list(prim)) {
        return add_value(u, origin, load_image(g, at.disps, i, prim->disps32 != NULL ? 4 : 8));
    }
    LLVMValueRef step =
        dame_shape_has_step(prim) ? l_int(u, prim->step) : load_image(g, at.step, NULL, 8);
    return add_value(u, origin, LLVMBuildMul(u->b, wide(u, i), step, ""));
}

/* Goes on inside an iteration. */
static void place_inside(grid_t *g, int32_t index, int32_t delta, where_t where)
{
    l_unit_t *u = g->u;
    if (delta != 0) {
        place(g, index + delta, where);
        return;
    }
    LLVMValueRef address = add_value(u, where.origin, wide(u, where.at));
    LLVMBasicBlockRef here = l_here(u);
    LLVMBuildBr(u->b, g->found);
    LLVMAddIncoming(g->address, &address, &here, 1);
}

/* The last of a level's iterations that starts at or before byte `at`. */
static LLVMValueRef search(const grid_t *g, int32_t index, LLVMValueRef at)
{
    l_unit_t *u = g->u;
    const dame_prim_t *prim = &u->program->prims[index];
    const int64_t prefix = dame_grid_place(u->program, index).prefix;
    LLVMValueRef count = l_int(u, prim->count); /* its entry is more than any byte */
    LLVMValueRef low = l_int(u, 0);
    int64_t step = 1;
    while (2 * step < prim->count) {
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        LLVMValueRef next = l_add(u, low, step);
        LLVMValueRef beyond = LLVMBuildICmp(u->b, LLVMIntUGT, next, count, "");
        LLVMValueRef entry = LLVMBuildSelect(u->b, beyond, count, next, "");
        LLVMValueRef start = load_image(g, prefix, entry, 8);
        LLVMValueRef starts = LLVMBuildICmp(u->b, LLVMIntULE, start, at, "");
        low = LLVMBuildSelect(u->b, starts, entry, low, "");
    }
    return low;
}

/* Iterations of different lengths, and perhaps of different kinds. */
static void place_ragged(grid_t *g, int32_t index, where_t where)
{
    l_unit_t *u = g->u;
    const dame_prim_t *prim = &u->program->prims[index];
    LLVMValueRef at = wide(u, where.at);
    LLVMValueRef i = search(g, index, at);
    const dame_grid_place_t tables = dame_grid_place(u->program, index);
    where_t inside = {.origin = origin_of(g, index, where.origin, i), .bound = where.bound};
    at = l_sub(u, at, load_image(g, tables.prefix, i, 8));
    inside.at = LLVMBuildIntCast2(u->b, at, type_for(u, where.bound), 0, "");
    if (prim->inner_deltas == NULL) {
        place_inside(g, index, prim->inner_delta, inside);
        return;
    }
    LLVMBasicBlockRef first = l_block(u, "member");
    LLVMValueRef branch = LLVMBuildSwitch(u->b, i, first, (unsigned) prim->count);
    for (int64_t k = 0; k < prim->count; k++) {
        int64_t same = 0; /* members with one subprogram share its code */
        while (prim->inner_deltas[same] != prim->inner_deltas[k]) {
            same++;
        }
        if (same == k && g->levels < MOST_LEVELS) {
            LLVMBasicBlockRef member = k == 0 ? first : l_block(u, "member");
            for (int64_t other = k; other < prim->count; other++) {
                if (prim->inner_deltas[other] == prim->inner_deltas[k]) {
                    LLVMAddCase(branch, l_int(u, other), member);
                }
            }
            l_at(u, member);
            place_inside(g, index, prim->inner_deltas[k], inside);
        }
    }
}

static void place(grid_t *g, int32_t index, where_t where)
{
    l_unit_t *u = g->u;
    const dame_prim_t *prim = &u->program->prims[index];
    g->levels++;
    if (prim->prefix != NULL) {
        place_ragged(g, index, where);
        return;
    }
    LLVMValueRef size = constant_like(where.at, (uint64_t) prim->iter_size);
    LLVMValueRef i = LLVMBuildUDiv(u->b, where.at, size, "");
    LLVMValueRef rest = LLVMBuildSub(u->b, where.at, LLVMBuildMul(u->b, i, size, ""), "");
    const where_t inside = {
        .origin = origin_of(g, index, where.origin, i),
        .at = LLVMBuildIntCast2(u->b, rest, type_for(u, (uint64_t) prim->iter_size), 0, ""),
        .bound = (uint64_t) prim->iter_size};
    place_inside(g, index, prim->inner_delta, inside);
}

/* ---- Moving a piece ------------------------------------------------------------------------- */

/* Both at multiples of `bytes`. */
static void move_cell(const grid_t *g, LLVMValueRef user, LLVMValueRef stream, int64_t bytes)
{
    l_unit_t *u = g->u;
    LLVMTypeRef type = bytes < 16 ? l_bytes_type(u, bytes) : LLVMVectorType(u->i32, 4);
    LLVMValueRef user_at = LLVMBuildIntToPtr(u->b, user, g->global, "");
    LLVMValueRef stream_at = LLVMBuildIntToPtr(u->b, stream, g->global, "");
    const int packs = u->dir == DAME_PACK;
    LLVMValueRef v = LLVMBuildLoad2(u->b, type, packs ? user_at : stream_at, "");
    LLVMSetAlignment(v, (unsigned) bytes);
    LLVMValueRef stored = LLVMBuildStore(u->b, v, packs ? stream_at : user_at);
    LLVMSetAlignment(stored, (unsigned) bytes);
}

static void move_whole(const grid_t *g, LLVMValueRef user, LLVMValueRef stream)
{
    l_unit_t *u = g->u;
    LLVMBasicBlockRef widths[WIDTHS];
    for (int k = 0; k < WIDTHS; k++) {
        widths[k] = l_block(u, "width");
    }
    LLVMValueRef width = LLVMGetParam(u->function, ARG_LOG2_WIDTH);
    LLVMValueRef branch = LLVMBuildSwitch(u->b, width, widths[0], WIDTHS);
    for (int k = 0; k < WIDTHS; k++) {
        LLVMAddCase(branch, LLVMConstInt(u->i32, (unsigned) k, 0), widths[k]);
        l_at(u, widths[k]);
        move_cell(g, user, stream, 1 << k);
        LLVMBuildRetVoid(u->b);
    }
}

static LLVMValueRef smaller(const l_unit_t *u, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(u->b, LLVMBuildICmp(u->b, LLVMIntSLT, a, b, ""), a, b, "");
}

/* The bytes of a piece that [first, last) cuts. */
static void move_cut(const grid_t *g, LLVMValueRef user, LLVMValueRef stream, LLVMValueRef before,
                     LLVMValueRef end)
{
    l_unit_t *u = g->u;
    l_loop_t loop = l_loop_open(u, l_sub(u, end, before), "byte");
    LLVMValueRef i = add_value(u, before, loop.i);
    move_cell(g, add_value(u, user, i), add_value(u, stream, i), 1);
    l_loop_close(u, &loop);
    LLVMBuildRetVoid(u->b);
}

/* ---- The function --------------------------------------------------------------------------- */

static LLVMValueRef read_register(const l_unit_t *u, const char *name)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = LLVMIntrinsicGetType(u->context, id, NULL, 0);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(u->module, id, NULL, 0);
    return wide(u, LLVMBuildCall2(u->b, type, function, NULL, 0, ""));
}

/* The number of the piece that the thread moves. */
static LLVMValueRef piece_of(const l_unit_t *u, dame_grid_target_t target)
{
    static const char *const block[] = {[DAME_GRID_PTX] = "llvm.nvvm.read.ptx.sreg.ctaid.x",
                                        [DAME_GRID_AMDGPU] = "llvm.amdgcn.workgroup.id.x"};
    static const char *const thread[] = {[DAME_GRID_PTX] = "llvm.nvvm.read.ptx.sreg.tid.x",
                                         [DAME_GRID_AMDGPU] = "llvm.amdgcn.workitem.id.x"};
    if (target == DAME_GRID_HOST) {
        return LLVMGetParam(u->function, ARG_PIECE);
    }
    LLVMValueRef blocks = l_mul(u, read_register(u, block[target]), DAME_GRID_BLOCK);
    return add_value(u, blocks, read_register(u, thread[target]));
}

static void start_function(l_unit_t *u, dame_grid_target_t target)
{
    enum { PTX_KERNEL = 71, AMDGPU_KERNEL = 91 }; /* LLVM's numbers of calling conventions */
    static const char *const names[ARGS] = {"base",  "packed",     "first", "last",
                                            "image", "log2_width", "piece"};
    const unsigned n = target == DAME_GRID_HOST ? ARGS : DEVICE_ARGS;
    LLVMTypeRef types[ARGS] = {u->i64, u->i64, u->i64, u->i64, u->i64, u->i32, u->i64};
    LLVMTypeRef type = LLVMFunctionType(u->nothing, types, n, 0);
    u->function = LLVMAddFunction(u->module, DAME_GRID_FUNCTION, type);
    for (unsigned i = 0; i < n; i++) {
        LLVMSetValueName2(LLVMGetParam(u->function, i), names[i], strlen(names[i]));
    }
    l_flag(u, u->function, (unsigned) LLVMAttributeFunctionIndex, "nounwind");
    if (target != DAME_GRID_HOST) {
        LLVMSetFunctionCallConv(u->function, target == DAME_GRID_PTX ? PTX_KERNEL : AMDGPU_KERNEL);
    }
}

int l_emit_grid(l_unit_t *u, dame_grid_target_t target)
{
    start_function(u, target);
    grid_t g = {.u = u, .global = LLVMPointerTypeInContext(u->context, GLOBAL)};
    LLVMBasicBlockRef entry = l_block(u, "entry"), some = l_block(u, "some");
    LLVMBasicBlockRef none = l_block(u, "none");
    g.found = l_block(u, "found");

    l_at(u, entry);
    LLVMValueRef first = LLVMGetParam(u->function, ARG_FIRST);
    LLVMValueRef last = LLVMGetParam(u->function, ARG_LAST);
    LLVMValueRef shift = wide(u, LLVMGetParam(u->function, ARG_LOG2_WIDTH));
    LLVMValueRef width = LLVMBuildShl(u->b, l_int(u, 1), shift, "width");
    LLVMValueRef piece = add_value(u, LLVMBuildLShr(u->b, first, shift, ""), piece_of(u, target));
    LLVMValueRef at = LLVMBuildShl(u->b, piece, shift, "at");
    LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntSLT, at, last, ""), some, none);

    l_at(u, none);
    LLVMBuildRetVoid(u->b);

    l_at(u, g.found);
    g.address = LLVMBuildPhi(u->b, u->i64, "user");
    l_at(u, some);
    place(&g, 0, (where_t){LLVMGetParam(u->function, ARG_BASE), at, 0});

    l_at(u, g.found);
    LLVMValueRef stream = add_value(u, LLVMGetParam(u->function, ARG_PACKED), l_sub(u, at, first));
    LLVMValueRef before = l_sub(u, first, at), after = l_sub(u, last, at);
    LLVMValueRef skipped =
        LLVMBuildSelect(u->b, LLVMBuildICmp(u->b, LLVMIntSGT, before, l_int(u, 0), ""), before,
                        l_int(u, 0), "skipped");
    LLVMValueRef end = smaller(u, after, width);
    LLVMValueRef bytes = l_sub(u, end, skipped);
    LLVMBasicBlockRef whole = l_block(u, "whole"), cut = l_block(u, "cut");
    LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntEQ, bytes, width, ""), whole, cut);
    l_at(u, whole);
    move_whole(&g, g.address, stream);
    l_at(u, cut);
    move_cut(&g, g.address, stream, skipped, end);
    return g.levels <= MOST_LEVELS;
}
