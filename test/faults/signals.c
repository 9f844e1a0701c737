/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signals STACK ROUNDS: a timer of 10 kHz and another thread interrupt those that move data. The
 * handler changes all vector registers and, unless it has a stack of its own (STACK: own or
 * shared), writes to 100 KiB below the stack pointer.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "hostile.h"
#include "traffic.h"

enum { THREADS = 2, USED_BELOW = 100 << 10, REMEMBERED = 1 << 16, SLACK = 4096, BLOCKS = 8000 };
enum { PACKER = THREADS, MAIN, STACKS }; /* behind the threads of traffic.h */

static bool own_stack;
static atomic_long signals;
static uintptr_t interrupted[REMEMBERED]; /* instructions */
static atomic_bool stop;

#ifdef __x86_64__
static void __attribute__((noinline)) change_registers(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) {
        __asm__ volatile("vpternlogd $255, %%zmm0, %%zmm0, %%zmm0\n\t"
                         "vmovdqa64 %%zmm0, %%zmm1\n\tvmovdqa64 %%zmm0, %%zmm2\n\t"
                         "vmovdqa64 %%zmm0, %%zmm3\n\tvmovdqa64 %%zmm0, %%zmm15\n\t"
                         "vmovdqa64 %%zmm0, %%zmm16\n\tvmovdqa64 %%zmm0, %%zmm31\n\t"
                         "kxnorw %%k1, %%k1, %%k1\n\tkxorw %%k2, %%k2, %%k2\n\t"
                         "kxorw %%k3, %%k3, %%k3\n\tvzeroall" ::
                             : "memory");
    } else if (__builtin_cpu_supports("avx")) {
        __asm__ volatile("vzeroall" ::: "memory");
    } else {
        __asm__ volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm1, %%xmm1\n\tpxor %%xmm2, %%xmm2\n\t"
                         "pxor %%xmm3, %%xmm3" ::
                             : "memory");
    }
}

static uintptr_t instruction(const ucontext_t *context)
{
    return (uintptr_t) context->uc_mcontext.gregs[REG_RIP];
}
#elif defined(__aarch64__)
static void __attribute__((noinline)) change_registers(void)
{
    __asm__ volatile("movi v0.16b, #255\n\tmovi v1.16b, #255\n\tmovi v2.16b, #0\n\t"
                     "movi v3.16b, #255\n\tmovi v16.16b, #255\n\tmovi v31.16b, #0" ::
                         : "memory", "v0", "v1", "v2", "v3", "v16", "v31");
}

static uintptr_t instruction(const ucontext_t *context)
{
    return (uintptr_t) context->uc_mcontext.pc;
}
#else
static void __attribute__((noinline)) change_registers(void)
{
}

static uintptr_t instruction(const ucontext_t *context)
{
    (void) context;
    return 0;
}
#endif

static void __attribute__((noinline)) write_below(size_t bytes)
{
    volatile char *below = __builtin_alloca(bytes);
    for (size_t i = 0; i < bytes; i += 64) {
        below[i] = (char) 0xa5;
    }
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void) number;
    (void) info;
    interrupted[atomic_fetch_add(&signals, 1) % REMEMBERED] = instruction(context);
    change_registers();
    write_below(own_stack ? 256 : USED_BELOW);
}

/* As small as the system allows, plus the handler's needs. */
static void give_stack(int index)
{
    static char *stacks[STACKS];
    const long least = sysconf(_SC_MINSIGSTKSZ);
    const size_t size = (size_t) (least > 0 ? least : MINSIGSTKSZ) + SLACK;
    stacks[index] = must_malloc(size);
    sigaltstack(&(stack_t){.ss_sp = stacks[index], .ss_size = size}, NULL);
}

static void handle(int number)
{
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | (own_stack ? SA_ONSTACK : 0)};
    sigaction(number, &action, NULL);
}

/* How many of the instructions are machine code that DAME made? */
static long in_code(void)
{
    char line[512];
    long n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        unsigned long from, to;
        if (strstr(line, "memfd:dame-code") == NULL || sscanf(line, "%lx-%lx", &from, &to) != 2) {
            continue;
        }
        for (int i = 0; i < REMEMBERED; i++) {
            n += interrupted[i] >= from && interrupted[i] < to;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
}

/* Long messages, so that many signals find their kernels. */
static void *pack_long_messages(void *unused)
{
    (void) unused;
    if (own_stack) {
        give_stack(PACKER);
    }
    layout_t *of = lay_basic(MPI_DOUBLE, 8, 8), *l = lay_vector(BLOCKS, 1, 3, of);
    lay_commit(l);
    unsigned char *stream = stream_new(l, 1, 3), *packed = must_malloc((size_t) l->size);
    message_t m = msg_new(l, 1);
    msg_fill(&m, stream);
    long wrong = 0, rounds = 0;
    for (; !stop; rounds++) {
        int at = 0, back = 0;
        memset(packed, 0, (size_t) l->size);
        MPI_Pack(m.buf, 1, l->type, packed, (int) l->size, &at, MPI_COMM_SELF);
        wrong += 0 != memcmp(packed, stream, (size_t) l->size);
        msg_clear(&m);
        MPI_Unpack(stream, (int) l->size, &back, m.buf, 1, l->type, MPI_COMM_SELF);
        wrong += 0 == rounds % 16 && !msg_holds(&m, stream, l->size);
    }
    check(wrong == 0, "%ld of %ld long messages are wrong", wrong, rounds);
    msg_free(&m);
    free(packed);
    free(stream);
    lay_free(l);
    lay_free(of);
    return NULL;
}

int signals_main(int argc, char **argv)
{
    const long rounds = argc > 2 ? atol(argv[2]) : 2000;
    pthread_t packer;
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    own_stack = argc > 1 && strcmp("own", argv[1]) == 0;
    if (own_stack) {
        give_stack(MAIN);
    }
    handle(SIGALRM);
    handle(SIGUSR1);
    traffic_start(
        &(traffic_options_t){.threads = THREADS, .in_thread = own_stack ? give_stack : NULL});
    pthread_create(&packer, NULL, pack_long_messages, NULL);
    struct itimerval often = {.it_interval.tv_usec = 100, .it_value.tv_usec = 100};
    setitimer(ITIMER_REAL, &often, NULL);
    for (const long end = traffic_rounds() + rounds; traffic_rounds() < end;) {
        usleep(50);
        pthread_kill(packer, SIGUSR1);
        pthread_kill(traffic_thread((int) (signals % THREADS)), SIGUSR1);
    }
    stop = true;
    pthread_join(packer, NULL);
    const long found = in_code();
    traffic_stop();
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    check(signals > 100, "only %ld signals", (long) signals);
    printf("rank %d: %ld signals, of the last %d %ld in machine code\n", my_rank, (long) signals,
           REMEMBERED, found);
    fflush(stdout);
    check(!(argc > 3 && strcmp("code", argv[3]) == 0) || found > 0, "no signal found machine code");
    return check_finish();
}
