#define _GNU_SOURCE /* dl_iterate_phdr */
#include "got.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "elf_object.h"
#include "jit/lock.h"

/* A slot we wrote. */
typedef struct slot {
    uintptr_t *address;
    uintptr_t original;
    uintptr_t replacement;
} slot_t;

/* An object that was looked at. */
typedef struct object {
    uintptr_t base;
    char *name;
    slot_t *slots;
    size_t n_slots;
} object_t;

/* Under DAME_LOCK_SLOTS, which is never held while the dynamic linker is asked to open something.
 */
static struct {
    const dt_got_hook_t *hooks;
    size_t n_hooks;
    object_t *objects;
    size_t n_objects;
    unsigned long long subs; /* objects closed in this process (dlpi_subs), at the last scan */
} got;

/* ---- What is loaded ------------------------------------------------------------------------- */

/* An object as the dynamic linker lists it. */
typedef struct loaded {
    uintptr_t base;
    char *name;
} loaded_t;

typedef struct listing {
    loaded_t *entries;
    size_t n;
    unsigned long long subs; /* objects closed in this process so far */
    bool failed;
} listing_t;

static int list_object(struct dl_phdr_info *info, size_t size, void *context)
{
    listing_t *listing = context;
    (void) size;
    listing->subs = info->dlpi_subs;
    if (dt_elf_contains(info, (uintptr_t) &list_object)) {
        return 0; /* ourselves: from here the originals must stay callable */
    }
    loaded_t *entries = realloc(listing->entries, (listing->n + 1) * sizeof(*entries));
    char *name = strdup(info->dlpi_name);
    if (NULL == entries || NULL == name) {
        listing->entries = NULL == entries ? listing->entries : entries;
        free(name);
        listing->failed = true;
        return 1;
    }
    entries[listing->n++] = (loaded_t){.base = info->dlpi_addr, .name = name};
    listing->entries = entries;
    return 0;
}

static void free_listing(listing_t *listing)
{
    for (size_t i = 0; i < listing->n; i++) {
        free(listing->entries[i].name);
    }
    free(listing->entries);
}

/*
 * The dynamic linker lists objects before it has relocated them. Opening such an object once more,
 * without loading it, waits until that is done, and keeps the object until dlclose(). The main
 * program was relocated before anything of ours ran.
 */
static bool pin_object(const loaded_t *loaded, void **handle)
{
    *handle = NULL;
    if ('\0' == loaded->name[0]) {
        return true;
    }
    *handle = dlopen(loaded->name, RTLD_NOLOAD | RTLD_LAZY);
    struct link_map *map = NULL;
    if (NULL == *handle) {
        return false;
    }
    return 0 == dlinfo(*handle, RTLD_DI_LINKMAP, &map) && map->l_addr == loaded->base;
}

static void unpin(void *handle)
{
    if (NULL != handle) {
        (void) dlclose(handle);
    }
}

/* ---- One object ----------------------------------------------------------------------------- */

typedef struct change {
    uintptr_t base;
    object_t *object;
    const dt_elf_object_t *elf;
    dt_got_status_t status;
} change_t;

static bool hook_applies(const dt_got_hook_t *hook, const char *name)
{
    const char *file = strrchr(name, '/');
    file = NULL == file ? name : file + 1;
    if (DT_GOT_EVERYWHERE == hook->where) {
        return true;
    }
    return '\0' == hook->where[0] ? '\0' == name[0]
                                  : 0 == strncmp(file, hook->where, strlen(hook->where));
}

static bool write_slot(change_t *change, uintptr_t *address, uintptr_t replacement)
{
    object_t *object = change->object;
    slot_t *slots = realloc(object->slots, (object->n_slots + 1) * sizeof(*slots));
    if (NULL == slots) {
        change->status = DT_GOT_NO_MEMORY;
        return false;
    }
    object->slots = slots;
    slots[object->n_slots] = (slot_t){address, *address, replacement};
    if (!dt_elf_write(change->elf, address, replacement)) {
        change->status = DT_GOT_READ_ONLY;
        return false;
    }
    object->n_slots++;
    return true;
}

static bool rewrite(uintptr_t *address, const char *symbol, void *context)
{
    change_t *change = context;
    for (size_t i = 0; i < got.n_hooks; i++) {
        const dt_got_hook_t *hook = &got.hooks[i];
        if (0 == strcmp(symbol, hook->symbol) && hook_applies(hook, change->object->name)) {
            return hook->replacement == *address || write_slot(change, address, hook->replacement);
        }
    }
    return true;
}

static int rewrite_object(struct dl_phdr_info *info, size_t size, void *context)
{
    change_t *change = context;
    dt_elf_object_t elf;
    (void) size;
    if (info->dlpi_addr != change->base) {
        return 0;
    }
    if (dt_elf_read(&elf, info)) {
        change->elf = &elf;
        (void) dt_elf_slots(&elf, rewrite, change);
    }
    return 1;
}

static int restore_object(struct dl_phdr_info *info, size_t size, void *context)
{
    const change_t *change = context;
    dt_elf_object_t elf;
    (void) size;
    if (info->dlpi_addr != change->base) {
        return 0;
    }
    size_t n = dt_elf_read(&elf, info) ? change->object->n_slots : 0;
    for (size_t i = 0; i < n; i++) {
        slot_t *slot = &change->object->slots[i];
        /* What no longer holds our value is another object at an address that was reused. */
        if (dt_elf_contains(info, (uintptr_t) slot->address) &&
            slot->replacement == *slot->address) {
            (void) dt_elf_write(&elf, slot->address, slot->original);
        }
    }
    return 1;
}

static void forget_object(object_t *object)
{
    free(object->name);
    free(object->slots);
}

/* ---- All objects ---------------------------------------------------------------------------- */

static object_t *find_object(uintptr_t base, const char *name)
{
    for (size_t i = 0; i < got.n_objects; i++) {
        if (base == got.objects[i].base && 0 == strcmp(name, got.objects[i].name)) {
            return &got.objects[i];
        }
    }
    return NULL;
}

/* Forgets objects that are gone, so that others can be at their addresses. */
static void prune(const listing_t *listing)
{
    size_t kept = 0;
    for (size_t i = 0; i < got.n_objects; i++) {
        object_t *object = &got.objects[i];
        bool there = false;
        for (size_t k = 0; k < listing->n && !there; k++) {
            there = object->base == listing->entries[k].base &&
                    0 == strcmp(object->name, listing->entries[k].name);
        }
        if (there) {
            got.objects[kept++] = *object;
        } else {
            forget_object(object);
        }
    }
    got.n_objects = kept;
}

/* Closed and opened again, at the address where it was: its slots are fresh. */
static bool is_reopened(const object_t *object)
{
    return object->n_slots > 0 && object->slots[0].replacement != *object->slots[0].address;
}

/* A record for an object that has none. NULL when memory is out. */
static object_t *new_object(const loaded_t *loaded)
{
    object_t *objects = realloc(got.objects, (got.n_objects + 1) * sizeof(*objects));
    char *name = strdup(loaded->name);
    if (NULL == objects || NULL == name) {
        got.objects = NULL == objects ? got.objects : objects;
        free(name);
        return NULL;
    }
    got.objects = objects;
    objects[got.n_objects] = (object_t){.base = loaded->base, .name = name};
    return &objects[got.n_objects++];
}

/* The object is relocated and stays while we are here. */
static dt_got_status_t change_object(const loaded_t *loaded)
{
    object_t *object = find_object(loaded->base, loaded->name);
    if (NULL != object && !is_reopened(object)) {
        return DT_GOT_OK;
    }
    if (NULL == object && NULL == (object = new_object(loaded))) {
        return DT_GOT_NO_MEMORY;
    }
    object->n_slots = 0;
    change_t change = {.base = loaded->base, .object = object};
    (void) dl_iterate_phdr(rewrite_object, &change);
    return change.status;
}

/* Is there something to do, or to look at: objects may have been closed since, and opened again. */
static bool is_wanted(const loaded_t *loaded, bool closed)
{
    bool wanted = false;
    for (size_t i = 0; i < got.n_hooks; i++) {
        wanted |= hook_applies(&got.hooks[i], loaded->name);
    }
    const object_t *object = wanted ? find_object(loaded->base, loaded->name) : NULL;
    return wanted && (NULL == object || (closed && object->n_slots > 0));
}

/* Returns the first failure, having gone on to the other objects. */
static dt_got_status_t scan(void)
{
    listing_t listing = {.entries = NULL};
    dt_got_status_t status = DT_GOT_OK;
    dame_lock(DAME_LOCK_SLOTS);
    (void) dl_iterate_phdr(list_object, &listing);
    if (listing.failed) {
        status = DT_GOT_NO_MEMORY;
    } else {
        prune(&listing);
    }
    bool closed = listing.subs != got.subs;
    got.subs = listing.subs;
    for (size_t i = 0; !listing.failed && i < listing.n; i++) {
        if (!is_wanted(&listing.entries[i], closed)) {
            continue;
        }
        void *handle;
        dame_unlock(DAME_LOCK_SLOTS);
        bool pinned = pin_object(&listing.entries[i], &handle);
        dame_lock(DAME_LOCK_SLOTS);
        if (pinned && got.n_hooks > 0) {
            dt_got_status_t changed = change_object(&listing.entries[i]);
            status = DT_GOT_OK == status ? changed : status;
        }
        dame_unlock(DAME_LOCK_SLOTS);
        unpin(handle);
        dame_lock(DAME_LOCK_SLOTS);
    }
    dame_unlock(DAME_LOCK_SLOTS);
    free_listing(&listing);
    return status;
}

size_t dt_got_slots(void)
{
    size_t n = 0;
    dame_lock(DAME_LOCK_SLOTS);
    for (size_t i = 0; i < got.n_objects; i++) {
        n += got.objects[i].n_slots;
    }
    dame_unlock(DAME_LOCK_SLOTS);
    return n;
}

dt_got_status_t dt_got_install(const dt_got_hook_t *hooks, size_t n)
{
    dame_lock(DAME_LOCK_SLOTS);
    got.hooks = hooks;
    got.n_hooks = n;
    dame_unlock(DAME_LOCK_SLOTS);
    dt_got_status_t status = scan();
    if (DT_GOT_OK == status && 0 == dt_got_slots()) {
        status = DT_GOT_NO_SLOT;
    }
    if (DT_GOT_OK != status) {
        dt_got_restore();
    }
    return status;
}

void dt_got_rescan(void)
{
    (void) scan();
}

void dt_got_restore(void)
{
    dame_lock(DAME_LOCK_SLOTS);
    got.n_hooks = 0;
    object_t *objects = got.objects;
    size_t n = got.n_objects;
    got.objects = NULL;
    got.n_objects = 0;
    dame_unlock(DAME_LOCK_SLOTS);
    for (size_t i = 0; i < n; i++) {
        void *handle = NULL;
        loaded_t loaded = {.base = objects[i].base, .name = objects[i].name};
        if (objects[i].n_slots > 0 && pin_object(&loaded, &handle)) {
            change_t change = {.base = loaded.base, .object = &objects[i]};
            (void) dl_iterate_phdr(restore_object, &change);
        }
        unpin(handle);
        forget_object(&objects[i]);
    }
    free(objects);
}
