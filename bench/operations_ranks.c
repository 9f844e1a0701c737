/* SPDX-License-Identifier: BSD-3-Clause */
#include "operations.h"

int rank, peer;
