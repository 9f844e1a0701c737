/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants of DAME-X by name. */
#ifndef VARIANT_H
#define VARIANT_H

#include <stddef.h>
#include <stdint.h>

#include "jit/jit.h"

/* The names of a provider's variants, "x:plain, x:prefetch, ..."; of DAME-X's those that differ
 * from the plain one by one choice. */
void tool_variant_names(dame_jit_t *jit, int32_t provider, char *text, size_t room);

/* What DAME-X calls the variant that `text` names with "x:" before it, behind which it stands.
 * TOOL_USAGE after a message. */
int tool_variant(const char *text, const char **variant);

#endif
