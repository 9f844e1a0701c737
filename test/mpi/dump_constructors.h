/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of dt_dame_dump say of how a datatype was made. */
#ifndef TEST_MPI_DUMP_CONSTRUCTORS_H
#define TEST_MPI_DUMP_CONSTRUCTORS_H

/* Uses a datatype of every constructor once, and checks the line of its file. */
void constructors_are_said(const char *dump_directory);

#endif
