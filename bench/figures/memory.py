"""What datatypes keep; a figure of bench/run (its fields are explained there)."""
title = "Memory of a long list"
shows = ("Growth of the resident set by MPI_Type_indexed with a million entries, and by its first MPI_Pack, for each entry.")
unit = "bytes"
subject = "known:memory"
against = {"native:memory": "Open MPI", "mpich:memory": "MPICH"}
engines = ["native", "known", "mpich"]
rounds = {"quick": 3, "full": 5}
seconds = {"quick": 10, "full": 20}


def runs(engine, full, layouts):
    return [] if layouts else [(1, "import_worker", ["--layout", "indexed_1000000"])]


def read(words):
    """NAME memory create|first BYTES. Nothing grows: no row."""
    if len(words) == 4 and words[1] == "memory" and float(words[3]) > 0:
        yield f"{words[0]} {words[2]}", "memory", float(words[3])
