/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks write columns of a matrix into one file and read rows of it: by HDF5, by PnetCDF.
 * columns FILE [ROUNDS]; prints the sum of the values read, and the seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_HDF5
#include <hdf5.h>
#else
#include <pnetcdf.h>
#endif

#ifndef ROWS
#define ROWS 300
#define COLUMNS 64
#endif

static double mine[ROWS][COLUMNS + 3], row[COLUMNS]; /* with a margin, so that memory is not contiguous either */

#ifdef WITH_HDF5
static void write_and_read(const char *name, int rank, int ranks)
{
    const hsize_t shape[] = {ROWS, COLUMNS}, memory[] = {ROWS, COLUMNS + 3}, width = COLUMNS / (hsize_t) ranks;
    const hsize_t start[] = {0, (hsize_t) rank}, step[] = {1, (hsize_t) ranks}, count[] = {ROWS, width};
    const hsize_t from[] = {0, 1};
    const hsize_t at[] = {(hsize_t) (rank + 5), 0}, one[] = {1, COLUMNS};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hid_t space = H5Screate_simple(2, shape, NULL), in_memory = H5Screate_simple(2, memory, NULL);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(create, 0); /* files of two runs are compared */
    hid_t data = H5Dcreate2(file, "m", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, step, count, NULL);
    H5Sselect_hyperslab(in_memory, H5S_SELECT_SET, from, NULL, count, NULL);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, in_memory, space, transfer, mine);
    hid_t line = H5Screate_simple(1, &one[1], NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL);
    H5Dread(data, H5T_NATIVE_DOUBLE, line, space, transfer, row);
    H5Sclose(line);
    H5Dclose(data);
    H5Sclose(space);
    H5Sclose(in_memory);
    H5Fclose(file);
    H5Pclose(access);
    H5Pclose(transfer);
    H5Pclose(create);
}
#else
static void write_and_read(const char *name, int rank, int ranks)
{
    const MPI_Offset start[] = {0, rank}, count[] = {ROWS, COLUMNS / ranks}, step[] = {1, ranks};
    const MPI_Offset at[] = {rank + 5, 0}, one[] = {1, COLUMNS};
    int file, dimensions[2], variable;
    MPI_Datatype part;
    MPI_Type_vector(ROWS, COLUMNS / ranks, COLUMNS + 3, MPI_DOUBLE, &part);
    MPI_Type_commit(&part);
    ncmpi_create(MPI_COMM_WORLD, name, NC_CLOBBER, MPI_INFO_NULL, &file);
    ncmpi_def_dim(file, "y", ROWS, &dimensions[0]);
    ncmpi_def_dim(file, "x", COLUMNS, &dimensions[1]);
    ncmpi_def_var(file, "m", NC_DOUBLE, 2, dimensions, &variable);
    ncmpi_enddef(file);
    ncmpi_put_vars_all(file, variable, start, count, step, &mine[0][1], 1, part);
    ncmpi_get_vara_double_all(file, variable, at, one, row);
    ncmpi_close(file);
    MPI_Type_free(&part);
}
#endif

int main(int argc, char **argv)
{
    const int rounds = argc > 2 ? atoi(argv[2]) : 1;
    int rank, ranks;
    double sum = 0, seconds, slowest;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < COLUMNS + 3; k++) {
            mine[i][k] = rank + 10 * k + 1000.0 * i;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = -MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        write_and_read(argv[1], rank, ranks);
    }
    seconds += MPI_Wtime();
    for (int k = 0; k < COLUMNS; k++) {
        sum += row[k] * (k + 1);
    }
    printf("rank %d: %.17g\n", rank, sum);
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seconds %.6f\n", slowest);
    }
    MPI_Finalize();
    return 0;
}
