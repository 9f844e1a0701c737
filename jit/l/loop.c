/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

l_loop_t l_loop_open(l_unit_t *u, LLVMValueRef trips, const char *name)
{
    int64_t constant;
    l_loop_t loop = {.before = l_here(u), .trips = trips};
    loop.body = l_block(u, name);
    loop.end = l_block(u, "end");
    if (l_is_int(trips, &constant) && constant > 0) {
        LLVMBuildBr(u->b, loop.body);
    } else {
        LLVMValueRef some = LLVMBuildICmp(u->b, LLVMIntSGT, trips, l_int(u, 0), "some");
        LLVMBuildCondBr(u->b, some, loop.body, loop.end);
    }
    l_at(u, loop.body);
    LLVMBasicBlockRef before = loop.before;
    LLVMValueRef zero = l_int(u, 0);
    loop.i = LLVMBuildPhi(u->b, u->i64, "i");
    LLVMAddIncoming(loop.i, &zero, &before, 1);
    return loop;
}

LLVMValueRef l_loop_pointer(l_unit_t *u, l_loop_t *loop, LLVMValueRef start, int64_t step,
                            const char *name)
{
    LLVMValueRef phi = LLVMBuildPhi(u->b, u->ptr, name);
    LLVMAddIncoming(phi, &start, &loop->before, 1);
    loop->pointers[loop->npointers] = phi;
    loop->steps[loop->npointers++] = step;
    return phi;
}

void l_loop_close(l_unit_t *u, l_loop_t *loop)
{
    LLVMBasicBlockRef latch = l_here(u);
    LLVMValueRef next = LLVMBuildNSWAdd(u->b, loop->i, l_int(u, 1), "i.next");
    LLVMAddIncoming(loop->i, &next, &latch, 1);
    for (int k = 0; k < loop->npointers; k++) {
        LLVMValueRef moved = l_gep_v(u, loop->pointers[k], l_int(u, loop->steps[k]));
        LLVMAddIncoming(loop->pointers[k], &moved, &latch, 1);
    }
    LLVMValueRef again = LLVMBuildICmp(u->b, LLVMIntSLT, next, loop->trips, "again");
    LLVMBuildCondBr(u->b, again, loop->body, loop->end);
    l_at(u, loop->end);
}
