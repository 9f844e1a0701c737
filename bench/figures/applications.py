# SPDX-License-Identifier: BSD-3-Clause
"""Mini-applications; a figure of bench/run (its fields are explained there)."""
title = "Mini-applications"
shows = ("Times of a step, of the slowest of two ranks, with --full also of four. fft2: rows, transpose by MPI_Alltoall with datatypes, rows. lattice: "
         "conjugate gradients on a four-dimensional lattice. mhd: eight fields on a staggered grid, thin faces by MPI_Sendrecv. Each solution is "
         "compared with the known one. `communication` is a part of `step`.")
unit = "µs"
subject = "known:types"
against = {"native:types": "Open MPI", "known:hand": "packing by hand", "mpich:types": "MPICH"}
engines = ["native", "known", "mpich"]
paper = [("DAME paper, Fig. 18: FFT; 19, 20: lattice QCD", "faster by datatypes than by hand", "packing by hand")]
turns = {"quick": 6, "full": 8}


def sentence(means, _):
    return (f"Steps of three mini-applications, and the communication in them, are {means['Open MPI'][0]:.2f} times as fast as with Open MPI's engine, and "
            f"{means['packing by hand'][0]:.2f} times as fast as packed by hand.")


def runs(engine, full, layouts):
    if layouts:
        return []
    sizes = [256, 384, 512, 768, 1024, 1536] if full else [512]
    return ([(2, "app_fft", [str(n), "2"]) for n in sizes] +
            [(4, "app_fft", [str(n), "2"], "4 ranks") for n in ([512, 1024] if full else [])] +
            [(2, "app_lattice", [str(n), "1"]) for n in ([4, 8, 12] if full else [8])] +
            [(4, "app_lattice", ["8", "1"], "4 ranks")][:full] +
            [(2, "app_mhd", [str(n), "20"]) for n in ([16, 32, 64] if full else [32])])


def read(words):
    """result NAME types|hand SECONDS SECONDS right|WRONG"""
    if words[:1] == ["result"] and len(words) == 6:
        if words[5] != "right":
            raise ValueError(f"{words[1]}: the solution is wrong")
        for part, value in zip(("step", "communication"), words[3:5]):
            yield f"{words[1]} {part}", words[2], 1e6 * float(value)
