# SPDX-License-Identifier: BSD-3-Clause
"""Packing speed of each engine, and what memory allows; a figure of bench/run (its fields are explained there)."""
title = "Packing, and what memory allows"
shows = ("MPI_Pack and MPI_Unpack of whole messages in warm caches, buffers off cache lines as in most programs. `limit`: a program touches each "
         "cache line of the layout once and after that writes, or reads, each packed byte once (bench/limit.h). An engine can do both at the "
         "same time, so more than 1 is possible.")
unit = "ns"
subject = "known:mpi"
against = {"native:mpi": "Open MPI", "known:hand": "hand-written loop", "known:limit": "limit", "mpich:mpi": "MPICH"}
engines = ["native", "known", "mpich"]
turns = {"quick": 5, "full": 7}
bounds = ("limit",)
reasons = [(r"vector_16x1_64|NAS_LU_[xy]_\d\d |NAS_LU_[xy]_162|short_", "14 ns to check arguments and find the program")]


def sentence(means, _):
    return (f"MPI_Pack and MPI_Unpack are {means['Open MPI'][0]:.2f} times as fast as with Open MPI's engine, {means['hand-written loop'][0]:.2f} times "
            f"as fast as loops by hand, and reach {100 * means['limit'][0]:.0f} % of what memory allows.")


def runs(engine, full, layouts):
    warm = ["--warm", "50"] if engine in ("known", "before:known") else []
    return [(1, "pack_worker", ["--place", "off", "--fragment", "1000000000", "--limit", *warm,
                                *(layouts or ([] if full else ["--anchors"]))])]


def read(words):
    """LAYOUT pack|unpack KIND NANOSECONDS"""
    if len(words) == 4 and words[0] != "layout":
        yield f"{words[0].removesuffix('/off')} {words[1]}", words[2], float(words[3])
