# SPDX-License-Identifier: BSD-3-Clause
"""Short messages; a figure of bench/run (its fields are explained there)."""

from figures.pack import read  # of the same program

title = "Short messages"
shows = ("MPI_Pack and MPI_Unpack of 16 bytes to 1 KiB: bytes, doubles, blocks of 16, 24 and 64 bytes, lists, runs and C structs, buffers off "
         "cache lines. Open MPI's own share of such a call is about half of it.")
unit = "ns"
subject = "known:mpi"
against = {"native:mpi": "Open MPI", "interp:mpi": "DAME interpreted", "known:hand": "hand-written loop", "mpich:mpi": "MPICH"}
engines = ["native", "interp", "known", "mpich"]
turns = {"quick": 5, "full": 7}


def runs(engine, full, layouts):
    warm = ["--warm", "50"] if engine in ("known", "before:known") else []
    return [(1, "pack_worker", ["--place", "off", "--fragment", "1000000000", *warm, *(layouts or ["--short"])])]
