/* Each function is right as long as its assumptions hold. With the argument "break" they do not, and a patch of --patch=check
 * reports every one of them. */
#include <mpi.h>
#include <string.h>

#define W MPI_COMM_WORLD

enum { N = 12 };

double shared[2 * N];
MPI_Datatype real_type;
void touch(int really);

static double u[8 * N], got[8 * N];

void different_memory(double *buf, double *from, int n)
{
    for (int i = 0; i < n; i++)
        buf[i] = from[i];
    MPI_Send(buf, n, MPI_DOUBLE, 0, 1, W); /* decided 1 7 */
}

void unseen_call(int n, int really)
{
    double buf[N];
    for (int i = 0; i < n; i++)
        buf[i] = shared[2 * i];
    touch(really);
    MPI_Send(buf, n, MPI_DOUBLE, 0, 1, W); /* decided 2 */
}

void datatype(int n)
{
    double buf[N];
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
    MPI_Send(buf, n, real_type, 0, 1, W); /* decided 3 */
}

void count(int n, int m)
{
    double buf[N];
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
    MPI_Send(buf, m, MPI_DOUBLE, 0, 1, W); /* decided 5 */
}

void parts(int n, int k)
{
    double buf[N];
    for (int i = 0; i < n; i++)
        buf[i] = u[4 * i];
    u[4 * n + k] = 9;
    MPI_Send(buf, n, MPI_DOUBLE, 0, 1, W); /* decided 9 */
}

void trips(int n)
{
    double buf[2 * N], *to = buf;
    const double *from = u + N;
    for (int i = 0; i < n; i++)
        *to++ = *from++;
    for (int i = 0; i < 3; i++)
        *to++ = *from++;
    MPI_Send(buf, to - buf, MPI_DOUBLE, 0, 1, W); /* decided 10 */
}

int main(int argc, char **argv)
{
    int breaks = argc > 1 && strcmp(argv[1], "break") == 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    real_type = breaks ? MPI_FLOAT : MPI_DOUBLE;
    for (int i = 0; i < 8 * N; i++)
        u[i] = i + 1;
    for (int i = 0; i < 2 * N; i++)
        shared[i] = -i;
    for (int which = 0; which < 6; which++) {
        MPI_Irecv(got, 8 * N, which == 2 ? real_type : MPI_DOUBLE, 0, 1, W, &request);
        if (which == 0)
            different_memory(u, breaks ? u + 1 : u + 4 * N, N);
        else if (which == 1)
            unseen_call(N, breaks);
        else if (which == 2)
            datatype(N);
        else if (which == 3)
            count(N, breaks ? N - 1 : N);
        else if (which == 4)
            parts(N, breaks ? -4 * N : 2);
        else
            trips(breaks ? -2 : 2);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
