/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of dame(1), most in a file of that name. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "tool.h"

extern const tool_command_t tool_bench;
extern const tool_command_t tool_cache;
extern const tool_command_t tool_check;
extern const tool_command_t tool_compile;
extern const tool_command_t tool_doctor;
extern const tool_command_t tool_draw;
extern const tool_command_t tool_explain;
extern const tool_command_t tool_from;
extern const tool_command_t tool_info;
extern const tool_command_t tool_mpi;
extern const tool_command_t tool_off;
extern const tool_command_t tool_on;
extern const tool_command_t tool_optimise;
extern const tool_command_t tool_overlap;
extern const tool_command_t tool_pack;
extern const tool_command_t tool_print;
extern const tool_command_t tool_record;
extern const tool_command_t tool_report;
extern const tool_command_t tool_status;
extern const tool_command_t tool_suggest;
extern const tool_command_t tool_summary;
extern const tool_command_t tool_tune;
extern const tool_command_t tool_typemap;
extern const tool_command_t tool_unpack;

/* The first name in a list of engines, the parameter dt, that is not an engine's, and its length;
 * NULL: all are. */
const char *tool_unknown_engine(const char *list, size_t length, size_t *unknown);

#endif
