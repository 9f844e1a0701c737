/* SPDX-License-Identifier: BSD-3-Clause */
/* Includes the library's public headers, except for cpu.h and isa.h. */
#ifndef DAME_H
#define DAME_H

#include "dame/cursor.h"
#include "dame/options.h"
#include "dame/program.h"
#include "dame/status.h"
#include "dame/text.h"
#include "dame/type.h"

#endif
