/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump_constructors.h"

#include "dump_file.h"
#include "mpi_check.h"

static const char *directory;

/* Uses the type once, frees it, and compares what its file says. */
static void says(MPI_Datatype type, const char *name, const char *constructors)
{
    enum { ROOM = 1 << 17 };
    static double memory[ROOM / 8], packed[ROOM / 8];
    MPI_Aint low, span;
    int at = 0;

    MPI_Type_commit(&type);
    MPI_Type_set_name(type, name);
    MPI_Type_get_true_extent(type, &low, &span);
    check(low >= 0 && low + span <= ROOM, "%s: room", name);
    MPI_Pack(memory, 1, type, packed, ROOM, &at, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    dump_file_t file = dump_read(directory, name);
    dame_program_t *program = dump_program(&file);
    check(program != NULL, "%s: parses", name);
    check(dump_has(&file, "# mpi: %s\n# size: %d", constructors, at), "%s: says\n%s", name,
          file.text == NULL ? "nothing" : file.text);
    dame_program_free(program);
    dump_free(&file);
}

/* The old type is freed. */
static MPI_Datatype vector_of(int count, int blocklength, int stride, MPI_Datatype old, bool owned)
{
    MPI_Datatype type;

    MPI_Type_vector(count, blocklength, stride, old, &type);
    if (owned) {
        MPI_Type_free(&old);
    }
    return type;
}

static void constructors_of_one_type(void)
{
    static const int sizes[] = {4, 6, 5}, subsizes[] = {2, 3, 4}, starts[] = {1, 0, 1};
    static const int grid[] = {8, 10},
                     distributions[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
                     arguments[] = {2, MPI_DISTRIBUTE_DFLT_DARG}, processes[] = {2, 1};
    MPI_Datatype plane = vector_of(16, 1, 18, MPI_DOUBLE, false), other, type;

    MPI_Type_create_hvector(6, 1, 4608, plane, &type);
    says(type, "made-hvector", "hvector(6, 1, 4608, vector(16, 1, 18, MPI_DOUBLE))");
    MPI_Type_contiguous(2, plane, &type);
    says(type, "made-contiguous", "contiguous(2, vector(16, 1, 18, MPI_DOUBLE))");
    MPI_Type_create_resized(plane, -8, 4096, &type);
    says(type, "made-resized", "resized(vector(16, 1, 18, MPI_DOUBLE), -8, 4096)");
    MPI_Type_dup(plane, &other);
    MPI_Type_dup(other, &type);
    MPI_Type_free(&other);
    says(type, "made-dup", "dup(dup(vector(16, 1, 18, MPI_DOUBLE)))");
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
    says(type, "made-subarray_c", "subarray([4, 6, 5], [2, 3, 4], [1, 0, 1], C, MPI_INT)");
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
    says(type, "made-subarray_f", "subarray([4, 6], [2, 3], [1, 0], Fortran, MPI_INT)");
    MPI_Type_create_darray(2, 1, 2, grid, distributions, arguments, processes, MPI_ORDER_C,
                           MPI_FLOAT, &type);
    says(type, "made-darray",
         "darray(2, 1, [8, 10], [cyclic, block], [2, default], [2, 1], C, MPI_FLOAT)");
    MPI_Type_free(&plane);
}

static void constructors_of_lists(void)
{
    int lengths[8], displacements[8];
    MPI_Aint addresses[8];
    MPI_Datatype type;

    for (int i = 0; i < 8; i++) {
        lengths[i] = 1 + i % 2;
        displacements[i] = 5 * i + i % 3;
        addresses[i] = 4 * displacements[i];
    }
    MPI_Type_indexed(3, lengths, displacements, MPI_INT, &type);
    says(type, "made-indexed", "indexed([1, 2, 1], [0, 6, 12], MPI_INT)");
    MPI_Type_create_hindexed(8, lengths, addresses, MPI_INT, &type);
    says(type, "hindexed",
         "hindexed([1, 2, 1, 2, 1, 2, 1, 2], [0, 24, 48, 60, 84, 108, 120, 144], MPI_INT)");
    MPI_Type_create_indexed_block(4, 2, displacements, MPI_INT, &type);
    says(type, "made-indexed_block", "indexed_block(4, 2, [0, 6, 12, 15], MPI_INT)");
    MPI_Type_create_hindexed_block(3, 1, addresses, MPI_INT, &type);
    says(type, "made-hindexed_block", "hindexed_block(3, 1, [0, 24, 48], MPI_INT)");
}

static void constructors_of_structs(void)
{
    MPI_Datatype column = vector_of(4, 1, 2, MPI_INT, false), inner, type;

    MPI_Type_create_struct(2, (const int[]){2, 1}, (const MPI_Aint[]){0, 16},
                           (const MPI_Datatype[]){MPI_SHORT, column}, &inner);
    MPI_Type_create_struct(3, (const int[]){1, 2, 0}, (const MPI_Aint[]){8, 200, 600},
                           (const MPI_Datatype[]){MPI_DOUBLE, inner, MPI_CHAR}, &type);
    says(vector_of(2, 1, 3, type, true), "made-struct",
         "vector(2, 1, 3, struct([1, 2, 0], [8, 200, 600], [MPI_DOUBLE, struct([2, 1], [0, 16], "
         "[MPI_SHORT, vector(4, 1, 2, MPI_INT)]), MPI_CHAR]))");
    MPI_Type_free(&inner);
    MPI_Type_free(&column);
}

void constructors_are_said(const char *dump_directory)
{
    directory = dump_directory;
    constructors_of_one_type();
    constructors_of_lists();
    constructors_of_structs();
}
