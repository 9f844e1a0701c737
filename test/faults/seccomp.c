/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seccomp EPERM|ENOSYS before|after NAME,NAME...: the system refuses these calls with that error,
 * from before MPI_Init on or from when data is moved. "execute" is an mmap() or mprotect() that
 * makes memory executable, but not of a file's code. Prints "no filter" and ends with 77 on systems
 * without filters.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hostile.h"
#include "traffic.h"

enum { USAGE = 2, SKIPPED = 77, MOST = 128 };

static const struct {
    const char *name;
    unsigned number;
} calls[] = {
#define CALL(name)                                                                                 \
    {                                                                                              \
#name, SYS_##name                                                                          \
    }
#ifdef SYS_open
    CALL(open),
    CALL(mkdir),
    CALL(unlink),
    CALL(rename),
#endif
    CALL(openat),
    CALL(faccessat),
    CALL(memfd_create),
    CALL(ftruncate),
    CALL(mprotect),
    CALL(madvise),
    CALL(membarrier),
    CALL(perf_event_open),
    CALL(sched_getaffinity),
    CALL(sched_setaffinity),
    CALL(sched_setscheduler),
    CALL(setpriority),
    CALL(getcpu),
    CALL(clone3),
    CALL(clone),
    CALL(mkdirat),
    CALL(unlinkat),
    CALL(renameat),
    CALL(renameat2),
    CALL(flock),
    CALL(fsync),
    CALL(utimensat),
    CALL(getdents64),
    CALL(prctl),
    CALL(fchmod),
    CALL(fchown),
    CALL(gettid),
    CALL(rt_sigtimedwait),
    CALL(clock_nanosleep),
    CALL(newfstatat),
    CALL(readlinkat),
#undef CALL
};

static struct sock_filter filter[MOST];
static unsigned short length;

static void add(struct sock_filter instruction)
{
    if (length == MOST) {
        fprintf(stderr, "too many calls\n");
        exit(USAGE);
    }
    filter[length++] = instruction;
}

/* What follows is skipped unless the accumulator, or one of its bits, is that. */
static void only_if(unsigned test, uint32_t value, unsigned char skipped)
{
    add((struct sock_filter) BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, skipped));
}

static void load(size_t at)
{
    add((struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t) at));
}

static void refuse(int error)
{
    add((struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t) error));
}

/* The lower half of an argument, on little-endian machines. */
static size_t argument(int n)
{
    return offsetof(struct seccomp_data, args) + 8 * (size_t) n;
}

/* Shared or anonymous memory; the loader's mappings of libraries are private and of files. */
static void refuse_to_execute(int error)
{
    only_if(BPF_JEQ, SYS_mmap, 5);
    load(argument(2));
    only_if(BPF_JSET, PROT_EXEC, 3);
    load(argument(3));
    only_if(BPF_JSET, MAP_SHARED | MAP_ANONYMOUS, 1);
    refuse(error);
    load(offsetof(struct seccomp_data, nr));
    only_if(BPF_JEQ, SYS_mprotect, 3);
    load(argument(2));
    only_if(BPF_JSET, PROT_EXEC, 1);
    refuse(error);
    load(offsetof(struct seccomp_data, nr));
}

static void refuse_call(const char *name, int error)
{
    if (strcmp(name, "execute") == 0) {
        refuse_to_execute(error);
        return;
    }
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (strcmp(name, calls[i].name) == 0) {
            only_if(BPF_JEQ, calls[i].number, 1);
            refuse(error);
            return;
        }
    }
    fprintf(stderr, "seccomp: '%s' is not among its calls\n", name);
    exit(USAGE);
}

/* For all threads of this process. */
static bool install(void)
{
    struct sock_fprog program = {.len = length, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

static void refuse_calls(char *names, int error)
{
    load(offsetof(struct seccomp_data, nr));
    for (char *name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
        refuse_call(name, error);
    }
    add((struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    if (!install()) {
        printf("no filter: %s\n", strerror(errno));
        fflush(stdout);
        _exit(SKIPPED);
    }
}

static void list(void)
{
    puts("execute");
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        puts(calls[i].name);
    }
}

int seccomp_main(int argc, char **argv)
{
    if (argc < 4) {
        list();
        return 0;
    }
    const int error = strcmp(argv[1], "EPERM") == 0 ? EPERM : ENOSYS;
    const bool before = strcmp(argv[2], "before") == 0;
    if (before) {
        refuse_calls(argv[3], error);
    }
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    traffic_start(&(traffic_options_t){.threads = 2});
    traffic_wait(50);
    if (!before) {
        refuse_calls(argv[3], error);
    }
    traffic_wait(1000);
    traffic_stop();
    return check_finish();
}
