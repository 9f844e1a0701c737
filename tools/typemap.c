/* SPDX-License-Identifier: BSD-3-Clause */
/* dame typemap: the contiguous pieces of memory, in the order of the packed stream. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "pieces.h"

enum { CHUNK = 256 };

typedef struct lister {
    int64_t count; /* elements */
    int64_t limit; /* of pieces */
    int64_t printed;
} lister_t;

static void print_piece(lister_t *lister, int64_t offset, int64_t length)
{
    if (lister->printed == lister->limit) {
        return;
    }
    printf("%" PRId64 " %" PRId64 "\n", offset, length);
    lister->printed++;
}

/* TOOL_SYSTEM after a message when the output fails: there may be years to go. */
static int walk(lister_t *lister, const pieces_t *pieces)
{
    struct iovec blocks[CHUNK];
    int64_t position = 0, n;
    if (pieces->whole) {
        print_piece(lister, pieces->low, pieces->total);
        return TOOL_OK;
    }
    while (lister->printed < lister->limit && position < pieces->total) {
        const dame_status_t status =
            dame_blocks(pieces->datatype->type, pieces->count, NULL, &position, blocks, CHUNK, &n);
        if (status != DAME_OK) {
            return tool_library_error("typemap", status);
        }
        for (int64_t i = 0; i < n; i++) { /* the first element's origin is address 0 */
            print_piece(lister, (int64_t) (uintptr_t) blocks[i].iov_base,
                        (int64_t) blocks[i].iov_len);
        }
        if (ferror(stdout)) {
            return tool_error(TOOL_SYSTEM, "standard output: %s", strerror(errno));
        }
    }
    return TOOL_OK;
}

static int list(lister_t *lister, const tool_datatype_t *datatype)
{
    pieces_t pieces;
    const int code = pieces_open(&pieces, datatype, lister->count);
    return code == TOOL_OK && pieces.total > 0 ? walk(lister, &pieces) : code;
}

static int typemap(void *context, const char *path)
{
    lister_t *lister = context;
    tool_datatype_t datatype;
    int code = tool_datatype_load(path, &datatype);
    if (code == TOOL_OK) {
        lister->printed = 0;
        code = list(lister, &datatype);
        tool_datatype_free(&datatype);
    }
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"count", required_argument, NULL, 'c'}, {"limit", required_argument, NULL, 'l'}, {0}};
    lister_t lister = {.count = 1, .limit = INT64_MAX};
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        int code = TOOL_OK;
        switch (option) {
        case 'c':
            code = tool_number("--count", optarg, 0, INT64_MAX, &lister.count);
            break;
        case 'l':
            code = tool_number("--limit", optarg, 0, INT64_MAX, &lister.limit);
            break;
        default:
            code = TOOL_USAGE;
        }
        if (code != TOOL_OK) {
            return code;
        }
    }
    return files_each(argc, argv, FILES_OPTIMISED, FILES_LINE, typemap, &lister);
}

const tool_command_t tool_typemap = {
    .name = "typemap",
    .arguments = "[--count N] [--limit N] FILE...",
    .what = "lists the contiguous pieces of memory, in packed order",
    .help = "  --count N  elements, 1 if not given\n"
            "  --limit N  pieces to list; if not given, all\n"
            "\nA line is \"offset length\", in bytes; offsets count from the first element's\n"
            "origin and may be negative. Pieces that touch, one right after the other, are\n"
            "one.\n",
    .run = run,
};
