# SPDX-License-Identifier: BSD-3-Clause
"""What a job pays that uses no derived datatype; a figure of bench/run (its fields are explained there)."""
title = "Start-up"
shows = "MPI_Init and MPI_Finalize of one process, and in another process its first datatype."
unit = "µs"
subject = "known:wall"
against = {"native:wall": "Open MPI"}
engines = ["native", "known"]
rounds = {"quick": 7, "full": 31}


def runs(engine, full, layouts):
    return [(1, "start_worker", []), (1, "start_worker", ["commit"])]


def read(words):
    """init|finalize|commit WALL CPU, in nanoseconds"""
    if len(words) == 3 and words[0] in ("init", "finalize", "commit"):
        yield words[0], "wall", float(words[1]) / 1000
