# SPDX-License-Identifier: BSD-3-Clause
"""Many datatypes of one kind; a figure of bench/run (its fields are explained there)."""

from figures.pack import read  # of the same program

title = "Datatypes of MILC"
shows = ("MPI_Pack and MPI_Unpack of the z face of lattices of 4x4x4x4 sites and more, with --full 96 of them (libpack, Figure 8: seven times as "
         "fast as the MPI libraries of 2013 for 73 % of the datatypes that MILC makes).")
unit = "ns"
subject = "known:mpi"
against = {"native:mpi": "Open MPI", "known:hand": "hand-written loop", "mpich:mpi": "MPICH"}
engines = ["native", "known", "mpich"]
paper = [("libpack, Fig. 8: datatypes of MILC", "seven times as fast as MPI libraries of 2013, for 73 % of them", "Open MPI")]
turns = {"quick": 4, "full": 4}


def runs(engine, full, layouts):
    warm = ["--warm", "20"] if engine in ("known", "before:known") else []
    chosen = ["series_milc"] if full else [f"series_milc_{a}x{a}x{b}x{b}" for a in (4, 8, 16) for b in (4, 16)]
    return [] if layouts else [(1, "pack_worker", ["--place", "off", "--fragment", "1000000000", *warm,
                                                   *(word for name in chosen for word in ("--layout", name))])]
