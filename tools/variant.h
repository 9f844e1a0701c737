/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants of DAME-X by name. */
#ifndef VARIANT_H
#define VARIANT_H

/* What DAME-X calls the variant that `text` names with "x:" before it, behind which it stands.
 * TOOL_USAGE after a message. */
int tool_variant(const char *text, const char **variant);

#endif
