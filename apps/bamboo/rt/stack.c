/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of tasks: assembly on x86-64, ucontext elsewhere. */
#define _GNU_SOURCE
#include "stack.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- sanitizers, which follow stacks; absent in other programs ---- */

#define WEAK __attribute__((weak))
WEAK void __sanitizer_start_switch_fiber(void **kept, const void *low, size_t size);
WEAK void __sanitizer_finish_switch_fiber(void *kept, const void **low, size_t *size);
WEAK void *__tsan_get_current_fiber(void);
WEAK void *__tsan_create_fiber(unsigned flags);
WEAK void __tsan_destroy_fiber(void *fiber);
WEAK void __tsan_switch_to_fiber(void *fiber, unsigned flags);

static bamboo_stack_t *left, *entered; /* by the last switch */

static void leave(bamboo_stack_t *from, bamboo_stack_t *to)
{
    left = from;
    entered = to;
    if (__sanitizer_start_switch_fiber) {
        __sanitizer_start_switch_fiber(&from->sanitizer, to->low, to->size);
    }
    if (__tsan_switch_to_fiber) {
        from->thread = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(to->thread, 0);
    }
}

static void arrive(bamboo_stack_t *here)
{
    if (__sanitizer_finish_switch_fiber) {
        const void *low;
        size_t size;
        __sanitizer_finish_switch_fiber(here != NULL ? here->sanitizer : NULL, &low, &size);
        if (left->low == NULL) { /* the thread's own, which only the sanitizer knows */
            left->low = (char *) (uintptr_t) low;
            left->size = size;
        }
    }
}

static void start(void)
{
    arrive(NULL);
    entered->start();
    __builtin_trap();
}

/* ---- the switch ----
 *
 * switch_stack() pushes what the ABI preserves onto the stack that it leaves, and pops the same
 * from the other one, so one description of the frame (CFI) holds for both. entry() has no caller:
 * debuggers and unwinders end there. */

#if defined(__x86_64__)
enum { SAVED_WORDS = 8, ENTRY = 7 }; /* modes, r15, r14, r13, r12, rbx, rbp; entry */
__asm__(".text\n"
        ".p2align 4\n"
        ".type switch_stack, @function\n"
        "switch_stack:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %rbp, 0\n"
        "    pushq %rbx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %rbx, 0\n"
        "    pushq %r12\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %r12, 0\n"
        "    pushq %r13\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %r13, 0\n"
        "    pushq %r14\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %r14, 0\n"
        "    pushq %r15\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %r15, 0\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n"
        "    fldcw 4(%rsp)\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r15\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r14\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r13\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r12\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rbx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rbp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size switch_stack, . - switch_stack\n"
        ".type entry, @function\n"
        "entry:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined %rip\n"
        "    call *%rbx\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size entry, . - entry\n");
enum { START = 5 }; /* rbx */

static void set_modes(uint64_t *saved)
{
    uint32_t mxcsr;
    uint16_t control;
    __asm__("stmxcsr %0" : "=m"(mxcsr));
    __asm__("fnstcw %0" : "=m"(control));
    saved[0] = (uint64_t) control << 32 | mxcsr;
}

#else
#include <stdlib.h>
#include <ucontext.h>
#define BY_UCONTEXT
#endif

#ifndef BY_UCONTEXT
void switch_stack(void **from, void *to) __asm__("switch_stack");
void entry(void) __asm__("entry");

static int prepare(bamboo_stack_t *stack)
{
    uint64_t *saved = (uint64_t *) (stack->low + stack->size) - SAVED_WORDS - SAVED_WORDS % 2;
    memset(saved, 0, SAVED_WORDS * sizeof(*saved));
    set_modes(saved);
    saved[START] = (uint64_t) (uintptr_t) start;
    saved[ENTRY] = (uint64_t) (uintptr_t) entry;
    stack->at = saved;
    return 1;
}

static void go(bamboo_stack_t *from, bamboo_stack_t *to)
{
    switch_stack(&from->at, to->at);
}

static void forget(bamboo_stack_t *stack)
{
    (void) stack;
}
#else
static int prepare(bamboo_stack_t *stack)
{
    ucontext_t *context = malloc(sizeof(*context));
    if (context == NULL) {
        return 0;
    }
    getcontext(context);
    context->uc_stack.ss_sp = stack->low;
    context->uc_stack.ss_size = stack->size;
    makecontext(context, start, 0);
    stack->at = context;
    return 1;
}

static void go(bamboo_stack_t *from, bamboo_stack_t *to)
{
    ucontext_t own;
    void *kept = from->at;
    if (kept == NULL) { /* the thread's own stack */
        from->at = &own;
    }
    swapcontext(from->at, to->at);
    from->at = kept;
}

static void forget(bamboo_stack_t *stack)
{
    free(stack->at);
}
#endif

/* ---- memory ---- */

int bamboo_stack_make(bamboo_stack_t *stack, size_t size, void (*function)(void))
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);
    size = (size + page - 1) / page * page;
    char *memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) {
        return 0;
    }
    *stack = (bamboo_stack_t){.low = memory + page, .size = size, .start = function};
    if (mprotect(memory, page, PROT_NONE) != 0 || !prepare(stack)) {
        munmap(memory, size + page);
        return 0;
    }
    stack->thread = __tsan_create_fiber ? __tsan_create_fiber(0) : NULL;
    return 1;
}

void bamboo_stack_free(bamboo_stack_t *stack)
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);
    if (__tsan_destroy_fiber) {
        __tsan_destroy_fiber(stack->thread);
    }
    forget(stack);
    munmap(stack->low - page, stack->size + page);
}

void bamboo_stack_switch(bamboo_stack_t *from, bamboo_stack_t *to)
{
    leave(from, to);
    go(from, to);
    arrive(from);
}
