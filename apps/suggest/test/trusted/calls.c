/* Packing as programs have it, each shape once. The comment at a call: what is said without --strict, with the numbers of
 * the assumptions. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD
#define S MPI_STATUS_IGNORE
#define AT(i, j) ((i) * grid.ny + (j))

struct grid {
    int nx, ny, nz;
    double *u;
    double *send[4], *receive[4];
};
struct particle {
    double x[3];
    int id;
};

void log_time(void);
void change(double *u);
void *safe_malloc(size_t bytes);
extern MPI_Datatype real_type;

/* pointers, and a call of a timer */
void pointers(double *buf, double *u, int n, int nx, int peer)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        buf[k++] = u[i * nx];
    log_time();
    MPI_Send(buf, k, MPI_DOUBLE, peer, 0, W); /* decided 1 2 7 */
}

void handed_over(double *buf, double *u, int n, int nx, int peer)
{
    for (int i = 0; i < n; i++)
        buf[i] = u[i * nx];
    change(u);
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* refused 50 */
}

void members(struct grid *g, int peer)
{
    for (int i = 0; i < g->nx; i++)
        g->send[1][i] = g->u[i * g->ny];
    MPI_Send(g->send[1], g->nx, MPI_DOUBLE, peer, 0, W); /* decided 1 7 */
}

void datatype(int n, int peer, double *u)
{
    double buf[100];
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
    MPI_Send(buf, n, real_type, peer, 0, W); /* decided 3 */
}

void count_by_pointer(double *u, int n, int nx, int peer)
{
    double *buf = safe_malloc(1000), *p = buf;
    for (int i = 0; i < n; i++)
        *p++ = u[i * nx];
    MPI_Send(buf, (int) (p - buf), MPI_DOUBLE, peer, 0, W); /* decided 4 7 */
    free(buf);
}

void other_count(double *u, int n, int m, int peer)
{
    double buf[100];
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
    MPI_Send(buf, m, MPI_DOUBLE, peer, 0, W); /* decided 5 */
}

void computed(double *u, int n, int peer)
{
    double buf[100];
    for (int i = 0; i < n; i++)
        buf[i] = u[i] * 2;
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* none */
    MPI_Send(&n, 1, MPI_INT, peer, 0, W); /* none */
    MPI_Send(u, n, MPI_DOUBLE, peer, 0, W); /* none */
}

/* packing and unpacking in functions of their own */
static int pack_column(const struct grid grid, const double *u, int j, double *buf)
{
    int p = 0;
    for (int i = 0; i < grid.nx; i++) {
        assert(p < 1000);
        buf[p++] = u[AT(i, j)];
    }
    return p;
}

static void unpack_column(struct grid *to, int j, const double *buf)
{
    for (int i = 0; i < to->nx; i++)
        to->u[i * to->ny + j] = buf[i];
}

void own_functions(struct grid *g, int left, int right)
{
    MPI_Request request[2];
    struct grid copy = *g;
    int n;
    MPI_Irecv(g->receive[0], g->nx, MPI_DOUBLE, left, 0, W, &request[0]); /* decided 1 7 9 */
    n = pack_column(copy, g->u, 1, g->send[0]);
    MPI_Isend(g->send[0], n, MPI_DOUBLE, right, 0, W, &request[1]); /* decided 1 7 */
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    unpack_column(g, 0, g->receive[0]);
}

static void pack_one(double *buf, int *position, const double *u, int n, int step)
{
    for (int i = 0; i < n; i++)
        buf[(*position)++] = u[i * step];
}

void several_fields(double *u, double *v, int n, int peer)
{
    double buf[200];
    int position = 0;
    pack_one(buf, &position, u, n, 3);
    pack_one(buf, &position, v, n, 3);
    MPI_Send(buf, position, MPI_DOUBLE, peer, 0, W); /* decided 7 10 */
}

/* the call in a wrapper */
static void send_buffer(double *buf, int n, int peer)
{
    if (n > 0)
        MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W);
}

void wrapper(double *u, int n, int nx, int peer)
{
    double buf[100];
    for (int i = 0; i < n; i++)
        buf[i] = u[i * nx];
    send_buffer(buf, n, peer); /* decided */
}

/* a function that unpacks only under a condition of its own */
static void unpack_if(double *u, const double *buf, int n, int wanted)
{
    if (!wanted)
        return;
    for (int i = 0; i < n; i++)
        u[i] = buf[i];
}

void returns_early(double *u, int n, int wanted, int peer)
{
    double buf[100];
    MPI_Recv(buf, n, MPI_DOUBLE, peer, 0, W, S); /* refused 59 */
    unpack_if(u, buf, n, wanted);
}

/* the same, out of a switch and out of a loop */
static void pack_side(double *buf, const double *u, int n, int side)
{
    switch (side) {
    case 0:
        break;
    default:
        return;
    }
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
}

void leaves_a_switch(double *u, int n, int side, int peer)
{
    double buf[100];
    pack_side(buf, u, n, side);
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* refused 59 */
}

static void pack_unless(double *buf, const double *u, const int *stop, int n)
{
    for (int k = 0; k < n; k++)
        if (stop[k])
            return;
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
}

void leaves_a_loop(double *u, const int *stop, int n, int peer)
{
    double buf[100];
    pack_unless(buf, u, stop, n);
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* refused 59 */
}

void unknown_bytes(double *u, int n, size_t bytes, int peer)
{
    double buf[100], keep[100];
    MPI_Request request;
    MPI_Irecv(buf, n, MPI_DOUBLE, peer, 0, W, &request); /* refused 56 */
    memcpy(keep, u + n, bytes);
    MPI_Wait(&request, S);
    for (int i = 0; i < n; i++)
        u[2 * i] = buf[i];
}

/* goto of error handling, and a condition of both */
int handles_errors(double *u, int n, int nx, int peer)
{
    double *buf = malloc(n * sizeof *buf);
    int code = 1;
    if (!buf)
        goto end;
    if (peer >= 0) {
        for (int i = 0; i < n; i++)
            buf[i] = u[i * nx];
        if (MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W) != MPI_SUCCESS) /* decided */
            goto end;
    }
    code = 0;
end:
    free(buf);
    return code;
}

void packed_before_label(double *u, int n, int again, int peer)
{
    double buf[100];
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
again:
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* refused 53 */
    u[0] += 1;
    if (again-- > 0)
        goto again;
}

/* switch and continue */
void faces(double *u, int nx, int ny, int side, int peer)
{
    double buf[100];
    int start = 0;
    switch (side) {
    case 0:
        start = 1;
        break;
    case 1:
        start = ny - 2;
        break;
    default:
        return;
    }
    for (int i = 0; i < nx; i++)
        buf[i] = u[i * ny + start];
    MPI_Send(buf, nx, MPI_DOUBLE, peer, 0, W); /* decided */
}

void some_of_them(const struct particle *p, int n, int peer)
{
    double buf[300];
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (p[i].id < 0)
            continue;
        buf[k++] = p[i].x[0];
    }
    MPI_Send(buf, k, MPI_DOUBLE, peer, 0, W); /* refused 60 */
}

/* rows behind pointers */
void rows(double **a, int n, int j, int peer)
{
    double buf[100], in[100];
    for (int i = 0; i < n; i++)
        buf[i] = a[i][j];
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* decided */
    MPI_Recv(in, n, MPI_DOUBLE, peer, 0, W, S); /* decided 9 */
    for (int i = 0; i < n; i++)
        a[i][j + 1] = in[i];
}

/* two messages of one buffer, and one buffer for two messages */
void halves(double *u, int n, int nx, int left, int right)
{
    double buf[200];
    MPI_Request request[2];
    for (int i = 0; i < n; i++)
        buf[i] = u[i * nx];
    for (int i = 0; i < n; i++)
        buf[n + i] = u[i * nx + nx - 1];
    MPI_Isend(buf, n, MPI_DOUBLE, left, 0, W, &request[0]); /* decided */
    MPI_Isend(buf + n, n, MPI_DOUBLE, right, 0, W, &request[1]); /* decided */
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

void all_neighbours(double *u, int n, const int *peers, int n_peers)
{
    double buf[100];
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
    for (int k = 0; k < n_peers; k++)
        MPI_Send(buf, n, MPI_DOUBLE, peers[k], 0, W); /* decided */
}

void waits_elsewhere(double *u, int n, int peer, MPI_Request *requests, int *n_requests)
{
    static double buf[100];
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
    MPI_Isend(buf, n, MPI_DOUBLE, peer, 0, W, &requests[(*n_requests)++]); /* decided 6 7 */
}

void any_order(double *u, int n, int left, int right)
{
    static double one[100], two[100];
    MPI_Request request[2];
    int which;
    MPI_Irecv(one, n, MPI_DOUBLE, left, 0, W, &request[0]); /* decided 7 9 12 */
    MPI_Irecv(two, n, MPI_DOUBLE, right, 0, W, &request[1]); /* decided 7 9 12 */
    for (int k = 0; k < 2; k++) {
    }
    MPI_Waitany(2, request, &which, S);
    if (which == 0)
        for (int i = 0; i < n; i++)
            u[3 * i] = one[i];
    if (which == 1)
        for (int i = 0; i < n; i++)
            u[3 * i + 1] = two[i];
    MPI_Waitany(2, request, &which, S);
    if (which == 0)
        for (int i = 0; i < n; i++)
            u[3 * i] = one[i];
    if (which == 1)
        for (int i = 0; i < n; i++)
            u[3 * i + 1] = two[i];
}

/* what the source contradicts */
void same_part(double *u, int n, int peer)
{
    double buf[100];
    MPI_Request request;
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
    MPI_Isend(buf, n, MPI_DOUBLE, peer, 0, W, &request); /* refused 51 */
    for (int i = 0; i < n; i++)
        u[i] = 0;
    MPI_Wait(&request, S);
}

void other_part(double *u, int n, int peer)
{
    double buf[100];
    MPI_Request request;
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
    MPI_Isend(buf, n, MPI_DOUBLE, peer, 0, W, &request); /* decided 9 */
    for (int i = 0; i < n; i++)
        u[2 * i + 1] = 0;
    MPI_Wait(&request, S);
}

void with_pragma(double *u, int n, int peer)
{
    double buf[100];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* decided 11 */
}

void received_or_not(double *u, int n, int peer)
{
    double buf[100];
    memset(buf, 0, sizeof buf);
    if (peer >= 0)
        MPI_Recv(buf, n, MPI_DOUBLE, peer, 0, W, S); /* refused 59 */
    for (int i = 0; i < n; i++)
        u[2 * i] = buf[i];
}

int ends_in_between(double *u, int n, int peer)
{
    double buf[100];
    if (MPI_Recv(buf, n, MPI_DOUBLE, peer, 0, W, S) != MPI_SUCCESS) /* decided 8 */
        return 1;
    for (int i = 0; i < n; i++)
        u[2 * i] = buf[i];
    return 0;
}

/* a position that the condition of the call decides */
void chosen_position(double *buf, const double *u, const int *at, int i, int n, int all, int peer, MPI_Request *request)
{
    int offset;
    if (all)
        offset = at[i];
    else
        offset = 0;
    for (int k = 0; k < n; k++)
        buf[offset + k] = u[2 * k];
    if (all)
        MPI_Isend(&buf[at[i]], n, MPI_DOUBLE, peer, 0, W, request); /* decided 1 6 7 */
    else
        MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* decided 1 7 */
}

static double *pack_some(double *to, const double *u, const int *size)
{
    int more;
    if (size[1] > 1)
        more = size[0] + 1;
    else
        more = size[0];
    for (int i = 0; i < size[0]; i++)
        *to++ = u[2 * i];
    for (int i = 0; i < more; i++)
        *to++ = u[3 * i];
    return to;
}

/* a size that a condition decides in another function */
void chosen_size(double *buf, const double *u, const int *size, int n, int peer)
{
    pack_some(buf, u, size);
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* decided 1 5 7 10 */
}

/* the second loop is not followed, and what it packs is part of the message */
void not_followed(double *buf, const double *u, int n, int m, int count, int peer)
{
    double *to = buf;
    for (int i = 0; i < n; i++)
        *to++ = u[2 * i];
    while (m > 0) {
        *to++ = u[m];
        m = m / 2;
    }
    MPI_Send(buf, count, MPI_DOUBLE, peer, 0, W); /* refused 53 */
}

/* several slices of one allocation, made under a condition */
void slices(const double *u, int n, int size, int peer)
{
    double *out, *more;
    if (size > 1) {
        out = malloc(2 * n * sizeof *out);
        more = out + n;
    }
    for (int i = 0; i < n; i++) {
        out[i] = u[2 * i];
        more[i] = u[3 * i];
    }
    MPI_Send(more, n, MPI_DOUBLE, peer, 0, W); /* decided */
    MPI_Send(out, n, MPI_DOUBLE, peer, 0, W); /* decided */
}

/* where there is a neighbour: nothing comes from MPI_PROC_NULL */
void neighbour(double *buf, double *u, int n, int west, int east)
{
    if (east != MPI_PROC_NULL)
        for (int i = 0; i < n; i++)
            buf[i] = u[2 * i];
    MPI_Send(buf, n, MPI_DOUBLE, east, 0, W); /* decided 1 7 8 */
    MPI_Recv(buf, n, MPI_DOUBLE, west, 0, W, S); /* decided 1 7 8 */
    if (west >= 0)
        for (int i = 0; i < n; i++)
            u[3 * i] = buf[i];
    MPI_Recv(buf, n, MPI_DOUBLE, west, 0, W, S); /* refused 59 */
    if (west > 0)
        for (int i = 0; i < n; i++)
            u[3 * i] = buf[i];
}

/* blocks that a condition on data selects */
void selected(double *buf, const double *u, const int *mask, int n, int block, int peer)
{
    int p = 0;
    for (int i = 0; i < n; i++)
        if (mask[i]) {
            memcpy(&buf[p], &u[i * block], block * sizeof *u);
            p += block;
        }
    MPI_Send(buf, p, MPI_DOUBLE, peer, 0, W); /* refused 60 */
}

/* what an earlier loop left in the buffer is sent again with what is new */
void overwritten(double *b, const double *u, int n, int m, int peer)
{
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* decided 1 7 */
    b[0] = u[1];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* refused 6 */
    for (int i = 0; i < m; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* refused 6 */
    if (m > 2)
        for (int i = 0; i < n; i++)
            b[i] = u[5 * i];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* refused 59 */
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* decided 1 7 */
}

/* the same, filled before the loop that sends, or by a receive */
void overwritten_in_loop(double *b, const double *u, int n, int steps, int peer)
{
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    for (int t = 0; t < steps; t++) {
        b[0] = u[t];
        MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* refused 6 */
    }
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            b[i] = u[3 * i];
        MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* decided 1 7 10 */
    }
    b[0] = u[1];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* refused 6 */
    MPI_Recv(b, n, MPI_DOUBLE, peer, 0, W, S); /* none */
    b[0] = u[2];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* refused 6 */
}

/* zeros are also content */
void overwritten_zeros(const double *u, int n, int m, int peer)
{
    double b[100] = {0};
    double c[100];
    b[0] = u[1];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* refused 6 */
    memset(c, 0, n * sizeof *c);
    for (int i = 0; i < m; i++)
        c[i] = u[2 * i];
    MPI_Send(c, n, MPI_DOUBLE, peer, 0, W); /* refused 6 */
    memset(c, 0, sizeof c);
    for (int i = 0; i < n; i++)
        c[i] = u[2 * i];
    MPI_Send(c, n, MPI_DOUBLE, peer, 0, W); /* decided */
}

/* what is added is not known */
void not_known(const char *s, double *b, const double *u, int n, const double *x)
{
    int tag = 0;
    size_t more = 0;
    tag += strlen(s);
    tag -= *x;
    more *= strlen(s) * *x;
    tag <<= s[more];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    MPI_Send(b, n, MPI_DOUBLE, 1, tag, W); /* decided 1 7 */
}

/* what other functions left in the buffer */
void load_some(double *b);
void overwritten_of_others(double *b, const double *u, int n, int peer, MPI_File file)
{
    load_some(b);
    b[0] = u[1];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* refused 6 */
    load_some(b);
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* decided 1 7 */
    MPI_File_read(file, b, n, MPI_DOUBLE, S);
    b[0] = u[1];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, W); /* refused 6 */
}
