# SPDX-License-Identifier: BSD-3-Clause
"""What a datatype costs besides its use; a figure of bench/run (its fields are explained there)."""
title = "Create and commit, first use, free"
shows = ("Nanoseconds per datatype. The first use is the first MPI_Pack minus the median of the next five: of Open MPI's own engine "
         "often some tens of nanoseconds, of DAME's a microsecond or a few, in which the layout is found, or imported. From the "
         "second use on that is repaid or not: see the lives of datatypes.")
unit = "ns"
subject = "known:type"
against = {"native:type": "Open MPI", "mpich:type": "MPICH"}
engines = ["native", "known", "mpich"]
rounds = {"quick": 3, "full": 5}
seconds = {"quick": 30, "full": 180}


def runs(engine, full, layouts):
    return [(1, "import_worker", layouts or ([] if full else ["--anchors"]))]


def read(words):
    """NAME type KIND NANOSECONDS. A first use below the clock's noise can be negative: left out."""
    if len(words) == 4 and words[1] == "type" and float(words[3]) > 0:
        yield f"{words[0]} {words[2]}", "type", float(words[3])
