/* MPI_Pack that is not a packing loop which a datatype of ours could replace. The comment at a call
 * is the verdict. */
#include <mpi.h>

enum { N = 12, ROOM = 4000 };

static double a[N][N];
static int length, where;
void look(int *position);

/* the bytes packed with a derived datatype are not known */
void derived(int n, MPI_Datatype column)
{
    char buffer[ROOM];
    int position = 0;
    for (int i = 0; i < n; i++)
        MPI_Pack(&a[i][0], 1, column, buffer, ROOM, &position, MPI_COMM_WORLD);
    MPI_Send(buffer, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* refused 61 */
}

/* the position may be changed elsewhere */
void position_goes_away(int n)
{
    char buffer[ROOM];
    int position = 0;
    look(&position);
    for (int i = 0; i < n; i++)
        MPI_Pack(&a[i][0], 1, MPI_DOUBLE, buffer, ROOM, &position, MPI_COMM_WORLD);
    MPI_Send(buffer, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* refused any */
}

/* less is sent than was packed, and more */
void another_count(int n)
{
    char buffer[ROOM];
    int position = 0;
    for (int i = 0; i < n; i++)
        MPI_Pack(&a[i][0], 1, MPI_DOUBLE, buffer, ROOM, &position, MPI_COMM_WORLD);
    MPI_Send(buffer, position - 8, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* refused 6 */
    position = 0;
    for (int i = 0; i < n; i++)
        MPI_Pack(&a[i][0], 1, MPI_DOUBLE, buffer, ROOM, &position, MPI_COMM_WORLD);
    MPI_Send(buffer, ROOM, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* refused 6 */
}

/* packed over itself */
void position_goes_back(int n)
{
    char buffer[ROOM];
    int position = 0;
    for (int i = 0; i < n; i++) {
        MPI_Pack(&a[i][0], 1, MPI_DOUBLE, buffer, ROOM, &position, MPI_COMM_WORLD);
        position = 0;
    }
    MPI_Send(buffer, 8, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* none */
}

/* a gap that MPI_Pack did not write */
void position_jumps(int n)
{
    char buffer[ROOM];
    int position = 0;
    for (int i = 0; i < n; i++) {
        MPI_Pack(&a[i][0], 1, MPI_DOUBLE, buffer, ROOM, &position, MPI_COMM_WORLD);
        position += 8;
    }
    MPI_Send(buffer, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* refused any */
}

/* changed between packing and sending */
void changed(int n)
{
    char buffer[ROOM];
    int position = 0;
    for (int i = 0; i < n; i++)
        MPI_Pack(&a[i][0], 1, MPI_DOUBLE, buffer, ROOM, &position, MPI_COMM_WORLD);
    a[0][0] = 1.0;
    MPI_Send(buffer, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

/* the number is changed after it was packed */
void counted_then_changed(void)
{
    char buffer[ROOM];
    int position = 0, n = length;
    MPI_Pack(&n, 1, MPI_INT, buffer, ROOM, &position, MPI_COMM_WORLD);
    n = 3;
    for (int i = 0; i < n; i++)
        MPI_Pack(&a[i][0], 1, MPI_DOUBLE, buffer, ROOM, &position, MPI_COMM_WORLD);
    MPI_Send(buffer, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

/* unpacking writes what the rest depends on */
void count_from_message(void)
{
    char buffer[ROOM];
    int position = 0, n = 0;
    MPI_Recv(buffer, 4 + 8 * length, MPI_PACKED, 0, 0, MPI_COMM_WORLD, /* refused any */
             MPI_STATUS_IGNORE);
    MPI_Unpack(buffer, ROOM, &position, &n, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        MPI_Unpack(buffer, ROOM, &position, &a[i][0], 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* every element to the same place */
void unpacks_on_itself(int n)
{
    char buffer[ROOM];
    int position = 0;
    MPI_Recv(buffer, 8 * n, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* refused any */
    for (int i = 0; i < n; i++)
        MPI_Unpack(buffer, ROOM, &position, &a[0][0], 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* a count of another type than the packed data: MPI_FLOAT of doubles is bytes of another size */
void other_elements(int n)
{
    char buffer[ROOM];
    int position = 0;
    for (int i = 0; i < n; i++)
        MPI_Pack(&a[i][0], 1, MPI_FLOAT, buffer, ROOM, &position, MPI_COMM_WORLD);
    MPI_Send(buffer, 8 * n, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* refused any */
}

/* the position is global, and changed by a function */
void move(void);
void global_position(int n)
{
    char buffer[ROOM];
    where = 0;
    for (int i = 0; i < n; i++) {
        MPI_Pack(&a[i][0], 1, MPI_DOUBLE, buffer, ROOM, &where, MPI_COMM_WORLD);
        move();
    }
    MPI_Send(buffer, where, MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* none */
}
