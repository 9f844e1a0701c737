/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of communicators. */
#include <stdlib.h>

#include "comm.h"
#include "remote.h"

/* Keys are never used again; one of another task is as good as one's own. */
static struct key {
    bamboo_copy_function_t *copy;
    bamboo_delete_function_t *delete;
    void *state;
} * keys;
static int key_count;

/* The keys that every communicator has are MPI's; those of programs begin behind them. */
enum { FIRST = 1 << 20 };

static struct key *key_of(int key)
{
    if (key < FIRST || key >= FIRST + key_count) {
        bamboo_fail("%d is not a key of attributes", key);
    }
    return &keys[key - FIRST];
}

int bamboo_mpi_comm_create_keyval(bamboo_copy_function_t *copy, bamboo_delete_function_t *delete,
                                  int *key, void *state)
{
    bamboo_enter("MPI_Comm_create_keyval");
    struct key *more = realloc(keys, ((size_t) key_count + 1) * sizeof(*keys));
    if (more == NULL) {
        bamboo_fail("no memory for a key of attributes");
    }
    keys = more;
    keys[key_count] = (struct key){copy, delete, state};
    *key = FIRST + key_count++;
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_free_keyval(int *key)
{
    bamboo_enter("MPI_Comm_free_keyval");
    (void) key_of(*key);
    *key = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

static struct bamboo_attribute **find_attribute(bamboo_comm_t *comm, int key)
{
    struct bamboo_attribute **link = &comm->attributes;
    while (*link != NULL && (*link)->key != key) {
        link = &(*link)->next;
    }
    return link;
}

static void delete_at(bamboo_comm_t *comm, struct bamboo_attribute **link)
{
    struct bamboo_attribute *attribute = *link;
    const struct key *key = key_of(attribute->key);
    *link = attribute->next;
    if (key->delete != NULL) {
        key->delete (comm, attribute->key, attribute->value, key->state);
    }
    free(attribute);
}

static void set_attribute(bamboo_comm_t *comm, int key, void *value)
{
    struct bamboo_attribute *made = bamboo_allocate(sizeof(*made));
    *made = (struct bamboo_attribute){key, value, comm->attributes};
    comm->attributes = made;
}

int bamboo_mpi_comm_set_attr(bamboo_comm_t *comm, int key, void *value)
{
    bamboo_mpi_comm_delete_attr(comm, key);
    bamboo_enter("MPI_Comm_set_attr");
    set_attribute(bamboo_comm_of(comm), key, value);
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_delete_attr(bamboo_comm_t *comm, int key)
{
    bamboo_enter("MPI_Comm_delete_attr");
    (void) key_of(key);
    struct bamboo_attribute **link = find_attribute(bamboo_comm_of(comm), key);
    if (*link != NULL) {
        delete_at(bamboo_comm_of(comm), link);
    }
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_get_attr(bamboo_comm_t *comm, int key, void *value, int *flag)
{
    static int highest_tag;
    bamboo_enter("MPI_Comm_get_attr");
    comm = bamboo_comm_of(comm);
    if (key == MPI_TAG_UB) {
        highest_tag = bamboo_remote_highest_tag();
        *(void **) value = &highest_tag;
        *flag = 1;
        return MPI_SUCCESS;
    }
    if (key < FIRST) {
        return MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag);
    }
    (void) key_of(key);
    const struct bamboo_attribute *found = *find_attribute(comm, key);
    *flag = found != NULL;
    if (found != NULL) {
        *(void **) value = found->value;
    }
    return MPI_SUCCESS;
}

void bamboo_attributes_copy(bamboo_comm_t *from, bamboo_comm_t *to)
{
    for (const struct bamboo_attribute *one = from->attributes; one != NULL; one = one->next) {
        const struct key *key = key_of(one->key);
        void *value = NULL;
        int flag = 0;
        if (key->copy != NULL) {
            key->copy(from, one->key, key->state, one->value, &value, &flag);
        }
        if (flag) {
            set_attribute(to, one->key, value);
        }
    }
}

void bamboo_attributes_delete(bamboo_comm_t *comm)
{
    while (comm->attributes != NULL) {
        delete_at(comm, &comm->attributes);
    }
}

/* MPI_COMM_DUP_FN */
int bamboo_attribute_dup(bamboo_comm_t *comm, int key, void *state, void *value, void *copy,
                         int *flag)
{
    (void) comm, (void) key, (void) state;
    *(void **) copy = value;
    *flag = 1;
    return MPI_SUCCESS;
}
