/* MPI_Pack and MPI_Unpack are not looked into: nothing that they may touch has an answer. The
 * comment at a call is the verdict. */
#include <mpi.h>

enum { N = 12, ROOM = 4000 };

static double a[N][N];

void packs(int n)
{
    char buffer[ROOM];
    int position = 0;
    for (int i = 0; i < n; i++)
        MPI_Pack(&a[i][0], 1, MPI_DOUBLE, buffer, ROOM, &position, MPI_COMM_WORLD);
    MPI_Send(buffer, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* refused 61 */
}

/* behind what a loop packs */
void packs_more(int n, int position)
{
    double buffer[N + 1];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Pack(&a[0][1], 1, MPI_DOUBLE, buffer, ROOM, &position, MPI_COMM_WORLD);
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 61 */
}

void unpacks(int n)
{
    char buffer[ROOM];
    int position = 0;
    MPI_Recv(buffer, 8 * n, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        MPI_Unpack(buffer, ROOM, &position, &a[i][0], 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* the data changes between packing and sending */
void unpacks_between(int n, const char *packed)
{
    double buffer[N];
    int position = 0;
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Unpack(packed, ROOM, &position, &a[0][0], N, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
}

/* the buffer is read by something else than the loop behind */
void unpacks_and_loops(int n)
{
    double buffer[N];
    int position = 0;
    MPI_Recv(buffer, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused any */
    MPI_Unpack(buffer, ROOM, &position, &a[0][1], 1, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        a[i][0] = buffer[i];
}
