# SPDX-License-Identifier: BSD-3-Clause
"""What a datatype costs besides its use; a figure of bench/run (its fields are explained there)."""
from figures.lives import FEW

title = "Create and commit, first use, free"
shows = ("Constructors with MPI_Type_commit; MPI_Type_free of an unused and of a used datatype; the first MPI_Pack minus the median of the next "
         "five. That difference is tens of nanoseconds with Open MPI's engine, and a microsecond with DAME, which finds or imports the "
         "layout.")
unit = "ns"
subject = "known:type"
against = {"native:type": "Open MPI", "mpich:type": "MPICH"}
engines = ["native", "known", "mpich"]
reasons = [(r" first$", "DAME finds the layout"), (r" free_used$", "DAME forgets the datatype"), (r"(LAMMPS|SPECFEM3D_..).* (create|free)", "Open MPI describes each block"),
           (r" (create|free)$", "DAME notes the datatype")]
turns = {"quick": 4, "full": 5}


def runs(engine, full, layouts):
    return [(1, "life_worker", ["types", *(layouts or ([] if full else FEW))])]


def read(words):
    """NAME type KIND NANOSECONDS. A first use below the clock's noise can be negative: left out."""
    if len(words) == 4 and words[1] == "type" and float(words[3]) > 0:
        yield f"{words[0]} {words[2]}", "type", float(words[3])
