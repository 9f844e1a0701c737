"""How near packing is to what memory allows; a figure of bench/run (its fields are explained there)."""

from figures.pack import read  # of the same program

title = "Packing, and what memory allows"
shows = ("MPI_Pack and MPI_Unpack in warm caches against a program that touches each cache line of the layout once, and after that "
         "writes, or reads, as many packed bytes once (bench/limit.h). An engine can do both at the same time, so more than 1 "
         "is possible. Short messages are slower by what MPI_Pack costs besides.")
unit = "ns"
subject = "known:mpi"
against = {"known:limit": "that limit"}
engines = ["known"]
rounds = {"quick": 3, "full": 5}
seconds = {"quick": 20, "full": 240}
losing = 0.7


def runs(engine, full, layouts):
    return [(1, "pack_worker", ["--place", "off", "--fragment", "1000000000", "--limit", "--warm", "100",
                                *(layouts or ([] if full else ["--anchors"]))])]
