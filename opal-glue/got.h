/*
 * Interposition: replaces functions of shared libraries in the loaded objects that call them, by
 * rewriting their GOT slots (JUMP_SLOT and GLOB_DAT relocations, System V ABI x86-64 and AArch64).
 *
 * The object this code is in is never touched, so from here the original functions stay callable by
 * their names. Thread rules: install and restore from one thread; rescan from any.
 */
#ifndef DT_GOT_H
#define DT_GOT_H

#include <stddef.h>
#include <stdint.h>

/* Values of dt_got_hook_t.where other than the prefix of an object's file name. */
#define DT_GOT_EVERYWHERE NULL
#define DT_GOT_MAIN_PROGRAM ""

typedef struct dt_got_hook {
    const char *symbol;
    uintptr_t replacement;
    const char *where; /* objects to change */
} dt_got_hook_t;

/*
 * Rewrites the slots of all objects that are loaded now. `hooks` must live until dt_got_restore().
 * Returns the number of slots rewritten, or -1 when a page could not be made writable; then every
 * slot is as it was.
 */
int dt_got_install(const dt_got_hook_t *hooks, size_t n);

/* Does the same for objects loaded since; free when there are none (one dl_iterate_phdr step). */
void dt_got_rescan(void);

/* Puts every slot back, in all objects that are still mapped. */
void dt_got_restore(void);

#endif
