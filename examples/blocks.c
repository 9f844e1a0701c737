/*
 * writev() of a datatype's blocks: writes the interior of a matrix with a border to a file without
 * packing it. A write that stops in the middle goes on at the byte where it stopped.
 *
 * Usage: blocks FILE
 */
#include <dame/datatype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIDE = 100, BORDER = 2, INNER = SIDE - 2 * BORDER, BLOCKS = 16 };

static float matrix[SIDE][SIDE];

static void check(dame_status_t status)
{
    if (status != DAME_OK) {
        fprintf(stderr, "blocks: %s\n", dame_error_message());
        exit(EXIT_FAILURE);
    }
}

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static int64_t write_message(int file, const dame_datatype_t *type, int64_t count, const void *base)
{
    struct iovec blocks[BLOCKS];
    int64_t position = 0, n, calls = 0;
    for (;;) {
        int64_t next = position;
        check(dame_blocks(type, count, base, &next, blocks, BLOCKS, &n));
        if (n == 0) {
            return calls;
        }
        if (calls % 3 == 1) { /* as a pipe or a socket may: not all of it */
            blocks[n - 1].iov_len = (blocks[n - 1].iov_len + 1) / 2;
        }
        const ssize_t written = writev(file, blocks, (int) n);
        if (written < 0) {
            fail("writev");
        }
        position += written;
        calls++;
    }
}

int main(int argc, char **argv)
{
    const int64_t sizes[] = {SIDE, SIDE}, subsizes[] = {INNER, INNER}, starts[] = {BORDER, BORDER};
    dame_context_t *context;
    dame_datatype_t *single, *interior;
    if (argc != 2) {
        fprintf(stderr, "usage: blocks FILE\n");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        matrix[i / SIDE][i % SIDE] = (float) i;
    }
    check(dame_context_new(NULL, &context));
    check(dame_datatype_basic(context, "float", 0, &single));
    check(dame_datatype_subarray(2, sizes, subsizes, starts, DAME_ORDER_C, single, &interior));
    check(dame_datatype_commit(interior));
    const int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (file < 0) {
        fail(argv[1]);
    }
    const int64_t calls = write_message(file, interior, 1, matrix);
    printf("%d blocks of %d bytes in %lld calls of writev()\n", INNER,
           (int) (INNER * sizeof(float)), (long long) calls);
    static float back[INNER][INNER];
    int wrong = pread(file, back, sizeof back, 0) != sizeof back;
    for (int i = 0; i < INNER * INNER; i++) {
        wrong += back[i / INNER][i % INNER] != matrix[BORDER + i / INNER][BORDER + i % INNER];
    }
    printf("%d elements wrong\n", wrong);
    close(file);
    dame_datatype_free(interior);
    dame_datatype_free(single);
    dame_context_free(context);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
