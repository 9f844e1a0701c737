# SPDX-License-Identifier: BSD-3-Clause
"""Many datatypes in one job; a figure of bench/run (its fields are explained there)."""
title = "100, 1,000 and 10,000 datatypes in a job"
shows = ("Nanoseconds for one of n datatypes that are alive at the same time: each has a layout of its own (vectors, subarrays, blocks at random "
         "displacements; 16 to 1248 bytes), and all are packed one after the other, again and again. `create` is a constructor with "
         "MPI_Type_commit, `first` the first MPI_Pack, `use` one MPI_Pack after 100 of each. By hand, nothing is created. Their "
         "memory is in the figure of datatypes' memory.")
unit = "ns"
subject = "known:mpi"
against = {"native:mpi": "Open MPI", "known:hand": "hand-written loops", "mpich:mpi": "MPICH"}
engines = ["native", "known", "mpich"]
rounds = {"quick": 3, "full": 5}


def runs(engine, full, layouts):
    return [] if layouts else [(1, "life_worker", ["many", str(n)]) for n in (100, 1000, 10000)]


def read(words):
    """many N create|first|use|free KIND NANOSECONDS, and lines for the figure of memory"""
    if len(words) == 5 and words[0] == "many" and words[2] != "memory":
        yield f"{int(words[1]):,} {words[2]}", words[3], float(words[4])
