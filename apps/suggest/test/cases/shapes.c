/* Packing and unpacking loops as programs have them, after the figures of Kjolstad, Hoefler, Snir:
 * "A Transformation to Convert Packing Code to Compact Datatypes for Efficient Zero-Copy Data Transfer"
 * (S1 to S19) and the NAS codes that they show. Written for this test. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD
enum { D = 16, CELLS = 4 };
#define INDEX(m, i, j, k) ((m) + 5 * ((i) + (isiz1 + 4) * ((j) + (isiz2 + 4) * (k))))

struct particle {
    double x[3];
    int id, kind;
    double mass;
};

struct domain {
    int nx, ny;
    double *u;
};

static int nx, ny, nz, isiz1, isiz2, jst, jend, n1, n2, n3, np;
static double g[5 * 20 * 20 * 20], h[5 * 20 * 20 * 20], t[D][D][3], cube[D][D][D], ghost[D][D];
static double lhs[CELLS][6][6][6][5], solution[D][D][5], block[D][D][5][5];
static float single[D][D];
static struct particle particles[100];
static int list[40], cell_size[CELLS][3];
static int live;
static double buf[20000], buf1[20000];

static inline int at(int i, int j, int k)
{
    return i + n1 * (j + n2 * k);
}

/* S1: three doubles of each row of a grid */
static void s1(int peer)
{
    double buffer[3 * D];
    int b = 0;
    for (int i = 0; i < nx; i++) {
        buffer[b++] = t[i][0][0];
        buffer[b++] = t[i][0][1];
        buffer[b++] = t[i][0][2];
    }
    MPI_Send(buffer, 3 * nx, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* S2: the same with an inner loop and a running pointer */
static void s2(int peer)
{
    double buffer[3 * D], *b = buffer;
    for (int i = 0; i < nx; i++)
        for (int m = 0; m < 3; m++)
            *b++ = t[i][0][m];
    MPI_Send(buffer, b - buffer, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* S4: LU exchange_3, split */
static void s4(int peer)
{
    int i, j, k, ipos1, ipos2;
    for (k = 1; k <= nz; k++)
        for (j = 1; j <= ny; j++) {
            ipos1 = (k - 1) * ny + j - 1;
            for (i = 0; i < 5; i++)
                buf[5 * ipos1 + i] = g[INDEX(i, nx, j + 1, k)];
        }
    for (k = 1; k <= nz; k++)
        for (j = 1; j <= ny; j++) {
            ipos2 = (k - 1) * ny + j - 1 + ny * nz;
            for (i = 0; i < 5; i++)
                buf[5 * ipos2 + i] = g[INDEX(i, nx + 1, j + 1, k)];
        }
    MPI_Send(buf, 10 * ny * nz, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* S5: not split, statement by statement */
static void s5(int peer)
{
    int j, k, ipos1, ipos2;
    for (k = 1; k <= nz; k++) {
        for (j = 1; j <= ny; j++) {
            ipos1 = (k - 1) * ny + j - 1;
            ipos2 = ipos1 + ny * nz;
            buf[5 * ipos1] = g[INDEX(0, nx, j + 1, k)];
            buf[5 * ipos1 + 1] = g[INDEX(1, nx, j + 1, k)];
            buf[5 * ipos1 + 2] = g[INDEX(2, nx, j + 1, k)];
            buf[5 * ipos1 + 3] = g[INDEX(3, nx, j + 1, k)];
            buf[5 * ipos1 + 4] = g[INDEX(4, nx, j + 1, k)];
            buf[5 * ipos2] = g[INDEX(0, nx + 1, j + 1, k)];
            buf[5 * ipos2 + 1] = g[INDEX(1, nx + 1, j + 1, k)];
            buf[5 * ipos2 + 2] = g[INDEX(2, nx + 1, j + 1, k)];
            buf[5 * ipos2 + 3] = g[INDEX(3, nx + 1, j + 1, k)];
            buf[5 * ipos2 + 4] = g[INDEX(4, nx + 1, j + 1, k)];
        }
    }
    MPI_Send(buf, 10 * ny * nz, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* S9: LU exch_1, receive from the north */
static void s9(int peer)
{
    MPI_Status status;
    int j;
    MPI_Recv(buf1, 5 * (jend - jst + 1), MPI_DOUBLE, peer, 0, W, &status); /* decided */
    for (j = jst; j <= jend; j++) {
        g[INDEX(0, 0, j, 1)] = buf1[5 * (j - jst)];
        g[INDEX(1, 0, j, 1)] = buf1[5 * (j - jst) + 1];
        g[INDEX(2, 0, j, 1)] = buf1[5 * (j - jst) + 2];
        g[INDEX(3, 0, j, 1)] = buf1[5 * (j - jst) + 3];
        g[INDEX(4, 0, j, 1)] = buf1[5 * (j - jst) + 4];
    }
}

/* S10: contiguous */
static void s10(int peer)
{
    for (int i = 1; i <= nx; i++)
        for (int m = 0; m < 5; m++)
            buf[5 * (i - 1) + m] = g[INDEX(m, i, 2, 1)];
    MPI_Send(buf, 5 * nx, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* S11: the second plane before the first: a negative stride */
static void s11(int peer)
{
    int i, j, k, ipos1, ipos2;
    for (k = 1; k <= nz; k++)
        for (j = 1; j <= ny; j++) {
            ipos1 = (k - 1) * ny + j - 1;
            ipos2 = ipos1 + ny * nz;
            for (i = 0; i < 5; i++) {
                buf[5 * ipos1 + i] = g[INDEX(i, 3, j, k)];
                buf[5 * ipos2 + i] = g[INDEX(i, 2, j, k)];
            }
        }
    MPI_Send(buf, 10 * ny * nz, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* S12: two arrays in one message */
static void s12(int peer)
{
    int i;
    for (i = 0; i < nx; i++) {
        buf[i] = g[i];
        buf[i + nx] = h[i];
    }
    MPI_Send(buf, 2 * nx, MPI_DOUBLE, peer, 1, W); /* decided */
}

static void s12_faces(int peer)
{
    int j, p = 0;
    for (j = 0; j < ny + 2; j++)
        buf[p++] = g[1 + (2 + isiz2) * j];
    for (j = 0; j < ny + 2; j++)
        buf[p++] = h[1 + (2 + isiz2) * j];
    MPI_Send(buf, p, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* S13, S14: MG give3 and give3_ex, one of several axes */
static void give3(double *restrict u, int axis, int dir, int peer)
{
    int i1, i2, i3, buff_len = 0;
    static double buff[4000];
    if (axis == 1) {
        if (dir == -1) {
            for (i3 = 1; i3 < n3 - 1; i3++)
                for (i2 = 1; i2 < n2 - 1; i2++)
                    buff[buff_len++] = u[at(1, i2, i3)];
            MPI_Send(buff, buff_len, MPI_DOUBLE, peer, 1, W); /* decided */
        } else if (dir == 1) {
            for (i3 = 0; i3 < n3; i3++)
                for (i2 = 0; i2 < n2; i2++)
                    for (i1 = n1 - 2; i1 < n1; i1++)
                        buff[buff_len++] = u[at(i1, i2, i3)];
            MPI_Send(buff, buff_len, MPI_DOUBLE, peer, 2, W); /* decided */
        }
    }
    if (axis == 2) {
        for (i3 = 1; i3 < n3 - 1; i3++)
            for (i1 = 0; i1 < n1; i1++)
                buff[buff_len++] = u[at(i1, 1, i3)];
        MPI_Send(buff, buff_len, MPI_DOUBLE, peer, 3, W); /* decided */
    }
    if (axis == 3) {
        for (i2 = 0; i2 < n2; i2++)
            for (i1 = 0; i1 < n1; i1++)
                buff[buff_len++] = u[at(i1, i2, 1)];
        MPI_Send(buff, buff_len, MPI_DOUBLE, peer, 4, W); /* decided */
    }
}

static void s13(int peer)
{
    give3(g, 1, -1, peer);
    give3(g, 1, 1, peer);
    give3(g, 2, 0, peer);
    give3(g, 3, 0, peer);
}

/* S15: BT x_send_solve: blocks, transposed */
static void s15(int peer)
{
    int j, k, m, n, p = 0;
    for (k = 0; k < nz; k++)
        for (j = 0; j < ny; j++) {
            for (m = 0; m < 5; m++)
                for (n = 0; n < 5; n++)
                    buf[p + n * 5 + m] = block[k][j][m][n];
            p += 25;
        }
    MPI_Send(buf, 25 * ny * nz, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* S16: SP send_to_next: some of one array, then of another */
static void s16(int peer)
{
    int j, k, m, p = 0;
    for (k = 0; k < 6; k++)
        for (j = 0; j < 6; j++)
            for (m = 0; m < 3; m++)
                buf[p++] = lhs[1][k][j][2][m];
    for (k = 0; k < nz; k++)
        for (j = 0; j < ny; j++)
            for (m = 3; m < 5; m++)
                buf[p++] = solution[k][j][m];
    MPI_Send(buf, p, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* S17: SP send_to_prev: positions held in variables */
static void s17(int peer)
{
    int i = 2, i1 = i + 1, j, k, m, p = 0;
    for (m = 0; m < 5; m++)
        for (k = 0; k < 6; k++)
            for (j = 0; j < 6; j++) {
                buf[p] = lhs[0][k][j][i][m];
                buf[p + 1] = lhs[0][k][j][i1][m];
                p = p + 2;
            }
    MPI_Send(buf, 2 * 5 * 36, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* S19: receive first, unpack after the wait */
static void s19(int peer)
{
    double in[D * D];
    MPI_Request request;
    MPI_Irecv(in, nx * ny, MPI_DOUBLE, peer, 0, W, &request); /* decided */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            cube[i][j][0] = in[i * ny + j];
}

static void s19_all(int peer)
{
    double in[D * D], out[D * D];
    MPI_Request requests[2];
    MPI_Irecv(in, nx * ny, MPI_DOUBLE, peer, 0, W, &requests[0]); /* decided */
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            out[i * ny + j] = cube[i][j][1];
    MPI_Isend(out, nx * ny, MPI_DOUBLE, peer, 5, W, &requests[1]); /* decided */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            ghost[i][j] = in[i * ny + j];
}

/* a buffer that lives for a message, in a loop over steps */
static void steps(int peer)
{
    for (int step = 0; step < 2; step++) {
        double *b = malloc(nx * ny * sizeof(double));
        int p = 0;
        for (int i = 0; i < nx; i++)
            for (int j = 0; j < ny; j++)
                b[p++] = cube[i][step][j];
        MPI_Ssend(b, p, MPI_DOUBLE, peer, step, W); /* decided */
        free(b);
    }
}

/* rows by memcpy */
static void rows(int peer)
{
    double b[D * D];
    for (int i = 0; i < nx; i++)
        memcpy(b + i * ny, &cube[i][2][1], ny * sizeof(double));
    MPI_Send(b, nx * ny, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* how many rows overlap is not known */
static void rows_back(int peer)
{
    double b[D * D];
    MPI_Recv(b, nx * ny, MPI_DOUBLE, peer, 0, W, MPI_STATUS_IGNORE); /* refused 11 */
    for (int i = 0; i < nx; i++)
        memcpy(&cube[i][2][1], b + i * ny, ny * sizeof(double));
}

/* fields of structures, by an index list */
static void fields(int peer)
{
    double b[400];
    int p = 0;
    for (int i = 0; i < np; i++) {
        b[p++] = particles[list[i]].x[0];
        b[p++] = particles[list[i]].x[1];
        b[p++] = particles[list[i]].x[2];
        b[p++] = particles[list[i]].mass;
    }
    MPI_Send(b, p, MPI_DOUBLE, peer, 1, W); /* decided */
}

static void whole_structures(int peer)
{
    struct particle b[100];
    for (int i = 0; i < np; i++)
        b[i] = particles[2 * i];
    MPI_Send(b, np * sizeof(struct particle), MPI_BYTE, peer, 1, W); /* decided */
}

static void masses_back(int peer)
{
    double b[100];
    MPI_Recv(b, np, MPI_DOUBLE, peer, 0, W, MPI_STATUS_IGNORE); /* decided */
    for (int i = 0; i < np; i++)
        particles[i].mass = b[i];
}

/* sizes behind a pointer */
static void face(const struct domain *d, int peer)
{
    double *b = malloc(d->nx * d->ny * sizeof *b);
    for (int i = 0; i < d->nx; i++)
        for (int j = 0; j < d->ny; j++)
            b[i * d->ny + j] = d->u[(i * d->ny + j) * 2];
    MPI_Send(b, d->nx * d->ny, MPI_DOUBLE, peer, 1, W); /* decided */
    free(b);
}

static void domains(int peer)
{
    struct domain d = {nx, ny, g};
    face(&d, peer);
}

/* variable-length arrays */
static void variable(int n, int m, double a[n][m][2], int peer)
{
    double b[n * m];
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            b[j * n + i] = a[i][j][1];
    MPI_Send(b, n * m, MPI_DOUBLE, peer, 1, W); /* decided */
}

static void lengths(int peer)
{
    variable(nx, ny, (void *) g, peer);
}

/* backwards, with a step, and by another order of loops than that of the buffer */
static void backwards(int peer)
{
    float b[D * D];
    for (int i = nx - 1; i >= 0; i--)
        b[i] = single[i][3];
    MPI_Send(b, nx, MPI_FLOAT, peer, 1, W); /* decided */
}

static void every_second(int peer)
{
    double b[D * D];
    int p = 0, i;
    for (i = 0; i < 12; i += 2)
        b[p++] = cube[1][1][i];
    MPI_Send(b, 6, MPI_DOUBLE, peer, 1, W); /* decided */
}

static void transposed(int peer)
{
    double b[D * D];
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            b[i * ny + j] = cube[i][j][4];
    MPI_Send(b, nx * ny, MPI_DOUBLE, peer, 1, W); /* decided */
}

static void while_loop(int peer)
{
    double b[D];
    int i = 0;
    while (i < nx) {
        b[i] = ghost[i][1];
        i++;
    }
    MPI_Send(b, nx, MPI_DOUBLE, peer, 1, W); /* decided */
}

/* the counters are read afterwards */
static void live_out(int peer)
{
    double b[D * D];
    int i, p = 0;
    for (i = 0; i < nx; i++)
        b[p++] = ghost[i][2];
    MPI_Send(b, p, MPI_DOUBLE, peer, 1, W); /* decided */
    live = 100 * i + p;
}

/* one buffer, sent twice */
static void twice(int peer)
{
    double b[D];
    for (int i = 0; i < nx; i++)
        b[i] = ghost[i][3];
    MPI_Send(b, nx, MPI_DOUBLE, peer, 1, W); /* decided */
    MPI_Send(b, nx, MPI_DOUBLE, peer, 2, W); /* decided */
}

/* one loop fills two buffers */
static void both(int peer)
{
    double b[D], c[D];
    for (int i = 0; i < nx; i++) {
        b[i] = ghost[i][3];
        c[i] = ghost[3][i];
    }
    MPI_Send(b, nx, MPI_DOUBLE, peer, 1, W); /* decided */
    MPI_Send(c, nx, MPI_DOUBLE, peer, 2, W); /* decided */
}

static void isend(int peer)
{
    double b[D];
    MPI_Request request;
    for (int i = 0; i < nx; i++)
        b[i] = ghost[i][5];
    if (MPI_Isend(b, nx, MPI_DOUBLE, peer, 1, W, &request) != MPI_SUCCESS) /* decided */
        abort();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void ibsend(int peer)
{
    double b[D];
    MPI_Request request;
    for (int i = 0; i < nx; i++)
        b[i] = ghost[i][7];
    MPI_Ibsend(b, nx, MPI_DOUBLE, peer, 1, W, &request); /* decided */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void unbraced(int peer)
{
    double b[D];
    for (int i = 0; i < nx; i++)
        b[i] = ghost[i][6];
    if (peer >= 0)
        MPI_Send(b, nx, MPI_DOUBLE, peer, 1, W); /* decided */
    else
        live = 3;
}

static void scalars(int peer)
{
    int b[3];
    b[0] = nx;
    b[1] = ny;
    b[2] = nz;
    MPI_Send(b, 3, MPI_INT, peer, 1, W); /* decided */
}

/* both directions at once, between different arrays */
static void exchanged(int peer)
{
    double b[D], c[D];
    for (int i = 0; i < nx; i++)
        b[i] = ghost[i][5];
    MPI_Sendrecv(b, nx, MPI_DOUBLE, peer, 1, c, nx, MPI_DOUBLE, peer, 0, W, MPI_STATUS_IGNORE); /* decided decided */
    for (int i = 0; i < nx; i++)
        cube[i][i][0] = c[i];
}

#define CASES(SEND, RECV)                                                                         \
    SEND(s1) SEND(s2) SEND(s4) SEND(s5) RECV(s9, 40 * (jend - jst + 1)) SEND(s10) SEND(s11)       \
    SEND(s12) SEND(s12_faces) SEND(s13) SEND(s15) SEND(s16) SEND(s17) RECV(s19, 8 * nx * ny)      \
    SEND(steps) SEND(rows) RECV(rows_back, 8 * nx * ny) SEND(fields) SEND(whole_structures)       \
    RECV(masses_back, 8 * np) SEND(domains) SEND(lengths) SEND(backwards) SEND(every_second)      \
    SEND(transposed) SEND(while_loop) SEND(live_out) SEND(twice) SEND(both) SEND(isend)           \
    SEND(unbraced) SEND(scalars)

#include "../harness.h"

static void harness_sizes(int setting)
{
    static const int sizes[3][4] = {{6, 5, 4, 9}, {2, 3, 2, 1}, {9, 2, 6, 20}};

    (void) s19_all;
    (void) ibsend;
    (void) exchanged;
    nx = n1 = sizes[setting][0];
    ny = n2 = sizes[setting][1];
    nz = n3 = sizes[setting][2];
    np = sizes[setting][3];
    isiz1 = nx;
    isiz2 = ny + 1;
    jst = 1;
    jend = ny;
}

static void harness_data(unsigned seed)
{
    harness_fill(g, sizeof g, seed);
    harness_fill(h, sizeof h, seed + 1);
    harness_fill(t, sizeof t, seed + 2);
    harness_fill(cube, sizeof cube, seed + 3);
    harness_fill(ghost, sizeof ghost, seed + 4);
    harness_fill(lhs, sizeof lhs, seed + 5);
    harness_fill(solution, sizeof solution, seed + 6);
    harness_fill(block, sizeof block, seed + 7);
    harness_fill(single, sizeof single, seed + 8);
    harness_fill(particles, sizeof particles, seed + 9);
    for (int i = 0; i < 40; i++)
        list[i] = (7 * i + 3) % 100;
    memset(cell_size, 0, sizeof cell_size);
    live = 0;
}

static void harness_dump(void)
{
    harness_put("g", g, sizeof g);
    harness_put("cube", cube, sizeof cube);
    harness_put("ghost", ghost, sizeof ghost);
    harness_put("particles", particles, sizeof particles);
    harness_put("live", &live, sizeof live);
}
