# SPDX-License-Identifier: BSD-3-Clause
"""More than messages; a figure of bench/run (its fields are explained there)."""
title = "Halos, collectives, one-sided, files, particles, threads"
shows = "A step of each operation of bench/operations.c between two ranks. By hand, one-sided data goes through a contiguous window, and both ranks pack."
unit = "µs"
subject = "known:types"
against = {"native:types": "Open MPI", "known:hand": "packing by hand", "mpich:types": "MPICH"}
engines = ["native", "known", "mpich"]
reasons = [(r"^(put|get|accumulate)_columns$", "Open MPI moves each block by itself"), ("particles", "a new list in each step: by hand no datatype is made"),
           (r"file_", "Open MPI's file component"), ("alltoallw", "long blocks, in fragments"), ("threads", "short messages")]
turns = {"quick": 4, "full": 5}


def runs(engine, full, layouts):
    if layouts:
        return []
    hangs = engine.startswith("peer:")  # Open MPI 6 and its main branch, now and then
    return [(2, "operations", []), None if hangs else (2, "operations", ["threads"])]


def read(words):
    """result NAME types|hand MICROSECONDS right|WRONG"""
    if words[:1] == ["result"] and len(words) == 5:
        if words[4] != "right":
            raise ValueError(f"{words[1]}: wrong bytes")
        yield words[1], words[2], float(words[3])
