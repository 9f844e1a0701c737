/* Runs the cases of a file on two ranks and writes every byte that was sent or changed to
 * OUTPUT.0 and OUTPUT.1, so that an original and its patched copy can be compared.
 *
 * A file lists its cases as CASES(SEND, RECV): SEND(f): rank 0 calls f(1), which sends any number
 * of messages; RECV(f, bytes): rank 1 calls f(0), which receives one message of `bytes` bytes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *harness_out;

static void harness_put(const char *name, const void *bytes, size_t n)
{
    fprintf(harness_out, "%s %zu\n", name, n);
    fwrite(bytes, 1, n, harness_out);
    fputc('\n', harness_out);
}

static unsigned char harness_byte(size_t i, unsigned seed)
{
    return (unsigned char) ((i * 2654435761u + seed * 40503u) >> 13);
}

static void harness_fill(void *bytes, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *) bytes)[i] = harness_byte(i, seed);
}

static void harness_data(unsigned seed);
static void harness_dump(void);

static void harness_send(const char *name, void (*function)(int), int rank)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    fprintf(harness_out, "case %s\n", name);
    harness_data(1);
    if (rank == 0) {
        function(1);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 999, comm);
        harness_dump();
        return;
    }
    for (;;) {
        MPI_Status status;
        int n;
        char *message;

        MPI_Probe(0, MPI_ANY_TAG, comm, &status);
        MPI_Get_count(&status, MPI_BYTE, &n);
        message = malloc((size_t) n + 1);
        MPI_Recv(message, n, MPI_BYTE, 0, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
        if (status.MPI_TAG != 999)
            harness_put("message", message, (size_t) n);
        free(message);
        if (status.MPI_TAG == 999)
            return;
    }
}

static void harness_recv(const char *name, void (*function)(int), long bytes, int rank)
{
    fprintf(harness_out, "case %s\n", name);
    harness_data(2);
    if (rank == 0) {
        char *message = malloc((size_t) bytes + 1);

        harness_fill(message, (size_t) bytes, 3);
        MPI_Send(message, (int) bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        free(message);
    } else {
        function(0);
    }
    harness_dump();
}

static void harness_sizes(int setting);

int main(int argc, char **argv)
{
    char path[4000];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", argc > 1 ? argv[1] : "out", rank);
    harness_out = fopen(path, "wb");
    if (!harness_out)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int setting = 0; setting < 3; setting++) {
        harness_sizes(setting);
#define SEND(f) harness_send(#f, f, rank);
#define RECV(f, bytes) harness_recv(#f, f, bytes, rank);
        CASES(SEND, RECV)
    }
    fclose(harness_out);
    MPI_Finalize();
    return 0;
}
