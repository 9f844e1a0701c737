# SPDX-License-Identifier: BSD-3-Clause
"""Messages between two ranks; a figure of bench/run (its fields are explained there)."""
title = "Messages between two ranks"
shows = ("Half a round trip of one message, with the layout's send and receive datatypes, packed and unpacked by the hand-written "
         "loops, or as many contiguous bytes; every received byte is compared. `limit`: the sender touches each cache line of its "
         "layout once and writes the packed bytes, an empty message goes, the receiver reads them and touches its lines. Where a "
         "row is far slower than contiguous data and near `limit`, the number of its lines is the reason. Engines work in pieces, at both "
         "ends at once, so more than 1 is possible. DAME paper, Figures 3, 10, 11: faster than the library's engine throughout, "
         "and than packing by hand for most layouts.")
unit = "µs"
subject = "known:result"
against = {"native:result": "Open MPI", "known:hand": "packing by hand", "mpich:result": "MPICH",
           "known:contiguous": "contiguous data", "known:limit": "limit"}
through = {"native:result": "contiguous"}
engines = ["native", "known", "mpich"]
rounds = {"quick": 3, "full": 5}
seconds = {"quick": 60, "full": 420}
ddtbench = ["WRF", "MILC", "NAS", "LAMMPS", "SPECFEM3D", "FFT2"]


def runs(engine, full, layouts):
    chosen = [word for family in ddtbench for word in ("--layout", family)] if full else ["--anchors"]
    return [(2, "pingpong", ["--ways", *(layouts or chosen)])]


def read(words):
    """result|hand|contiguous|limit NAME BYTES MICROSECONDS right|WRONG"""
    if words[:1] and words[0] in ("result", "hand", "contiguous", "limit") and len(words) == 5:
        if words[4] != "right":
            raise ValueError(f"{words[1]}: wrong bytes were received")
        yield f"{words[1]} {words[2]}", words[0], float(words[3])
