/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loads that a thread did last, and its last store, until that has happened: which load is the
 * store a copy of?
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

enum {
    LOADS = 64,    /* that are remembered; compilers unroll and vectorise by 16 and less */
    NARROW = 8,    /* of these, for values of 1 or 2 bytes, which are equal by chance too often */
    RANGES = 4,    /* loads of whole structs */
    LEARNT = 256,  /* stores whose last load is remembered */
    THREADS = 256, /* at a time */
    LONGEST = 1 << 20 /* struct that is stored at once */
};

typedef struct load {
    uint64_t value;
    uintptr_t address;
    uintptr_t pc;
    int size;  /* 1, 2, 4, 8; a longer one is several of 8 */
    bool used; /* some store is a copy of it */
} load_t;

typedef struct range {
    uintptr_t address;
    size_t length;
} range_t;

/* What a store, by its program counter, copied last. */
typedef struct learnt {
    uintptr_t pc;
    uintptr_t load_pc;
    uintptr_t next; /* the address that it loads from if it goes on as before */
    uintptr_t last;
    unsigned site;
} learnt_t;

typedef struct thread {
    _Atomic int taken;
    bool inside; /* a signal handler may find us at work */
    /* Address of the last store, times 2; plus 1 while somebody looks at it. 0: none */
    _Atomic(uintptr_t) pending;
    size_t pending_length;
    uintptr_t pending_pc;
    bool pending_updates; /* what the pending store writes to was loaded right before it */
    unsigned before;      /* `head` when the store before it was announced */
    bool deferred;        /* the hook behind the pending store's did not look at it; see defer() */
    unsigned head;        /* loads[(head - 1) % LOADS] is the last */
    load_t loads[LOADS];
    unsigned range_head;
    range_t ranges[RANGES];
    learnt_t learnt[LEARNT];
} thread_t;

static thread_t threads[THREADS];
static _Atomic int nthreads; /* that were ever used */
static pthread_key_t key;
static _Atomic int state; /* 0: not open, 1: opening, 2: open, 3: there is no memory */

static __thread thread_t *self __attribute__((tls_model("initial-exec")));
static __thread bool refused __attribute__((tls_model("initial-exec")));

/* ---- sites ---- */

static _Atomic(uintptr_t) sites[RECORD_SITES];

/* The number of the store at a program counter; 0: unknown. */
static unsigned site_of(uintptr_t pc)
{
    unsigned at = (unsigned) ((pc * 0x9e3779b97f4a7c15u) >> 49);
    for (int tries = 0; tries < 64; tries++, at++) {
        at &= RECORD_SITES - 1;
        if (at == 0 || at == RECORD_SITES - 1) {
            continue;
        }
        uintptr_t found = atomic_load_explicit(&sites[at], memory_order_relaxed);
        if (found == 0 && atomic_compare_exchange_strong(&sites[at], &found, pc)) {
            found = pc;
        }
        if (found == pc) {
            return at;
        }
    }
    return RECORD_SITES - 1;
}

uintptr_t record_site_pc(unsigned site)
{
    return atomic_load_explicit(&sites[site], memory_order_relaxed);
}

/* ---- threads ---- */

static void settle(thread_t *thread);

/* The thread ends: its last store has happened. */
static void leave(void *data)
{
    thread_t *thread = data;
    thread->inside = true;
    settle(thread);
    self = NULL;
    refused = true;
    atomic_store(&thread->taken, 0);
}

static size_t memory_bound(void)
{
    const char *text = getenv("DAME_RECORD_MEMORY"); /* MiB */
    long mib = text == NULL ? 0 : strtol(text, NULL, 10);
    return (size_t) (mib < 1 || mib > 1 << 20 ? 256 : mib) << 20;
}

static bool open_all(void)
{
    int expected = 0;
    if (atomic_compare_exchange_strong(&state, &expected, 1)) {
        const bool opened = pthread_key_create(&key, leave) == 0 && shadow_open(memory_bound());
        atomic_store(&state, opened ? 2 : 3);
    }
    return atomic_load(&state) == 2;
}

static thread_t *join(void)
{
    if (refused) {
        return NULL;
    }
    if (!open_all()) {
        refused = atomic_load(&state) == 3;
        atomic_fetch_add(&record_lost[LOST_THREADS], refused);
        return NULL;
    }
    for (int i = 0; i < THREADS; i++) {
        int expected = 0;
        thread_t *thread = &threads[i];
        if (atomic_compare_exchange_strong(&thread->taken, &expected, 1)) {
            thread->inside = true; /* pthread_setspecific() may allocate */
            thread->head = thread->range_head = thread->before = 0;
            memset(thread->loads, 0, sizeof(thread->loads));
            memset(thread->ranges, 0, sizeof(thread->ranges));
            memset(thread->learnt, 0, sizeof(thread->learnt));
            for (int n = atomic_load(&nthreads);
                 n < i + 1 && !atomic_compare_exchange_weak(&nthreads, &n, i + 1);) {
            }
            self = thread;
            pthread_setspecific(key, thread);
            thread->inside = false;
            return thread;
        }
    }
    refused = true;
    atomic_fetch_add(&record_lost[LOST_THREADS], 1);
    return NULL;
}

/* NULL: nothing is recorded here, or we are inside already. */
static inline thread_t *enter(void)
{
    thread_t *thread = self;
    if (thread == NULL) {
        thread = join();
    }
    if (thread == NULL || thread->inside) {
        return NULL;
    }
    thread->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    return thread;
}

static inline void leave_hook(thread_t *thread)
{
    atomic_signal_fence(memory_order_seq_cst);
    thread->inside = false;
}

/* ---- which load ---- */

static uint64_t value_at(uintptr_t address, int size)
{
    uint64_t value = 0;
    switch (size) {
    case 1:
        return *(const volatile uint8_t *) address;
    case 2:
        memcpy(&value, (const void *) address, 2);
        break;
    case 4:
        memcpy(&value, (const void *) address, 4);
        break;
    default:
        memcpy(&value, (const void *) address, 8);
    }
    return value;
}

static learnt_t *learnt_of(thread_t *thread, uintptr_t pc)
{
    learnt_t *learnt = &thread->learnt[(pc ^ pc >> 8) % LEARNT];
    if (learnt->pc != pc) {
        *learnt = (learnt_t){.pc = pc, .site = site_of(pc)};
    }
    return learnt;
}

/* How well a load of the right value fits: one that goes on as before, then one by the same
 * instruction as last time, then one that nothing was copied from yet. */
static int fit(const learnt_t *learnt, const load_t *load, uintptr_t address)
{
    return 4 * (learnt->next == address) + 2 * (learnt->load_pc == load->pc) + !load->used;
}

/* The last load that gave `size` bytes of that value and fits best, and their address; NULL: none.
 * `halves`: also of longer loads. */
static load_t *find_load(thread_t *thread, const learnt_t *learnt, uint64_t value, int size,
                         bool halves, uintptr_t *address)
{
    int best = -1;
    load_t *found = NULL;
    unsigned n = size < 4 ? NARROW : LOADS;
    for (unsigned i = 1; i <= n && best < 15; i++) {
        load_t *load = &thread->loads[(thread->head - i) % LOADS];
        int parts = load->size == size ? 1 : halves && size == 4 && load->size == 8 ? 2 : 0;
        for (int part = 0; part < parts; part++) {
            uint64_t loaded = parts == 1 ? load->value : (uint32_t) (load->value >> 32 * part);
            uintptr_t at = load->address + (uintptr_t) (4 * part);
            int fits = 2 * fit(learnt, load, at) + (parts == 1);
            if (loaded == value && fits > best) {
                best = fits;
                found = load;
                *address = at;
            }
        }
    }
    return found;
}

/* The address that `size` bytes at `at` were loaded from, 0: none. */
static uintptr_t origin_of(thread_t *thread, learnt_t *learnt, uintptr_t at, int size, bool halves)
{
    uintptr_t address = 0;
    load_t *found = find_load(thread, learnt, value_at(at, size), size, halves, &address);
    if (found != NULL) {
        found->used = true;
        learnt->load_pc = found->pc;
        learnt->next = learnt->last == 0 ? 0 : address + (address - learnt->last);
        learnt->last = address;
    }
    return address;
}

/* ---- a store that has happened ---- */

static void copied(uintptr_t to, uintptr_t from, size_t length, unsigned site)
{
    if (record_near_message(to, length)) {
        message_stored(to, length);
    }
    if (shadow_store(to, length, from, site)) {
        message_late_store(to, length, site);
    }
    if (from != 0 && record_near_message(from, length)) {
        message_copied(from, to, length, site);
    }
}

/* Does a load explain these bytes whole? */
static bool explained(thread_t *thread, const learnt_t *learnt, uintptr_t at, int size, bool halves)
{
    uintptr_t address;
    return find_load(thread, learnt, value_at(at, size), size, halves, &address) != NULL;
}

/* `wide`: a part of a longer store, which may be of several loads. */
static void look_at_piece(thread_t *thread, learnt_t *learnt, uintptr_t at, int size, bool wide)
{
    bool halves = wide || size == 4;
    uintptr_t from = origin_of(thread, learnt, at, size, halves);
    if (from == 0 && size == 8 && explained(thread, learnt, at, 4, wide) &&
        explained(thread, learnt, at + 4, 4, wide)) {
        copied(at, origin_of(thread, learnt, at, 4, wide), 4, learnt->site);
        copied(at + 4, origin_of(thread, learnt, at + 4, 4, wide), 4, learnt->site);
    } else {
        copied(at, from, (size_t) size, learnt->site);
    }
}

static bool look_at_range(thread_t *thread, uintptr_t at, size_t length, unsigned site)
{
    for (unsigned i = 1; i <= RANGES; i++) {
        const range_t *range = &thread->ranges[(thread->range_head - i) % RANGES];
        if (range->length == length &&
            memcmp((const void *) range->address, (const void *) at, length) == 0) {
            copied(at, range->address, length, site);
            return true;
        }
    }
    return false;
}

static void look_at_store(thread_t *thread, uintptr_t at, size_t length, uintptr_t pc)
{
    learnt_t *learnt = learnt_of(thread, pc);
    bool wide = length > 8;
    if (thread->pending_updates) {
        copied(at, 0, length, learnt->site);
        return;
    }
    if (wide && look_at_range(thread, at, length, learnt->site)) {
        return;
    }
    while (length > 0) {
        int size = length >= 8 ? 8 : length >= 4 ? 4 : length >= 2 ? 2 : 1;
        look_at_piece(thread, learnt, at, size, wide);
        at += (uintptr_t) size;
        length -= (size_t) size;
    }
}

/* Looks at the store that is pending, unless its memory was freed. Another thread may be at it. */
static void settle(thread_t *thread)
{
    uintptr_t pending = atomic_load_explicit(&thread->pending, memory_order_acquire);
    while (pending != 0) {
        if ((pending & 1) != 0) {
            sched_yield();
            pending = atomic_load_explicit(&thread->pending, memory_order_acquire);
        } else if (atomic_compare_exchange_strong(&thread->pending, &pending, pending | 1)) {
            thread->deferred = false;
            look_at_store(thread, pending / 2, thread->pending_length, thread->pending_pc);
            atomic_store_explicit(&thread->pending, 0, memory_order_release);
            pending = 0;
        }
    }
}

/*
 * Before it copies a struct, gcc announces the store first and then the load: what a load of equal
 * length finds pending has perhaps not happened yet. Then the next hook looks at it.
 */
static bool defer(thread_t *thread, size_t length)
{
    uintptr_t pending = atomic_load_explicit(&thread->pending, memory_order_acquire);
    if (pending == 0 || (pending & 1) != 0 || thread->deferred ||
        thread->pending_length != length) {
        return false;
    }
    if (length <= 8) {
        const learnt_t *learnt = learnt_of(thread, thread->pending_pc);
        if (!atomic_compare_exchange_strong(&thread->pending, &pending, pending | 1)) {
            return false;
        }
        thread->deferred = !explained(thread, learnt, pending / 2, (int) length, length == 4);
        atomic_store_explicit(&thread->pending, pending, memory_order_release);
    } else {
        thread->deferred = true;
    }
    return thread->deferred;
}

/* ---- what the compiler's calls come to ---- */

void record_load(uintptr_t address, size_t length, uintptr_t pc)
{
    thread_t *thread = enter();
    if (thread == NULL) {
        return;
    }
    if (!defer(thread, length)) {
        settle(thread);
    }
    if (record_near_message(address, length)) {
        message_loaded(address, length, pc);
    }
    if (length > 8) {
        thread->ranges[thread->range_head++ % RANGES] = (range_t){address, length};
    }
    for (size_t left = length; left > 0 && length <= LOADS * 4;) {
        int size = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        thread->loads[thread->head++ % LOADS] =
            (load_t){.value = value_at(address, size), .address = address, .pc = pc, .size = size};
        address += (uintptr_t) size;
        left -= (size_t) size;
    }
    leave_hook(thread);
}

/* u[i] += b[i] loads u[i] after the store before: its sum with 0 is not a copy of b[i]. */
static bool updates(const thread_t *thread, uintptr_t address, size_t length)
{
    for (unsigned i = 1; i <= LOADS && i <= thread->head - thread->before; i++) {
        const load_t *load = &thread->loads[(thread->head - i) % LOADS];
        if (load->address < address + length && load->address + (uintptr_t) load->size > address) {
            return true;
        }
    }
    return false;
}

void record_store(uintptr_t address, size_t length, uintptr_t pc)
{
    thread_t *thread = enter();
    if (thread == NULL) {
        return;
    }
    settle(thread);
    if (length <= LONGEST) {
        thread->pending_length = length;
        thread->pending_pc = pc;
        thread->pending_updates = updates(thread, address, length);
        atomic_store_explicit(&thread->pending, address * 2, memory_order_release);
    }
    thread->before = thread->head;
    leave_hook(thread);
}

void record_copied(uintptr_t to, uintptr_t from, size_t length, uintptr_t pc)
{
    thread_t *thread = enter();
    if (thread == NULL) {
        return;
    }
    settle(thread);
    copied(to, from, length, site_of(pc));
    leave_hook(thread);
}

void record_set(uintptr_t to, size_t length, uintptr_t pc)
{
    record_copied(to, 0, length, pc);
}

void record_settle(uintptr_t address, size_t length)
{
    thread_t *thread = enter();
    if (thread == NULL) {
        return;
    }
    settle(thread);
    for (int i = 0; i < atomic_load(&nthreads); i++) {
        thread_t *other = &threads[i];
        uintptr_t pending = atomic_load_explicit(&other->pending, memory_order_acquire);
        if (other != thread && pending / 2 >= address && pending / 2 < address + length) {
            settle(other);
        }
    }
    leave_hook(thread);
}

/* Waits until nobody looks at stores with the thread's loads, and drops what touches the memory. */
static void drop(thread_t *thread, uintptr_t address, size_t length)
{
    bool touches = false;
    for (int r = 0; r < RANGES; r++) {
        if (thread->ranges[r].length != 0 && thread->ranges[r].address < address + length &&
            thread->ranges[r].address + thread->ranges[r].length > address) {
            thread->ranges[r].length = 0;
            touches = true;
        }
    }
    uintptr_t pending = atomic_load_explicit(&thread->pending, memory_order_acquire);
    while (pending != 0 && (touches || (pending / 2 < address + length &&
                                        pending / 2 + thread->pending_length > address))) {
        if ((pending & 1) != 0) {
            if (thread == self) {
                return; /* a signal handler inside our own look_at_store() */
            }
            sched_yield();
            pending = atomic_load_explicit(&thread->pending, memory_order_acquire);
        } else if (atomic_compare_exchange_strong(&thread->pending, &pending, 0)) {
            return;
        }
    }
}

void record_freed(uintptr_t address, size_t length)
{
    thread_t *thread = self;
    if (atomic_load_explicit(&state, memory_order_relaxed) != 2 || length == 0 ||
        (thread != NULL && thread->inside)) {
        return;
    }
    if (thread != NULL) {
        thread->inside = true;
        settle(thread); /* the memory is still there */
    }
    for (int i = 0; i < atomic_load(&nthreads); i++) {
        drop(&threads[i], address, length);
    }
    if (record_near_message(address, length)) {
        message_stored(address, length);
    }
    shadow_forget(address, length);
    if (thread != NULL) {
        leave_hook(thread);
    }
}
