/* 3-D Jacobi: `dimension 3`, faces as derived datatypes, two arrays that change places. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N           6
#define AT(x, y, z) (((x) * (N + 2) + (y)) * (N + 2) + (z))

struct face {
    MPI_Datatype type;
    int before, behind;
};

static void update(double *restrict to, const double *restrict from)
{
    for (int x = 1; x <= N; x++)
        for (int y = 1; y <= N; y++)
            for (int z = 1; z <= N; z++)
                to[AT(x, y, z)] =
                    (from[AT(x - 1, y, z)] + from[AT(x + 1, y, z)] + from[AT(x, y - 1, z)] +
                     from[AT(x, y + 1, z)] + from[AT(x, y, z - 1)] + from[AT(x, y, z + 1)]) /
                    6;
}

static void make_face(struct face *face, int axis, const int *dims, const int *at, int rank)
{
    int sizes[3] = {N + 2, N + 2, N + 2}, parts[3] = {N, N, N}, starts[3] = {0, 0, 0};
    int stride = axis == 0 ? dims[1] * dims[2] : axis == 1 ? dims[2] : 1;

    parts[axis] = 1;
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &face->type);
    MPI_Type_commit(&face->type);
    face->before = at[axis] > 0 ? rank - stride : MPI_PROC_NULL;
    face->behind = at[axis] < dims[axis] - 1 ? rank + stride : MPI_PROC_NULL;
}

int main(int argc, char **argv)
{
    int rank, size, dims[3] = {0}, steps = argc > 1 ? atoi(argv[1]) : 10;
    struct face faces[3];
    double *u = calloc((N + 2) * (N + 2) * (N + 2), sizeof *u),
           *v = calloc((N + 2) * (N + 2) * (N + 2), sizeof *v);
    double sum = 0, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 3, dims);
    int at[] = {rank / (dims[1] * dims[2]), rank / dims[2] % dims[1], rank % dims[2]};
    for (int axis = 0; axis < 3; axis++)
        make_face(&faces[axis], axis, dims, at, rank);
    for (int i = 0; i < (N + 2) * (N + 2) * (N + 2); i++)
        u[i] = v[i] = (i * 11 + rank * 5) % 29;
#pragma bamboo dimension 3
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[6];
#pragma bamboo olap layout NN Y layout NN Z
        {
#pragma bamboo send
            {
                MPI_Isend(&u[AT(1, 1, 1)], 1, faces[0].type, faces[0].before, 0, MPI_COMM_WORLD,
                          &requests[0]);
                MPI_Isend(&u[AT(N, 1, 1)], 1, faces[0].type, faces[0].behind, 1, MPI_COMM_WORLD,
                          &requests[1]);
                MPI_Isend(&u[AT(1, 1, 1)], 1, faces[1].type, faces[1].before, 2, MPI_COMM_WORLD,
                          &requests[2]);
                MPI_Isend(&u[AT(1, N, 1)], 1, faces[1].type, faces[1].behind, 3, MPI_COMM_WORLD,
                          &requests[3]);
                MPI_Isend(&u[AT(1, 1, 1)], 1, faces[2].type, faces[2].before, 4, MPI_COMM_WORLD,
                          &requests[4]);
                MPI_Isend(&u[AT(1, 1, N)], 1, faces[2].type, faces[2].behind, 5, MPI_COMM_WORLD,
                          &requests[5]);
            }
#pragma bamboo receive
            {
                MPI_Recv(&u[AT(N + 1, 1, 1)], 1, faces[0].type, faces[0].behind, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Recv(&u[AT(0, 1, 1)], 1, faces[0].type, faces[0].before, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Recv(&u[AT(1, N + 1, 1)], 1, faces[1].type, faces[1].behind, 2, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Recv(&u[AT(1, 0, 1)], 1, faces[1].type, faces[1].before, 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Recv(&u[AT(1, 1, N + 1)], 1, faces[2].type, faces[2].behind, 4, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Recv(&u[AT(1, 1, 0)], 1, faces[2].type, faces[2].before, 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            }
            MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
            update(v, u);
        }
        double *kept = u;
        u = v;
        v = kept;
    }
    for (int i = 0; i < (N + 2) * (N + 2) * (N + 2); i++)
        sum += u[i] * (i % 7);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    printf("jacobi3d: rank %d of %d after %d: %.17g, largest %.17g\n", rank, size, steps, sum, all);
    for (int axis = 0; axis < 3; axis++)
        MPI_Type_free(&faces[axis].type);
    free(u);
    free(v);
    MPI_Finalize();
    return 0;
}
