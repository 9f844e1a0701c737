# SPDX-License-Identifier: BSD-3-Clause
"""Packing when caches are cold; a figure of bench/run (its fields are explained there)."""

from figures.pack import read  # of the same program

title = "Packing with cold caches"
shows = ("MPI_Pack and MPI_Unpack of whole messages, one operation in each sample. `data`: the layout's arrays and the packed bytes are "
         "flushed from all caches before, and what the engine needs besides is warm. `all`: other memory, twice as large as the "
         "last-level cache, is read before, so that datatypes, lists of displacements and code also come from memory, as in programs "
         "that compute much between their messages; the hand-written loop has the least of these. DAME's machine code was chosen in warm "
         "caches. Flushing is not timed.")
unit = "ns"
subject = "known:mpi"
against = {"native:mpi": "Open MPI", "known:hand": "hand-written loop", "mpich:mpi": "MPICH"}
engines = ["native", "known", "mpich"]
turns = {"quick": 2, "full": 3}


def runs(engine, full, layouts):
    warm = ["--warm", "20"] if engine in ("known", "before:known") else []
    chosen = layouts or (["--anchors", "--quick"] if full else ["--anchors"])
    return [(1, "pack_worker", ["--place", "off", "--fragment", "1000000000", "--cold", what, *warm, *chosen], what)
            for what in ("data", "all")]
