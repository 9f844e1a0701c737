# SPDX-License-Identifier: BSD-3-Clause
"""Other people's programs, and what DAME's report says of them; a figure of bench/run (its fields are explained there)."""
import functools
import json
import os
import subprocess

title = "Other people's programs"
shows = ("Time to solution on two ranks, as each program tells it: transforms by FFTW, SpFFT (unbuffered) and mpi4py-fft; patches of a matrix by ARMCI-MPI "
         "(datatypes chosen); Boost.MPI's content of a list; columns into a file by HDF5 and PnetCDF on ROMIO; HPL of HPCC; an LU factorisation by ScaLAPACK; "
         "with --full NWChem, which tells tenths of a second. FFTW makes no datatypes. HPL, ScaLAPACK, HDF5 and PnetCDF use each of theirs a few times or "
         "once, which DAME leaves to Open MPI's engine. `report` is what that engine would have made of DAME's run, as DAME's own report says: the time, "
         "and for each rank the time saved less set-up. Its ratio stands beside the stopwatch's. Bytes for which the report has no estimate count as no gain.")
unit = "ms"
subject = "known:wall"
against = {"native:wall": "Open MPI", "known:report": "the report's estimate of Open MPI"}
engines = ["native", "known"]
rounds = {"quick": 3, "full": 7}
RANKS = 2
SIZES = {  # of quick and full; the programs define them
    "FFTW": ("64 2", "96 4"), "SpFFT": ("64 20", "128 30"), "mpi4py-fft": ("48 20", "96 20"), "ARMCI-MPI": ("96 100", "96 500"),
    "Boost.MPI": ("2000 400", "2000 2000"), "HDF5": ("1", "4"), "PnetCDF": ("1", "4"), "HPCC": ("1000", "2000"),
    "ScaLAPACK": ("500 8", "600 20"), "NWChem": ("", "4")}
BUILD = os.environ.get("DAME_BUILD") or os.path.join(os.path.dirname(__file__), "..", "..", "build")


@functools.cache
def installed():
    """The programs that are here."""
    return subprocess.run([os.path.join(os.path.dirname(__file__), "..", "others"), "--prepare"], text=True, check=True,
                          stdout=subprocess.PIPE, env={**os.environ, "DAME_BUILD": os.path.realpath(BUILD)}).stdout.split()


def report_file(name):
    return os.path.join(os.path.realpath(BUILD), "bench", "others.work", name, "report.json")


def runs(engine, full, layouts):
    if layouts:
        return []
    common = {"OMPI_MCA_io": "romio321"}
    return [(RANKS, "others", [name, *SIZES[name][full].split()], "",
     {**common, "OMPI_MCA_dt_dame_report": "json", "OMPI_MCA_dt_dame_report_file": report_file(name)} if engine == "known" else common)
            for name in installed() if SIZES[name][full]]


def read(words):
    """result NAME SECONDS; and the report of that run, which goes away, so that no other run is taken for it"""
    if words[:1] != ["result"] or len(words) != 3:
        return
    wall = 1000 * float(words[2])
    yield words[1], "wall", wall
    if os.path.exists(report_file(words[1])):
        with open(report_file(words[1]), encoding="utf-8") as file:
            report = json.load(file)
        os.remove(report_file(words[1]))
        compared = report["compared"]
        saved = (compared["native_ns"] - compared["dame_ns"] - compared["set_up_ns"]) / 1e6 / RANKS
        yield words[1], "report", wall + saved
        yield words[1], "moving", report["all_ranks"]["moving_ns"] / 1e6 / RANKS
