/*
 * Packing by hand, in the ways that programs do it. Rank 0 packs and sends, rank 1 receives and
 * unpacks; the sum of what arrived is printed, so that runs with and without the recorder are
 * compared. Argument: the name of a shape.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12, PARTICLES = 60, CHOSEN = 17 };

typedef struct particle {
    double x[3];
    double v[3];
    int tag;
    int kind;
    double charge;
} particle_t;

static double grid[N][N][N]; /* of the sender */
static double target[N][N][N];
static particle_t particles[PARTICLES];
static int list[CHOSEN];
static double *line; /* N^3 values */
static double buffer[N * N * N];
static char bytes[sizeof(buffer)];
static double sum;
static int rank;

static void fill(void)
{
    unsigned state = 12345;
    line = malloc(sizeof(double) * N * N * N);
    for (int i = 0; i < N * N * N; i++) {
        state = state * 1664525u + 1013904223u;
        (&grid[0][0][0])[i] = state / 7.0;
        line[i] = state / 11.0;
    }
    for (int i = 0; i < PARTICLES; i++) {
        for (int d = 0; d < 3; d++) {
            state = state * 1664525u + 1013904223u;
            particles[i].x[d] = state / 3.0;
            particles[i].v[d] = state / 5.0;
        }
        particles[i].tag = 1000 + 17 * i;
        particles[i].kind = 100000 + 13 * i;
        particles[i].charge = state / 13.0;
    }
    for (int i = 0; i < CHOSEN; i++) {
        list[i] = (i * i * 3 + i) % PARTICLES;
    }
}

static void add(const void *data, int n)
{
    for (int i = 0; i < n; i++) {
        sum += (double) ((const unsigned char *) data)[i] * (i % 31 + 1);
    }
}

static void send(const void *data, int n)
{
    MPI_Send(data, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
}

/* ---- shapes ---- */

static void face(void)
{
    int p = 0;
    if (rank == 0) {
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++) {
                buffer[p++] = grid[i][j][1];
            }
        }
        send(buffer, p);
    } else {
        MPI_Recv(buffer, (N - 2) * (N - 2), MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++) {
                target[i][j][0] = buffer[p++];
            }
        }
    }
}

static void linearised(void)
{
    if (rank == 0) {
        for (int k = 0; k < N; k++) {
            for (int i = 0; i < 3; i++) {
                buffer[3 * k + i] = line[i + N * (2 + N * k)];
            }
        }
        send(buffer, 3 * N);
    } else {
        MPI_Recv(buffer, 3 * N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int k = 0; k < N; k++) {
            for (int i = 0; i < 3; i++) {
                line[i + N * (2 + N * k)] = buffer[3 * k + i];
            }
        }
    }
}

static void rows(void)
{
    size_t row = 7 * sizeof(double);
    if (rank == 0) {
        for (int i = 0; i < N; i++) {
            memcpy((char *) buffer + (size_t) i * row, &grid[i][3][2], row);
        }
        send(buffer, 7 * N);
    } else {
        MPI_Recv(buffer, 7 * N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++) {
            memcpy(&target[i][3][2], (char *) buffer + (size_t) i * row, row);
        }
    }
}

/* Some fields of every second particle, each with its own store, as in LAMMPS. */
static void structs(void)
{
    char *p = bytes;
    if (rank == 0) {
        for (int i = 0; i < PARTICLES; i += 2) {
            ((double *) p)[0] = particles[i].x[0];
            ((double *) p)[1] = particles[i].x[1];
            ((double *) p)[2] = particles[i].x[2];
            ((double *) p)[3] = particles[i].charge;
            *(int *) (p + 32) = particles[i].tag;
            p += 36;
        }
        MPI_Send(bytes, (int) (p - bytes), MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(bytes, 36 * PARTICLES / 2, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(bytes, 36 * PARTICLES / 2);
    }
}

static void by_list(void)
{
    int p = 0;
    if (rank == 0) {
        for (int i = 0; i < CHOSEN; i++) {
            for (int d = 0; d < 3; d++) {
                buffer[p++] = particles[list[i]].x[d];
            }
        }
        send(buffer, p);
    } else {
        MPI_Recv(buffer, 3 * CHOSEN, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(buffer, 24 * CHOSEN);
    }
}

static void whole_structs(void)
{
    particle_t *out = (particle_t *) bytes;
    if (rank == 0) {
        for (int i = 0; i < 10; i++) {
            out[i] = particles[3 * i];
        }
        MPI_Send(bytes, 10 * (int) sizeof(*out), MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(bytes, 10 * (int) sizeof(*out), MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 10; i++) {
            particles[3 * i] = out[i];
        }
        add(particles, sizeof(particles));
    }
}

static void computed(void)
{
    int p = 0;
    if (rank == 0) {
        buffer[p++] = rank + 77.5;
        for (int i = 0; i < N; i++) {
            buffer[p++] = grid[i][0][0] / 4.0;
        }
        for (int i = 0; i < N; i++) {
            buffer[p++] = grid[i][4][0];
        }
        send(buffer, p);
    } else {
        MPI_Recv(buffer, 2 * N + 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 2 * N + 1; i++) {
            sum += buffer[i] * (i + 1); /* no unpacking */
        }
    }
}

static void late_write(void)
{
    if (rank == 0) {
        MPI_Request request;
        for (int i = 0; i < N; i++) {
            buffer[i] = grid[i][2][2];
        }
        MPI_Isend(buffer, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
        grid[3][2][2] = 1.5;
        grid[3][2][3] = 1.5; /* not in the message */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        grid[4][2][2] = 2.5;
    } else {
        MPI_Recv(buffer, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(buffer, 8 * N);
    }
}

static void changed(void)
{
    if (rank == 0) {
        for (int i = 0; i < N; i++) {
            buffer[i] = grid[i][2][2];
            grid[i][2][2] += 1.0;
        }
        send(buffer, N);
    } else {
        MPI_Recv(buffer, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(buffer, 8 * N);
    }
}

/* One buffer is sent twice, read, filled again and sent again. */
static void reuse(void)
{
    if (rank == 0) {
        for (int i = 0; i < N; i++) {
            buffer[i] = grid[1][i][5];
        }
        send(buffer, N);
        send(buffer, N);
        add(&buffer[2], 8);
        for (int i = 0; i < N; i++) {
            buffer[i] = grid[i][1][5];
        }
        send(buffer, N);
    } else {
        for (int m = 0; m < 3; m++) {
            MPI_Recv(buffer, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < N; i++) {
                target[m][i][i] = buffer[i];
            }
        }
    }
}

static void *pack_half(void *half)
{
    int first = *(int *) half * N / 2;
    for (int i = first; i < first + N / 2; i++) {
        for (int j = 0; j < N; j++) {
            buffer[i * N + j] = grid[j][i][7];
        }
    }
    return NULL;
}

static void threads(void)
{
    if (rank == 0) {
        pthread_t thread[2];
        int half[2] = {0, 1};
        for (int t = 0; t < 2; t++) {
            pthread_create(&thread[t], NULL, pack_half, &half[t]);
        }
        for (int t = 0; t < 2; t++) {
            pthread_join(thread[t], NULL);
        }
        send(buffer, N * N);
    } else {
        MPI_Recv(buffer, N * N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(buffer, 8 * N * N);
    }
}

/* Persistent requests, large blocks that are freed after a store to them, equal values. */
static void persistent(void)
{
    MPI_Request request;
    int peer = 1 - rank;
    if (rank == 0) {
        MPI_Send_init(buffer, N, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
    } else {
        MPI_Recv_init(buffer, N, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
    }
    for (int step = 0; step < 5; step++) {
        double *large = malloc(1 << 22);
        large[100000] = step;
        free(large);
        for (int i = 0; rank == 0 && i < N; i++) {
            buffer[i] = grid[i][i][step];
        }
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; rank == 1 && i < N; i++) {
            target[i][i][step] = buffer[i];
        }
    }
    MPI_Request_free(&request);
}

static void derived(void)
{
    MPI_Datatype type;
    MPI_Type_vector(N, 2, N, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Send(grid, 1, type, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(target, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&type);
}

/* Between packing and sending, more is stored than one MiB of the recorder remembers. */
static void forgotten(void)
{
    enum { MANY = 1 << 17 };
    double *many = malloc(sizeof(double) * MANY);
    if (rank == 0) {
        for (int i = 0; i < N; i++) {
            buffer[i] = grid[9][i][9];
        }
        for (int i = 0; i < MANY; i++) {
            many[i] = i;
        }
        send(buffer, N);
    } else {
        MPI_Recv(buffer, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(buffer, 8 * N);
    }
    free(many);
}

static const struct {
    const char *name;
    void (*run)(void);
} shapes[] = {
    {"face", face},         {"linearised", linearised}, {"rows", rows},
    {"structs", structs},   {"by_list", by_list},       {"whole_structs", whole_structs},
    {"computed", computed}, {"late_write", late_write}, {"changed", changed},
    {"reuse", reuse},       {"threads", threads},       {"persistent", persistent},
    {"derived", derived},   {"forgotten", forgotten},
};

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fill();
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        for (int a = 1; a < argc; a++) {
            if (strcmp(argv[a], shapes[i].name) == 0) {
                shapes[i].run();
            }
        }
    }
    add(target, sizeof(target));
    add(line, (int) sizeof(double) * N * N * N);
    if (rank == 1) {
        printf("%.17g\n", sum);
    }
    free(line);
    MPI_Finalize();
    return 0;
}
