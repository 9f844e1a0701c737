/* Variables: globals, statics, structs, unions, arrays, const, pointers to locals across waits,
 * names like the translation's own. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

struct point {
    int x, y;
    double w[3];
};

static struct point origin = {1, 2, {0.5, 1.5, 2.5}};
static int table[] = {3, 1, 4, 1, 5}, *cursor = &table[2], unused;
static char name[] = "data";
static const char *const words[] = {"zero", "one", "two"};
const int limit = 4;
int f = 11, callee = 12;
enum color { RED, GREEN, BLUE } color = GREEN;
static union {
    int i;
    unsigned char bytes[sizeof(int)];
} both = {.i = 258};
static void (*hook)(int *);
static char list[] = "one,two"; /* written through what strchr() returns */
static const char *shared = "never assigned";

static void twice(int *value)
{
    *value *= 2;
}

static int count(void)
{
    static int calls = 5, *last = &calls;
    static struct {
        int a, b;
    } pair = {1, 2};

    calls++;
    pair.a += pair.b;
    return *last * 100 + pair.a;
}

static struct point turn(struct point p, int rank, int size)
{
    struct point got = {0}, *to = &got;
    MPI_Status status;

    MPI_Sendrecv(&p, sizeof p, MPI_BYTE, (rank + 1) % size, 1, to, sizeof *to, MPI_BYTE,
                 (rank + size - 1) % size, 1, MPI_COMM_WORLD, &status);
    to->x += status.MPI_TAG;
    return got;
}

/* The address of a local variable is kept while others wait. */
static void fill(int *where, int rank, int size)
{
    int local = rank, *address = &local, **twofold = &address;

again:
    MPI_Barrier(MPI_COMM_WORLD);
    **twofold += size;
    MPI_Barrier(MPI_COMM_WORLD);
    if (local < size + rank)
        goto again;
    *where = local;
}

int main(int argc, char **argv)
{
    int rank, size, head = 1, result = 2, at = 3, frame = 4, self = 5, main_frame_ = 6;
    const double factors[2] = {0.25, 4}, one = 1;
    const int *const end = table + 5, *walk;
    char text[16] = "abc", other[] = {'x', 'y', 0};
    struct point p = origin, q, points[2] = {{1, 2, {3}}, {.y = 7}};
    struct {
        int left, right;
    } pair = {8, 9};
    register int fast = 7;
    volatile int slow = 8;
    int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}}, (*row)[3] = matrix + 1;
    int (*function)(void) = count, sum = 0;
    unsigned long long wide = 1ull << 40;
    float small = 1.5f;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double scaled[size];
    p.x += rank;
    q = turn(p, rank, size);
    origin.y += q.x;
    *cursor += rank;
    hook = twice;
    hook(&table[0]);
    both.i += rank;
    color = rank % 2 ? BLUE : RED;
    name[0] = (char) ('A' + rank);
    callee += f;
    f = (struct point){rank, rank + 1, {0}}.y;
    for (int i = 0; i < size; i++)
        scaled[i] = factors[i % 2] * i + one;
    MPI_Barrier(MPI_COMM_WORLD);
    for (walk = table; walk < end; walk++)
        sum += *walk;
    fill(&result, rank, size);
    strcat(text, other);
    *strchr(list, ',') = (char) ('0' + rank);
    {
        typedef struct point point_t;
        point_t inner = {.x = sum};

        inner = turn(inner, rank, size);
        sum += inner.x;
    }
    sum += (*row)[1] + points[1].y + pair.left + fast + slow + (int) sizeof matrix;
    printf("data: rank %d: %s %s %s, origin %d %d, sum %d, both %u, color %d, f %d, callee %d\n",
           rank, name, text, words[rank % 3], origin.x, origin.y, sum, both.bytes[0], (int) color,
           f, callee);
    printf("data: rank %d: %d %d %d, %g, result %d, %d, %d%d%d%d%d, %llu, %g, %g, %d, %d\n", rank,
           count(), function(), unused, q.w[1], result, limit, head, at, frame, self, main_frame_,
           wide, small, scaled[size - 1], (int) (sizeof scaled[0]), pair.right);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("data: rank %d: %s, %s\n", rank, list, shared);
    MPI_Finalize();
    return 0;
}
