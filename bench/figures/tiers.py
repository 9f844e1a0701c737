# SPDX-License-Identifier: BSD-3-Clause
"""Packing by each tier of DAME; a figure of bench/run (its fields are explained there)."""
from figures.pack import read  # of the same program

title = "Tiers: machine code, the interpreter, and what else packs"
shows = ("MPI_Pack and MPI_Unpack of whole messages in warm caches, buffers off cache lines. DAME-X compiles each datatype at its first use, DAME-L, where LLVM is "
         "installed, its likeliest variant; the interpreter compiles nothing.")
unit = "ns"
subject = "x:mpi"
against = {"interp:mpi": "interpreter", "native:mpi": "Open MPI", "x:hand": "hand-written loop", "l:mpi": "DAME-L", "mpich:mpi": "MPICH"}
engines = ["x", "interp", "native", "l", "mpich"]
turns = {"quick": 4, "full": 5}


def runs(engine, full, layouts):
    return [(1, "pack_worker", ["--place", "off", "--fragment", "1000000000", *(layouts or ([] if full else ["--anchors"]))])]
