/* Waits in nested loops, in switch, in conditions, behind goto; early returns; break and continue;
 * shadowed names. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

static int rank, size;

static int next(void)
{
    return (rank + 1) % size;
}

/* Sends to the next rank, returns what comes from the one before. */
static int shift(int value)
{
    int got;
    MPI_Request request;

    MPI_Isend(&value, 1, MPI_INT, next(), 3, MPI_COMM_WORLD, &request);
    MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return got;
}

static int early(int n)
{
    int i;

    if (n < 0)
        return -1;
    for (i = 0;; i++) {
        if (shift(n) < 0)
            return -2;
        if (i == 2)
            return shift(i);
    }
}

static int nested(int n)
{
    int sum = 0, i, j;

    for (i = 0; i < n; i++) {
        int i = 5; /* another one */

        for (j = 0; j < 3; j++) {
            if (j == 1)
                continue;
            int k = shift(i + j);
            {
                int k = shift(j);
                sum += k;
            }
            sum += k;
        }
        do {
            sum += shift(i);
            i--;
            if (i == 2)
                break;
        } while (i > 0);
    }
    sum += i;
    return sum;
}

static int choose(int what)
{
    int result = 0;

    switch (what) {
    case 0:
        result = shift(1);
        /* fall through */
    case 1:
        result += shift(2);
        break;
    case 2: {
        int local[3] = {what, what + 1, what + 2};

        for (int i = 0; i < 3; i++)
            result += shift(local[i]);
    }
    default:
        while (result < 100) {
            result = result * 2 + shift(7);
            if (result > 50)
                goto out;
        }
    }
    result++;
out:
    return result;
}

static bool agree(bool mine)
{
    int in = mine, out;

    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return out != 0;
}

static int conditions(int n)
{
    int steps = 0, value;

    while (!agree(steps >= n))
        steps++;
    for (int i = 0; shift(i) < 4; i++) {
        if (i == 2)
            continue;
        steps += 10;
    }
    if (shift(steps) == steps && steps > 2)
        steps += 100;
    else
        steps -= 100;
    if ((value = shift(rank)) != 0)
        steps += value;
    steps = 2 * shift(steps) + 1;
    switch (shift(3)) {
    case 3:
        steps += 1000;
        break;
    default:
        steps = -1;
    }
    return (shift(2)) + steps;
}

static void nothing(int *result)
{
    if (*result == 17)
        return;
    *result = shift(*result + 1);
}

int main(int argc, char **argv)
{
    int result = 16, more;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    more = early(-3);
    more = more * 10 + early(4);
    nothing(&result);
    nothing(&result);
    printf("flow: rank %d: early %d, nothing %d, nested %d\n", rank, more, result, -1);
    more = nested(3);
    printf("flow: rank %d: nested %d\n", rank, more);
    for (int what = 0; what < 4; what++) {
        more = choose(what);
        printf("flow: rank %d: choose %d: %d\n", rank, what, more);
    }
    more = conditions(4);
    printf("flow: rank %d: conditions %d\n", rank, more);
    if (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
        result = 0;
    MPI_Finalize();
    return result;
}
