/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices' back ends of LLVM: from a module to text. Private to jit/.
 */
#ifndef DAME_GRID_TEXT_H
#define DAME_GRID_TEXT_H

#include <llvm-c/Core.h>

#include "dame/status.h"
#include "grid.h"

/*
 * Optimises `module` for devices of the target and writes assembly, with a null byte behind it, at
 * `text`. Sets *size, the null byte included. DAME_ERR_UNSUPPORTED: this LLVM has no such back end,
 * or it failed; DAME_ERR_LIMIT: more than `room` bytes.
 */
dame_status_t dame_grid_text(LLVMModuleRef module, dame_grid_target_t target, char *text,
                             size_t room, size_t *size);

#endif
