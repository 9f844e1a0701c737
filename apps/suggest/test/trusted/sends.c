#include <mpi.h>

extern int stride;
void pack_from(double *buf, const double *u, int n);

void send_from(double *u, int n, int peer)
{
    double buf[100];
    pack_from(buf, u, n);
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); /* decided 7 */
}
