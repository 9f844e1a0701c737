# SPDX-License-Identifier: BSD-3-Clause
"""Messages between two ranks; a figure of bench/run (its fields are explained there)."""
title = "Messages between two ranks"
shows = "Half a round trip of one message, as datatypes, packed and unpacked by loops by hand, or as many contiguous bytes."
unit = "µs"
subject = "known:result"
against = {"native:result": "Open MPI", "known:hand": "packing by hand", "mpich:result": "MPICH",
           "known:contiguous": "contiguous data"}
engines = ["native", "known", "mpich"]
bounds = ("contiguous data",)
paper = [("DAME paper, Fig. 3, 10, 11: messages", "faster than the library's engine throughout", "Open MPI"),
         ("the same", "faster than packing by hand for most layouts", "packing by hand")]
reasons = [
    (r"^(NAS_LU_x_\d+|vector_1024x1_2) ", "MPICH's transport"),
    (r" \d{1,4}$", "short: finding the program"),
    (r"", "fragments, by hand one copy (CMA)"),
]
turns = {"quick": 4, "full": 6}
ddtbench = ["WRF", "MILC", "NAS", "LAMMPS", "SPECFEM3D", "FFT2"]


def sentence(means, _):
    return (f"Messages of DDTBench's layouts are {means['Open MPI'][0]:.2f} times as fast as with Open MPI's engine, {means['packing by hand'][0]:.2f} times as fast as "
            f"packed by hand, and {means['contiguous data'][0]:.2f} times as fast as contiguous data.")


def runs(engine, full, layouts):
    chosen = [word for family in ddtbench for word in ("--layout", family)] if full else ["--quick"]
    return [(2, "pingpong", ["--ways", *(layouts or chosen)])]


def read(words):
    """result|hand|contiguous|limit NAME BYTES MICROSECONDS right|WRONG"""
    if words[:1] and words[0] in ("result", "hand", "contiguous", "limit") and len(words) == 5:
        if words[4] != "right":
            raise ValueError(f"{words[1]}: wrong bytes were received")
        yield f"{words[1]} {words[2]}", words[0], float(words[3])
