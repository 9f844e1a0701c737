/* SPDX-License-Identifier: BSD-3-Clause */
/* dame pack, dame unpack: between a file that is user memory and one that is a packed stream. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "datatype.h"
#include "cli/text.h"

typedef struct arguments {
    const char *file; /* the program's */
    const char *in;
    const char *out;
    int64_t count;
    int64_t base;
    int64_t memory; /* bytes that may be allocated */
    int has_base;
} arguments_t;

/* The move. */
typedef struct transfer {
    tool_datatype_t datatype;
    int64_t count;  /* elements */
    int64_t length; /* of the packed stream */
    int64_t base;   /* byte of the memory file that is the first element's origin */
    int64_t needed; /* bytes that the memory file must have */
} transfer_t;

static int parse_option(int option, arguments_t *arguments)
{
    switch (option) {
    case 'i':
        arguments->in = optarg;
        return TOOL_OK;
    case 'o':
        arguments->out = optarg;
        return TOOL_OK;
    case 'c':
        return tool_number("--count", optarg, 0, INT64_MAX, &arguments->count);
    case 'm':
        return tool_number("--memory", optarg, 1, INT64_MAX, &arguments->memory);
    case 'b':
        arguments->has_base = 1;
        return tool_number("--base", optarg, INT64_MIN, INT64_MAX, &arguments->base);
    default:
        return TOOL_USAGE;
    }
}

static int64_t machine_memory(void)
{
    int64_t bytes;
    return __builtin_mul_overflow(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE), &bytes) ||
                   bytes <= 0
               ? INT64_MAX
               : bytes;
}

static int parse(int argc, char **argv, arguments_t *arguments)
{
    static const struct option longs[] = {
        {"in", required_argument, NULL, 'i'},     {"out", required_argument, NULL, 'o'},
        {"count", required_argument, NULL, 'c'},  {"base", required_argument, NULL, 'b'},
        {"memory", required_argument, NULL, 'm'}, {0}};
    *arguments = (arguments_t){.count = 1, .memory = machine_memory()};
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        if (parse_option(option, arguments) != TOOL_OK) {
            return TOOL_USAGE;
        }
    }
    if (tool_operands(argc, argv, 1, 1) != TOOL_OK) {
        return TOOL_USAGE;
    }
    arguments->file = argv[optind];
    if (arguments->in == NULL || arguments->out == NULL) {
        return tool_error(TOOL_USAGE, "%s: %s is missing; 'dame %s --help' says more", argv[0],
                          arguments->in == NULL ? "--in" : "--out", argv[0]);
    }
    if (strcmp(arguments->file, "-") == 0 && strcmp(arguments->in, "-") == 0) {
        return tool_error(TOOL_USAGE, "%s: FILE and --in cannot both be standard input", argv[0]);
    }
    return TOOL_OK;
}

/* The place of the elements in the memory file; they touch [low, high) from the first's origin. */
static int choose_base(const arguments_t *arguments, int64_t low, int64_t high,
                       transfer_t *transfer)
{
    int64_t first;
    transfer->base = arguments->has_base ? arguments->base : low < 0 ? -low : 0;
    if (low == high) {
        transfer->base = transfer->needed = 0;
        return TOOL_OK;
    }
    if (__builtin_add_overflow(transfer->base, high, &transfer->needed) ||
        __builtin_add_overflow(transfer->base, low, &first)) {
        return tool_error(TOOL_USAGE, "--base: %" PRId64 " is too large: addresses overflow",
                          transfer->base);
    }
    if (first < 0) {
        return tool_error(TOOL_USAGE,
                          "--base: %" PRId64 " puts the lowest byte of the elements at %" PRId64
                          ", before the start of the file; at least %" PRId64 " is needed",
                          transfer->base, first, -low);
    }
    return TOOL_OK;
}

/* May `memory` bytes be held beside the packed stream? Asked before anything is read; `path` is
 * what wants them. */
static int check_limit(const arguments_t *arguments, const char *path, int64_t memory,
                       const transfer_t *transfer)
{
    int64_t both;
    if (!__builtin_add_overflow(memory, transfer->length, &both) && both <= arguments->memory) {
        return TOOL_OK;
    }
    return tool_error(TOOL_WRONG,
                      "%s: %" PRId64 " bytes of user memory and %" PRId64
                      " bytes of the packed stream are more than --memory allows, %" PRId64
                      " bytes",
                      tool_input_name(path), memory, transfer->length, arguments->memory);
}

static int prepare(const arguments_t *arguments, transfer_t *transfer)
{
    int code = tool_datatype_load(arguments->file, &transfer->datatype);
    if (code != TOOL_OK) {
        return code;
    }
    int64_t low, high;
    code = tool_span(&transfer->datatype.bounds, arguments->count, &low, &high, &transfer->length);
    if (code == TOOL_OK) {
        code = choose_base(arguments, low, high, transfer);
    }
    if (code == TOOL_OK) {
        code = check_limit(arguments, arguments->file, transfer->needed, transfer);
    }
    transfer->count = arguments->count;
    if (code != TOOL_OK) {
        tool_datatype_free(&transfer->datatype);
    }
    return code;
}

/* Does the memory file have what the elements need? */
static int check_memory(const transfer_t *transfer, const char *path, size_t present)
{
    if ((uint64_t) transfer->needed <= present) {
        return TOOL_OK;
    }
    return tool_error(
        TOOL_WRONG,
        "%s: %" PRId64 " %s at byte %" PRId64 " %s a file of %" PRId64 " bytes; it has %zu",
        tool_input_name(path), transfer->count,
        text_plural(transfer->count, "element that starts", "elements that start"), transfer->base,
        text_plural(transfer->count, "needs", "need"), transfer->needed, present);
}

/* Moves the data between the memory and `packed`. */
static int move(const transfer_t *transfer, int packs, char *memory, char *packed)
{
    const dame_datatype_t *type = transfer->datatype.type;
    void *base = (void *) ((uintptr_t) memory + (uintptr_t) transfer->base);
    const dame_status_t status =
        packs ? dame_pack(type, transfer->count, base, 0, packed, transfer->length, NULL)
              : dame_unpack(type, transfer->count, base, 0, packed, transfer->length, NULL);
    return status == DAME_OK ? TOOL_OK : tool_library_error(packs ? "pack" : "unpack", status);
}

static int pack(const arguments_t *arguments, const transfer_t *transfer)
{
    char *memory, *packed = NULL;
    size_t present;
    int code = tool_read(arguments->in, (size_t) transfer->needed, &memory, &present);
    if (code != TOOL_OK) {
        return code;
    }
    code = check_memory(transfer, arguments->in, present);
    if (code == TOOL_OK) {
        packed = malloc((size_t) transfer->length + 1);
        code = packed == NULL ? tool_status_error("packed stream", DAME_ERR_NOMEM)
                              : move(transfer, 1, memory, packed);
    }
    if (code == TOOL_OK) {
        code = tool_write(arguments->out, packed, (size_t) transfer->length);
    }
    free(packed);
    free(memory);
    return code;
}

/* The size of the memory file, as far as it is known before it is read; -1: nothing to read. Pipes
 * and devices are only written to. */
static int64_t size_of_contents(const char *path)
{
    struct stat status;
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): there is a path */
    if (strcmp(path, "-") == 0 || stat(path, &status) != 0) {
        return -1;
    }
    return S_ISREG(status.st_mode) ? status.st_size : S_ISBLK(status.st_mode) ? 0 : -1;
}

/* The memory file as it is, or zeros if it does not exist yet. */
static int read_memory(const arguments_t *arguments, const transfer_t *transfer, char **memory,
                       size_t *present)
{
    const char *path = arguments->out;
    const int64_t size = size_of_contents(path);
    if (size < 0) {
        *present = (size_t) transfer->needed;
        *memory = calloc(*present + 1, 1);
        return *memory != NULL ? TOOL_OK : tool_status_error(path, DAME_ERR_NOMEM);
    }
    int code = check_limit(arguments, path, size, transfer);
    if (code != TOOL_OK) {
        return code;
    }
    /* It may grow, or be a device: one byte more shows. */
    const size_t most = (size_t) (arguments->memory - transfer->length) + 1;
    code = tool_read(path, most, memory, present);
    if (code != TOOL_OK) {
        return code;
    }
    code = *present < most ? check_memory(transfer, path, *present)
                           : check_limit(arguments, path, (int64_t) most, transfer);
    if (code != TOOL_OK) {
        free(*memory);
    }
    return code;
}

static int unpack(const arguments_t *arguments, const transfer_t *transfer)
{
    char *packed, *memory;
    size_t held, present;
    int code = tool_read(arguments->in, (size_t) transfer->length + 1, &packed, &held);
    if (code != TOOL_OK) {
        return code;
    }
    if (held != (uint64_t) transfer->length) {
        char has[32] = "more";
        if (held < (uint64_t) transfer->length) {
            snprintf(has, sizeof(has), "%zu", held);
        }
        code = tool_error(TOOL_WRONG,
                          "%s: %" PRId64 " bytes of the packed stream are needed; it has %s",
                          tool_input_name(arguments->in), transfer->length, has);
        free(packed);
        return code;
    }
    code = read_memory(arguments, transfer, &memory, &present);
    if (code == TOOL_OK) {
        code = move(transfer, 0, memory, packed);
        if (code == TOOL_OK) {
            code = tool_write(arguments->out, memory, present);
        }
        free(memory);
    }
    free(packed);
    return code;
}

static int run(int argc, char **argv,
               int (*transform)(const arguments_t *arguments, const transfer_t *transfer))
{
    arguments_t arguments;
    transfer_t transfer = {0};
    int code = parse(argc, argv, &arguments);
    if (code == TOOL_OK) {
        code = prepare(&arguments, &transfer);
    }
    if (code == TOOL_OK) {
        code = transform(&arguments, &transfer);
        tool_datatype_free(&transfer.datatype);
    }
    return code;
}

static int run_pack(int argc, char **argv)
{
    return run(argc, argv, pack);
}

static int run_unpack(int argc, char **argv)
{
    return run(argc, argv, unpack);
}

#define ARGUMENTS "FILE --in A --out B [--count N] [--base BYTE]\n                 [--memory BYTES]"
#define OPTIONS                                                                                    \
    "  --count N       elements, 1 if not given\n"                                                 \
    "  --base BYTE     the byte of the memory file at which the first element has its\n"           \
    "                  origin. If not given 0, or, if a byte lies before the origin,\n"            \
    "                  such that the lowest byte of all elements is byte 0\n"                      \
    "  --memory BYTES  refuse to use more, the machine's memory if not given\n"

const tool_command_t tool_pack = {
    .name = "pack",
    .arguments = ARGUMENTS,
    .what = "packs elements from a file of memory",
    .help = "  --in A          user memory, a file that has all bytes of the elements\n"
            "  --out B         gets the packed stream\n" OPTIONS
            "\n'-' is standard input or output. Nothing is written unless all could be packed.\n",
    .run = run_pack,
};

const tool_command_t tool_unpack = {
    .name = "unpack",
    .arguments = ARGUMENTS,
    .what = "unpacks elements into a file of memory",
    .help = "  --in A          the packed stream, exactly as many bytes\n"
            "  --out B         user memory. A file that has all bytes of the elements is\n"
            "                  changed where they are; a new one is made of zeros and just\n"
            "                  large enough\n" OPTIONS
            "\n'-' is standard input or output (a new file). Nothing is written unless all\n"
            "could be unpacked.\n",
    .run = run_unpack,
};
