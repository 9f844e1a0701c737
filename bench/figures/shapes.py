# SPDX-License-Identifier: BSD-3-Clause
"""libpack's shapes by size; a figure of bench/run (its fields are explained there)."""

from figures.pack import read  # of the same program

title = "Nested vectors, random displacements, contiguous bytes"
shows = ("MPI_Pack and MPI_Unpack in warm caches of vectors in a vector (libpack, Figure 4), of single floats at random displacements "
         "(Figure 5), and of contiguous bytes (Figure 3), which DAME leaves to Open MPI.")
unit = "ns"
subject = "known:mpi"
against = {"native:mpi": "Open MPI", "known:hand": "hand-written loop", "mpich:mpi": "MPICH", "interp:mpi": "DAME interpreted"}
engines = ["native", "interp", "known", "mpich"]
turns = {"quick": 4, "full": 4}


def runs(engine, full, layouts):
    warm = ["--warm", "50"] if engine in ("known", "before:known") else []
    kinds = ("nested", "random", "contiguous")
    chosen = [word for kind in kinds for word in ("--layout", f"series_{kind}")] if full else [
        word for kind in kinds for size in (64, 4096) for word in ("--layout", f"series_{kind}_{64 if kind == 'nested' else size}")]
    return [] if layouts else [(1, "pack_worker", ["--place", "off", "--fragment", "1000000000", *warm, *chosen])]
