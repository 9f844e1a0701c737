/* SPDX-License-Identifier: BSD-3-Clause */
/* The tests of mpi_test, one for each file; a test sets up MPI itself and returns the exit code. */
#ifndef TEST_MPI_TESTS_H
#define TEST_MPI_TESTS_H

int broken_main(int argc, char **argv);
int cancel_main(int argc, char **argv);
int compiled_main(int argc, char **argv);
int llvm_main(int argc, char **argv);
int convertor_main(int argc, char **argv);
int devices_main(int argc, char **argv);
int edge_main(int argc, char **argv);
int forks_main(int argc, char **argv);
int frags_main(int argc, char **argv);
int fresh_main(int argc, char **argv);
int heap_main(int argc, char **argv);
int idle_main(int argc, char **argv);
int late_main(int argc, char **argv);
int late_dso_main(int argc, char **argv);
int lifetime_main(int argc, char **argv);
int matching_main(int argc, char **argv);
int mpit_main(int argc, char **argv);
int native_main(int argc, char **argv);
int onesided_main(int argc, char **argv);
int p2p_main(int argc, char **argv);
int pack_main(int argc, char **argv);
int report_main(int argc, char **argv);
int slots_main(int argc, char **argv);
int threads_main(int argc, char **argv);
int typemaps_main(int argc, char **argv);

/* What tests share: a number of datatypes of one shape, one after the other (lifetime.c). Of each
   seven, one is not used; the others are used once. */
void churn(int lives);

#endif
