/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for people. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_NUMBER = 32 }; /* room for a number */

/* 1234567 as "1,234,567". Returns `buffer`, which has TEXT_NUMBER bytes. */
const char *text_number(char *buffer, int64_t number);

/* Bytes as a length with a unit, rounded: "12 bytes", "1.5 MB", "34 kB". */
const char *text_bytes(char *buffer, int64_t bytes);

/* Three digits and a unit. As for the next, `buffer` has TEXT_NUMBER bytes and is returned. */
const char *text_digits(char *buffer, double value, const char *unit);

/* Nanoseconds as a time: "1.42 ms". */
const char *text_time(char *buffer, double ns);

/* The singular or the plural. */
const char *text_plural(int64_t n, const char *one, const char *many);

/* Writes text as XML character data: what XML does not allow becomes '?'. */
void text_xml(const char *text, FILE *out);

/* Length of the UTF-8 sequence of a character that starts here; 0 when it is none, or one that XML
 * does not allow. */
int text_sequence(const char *text);

/*
 * How many bytes of `text` a line of `room` characters holds: whole words if it can be. Characters
 * of 3 bytes and more, which tend to be wide, count twice; bytes that are not UTF-8 are a character
 * each.
 */
size_t text_fit(const char *text, int64_t room);

#endif
