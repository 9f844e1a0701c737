/* SPDX-License-Identifier: BSD-3-Clause */
/* What can happen to a process, each in a file of its own; a function sets up MPI and returns the
 * exit code. */
#ifndef TEST_FAULTS_HOSTILE_H
#define TEST_FAULTS_HOSTILE_H

int ends_main(int argc, char **argv);
int children_main(int argc, char **argv);
int signals_main(int argc, char **argv);
int stacks_main(int argc, char **argv);
int quiet_main(int argc, char **argv);
int affinity_main(int argc, char **argv);
int cancelled_main(int argc, char **argv);
int seccomp_main(int argc, char **argv);

#endif
