/* What looks like an unpacking loop and is none. */
#include <mpi.h>
#include <stdlib.h>

enum { N = 12, M = 16 };

static double a[N][M];
void look(void);

void overlapping(int n)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused any */
    for (int i = 0; i < n; i++)
        a[0][0] = buffer[i];
}

void overlapping_rows(void)
{
    double buffer[N];
    MPI_Recv(buffer, 8, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 11 */
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 4; i++)
            a[0][3 * j + i] = buffer[4 * j + i];
}

double destination_read_before(int n)
{
    double buffer[N], x;
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 56 */
    x = a[0][0] * 2;
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
    return x;
}

void destination_written_before(int n)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 56 */
    a[0][0] = 1.0;
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

double used_in_computation(int n)
{
    double buffer[N], x = 0;
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 52 */
    for (int i = 0; i < n; i++) {
        a[i][0] = buffer[i];
        x += buffer[i];
    }
    return x;
}

void added(int n)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* none */
    for (int i = 0; i < n; i++)
        a[i][0] += buffer[i];
}

void unpacked_twice(int n)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused any */
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
    for (int i = 0; i < n; i++)
        a[i][1] = buffer[i];
}

void unpacked_in_part(int n)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 6 */
    for (int i = 0; i < n - 2; i++)
        a[i][0] = buffer[i];
}

void unpacked_sometimes(int n, int flag)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 59 */
    if (flag)
        for (int i = 0; i < n; i++)
            a[i][0] = buffer[i];
}

void received_sometimes(int n, int flag)
{
    double buffer[N] = {0};
    if (flag)
        MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused any */
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void source_checked(int n)
{
    double buffer[N];
    MPI_Status status;
    MPI_Recv(buffer, n, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status); /* refused 59 */
    if (status.MPI_SOURCE == 3)
        for (int i = 0; i < n; i++)
            a[i][0] = buffer[i];
}

void callee_sees_destination(int n)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 50 */
    look();
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void irecv_destination_read(int n, double *restrict out)
{
    double buffer[N];
    MPI_Request request;
    MPI_Irecv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* refused 56 */
    out[0] = a[3][0];
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void irecv_unpacked_before_wait(int n)
{
    double buffer[N];
    MPI_Request request;
    MPI_Irecv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* refused 52 */
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void irecv_destination_sent(int n)
{
    double buffer[N];
    MPI_Request request;
    MPI_Irecv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* refused 56 */
    MPI_Send(a[0], M, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void irecv_other_wait(int n, MPI_Request *all)
{
    double buffer[N];
    MPI_Irecv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &all[n]); /* refused 57 */
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void two_into_one_buffer(int n)
{
    double buffer[N];
    MPI_Request request[2];
    MPI_Irecv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request[0]); /* none */
    MPI_Irecv(buffer, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request[1]); /* refused any */
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void both_directions(int n)
{
    double in[N], out[N];
    for (int i = 0; i < n; i++)
        out[i] = a[i][1];
    MPI_Sendrecv(out, n, MPI_DOUBLE, 1, 0, in, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* decided refused 56 */
    for (int i = 0; i < n; i++)
        a[i][0] = in[i];
}

void both_pending(int n)
{
    double in[N], out[N];
    MPI_Request request[2];
    for (int i = 0; i < n; i++)
        out[i] = a[i][1];
    MPI_Irecv(in, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request[0]); /* refused 56 */
    MPI_Isend(out, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request[1]); /* decided */
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        a[i][0] = in[i];
}

void parameter_buffer(double *restrict buffer, int n)
{
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 65 */
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

/* The size is the one that was received. */
void size_received(void)
{
    int sizes[N], n;
    double buffer[N];
    MPI_Recv(sizes, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* decided */
    n = sizes[0];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* decided */
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void list_received(int n)
{
    int list[N];
    double buffer[N];
    MPI_Recv(list, n, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* none */
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 11 */
    for (int i = 0; i < n; i++)
        a[list[i]][0] = buffer[i];
}

/* Every size in the source is taken to be 1 or more. */
void row_with_a_stride(int n, int stride)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* decided */
    for (int i = 0; i < n; i++)
        (&a[0][0])[i * stride] = buffer[i];
}

void read_in_the_next_iteration(int n, int steps)
{
    double buffer[N] = {0};
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++)
            a[i][0] = buffer[i];
        MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* none */
    }
}

void another_size(int n, int m)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 6 */
    n = m;
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void size_of_the_message(void)
{
    double buffer[N];
    int n;
    MPI_Status status;
    MPI_Recv(buffer, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &status); /* refused any */
    MPI_Get_count(&status, MPI_DOUBLE, &n);
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}

void forwarded_within(int n)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 56 */
    for (int i = 0; i < n; i++) {
        a[i][0] = buffer[i];
        a[i][1] = a[i][0];
    }
}

void indexed(int n, const int *restrict list)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused 11 */
    for (int i = 0; i < n; i++)
        a[list[i]][0] = buffer[i];
}

void reversed(int n)
{
    double buffer[N];
    MPI_Recv(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* decided */
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[n - 1 - i];
}
