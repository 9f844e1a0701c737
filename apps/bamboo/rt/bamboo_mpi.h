/* SPDX-License-Identifier: BSD-3-Clause */
/* For code that bamboocc wrote: bamboo.h, in which MPI's names mean tasks. Comes before every other
 * header, so that headers of the program that use MPI_Comm or MPI_Request mean the same. */
#define BAMBOO_MPI_NAMES
#include "bamboo.h"
