/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests whether the declarations of abi/ fit the Open MPI that runs. Asked before anything of it
 * is changed. A first fact that does not fit is named in one message a job, with what to do;
 * then nothing may be touched, and Open MPI's own engine does everything.
 *
 * Nothing here trusts the declarations: addresses found through them are read by way of the
 * system, which refuses bad ones, and objects that the library fills have room to spare.
 */
#ifndef DT_SELF_TEST_H
#define DT_SELF_TEST_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the running Open MPI is of the series we were compiled for, and our declarations
 * of its classes, frameworks and parameters fit. False, with a message once a job, if not: then
 * nothing of its internals may be touched. */
bool dt_openmpi_fits(void);

/* Only the former. No message. */
bool dt_openmpi_is_of_series(void);

/* The same for performance variables, by one that was registered with this context. */
bool dt_openmpi_pvar_fits(int index, const void *context);

/* Datatypes, convertors and local copies: a dozen datatypes are made, packed, positioned, unpacked
 * and copied by Open MPI's own engine. By the thread that starts DAME. */
bool dt_self_test_engine(void);

/* ---- For the parts of the test -------------------------------------------------------------- */

/* True, or false and the message: `fact` is not as we declare it. */
bool dt_self_test_fact(bool holds, const char *fact);

/* Copies `size` <= 4096 bytes from an address that may be bad; false if it is. */
bool dt_self_test_read(void *to, const void *from, size_t size);

/* Returns whether it is the address of this text. */
bool dt_self_test_is_text(const char *address, const char *text);

/* Returns whether it is the address of a function, or of data, of the loaded object that a class's
 * constructor is in. */
struct opal_class_t;
bool dt_self_test_is_beside(const void *address, const struct opal_class_t *class);

#endif
