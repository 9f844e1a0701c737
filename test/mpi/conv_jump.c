/* SPDX-License-Identifier: BSD-3-Clause */
/* A signal handler jumps out of a kernel (siglongjmp), because memory of the message cannot be
   read. When it can, the same convertor goes on where it was. Open MPI's own engine promises no
   such thing: its convertors keep half-done elements. */
#include "conv_tools.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 60, COUNT = 3, ROWS = 40, WIDTH = 24 };

static sigjmp_buf before;
static volatile sig_atomic_t jumps;

static void jump(int signal)
{
    (void) signal;
    jumps++;
    siglongjmp(before, 1);
}

/* Moves `room` bytes, of which the last are in memory that is `denied` at first. */
static void move_into_denied(opal_convertor_t *c, subject_t *s, char *denied, size_t page,
                             size_t room)
{
    static char packed[COUNT * ROWS * WIDTH * 4];
    struct iovec iov = {.iov_base = packed, .iov_len = room};
    uint32_t n = 1;
    size_t moved = 0;
    mprotect(denied, page, PROT_NONE);
    if (sigsetjmp(before, 1) == 0) {
        (void) opal_convertor_pack(c, &iov, &n, &moved);
        subject_fault(s, "%zu bytes were packed from memory that cannot be read", moved);
    }
    mprotect(denied, page, PROT_READ | PROT_WRITE);
}

/* Rows of ints with gaps of different lengths: one level inside another, which fragments cut. */
static layout_t *rows(void)
{
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    layout_t *row = lay_vector(WIDTH, 1, 2, ints);
    layout_t *all = lay_hvector(ROWS, 1, WIDTH * 8 + 64, row);
    lay_commit(all);
    lay_free(row);
    lay_free(ints);
    return all;
}

void test_jumps(void)
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_handler = jump}, segv, bus;
    if (!with_dame) {
        return;
    }
    layout_t *l = rows();
    const size_t room = 16 * page;
    char *memory = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &action, &segv);
    sigaction(SIGBUS, &action, &bus);
    for (int round = 0; memory != MAP_FAILED && round < ROUNDS; round++) {
        opal_convertor_t c;
        subject_t *s = subject_new("rows, partly denied", l, COUNT, false);
        msg_free(&s->memory);
        s->memory = msg_in(l, COUNT, memory, (int64_t) room);
        subject_fill(s, (unsigned) round);
        conv_start(&c, s, true);
        const size_t start = (size_t) random_from(0, 200) * (size_t) (round % 2);
        if (start > 0) {
            (void) conv_move_one(&c, s, start);
        }
        /* A page in the middle of what the fragment reaches. */
        const int64_t last = subject_bytes(s) - 1;
        char *denied = (char *) subject_at(s, last / 2);
        denied -= (uintptr_t) denied % page;
        const int n = (int) jumps;
        move_into_denied(&c, s, denied, page, (size_t) last - start - (size_t) random_from(0, 99));
        check(n + 1 == (int) jumps, "round %d: jumped out", round);
        conv_finish(&c, s, (size_t) random_from(100, 4000));
        conv_end(&c);
        subject_check(s, "after a jump out of a kernel");
        subject_free(s);
    }
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &bus, NULL);
    check(memory != MAP_FAILED, "memory");
    munmap(memory, room);
    lay_free(l);
}
