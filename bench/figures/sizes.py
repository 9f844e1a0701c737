# SPDX-License-Identifier: BSD-3-Clause
"""Messages by size; a figure of bench/run (its fields are explained there)."""

from figures.messages import read  # of the same program

title = "Messages by size"
shows = ("Half a round trip of every second double, 8 bytes to 2 MiB, with --full to 64 MiB, as datatypes, packed by hand, and as many "
         "contiguous bytes; every received byte is compared.")
unit = "µs"
subject = "known:result"
against = {"native:result": "Open MPI", "known:hand": "packing by hand", "mpich:result": "MPICH", "known:contiguous": "contiguous data"}
engines = ["native", "known", "mpich"]
bounds = ("contiguous data",)
turns = {"quick": 4, "full": 6}


def runs(engine, full, layouts):
    chosen = ["--layout", "series_size"] if full else [
        word for size in (8, 512, 32768, 2097152) for word in ("--layout", f"series_size_{size}")]
    return [] if layouts else [(2, "pingpong", ["--ways", *chosen])]
