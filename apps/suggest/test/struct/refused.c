/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of struct all that cannot be sent, with the messages of `dame suggest --struct all`; and a datatype of it. */
#include <mpi.h>
#include <stddef.h>

struct list {
    int value;
    struct list *next; /* warning: in.next is left out: it is a pointer, which has a meaning in one process only; send the data that it leads to in a message of its own */
};

typedef int (*function_t)(int);

struct all {
    double x;
    struct list in;
    const char *name; /* warning: name is left out: it is a pointer, which has a meaning in one process only; send the data that it leads to in a message of its own */
    double *rows[3]; /* warning: rows is left out: it is a pointer, which has a meaning in one process only; send the data that it leads to in a message of its own */
    function_t call; /* warning: call is left out: it is a pointer to a function, which has a meaning in one process only; send a number that selects the function */
    unsigned flag : 1; /* warning: flag is left out: it is a bit-field, which has no address; make it an integer, or copy it to one first */
    unsigned : 4;
    union { int i; float f; } u; /* warning: u is left out: it is a union, and the member in use is not known; send the member in use with a datatype of its own */
    union { int ui; float uf; }; /* warning: (unnamed union) is left out: it is a union, and the member in use is not known; send the member in use with a datatype of its own */
    MPI_Comm comm; /* warning: comm is left out: it is an MPI handle, which has a meaning in one process only; make the object at the receiver */
    MPI_Request requests[2]; /* warning: requests is left out: it is an MPI handle, which has a meaning in one process only; make the object at the receiver */
    _Atomic int counter; /* warning: counter is left out: it is atomic, and MPI reads plain memory; copy its value to a plain member first */
    __int128 wide; /* warning: wide is left out: no basic datatype of MPI has its type; send it as MPI_BYTE, between machines of one kind */
    char huge[1L << 32]; /* warning: huge is left out: it has more elements than an int counts; send it in messages of its own */
    int nothing[0]; /* warning: nothing is left out: its length is not part of the type; send it in a message of its own */
    double tail[]; /* warning: tail is left out: its length is not part of the type; send it in a message of its own */
};

/* Its own pointers, and a pointer as if the text were in the struct. */
void by_hand(MPI_Datatype *type)
{
    int lengths[3] = {1, 1, 25};
    MPI_Aint displacements[3] = {offsetof(struct all, x), offsetof(struct all, in.value), offsetof(struct all, name)};
    MPI_Datatype types[3] = {MPI_DOUBLE, MPI_INT, MPI_CHAR}, members;
    /* warning: name is sent, and cannot be: it is a pointer, which has a meaning in one process only */
    MPI_Type_create_struct(3, lengths, displacements, types, &members);
    MPI_Type_create_resized(members, 0, sizeof(struct all), type);
}
