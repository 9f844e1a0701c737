/* What the tests of apps/suggest/'s core share. */
#ifndef SUGGEST_TEST_H
#define SUGGEST_TEST_H

#include <stdbool.h>

/* Counts a test, and prints the error if it fails. */
void check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The files of cases. */
void cases_run(const char *path);

/* Loop nests of which the test knows every byte. */
void nests_run(int count, unsigned long seed);

/* Polynomials, against values. */
void poly_run(int count, unsigned long seed);

/* What the reader refuses, and the limits. */
void texts_run(void);

#endif
