/* SPDX-License-Identifier: BSD-3-Clause */
/* test/static includes this in each file for cppcheck, which does not read <sys/queue.h>, and stops
   at a macro that it does not know. */
#ifndef TEST_LIB_CPPCHECK_H
#define TEST_LIB_CPPCHECK_H

// clang-format off
#define LIST_HEAD(name, type) struct name { struct type *first; }
#define LIST_HEAD_INITIALIZER(head) {NULL}
#define LIST_ENTRY(type) struct { struct type *next, **before; }
#define LIST_INIT(head) ((head)->first = NULL)
#define LIST_EMPTY(head) ((head)->first == NULL)
#define LIST_FIRST(head) ((head)->first)
#define LIST_NEXT(item, field) ((item)->field.next)
#define LIST_FOREACH(item, head, field) \
    for ((item) = LIST_FIRST(head); (item) != NULL; (item) = LIST_NEXT(item, field))
#define LIST_INSERT_HEAD(head, item, field) do { \
    (item)->field.next = (head)->first; \
    (item)->field.before = &(head)->first; \
    (head)->first = (item); \
} while (0)
#define LIST_INSERT_AFTER(at, item, field) do { \
    (item)->field.next = (at)->field.next; \
    (item)->field.before = &(at)->field.next; \
    (at)->field.next = (item); \
} while (0)
#define LIST_REMOVE(item, field) (*(item)->field.before = (item)->field.next)

#define TAILQ_HEAD(name, type) struct name { struct type *first, *last; }
#define TAILQ_HEAD_INITIALIZER(head) {NULL, NULL}
#define TAILQ_ENTRY(type) struct { struct type *next, *previous; }
#define TAILQ_INIT(head) ((head)->first = (head)->last = NULL)
#define TAILQ_EMPTY(head) ((head)->first == NULL)
#define TAILQ_FIRST(head) ((head)->first)
#define TAILQ_LAST(head, name) ((head)->last)
#define TAILQ_NEXT(item, field) ((item)->field.next)
#define TAILQ_FOREACH(item, head, field) \
    for ((item) = TAILQ_FIRST(head); (item) != NULL; (item) = TAILQ_NEXT(item, field))
#define TAILQ_INSERT_HEAD(head, item, field) do { \
    (item)->field.next = (head)->first; \
    (item)->field.previous = NULL; \
    (head)->first = (item); \
} while (0)
#define TAILQ_INSERT_TAIL(head, item, field) do { \
    (item)->field.previous = (head)->last; \
    (item)->field.next = NULL; \
    (head)->last = (item); \
} while (0)
#define TAILQ_REMOVE(head, item, field) do { \
    if ((item)->field.previous != NULL) \
        (item)->field.previous->field.next = (item)->field.next; \
    else \
        (head)->first = (item)->field.next; \
} while (0)
// clang-format on

#endif
