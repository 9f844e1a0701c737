/* Where the type of an object, a library function, an attribute or a wrapped counter makes a
 * packing loop something else. The comment at a call is the verdict. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12, M = 16 };

static double a[N][M];
void fill(double *values);
void ends(int *object);

/* ---- memory of malloc() has the type of the last store (C11 6.5, 6) ---- */

void retyped_through_a_cast(int n)
{
    int buffer[N];
    int *values = malloc(2 * N * sizeof *values);
    memset(values, 0, 2 * N * sizeof *values);
    for (int i = 0; i < n; i++)
        buffer[i] = values[2 * i];
    ((float *) values)[0] = 1.0f;
    MPI_Send(buffer, n, MPI_INT, 1, 0, MPI_COMM_WORLD); /* refused any */
    free(values);
}

void retyped_through_a_pointer(int n)
{
    int buffer[N];
    int *values = malloc(N * sizeof *values);
    float *others = (float *) values;
    memset(values, 0, N * sizeof *values);
    for (int i = 0; i < n; i++)
        buffer[i] = values[i];
    others[0] = 1.0f;
    MPI_Send(buffer, n, MPI_INT, 1, 0, MPI_COMM_WORLD); /* refused 51 */
    free(values);
}

void retyped_by_another_member(int n)
{
    int buffer[N];
    union {
        int as_int[N];
        float as_float[N];
    } both;
    fill((double *) &both);
    for (int i = 0; i < n; i++)
        buffer[i] = both.as_int[i];
    both.as_float[0] = 1.0f;
    MPI_Send(buffer, n, MPI_INT, 1, 0, MPI_COMM_WORLD); /* refused any */
}

/* Another object's: memory of malloc() that no other pointer leads to. */
void another_object_of_another_type(int n, float *other)
{
    int buffer[N];
    int *values = malloc(N * sizeof *values);
    memset(values, 0, N * sizeof *values);
    for (int i = 0; i < n; i++)
        buffer[i] = values[i];
    other[0] = 1.0f;
    MPI_Send(buffer, n, MPI_INT, 1, 0, MPI_COMM_WORLD); /* decided */
    free(values);
}

/* ---- functions of the C library that read the buffer ---- */

void compared_behind(int n, const double *before, int *differs)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 52 */
    *differs = memcmp(buffer, before, (size_t) n * sizeof(double));
}

void sent_if_it_differs(int n, const double *before)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    if (memcmp(buffer, before, (size_t) n * sizeof(double)) != 0)
        MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
}

void compared_before_it_is_unpacked(int n, const double *before, int *differs)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused any */
    *differs = memcmp(buffer, before, (size_t) n * sizeof(double));
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void destination_is_compared(int n, const double *before, int *differs)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused any */
    *differs = memcmp(a, before, (size_t) n * sizeof(double));
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void measured_as_text(int n, const char *restrict from, size_t *length)
{
    char buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = from[4 * i];
    MPI_Send(buffer, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD); /* refused any */
    *length = strlen(buffer);
}

/* ---- requests ---- */

void request_moved_away(int n)
{
    double buffer[N];
    MPI_Request request, kept;
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Isend(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* refused any */
    kept = request;
    request = MPI_REQUEST_NULL;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    a[0][0] = 1.0;
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
}

void request_of_the_next_message(int n)
{
    double buffer[N], other[N] = {0};
    MPI_Request request, kept;
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Isend(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* refused any */
    kept = request;
    MPI_Isend(other, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* refused 54 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    a[0][0] = 1.0;
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
}

void received_into_a_moved_request(int n)
{
    double buffer[N];
    MPI_Request request, kept;
    MPI_Irecv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* refused any */
    kept = request;
    request = MPI_REQUEST_NULL;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void too_few_waited_for(int n)
{
    double buffer[N], other[N] = {0};
    MPI_Request requests[2];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Isend(other, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[0]); /* refused 54 */
    MPI_Isend(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[1]); /* refused any */
    MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
    a[0][0] = 1.0;
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

/* ---- lengths of arrays, and effects outside statements ---- */

void row_of_a_length_that_was(int m)
{
    double buffer[4];
    typedef double row[m];
    m = 3;
    row rows[4];
    fill(&rows[0][0]);
    for (int i = 0; i < 4; i++)
        buffer[i] = rows[i][0];
    MPI_Send(buffer, 4, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
}

void length_with_an_effect(int n)
{
    double buffer[N];
    int k = 0;
    for (int i = 0; i < n; i++) {
        buffer[i] = a[k][0];
        char room[k++ + 1]; /* refused 63 */
        (void) room;
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
}

void cleaned_up(int n)
{
    double buffer[N];
    {
        __attribute__((cleanup(ends))) int object = 0; /* refused 63 */
        for (int i = 0; i < n; i++)
            buffer[i] = a[i][0];
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
}

/* ---- counters that wrap ---- */

void wraps_at_the_top(int n, unsigned first, const char *restrict from)
{
    char buffer[N];
    unsigned j = first;
    for (int i = 0; i < n; i++)
        buffer[i] = from[j++];
    MPI_Send(buffer, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD); /* refused 58 */
}

void wraps_below(int n, const char *restrict from)
{
    char buffer[N];
    unsigned j = 1;
    for (int i = 0; i < n; i++)
        buffer[i] = from[j--];
    MPI_Send(buffer, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD); /* refused 58 */
}

void wraps_by_its_step(int n, unsigned step, const char *restrict from)
{
    char buffer[N];
    unsigned j = 0;
    for (int i = 0; i < n; i++) {
        buffer[i] = from[j];
        j += step;
    }
    MPI_Send(buffer, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD); /* refused 58 */
}

void does_not_wrap(int n)
{
    double buffer[2 * N];
    unsigned j = 0;
    for (unsigned i = 0; i < (unsigned) N; i++)
        buffer[j++] = a[i][0];
    MPI_Send(buffer, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* decided */
    (void) n;
}
