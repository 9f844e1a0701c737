# SPDX-License-Identifier: BSD-3-Clause
"""Datatypes that no earlier one was like; a figure of bench/run (its fields are explained there)."""

title = "New lists in each step"
shows = ("Processor time of whole lives: a new random list is drawn, which is not timed; the datatype is made, packed 1 to 100 times and freed. "
         "DAME at once imports each datatype at its first use; DAME waits until that pays. `particles_N`: a step in which each of two ranks "
         "makes two new lists of N particles, sends those of one and receives into the other.")
unit = "ns"
subject = "known:life"
against = {"native:life": "Open MPI", "at-once:life": "DAME at once"}
engines = ["native", "known", "at-once"]
rounds = {"quick": 3, "full": 7}


def runs(engine, full, layouts):
    return [] if layouts else [(1, "life_worker", ["fresh", *([] if full else ["--quick"])]), (2, "life_worker", ["particles"])]


def read(words):
    """NAME life USES NANOSECONDS"""
    if len(words) == 4 and words[1] == "life":
        yield f"{words[0]} {words[2]}", "life", float(words[3])
