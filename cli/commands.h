/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of dame(1), most in a file of that name. tools/Makefrag.am lists them; make writes
 * that list into commands.def. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "tool.h"

#define COMMAND(name) extern const tool_command_t tool_##name;
#include "cli/commands.def"
#undef COMMAND

/* The first name in a list of engines, the parameter dt, that is not an engine's, and its length;
 * NULL: all are. */
const char *tool_unknown_engine(const char *list, size_t length, size_t *unknown);

#endif
