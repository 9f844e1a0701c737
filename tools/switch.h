/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether DAME is switched on, and the other parameters of the framework dt. */
#ifndef SWITCH_H
#define SWITCH_H

/* Prints a line about `subject`, on or off and by what, and one for each other parameter that the
 * environment or a parameter file sets. Puts OMPI_MCA_dt into the environment. */
void switch_print(const char *subject);

#endif
