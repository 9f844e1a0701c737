# SPDX-License-Identifier: BSD-3-Clause
"""What alignment is worth; a figure of bench/run (its fields are explained there)."""
title = "Buffers on and off cache lines"
shows = ("MPI_Pack and MPI_Unpack with all buffers off cache lines, as in most programs, against the same on lines (DAME paper, "
         "Figure 16).")
unit = "ns"
subject = "known:off"
against = {"known:on": "DAME on lines", "native:off": "Open MPI off lines"}
engines = ["native", "known"]
rounds = {"quick": 3, "full": 5}


def runs(engine, full, layouts):
    warm = ["--warm", "50"] if engine in ("known", "before:known") else []
    return [(1, "pack_worker", ["--place", "both", "--fragment", "1000000000", *warm, *(layouts or ["--anchors"])])]


def read(words):
    """LAYOUT[/off] pack|unpack KIND NANOSECONDS"""
    if len(words) == 4 and words[0] != "layout" and words[2] == "mpi":
        yield f"{words[0].removesuffix('/off')} {words[1]}", "off" if words[0].endswith("/off") else "on", float(words[3])
