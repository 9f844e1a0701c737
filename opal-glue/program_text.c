/* SPDX-License-Identifier: BSD-3-Clause */
#include "program_text.h"

#include <inttypes.h>
#include <stdbool.h>

/* Takes text until the limit is passed, and fails then. */
static ssize_t swallow(void *cookie, const char *text, size_t size)
{
    int64_t *room = cookie;
    (void) text;
    *room -= (int64_t) size;
    return *room < 0 ? 0 : (ssize_t) size;
}

/* False too when memory is out. */
static bool text_fits(const dame_program_t *program, int64_t limit)
{
    int64_t room = limit;
    FILE *sink = fopencookie(&room, "w", (cookie_io_functions_t){.write = swallow});
    if (sink == NULL) {
        return false;
    }
    int rc = dame_program_print(program, sink);
    return fclose(sink) == 0 && rc == 0 && room >= 0;
}

void dt_program_text(const dame_program_t *program, int64_t limit, FILE *out)
{
    if (text_fits(program, limit)) {
        (void) dame_program_print(program, out);
    } else {
        fprintf(out, "# The program is left out: its text is longer than %" PRId64 " bytes.\n",
                limit);
    }
}
