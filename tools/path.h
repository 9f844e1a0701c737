/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where processes of mpirun look for components. PMIx 5 hands a parameter of its own file on to
 * them, as if it were Open MPI's: if that file names PMIx's directory, as Debian 13's does, they
 * look there only. Of their own accord they would look where ompi_info says.
 */
#ifndef PATH_H
#define PATH_H

#define PATH_OWN_FILE "~/.pmix/mca-params.conf"

/* Where they look, if that is not `directory`; the caller frees. NULL: they find it. */
char *path_of_ranks(const char *directory);

/* Lets them look where Open MPI does, or takes that back: in PMIx's file in the user's home, or,
 * `system`, in PMIx's own. Only what stands in the way is changed, and said. TOOL_SYSTEM after a
 * message. */
int path_open(int system);
int path_close(int system);

#endif
