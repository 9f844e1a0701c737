/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading MPI_T variables by name. */
#include "pvar.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 128 };

typedef struct variable {
    char name[256];
    MPI_Datatype type;
    MPI_T_pvar_handle handle;
} variable_t;

static MPI_T_pvar_session session;
static variable_t variables[MOST];
static int nvariables;

int pvar_start(const char *prefix)
{
    int provided, n;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_num(&n);
    nvariables = 0;
    for (int i = 0; i < n && nvariables < MOST; i++) {
        variable_t *v = &variables[nvariables];
        int room = sizeof(v->name), no_length = 0, class, verbosity, binding, readonly, continuous;
        int atomic, count;
        MPI_T_enum values;
        if (MPI_T_pvar_get_info(i, v->name, &room, &verbosity, &class, &v->type, &values, NULL,
                                &no_length, &binding, &readonly, &continuous,
                                &atomic) == MPI_SUCCESS &&
            strncmp(v->name, prefix, strlen(prefix)) == 0 && binding == MPI_T_BIND_NO_OBJECT &&
            MPI_T_pvar_handle_alloc(session, i, NULL, &v->handle, &count) == MPI_SUCCESS) {
            if (!continuous) {
                MPI_T_pvar_start(session, v->handle);
            }
            nvariables++;
        }
    }
    return nvariables;
}

void pvar_done(void)
{
    for (int i = 0; i < nvariables; i++) {
        MPI_T_pvar_handle_free(session, &variables[i].handle);
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
}

static long long value_of(variable_t *v)
{
    union {
        unsigned long long wide;
        int narrow;
        char room[1024]; /* in case it is an array */
    } u = {0};

    if (MPI_T_pvar_read(session, v->handle, &u) != MPI_SUCCESS) {
        return -1;
    }
    return v->type == MPI_INT || v->type == MPI_UNSIGNED ? u.narrow : (long long) u.wide;
}

long long pvar_read(const char *name)
{
    for (int i = 0; i < nvariables; i++) {
        if (strcmp(variables[i].name, name) == 0) {
            return value_of(&variables[i]);
        }
    }
    return -1;
}

long long pvar_sum(const char *word)
{
    long long sum = 0;

    for (int i = 0; i < nvariables; i++) {
        sum += NULL != strstr(variables[i].name, word) ? value_of(&variables[i]) : 0;
    }
    return sum;
}

bool cvar_read(const char *name, char *text, int room)
{
    int index, count, verbosity, binding, scope, name_room = 0, no_length = 0;
    char buffer[4096] = "";
    MPI_T_cvar_handle handle;
    MPI_Datatype type;
    MPI_T_enum values;

    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_get_info(index, NULL, &name_room, &verbosity, &type, &values, NULL, &no_length,
                            &binding, &scope) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) {
        return false;
    }
    bool ok = count < (int) sizeof(buffer) && MPI_T_cvar_read(handle, buffer) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    if (ok && type == MPI_CHAR) {
        snprintf(text, (size_t) room, "%s", buffer);
    } else if (ok) {
        int value;
        memcpy(&value, buffer, sizeof(value));
        snprintf(text, (size_t) room, "%d", value);
    }
    return ok;
}

int cvar_write(const char *name, int value)
{
    int index, count;
    MPI_T_cvar_handle handle;

    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) {
        return MPI_T_ERR_INVALID_NAME;
    }
    int rc = MPI_T_cvar_write(handle, &value);
    MPI_T_cvar_handle_free(&handle);
    return rc;
}
