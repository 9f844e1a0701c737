/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition: replaces functions of shared libraries in the loaded objects that call them, by
 * rewriting their GOT slots.
 *
 * The object this code is in is never touched, so from here the original functions stay callable by
 * their names. Thread rules: install and restore from one thread; rescan from any.
 */
#ifndef DT_GOT_H
#define DT_GOT_H

#include <stddef.h>
#include <stdint.h>

/* Values of dt_got_hook_t.where other than the prefix of an object's file name. */
#define DT_GOT_EVERYWHERE   NULL
#define DT_GOT_MAIN_PROGRAM ""

enum { DT_GOT_MOST_HOOKS = 16 };

typedef struct dt_got_hook {
    const char *symbol;
    uintptr_t replacement;
    const char *where;  /* objects to change */
    uintptr_t original; /* 0, or the function that a slot must lead to: those that lead to another,
                           such as a profiling library's of the same name, stay as they are, and so
                           does, without failure, a slot that cannot be written */
} dt_got_hook_t;

typedef enum dt_got_status {
    DT_GOT_OK,
    DT_GOT_NO_SLOT,   /* no object calls these functions through a GOT; those with an original do
                         not count */
    DT_GOT_READ_ONLY, /* a page could not be made writable */
    DT_GOT_NO_MEMORY
} dt_got_status_t;

/*
 * Rewrites the slots of all objects that are loaded now. `hooks`, 1 to 16, must live
 * until dt_got_restore(). When the result is not DT_GOT_OK every slot is as it was.
 */
dt_got_status_t dt_got_install(const dt_got_hook_t *hooks, size_t n);

/* Does the same for objects loaded since. To be called after dlopen(), with no lock held. An object
 * that cannot be changed keeps calling the original functions. */
void dt_got_rescan(void);

/* Puts every slot back, in all objects that are still mapped. */
void dt_got_restore(void);

/* Slots that are rewritten at the moment. */
size_t dt_got_slots(void);

#endif
