/*
 * Columns of a binary matrix file: reads a few neighbouring columns of a matrix of doubles in row
 * order, whatever its size, by asking the library where they lie in the file.
 *
 * Usage: columns FILE COLUMNS FIRST N      the sum of columns FIRST to FIRST + N - 1, each
 *        columns --make FILE ROWS COLUMNS  writes a matrix with element (i, j) = 1000 i + j
 */
#include <dame/datatype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCKS = 256 };

static void check(dame_status_t status)
{
    if (status != DAME_OK) {
        fprintf(stderr, "columns: %s\n", dame_error_message());
        exit(EXIT_FAILURE);
    }
}

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static void make(const char *name, int64_t rows, int64_t columns)
{
    FILE *file = fopen(name, "wb");
    if (!file) {
        fail(name);
    }
    for (int64_t k = 0; k < rows * columns; k++) {
        const double value = (double) (1000 * (k / columns) + k % columns);
        if (fwrite(&value, sizeof value, 1, file) != 1) {
            fail(name);
        }
    }
    if (fclose(file) != 0) {
        fail(name);
    }
}

/* Reads all bytes of the datatype that lie in the file, in typemap order: base NULL, so that the
 * addresses of the blocks are offsets in the file. */
static void read_blocks(int file, const dame_datatype_t *type, char *out)
{
    struct iovec blocks[BLOCKS];
    int64_t position = 0, n;
    for (;;) {
        check(dame_blocks(type, 1, NULL, &position, blocks, BLOCKS, &n));
        if (n == 0) {
            return;
        }
        for (int64_t i = 0; i < n; i++) {
            const off_t offset = (off_t) (intptr_t) blocks[i].iov_base;
            if (pread(file, out, blocks[i].iov_len, offset) != (ssize_t) blocks[i].iov_len) {
                fail("pread");
            }
            out += blocks[i].iov_len;
        }
    }
}

static void sum(const char *name, int64_t columns, int64_t first, int64_t n)
{
    struct stat status;
    const int file = open(name, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0) {
        fail(name);
    }
    const int64_t rows = status.st_size / (columns * (int64_t) sizeof(double));
    const int64_t sizes[] = {rows, columns}, subsizes[] = {rows, n}, starts[] = {0, first};
    dame_context_t *context;
    dame_datatype_t *real, *part;
    int64_t bytes;
    check(dame_context_new(NULL, &context));
    check(dame_datatype_basic(context, "double", 0, &real));
    check(dame_datatype_subarray(2, sizes, subsizes, starts, DAME_ORDER_C, real, &part));
    check(dame_datatype_commit(part));
    check(dame_packed_size(part, 1, &bytes));
    double *values = malloc((size_t) bytes + 1);
    if (!values) {
        fail("malloc");
    }
    read_blocks(file, part, (char *) values);
    printf("%lld rows, %lld bytes read of %lld\n", (long long) rows, (long long) bytes,
           (long long) status.st_size);
    for (int64_t j = 0; j < n; j++) {
        double total = 0;
        for (int64_t i = 0; i < rows; i++) {
            total += values[i * n + j];
        }
        printf("column %lld: sum %.0f\n", (long long) (first + j), total);
    }
    free(values);
    close(file);
    dame_datatype_free(part);
    dame_datatype_free(real);
    dame_context_free(context);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: columns FILE COLUMNS FIRST N | columns --make FILE ROWS COLUMNS\n");
        return EXIT_FAILURE;
    }
    if (strcmp(argv[1], "--make") == 0) {
        make(argv[2], atoll(argv[3]), atoll(argv[4]));
    } else {
        sum(argv[1], atoll(argv[2]), atoll(argv[3]), atoll(argv[4]));
    }
    return EXIT_SUCCESS;
}
