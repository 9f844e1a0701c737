/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of Open MPI's binary interface that DAME uses beyond mpi.h. Declared here because most
 * installations leave the internal headers out. Facts only: names, offsets, values, prototypes.
 * README.md beside this file lists where each comes from, and who checks it.
 *
 * A build serves one series of Open MPI, that of its mpi.h.
 */
#ifndef DT_ABI_H
#define DT_ABI_H

#include "mpi.h"

/* DT_ABI_INTERNAL: Open MPI's internal headers were included, so that only prototypes are new. */
#ifndef DT_ABI_INTERNAL
#include "object.h"
#endif

#if !((OMPI_MAJOR_VERSION == 4 && OMPI_MINOR_VERSION == 1) ||                                      \
      (OMPI_MAJOR_VERSION == 5 && OMPI_MINOR_VERSION == 0) ||                                      \
      (OMPI_MAJOR_VERSION == 6 && OMPI_MINOR_VERSION <= 1))
#error "DAME knows the series 4.1, 5.0, 6.0 and 6.1 of Open MPI; datatypes.h has what differs"
#endif

#include "datatypes.h"
#ifndef DT_ABI_INTERNAL
#include "mca.h"
#endif
#include "prototypes.h"
#include "seam.h"

#endif
