/*
 * What the commands of dame(1) share: the table of commands, exit codes, messages, options, input.
 *
 * Messages go to standard error and start with "dame: "; results go to standard output, whose
 * errors main() reports.
 */
#ifndef TOOL_H
#define TOOL_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

#include "dame.h"

/* Exit codes. */
enum {
    TOOL_OK = 0,
    TOOL_WRONG = 1, /* the input is wrong: not a program, data too short, a check failed */
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
    const char *help;      /* options and remarks, whole lines; "" when there are none */
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
 * k, M or G for powers of 1024. TOOL_USAGE after a message that names min and max.
 */
int tool_number(const char *name, const char *text, int64_t min, int64_t max, int64_t *out);

/* ---- input ---- */

/*
 * All of a file; "-" is standard input. The caller frees *bytes (never NULL on TOOL_OK, and
 * followed by a '\0' that *length does not count). TOOL_SYSTEM after a message.
 */
int tool_read(const char *path, char **bytes, size_t *length);

/*
 * The program in a file; "-" is standard input. TOOL_WRONG after a message
 * "dame: FILE:LINE:COLUMN: what is wrong", or TOOL_SYSTEM. The caller frees with
 * dame_program_free().
 */
int tool_load(const char *path, dame_program_t **out);

/* How messages call a path: itself, or "standard input". */
const char *tool_input_name(const char *path);

#endif
