# SPDX-License-Identifier: BSD-3-Clause
"""Mini-applications; a figure of bench/run (its fields are explained there)."""
title = "Mini-applications"
shows = ("Times of the slowest of two ranks, with --full also of four. fft2: rows, transpose by MPI_Alltoall with datatypes, rows (DAME paper, Figure 18: faster "
         "by datatypes at all sizes). lattice: conjugate gradients with su3 vectors on a four-dimensional lattice, as in MILC "
         "(Figures 19, 20: communication faster, the solver by less). mhd: eight fields on a staggered grid, thin faces by "
         "MPI_Sendrecv. Each solution is compared with the known one. `communication` and `first ten steps` are parts of `all`. "
         "Memory is touched and contiguous messages have gone before, so the first ten steps pay for datatypes that are new.")
unit = "ms"
subject = "known:types"
against = {"native:types": "Open MPI", "known:hand": "packing by hand", "mpich:types": "MPICH"}
engines = ["native", "known", "mpich"]
rounds = {"quick": 3, "full": 7}
seconds = {"quick": 40, "full": 240}


def runs(engine, full, layouts):
    if layouts:
        return []
    sizes = [256, 384, 512, 768, 1024, 1536] if full else [512]
    return ([(2, "app_fft", [str(n), "20"]) for n in sizes] +
            [(4, "app_fft", [str(n), "20"], "4 ranks") for n in ([512, 1024] if full else [])] +
            [(2, "app_lattice", [str(n), "4"]) for n in ([4, 8, 12] if full else [8])] +
            [(4, "app_lattice", ["8", "4"], "4 ranks")][:full] +
            [(2, "app_mhd", [str(n), "60"]) for n in ([16, 32, 64] if full else [32])])


def read(words):
    """result NAME types|hand SECONDS SECONDS SECONDS right|WRONG"""
    if words[:1] == ["result"] and len(words) == 7:
        if words[6] != "right":
            raise ValueError(f"{words[1]}: the solution is wrong")
        for part, value in zip(("all", "communication", "first ten steps"), words[3:6]):
            yield f"{words[1]} {part}", words[2], 1000 * float(value)
