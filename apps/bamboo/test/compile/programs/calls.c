/* The calls: ANY_SOURCE and ANY_TAG, Probe, Waitany, Waitsome, Test, persistent requests,
 * collectives, dup and split. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static int any_source(void)
{
    int i, sum = 0;
    MPI_Status status;

    if (rank > 0) {
        int value = rank * rank;

        MPI_Send(&value, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
        return value;
    }
    for (i = 1; i < size; i++) {
        int value, count;

        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Recv(&value, count, MPI_INT, status.MPI_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        sum += value * status.MPI_TAG;
    }
    return sum;
}

static int requests(void)
{
    enum { MOST = 16 };
    MPI_Request list[MOST], sends[MOST];
    int values[MOST], index, done, n = size < MOST ? size : MOST, indices[MOST], sum = 0, flag = 0;

    for (int i = 0; i < n; i++) {
        MPI_Irecv(&values[i], 1, MPI_INT, i, 9, MPI_COMM_WORLD, list + i);
        MPI_Isend(&rank, 1, MPI_INT, i, 9, MPI_COMM_WORLD, &sends[i]);
    }
    for (int i = 0; i < n / 2; i++) {
        MPI_Waitany(n, list, &index, MPI_STATUS_IGNORE);
        sum += values[index];
    }
    for (int left = n - n / 2; left > 0; left -= done) {
        MPI_Waitsome(n, list, &done, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < done; i++)
            sum += values[indices[i]];
    }
    while (!flag)
        MPI_Testall(n, sends, &flag, MPI_STATUSES_IGNORE);
    return sum;
}

static int persistent(void)
{
    MPI_Request pair[2];
    int out, in, sum = 0;

    MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD, &pair[0]);
    MPI_Recv_init(&in, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD, &pair[1]);
    for (out = rank; out < rank + 10; out += 3) {
        MPI_Startall(2, pair);
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
        sum = sum * 2 + in;
    }
    MPI_Request_free(&pair[0]);
    MPI_Request_free(&pair[1]);
    return sum;
}

static double collectives(MPI_Comm comm)
{
    double mine[2] = {rank + 0.5, 1.0 / (rank + 1)}, sum[2] = {0}, best = 0;
    int root = 1 % size;

    MPI_Reduce(mine, sum, 2, MPI_DOUBLE, MPI_MAX, root, comm);
    MPI_Bcast(sum, 2, MPI_DOUBLE, root, comm);
    MPI_Allreduce(&mine[1], &best, 1, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Barrier(comm);
    return sum[0] * 100 + sum[1] * 10 + best;
}

static int communicators(void)
{
    MPI_Comm copy, half, none;
    int place, members, value, got = MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS;

    MPI_Comm_split(copy, rank % 2, -rank, &half);
    MPI_Comm_split(copy, rank == 0 ? MPI_UNDEFINED : 1, 0, &none);
    MPI_Comm_rank(half, &place);
    MPI_Comm_size(half, &members);
    value = place;
    MPI_Sendrecv(&value, 1, MPI_INT, (place + 1) % members, 0, &got, 1, MPI_INT,
                 (place + members - 1) % members, 0, half, MPI_STATUS_IGNORE);
    if (none != MPI_COMM_NULL) {
        MPI_Bcast(&value, 1, MPI_INT, 0, none);
        MPI_Comm_free(&none);
    }
    MPI_Bcast(&members, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    return got * 100 + members * 10 + value;
}

int main(int argc, char **argv)
{
    int flag, any, req, per, comms;
    double coll;

    MPI_Init(&argc, &argv);
    MPI_Initialized(&flag);
    if (!flag)
        exit(3);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    any = any_source();
    MPI_Barrier(MPI_COMM_WORLD); /* its messages are not the next ones */
    req = requests();
    per = persistent();
    coll = collectives(MPI_COMM_WORLD);
    comms = communicators();
    printf("calls: rank %d: %d, %d, %d, %.17g, %d\n", rank, any, req, per, coll, comms);
    MPI_Finalize();
    return 0;
}
