/* dame typemap: the contiguous pieces of memory, in the order of the packed stream. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "pieces.h"

enum { CHUNK = 256 };

typedef struct lister {
    int json;
    int64_t limit; /* of pieces */
    int64_t printed;
} lister_t;

static void print_piece(lister_t *lister, const dame_block_t *piece)
{
    int64_t offset = (int64_t) piece->address; /* the first element's origin is address 0 */
    if (lister->printed == lister->limit) {
        return;
    }
    if (lister->json) {
        printf("%s[%" PRId64 ", %" PRId64 "]", lister->printed == 0 ? "" : ",\n ", offset,
               piece->length);
    } else {
        printf("%" PRId64 " %" PRId64 "\n", offset, piece->length);
    }
    lister->printed++;
}

/* TOOL_SYSTEM after a message when the output fails: there may be years to go. */
static int print_pieces(lister_t *lister, dame_cursor_t *cursor)
{
    dame_block_t blocks[CHUNK];
    int32_t n;
    while (lister->printed < lister->limit && (n = dame_cursor_blocks(cursor, blocks, CHUNK)) > 0) {
        for (int32_t i = 0; i < n; i++) {
            print_piece(lister, &blocks[i]);
        }
        if (ferror(stdout)) {
            return tool_error(TOOL_SYSTEM, "standard output: %s", strerror(errno));
        }
    }
    return TOOL_OK;
}

static int walk(lister_t *lister, const pieces_t *pieces)
{
    if (pieces->whole) {
        print_piece(lister,
                    &(dame_block_t){.address = (uintptr_t) pieces->low, .length = pieces->total});
        return TOOL_OK;
    }
    dame_cursor_t cursor;
    dame_status_t status = dame_cursor_init(&cursor, pieces->walked, 0, pieces->count);
    if (status != DAME_OK) {
        return tool_status_error("cursor", status);
    }
    int code = print_pieces(lister, &cursor);
    dame_cursor_fini(&cursor);
    return code;
}

static int list(lister_t *lister, const dame_program_t *program, int64_t count)
{
    pieces_t pieces;
    int code = pieces_open(&pieces, program, count);
    if (code != TOOL_OK) {
        return code;
    }
    if (lister->json) {
        putchar('[');
    }
    if (pieces.total > 0) {
        code = walk(lister, &pieces);
    }
    if (lister->json && code == TOOL_OK) {
        printf("]\n");
    }
    pieces_fini(&pieces);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"count", required_argument, NULL, 'c'},
                                          {"limit", required_argument, NULL, 'l'},
                                          {"json", no_argument, NULL, 'j'},
                                          {0}};
    lister_t lister = {.limit = INT64_MAX};
    int64_t count = 1;
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        int code = TOOL_OK;
        switch (option) {
        case 'c':
            code = tool_number("--count", optarg, 0, INT64_MAX, &count);
            break;
        case 'l':
            code = tool_number("--limit", optarg, 0, INT64_MAX, &lister.limit);
            break;
        case 'j':
            lister.json = 1;
            break;
        default:
            code = TOOL_USAGE;
        }
        if (code != TOOL_OK) {
            return code;
        }
    }
    int code = tool_operands(argc, argv, 1, 1);
    dame_program_t *program;
    if (code == TOOL_OK) {
        code = tool_load(argv[optind], &program);
    }
    if (code == TOOL_OK) {
        code = list(&lister, program, count);
        dame_program_free(program);
    }
    return code;
}

const tool_command_t tool_typemap = {
    .name = "typemap",
    .arguments = "[--count N] [--limit N] [--json] FILE",
    .what = "lists the contiguous pieces of memory, in packed order",
    .help = "  --count N  elements, 1 if not given\n"
            "  --limit N  pieces to list; if not given, all\n"
            "  --json     an array of [offset, length]\n"
            "\nA line is \"offset length\", in bytes; offsets count from the first element's\n"
            "origin and may be negative. Pieces that touch, one right after the other, are\n"
            "one.\n",
    .run = run,
};
