#include "jit/fork.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int installed;

static void before(void)
{
    dame_jit_before_fork();
    dame_readers_before_fork();
}

static void in_parent(void)
{
    dame_readers_after_fork(0);
    dame_jit_after_fork(0);
}

static void in_child(void)
{
    dame_readers_after_fork(1);
    dame_jit_after_fork(1);
}

static void install(void)
{
    installed = pthread_atfork(before, in_parent, in_child) == 0;
}

int dame_fork_guard(void)
{
    pthread_once(&once, install);
    return installed;
}
