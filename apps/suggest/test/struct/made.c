/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of struct particle that are made by hand. A comment above a call of MPI_Type_create_struct has the messages
 * of `dame suggest --struct particle`, one a line; without one there is none. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct particle {
    double x[3];
    int id;
    double mass;
    char tag;
};
struct other {
    int a;
    double b;
};
#define MPI_LEVEL MPI_INT
struct segment {
    struct particle ends[2];
};
#define CHECK(call) do { if ((call) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1); } while (0)

MPI_Datatype by_offsetof(void)
{
    int n[4] = {3, 1, 1, 1};
    MPI_Aint d[4] = {offsetof(struct particle, x), offsetof(struct particle, id), offsetof(struct particle, mass),
                     offsetof(struct particle, tag)};
    MPI_Datatype t[4] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_CHAR}, members, type;
    /* note: this is the datatype of struct particle */
    MPI_Type_create_struct(4, n, d, t, &members);
    MPI_Type_create_resized(members, 0, sizeof(struct particle), &type);
    MPI_Type_commit(&type);
    return type;
}

void by_address(MPI_Datatype *result)
{
    struct particle p;
    MPI_Aint base, d[4];
    MPI_Datatype t[4], members;
    int i, n[4];
    n[0] = 3;
    n[1] = n[2] = n[3] = 1;
    t[0] = t[2] = MPI_DOUBLE;
    t[1] = MPI_INT;
    t[3] = MPI_CHAR;
    CHECK(MPI_Get_address(&p, &base));
    CHECK(MPI_Get_address(&p.x, &d[0]));
    CHECK(MPI_Get_address(&p.id, &d[1]));
    CHECK(MPI_Get_address(&p.mass, &d[2]));
    CHECK(MPI_Get_address(&p.tag, d + 3));
    for (i = 0; i < 4; i++)
        d[i] -= base;
    /* note: this is the datatype of struct particle */
    CHECK(MPI_Type_create_struct(4, n, d, t, &members));
    CHECK(MPI_Type_create_resized(members, 0, sizeof p, result));
}

/* The address of a null pointer's member, memory of malloc(), one block for neighbours of one type in any order. */
void by_null(MPI_Datatype *result)
{
    int *n = malloc(4 * sizeof *n), k = 0;
    MPI_Aint *d = (MPI_Aint *) malloc(4 * sizeof *d);
    MPI_Datatype t[4] = {MPI_CHAR, MPI_DOUBLE, MPI_INT32_T, MPI_DOUBLE}, members;
    n[k] = 1;
    d[k++] = (MPI_Aint) &((struct particle *) 0)->tag;
    n[k] = 2;
    d[k++] = (size_t) &((struct particle *) NULL)->x[1];
    n[k] = 1;
    d[k++] = (char *) &((struct particle *) 0)->id - (char *) 0;
    n[k] = 1;
    d[k++] = offsetof(struct particle, mass);
    t[0] = MPI_CHAR;
    if (result == NULL)
        return;
    /* warning: 2 of 3 elements of x are sent */
    MPI_Type_create_struct(k, n, d, t, &members);
    MPI_Type_create_resized(members, 0, sizeof(struct particle), result);
    free(n);
    free(d);
}

void wrong_members(struct particle *p, MPI_Datatype *type)
{
    MPI_Aint base, d[3];
    int n[3] = {2, 1, 1};
    MPI_Datatype t[3] = {MPI_DOUBLE, MPI_FLOAT, MPI_CHAR};
    MPI_Get_address(p, &base);
    MPI_Get_address(p->x, &d[0]);
    d[0] = MPI_Aint_diff(d[0], base);
    MPI_Get_address(&p->id, &d[1]);
    d[1] -= base;
    MPI_Get_address(&p->tag, &d[2]);
    d[2] -= base;
    /* warning: 2 of 3 elements of x are sent
     * warning: id is sent as MPI_FLOAT, and is MPI_INT
     * warning: mass is not sent */
    MPI_Type_create_struct(3, n, d, t, type);
}

/* Which struct it is of is known by its use; padding was forgotten. */
void without_padding(struct particle *p, int n)
{
    int lengths[] = {3, 1, 1, 1};
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_CHAR}, dense;
    MPI_Aint displacements[4], extent, lb;
    displacements[0] = 0;
    MPI_Type_get_extent(MPI_DOUBLE, &lb, &extent);
    displacements[1] = 3 * extent;
    displacements[2] = displacements[1] + sizeof(int);
    displacements[3] = displacements[2] + extent;
    /* warning: the displacement for mass is 28, and offsetof(struct particle, mass) is 32
     * warning: the displacement for tag is 36, and offsetof(struct particle, tag) is 40
     * warning: its extent is 40, and sizeof(struct particle) is 48, so the second of several is sent from a wrong address: MPI_Type_create_resized(type, 0, sizeof(struct particle), &resized) */
    MPI_Type_create_struct(4, lengths, displacements, types, &dense);
    MPI_Type_commit(&dense);
    MPI_Send(p, n, dense, 1, 0, MPI_COMM_WORLD);
}

void too_much(void)
{
    int n[2] = {5, 1};
    MPI_Aint d[2] = {offsetof(struct particle, x), offsetof(struct particle, mass)};
    MPI_Datatype t[2] = {MPI_DOUBLE, MPI_DOUBLE}, type;
    /* warning: id is sent as MPI_DOUBLE, and is MPI_INT
     * warning: tag is not sent
     * warning: block 1 sends mass a second time
     * warning: its extent is 40, and sizeof(struct particle) is 48, so the second of several is sent from a wrong address: MPI_Type_create_resized(type, 0, sizeof(struct particle), &resized) */
    MPI_Type_create_struct(2, n, d, t, &type);
}

/* All bytes, padding too. */
void as_bytes(void)
{
    int n = sizeof(struct particle);
    MPI_Aint d = offsetof(struct particle, x);
    MPI_Datatype t = MPI_BYTE, type;
    /* note: this is the datatype of struct particle */
    MPI_Type_create_struct(1, &n, &d, &t, &type);
}

/* The blocks of another struct are of this one: nothing to say of the other, and all is right with this one. */
void nested(void)
{
    int n[4] = {3, 1, 1, 1}, two = 2;
    MPI_Aint d[4] = {offsetof(struct particle, x), offsetof(struct particle, id), offsetof(struct particle, mass),
                     offsetof(struct particle, tag)};
    MPI_Aint at = offsetof(struct segment, ends);
    MPI_Datatype t[4] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_CHAR}, members, particle, segment;
    MPI_Type_create_struct(4, n, d, t, &members);
    MPI_Type_create_resized(members, 0, sizeof(struct particle), &particle);
    MPI_Type_create_struct(1, &two, &at, &particle, &segment);
}

void of_another_struct(void)
{
    int n[2] = {1, 1};
    MPI_Aint d[2] = {offsetof(struct other, a), offsetof(struct other, b)};
    MPI_Datatype t[2] = {MPI_INT, MPI_DOUBLE}, type;
    MPI_Type_create_struct(2, n, d, t, &type);
}

void of_no_struct(void)
{
    int n[2] = {1, 1};
    MPI_Aint d[2] = {0, 8};
    MPI_Datatype t[2] = {MPI_INT, MPI_DOUBLE}, type;
    /* note: not compared: nothing here says which struct it is of */
    MPI_Type_create_struct(2, n, d, t, &type);
}

/* At the address of one object. */
void absolute(struct particle *p)
{
    int n[4] = {3, 1, 1, 1};
    MPI_Aint d[4];
    MPI_Datatype t[4] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_CHAR}, type;
    MPI_Get_address(p[0].x, &d[0]);
    MPI_Get_address(&p[0].id, &d[1]);
    MPI_Get_address(&p[0].mass, &d[2]);
    MPI_Get_address(&(*p).tag, &d[3]);
    /* note: this is the datatype of struct particle, at the address of one object */
    MPI_Type_create_struct(4, n, d, t, &type);
}

/* One variable for both datatypes; the lower bound is asked for. */
void in_place(struct particle *all, int n)
{
    int lengths[4] = {3, 1, 1, 1};
    const MPI_Aint displacements[4] = {offsetof(struct particle, x), offsetof(struct particle, id),
                                       offsetof(struct particle, mass), offsetof(struct particle, tag)};
    MPI_Datatype types[4] = {MPI_DOUBLE, MPI_LEVEL, MPI_DOUBLE, MPI_CHAR}, type;
    MPI_Aint lb, extent;
    /* note: this is the datatype of struct particle */
    MPI_Type_create_struct(4, lengths, displacements, types, &type);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_create_resized(type, lb, sizeof(struct particle), &type);
    MPI_Type_commit(&type);
    MPI_Bcast(all, n, type, 0, MPI_COMM_WORLD);
}

/* A macro that returns; constants stay what they are. */
#define TRY(call) do { int error = (call); if (error != MPI_SUCCESS) return error; } while (0)
static const MPI_Aint at_id = offsetof(struct particle, id);
int with_returns(struct particle *p, int k)
{
    const int one = 1;
    MPI_Aint d = 0;
    MPI_Datatype t = MPI_INT, type;
    p->id = k;
    d = at_id;
    /* warning: x is not sent
     * warning: mass is not sent
     * warning: tag is not sent
     * warning: its extent is 4, and sizeof(struct particle) is 48, so the second of several is sent from a wrong address: MPI_Type_create_resized(type, 0, sizeof(struct particle), &resized) */
    TRY(MPI_Type_create_struct(1, &one, &d, &t, &type));
    TRY(MPI_Type_commit(&type));
    return 0;
}

/* ---- what is not known is not compared ---- */

void unknown_length(int k)
{
    int n[2] = {1, k};
    MPI_Aint d[2] = {offsetof(struct particle, id), offsetof(struct particle, x)};
    MPI_Datatype t[2] = {MPI_INT, MPI_DOUBLE}, type;
    /* note: not compared: a block length is not known here */
    MPI_Type_create_struct(2, n, d, t, &type);
}

/* The pointer may lead to the array. */
void changed_by_pointer(int *q)
{
    int n[2] = {1, 3}, *r = n;
    MPI_Aint d[2] = {offsetof(struct particle, id), offsetof(struct particle, x)};
    MPI_Datatype t[2] = {MPI_INT, MPI_DOUBLE}, type;
    while (*q > 0) {
        *r = 2;
        r = q;
        q++;
    }
    /* note: not compared: a block length is not known here */
    MPI_Type_create_struct(2, n, d, t, &type);
}

int count_of(int *n);
void changed_by_call(void)
{
    int n[2] = {1, 3};
    MPI_Aint d[2] = {offsetof(struct particle, id), offsetof(struct particle, x)};
    MPI_Datatype t[2] = {MPI_INT, MPI_DOUBLE}, type;
    count_of(n);
    /* note: not compared: a block length is not known here */
    MPI_Type_create_struct(2, n, d, t, &type);
}

struct particle *first;
void next_particle(void);
void changed_object(void)
{
    int n[2] = {3, 1};
    MPI_Aint d[2];
    MPI_Datatype t[2] = {MPI_DOUBLE, MPI_INT}, type;
    MPI_Get_address(first->x, &d[0]);
    next_particle();
    MPI_Get_address(&first->id, &d[1]);
    /* note: not compared: the distance of two displacements is not known here */
    MPI_Type_create_struct(2, n, d, t, &type);
}

void changed_by_condition(int big)
{
    int n[2] = {1, 3};
    MPI_Aint d[2] = {offsetof(struct particle, id), offsetof(struct particle, x)};
    MPI_Datatype t[2] = {MPI_INT, MPI_DOUBLE}, type;
    if (big)
        d[1] = 0;
    else
        n[1] = 2;
    /* note: not compared: a block length is not known here */
    MPI_Type_create_struct(2, n, d, t, &type);
}

void in_a_loop(void)
{
    int n[1] = {0};
    MPI_Aint d[1] = {offsetof(struct particle, x)};
    MPI_Datatype t[1] = {MPI_DOUBLE}, type;
    for (int i = 1; i < 3; i++) {
        n[0] = i;
        /* note: not compared: which of several datatypes it makes is not known here */
        MPI_Type_create_struct(1, n, d, t, &type);
    }
}

void after_a_label(int k)
{
    int n[4] = {3, 1, 1, 1};
    MPI_Aint d[4] = {offsetof(struct particle, x), offsetof(struct particle, id), offsetof(struct particle, mass),
                     offsetof(struct particle, tag)};
    MPI_Datatype t[4] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_CHAR}, type;
again:
    /* note: not compared: a block length is not known here */
    MPI_Type_create_struct(4, n, d, t, &type);
    n[0] = k;
    if (k-- > 0)
        goto again;
}

static int kept[2] = {1, 3};
void kept_from_before(void)
{
    MPI_Aint d[2] = {offsetof(struct particle, id), offsetof(struct particle, x)};
    MPI_Datatype t[2] = {MPI_INT, MPI_DOUBLE}, type;
    /* note: not compared: a block length is not known here */
    MPI_Type_create_struct(2, kept, d, t, &type);
    kept[1]++;
}

static const int lengths[4] = {3, 1, 1, 1};
MPI_Datatype shared_type;
void constant(void)
{
    MPI_Aint d[4] = {0, offsetof(struct particle, id), offsetof(struct particle, mass), offsetof(struct particle, tag)};
    MPI_Datatype t[4] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_CHAR};
    /* note: this is the datatype of struct particle */
    MPI_Type_create_struct(4, (int *) lengths, d, t, &shared_type);
}

/* ---- calls that are handed something else change nothing of this ---- */

#define FILL                                                                                       \
    k = 0;                                                                                         \
    d[k] = offsetof(struct particle, x), n[k] = 3, t[k++] = MPI_DOUBLE;                            \
    d[k] = offsetof(struct particle, id), n[k] = 1, t[k++] = MPI_INT;                              \
    d[k] = offsetof(struct particle, mass), n[k] = 1, t[k++] = MPI_DOUBLE;                         \
    d[k] = offsetof(struct particle, tag), n[k] = 1, t[k++] = MPI_CHAR;

void after_a_message(struct particle *p, MPI_Datatype *result)
{
    int m = 4, n[4], k;
    MPI_Aint d[4], base;
    MPI_Datatype t[4];
    MPI_Get_address(p, &base);
    fprintf(stderr, "%d\n", m);
    FILL
    MPI_Get_address(&p->id, &d[1]);
    d[1] -= base;
    if (p->id > 3)
        fprintf(stderr, "%d\n", p->id);
    /* note: this is the datatype of struct particle */
    MPI_Type_create_struct(m, n, d, t, result);
}

void without_memory(MPI_Datatype *result)
{
    int m = 4, *n = malloc(m * sizeof *n), k;
    MPI_Aint *d = malloc(m * sizeof *d);
    MPI_Datatype t[4];
    if (n == NULL || d == NULL) {
        fprintf(stderr, "no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    FILL
    fprintf(stderr, "filled\n");
    /* note: this is the datatype of struct particle */
    MPI_Type_create_struct(m, n, d, t, result);
}

int *kept_lengths;
void change(FILE *file);
void memory_that_is_kept(MPI_Datatype *result)
{
    int *n = malloc(4 * sizeof *n), k;
    MPI_Aint d[4];
    MPI_Datatype t[4];
    kept_lengths = n;
    FILL
    change(stderr);
    /* note: not compared: a block length is not known here */
    MPI_Type_create_struct(4, n, d, t, result);
}

void take(int *n);
void address_that_is_kept(MPI_Datatype *result)
{
    int m = 4, n[4], k;
    MPI_Aint d[4];
    MPI_Datatype t[4];
    take(&m);
    m = 4;
    FILL
    change(stderr);
    /* note: not compared: the number of blocks is not known here */
    MPI_Type_create_struct(m, n, d, t, result);
}

/* ---- no name of the struct, but what it has; counts of it ---- */

void sums_of_sizes(MPI_Datatype *result)
{
    int n[] = {3, 1, 1, 1};
    MPI_Aint d[4];
    MPI_Datatype t[] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_CHAR};
    d[0] = 0;
    d[1] = d[0] + 3 * sizeof(double);
    d[2] = d[1] + sizeof(int);
    d[3] = d[2] + sizeof(double);
    /* warning: the displacement for mass is 28, and offsetof(struct particle, mass) is 32
     * warning: the displacement for tag is 36, and offsetof(struct particle, tag) is 40
     * warning: its extent is 40, and sizeof(struct particle) is 48, so the second of several is sent from a wrong address: MPI_Type_create_resized(type, 0, sizeof(struct particle), &resized) */
    MPI_Type_create_struct(4, n, d, t, result);
}

void as_elements(MPI_Datatype *result)
{
    int n[] = {sizeof(struct particle) / sizeof(double)};
    MPI_Aint d[] = {0};
    MPI_Datatype t[] = {MPI_DOUBLE};
    /* warning: id is sent as MPI_DOUBLE, and is MPI_INT
     * warning: tag is sent as MPI_DOUBLE, and is MPI_CHAR */
    MPI_Type_create_struct(1, n, d, t, result);
}

void contiguous(MPI_Datatype *bytes, MPI_Datatype *other)
{
    /* note: this is the datatype of struct particle */
    MPI_Type_contiguous(sizeof(struct particle), MPI_BYTE, bytes);
    MPI_Type_contiguous(4, MPI_DOUBLE, other);
}
