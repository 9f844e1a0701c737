# SPDX-License-Identifier: BSD-3-Clause
"""What bench/demo shows; a figure of bench/run (its fields are explained there)."""
from figures.messages import read  # of programs that print alike

title = "A halo exchange and three messages"
shows = "Two ranks exchange all six faces of a cube of 64³ doubles; half a round trip of one message. A row's number is its bytes."
unit = "µs"
subject = "known:result"
against = {"native:result": "Open MPI"}
engines = ["native", "known"]
turns = {"quick": 6, "full": 8}


def runs(engine, full, layouts):
    three = [word for name in ("WRF_x_vec_2x2", "LAMMPS_full_3062", "NAS_MG_x_130x66x66") for word in ("--layout", name)]
    return [(2, "halo", []), (2, "pingpong", layouts or three)]
