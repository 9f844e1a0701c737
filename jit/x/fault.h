/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places where the judge's tests break the emitter on purpose, to see that the judge notices
 * (test/judge/faults.c). Private to jit/x/.
 */
#ifndef DAME_X_FAULT_H
#define DAME_X_FAULT_H

/* `right`, except in the tests' own build of the emitter: `wrong` while they ask for this fault. */
#ifdef X_FAULTS
int x_fault_is(const char *name);
#define X_FAULT(name, right, wrong) (x_fault_is(#name) ? (wrong) : (right))
#else
#define X_FAULT(name, right, wrong) (right)
#endif

#endif
