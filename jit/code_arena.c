/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for machine code: one mapping to write, one to execute. */
#define _GNU_SOURCE
#include "code_arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include "base/heap.h"
#include "base/machine.h"
#include "provider.h"
#include "unwind.h"

/* Newer than the oldest headers this is compiled with. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#define MFD_EXEC        0x0010U
#endif

enum {
    GRANULE = 64,       /* a cache line: code of two programs shares none */
    SEGMENT = 8 * 1024, /* taken at a time: 10 us in the compilation that it happens to */
    MOST_STEPS = 16     /* holes looked at before more memory is taken */
};

struct dame_code_arena {
    dame_code_block_t ends;  /* of the ring: before the first block, and after the last */
    dame_code_block_t *hand; /* the search begins with the hole after it */
    dame_jit_memory_t memory;
    int error;
    int unwinds; /* not 0: tables are registered with libgcc */
    pid_t process;
    size_t page;
    size_t limit; /* bytes, whole pages */
    size_t taken;
    size_t fresh;  /* no code has ever been at this offset and after it */
    char *write;   /* DUAL: limit bytes, of which the first `taken` have memory */
    char *execute; /* the same bytes, for code that is a leaf */
    char *frames;  /* the same bytes, for other code */
    struct dame_unwind_registration *leaf; /* of `execute`; NULL: absent */
};

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* n is a multiple of GRANULE, or of a page. */
static void fill_with_traps(char *bytes, size_t n)
{
    const int32_t trap = DAME_MACHINE_TRAP;
    for (size_t i = 0; i < n; i += sizeof(trap)) {
        memcpy(bytes + i, &trap, sizeof(trap));
    }
}

/*
 * Makes the instruction caches see bytes that were written to `execute` by another address. Caches
 * that go by the physical address need no more (x86 nothing at all, AArch64 by address).
 */
static void sync_instructions(char *execute, size_t n, int reused)
{
    __builtin___clear_cache(execute, execute + n);
    /* Other CPUs may have fetched the old instructions; the kernel makes them fetch again. */
    if (DAME_MACHINE_MUST_SYNC && reused &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) != 0 &&
        errno == EPERM) {
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
    }
}

int dame_code_arena_is_inherited(const dame_code_arena_t *arena)
{
    return getpid() != arena->process;
}

/* ---- the kinds of memory ---- */

/* A file in memory of arena->limit bytes, or -1 and errno. */
static int make_file(const dame_code_arena_t *arena)
{
    struct rlimit longest;
    if (getrlimit(RLIMIT_FSIZE, &longest) == 0 && longest.rlim_cur != RLIM_INFINITY &&
        longest.rlim_cur < arena->limit) {
        errno = EFBIG; /* ftruncate() would also send a signal */
        return -1;
    }
    /* Since Linux 6.3 a file says whether it may be executed, and vm.memfd_noexec which answers
     * are taken; either will do for mapping. Before, both flags were refused. */
    static const unsigned flags[] = {MFD_EXEC, MFD_NOEXEC_SEAL, 0};
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < sizeof(flags) / sizeof(flags[0]); i++) {
        fd = memfd_create("dame-code", MFD_CLOEXEC | flags[i]);
    }
    if (fd >= 0 && ftruncate(fd, (off_t) arena->limit) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* All views of all addresses; memory comes with take_segment(). No descriptor stays open, which
 * a program that closes all of them would take away. */
static int map_views(dame_code_arena_t *arena)
{
    int fd = make_file(arena);
    if (fd < 0) {
        return -1;
    }
    enum { WRITE, EXECUTE, FRAMES, VIEWS };
    char *views[VIEWS];
    int mapped = 1;
    for (int i = 0; i < VIEWS; i++) {
        const int protection = PROT_READ | (i == WRITE ? PROT_WRITE : PROT_EXEC);
        views[i] = mapped ? mmap(NULL, arena->limit, protection, MAP_SHARED, fd, 0) : MAP_FAILED;
        mapped = views[i] != MAP_FAILED;
    }
    /* A child must not be able to write what its parent executes. */
    mapped = mapped && madvise(views[WRITE], arena->limit, MADV_DONTFORK) == 0;
    int error = errno;
    close(fd);
    if (!mapped) {
        for (int i = 0; i < VIEWS && views[i] != MAP_FAILED; i++) {
            munmap(views[i], arena->limit);
        }
        errno = error;
        return -1;
    }
    arena->write = views[WRITE];
    arena->execute = views[EXECUTE];
    arena->frames = views[FRAMES];
    return 0;
}

/*
 * Has the kernel write something into each page: where memory is out it answers EFAULT, while a
 * store of ours would end in SIGBUS. Returns 0 or an error number.
 */
static int touch_pages(char *bytes, size_t n, size_t page)
{
    for (size_t i = 0; i < n; i += page) {
        if (syscall(SYS_getcpu, bytes + i, NULL, NULL) != 0) {
            return errno;
        }
    }
    return 0;
}

static int memory_is_out(int error)
{
    return error == ENOMEM || error == EFAULT;
}

/* Memory for n bytes that can be written. Kernels before 5.14 do not know the advice, and a filter
 * of system calls may not allow it. Returns 0 or an error number. */
static int populate(char *bytes, size_t n, size_t page)
{
    if (madvise(bytes, n, MADV_POPULATE_WRITE) == 0) {
        return 0;
    }
    return memory_is_out(errno) ? errno : touch_pages(bytes, n, page);
}

static void populate_to_run(char *bytes, size_t n, size_t page)
{
    if (madvise(bytes, n, MADV_POPULATE_READ) != 0) {
        for (size_t i = 0; i < n; i += page) {
            (void) *(volatile char *) (bytes + i);
        }
    }
}

/* Memory for `n` more bytes in all views, so that writing and running cause no page faults. Returns
 * 0 or an error number. */
static int take_segment(dame_code_arena_t *arena, size_t n)
{
    char *write = arena->write + arena->taken;
    const int error = populate(write, n, arena->page);
    if (error != 0) {
        return error;
    }
    fill_with_traps(write, n);
    populate_to_run(arena->execute + arena->taken, n, arena->page);
    populate_to_run(arena->frames + arena->taken, n, arena->page);
    arena->taken += n;
    return 0;
}

/* The system has not given memory of the present kind. When it has run out of memory it may later;
 * otherwise the next kind is tried. */
static dame_status_t refused(dame_code_arena_t *arena, int error)
{
    if (memory_is_out(error)) {
        return DAME_ERR_NOMEM;
    }
    arena->error = error;
    arena->memory = (dame_jit_memory_t) (arena->memory + 1);
    return DAME_ERR_DENIED;
}

/* ---- making and destroying ---- */

void dame_code_arena_tell_unwinder(dame_code_arena_t *arena)
{
    arena->unwinds = 1;
}

dame_status_t dame_code_arena_create(size_t bytes, dame_jit_memory_t best, dame_code_arena_t **out)
{
    dame_code_arena_t *arena = dame_heap_zalloc(sizeof(*arena));
    if (arena == NULL) {
        return DAME_ERR_NOMEM;
    }
    arena->ends.next = arena->ends.prev = &arena->ends;
    arena->hand = &arena->ends;
    arena->memory = best;
    arena->process = getpid();
    arena->page = (size_t) sysconf(_SC_PAGESIZE);
    arena->limit = round_up(bytes, arena->page);
    *out = arena;
    return DAME_OK;
}

/* For `size` bytes of leaves. */
static dame_unwind_registration_t *register_leaf(const char *code, size_t size)
{
    _Alignas(8) char table[DAME_UNWIND_LEAF];
    const size_t table_size = dame_unwind_leaf(table, code, size);
    return dame_unwind_register(table, table_size, code);
}

void dame_code_arena_show(dame_code_arena_t *arena, uintptr_t pc)
{
    const uintptr_t start = (uintptr_t) arena->execute;
    if (arena->write != NULL && arena->leaf == NULL && pc - start < arena->limit) {
        dame_unwind_prepare();
        arena->leaf = register_leaf(arena->execute, arena->limit);
    }
}

/* Addresses come with the first code: most processes that could compile never do. */
static void map_once(dame_code_arena_t *arena)
{
    if (arena->memory != DAME_JIT_MEMORY_DUAL || arena->write != NULL) {
        return;
    }
    if (map_views(arena) != 0) {
        arena->error = errno; /* any error: an arena needs addresses */
        arena->memory = DAME_JIT_MEMORY_OWN;
    } else if (arena->unwinds) {
        arena->leaf = register_leaf(arena->execute, arena->limit);
    }
}

void dame_code_arena_destroy(dame_code_arena_t *arena)
{
    while (arena->ends.next != &arena->ends) {
        dame_code_arena_free(arena, arena->ends.next);
    }
    if (arena->write != NULL && !dame_code_arena_is_inherited(arena)) {
        if (arena->leaf != NULL) {
            dame_unwind_deregister(arena->leaf);
        }
        munmap(arena->write, arena->limit);
        munmap(arena->execute, arena->limit);
        munmap(arena->frames, arena->limit);
    } /* else a child: tables stay registered there, so they and their code stay also */
    dame_heap_free(arena);
}

/* ---- one arena: a ring of blocks with holes between them ---- */

static size_t end_of(const dame_code_block_t *block)
{
    return block->offset + block->room;
}

static size_t hole_after(const dame_code_arena_t *arena, const dame_code_block_t *block)
{
    const size_t end = block->next == &arena->ends ? arena->taken : block->next->offset;
    return end - end_of(block);
}

/* The block after which there is a hole of `room` bytes. */
static dame_status_t find_hole(dame_code_arena_t *arena, size_t room, dame_code_block_t **out)
{
    dame_code_block_t *at = arena->hand;
    for (int i = 0; i < MOST_STEPS; i++) {
        if (hole_after(arena, at) >= room) {
            *out = at;
            return DAME_OK;
        }
        at = at->next;
        if (at == arena->hand) {
            break;
        }
    }
    at = arena->ends.prev;
    const size_t end = end_of(at) + room;
    if (end > arena->taken) {
        if (end > arena->limit) {
            return DAME_ERR_FULL;
        }
        size_t more = round_up(end - arena->taken, round_up(SEGMENT, arena->page));
        if (more > arena->limit - arena->taken) {
            more = arena->limit - arena->taken;
        }
        const int error = take_segment(arena, more);
        if (error != 0) {
            return refused(arena, error);
        }
    }
    *out = at;
    return DAME_OK;
}

static dame_status_t put_in_arena(dame_code_arena_t *arena, const void *code, uint32_t unwind,
                                  dame_code_block_t *block)
{
    dame_code_block_t *before = NULL;
    block->room = round_up(block->size, GRANULE);
    dame_status_t status = find_hole(arena, block->room, &before);
    if (status != DAME_OK) {
        return status;
    }
    block->offset = end_of(before);
    char *view = unwind == DAME_NO_UNWIND ? arena->execute : arena->frames;
    block->execute = view + block->offset;
    block->prev = before;
    memcpy(arena->write + block->offset, code, block->size);
    sync_instructions(block->execute, block->size, block->offset < arena->fresh);
    arena->fresh = end_of(block) > arena->fresh ? end_of(block) : arena->fresh;
    return DAME_OK;
}

/* ---- pages for each block ---- */

static dame_status_t put_in_pages(dame_code_arena_t *arena, const void *code,
                                  dame_code_block_t *block)
{
    block->room = round_up(block->size, arena->page);
    if (block->room > arena->limit - arena->taken) {
        return DAME_ERR_FULL;
    }
    char *pages = mmap(NULL, block->room, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (pages == MAP_FAILED) {
        return refused(arena, errno);
    }
    fill_with_traps(pages, block->room);
    memcpy(pages, code, block->size);
    if (mprotect(pages, block->room, PROT_READ | PROT_EXEC) != 0) {
        int error = errno;
        munmap(pages, block->room);
        return refused(arena, error);
    }
    sync_instructions(pages, block->size, 1);
    block->own = 1;
    block->execute = pages;
    block->prev = arena->ends.prev;
    arena->taken += block->room;
    return DAME_OK;
}

/* ---- both ---- */

static void register_unwind(dame_code_block_t *block, uint32_t unwind)
{
    if (unwind != DAME_NO_UNWIND) {
        block->unwind =
            dame_unwind_register(block->execute + unwind, block->size - unwind, block->execute);
    } else if (block->own) {
        block->unwind = register_leaf(block->execute, block->size);
    }
}

dame_status_t dame_code_arena_put(dame_code_arena_t *arena, const void *code, size_t size,
                                  uint32_t unwind, dame_code_block_t **out)
{
    if (size > arena->limit) {
        return DAME_ERR_FULL;
    }
    if (dame_code_arena_is_inherited(arena)) {
        return DAME_ERR_DENIED;
    }
    dame_code_block_t *block = dame_heap_zalloc(sizeof(*block));
    if (block == NULL) {
        return DAME_ERR_NOMEM;
    }
    block->size = size;
    map_once(arena);
    dame_status_t status = DAME_ERR_DENIED;
    while (status == DAME_ERR_DENIED && arena->memory != DAME_JIT_MEMORY_NONE) {
        status = arena->memory == DAME_JIT_MEMORY_DUAL ? put_in_arena(arena, code, unwind, block)
                                                       : put_in_pages(arena, code, block);
    }
    if (status != DAME_OK) {
        dame_heap_free(block);
        return status;
    }
    if (arena->unwinds) {
        register_unwind(block, unwind);
    }
    block->next = block->prev->next;
    block->next->prev = block;
    block->prev->next = block;
    arena->hand = block;
    *out = block;
    return DAME_OK;
}

void dame_code_arena_free(dame_code_arena_t *arena, dame_code_block_t *block)
{
    block->prev->next = block->next;
    block->next->prev = block->prev;
    arena->hand = block->prev; /* so that the hole is filled first */
    const int stays = block->unwind != NULL && dame_code_arena_is_inherited(arena);
    if (block->unwind != NULL && !stays) {
        dame_unwind_deregister(block->unwind);
    }
    if (block->own) {
        if (!stays) {
            munmap(block->execute, block->room);
        }
        arena->taken -= block->room;
    } else if (!dame_code_arena_is_inherited(arena)) {
        fill_with_traps(arena->write + block->offset, block->room);
        sync_instructions(block->execute, block->room, 0);
    }
    dame_heap_free(block);
}

dame_jit_memory_t dame_code_arena_memory(const dame_code_arena_t *arena, int *error)
{
    *error = arena->error;
    return arena->memory;
}

size_t dame_code_arena_limit(const dame_code_arena_t *arena)
{
    return arena->limit;
}

size_t dame_code_arena_taken(const dame_code_arena_t *arena)
{
    return arena->taken;
}
