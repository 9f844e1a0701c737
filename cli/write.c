/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and JSON as output. */
#include "tool.h"

#include <string.h>

#include "base/whole_file.h"
#include "text.h"

int tool_write(const char *path, const char *bytes, size_t length)
{
    if (strcmp(path, "-") == 0) {
        fwrite(bytes, 1, length, stdout); /* main() looks for errors */
        return TOOL_OK;
    }
    int error = dame_file_write(path, DAME_FILE_PATIENT, bytes, length);
    return error == 0 ? TOOL_OK
                      : tool_error(TOOL_SYSTEM, "%s: %s", path, dame_file_error_text(error));
}

void tool_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (int n; *text != '\0'; text += n > 0 ? n : 1) {
        n = text_sequence(text);
        if (n == 0) {
            fputs("\\ufffd", out);
        } else if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text);
        } else if (n == 1 && *text < ' ') {
            fprintf(out, "\\u%04x", (unsigned) *text);
        } else {
            fwrite(text, 1, (size_t) n, out);
        }
    }
    fputc('"', out);
}
