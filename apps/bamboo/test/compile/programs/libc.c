/* The C library's hidden state is each task's own: the lines are those of separate processes. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank;

static void last(void)
{
    printf("rank %d: the end\n", rank);
}

int main(int argc, char **argv)
{
    char text[] = "one two,three four", number[12], state[64], *word;
    char *options[] = {"program", "-abx", number, "--long=5", "rest", NULL};
    const struct option words[] = {{"long", required_argument, NULL, 'l'}, {NULL, 0, NULL, 0}};
    time_t now = 86400;
    int c;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    atexit(last);
    printf("rank %d: first %d %ld %.6f\n", rank, rand(), random(), drand48());
    srand(7 + (unsigned) rank);
    srand48(3 + rank);
    for (int i = 0; i < 3; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        printf("rank %d: %d %ld %.6f %ld\n", rank, rand(), random(), drand48(), mrand48());
    }
    initstate(5, state, sizeof(state));
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %ld\n", rank, random());
    for (word = strtok(text, " "); word != NULL; word = strtok(NULL, rank % 2 ? " " : ",")) {
        MPI_Barrier(MPI_COMM_WORLD);
        printf("rank %d: %s\n", rank, word);
        if (strchr(word, 'f') != NULL) {
            break;
        }
    }
    snprintf(number, sizeof(number), "%d", rank);
    while ((c = getopt_long(5, options, "abx:", words, NULL)) != -1) {
        printf("rank %d: option %c %s\n", rank, c, optarg != NULL ? optarg : "");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %d options\n", rank, optind);
    now += rank * 3600;
    const struct tm *parts = gmtime(&now);
    const char *error = strerror(rank % 2 ? ENOENT : EACCES);
    errno = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %d %d:%d %s\n", rank, errno, parts->tm_hour, parts->tm_min, error);
    MPI_Finalize();
    if (rank % 2) {
        exit(0);
    }
    return 0;
}
