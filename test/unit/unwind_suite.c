/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwinders pass through machine code at any of its instructions. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#include "dame/dame.h"
#include "jit_tools.h"
#include "suites.h"
#include "test/lib/thread_sanitizer.h"
#include "tools.h"

/* Leaves, as straight-line code and as a loop; calls of memcpy(); calls of inner kernels; enough
 * loops that registers must be saved. */
static const char *const texts[] = {
    "EXIT VECTORFINAL(16, 1, 2, 8, 8) CONTIGFINAL(8) BOTTOM",
    "EXIT VECTORFINAL(1000, 1, 2, 8, 8) CONTIGFINAL(8) BOTTOM",
    "EXIT VECTORFINAL(5, 10000, 20000, 1, 1) CONTIGFINAL(1) BOTTOM",
    "EXIT CONTIG(9, 424, 8000) STRUCT(2, [1, 1], [0, 4000], [24, 400], [24, 800])"
    " RETURNTO(2) CONTIGFINAL(24) BOTTOM"
    " RETURNTO(2) VECTORFINAL(50, 1, 16, 8, 8) CONTIGFINAL(8) BOTTOM BOTTOM",
    "EXIT VECTOR1(3, 1, 40000, 480, 30000) VECTOR1(4, 1, 9000, 120, 5000) VECTOR1(5, 1, 700, 24, "
    "400)"
    " VECTORFINAL(3, 1, 40, 8, 8) CONTIGFINAL(8) BOTTOM",
};
enum { TEXTS = sizeof texts / sizeof texts[0], MOST = 64, BUFFER = 1 << 20 };

/* The code being tested, and the address that its caller's caller returns to. */
static const char *code;
static size_t code_size;
static void *returns_to;
static volatile sig_atomic_t seen, missed;
static sigjmp_buf out_of_it;

static int is_code(uintptr_t address)
{
    return address - (uintptr_t) code < code_size;
}

/* With DAME-X; the tests' own provider describes none of its code. */
static dame_jit_t *x_jit(dame_jit_memory_t memory, size_t arena_bytes)
{
    dame_jit_options_t options = *dame_jit_options_default();
    dame_jit_t *jit = NULL;
    options.memory = memory;
    options.arena_bytes = arena_bytes;
    options.gdb = 1;
    options.memcpy_bytes = 64;
    ck_assert_int_eq(dame_jit_create(&options, &jit), DAME_OK);
    return jit;
}

/* Does a backtrace from here pass through the code to the test? */
static int passes_through(void)
{
    void *frames[MOST];
    const int n = backtrace(frames, MOST);
    int i = 0;
    while (i < n && !is_code((uintptr_t) frames[i])) {
        i++;
    }
    while (i < n && frames[i] != returns_to) {
        i++;
    }
    return i < n;
}

static char *nothing_there(void)
{
    char *bytes = mmap(NULL, BUFFER, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(bytes, MAP_FAILED);
    return bytes;
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
    void *ignored[1];
    (void) backtrace(ignored, 1); /* loads libgcc */
    ck_assert_int_eq(sigaction(signal, &action, NULL), 0);
}

static void fault(int signal, siginfo_t *about, void *context)
{
    (void) signal, (void) about, (void) context;
    seen = 1;
    missed = !passes_through();
    siglongjmp(out_of_it, 1);
}

/* Runs the kernel of a program's outermost level. */
static __attribute__((noinline)) void run(const dame_program_t *program, char *user, char *packed,
                                          int dir)
{
    returns_to = __builtin_return_address(0);
    dame_program_run(program, dir, (uintptr_t) user, 1, packed);
    __asm__ volatile("" ::: "memory");
}

static dame_program_t *compiled(dame_jit_t *jit, const char *text)
{
    dame_program_t *program = program_of_text(text);
    const void *where = NULL;
    for (int dir = 0; dir < 2; dir++) {
        compile(jit, program, dir);
    }
    code_size = dame_jit_code(program, DAME_PACK, &where);
    code = where;
    return program;
}

static void expect_fault(const dame_program_t *program, int dir)
{
    char *user = nothing_there();
    char *packed = calloc(1, BUFFER);
    const void *where = NULL;
    code_size = dame_jit_code(program, dir, &where);
    code = where;
    seen = 0;
    missed = 1;
    if (sigsetjmp(out_of_it, 1) == 0) {
        run(program, user, packed, dir);
    }
    ck_assert_msg(seen && !missed, "direction %d: the fault was %s", dir,
                  seen ? "not followed to its caller" : "not there");
    free(packed);
    munmap(user, BUFFER);
}

static void expect_faults(dame_jit_memory_t memory)
{
    dame_jit_t *jit = x_jit(memory, 1 << 20);
    dame_program_t *programs[TEXTS];
    handle(SIGSEGV, fault);
    for (int i = 0; i < TEXTS; i++) {
        programs[i] = compiled(jit, texts[i]);
    }
    for (int i = 0; i < TEXTS; i++) {
        expect_fault(programs[i], DAME_PACK);
        expect_fault(programs[i], DAME_UNPACK);
    }
    free_all(jit, programs, TEXTS);
}

TEST(a_fault_leads_to_its_caller)
{
    expect_faults(DAME_JIT_MEMORY_DUAL);
}

TEST(a_fault_leads_to_its_caller_in_pages_of_its_own)
{
    expect_faults(DAME_JIT_MEMORY_OWN);
}

/* Tables come and go with code: what replaces other code has the right one. */
TEST(code_that_replaces_other_code_is_described)
{
    handle(SIGSEGV, fault);
    for (int i = 0; i < 40; i++) {
        dame_jit_t *jits[2] = {x_jit(DAME_JIT_MEMORY_DUAL, 16 << 10),
                               x_jit(DAME_JIT_MEMORY_DUAL, 16 << 10)};
        for (int k = 0; k < 6; k++) {
            dame_program_t *programs[2];
            for (int j = 0; j < 2; j++) {
                programs[j] = compiled(jits[j], texts[(i + k + j) % TEXTS]);
            }
            for (int j = 0; j < 2; j++) {
                expect_fault(programs[j], (i + k) % 2);
                dame_jit_release(jits[j], programs[j]);
                dame_program_free(programs[j]);
            }
        }
        dame_jit_destroy(jits[i % 2]);
        dame_jit_destroy(jits[1 - i % 2]);
    }
}

#ifdef __x86_64__
/* ---- instruction by instruction ---- */

/* The caller's values in the registers that calls keep, except rbp; DWARF's numbers of them. */
enum { KEPT = 5 };
static const int kept[KEPT] = {3, 12, 13, 14, 15};
static const uintptr_t values[KEPT] = {0x1111, 0x2222, 0x3333, 0x4444, 0x5555};
static uintptr_t frame_pointer;

typedef struct search {
    int was_code; /* the frame before */
    int is_right;
} search_t;

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *argument)
{
    search_t *search = argument;
    const int now = is_code(_Unwind_GetIP(context));
    if (search->was_code && !now) { /* its caller */
        search->is_right = _Unwind_GetGR(context, 6) == frame_pointer;
        for (int i = 0; i < KEPT; i++) {
            search->is_right &= _Unwind_GetGR(context, kept[i]) == values[i];
        }
        return _URC_END_OF_STACK;
    }
    search->was_code = now;
    return _URC_NO_REASON;
}

static void step(int signal, siginfo_t *about, void *opaque)
{
    const ucontext_t *context = opaque;
    search_t search = {0};
    (void) signal, (void) about;
    if (!is_code((uintptr_t) context->uc_mcontext.gregs[REG_RIP])) {
        return;
    }
    seen++;
    (void) _Unwind_Backtrace(look, &search);
    missed += !search.is_right || !passes_through();
}

/* Runs a kernel one instruction at a time. */
static __attribute__((noinline)) void run_by_steps(dame_run_fn kernel, const dame_prim_t *prim,
                                                   char *user, char *packed, int64_t first,
                                                   int64_t n)
{
    returns_to = __builtin_return_address(0);
    __asm__ volatile("movq %%rbp, %0" : "=r"(frame_pointer));
    /* One register for all operands: AddressSanitizer leaves few. */
    struct {
        const dame_prim_t *prim;
        char *user;
        char *packed;
        int64_t first;
        int64_t n;
        dame_run_fn kernel;
    } call = {prim, user, packed, first, n, kernel};
    void *operands = &call;
    /* Sets the trap flag and clears it. */
    __asm__ volatile("movq (%%rax), %%rdi\n\t"
                     "movq 8(%%rax), %%rsi\n\t"
                     "movq 16(%%rax), %%rdx\n\t"
                     "movq 24(%%rax), %%rcx\n\t"
                     "movq 32(%%rax), %%r8\n\t"
                     "movq 40(%%rax), %%rax\n\t"
                     "movq $0x1111, %%rbx\n\t"
                     "movq $0x2222, %%r12\n\t"
                     "movq $0x3333, %%r13\n\t"
                     "movq $0x4444, %%r14\n\t"
                     "movq $0x5555, %%r15\n\t"
                     "pushfq\n\t"
                     "orq $0x100, (%%rsp)\n\t"
                     "popfq\n\t"
                     "call *%%rax\n\t"
                     "pushfq\n\t"
                     "andq $~0x100, (%%rsp)\n\t"
                     "popfq\n\t"
                     : "+a"(operands)
                     :
                     : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
                       "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "memory", "cc");
    (void) backtrace(&(void *){NULL}, 0); /* a call: so the frame has no red zone */
}

TEST(every_instruction_leads_to_its_caller)
{
    dame_jit_t *jit = x_jit(DAME_JIT_MEMORY_DUAL, 1 << 20);
    char *user = calloc(1, BUFFER);
    char *packed = calloc(1, BUFFER);
    handle(SIGTRAP, step);
    for (int i = 0; i < TEXTS; i++) {
        dame_program_t *program = compiled(jit, texts[i]);
        for (int32_t k = 0; k < program->nprims; k++) {
            const dame_prim_t *prim = &program->prims[k];
            for (int part = 0; prim->interpreted && part < 2; part++) {
                const dame_run_fn kernel = dame_prim_run(prim, DAME_PACK);
                const int64_t n = prim->count > 1 && part ? prim->count / 2 : prim->count;
                seen = 0;
                missed = 0;
                if (is_code((uintptr_t) kernel)) {
                    run_by_steps(kernel, prim, user, packed, 0, n);
                    ck_assert_int_gt(seen, 2);
                }
                ck_assert_msg(missed == 0, "program %d, primitive %d, %lld iterations: %d of %d", i,
                              (int) k, (long long) n, (int) missed, (int) seen);
            }
        }
        dame_jit_release(jit, program);
        dame_program_free(program);
    }
    free(user);
    free(packed);
    dame_jit_destroy(jit);
}
#endif

/* ThreadSanitizer forbids what backtrace() may do in a signal handler: allocate. */
#if !defined(THREAD_SANITIZER) && (defined(__x86_64__) || defined(__aarch64__))
enum { POSSIBLE = 1 };
#else
enum { POSSIBLE = 0 };
#endif
SUITE_OF(unwind, POSSIBLE, NULL, NULL)
