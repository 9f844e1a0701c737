# SPDX-License-Identifier: BSD-3-Clause
"""When machine code is made, and what whole lives of new layouts take; a figure of bench/run (its fields are explained there)."""
from figures.lives import FEW

title = "New layouts: machine code never, at once, at the 50th use, or as measured"
shows = ("Nanoseconds of a life of a datatype with a layout that the process has not seen: creation, uses, MPI_Type_free. The default measures when to compile, "
         "and draws that for each layout; the others are `dt_dame_promotion_threshold` 0, 1 and 50.")
unit = "ns"
subject = "known:life"
against = {"interp:life": "never", "x:life": "at once", "threshold:50:life": "at the 50th use"}
engines = ["known", "interp", "x", "threshold:50"]
turns = {"quick": 2, "full": 3}


def runs(engine, full, layouts):
    return [(1, "life_worker", ["new", *(layouts or ([] if full else FEW))])]


def read(words):
    """NAME pack|unpack USES life NANOSECONDS"""
    if len(words) == 5 and words[1] in ("pack", "unpack"):
        yield " ".join(words[:3]), words[3], float(words[4])
