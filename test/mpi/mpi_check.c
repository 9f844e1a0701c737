/* SPDX-License-Identifier: BSD-3-Clause */
/* Verdicts, patterns and guarded memory for the MPI tests. */
#include "mpi_check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD = 128, PERIOD = 65521, GAP_SEED = 99991, MOST_MESSAGES = 30 };

int my_rank, world_size;

static long passed, failed;
static pthread_mutex_t verdict_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char table[2 * PERIOD];

static void prepare(void)
{
    uint64_t state = 20240607;

    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    for (int i = 0; i < PERIOD; i++) {
        table[i] = table[i + PERIOD] = (unsigned char) (random_next(&state) >> 33);
    }
}

void check_init(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    prepare();
}

void check_init_thread(int *argc, char ***argv, int level)
{
    int provided;

    MPI_Init_thread(argc, argv, level, &provided);
    prepare();
    if (provided < level) {
        if (my_rank == 0) {
            printf("skipped: this MPI has no %s\n",
                   level == MPI_THREAD_MULTIPLE ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SERIALIZED");
        }
        MPI_Finalize();
        exit(77);
    }
}

bool check_at(bool ok, const char *file, int line, const char *format, ...)
{
    pthread_mutex_lock(&verdict_lock);
    if (ok) {
        passed++;
    } else if (++failed <= MOST_MESSAGES) {
        va_list args;
        char text[400];
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        fprintf(stderr, "%s:%d: rank %d: FAILED: %s\n", file, line, my_rank, text);
    }
    pthread_mutex_unlock(&verdict_lock);
    return ok;
}

int check_failures(void)
{
    return failed > 0;
}

int check_finish(void)
{
    long mine[2] = {passed, failed}, all[2] = {0, 0};

    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (my_rank == 0) {
        printf("%ld passed, %ld failed\n", all[0], all[1]);
        fflush(stdout);
    }
    MPI_Finalize();
    return all[1] != 0 || all[0] == 0;
}

static void *must(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "out of memory\n");
        abort();
    }
    return p;
}

void *must_malloc(size_t bytes)
{
    return must(malloc(bytes ? bytes : 1));
}

void *must_calloc(size_t count, size_t bytes)
{
    return must(calloc(count ? count : 1, bytes));
}

void *must_realloc(void *old, size_t bytes)
{
    return must(realloc(old, bytes));
}

uint64_t random_next(uint64_t *state) /* Knuth's MMIX generator, upper bits */
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 16;
}

void pattern(unsigned seed, int64_t at, int64_t n, unsigned char *out)
{
    int64_t from = (int64_t) (((uint64_t) seed * 7919 + (uint64_t) at) % PERIOD);

    while (n > 0) {
        int64_t piece = n < PERIOD ? n : PERIOD;
        memcpy(out, table + from, (size_t) piece);
        out += piece;
        n -= piece; /* a whole period: from stays */
    }
}

bool same_bytes(const void *a, const void *b, int64_t n, int64_t *at)
{
    const unsigned char *x = a, *y = b;

    if (n == 0 || memcmp(a, b, (size_t) n) == 0) {
        return true;
    }
    for (*at = 0; x[*at] == y[*at]; ++*at) {
    }
    return false;
}

static message_t absolute(message_t m, int64_t low, int64_t high)
{
    m.block = m.layout->arena_block;
    m.block_size = m.layout->arena_size;
    m.zero = m.layout->arena;
    m.buf = MPI_BOTTOM;
    if (m.zero + low < m.block || m.zero + high > m.block + m.block_size) {
        fprintf(stderr, "the arena of an absolute layout is too small\n");
        abort();
    }
    return m;
}

message_t msg_in(const layout_t *layout, int64_t count, void *memory, int64_t room)
{
    message_t m = {.layout = layout, .count = count, .bytes = count * layout->size};
    int64_t low, high;

    lay_span(layout, count, &low, &high);
    if (layout->arena != NULL) {
        return absolute(m, low, high);
    }
    low = low > 0 ? 0 : (low - 15) / 16 * 16; /* displacement 0 inside, and aligned */
    m.block_size = high - low + 2 * GUARD;
    if (memory == NULL) {
        memory = must_malloc((size_t) m.block_size);
        m.owned = true;
    } else if (m.block_size > room) {
        fprintf(stderr, "the memory for a message is too small\n");
        abort();
    }
    m.block = memory;
    m.zero = m.block + GUARD - low;
    m.buf = m.zero;
    return m;
}

message_t msg_new(const layout_t *layout, int64_t count)
{
    return msg_in(layout, count, NULL, 0);
}

message_t msg_shadow(const message_t *m)
{
    message_t shadow = *m;
    shadow.block = must_malloc((size_t) m->block_size);
    shadow.zero = shadow.block + (m->zero - m->block);
    shadow.buf = shadow.zero;
    shadow.owned = true;
    return shadow;
}

void msg_free(message_t *m)
{
    if (m->owned) {
        free(m->block);
    }
    m->block = NULL;
}

void msg_clear(message_t *m)
{
    pattern(GAP_SEED, 0, m->block_size, m->block);
}

void msg_fill(message_t *m, const unsigned char *stream)
{
    msg_clear(m);
    lay_unpack(m->layout, m->count, stream, m->bytes, m->zero);
}

void msg_place(message_t *m, int64_t first, int64_t n, const unsigned char *stream)
{
    lay_unpack(m->layout, n, stream, n * m->layout->size, m->zero + first * lay_extent(m->layout));
}

static bool same_block(const message_t *m, const unsigned char *expected)
{
    int64_t at = 0;

    if (same_bytes(m->block, expected, m->block_size, &at)) {
        return true;
    }
    fprintf(stderr, "rank %d: displacement %lld of %lld..%lld holds %02x, expected %02x\n", my_rank,
            (long long) (m->block + at - m->zero), (long long) (m->block - m->zero),
            (long long) (m->block + m->block_size - m->zero), m->block[at], expected[at]);
    return false;
}

bool msg_equal(const message_t *got, const message_t *expected)
{
    return same_block(got, expected->block);
}

bool msg_holds(const message_t *m, const unsigned char *stream, int64_t bytes)
{
    unsigned char *expected = must_malloc((size_t) m->block_size);

    pattern(GAP_SEED, 0, m->block_size, expected);
    lay_unpack(m->layout, m->count, stream, bytes, expected + (m->zero - m->block));
    bool ok = same_block(m, expected);
    free(expected);
    return ok;
}

unsigned char *stream_new(const layout_t *layout, int64_t count, unsigned seed)
{
    int64_t bytes = count * layout->size;
    unsigned char *stream = must_malloc((size_t) bytes);

    pattern(seed, 0, bytes, stream);
    if (layout->arena == NULL) { /* absolute layouts never overlap */
        message_t m = msg_new(layout, count);
        msg_fill(&m, stream);
        lay_pack(layout, count, m.zero, stream);
        msg_free(&m);
    }
    return stream;
}

/* Does MPI_Pack of a message give this stream? */
static bool packs(const message_t *m, MPI_Datatype type, const unsigned char *stream)
{
    unsigned char *packed = must_malloc((size_t) m->bytes);
    int at = 0;
    int64_t bad;

    MPI_Pack(m->buf, (int) m->count, type, packed, (int) m->bytes, &at, MPI_COMM_SELF);
    bool ok = at == m->bytes && same_bytes(packed, stream, m->bytes, &bad);
    free(packed);
    return ok;
}

bool packs_as(MPI_Datatype type, const layout_t *layout)
{
    unsigned char *stream = stream_new(layout, 2, 17);
    message_t m = msg_new(layout, 2);

    msg_fill(&m, stream);
    bool ok = packs(&m, type, stream);
    free(stream);
    msg_free(&m);
    return ok;
}

bool moves_right(const layout_t *layout, int count)
{
    unsigned char *stream = stream_new(layout, count, (unsigned) count);
    message_t m = msg_new(layout, count);
    int at = 0;

    msg_fill(&m, stream);
    bool ok = packs(&m, layout->type, stream);
    msg_clear(&m);
    MPI_Unpack(stream, (int) m.bytes, &at, m.buf, count, layout->type, MPI_COMM_SELF);
    ok = at == m.bytes && msg_holds(&m, stream, m.bytes) && ok;
    free(stream);
    msg_free(&m);
    return ok;
}

/* Without stdio: its buffer, at the heap's end, could keep the heap from shrinking. */
long resident_kib(void)
{
    char text[4096] = "";
    const int fd = open("/proc/self/status", O_RDONLY);
    long kib = -1;

    if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0) {
        const char *line = strstr(text, "VmRSS:");
        if (line != NULL) {
            kib = strtol(line + strlen("VmRSS:"), NULL, 10);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return kib;
}
