/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the applications' commands share: exit codes, messages, options, files. dame(1) starts each
 * as a program dame-NAME. Messages go to standard error and start with "dame: ".
 */
#ifndef SHARED_TOOL_H
#define SHARED_TOOL_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes, as dame(1) has them. */
enum {
    TOOL_OK = 0,
    TOOL_WRONG = 1, /* the input is wrong */
    TOOL_USAGE = 2, /* the command line is wrong */
    TOOL_SYSTEM = 3 /* the system failed: input, output, memory */
};

/* run() gets its command line without --help, argv[0] being the name, and returns an exit code. */
typedef struct tool_command {
    const char *name;
    const char *arguments; /* as in "Usage: dame NAME ARGUMENTS" */
    const char *what;      /* half a line, no full stop; dame --help shows it */
    const char *help;      /* options and remarks, whole lines */
    int (*run)(int argc, char **argv);
} tool_command_t;

/* What main() returns. */
int tool_main(const tool_command_t *command, int argc, char **argv);

/* Prints "dame: ", the text and a newline, and returns `code`. */
int tool_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that memory is out for `thing`. Returns TOOL_SYSTEM. */
int tool_no_memory(const char *thing);

/* The next option as getopt_long() returns it, -1 behind the last (operands then start at optind),
 * or '?' after a message. `shorts` has a ':' before the options. */
int tool_option(int argc, char **argv, const char *shorts, const struct option *longs);

/* The decimal number in `text`, the value of an option, with an optional suffix k, M or G, in
 * either case, for powers of 1024. TOOL_USAGE after a message that names min and max. */
int tool_number(const char *name, const char *text, int64_t min, int64_t max, int64_t *out);

/* A file; "-" is standard input. The caller frees *text, which a '\0' ends. TOOL_SYSTEM after a
 * message. */
int tool_read(const char *path, char **text, size_t *length);

/* Makes `text` the contents of a file; "-" is standard output. TOOL_SYSTEM after a message. */
int tool_write(const char *path, const char *text, size_t length);

#endif
