/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that finds or compiles code. */
#define _GNU_SOURCE
#include "background.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/heap.h"
#include "loader.h"
#include "base/lock.h"
#include "state.h"

enum {
    STACK_BYTES = 8 << 20,   /* a compiler is recursive */
    STOP_NS = 100000000,     /* that dame_background_stop() waits .. */
    STOP_STEP_NS = 100000,   /* .. looking so often */
    BUSY_STEPS = 200,        /* that are waited for another process to compile .. */
    BUSY_STEP_NS = 10000000, /* .. each */
    SHORTEST_NAP_NS = 1000000,
    LONGEST_NAP_NS = 250000000
};

typedef struct queue {
    dame_order_t *first;
    dame_order_t **end;
} queue_t;

/* DAME_LOCK_BACKGROUND protects all but what says otherwise. */
struct dame_background {
    dame_background_t *others;
    dame_jit_t *jit;
    dame_slot_t slot; /* a copy, with a state of its own: the thread's */
    pthread_t thread;
    int has_thread;
    int stops;
    int is_fork;
    cpu_set_t cpus; /* that it may run on; none: not known */
    queue_t waiting;
    int nwaiting;
    dame_order_t *under_way;
    queue_t done;
    atomic_int ndone;     /* read without the lock */
    atomic_int has_ended; /* the same */
    atomic_int id;        /* the system's, of the thread; 0: it has not begun */
};

static dame_background_t *all;

static void clear(queue_t *queue)
{
    *queue = (queue_t){.end = &queue->first};
}

static void put(queue_t *queue, dame_order_t *order)
{
    order->next = NULL;
    *queue->end = order;
    queue->end = &order->next;
}

static dame_order_t *take_order(queue_t *queue)
{
    dame_order_t *order = queue->first;
    if (order != NULL) {
        queue->first = order->next;
        queue->end = order->next != NULL ? queue->end : &queue->first;
    }
    return order;
}

static void finish_order(dame_background_t *background, dame_order_t *order)
{
    put(&background->done, order);
    atomic_fetch_add_explicit(&background->ndone, 1, memory_order_release);
}

/* ---- fork() ---- */

/* In the child: the order under way stays so for ever, the rest is given back. */
static void leave_thread(void)
{
    for (dame_background_t *at = all; at != NULL; at = at->others) {
        at->is_fork = 1;
        at->has_thread = 0;
    }
}

/* ---- the thread ---- */

static int64_t background_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void sleep_ns(int64_t ns)
{
    (void) nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* Wakes without preempting anybody, with the least share of a core that others want. SCHED_IDLE has
 * a fifth of that, and on a machine with more processes than cores MPI_Finalize would wait. */
static void be_modest(void)
{
    const struct sched_param none = {.sched_priority = 0};
    (void) pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
    (void) setpriority(PRIO_PROCESS, 0, 19); /* on Linux, of the calling thread */
}

/* A thread waits for the order to end: any core will do, since that thread's core is free. Systems
 * allow a higher priority to few. */
static void hurry(dame_background_t *background)
{
    const int id = atomic_load(&background->id);
    if (id != 0) {
        (void) sched_setaffinity(id, sizeof(background->cpus), &background->cpus);
        (void) setpriority(PRIO_PROCESS, (id_t) id, getpriority(PRIO_PROCESS, 0));
    }
}

/* fork() will wait for the compilation under way (loader.h). */
static void hurry_all(void)
{
    for (dame_background_t *at = all; at != NULL; at = at->others) {
        if (at->under_way != NULL) {
            hurry(at);
        }
    }
}

/* Copies data that the provider owns only until its next compilation. Returns 0 when memory is
 * out. */
static int keep_result(dame_found_t *found)
{
    const dame_machine_code_t *code = &found->code;
    const size_t entries = (size_t) code->nentries * sizeof(code->entries[0]);
    if (found->kept.memory != NULL) {
        return 1;
    }
    char *memory = dame_heap_alloc(entries + code->size);
    if (memory == NULL) {
        return 0;
    }
    memcpy(memory, code->entries, entries);
    memcpy(memory + entries, code->bytes, code->size);
    found->kept = (dame_cache_code_t){.code = *code, .memory = memory};
    found->kept.code.entries = (const dame_entry_point_t *) (void *) memory;
    found->kept.code.bytes = memory + entries;
    found->code = found->kept.code;
    return 1;
}

/* Not on the CPU that the order came from, which would lose whole time slices, if there are others.
 */
static void leave_cpu(const dame_background_t *background, int cpu)
{
    cpu_set_t others = background->cpus;
    if (cpu >= 0 && cpu < CPU_SETSIZE) {
        CPU_CLR(cpu, &others);
    }
    if (CPU_COUNT(&others) > 0) {
        (void) sched_setaffinity(0, sizeof(others), &others);
    }
}

static int has_to_stop(dame_background_t *background)
{
    dame_lock(DAME_LOCK_BACKGROUND);
    const int stops = background->stops;
    dame_unlock(DAME_LOCK_BACKGROUND);
    return stops;
}

static void work(dame_background_t *background, dame_order_t *order)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): await_order() waits for one */
    const dame_request_t request = {order->program, order->dir, order->candidate.variant};
    const int64_t start = background_now_ns();
    order->found = dame_heap_zalloc(sizeof(*order->found));
    if (order->found == NULL) {
        order->status = DAME_ERR_NOMEM;
        return;
    }
    order->status = DAME_ERR_BUSY;
    be_modest(); /* again: another thread may have hurried the last order */
    leave_cpu(background, order->cpu);
    for (int step = 0; order->status == DAME_ERR_BUSY && step < BUSY_STEPS; step++) {
        if (step > 0) {
            sleep_ns(BUSY_STEP_NS);
        }
        if (has_to_stop(background)) {
            order->status = DAME_ERR_DENIED;
            return;
        }
        order->status = dame_find_code(background->jit, &background->slot, &request, order->found);
    }
    if (order->status == DAME_OK && !keep_result(order->found)) {
        order->status = DAME_ERR_NOMEM;
    }
    order->ns = background_now_ns() - start;
    order->is_compiled = order->status == DAME_OK && !order->found->is_of_file;
}

static void close_provider(dame_background_t *background)
{
    dame_slot_t *slot = &background->slot;
    if (slot->provider != NULL && dame_loader_enter()) {
        slot->provider->close(slot->state);
        dame_loader_leave();
    }
    slot->provider = NULL;
}

/* Locked, given back meanwhile. No order wakes the thread: that is a system call. It looks for
 * orders itself, the more seldom the longer none has come. */
static void await_order(dame_background_t *background)
{
    for (int64_t nap = SHORTEST_NAP_NS; !background->stops && background->waiting.first == NULL;
         nap = nap < LONGEST_NAP_NS / 2 ? 2 * nap : LONGEST_NAP_NS) {
        dame_wait_for(DAME_LOCK_BACKGROUND, nap);
    }
}

static void *run_orders(void *argument)
{
    dame_background_t *background = argument;
    (void) dame_cancel_defer();
    atomic_store(&background->id, (int) gettid());
    (void) pthread_setname_np(pthread_self(), "dame-compile");
    dame_lock(DAME_LOCK_BACKGROUND);
    for (;;) {
        await_order(background);
        if (background->stops) {
            break;
        }
        dame_order_t *order = background->under_way = take_order(&background->waiting);
        background->nwaiting--;
        dame_unlock(DAME_LOCK_BACKGROUND);
        work(background, order);
        dame_lock(DAME_LOCK_BACKGROUND);
        background->under_way = NULL;
        finish_order(background, order);
    }
    dame_unlock(DAME_LOCK_BACKGROUND);
    atomic_store(&background->has_ended, 1);
    return NULL;
}

/* Locked. */
static int start_thread(dame_background_t *background)
{
    pthread_attr_t attributes;
    sigset_t signals, before;
    if (pthread_attr_init(&attributes) != 0) {
        return 0;
    }
    sigfillset(&signals); /* the application's handlers run in its own threads */
    (void) pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void) pthread_sigmask(SIG_BLOCK, &signals, &before);
    background->has_thread =
        pthread_create(&background->thread, &attributes, run_orders, background) == 0;
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void) pthread_attr_destroy(&attributes);
    return background->has_thread;
}

/* ---- beginning and end ---- */

dame_background_t *dame_background_new(dame_jit_t *jit, int32_t provider)
{
    dame_background_t *background = dame_heap_zalloc(sizeof(*background));
    if (background == NULL || !dame_lock_at_fork(DAME_LOCK_BACKGROUND, leave_thread) ||
        !dame_lock_before_fork(DAME_LOCK_BACKGROUND, hurry_all)) {
        dame_heap_free(background);
        return NULL;
    }
    background->jit = jit;
    background->slot = jit->slots[provider];
    background->slot.provider = NULL;
    background->slot.has_failed = 0;
    if (sched_getaffinity(0, sizeof(background->cpus), &background->cpus) != 0) {
        CPU_ZERO(&background->cpus);
    }
    clear(&background->waiting);
    clear(&background->done);
    dame_loader_wait_at_exit();
    dame_lock(DAME_LOCK_BACKGROUND);
    background->others = all;
    all = background;
    dame_unlock(DAME_LOCK_BACKGROUND);
    return background;
}

/* Locked: orders that were not begun are not begun any more. */
static void refuse(dame_background_t *background)
{
    dame_order_t *order;
    background->stops = 1;
    while ((order = take_order(&background->waiting)) != NULL) {
        order->status = DAME_ERR_DENIED;
        finish_order(background, order);
    }
    background->nwaiting = 0;
    dame_wake(DAME_LOCK_BACKGROUND);
}

int dame_background_stop(dame_background_t *background)
{
    const int cancel_state = dame_cancel_defer();
    const int64_t until = background_now_ns() + STOP_NS;
    dame_lock(DAME_LOCK_BACKGROUND);
    const int has_thread = background->has_thread;
    refuse(background);
    dame_unlock(DAME_LOCK_BACKGROUND);
    if (has_thread) {
        hurry(background);
    }
    while (has_thread && !atomic_load(&background->has_ended) && background_now_ns() < until) {
        sleep_ns(STOP_STEP_NS);
    }
    dame_lock(DAME_LOCK_BACKGROUND);
    const int works = background->under_way != NULL && !background->is_fork;
    dame_unlock(DAME_LOCK_BACKGROUND);
    if (has_thread && atomic_load(&background->has_ended)) {
        pthread_join(background->thread, NULL);
        background->has_thread = 0;
    } else if (has_thread) { /* it does not get a core, and will only end */
        pthread_detach(background->thread);
    }
    if (!works && !background->is_fork) {
        close_provider(background);
    } else if (works) {
        dame_loader_wait_at_exit();
    }
    dame_cancel_restore(cancel_state);
    return !works;
}

void dame_background_free(dame_background_t *background)
{
    if (background == NULL) {
        return;
    }
    dame_lock(DAME_LOCK_BACKGROUND);
    const int has_thread = background->has_thread; /* it reads the flags that stop it */
    dame_background_t **at = &all;
    while (*at != background) {
        at = &(*at)->others;
    }
    *at = background->others;
    dame_unlock(DAME_LOCK_BACKGROUND);
    if (!has_thread) {
        dame_heap_free(background);
    }
}

/* ---- orders ---- */

/* Locked. */
static dame_status_t accept(dame_background_t *background, const dame_order_t *order)
{
    if (background->is_fork || background->stops) {
        return DAME_ERR_DENIED;
    }
    if (background->nwaiting == DAME_BACKGROUND_ORDERS) {
        return DAME_ERR_FULL;
    }
    if (!background->has_thread && !start_thread(background)) {
        return DAME_ERR_DENIED;
    }
    dame_order_t *made = dame_heap_alloc(sizeof(*made));
    if (made == NULL) {
        return DAME_ERR_NOMEM;
    }
    *made = *order;
    put(&background->waiting, made);
    background->nwaiting++;
    return DAME_OK;
}

dame_status_t dame_background_order(dame_background_t *background, dame_program_t *program,
                                    dame_dir_t dir, const dame_candidate_t *candidate, void *owner)
{
    const dame_order_t order = {.program = program,
                                .dir = dir,
                                .candidate = *candidate,
                                .owner = owner,
                                .cpu = sched_getcpu()};
    if (!dame_trylock(DAME_LOCK_BACKGROUND)) {
        return DAME_ERR_BUSY;
    }
    const dame_status_t status = accept(background, &order);
    dame_unlock(DAME_LOCK_BACKGROUND);
    return status;
}

/* Locked. */
static dame_order_t *take_done(dame_background_t *background)
{
    dame_order_t *order = take_order(&background->done);
    if (order != NULL) {
        atomic_fetch_sub_explicit(&background->ndone, 1, memory_order_relaxed);
    }
    return order;
}

dame_order_t *dame_background_take(dame_background_t *background)
{
    if (atomic_load_explicit(&background->ndone, memory_order_acquire) == 0 ||
        !dame_trylock(DAME_LOCK_BACKGROUND)) {
        return NULL;
    }
    dame_order_t *order = take_done(background);
    dame_unlock(DAME_LOCK_BACKGROUND);
    return order;
}

dame_order_t *dame_background_take_rest(dame_background_t *background)
{
    dame_lock(DAME_LOCK_BACKGROUND);
    dame_order_t *order = take_done(background);
    dame_unlock(DAME_LOCK_BACKGROUND);
    return order;
}

dame_status_t dame_order_install(dame_jit_t *jit, const dame_order_t *order, const char *name)
{
    return dame_jit_put(jit, order->program, order->dir, &order->candidate, order->found, name);
}

void dame_order_free(dame_order_t *order)
{
    if (order->found != NULL) {
        dame_found_free(order->found);
        dame_heap_free(order->found);
    }
    dame_heap_free(order);
}
