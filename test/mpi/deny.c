/* SPDX-License-Identifier: BSD-3-Clause */
#include "deny.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* The lower half of a system call's argument, on little-endian machines. */
#define ARGUMENT(n) (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (n))
#define LOAD(at)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define REFUSE      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)
#define ALLOW       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* Goes on with the next instruction if so, otherwise past `skip` of them. */
#define IF_EQUAL(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define IF_BITS(bits, skip)   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (skip))

static bool install(struct sock_filter *filter, size_t instructions)
{
    struct sock_fprog program = {.len = (unsigned short) instructions, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool deny_execution(deny_t what)
{
    const uint32_t number = offsetof(struct seccomp_data, nr);
    struct sock_filter shared[] = {
        LOAD(number),
        IF_EQUAL(SYS_mmap, 5),
        LOAD(ARGUMENT(2)),
        IF_BITS(PROT_EXEC, 3),
        LOAD(ARGUMENT(3)),
        IF_BITS(MAP_SHARED, 1),
        REFUSE,
        ALLOW,
    };
    struct sock_filter all[] = {
        LOAD(number),
        IF_EQUAL(SYS_mmap, 5),
        LOAD(ARGUMENT(2)),
        IF_BITS(PROT_EXEC, 9),
        LOAD(ARGUMENT(3)),
        IF_BITS(MAP_SHARED | MAP_ANONYMOUS, 7),
        REFUSE,
        IF_EQUAL(SYS_mprotect, 3),
        LOAD(ARGUMENT(2)),
        IF_BITS(PROT_EXEC, 3),
        REFUSE,
        IF_EQUAL(SYS_pkey_mprotect, 1),
        REFUSE,
        ALLOW,
    };
    struct sock_filter advice[] = {
        LOAD(number),
        IF_EQUAL(SYS_madvise, 1),
        REFUSE,
        ALLOW,
    };
    switch (what) {
    case DENY_SHARED:
        return install(shared, sizeof(shared) / sizeof(shared[0]));
    case DENY_ALL:
        return install(all, sizeof(all) / sizeof(all[0]));
    default:
        return install(advice, sizeof(advice) / sizeof(advice[0]));
    }
}
