# SPDX-License-Identifier: BSD-3-Clause
"""Packing speed of each engine; a figure of bench/run (its fields are explained there)."""
import math
import statistics

title = "Packing"
shows = "MPI_Pack and MPI_Unpack of whole messages in warm caches, buffers off cache lines as in most programs."
unit = "ns"
subject = "known:mpi"
against = {"native:mpi": "Open MPI", "known:hand": "hand-written loop", "mpich:mpi": "MPICH",
           "interp:mpi": "DAME interpreted"}
through = {"native:mpi": "hand", "mpich:mpi": "hand"}
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


def sentences(rows):
    """Beside the best of all others in each row."""
    others = [ratios for label, ratios in rows.items() if label != "DAME interpreted"]
    best = [min(ratios[row][0] for ratios in others) for row in others[0] if all(row in ratios for ratios in others)] if others else []
    if best:
        yield (f"Beside the fastest of {', '.join(label for label in rows if label != 'DAME interpreted')} in each row, DAME is "
               f"{math.exp(statistics.fmean(math.log(ratio) for ratio in best)):.2f} times as fast in the geometric mean of {len(best)} rows.")
