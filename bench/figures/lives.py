"""Whole lives of datatypes; a figure of bench/run (its fields are explained there)."""
title = "Datatypes that are created, used n times, and freed"
shows = ("Nanoseconds of a life, by the number of uses. libpack and DAME both ask how many uses repay a compilation (libpack, "
         "Figure 9; DAME paper, Figure 17: tens); what is new costs nothing here until it pays.")
unit = "ns"
subject = "known:life"
against = {"native:life": "Open MPI", "mpich:life": "MPICH"}
engines = ["native", "known", "mpich"]
rounds = {"quick": 3, "full": 5}
seconds = {"quick": 60, "full": 400}


def runs(engine, full, layouts):
    return [(1, "lives_worker", layouts or ["--anchors"])]


def read(words):
    """NAME pack|unpack USES NANOSECONDS"""
    if len(words) == 4 and words[1] in ("pack", "unpack"):
        yield f"{words[0]} {words[1]} {words[2]}", "life", float(words[3])
