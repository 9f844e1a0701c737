# SPDX-License-Identifier: BSD-3-Clause
"""What cutting costs; a figure of bench/run (its fields are explained there)."""

from figures.pack import read  # of the same program

title = "Fragments"
shows = ("Open MPI's convertor called for 8 KiB at a time, with --full for 4 to 128 KiB, as a point-to-point transfer calls it: DAME in fragments against "
         "Open MPI's own engine in the same fragments, and against DAME in one piece.")
unit = "ns"
subject = "known:fragments"
against = {"native:fragments": "Open MPI in fragments", "known:one": "DAME in one piece"}
engines = ["native", "known"]
turns = {"quick": 4, "full": 4}


def runs(engine, full, layouts):
    warm = ["--warm", "50"] if engine in ("known", "before:known") else []
    return [(1, "pack_worker", ["--place", "off", "--fragment", str(size), *warm, *(layouts or ["--anchors"])], f"{size // 1024} KiB")
            for size in ([4096, 8192, 32768, 131072] if full else [8192])]
