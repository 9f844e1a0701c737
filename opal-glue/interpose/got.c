/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "got.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "elf_object.h"
#include "base/lock.h"

_Static_assert((int) DT_GOT_MOST_HOOKS == (int) DT_ELF_MOST_SYMBOLS, "each hook has a symbol");

/* A slot we wrote. */
typedef struct slot {
    uintptr_t *address;
    uintptr_t original;
    uintptr_t replacement;
    bool optional; /* its hook has an original */
} slot_t;

/* An object that was looked at. */
typedef struct object {
    uintptr_t base;
    char *name;
    slot_t *slots;
    size_t n_slots;
    bool waits; /* it is not changed yet, and may call functions that we replace */
    bool is_loaded;
} object_t;

/* Under DAME_LOCK_CALLER, which is never held while the dynamic linker is asked to open something.
 */
static struct {
    const dt_got_hook_t *hooks;
    size_t n_hooks;
    const char *symbols[DT_ELF_MOST_SYMBOLS]; /* theirs */
    bool unwrapped[DT_ELF_MOST_SYMBOLS]; /* does the global scope have their originals first? */
    object_t *objects;                   /* all that were loaded and are concerned */
    size_t n_objects;
    unsigned long long gone; /* how many others the dynamic linker had unloaded by then */
} got;

/* `where` as in dt_got_hook_t. */
static bool is_meant(const char *where, const char *name)
{
    const char *file = strrchr(name, '/');
    file = file == NULL ? name : file + 1;
    if (where == DT_GOT_EVERYWHERE) {
        return true;
    }
    return where[0] == '\0' ? name[0] == '\0' : strncmp(file, where, strlen(where)) == 0;
}

/* ---- Objects -------------------------------------------------------------------------------- */

/* The one after `hint`, or another; -1: it was not looked at. */
static int find_object(uintptr_t base, const char *name, int hint)
{
    const int n = (int) got.n_objects;
    for (int i = 0, at = hint; i < n; i++) {
        at = at + 1 < n ? at + 1 : 0;
        if (base == got.objects[at].base && strcmp(name, got.objects[at].name) == 0) {
            return at;
        }
    }
    return -1;
}

/* Returns its index, -1 when memory is out. */
static int add_object(uintptr_t base, const char *name)
{
    object_t *objects = realloc(got.objects, (got.n_objects + 1) * sizeof(*objects));
    char *copy = strdup(name);
    if (objects == NULL || copy == NULL) {
        got.objects = objects == NULL ? got.objects : objects;
        free(copy);
        return -1;
    }
    got.objects = objects;
    objects[got.n_objects] = (object_t){.base = base, .name = copy};
    return (int) got.n_objects++;
}

static void forget_object(object_t *object)
{
    free(object->name);
    free(object->slots);
}

/* Forgets objects that are gone, so that others can be at their addresses. */
static void prune(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < got.n_objects; i++) {
        if (got.objects[i].is_loaded) {
            got.objects[kept++] = got.objects[i];
        } else {
            forget_object(&got.objects[i]);
        }
    }
    got.n_objects = kept;
}

static bool is_our_slot(const slot_t *slot, const struct dl_phdr_info *info)
{
    return dt_elf_contains(info, (uintptr_t) slot->address) && slot->replacement == *slot->address;
}

/* Closed and opened again, at the address where it was: all its slots are fresh. Some of an object
 * that was not may have been taken by others, who do what we do. */
static bool is_reopened(const object_t *object, const struct dl_phdr_info *info)
{
    size_t i = 0;
    while (i < object->n_slots && !is_our_slot(&object->slots[i], info)) {
        i++;
    }
    return object->n_slots > 0 && i == object->n_slots;
}

/* ---- One object ----------------------------------------------------------------------------- */

typedef struct change {
    object_t *object;
    const struct dl_phdr_info *info;
    const dt_elf_object_t *elf;
    dt_got_status_t status;
} change_t;

/*
 * A slot that is not bound yet leads back into its own object. The dynamic linker's choice is known
 * only where it looks into the global scope first and no flag can have changed that: in the main
 * program, and in Open MPI's own libraries for Fortran. Others, which may have been opened with
 * RTLD_DEEPBIND beside a wrapper, stay as they are.
 */
static bool will_lead_to_original(const change_t *change, size_t which, uintptr_t target)
{
    const char *name = change->object->name;
    const bool global = is_meant(DT_GOT_MAIN_PROGRAM, name) || is_meant("libmpi_", name);
    return global && got.unwrapped[which] && dt_elf_contains(change->info, target);
}

static bool leads_to_original(const change_t *change, size_t which, uintptr_t target)
{
    const dt_got_hook_t *hook = &got.hooks[which];
    return hook->original == 0 || hook->original == target ||
           will_lead_to_original(change, which, target);
}

static bool write_slot(change_t *change, uintptr_t *address, const dt_got_hook_t *hook)
{
    const bool optional = hook->original != 0;
    object_t *object = change->object;
    slot_t *slots = realloc(object->slots, (object->n_slots + 1) * sizeof(*slots));
    if (slots == NULL) {
        change->status = DT_GOT_NO_MEMORY;
        return false;
    }
    object->slots = slots;
    slots[object->n_slots] = (slot_t){address, *address, hook->replacement, optional};
    if (!dt_elf_write(change->elf, address, hook->replacement)) {
        change->status = optional ? change->status : DT_GOT_READ_ONLY;
        return optional;
    }
    object->n_slots++;
    return true;
}

static bool rewrite(uintptr_t *address, size_t which, void *context)
{
    change_t *change = context;
    const dt_got_hook_t *hook = &got.hooks[which];
    return !is_meant(hook->where, change->object->name) || hook->replacement == *address ||
           !leads_to_original(change, which, *address) || write_slot(change, address, hook);
}

/* Changes the slots of an object that is relocated. */
static dt_got_status_t change_slots(object_t *object, const struct dl_phdr_info *info)
{
    dt_elf_object_t elf;
    change_t change = {.object = object, .info = info, .elf = &elf};
    object->waits = false;
    object->n_slots = 0;
    if (dt_elf_read(&elf, info)) {
        dt_elf_slots(&elf, got.symbols, got.n_hooks, rewrite, &change);
    }
    return change.status;
}

/* ---- Loaded objects ------------------------------------------------------------------------- */

/* Our slots are not in this object: from here the originals must stay callable. */
static bool is_this_object(const struct dl_phdr_info *info)
{
    return dt_elf_contains(info, (uintptr_t) &is_this_object);
}

/* Returns whether a hook is for objects of this name. */
static bool is_concerned(const char *name)
{
    size_t i = 0;
    while (i < got.n_hooks && !is_meant(got.hooks[i].where, name)) {
        i++;
    }
    return i < got.n_hooks;
}

static bool may_have_slots(const struct dl_phdr_info *info)
{
    const char *symbols[DT_ELF_MOST_SYMBOLS];
    size_t n = 0;
    dt_elf_object_t elf;
    for (size_t i = 0; i < got.n_hooks; i++) {
        if (is_meant(got.hooks[i].where, info->dlpi_name)) {
            symbols[n++] = got.hooks[i].symbol;
        }
    }
    return !is_this_object(info) && dt_elf_read(&elf, info) && dt_elf_may_have(&elf, symbols, n);
}

typedef struct walk {
    bool begun;
    int last;     /* the object before this one, -1: it is the first */
    bool as_were; /* those that were there are still */
    bool younger; /* this object was listed already */
    dt_got_status_t status;
} walk_t;

static void note(dt_got_status_t *first, dt_got_status_t status)
{
    *first = *first == DT_GOT_OK ? status : *first;
}

/*
 * Open MPI opens and closes many components. The dynamic linker lists new objects last: unless one
 * was unloaded since another walk, as many as are known come first, and they are those.
 *
 * It relocates an object before it opens more. So, since this code runs, all that is listed before
 * this object is relocated, and is changed at once; what comes after may have to wait.
 */
static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
    walk_t *walk = context;
    (void) size;
    if (!walk->begun) {
        walk->begun = true;
        walk->as_were = got.n_objects > 0 && got.gone == info->dlpi_subs;
        got.gone = info->dlpi_subs;
    }
    walk->younger = walk->younger || is_this_object(info);
    if (!is_concerned(info->dlpi_name)) {
        return 0;
    }
    if (walk->as_were && walk->last + 1 < (int) got.n_objects) {
        got.objects[++walk->last].is_loaded = true;
        return 0;
    }
    int at = find_object(info->dlpi_addr, info->dlpi_name, walk->last);
    if (at < 0) {
        at = add_object(info->dlpi_addr, info->dlpi_name);
        if (at < 0) {
            walk->status = DT_GOT_NO_MEMORY;
            got.gone = ULLONG_MAX; /* not all are known */
            return 1;
        }
        got.objects[at].waits = !walk->younger || may_have_slots(info);
    }
    object_t *object = &got.objects[at];
    object->waits |= is_reopened(object, info);
    object->is_loaded = true;
    walk->last = at;
    if (object->waits && !walk->younger) {
        note(&walk->status, change_slots(object, info));
    }
    return 0;
}

static dt_got_status_t look_at_all(void)
{
    walk_t walk = {.last = -1, .status = DT_GOT_OK};
    for (size_t i = 0; i < got.n_objects; i++) {
        got.objects[i].is_loaded = false;
    }
    if (dl_iterate_phdr(look_at_object, &walk) == 0) {
        prune();
    }
    return walk.status;
}

/* ---- Objects that wait ---------------------------------------------------------------------- */

/* An object as the dynamic linker lists it. */
typedef struct loaded {
    uintptr_t base;
    char *name;
} loaded_t;

typedef struct listing {
    loaded_t *entries;
    size_t n;
} listing_t;

static void free_listing(listing_t *listing)
{
    for (size_t i = 0; i < listing->n; i++) {
        free(listing->entries[i].name);
    }
    free(listing->entries);
}

/* False: memory is out. */
static bool list_those_that_wait(listing_t *listing)
{
    for (size_t i = 0; i < got.n_objects; i++) {
        if (!got.objects[i].waits) {
            continue;
        }
        if (listing->entries == NULL) {
            listing->entries = calloc(got.n_objects - i, sizeof(*listing->entries));
        }
        char *name = listing->entries == NULL ? NULL : strdup(got.objects[i].name);
        if (name == NULL) {
            return false;
        }
        listing->entries[listing->n++] = (loaded_t){got.objects[i].base, name};
    }
    return true;
}

/*
 * The dynamic linker lists objects before it has relocated them. Opening such an object once more,
 * without loading it, waits until that is done, and keeps the object until dlclose(). The main
 * program was relocated before anything of ours ran.
 */
static bool pin_object(const loaded_t *loaded, void **handle)
{
    *handle = NULL;
    if (loaded->name[0] == '\0') {
        return true;
    }
    *handle = dlopen(loaded->name, RTLD_NOLOAD | RTLD_LAZY);
    struct link_map *map = NULL;
    if (*handle == NULL) {
        return false;
    }
    return dlinfo(*handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_addr == loaded->base;
}

static void unpin(void *handle)
{
    if (handle != NULL) {
        (void) dlclose(handle);
    }
}

/* ---- A pinned object ------------------------------------------------------------------------- */

typedef struct pinned {
    uintptr_t base;
    object_t *object;
    dt_got_status_t status;
} pinned_t;

static int change_pinned(struct dl_phdr_info *info, size_t size, void *context)
{
    pinned_t *pinned = context;
    (void) size;
    if (info->dlpi_addr != pinned->base) {
        return 0;
    }
    pinned->status = change_slots(pinned->object, info);
    return 1;
}

/* With the lock held, which is given back meanwhile. */
static dt_got_status_t pin_and_change(const loaded_t *loaded)
{
    pinned_t pinned = {.base = loaded->base, .status = DT_GOT_OK};
    void *handle;
    dame_unlock(DAME_LOCK_CALLER);
    const bool is_pinned = pin_object(loaded, &handle);
    dame_lock(DAME_LOCK_CALLER);
    const int at = is_pinned && got.n_hooks > 0 ? find_object(loaded->base, loaded->name, -1) : -1;
    if (at >= 0 && got.objects[at].waits) { /* unless another thread was faster */
        pinned.object = &got.objects[at];
        (void) dl_iterate_phdr(change_pinned, &pinned);
    }
    dame_unlock(DAME_LOCK_CALLER);
    unpin(handle);
    dame_lock(DAME_LOCK_CALLER);
    return pinned.status;
}

static int restore_object(struct dl_phdr_info *info, size_t size, void *context)
{
    const pinned_t *pinned = context;
    dt_elf_object_t elf;
    (void) size;
    if (info->dlpi_addr != pinned->base) {
        return 0;
    }
    size_t n = dt_elf_read(&elf, info) ? pinned->object->n_slots : 0;
    for (size_t i = 0; i < n; i++) {
        slot_t *slot = &pinned->object->slots[i];
        /* What no longer holds our value is another object at an address that was reused. */
        if (is_our_slot(slot, info)) {
            (void) dt_elf_write(&elf, slot->address, slot->original);
        }
    }
    return 1;
}

/* ---- All objects ---------------------------------------------------------------------------- */

/* Returns the first failure, having gone on to the other objects. */
static dt_got_status_t scan(void)
{
    listing_t listing = {.entries = NULL};
    dt_got_status_t status = DT_GOT_OK;
    dame_lock(DAME_LOCK_CALLER);
    if (got.n_hooks > 0) {
        status = look_at_all();
        note(&status, list_those_that_wait(&listing) ? DT_GOT_OK : DT_GOT_NO_MEMORY);
    }
    for (size_t i = 0; i < listing.n; i++) {
        note(&status, pin_and_change(&listing.entries[i]));
    }
    dame_unlock(DAME_LOCK_CALLER);
    free_listing(&listing);
    return status;
}

size_t dt_got_slots(void)
{
    size_t n = 0;
    dame_lock(DAME_LOCK_CALLER);
    for (size_t i = 0; i < got.n_objects; i++) {
        n += got.objects[i].n_slots;
    }
    dame_unlock(DAME_LOCK_CALLER);
    return n;
}

/* Returns whether there is a slot of a hook that has no original. */
static bool has_needed_slot(void)
{
    bool has = false;
    dame_lock(DAME_LOCK_CALLER);
    for (size_t i = 0; i < got.n_objects; i++) {
        for (size_t j = 0; j < got.objects[i].n_slots; j++) {
            has = has || !got.objects[i].slots[j].optional;
        }
    }
    dame_unlock(DAME_LOCK_CALLER);
    return has;
}

/* Asks the dynamic linker, so with no lock held. */
static bool is_unwrapped(const dt_got_hook_t *hook)
{
    return hook->original != 0 && (uintptr_t) dlsym(RTLD_DEFAULT, hook->symbol) == hook->original;
}

dt_got_status_t dt_got_install(const dt_got_hook_t *hooks, size_t n)
{
    const size_t n_hooks = n < DT_ELF_MOST_SYMBOLS ? n : DT_ELF_MOST_SYMBOLS;
    bool unwrapped[DT_ELF_MOST_SYMBOLS];
    for (size_t i = 0; i < n_hooks; i++) {
        unwrapped[i] = is_unwrapped(&hooks[i]);
    }
    dame_lock(DAME_LOCK_CALLER);
    got.hooks = hooks;
    got.n_hooks = n_hooks;
    for (size_t i = 0; i < n_hooks; i++) {
        got.symbols[i] = hooks[i].symbol;
        got.unwrapped[i] = unwrapped[i];
    }
    dame_unlock(DAME_LOCK_CALLER);
    dt_got_status_t status = scan();
    if (status == DT_GOT_OK && !has_needed_slot()) {
        status = DT_GOT_NO_SLOT;
    }
    if (status != DT_GOT_OK) {
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
    dame_lock(DAME_LOCK_CALLER);
    got.n_hooks = 0;
    object_t *objects = got.objects;
    size_t n = got.n_objects;
    got.objects = NULL;
    got.n_objects = 0;
    dame_unlock(DAME_LOCK_CALLER);
    for (size_t i = 0; i < n; i++) {
        void *handle = NULL;
        loaded_t loaded = {.base = objects[i].base, .name = objects[i].name};
        if (objects[i].n_slots > 0 && pin_object(&loaded, &handle)) {
            pinned_t pinned = {.base = loaded.base, .object = &objects[i]};
            (void) dl_iterate_phdr(restore_object, &pinned);
        }
        unpin(handle);
        forget_object(&objects[i]);
    }
    free(objects);
}
