/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "jit_tools.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools.h"
#include "test/lib/checked_fork.h"

int have_jumps(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    return 1;
#else
    return 0;
#endif
}

size_t write_jump(char *code, void (*function)(void))
{
    const uint64_t target = (uintptr_t) function;
#if defined(__x86_64__)
    memcpy(code, "\x48\xb8", 2); /* mov rax, target */
    memcpy(code + 2, &target, 8);
    memcpy(code + 10, "\xff\xe0", 2); /* jmp rax */
    return 12;
#elif defined(__aarch64__)
    const uint32_t words[] = {0x58000050, 0xd61f0200}; /* ldr x16, .+8; br x16 */
    memcpy(code, words, 8);
    memcpy(code + 8, &target, 8);
    return 16;
#else
    (void) code;
    (void) target;
    return 0;
#endif
}

/* ---- jits and programs ---- */

dame_jit_t *jit_with(const dame_jit_options_t *options)
{
    dame_jit_t *jit = NULL;
    ck_assert_int_eq(dame_jit_create_for(&test_provider, options, &jit), DAME_OK);
    ck_assert_ptr_nonnull(jit);
    return jit;
}

dame_jit_t *jit_of(size_t arena_bytes)
{
    dame_jit_options_t options = *dame_jit_options_default();
    options.arena_bytes = arena_bytes;
    return jit_with(&options);
}

dame_jit_stats_t stats_of(dame_jit_t *jit)
{
    dame_jit_stats_t stats;
    dame_jit_stats(jit, &stats);
    return stats;
}

void compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir)
{
    ck_assert_int_eq(dame_jit_compile(jit, program, dir, NULL), DAME_OK);
}

void free_all(dame_jit_t *jit, dame_program_t **programs, int n)
{
    for (int i = 0; i < n; i++) {
        dame_jit_release(jit, programs[i]);
        dame_program_free(programs[i]);
    }
    dame_jit_destroy(jit);
}

int packs(const dame_program_t *program, int64_t stride, int wanted)
{
    int compiled;
    return strided_packs(program, stride, &compiled) && compiled == wanted;
}

void expect_in_child(const char *(*body)(void *argument), void *argument)
{
    const char *fault = in_child(body, argument);
    ck_assert_msg(!fault, "%s", fault);
}

int is_compiled(const dame_program_t *program, dame_dir_t dir)
{
    const void *code = program;
    const size_t size = dame_jit_code(program, dir, &code);
    ck_assert((size == 0) == (code == NULL));
    return size != 0;
}

enum { BLOCKS = 16, WIDTH = 4, LONGEST_STRIDE = 256 };

dame_program_t *strided_program(int64_t stride)
{
    ck_assert(stride > WIDTH && stride <= LONGEST_STRIDE);
    return program_of(vector(BLOCKS, 1, stride, basic(WIDTH)));
}

int strided_packs(const dame_program_t *program, int64_t stride, int *compiled)
{
    char user[BLOCKS * LONGEST_STRIDE];
    char packed[BLOCKS * WIDTH];
    int right = 1;
    fill_pattern(user, sizeof user, (unsigned) stride);
    *compiled = 0;
    for (int32_t i = 0; i < program->nprims; i++) {
        const dame_prim_t *prim = &program->prims[i];
        *compiled |= prim->interpreted && dame_prim_run(prim, DAME_PACK) != prim->interpreted[0];
    }
    dame_program_run(program, DAME_PACK, (uintptr_t) user, 1, packed);
    for (int i = 0; i < BLOCKS; i++) {
        right &= memcmp(packed + WIDTH * i, user + stride * i, WIDTH) == 0;
    }
    return right;
}

/* ---- readers ---- */

static void *visit(void *argument)
{
    guest_t *guest = argument;
    dame_reader_add(&guest->reader);
    dame_reader_enter(&guest->reader);
    sem_post(&guest->inside);
    sem_wait(&guest->may_leave);
    dame_reader_leave(&guest->reader);
    dame_reader_remove(&guest->reader);
    return NULL;
}

void start_guest(guest_t *guest)
{
    *guest = (guest_t){.thread = 0};
    sem_init(&guest->inside, 0, 0);
    sem_init(&guest->may_leave, 0, 0);
    ck_assert_int_eq(pthread_create(&guest->thread, NULL, visit, guest), 0);
    sem_wait(&guest->inside);
}

void end_guest(guest_t *guest)
{
    sem_post(&guest->may_leave);
    ck_assert_int_eq(pthread_join(guest->thread, NULL), 0);
}

/* ---- children ---- */

const char *in_child(const char *(*body)(void *argument), void *argument)
{
    static char answer[200];
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = checked_fork();
    if (child == 0) {
        const char *fault = body(argument);
        const size_t n = fault ? strlen(fault) : 0;
        _exit(write(ends[1], fault, n) == (ssize_t) n ? 0 : 1);
    }
    close(ends[1]);
    size_t n = 0;
    ssize_t got;
    while ((got = read(ends[0], answer + n, sizeof(answer) - 1 - n)) > 0) {
        n += (size_t) got;
    }
    answer[n] = '\0';
    close(ends[0]);
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
        snprintf(answer, sizeof answer, "signal %d", WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        snprintf(answer, sizeof answer, "exit code %d", WEXITSTATUS(status));
    }
    return answer[0] ? answer : NULL;
}

/* ---- refusals ---- */

/* The low half of a system call's argument. */
static struct sock_filter load_argument(int argument)
{
    size_t at = offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t) argument;
    at += __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
    return (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t) at);
}

int refuse_calls(const refusal_t *refusals, int n)
{
    enum { STEPS = 7, MOST = 8 };
    struct sock_filter steps[STEPS * MOST + 1];
    struct sock_filter *at = steps;
    ck_assert_int_le(n, MOST);
    for (int i = 0; i < n; i++) {
        const refusal_t *r = &refusals[i];
        const uint32_t with = r->with ? r->with : r->bits;
        const int second = r->with ? r->and_argument : r->argument;
        *at++ = (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                              offsetof(struct seccomp_data, nr));
        *at++ = (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t) r->call, 0, 5);
        *at++ = load_argument(r->argument);
        *at++ = (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, r->bits, 0, 3);
        *at++ = load_argument(second);
        *at++ = (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, with, 0, 1);
        *at++ =
            (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t) r->error);
    }
    *at++ = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog filter = {.len = (unsigned short) (at - steps), .filter = steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
