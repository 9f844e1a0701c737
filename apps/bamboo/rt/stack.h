/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of tasks, and the switch between them. Needs no MPI. */
#ifndef BAMBOO_RT_STACK_H
#define BAMBOO_RT_STACK_H

#include <stddef.h>

typedef struct bamboo_stack {
    void *at;  /* where it goes on */
    char *low; /* NULL: the thread's own stack */
    size_t size;
    void *sanitizer; /* AddressSanitizer's stack of this one */
    void *thread;    /* ThreadSanitizer's state */
    void (*start)(void);
} bamboo_stack_t;

/* Memory with a page below it that faults, for a function that must not return. Its pages are taken
 * when they are touched. Returns whether there is memory. */
int bamboo_stack_make(bamboo_stack_t *stack, size_t size, void (*start)(void));
void bamboo_stack_free(bamboo_stack_t *stack);

/* Goes on at `to`. Returns when another switch goes to `from`. Registers
 * that the ABI preserves, and the modes of floating-point arithmetic, belong to a stack. */
void bamboo_stack_switch(bamboo_stack_t *from, bamboo_stack_t *to);

#endif
