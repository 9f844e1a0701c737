/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data in the memory of devices, through the library's public functions: random datatypes against
 * the oracle, on a stand-in for CUDA's driver (test/lib/cuda.h). Both sides of a move are on a
 * device, on another one, pinned or the host's, in pieces of any length; kernels are code for the
 * host's grid, or missing.
 *
 * Usage: devices [--cases N] [--seed S] [--case K]
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mirror.h"
#include "test/differential/cases.h"
#include "test/lib/cuda.h"
#include "test/lib/oracle.h"

enum { LONGEST = 1 << 16, MARGIN = 64, MOST_PIECES = 5, SET = 0x5a };

static int64_t passed, failed, launches, copies;

static __attribute__((format(printf, 2, 3))) bool check(bool right, const char *format, ...)
{
    va_list args;
    passed += right;
    failed += !right;
    if (!right) {
        printf("FAILED: ");
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        putchar('\n');
    }
    return right;
}

static bool check_ok(dame_status_t status)
{
    return check(status == DAME_OK, "%s", dame_error_message());
}

/* The last call failed, and said so. */
static void check_refused(dame_status_t status, dame_status_t wanted, const char *words)
{
    check(status == wanted && strstr(dame_error_message(), words) != NULL,
          "status %d, \"%s\"; wanted %d, \"%s\"", status, dame_error_message(), wanted, words);
}

static int64_t counter(const dame_context_t *context, const char *name)
{
    int64_t value = -1;
    (void) dame_context_counter(context, name, &value);
    return value;
}

/* ---- Memory of a kind ----------------------------------------------------------------------- */

typedef enum kind { FIRST_DEVICE, SECOND_DEVICE, PINNED, PAGEABLE, KINDS } kind_t;
static const char *const kinds[KINDS] = {"a device", "another device", "pinned", "pageable"};

static void *make(kind_t kind, size_t bytes)
{
    void *memory = kind == PAGEABLE ? malloc(bytes)
                   : kind == PINNED ? stand_in_pinned(bytes)
                                    : stand_in_alloc((int) kind, bytes);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void end(kind_t kind, void *memory)
{
    if (kind == PAGEABLE) {
        free(memory);
    } else {
        stand_in_free(memory);
    }
}

/* ---- One message ---------------------------------------------------------------------------- */

typedef struct message {
    dame_datatype_t *type;
    oracle_t oracle;
    int64_t count, total, low, size;
    bool overlapping;
    char *image;  /* the host's copy of user memory, */
    char *after;  /* .. after all of the stream was unpacked, */
    char *packed; /* .. and what it packs to */
    char *stream;
} message_t;

static uintptr_t base_in(const message_t *m, const char *memory)
{
    return (uintptr_t) memory - (uint64_t) m->low;
}

static void message_fini(message_t *m)
{
    dame_datatype_free(m->type);
    oracle_fini(&m->oracle);
    free(m->image);
    free(m->after);
    free(m->packed);
    free(m->stream);
}

static bool message_init(message_t *m, rng_t *rng, dame_context_t *context, const dame_type_t *type,
                         int64_t count)
{
    int64_t high;
    *m = (message_t){.type = mirror(rng, context, type), .count = count};
    if (!check(m->type != NULL && oracle_init(&m->oracle, type), "%s", dame_error_message()) ||
        !check_ok(dame_datatype_commit(m->type))) {
        return false;
    }
    m->total = m->oracle.size * count;
    oracle_span(&m->oracle, count, &m->low, &high);
    m->size = high - m->low;
    m->image = malloc((size_t) m->size + 1);
    m->after = calloc(1, (size_t) m->size + 1);
    m->packed = malloc((size_t) m->total + 1);
    m->stream = malloc((size_t) m->total + 1);
    for (int64_t i = 0; i < m->total; i++) {
        char *byte = (char *) oracle_address(&m->oracle, base_in(m, m->after), i);
        m->overlapping |= *byte != 0;
        *byte = 1;
    }
    rng_fill(rng, m->image, m->size);
    rng_fill(rng, m->stream, m->total);
    memcpy(m->after, m->image, (size_t) m->size);
    oracle_pack(&m->oracle, base_in(m, m->image), 0, m->total, m->packed);
    if (!m->overlapping) {
        oracle_unpack(&m->oracle, base_in(m, m->after), 0, m->total, m->stream);
    }
    return true;
}

/* User memory of a kind that holds `bytes`. */
static char *user_memory(const message_t *m, kind_t kind, const char *bytes)
{
    char *memory = make(kind, (size_t) m->size + 1);
    stand_in_put(memory, bytes, (size_t) m->size);
    return memory;
}

static void check_memory(const message_t *m, const char *memory, const char *wanted,
                         const char *doing, kind_t kind)
{
    char *is = malloc((size_t) m->size + 1);
    stand_in_get(is, memory, (size_t) m->size);
    check(memcmp(is, wanted, (size_t) m->size) == 0, "%s: user memory, %s, is wrong", doing,
          kinds[kind]);
    free(is);
}

/* A part of the stream in memory of a kind, with margins. */
static bool move_piece(rng_t *rng, const message_t *m, bool packs, char *user, kind_t kind,
                       int64_t from, int64_t length)
{
    const int64_t offset = rng_range(rng, 0, 15);
    const size_t room = (size_t) (length + 2 * MARGIN + 16);
    char *host = malloc(room), *memory = make(kind, room);
    char *packed = memory + MARGIN + offset;
    int64_t moved = -1;
    memset(host, SET, room);
    if (!packs) {
        memcpy(host + MARGIN + offset, m->stream + from, (size_t) length);
    }
    stand_in_put(memory, host, room);
    void *base = (void *) base_in(m, user);
    bool right =
        check_ok(packs ? dame_pack(m->type, m->count, base, from, packed, length, &moved)
                       : dame_unpack(m->type, m->count, base, from, packed, length, &moved)) &&
        check(moved == length, "%lld of %lld bytes moved", (long long) moved, (long long) length);
    if (packs) {
        memcpy(host + MARGIN + offset, m->packed + from, (size_t) length);
    }
    char *is = malloc(room);
    stand_in_get(is, memory, room);
    right = right &&
            check(memcmp(is, host, room) == 0,
                  "%s at %lld of %lld: the stream, %s, is "
                  "wrong",
                  packs ? "pack" : "unpack", (long long) from, (long long) m->total, kinds[kind]);
    free(is);
    free(host);
    end(kind, memory);
    return right;
}

/* All of it, in pieces from the last to the first. */
static void check_moves(rng_t *rng, const message_t *m, kind_t user, kind_t packed, bool packs)
{
    char *memory = user_memory(m, user, m->image);
    int64_t last = m->total;
    for (int i = 0; last > 0; i++) {
        const int64_t first =
            i < MOST_PIECES - 1 && rng_chance(rng, 70) ? rng_range(rng, 0, last - 1) : 0;
        if (!move_piece(rng, m, packs, memory, packed, first, last - first)) {
            break;
        }
        last = first;
    }
    check_memory(m, memory, packs ? m->image : m->after, packs ? "pack" : "unpack", user);
    end(user, memory);
}

static void check_copy(const message_t *from, const message_t *to, kind_t from_kind, kind_t to_kind)
{
    char *source = user_memory(from, from_kind, from->image);
    char *target = user_memory(to, to_kind, to->image);
    char *wanted = malloc((size_t) to->size + 1);
    memcpy(wanted, to->image, (size_t) to->size);
    oracle_unpack(&to->oracle, base_in(to, wanted), 0, to->total, from->packed);
    const dame_status_t status = dame_copy(from->type, from->count, (void *) base_in(from, source),
                                           to->type, to->count, (void *) base_in(to, target));
    if (from_kind + to_kind == FIRST_DEVICE + SECOND_DEVICE) {
        check_refused(status, DAME_ERR_UNSUPPORTED, "dame_copy: from and to are on two devices");
    } else if (check_ok(status)) {
        check_memory(to, target, wanted, "copy", to_kind);
    }
    check_memory(from, source, from->image, "copy from", from_kind);
    free(wanted);
    end(from_kind, source);
    end(to_kind, target);
}

static bool is_device(kind_t kind)
{
    return kind == FIRST_DEVICE || kind == SECOND_DEVICE;
}

static void check_message(rng_t *rng, const message_t *m)
{
    const kind_t user = (kind_t) rng_range(rng, 0, KINDS - 1);
    for (kind_t packed = FIRST_DEVICE; packed < KINDS; packed++) {
        check_moves(rng, m, user, packed, true);
        if (!m->overlapping) {
            check_moves(rng, m, user, packed, false);
        }
    }
    if (!m->overlapping) {
        check_copy(m, m, user, (kind_t) rng_range(rng, 0, PAGEABLE));
        check_copy(m, m, FIRST_DEVICE, is_device(user) ? PINNED : user);
    }
}

static void run_case(uint64_t seed, int64_t number, dame_context_t *context)
{
    test_case_t c;
    const char *what;
    const int64_t before = failed;
    rng_t rng = rng_seeded(seed, (uint64_t) number);
    if (check(case_init(&c, seed, number, NULL, &what) == DAME_OK, "%s", what)) {
        for (int i = 0; i < c.ncounts; i++) {
            message_t m = {.count = 0};
            if (c.type->size * c.counts[i] <= LONGEST &&
                message_init(&m, &rng, context, c.type, c.counts[i]) && m.total > 0) {
                check_message(&rng, &m);
            }
            message_fini(&m);
        }
    }
    if (failed > before) {
        printf("    again: --seed %llu --case %lld\n", (unsigned long long) seed,
               (long long) number);
    }
    case_fini(&c);
}

/* ---- Queues --------------------------------------------------------------------------------- */

/* A list of doubles, or an even one, a vector, on a device in both forms. */
typedef struct field {
    dame_datatype_t *type;
    double *user, *packed;
    bool is_even;
} field_t;

enum { ROWS = 100, STRIDE = 7, FEW_COPIES = 8, MOST_COPIES = 64 };

static int place_of(int row, bool is_even)
{
    return row * STRIDE + (is_even ? 0 : row * row % 5);
}

static field_t field_in(dame_context_t *context, bool is_even)
{
    int64_t places[ROWS];
    field_t f = {.is_even = is_even,
                 .user = make(FIRST_DEVICE, sizeof(double) * ROWS * STRIDE),
                 .packed = make(FIRST_DEVICE, sizeof(double) * ROWS)};
    double values[ROWS * STRIDE], none[ROWS] = {0};
    dame_datatype_t *item;
    for (int i = 0; i < ROWS * STRIDE; i++) {
        values[i] = i;
    }
    stand_in_put(f.user, values, sizeof(values));
    stand_in_put(f.packed, none, sizeof(none));
    check_ok(dame_datatype_basic(context, "double", 0, &item));
    for (int i = 0; i < ROWS; i++) {
        places[i] = place_of(i, is_even);
    }
    check_ok(is_even ? dame_datatype_vector(ROWS, 1, STRIDE, item, &f.type)
                     : dame_datatype_indexed_block(ROWS, 1, places, item, &f.type));
    check_ok(dame_datatype_commit(f.type));
    dame_datatype_free(item);
    return f;
}

static int right_rows(const field_t *f)
{
    double packed[ROWS];
    int right = 0;
    stand_in_get(packed, f->packed, sizeof(packed));
    for (int i = 0; i < ROWS; i++) {
        right += packed[i] == place_of(i, f->is_even);
    }
    return right;
}

static void end_field(field_t *f)
{
    dame_datatype_free(f->type);
    end(FIRST_DEVICE, f->user);
    end(FIRST_DEVICE, f->packed);
}

static void check_queue(dame_context_t *context)
{
    field_t f = field_in(context, false);
    void *stream = stand_in_stream(0), *event = stand_in_event();
    const int64_t bytes = ROWS * (int64_t) sizeof(double);
    char host[ROWS * sizeof(double)];
    check_ok(dame_pack_on(f.type, 1, f.user, 0, f.packed, bytes, NULL, stream, event));
    check(!stand_in_is_done(event) && right_rows(&f) <= 1, "it did not wait");
    const int64_t waits = stand_in_counts().waits;
    stand_in_wait(stream);
    check(stand_in_is_done(event) && right_rows(&f) == ROWS, "the queue moves the data");
    check(waits == stand_in_counts().waits, "the library did not wait");
    check_ok(dame_unpack_on(f.type, 1, f.user, 8, f.packed + 1, bytes - 8, NULL, stream, NULL));
    stand_in_wait(stream);
    check_refused(dame_pack_on(f.type, 1, f.user, 0, host, bytes, NULL, stream, NULL),
                  DAME_ERR_ARGUMENT, "does not reach; the host's must be pinned");
    check_refused(dame_pack_on(f.type, 0, f.user, 0, host, -1, NULL, stream, NULL),
                  DAME_ERR_ARGUMENT, "length is -1");
    check_refused(dame_unpack_on(f.type, 1, host, 0, host, bytes, NULL, stream, NULL),
                  DAME_ERR_ARGUMENT, "neither the message nor packed");
    free(stream);
    free(event);
    end_field(&f);
}

/* ---- Threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 20 };

typedef struct worker {
    field_t f;
    pthread_t thread;
    dame_status_t status;
} worker_t;

static void *pack_often(void *argument)
{
    worker_t *worker = argument;
    const field_t *f = &worker->f;
    for (int i = 0; i < ROUNDS && worker->status == DAME_OK; i++) {
        worker->status =
            dame_pack(f->type, 1, f->user, 0, f->packed, ROWS * (int64_t) sizeof(double), NULL);
    }
    return NULL;
}

/* One datatype of one context, whose kernel one of them makes. */
static void check_threads(dame_context_t *context)
{
    worker_t workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker_t){.f = field_in(context, false)};
    }
    for (int i = 0; i < THREADS; i++) {
        dame_datatype_t *own = workers[i].f.type;
        workers[i].f.type = workers[0].f.type;
        check(pthread_create(&workers[i].thread, NULL, pack_often, &workers[i]) == 0, "a thread");
        if (i > 0) {
            dame_datatype_free(own);
        }
    }
    for (int i = THREADS; i-- > 0;) {
        pthread_join(workers[i].thread, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        check(workers[i].status == DAME_OK && right_rows(&workers[i].f) == ROWS, "thread %d", i);
        workers[i].f.type = i == 0 ? workers[i].f.type : NULL;
        end_field(&workers[i].f);
    }
}

/* ---- Errors of the driver ------------------------------------------------------------------- */

/* Each is reported, and the next call goes on. */
static void check_errors(const dame_context_options_t *options)
{
    static const struct {
        const char *function, *words;
        int error;
    } errors[] = {
        {"cuMemAlloc_v2", NULL, 2}, /* no kernel, but copies */
        {"dame_load_host_code", NULL, 218},
        {"cuModuleGetFunction", NULL, 500},
        {"cuLaunchKernel", "reports CUDA_ERROR_OF_THE_STAND_IN", 701},
        {"cuMemcpyAsync", "reports CUDA_ERROR_OF_THE_STAND_IN", 700},
        {"cuStreamSynchronize", NULL, 700}, /* of the image of the kernel */
        {"cuStreamCreate", "reports CUDA_ERROR_OUT_OF_MEMORY", 2},
        {"cuCtxPushCurrent_v2", "reports CUDA_ERROR_OF_THE_STAND_IN", 201},
    };
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        dame_context_t *context;
        const stand_in_counts_t before = stand_in_counts();
        check_ok(dame_context_new(options, &context));
        field_t f = field_in(context, false);
        const int64_t bytes = ROWS * (int64_t) sizeof(double);
        stand_in_fail(errors[i].function, errors[i].error);
        const dame_status_t status = dame_pack(f.type, 1, f.user, 0, f.packed, bytes, NULL);
        if (errors[i].words == NULL) {
            check(status == DAME_OK && right_rows(&f) == ROWS, "copies, after %s failed",
                  errors[i].function);
        } else {
            check_refused(status, DAME_ERR_DEVICE, errors[i].words);
            check(counter(context, "device_moves") == 0, "a failure is counted as a move");
        }
        check_ok(dame_pack(f.type, 1, f.user, 0, f.packed, bytes, NULL));
        check(right_rows(&f) == ROWS, "after %s failed: %d rows are right", errors[i].function,
              right_rows(&f));
        end_field(&f);
        dame_context_free(context);
        const stand_in_counts_t after = stand_in_counts();
        check(before.allocations == after.allocations && before.modules == after.modules &&
                  before.streams == after.streams && before.contexts == after.contexts,
              "after %s failed: %lld allocations, %lld modules, %lld streams, %lld contexts",
              errors[i].function, (long long) (after.allocations - before.allocations),
              (long long) (after.modules - before.modules),
              (long long) (after.streams - before.streams),
              (long long) (after.contexts - before.contexts));
    }
}

/* ---- What is counted, and what is not done -------------------------------------------------- */

static void check_counters(const dame_context_options_t *options, bool has_code)
{
    dame_context_t *context;
    check_ok(dame_context_new(options, &context));
    field_t f = field_in(context, false);
    const int64_t bytes = ROWS * (int64_t) sizeof(double);
    const stand_in_counts_t before = stand_in_counts();
    check_ok(dame_pack(f.type, 1, f.user, 0, f.packed, bytes, NULL));
    check_ok(dame_pack(f.type, 1, f.user, 0, f.packed, bytes, NULL));
    check(right_rows(&f) == ROWS, "rows");
    check(counter(context, "device_moves") == 2 && 2 * bytes == counter(context, "device_bytes"),
          "moves");
    check((has_code ? 2 : 0) == counter(context, "device_launches"), "%lld launches",
          (long long) counter(context, "device_launches"));
    check((has_code ? FEW_COPIES + MOST_COPIES : 2 * ROWS) == counter(context, "device_copies"),
          "%lld copies", (long long) counter(context, "device_copies"));
    check(before.questions + 4 == stand_in_counts().questions, "two questions a message");
    end_field(&f);
    dame_context_free(context);
}

/* Copies of rows until there is a kernel, then what is faster; the bytes are right throughout. */
static void check_choice(dame_context_t *context)
{
    enum { FIRST = 20, USES = 600 };
    field_t f = field_in(context, true);
    void *stream = stand_in_stream(0);
    const int64_t bytes = ROWS * (int64_t) sizeof(double);
    const int64_t before = counter(context, "device_copies");
    for (int i = 0; i < FIRST; i++) {
        check_ok(dame_pack(f.type, 1, f.user, 0, f.packed, bytes, NULL));
    }
    check(right_rows(&f) == ROWS && counter(context, "device_copies") - before == FIRST,
          "%d rows are right, %lld copies", right_rows(&f),
          (long long) (counter(context, "device_copies") - before));
    const int64_t launched = counter(context, "device_launches");
    check_ok(dame_pack_on(f.type, 1, f.user, 0, f.packed, bytes, NULL, stream, NULL));
    stand_in_wait(stream);
    for (int i = 0; i < USES; i++) {
        const double none = -1;
        stand_in_put(f.packed + i % ROWS, &none, sizeof(none));
        check_ok(dame_pack(f.type, 1, f.user, 0, f.packed, bytes, NULL));
        check(right_rows(&f) == ROWS, "use %d: %d rows are right", i, right_rows(&f));
    }
    check(counter(context, "device_launches") - launched >= 4 &&
              counter(context, "device_copies") - before > FIRST,
          "both ways are timed");
    free(stream);
    end_field(&f);
}

int main(int argc, char **argv)
{
    int64_t cases = 40, only = -1;
    uint64_t seed = (uint64_t) time(NULL);
    for (int i = 1; i + 1 < argc; i += 2) {
        const long long value = atoll(argv[i + 1]);
        if (strcmp(argv[i], "--cases") == 0) {
            cases = value;
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = (uint64_t) value;
        } else if (strcmp(argv[i], "--case") == 0) {
            only = value;
        }
    }
    printf("seed %llu\n", (unsigned long long) seed);
    const bool has_llvm = access(DAME_LLVM_SO, R_OK) == 0;
    const dame_context_options_t with = {.size = sizeof(with), .llvm = DAME_LLVM_SO};
    const dame_context_options_t without = {.size = sizeof(without), .llvm = "/nonexistent"};
    check_counters(&without, false);
    if (has_llvm) {
        dame_context_t *context;
        check_counters(&with, true);
        check_errors(&with);
        check_ok(dame_context_new(&with, &context));
        check_queue(context);
        check_threads(context);
        check_choice(context);
        dame_context_free(context);
    } else {
        printf("no kernels: DAME-L is not built\n");
    }
    for (int64_t k = only < 0 ? 0 : only; k < (only < 0 ? cases : only + 1); k++) {
        dame_context_t *context;
        check_ok(dame_context_new(has_llvm && 0 != k % 8 ? &with : &without, &context));
        run_case(seed, k, context);
        launches += counter(context, "device_launches");
        copies += counter(context, "device_copies");
        dame_context_free(context);
    }
    const stand_in_counts_t left = stand_in_counts();
    check(left.allocations == 0 && left.modules == 0 && left.streams == 0 && left.contexts == 0,
          "%lld allocations, %lld modules, %lld streams, %lld contexts are left",
          (long long) left.allocations, (long long) left.modules, (long long) left.streams,
          (long long) left.contexts);
    printf("%lld launches, %lld copies\n", (long long) launches, (long long) copies);
    printf("%lld passed, %lld failed\n", (long long) passed, (long long) failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
