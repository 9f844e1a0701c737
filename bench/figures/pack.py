"""Packing speed of each engine; a figure of bench/run (its fields are explained there)."""
title = "Packing"
shows = "MPI_Pack and MPI_Unpack of whole messages in warm caches, buffers off cache lines as in most programs."
unit = "ns"
subject = "known:mpi"
against = {"native:mpi": "Open MPI", "known:hand": "hand-written loop", "mpich:mpi": "MPICH",
           "interp:mpi": "DAME interpreted"}
engines = ["native", "interp", "known", "mpich"]
rounds = {"quick": 3, "full": 5}
seconds = {"quick": 60, "full": 600}


def runs(engine, full, layouts):
    warm = ["--warm", "100"] if engine == "known" else []
    return [(1, "pack_worker", ["--place", "off", "--fragment", "1000000000", *warm,
                                *(layouts or ([] if full else ["--anchors"]))])]


def read(words):
    """LAYOUT pack|unpack KIND NANOSECONDS"""
    if len(words) == 4 and words[0] != "layout":
        yield f"{words[0].removesuffix('/off')} {words[1]}", words[2], float(words[3])
