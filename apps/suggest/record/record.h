/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libdame-record: which loads the bytes of a message were copied from, found while a program runs.
 *
 * The compiler's -fsanitize=thread calls a function before every load and store. A store is looked
 * at when the thread calls the next of these functions, because only then has it happened: where
 * one of the thread's last loads gave the value that was stored, the store is a copy of it. What is
 * known of every byte of memory is in shadow.c; message.c looks there when MPI sends the byte.
 *
 * Addresses are numbers. Lengths are bytes. All functions may be called by any thread, allocate
 * nothing from the application's heap, and never fail: what does not fit into a bound is counted
 * in `record_lost`, and the report says so.
 */
#ifndef RECORD_H
#define RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what is known of a byte ---- */

/*
 * The address it was copied from, times 2^16, and the number of the site that stored it. An address
 * of 0 is a value that no recent load has explained.
 */
typedef uint64_t record_origin_t;

#define RECORD_UNSEEN    ((record_origin_t) 0)       /* no store was seen */
#define RECORD_RECEIVED  ((record_origin_t) 1 << 16) /* MPI stored it */
#define RECORD_READ      ((record_origin_t) 2 << 16) /* of a received byte: loaded, not copied */
#define RECORD_IN_FLIGHT ((record_origin_t) 1 << 15) /* MPI would read it, until MPI_Wait */

enum { RECORD_SITES = 1 << 15 }; /* 0: unknown; the last: those that there was no room for */

static inline uint64_t record_address(record_origin_t origin)
{
    return origin >> 16 < 3 ? 0 : origin >> 16;
}

static inline unsigned record_site(record_origin_t origin)
{
    return (unsigned) (origin & (RECORD_SITES - 1));
}

/* The program counter of a store's number; 0: unknown. */
uintptr_t record_site_pc(unsigned site);

/* ---- shadow.c ---- */

/* Before anything else; `bytes` bound the memory. false: there is none, and nothing is recorded. */
bool shadow_open(size_t bytes);

/* `length` bytes at `to` were copied from `from` (0: computed). true: one of them was in flight. */
bool shadow_store(uintptr_t to, size_t length, uintptr_t from, unsigned site);

void shadow_fill(uintptr_t to, size_t length, record_origin_t origin);

/* Forgets, without making room for it. */
void shadow_forget(uintptr_t to, size_t length);

/* What is known of `length` bytes. */
void shadow_read(uintptr_t from, size_t length, record_origin_t *out);

/* Marks bytes as in flight, or no longer. */
void shadow_in_flight(uintptr_t at, size_t length, bool in_flight);

/* ---- allocation.c: where memory was allocated ---- */

typedef struct allocation {
    uintptr_t low, high;
} allocation_t;

/* `length` bytes at an address are one allocation, in the place of all that was known there. */
void allocation_add(uintptr_t address, size_t length);

/* The allocation that an address lies in; {0, 0}: none is known (stacks, say). */
allocation_t allocation_of(uintptr_t address);

/* ---- thread.c: loads and stores of threads ---- */

void record_load(uintptr_t address, size_t length, uintptr_t pc);
void record_store(uintptr_t address, size_t length, uintptr_t pc);
void record_copied(uintptr_t to, uintptr_t from, size_t length, uintptr_t pc);
void record_set(uintptr_t to, size_t length, uintptr_t pc);

/* The memory is about to be freed: no store to it is looked at any more. */
void record_freed(uintptr_t address, size_t length);

/* Looks at the last store of this thread, and of all others to [address, address + length). */
void record_settle(uintptr_t address, size_t length);

/* ---- message.c: messages ---- */

enum { RECORD_LONGEST = 64 << 20 };

typedef struct record_call {
    const char *function; /* static storage */
    uintptr_t pc;         /* behind the call */
    uintptr_t buffer;
    int64_t bytes;
    int element; /* bytes of the call's basic datatype */
    const char *type;
} record_call_t;

/* These three follow record_settle() of the buffer. */

/* A message is sent. Returns a number, to be given to record_done() when the send is complete, or
 * -1 where nobody needs to know. */
int record_send(const record_call_t *call, bool completes_later);
void record_done(int sending);

/* A receive is posted; what is stored from its buffer later is where it goes. */
void record_receive(const record_call_t *call);

/* Where messages are: called for every load, store and copy. */
typedef struct record_region {
    _Atomic(uintptr_t) low, high; /* equal: none */
    _Atomic int kind;
    void *more;
} record_region_t;

enum { RECORD_REGIONS = 64 };
extern record_region_t record_regions[RECORD_REGIONS];
extern _Atomic(uintptr_t) record_regions_low, record_regions_high; /* all lie within */

void message_loaded(uintptr_t address, size_t length, uintptr_t pc);
void message_stored(uintptr_t address, size_t length);
void message_copied(uintptr_t from, uintptr_t to, size_t length, unsigned site);
/* Ends all receives: what was not copied by now never is. */
void message_close_all(void);

void message_late_store(uintptr_t address, size_t length, unsigned site);

static inline bool record_near_message(uintptr_t address, size_t length)
{
    return address < atomic_load_explicit(&record_regions_high, memory_order_relaxed) &&
           address + length > atomic_load_explicit(&record_regions_low, memory_order_relaxed);
}

/* ---- bounds ---- */

typedef enum record_lost {
    LOST_PAGES,       /* pages of shadow memory reused for others */
    LOST_THREADS,     /* threads beyond the bound, or without memory */
    LOST_LAYOUTS,     /* layouts of messages beyond the bound */
    LOST_REGIONS,     /* messages whose buffer was watched no longer */
    LOST_LONG,        /* messages longer than RECORD_LONGEST: not looked at */
    LOST_DERIVED,     /* calls with a derived datatype: not looked at */
    LOST_ALLOCATIONS, /* allocations beyond the bound */
    LOST_KINDS
} record_lost_t;
extern _Atomic int64_t record_lost[LOST_KINDS];

/* ---- locks, memory ---- */

typedef atomic_flag record_lock_t;
void record_lock(record_lock_t *lock);
static inline void record_unlock(record_lock_t *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

/* Zeroed memory from a mapping of its own; NULL. */
void *record_map(size_t bytes);
void record_unmap(void *memory, size_t bytes);

/* ---- output ---- */

/* Writes this process's file, once. */
void record_write(int rank, int size, const char *library);

#endif
