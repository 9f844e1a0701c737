/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LD_PRELOAD: clocks that jump by up to ten hours, forwards and backwards, where DAME's objects
 * read them: clock_gettime(), gettimeofday(), time(). Everybody else's are right, because Open MPI
 * does not survive others.
 *
 *   CLOCKS_ONCE=NUMBER   instead they go back by ten hours before the reading of this number, from
 * 0 on, and stay there CLOCKS_COUNTER=1 the CPU's time stamp counter also jumps: the instruction
 * traps (prctl(2), PR_SET_TSC), and a handler supplies the result CLOCKS_COUNTS=FILE   appends,
 * when the process ends, how often DAME's objects read a clock, how many of these readings were the
 * first ones after a jump, and how many were of the counter: "N readings, N jumps, N of the
 * counter"
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { ONE_IN = 30, HOURS = 10, LARGEST = HOURS * 3600 };

static _Atomic uint64_t state = 20261126;
static _Atomic int64_t apart; /* seconds from the true time */
static _Atomic long readings, jumps, of_counter;
static long once;

static uint64_t random_number(void) /* Knuth's MMIX generator, upper bits */
{
    uint64_t old = state, next;
    do {
        next = old * 6364136223846793005u + 1442695040888963407u;
    } while (!atomic_compare_exchange_weak(&state, &old, next));
    return next >> 20;
}

/* Is this address in one of DAME's objects? */
static int is_ours(const void *address)
{
    static _Atomic uintptr_t first = UINTPTR_MAX, last; /* of the component, once found */
    const uintptr_t at = (uintptr_t) address;
    Dl_info info;
    if (at >= first && at <= last) {
        return 1;
    }
    if (dladdr(address, &info) == 0 || strstr(info.dli_fname, "mca_dt_dame") == NULL) {
        return 0;
    }
    first = at < first ? at : first;
    last = at > last ? at : last;
    return 1;
}

/* DAME reads a clock. The second reading of a process is never like the first. */
static int64_t seconds_apart(void)
{
    static _Atomic int64_t before;
    const long number = readings++;
    int64_t now;
    if (once > 0) {
        now = number >= once ? -LARGEST : 0;
    } else {
        if (number == 1 || 0 == random_number() % ONE_IN) {
            apart = (int64_t) (random_number() % (2 * LARGEST)) - LARGEST;
        }
        now = apart;
    }
    if (now != atomic_exchange(&before, now) && number > 0) {
        jumps++;
    }
    return now;
}

/* The system call, not the C library's function, which may be this one. */
static int read_clock(clockid_t clock, struct timespec *now)
{
    return (int) syscall(SYS_clock_gettime, clock, now);
}

static int read_wrong(const void *caller, clockid_t clock, struct timespec *now)
{
    const int result = read_clock(clock, now);
    if (result == 0 && is_ours(caller)) {
        now->tv_sec += seconds_apart();
    }
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    return read_wrong(__builtin_return_address(0), clock, now);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec time = {0};
    (void) zone;
    (void) read_wrong(__builtin_return_address(0), CLOCK_REALTIME, &time);
    *now = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now = {0};
    (void) read_wrong(__builtin_return_address(0), CLOCK_REALTIME, &now);
    if (out != NULL) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}

#ifdef __x86_64__
/* rdtsc is 0f 31, rdtscp 0f 01 f9. */
static void on_trap(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *) context)->uc_mcontext.gregs;
    const unsigned char *at = (const unsigned char *) (uintptr_t) registers[REG_RIP];
    const int64_t hz = 2000000000;
    struct timespec now;
    const int is_rdtsc = at[0] == 0x0f && at[1] == 0x31;
    if (!is_rdtsc && (at[0] != 0x0f || at[1] != 0x01 || at[2] != 0xf9)) {
        signal(number, SIG_DFL); /* a true one: the instruction is tried again */
        return;
    }
    (void) info;
    read_clock(CLOCK_MONOTONIC, &now);
    now.tv_sec += LARGEST;
    if (is_ours(at)) {
        of_counter++;
        now.tv_sec += seconds_apart();
    }
    const uint64_t ticks = (uint64_t) (now.tv_sec * hz + now.tv_nsec * 2);
    registers[REG_RAX] = (greg_t) (ticks & UINT32_MAX);
    registers[REG_RDX] = (greg_t) (ticks >> 32);
    if (!is_rdtsc) {
        registers[REG_RCX] = 0;
    }
    registers[REG_RIP] += is_rdtsc ? 2 : 3;
}

static void trap_counter(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}
#else
static void trap_counter(void)
{
}
#endif

__attribute__((constructor)) static void begin(void)
{
    const char *counter = getenv("CLOCKS_COUNTER"), *number = getenv("CLOCKS_ONCE");
    once = number == NULL ? 0 : atol(number);
    state += (uint64_t) getpid() * 2;
    if (counter != NULL && strcmp("1", counter) == 0) {
        trap_counter();
    }
}

__attribute__((destructor)) static void end(void)
{
    char text[100];
    const char *file = getenv("CLOCKS_COUNTS");
    const int n = snprintf(text, sizeof(text), "%ld readings, %ld jumps, %ld of the counter\n",
                           (long) readings, (long) jumps, (long) of_counter);
    const int out = file == NULL ? -1 : open(file, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (out >= 0) {
        (void) !write(out, text, (size_t) n);
        close(out);
    }
}
