/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a program has given, as text of one line (name.h). */
#include <stdio.h>
#include <string.h>

#include "name.h"

int dt_name_character(const char *name)
{
    const unsigned char *c = (const unsigned char *) name;
    if (*c < 0x80) {
        return *c >= ' ' && *c != 0x7f;
    }
    const int n = *c >= 0xc2 && *c < 0xe0 ? 2 : *c >= 0xe0 && *c < 0xf0 ? 3 : *c >= 0xf0 ? 4 : 0;
    for (int i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* controls, overlong forms, surrogates, and what lies beyond Unicode */
    return (*c == 0xc2 && c[1] < 0xa0) || (*c == 0xe0 && c[1] < 0xa0) ||
                   (*c == 0xed && c[1] >= 0xa0) || (*c == 0xf0 && c[1] < 0x90) ||
                   (*c == 0xf4 && c[1] >= 0x90) || *c > 0xf4
               ? 0
               : n;
}

char *dt_name_text(const char *name, char *text, size_t room)
{
    static const char letters[] = {['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    enum { LONGEST = sizeof("\\x00") };
    size_t used = 0;
    while (*name != '\0') {
        char character[LONGEST];
        int length = dt_name_character(name);
        const int taken = length > 0 ? length : 1;
        const unsigned char byte = (unsigned char) *name;
        if (length > 0) {
            memcpy(character, name, (size_t) length);
        } else if (byte < sizeof(letters) && letters[byte] != '\0') {
            length = snprintf(character, sizeof(character), "\\%c", letters[byte]);
        } else {
            length = snprintf(character, sizeof(character), "\\x%02x", byte);
        }
        if (used + (size_t) length >= room) {
            break;
        }
        memcpy(text + used, character, (size_t) length);
        used += (size_t) length;
        name += taken;
    }
    text[used] = '\0';
    return text;
}
