/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the commands of dame(1) share: the table of commands, exit codes, messages, options, input.
 *
 * Messages go to standard error and start with "dame: "; results go to standard output; main()
 * reports its errors.
 */
#ifndef TOOL_H
#define TOOL_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dame/errors.h"

/* Exit codes. */
enum {
    TOOL_OK = 0,
    TOOL_WRONG = 1, /* the input is wrong: not a program, a check failed */
    TOOL_USAGE = 2, /* the command line is wrong */
    TOOL_SYSTEM = 3 /* the system failed: input, output, memory */
};

/*
 * A command. run() gets its own command line, argv[0] being the command's name, and returns an exit
 * code; main() has dealt with --help.
 */
typedef struct tool_command {
    const char *name;
    const char *arguments; /* as in "Usage: dame NAME ARGUMENTS" */
    const char *what;      /* half a line, no full stop */
    const char *help;      /* options and remarks, whole lines; "" without any */
    int (*run)(int argc, char **argv);
} tool_command_t;

/* ---- errors ---- */

/* Prints "dame: ", the text and a newline, and returns `code`. */
int tool_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that `thing` failed with a status of the library; returns the exit code that fits it. */
int tool_status_error(const char *thing, dame_status_t status);

/* ---- command line ---- */

/*
 * The next option as getopt_long() returns it, -1 behind the last (operands then start at optind),
 * or '?' after a message. `shorts` starts with ':'.
 */
int tool_option(int argc, char **argv, const char *shorts, const struct option *longs);

/* TOOL_OK when between min and max operands start at optind; TOOL_USAGE after a message. */
int tool_operands(int argc, char **argv, int min, int max);

/*
 * The number in `text`, the value of the option or operand `name`; decimal, with an optional suffix
 * k, M or G, in either case, for powers of 1024. TOOL_USAGE after a message that names min and max.
 */
int tool_number(const char *name, const char *text, int64_t min, int64_t max, int64_t *out);

/* ---- input ---- */

/*
 * A file, but no more than its first `limit` bytes; "-" is standard input. The caller frees *bytes
 * (never NULL on TOOL_OK, and followed by a '\0' that *length does not count). TOOL_SYSTEM after a
 * message.
 */
int tool_read(const char *path, size_t limit, char **bytes, size_t *length);

/* A text of up to 1 GiB; otherwise as tool_read(). TOOL_WRONG after a message when it is longer. */
int tool_read_text(const char *path, char **text, size_t *length);

/* The same with the message in `message`, of `room` bytes. */
int tool_try_read_text(const char *path, char **text, size_t *length, char *message, size_t room);

/* Prints "dame: FILE:LINE:COLUMN: " and the reason, without a place when `line` is 0. Returns
 * `code`. */
int tool_text_error(int code, const char *path, int64_t line, int64_t column, const char *reason);

/* How messages call a path: itself, or "standard input". */
const char *tool_input_name(const char *path);

/* ---- messages of elements ---- */

/* Of an element of a datatype, in bytes: packed, from one to the next, and where its data lies. */
typedef struct tool_bounds {
    int64_t size;
    int64_t extent;
    int64_t true_lb;
    int64_t true_ub;
} tool_bounds_t;

/*
 * The bytes that `count` elements have in user memory lie in [*low, *high), from the first
 * element's origin on; 0 and 0 without data. *total is the length of their packed stream.
 * TOOL_USAGE after a message when a number does not fit in 64 bits.
 */
int tool_span(const tool_bounds_t *bounds, int64_t count, int64_t *low, int64_t *high,
              int64_t *total);

/* ---- output ---- */

/*
 * Makes `bytes` the contents of a file; "-" is standard output. A file is replaced as a whole, or,
 * after an error, left as it was; a file that is not regular, or is in a directory that takes no
 * new file, is written to. TOOL_SYSTEM after a message.
 */
int tool_write(const char *path, const char *bytes, size_t length);

/* Writes `text` as a JSON string, quotes included; bytes that are not UTF-8 become U+FFFD. */
void tool_json_string(FILE *out, const char *text);

#endif
