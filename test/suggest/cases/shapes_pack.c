/* Messages that are packed by MPI_Pack and unpacked by MPI_Unpack: the usual way to avoid
 * datatypes. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD
enum { D = 16, ROOM = 8 * D * D * D };
#define CHECK(call)                                                                                \
    if ((call) != MPI_SUCCESS)                                                                     \
    MPI_Abort(W, 1)

struct particle {
    double x[3];
    int id, kind;
    double mass;
};

static int nx, ny, nz, np, header;
static double grid[D][D][D], back[D][D][D], other[D][D];
static float single[D][D];
static struct particle particles[D];
static int list[D], lengths[D];

/* a plane, element by element */
static void plane(int peer)
{
    char buffer[ROOM];
    int position = 0;

    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            MPI_Pack(&grid[i][j][1], 1, MPI_DOUBLE, buffer, ROOM, &position, W);
    MPI_Send(buffer, position, MPI_PACKED, peer, 1, W); /* decided */
}

/* rows of nz elements, into memory of the size that MPI names */
static void rows(int peer)
{
    int position = 0, bytes;
    void *buffer;

    MPI_Pack_size(nx * nz, MPI_DOUBLE, W, &bytes);
    buffer = malloc(bytes);
    for (int i = 0; i < nx; ++i)
        MPI_Pack(grid[i][2], nz, MPI_DOUBLE, buffer, bytes, &position, W);
    MPI_Send(buffer, position, MPI_PACKED, peer, 1, W); /* decided */
    free(buffer);
}

/* two arrays of one element type */
static void two_arrays(int peer)
{
    char buffer[ROOM];
    int position = 0;

    for (int i = 0; i < nx; i++)
        MPI_Pack(&grid[i][0][0], 2, MPI_DOUBLE, buffer, ROOM, &position, W);
    for (int i = 0; i < ny; i++)
        MPI_Pack(&other[i][3], 1, MPI_DOUBLE, buffer, ROOM, &position, W);
    MPI_Send(buffer, position, MPI_PACKED, peer, 1, W); /* decided */
}

/* a header and the counted values: other types, so bytes */
static void with_header(int peer)
{
    char buffer[ROOM];
    int position = 0;

    MPI_Pack(&header, 1, MPI_INT, buffer, ROOM, &position, W);
    for (int i = 0; i < nx; i++)
        MPI_Pack(&single[i][1], 1, MPI_FLOAT, buffer, ROOM, &position, W);
    MPI_Send(buffer, position, MPI_PACKED, peer, 1, W); /* decided */
}

/* the number that is sent first also bounds the loop */
static void counted(int peer)
{
    char buffer[ROOM];
    int position = 0, n = nx;

    MPI_Pack(&n, 1, MPI_INT, buffer, ROOM, &position, W);
    for (int i = 0; i < n; i++)
        MPI_Pack(&single[i][1], 1, MPI_FLOAT, buffer, ROOM, &position, W);
    MPI_Send(buffer, position, MPI_PACKED, peer, 1, W); /* decided */
}

/* fields of structures */
static void fields(int peer)
{
    char buffer[ROOM];
    int position = 0;

    for (int p = 0; p < np; p++) {
        MPI_Pack(particles[p].x, 3, MPI_DOUBLE, buffer, ROOM, &position, W);
        MPI_Pack(&particles[p].mass, 1, MPI_DOUBLE, buffer, ROOM, &position, W);
    }
    MPI_Send(buffer, position, MPI_PACKED, peer, 1, W); /* decided */
}

static void listed(int peer)
{
    char buffer[ROOM];
    int position = 0;

    for (int p = 0; p < np; p++)
        MPI_Pack(&grid[0][0][list[p]], 1, MPI_DOUBLE, buffer, ROOM, &position, W);
    MPI_Send(buffer, position, MPI_PACKED, peer, 1, W); /* decided */
}

/* results that are looked at */
static void checked(int peer)
{
    char buffer[ROOM];
    int position = 0, error;

    for (int i = 0; i < nx; i++) {
        error = MPI_Pack(&grid[i][0][0], nz, MPI_DOUBLE, buffer, ROOM, &position, W);
        CHECK(error);
    }
    MPI_Send(buffer, position, MPI_PACKED, peer, 1, W); /* decided */
}

/* the packed bytes go on as bytes */
static void as_bytes(int peer)
{
    char buffer[ROOM];
    MPI_Request request;
    int position = 0;

    for (int i = 0; i < nx; i++)
        MPI_Pack(grid[i], ny * D, MPI_DOUBLE, buffer, ROOM, &position, W);
    MPI_Isend(buffer, position, MPI_BYTE, peer, 1, W, &request); /* decided */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* position is printed afterwards, so it stays */
static void position_lives(int peer)
{
    char buffer[ROOM];
    int position = 0;

    for (int i = 0; i < nx; i++)
        MPI_Pack(&grid[i][0][0], 1, MPI_DOUBLE, buffer, ROOM, &position, W);
    MPI_Send(buffer, position, MPI_PACKED, peer, 1, W); /* decided */
    header = position;
}

static void plane_back(int peer)
{
    char buffer[ROOM];
    int position = 0;

    MPI_Recv(buffer, 8 * nx * ny, MPI_PACKED, peer, MPI_ANY_TAG, W, MPI_STATUS_IGNORE); /* decided */
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            MPI_Unpack(buffer, ROOM, &position, &back[i][j][1], 1, MPI_DOUBLE, W);
}

/* rows that may be longer than those of the array would overlap */
static void rows_back(int peer)
{
    char buffer[ROOM];
    int position = 0;

    MPI_Recv(buffer, 8 * nx * nz, MPI_PACKED, peer, MPI_ANY_TAG, W, MPI_STATUS_IGNORE); /* refused 11 */
    for (int i = 0; i < nx; i++)
        MPI_Unpack(buffer, ROOM, &position, back[i][2], nz, MPI_DOUBLE, W);
}

#define CASES(SEND, RECV)                                                                         \
    SEND(plane) SEND(rows) SEND(two_arrays) SEND(with_header) SEND(counted) SEND(fields)          \
    SEND(listed) SEND(checked) SEND(as_bytes) SEND(position_lives) RECV(plane_back, 8 * nx * ny)  \
    RECV(rows_back, 8 * nx * nz)

#include "../harness.h"

static void harness_sizes(int setting)
{
    static const int sizes[3][4] = {{6, 5, 4, 9}, {2, 3, 2, 1}, {9, 2, 6, 16}};

    nx = sizes[setting][0];
    ny = sizes[setting][1];
    nz = sizes[setting][2];
    np = sizes[setting][3];
}

static void harness_data(unsigned seed)
{
    harness_fill(grid, sizeof grid, seed);
    harness_fill(back, sizeof back, seed + 1);
    harness_fill(other, sizeof other, seed + 2);
    harness_fill(single, sizeof single, seed + 3);
    harness_fill(particles, sizeof particles, seed + 4);
    header = (int) seed;
    for (int i = 0; i < D; i++) {
        list[i] = (i * 37 + (int) seed) % (D * D * D);
        lengths[i] = i % 3;
    }
}

static void harness_dump(void)
{
    harness_put("back", back, sizeof back);
    harness_put("header", &header, sizeof header);
}
