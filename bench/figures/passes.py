# SPDX-License-Identifier: BSD-3-Clause
"""What the optimiser is worth; a figure of bench/run (its fields are explained there)."""
import os
import re

from figures.pack import read  # of the same program

with open(os.path.join(os.path.dirname(__file__), "..", "..", "include", "dame", "passes.def"), encoding="utf-8") as _file:
    _names = re.findall(r'^DAME_PASS\([A-Z]*, "([a-z]*)"', _file.read(), re.M)
_levels = ["dame:none"] + ["dame:" + ",".join(_names[:i + 1]) for i in range(len(_names))]

title = "The optimiser's passes, added one by one"
shows = ("MPI_Pack and MPI_Unpack by the interpreter, so that what the passes choose is seen (DAME paper, Figures 14 and 15: "
         "displacements sorted, and levels of optimisation).")
unit = "ns"
subject = f"{_levels[-1]}:mpi"
against = {"dame:none:mpi": "no pass", **{f"{level}:mpi": f"passes to {level.rsplit(',', 1)[-1].removeprefix('dame:')}"
                                          for level in _levels[1:-1]}}
engines = _levels
turns = {"quick": 4, "full": 4}


def runs(engine, full, layouts):
    chosen = layouts or (["--anchors", "--quick"] if full else ["--anchors"])
    return [(1, "pack_worker", ["--place", "on", "--fragment", "1000000000", *chosen], "", {"OMPI_MCA_dt_dame_promotion_threshold": "0"})]
