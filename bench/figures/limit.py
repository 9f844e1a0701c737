# SPDX-License-Identifier: BSD-3-Clause
"""How near packing is to what memory allows; a figure of bench/run (its fields are explained there)."""
import re

from figures.pack import read  # of the same program

title = "Packing, and what memory allows"
shows = ("MPI_Pack and MPI_Unpack in warm caches against a program that touches each cache line of the layout once, and after that "
         "writes, or reads, as many packed bytes once (bench/limit.h). An engine can do both at the same time, so more than 1 "
         "is possible. Rows below 0.7 are explained as far as the reason has been measured, on an EPYC (Zen 4).")
unit = "ns"
subject = "known:mpi"
against = {"known:limit": "that limit"}
engines = ["known"]
rounds = {"quick": 3, "full": 5}
seconds = {"quick": 20, "full": 240}
losing = 0.7
_reasons = [  # rows, the ratio down to which it holds, and why
    (r"vector_16x1_64|NAS_LU_[xy]_12|short_", 0.25,
     "short messages pay for checks of the arguments and for finding, counting and calling the program, which take most of 14 ns for 128 "
     "bytes (bench/README.md, What a short message costs); the limit takes 7"),
    (r"LAMMPS_full|indexed_block_|SPECFEM3D_oc_493", 0.4,
     "lists of small blocks, several in each line, are bound by work for each block, not by lines: the engine loads a displacement, loads "
     "and stores, where the limit touches a line for all its blocks. 3,062 single doubles take 0.34 ns each even if all lie in eight lines, "
     "and 0.51 in random order in 28 KB; blocks of three doubles 0.77 and 0.81"),
    (r"FFT2_scatter", 0.4,
     "columns with lines a multiple of 4096 bytes apart share few sets of the caches. The limit goes by address and does not meet this: "
     "the lines of FFT2_scatter_512 take it 23 µs by address and 45 by columns, but also 23 by columns, when rows are 64 bytes longer. "
     "With such rows packing falls from 63 to between 40 and 49 µs, and unpacking stays at 50; what the rest is has not been measured. "
     "Large pages change nothing, so it is not the TLB"),
]


def runs(engine, full, layouts):
    return [(1, "pack_worker", ["--place", "off", "--fragment", "1000000000", "--limit", "--warm", "100",
                                *(layouts or ([] if full else ["--anchors"]))])]


def sentences(rows):
    """Why rows are below `losing`."""
    low = {row: ratio for row, (ratio, _, _) in rows.get("that limit", {}).items() if ratio < losing}
    for names, least, reason in _reasons:
        these = [f"{row} {low.pop(row):.2f}" for row in list(low) if re.match(names, row) and low[row] >= least]
        if these:
            yield f"{', '.join(these)}: {reason}."
    if low:
        yield f"Below {losing} and not explained: {', '.join(f'{row} {ratio:.2f}' for row, ratio in low.items())}."
