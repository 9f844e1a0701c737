# SPDX-License-Identifier: BSD-3-Clause
"""Data that a process sends to itself; a figure of bench/run (its fields are explained there)."""

title = "A process and itself"
shows = ("From one set of a layout's arrays to another: MPI_Alltoall on MPI_COMM_SELF, a copy without messages, for which there is no machine code, "
         "and MPI_Sendrecv, which packs and unpacks. Copies of up to three blocks, or of blocks of more than 256 bytes, are Open MPI's own.")
unit = "ns"
subject = "known:mpi"
against = {"native:mpi": "Open MPI", "interp:mpi": "DAME interpreted"}
engines = ["native", "interp", "known"]
turns = {"quick": 4, "full": 4}


def runs(engine, full, layouts):
    return [(1, "copy_worker", layouts or ([] if full else ["--anchors"]))]


def read(words):
    """LAYOUT alltoall|sendrecv mpi NANOSECONDS"""
    if len(words) == 4 and words[2] == "mpi":
        yield f"{words[0]} {words[1]}", "mpi", float(words[3])
