/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/build.h: what a build compiles, and how. */
#ifndef SUGGEST_C_BUILD_H
#define SUGGEST_C_BUILD_H

/* Runs COMMAND (ends with NULL) with compilers that write down their command lines. Returns a
 * directory with a compile_commands.json of the sources that exist now, and in *files their paths,
 * of which there are *n; the caller frees with build_free(). NULL after a message on stderr: it
 * cannot be run, or compiles nothing. A command that fails is reported, and what it compiled is
 * used. */
char *build_watch(char *const *command, char ***files, int *n);
void build_free(char *directory, char **files, int n);

#endif
