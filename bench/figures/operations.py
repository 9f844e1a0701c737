# SPDX-License-Identifier: BSD-3-Clause
"""More than messages; a figure of bench/run (its fields are explained there)."""
title = "Halos, collectives, one-sided, files, particles, threads"
shows = ("One step of each operation of bench/operations.c between two ranks, as datatypes and packed by hand: halos of 7 and 27 points "
         "and of the lattice-Boltzmann model D3Q19, also by persistent requests, by MPI_Neighbor_alltoallw and, where MPI is 4.0 or newer, by partitioned requests; a matrix gathered by "
         "columns; slabs turned by MPI_Alltoallw; two columns put, got and added; a file of subarrays; a new list of particles in "
         "each step; two threads with 50 messages each way. By hand, one-sided data goes through a contiguous window, and both "
         "ranks pack: Open MPI moves each block of a one-sided operation by itself (osc/rdma), and no datatype engine changes that.")
unit = "µs"
subject = "known:types"
against = {"native:types": "Open MPI", "known:hand": "packing by hand", "mpich:types": "MPICH"}
engines = ["native", "known", "mpich"]
rounds = {"quick": 3, "full": 7}
seconds = {"quick": 60, "full": 140}


def runs(engine, full, layouts):
    if layouts:
        return []
    return [(2, "operations", []), (2, "operations", ["threads"])]


def read(words):
    """result NAME types|hand MICROSECONDS right|WRONG"""
    if words[:1] == ["result"] and len(words) == 5:
        if words[4] != "right":
            raise ValueError(f"{words[1]}: wrong bytes")
        yield words[1], words[2], float(words[3])
