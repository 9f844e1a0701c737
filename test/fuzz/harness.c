#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "harness.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "dame/dame.h"
#include "dame/isa.h"
#include "test/lib/caches.h"
#include "make_text.h"
#include "walk.h"

enum {
    MOST = 8192,    /* packed bytes of a message that is moved */
    FAR = 65536,    /* bytes of user memory */
    MUCH = 1 << 24, /* bytes that an input may need at once */
    STEPS = 40      /* fragments of a message; the last one takes what is left */
};

__attribute__((format(printf, 1, 2), noreturn)) static void wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("fuzz: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

/* Memory of exactly so many bytes, for the sanitizer. */
static void *room_for(size_t bytes)
{
    void *memory = bytes <= MUCH ? calloc(1, bytes) : NULL;
    if (!memory && bytes > 0) {
        wrong("no memory for %zu bytes", bytes);
    }
    return memory;
}

/* ---- text ---- */

static dame_program_t *read_text(const char *text, size_t length)
{
    dame_program_t *program = NULL;
    dame_text_error_t error;
    memset(&error, '#', sizeof error);
    error.line = error.column = 0;
    dame_status_t status = dame_program_parse(text, length, &program, &error);
    char message[300];
    if (status == DAME_OK) {
        if (dame_program_verify(program, message, sizeof message) != DAME_OK) {
            wrong("read, but not verified: %s", message);
        }
        return program;
    }
    if (program || error.line < 1 || error.column < 1 || error.line > (int64_t) length + 1 ||
        error.column > (int64_t) length + 1 || !memchr(error.message, '\0', sizeof error.message) ||
        !error.message[0]) {
        wrong("%s, without a place", dame_status_text(status));
    }
    return NULL;
}

static char *print(const dame_program_t *program, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out || dame_program_print(program, out) != 0 || fclose(out) != 0) {
        wrong("printing failed");
    }
    return text;
}

/* Prints, reads, prints. Returns the program that was read. */
static dame_program_t *there_and_back(const dame_program_t *program)
{
    size_t length;
    size_t length_again;
    char *text = print(program, &length);
    dame_program_t *again = read_text(text, length);
    if (!again) {
        wrong("printed, but not read:\n%s", text);
    }
    char *text_again = print(again, &length_again);
    if (strcmp(text, text_again) != 0) {
        wrong("printed\n%sthen\n%s", text, text_again);
    }
    if (program->size != again->size || program->extent != again->extent ||
        program->true_lb != again->true_lb || program->true_ub != again->true_ub ||
        program->granule != again->granule || program->depth != again->depth) {
        wrong("another program after reading\n%s", text);
    }
    free(text);
    free(text_again);
    return again;
}

/* ---- a message ---- */

typedef struct message {
    int64_t count;
    int64_t total;   /* packed bytes */
    int64_t *places; /* of every packed byte in `user` */
    int64_t far;     /* bytes of user memory: from the lowest that is touched to the highest */
    char *user;
    char *image;  /* what it holds */
    char *stream; /* what is unpacked */
    char *after;  /* what `user` holds after that */
    uintptr_t base;
    bool overlapping; /* some byte belongs to the message twice */
} message_t;

static void fill(char *bytes, int64_t n, uint32_t state)
{
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (char) (state >> 24);
    }
}

/* The place of the message's bytes, and that nothing lies outside the program's true bounds. */
static void find_places(const dame_program_t *program, message_t *m, int64_t low)
{
    int64_t n = walk(program, m->places, program->size);
    if (n != program->size) {
        wrong("size is %" PRId64 ", walked over %" PRId64, program->size, n);
    }
    int64_t lowest = INT64_MAX;
    int64_t highest = INT64_MIN;
    for (int64_t i = 0; i < n; i++) {
        lowest = m->places[i] < lowest ? m->places[i] : lowest;
        highest = m->places[i] + 1 > highest ? m->places[i] + 1 : highest;
    }
    if (n > 0 && (lowest != program->true_lb || highest != program->true_ub)) {
        wrong("bounds are [%" PRId64 ", %" PRId64 "), walked over [%" PRId64 ", %" PRId64 ")",
              program->true_lb, program->true_ub, lowest, highest);
    }
    for (int64_t i = m->total - 1; i >= 0; i--) {
        m->places[i] = m->places[i % program->size] + i / program->size * program->extent - low;
    }
}

/* False when the message is too large. */
static bool message_init(message_t *m, const dame_program_t *program, choices_t *choices)
{
    *m = (message_t){.count = choose(choices, 0, 3)};
    m->count = m->count == 0 ? 1 : m->count == 1 ? choose(choices, 0, 20) : m->count;
    __extension__ typedef __int128 wide_t;
    wide_t last = m->count > 0 ? (wide_t) (m->count - 1) * program->extent : 0;
    wide_t low = program->true_lb + (last < 0 ? last : 0);
    wide_t far = program->true_ub + (last < 0 ? 0 : last) - low;
    if (program->size > MOST || m->count * program->size > MOST || far > FAR || low < INT64_MIN) {
        return false;
    }
    m->total = m->count * program->size;
    m->far = (int64_t) far;
    m->places = room_for((size_t) (m->total > program->size ? m->total : program->size) *
                         sizeof(*m->places));
    find_places(program, m, (int64_t) low);
    m->user = room_for((size_t) m->far);
    m->image = room_for((size_t) m->far);
    m->after = room_for((size_t) m->far);
    m->stream = room_for((size_t) m->total);
    m->base = (uintptr_t) m->user - (uintptr_t) (int64_t) low;
    fill(m->image, m->far, 1);
    fill(m->stream, m->total, 2);
    memcpy(m->user, m->image, (size_t) m->far);
    memcpy(m->after, m->image, (size_t) m->far);
    char *seen = room_for((size_t) m->far);
    for (int64_t i = 0; i < m->total; i++) {
        m->overlapping |= seen[m->places[i]];
        seen[m->places[i]] = 1;
        m->after[m->places[i]] = m->stream[i];
    }
    free(seen);
    return true;
}

static void message_fini(message_t *m)
{
    free(m->places);
    free(m->user);
    free(m->image);
    free(m->after);
    free(m->stream);
}

static void expect_packed(const message_t *m, const char *packed, int64_t from, int64_t n,
                          const char *how)
{
    for (int64_t i = 0; i < n; i++) {
        if (packed[i] != m->image[m->places[from + i]]) {
            wrong("%s: packed byte %" PRId64 " is not that at %" PRId64, how, from + i,
                  m->places[from + i]);
        }
    }
}

static void expect_user(message_t *m, const char *wanted, const char *how)
{
    if (m->far > 0 && memcmp(m->user, wanted, (size_t) m->far) != 0) {
        wrong("%s: user memory differs", how);
    }
    memcpy(m->user, m->image, (size_t) m->far);
}

/* ---- moving it ---- */

static void run_whole(const dame_program_t *program, message_t *m)
{
    char *packed = room_for((size_t) m->total);
    dame_program_run(program, DAME_PACK, m->base, m->count, packed);
    expect_packed(m, packed, 0, m->total, "run");
    expect_user(m, m->image, "run, pack");
    dame_program_run(program, DAME_UNPACK, m->base, m->count, m->stream);
    if (!m->overlapping) {
        expect_user(m, m->after, "run, unpack");
    }
    memcpy(m->user, m->image, (size_t) m->far);
    free(packed);
}

static int64_t fragment_length(choices_t *choices, int64_t left, bool all)
{
    if (all) {
        return left;
    }
    int64_t length = choose_byte(choices);
    length = length >= 192 ? (length - 190) * 64 : length;
    return length < left ? length : left;
}

static void pack_fragments(const dame_program_t *program, message_t *m, choices_t *choices)
{
    dame_cursor_t cursor;
    if (dame_cursor_init(&cursor, program, m->base, m->count) != DAME_OK) {
        wrong("no cursor");
    }
    for (int step = 0; step < STEPS; step++) {
        bool last = step == STEPS - 1;
        uint8_t how = choose_byte(choices);
        if (how % 4 == 3) {
            dame_cursor_seek(&cursor, m->total > 0 ? choose(choices, 0, 255) % (m->total + 1) : 0);
        }
        int64_t from = cursor.position;
        int64_t want = fragment_length(choices, m->total - from, last);
        char *packed = room_for((size_t) want);
        bool exact = last || how % 2;
        int64_t got = exact ? dame_cursor_pack_exact(&cursor, packed, want)
                            : dame_cursor_pack(&cursor, packed, want);
        if (got < 0 || got > want || (exact && got != want) || cursor.position != from + got) {
            wrong("packed %" PRId64 " of %" PRId64 " bytes", got, want);
        }
        expect_packed(m, packed, from, got, "fragment");
        free(packed);
    }
    expect_user(m, m->image, "fragment, pack");
    dame_cursor_fini(&cursor);
}

static void unpack_fragments(const dame_program_t *program, message_t *m, choices_t *choices)
{
    dame_cursor_t cursor;
    if (dame_cursor_init(&cursor, program, m->base, m->count) != DAME_OK) {
        wrong("no cursor");
    }
    int64_t start = m->total > 0 ? choose(choices, 0, 255) % (m->total + 1) : 0;
    const int64_t parts[2][2] = {{start, m->total}, {0, start}};
    for (int part = 0; part < 2; part++) {
        dame_cursor_seek(&cursor, parts[part][0]);
        for (int step = 0; step < STEPS; step++) {
            int64_t from = cursor.position;
            int64_t want = fragment_length(choices, parts[part][1] - from, step == STEPS - 1);
            char *packed = room_for((size_t) want);
            memcpy(packed, m->stream + from, (size_t) want);
            int64_t got = dame_cursor_unpack(&cursor, packed, want);
            if (got != want || cursor.position != from + want) {
                wrong("unpacked %" PRId64 " of %" PRId64 " bytes", got, want);
            }
            free(packed);
        }
    }
    if (!m->overlapping) {
        expect_user(m, m->after, "fragment, unpack");
    }
    memcpy(m->user, m->image, (size_t) m->far);
    dame_cursor_fini(&cursor);
}

static void list_blocks(const dame_program_t *program, const message_t *m, choices_t *choices)
{
    dame_cursor_t cursor;
    if (dame_cursor_init(&cursor, program, m->base, m->count) != DAME_OK) {
        wrong("no cursor");
    }
    int64_t position = m->total > 0 ? choose(choices, 0, 255) % (m->total + 1) : 0;
    dame_cursor_seek(&cursor, position);
    for (;;) {
        dame_block_t blocks[5];
        int32_t most = (int32_t) choose(choices, 1, 5);
        int32_t n = dame_cursor_blocks(&cursor, blocks, most);
        for (int32_t i = 0; i < n; i++) {
            for (int64_t k = 0; k < blocks[i].length; k++, position++) {
                if (position >= m->total ||
                    blocks[i].address + (uintptr_t) k !=
                        (uintptr_t) m->user + (uintptr_t) m->places[position]) {
                    wrong("blocks: byte %" PRId64 " is elsewhere", position);
                }
            }
        }
        if (n < most) {
            break;
        }
    }
    if (position != m->total || cursor.position != m->total) {
        wrong("blocks: %" PRId64 " of %" PRId64 " bytes", position, m->total);
    }
    dame_cursor_fini(&cursor);
}

/* ---- programs ---- */

/* The program after some passes. Only a large one may be refused. */
static dame_program_t *optimised(const dame_program_t *program, choices_t *choices, bool small)
{
    dame_options_t options = *dame_options_default();
    if (choose_byte(choices) % 2) {
        options.passes = choose_byte(choices) & DAME_PASSES_ALL;
        options.sort = (dame_sort_t) choose(choices, DAME_SORT_AUTO, DAME_SORT_ALWAYS);
        options.sort_range = choose_byte(choices);
        options.fragment = 1 + 16 * choose_byte(choices);
    }
    dame_program_t *result = NULL;
    dame_status_t status = dame_program_optimise(program, &options, &result);
    char message[300];
    if (status != DAME_OK) {
        if (small || (status != DAME_ERR_NOMEM && status != DAME_ERR_LIMIT)) {
            wrong("optimise: %s", dame_status_text(status));
        }
        return NULL;
    }
    if (dame_program_verify(result, message, sizeof message) != DAME_OK) {
        wrong("optimised, but not verified: %s", message);
    }
    if (result->size != program->size || result->extent != program->extent ||
        result->true_lb != program->true_lb || result->true_ub != program->true_ub) {
        wrong("optimised to size %" PRId64 ", extent %" PRId64 ", bounds [%" PRId64 ", %" PRId64
              ")",
              result->size, result->extent, result->true_lb, result->true_ub);
    }
    return result;
}

/* Moves the message in every way. */
static void move_message(const dame_program_t *program, message_t *m, choices_t choices)
{
    run_whole(program, m);
    pack_fragments(program, m, &choices);
    unpack_fragments(program, m, &choices);
    list_blocks(program, m, &choices);
}

/* A program and what becomes of it move one message alike. */
static int try_program(const dame_program_t *program, choices_t *choices)
{
    message_t m;
    dame_program_t *read = there_and_back(program);
    bool small = message_init(&m, program, choices);
    dame_program_t *fast = optimised(program, choices, small);
    if (small) {
        move_message(program, &m, *choices);
        run_whole(read, &m);
        move_message(fast, &m, *choices);
        message_fini(&m);
    }
    if (fast) {
        dame_program_free(there_and_back(fast));
    }
    dame_program_free(fast);
    dame_program_free(read);
    return small;
}

/* ---- an input ---- */

static void force_isa(choices_t *choices)
{
    const char *const *names = dame_isa_names();
    int n = 0;
    while (names[n]) {
        n++;
    }
    (void) dame_isa_force(names[choose(choices, 0, n - 1)]);
}

static int try_text(const char *text, size_t length, choices_t *choices)
{
    force_isa(choices);
    dame_data_cache_force(test_caches(length));
    dame_program_t *program = read_text(text, length);
    if (!program) {
        return 0;
    }
    int moved = try_program(program, choices);
    dame_program_free(program);
    return moved;
}

static int try_made(const uint8_t *data, size_t size)
{
    choices_t choices = {.at = data, .left = size};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) {
        wrong("no memory");
    }
    make_text(&choices, out);
    if (fclose(out) != 0) {
        wrong("no memory");
    }
    int moved = try_text(text, length, &choices);
    free(text);
    return moved;
}

int fuzz_one(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 0xff) {
        return try_made(data + 1, size - 1);
    }
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t) (zero - data) : size;
    choices_t choices = {.at = zero ? zero + 1 : NULL, .left = zero ? size - length - 1 : 0};
    char *text = room_for(length); /* a byte read behind it is seen */
    if (length > 0) {
        memcpy(text, data, length);
    }
    int moved = try_text(text, length, &choices);
    free(text);
    if (zero) { /* the whole input as a text, too: a zero byte is legal in a comment */
        dame_program_free(read_text((const char *) data, size));
    }
    return moved;
}
