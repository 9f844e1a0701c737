/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packs with the datatypes that `dame mpi` wrote, for test/tools/mpi. cases.h is made by that
 * script: a line CASE(name, number, count, base) for each.
 *
 * For each case NAME.memory is user memory and `base` the byte of it where the first element
 * starts. NAME.packed gets what MPI packs; NAME.facts a line "size extent true_lb true_ub".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CASE(name, number, count, base) MPI_Datatype make_##number(void);
#include "cases.h"
#undef CASE

static const struct {
    const char *name;
    MPI_Datatype (*make)(void);
    int count;
    long base;
} cases[] = {
#define CASE(name, number, count, base) {name, make_##number, count, base},
#include "cases.h"
#undef CASE
};

static FILE *open_file(const char *name, const char *suffix, const char *mode)
{
    char path[256];
    snprintf(path, sizeof(path), "%s.%s", name, suffix);
    FILE *file = fopen(path, mode);
    if (file == NULL) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return file;
}

static void write_facts(const char *name, MPI_Datatype type)
{
    MPI_Count size, lb, extent, true_lb, true_extent;
    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent_x(type, &lb, &extent);
    MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
    FILE *out = open_file(name, "facts", "w");
    fprintf(out, "%lld %lld %lld %lld\n", (long long) size, (long long) extent, (long long) true_lb,
            (long long) (true_lb + true_extent));
    fclose(out);
}

static void pack(const char *name, MPI_Datatype type, int count, long base)
{
    enum { ROOM = 1 << 16 };
    static char memory[ROOM], packed[ROOM];
    int position = 0;
    FILE *in = open_file(name, "memory", "rb");
    size_t have = fread(memory, 1, ROOM, in);
    fclose(in);
    if (have == ROOM || base < 0 || (size_t) base > have) {
        fprintf(stderr, "%s: base %ld in %zu bytes of memory\n", name, base, have);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Pack(memory + base, count, type, packed, ROOM, &position, MPI_COMM_SELF);
    FILE *out = open_file(name, "packed", "wb");
    fwrite(packed, 1, (size_t) position, out);
    fclose(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MPI_Datatype type = cases[i].make();
        write_facts(cases[i].name, type);
        pack(cases[i].name, type, cases[i].count, cases[i].base);
        MPI_Type_free(&type);
    }
    MPI_Finalize();
    return 0;
}
