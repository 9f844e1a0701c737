/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of the instructions that may be used, besides those that only compute with vectors. */
#ifndef JUDGE_MNEMONICS_H
#define JUDGE_MNEMONICS_H

#include <Zydis/Zydis.h>

#include "listing.h"

/* ACTION_NONE: not on the list. */
action_t mnemonic_action(ZydisMnemonic mnemonic);

#endif
