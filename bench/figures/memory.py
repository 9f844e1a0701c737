# SPDX-License-Identifier: BSD-3-Clause
"""What datatypes keep; a figure of bench/run (its fields are explained there)."""
title = "Memory of datatypes"
shows = ("Growth of the resident set by MPI_Type_indexed with a million entries, and by its first MPI_Pack, for each entry; and by 10,000 "
         "datatypes (those of the figure `many`), for each one, by their constructors, and by these with 100 times MPI_Pack of each.")
unit = "bytes"
subject = "known:memory"
against = {"native:memory": "Open MPI", "mpich:memory": "MPICH"}
engines = ["native", "known", "mpich"]
rounds = {"quick": 3, "full": 5}


def runs(engine, full, layouts):
    return [] if layouts else [(1, "life_worker", ["types", "--layout", "indexed_1000000"]), (1, "life_worker", ["many", "10000"])]


def read(words):
    """NAME memory create|first BYTES, many N memory create|use BYTES. Nothing grows: no row."""
    if len(words) == 4 and words[1] == "memory" and float(words[3]) > 0:
        yield f"{words[0]} {words[2]}", "memory", float(words[3])
    elif len(words) == 5 and words[0] == "many" and words[2] == "memory" and float(words[4]) > 0:
        yield f"{int(words[1]):,} datatypes {words[3]}", "memory", float(words[4])
