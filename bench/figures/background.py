# SPDX-License-Identifier: BSD-3-Clause
"""Single messages while LLVM compiles; a figure of bench/run (its fields are explained there)."""
import atexit
import os
import shutil
import tempfile

title = "Messages while LLVM compiles in the background"
shows = ("Single MPI_Packs of 96 kB in a process with `dt_dame_tiers interp,l`: while LLVM is loaded and compiles in the background, without code, and with code from "
         "files. All ask for code at the second message; that message less the one without code is what an order, or a load, costs. `once` is the second message of "
         "the process's first datatype, which also starts the thread, or makes the arena. `worst`, `worst3`, `p99.9` and `median` are of the messages after the fourth. "
         "A core must be free for the thread; without one, its time is the application's.")
unit = "µs"
subject = "known:background"
against = {"known:never": "no code", "known:found": "code from files"}
engines = ["known"]
rounds = {"quick": 5, "full": 15}
_WORK = tempfile.mkdtemp(prefix="bench-background-")
atexit.register(shutil.rmtree, _WORK, ignore_errors=True)


def _run(name, directory, compiles, messages="1000000"):
    return 1, "background_worker", [name, messages, "2000"], "", {
        "OMPI_MCA_dt_dame_tiers": "interp,l", "OMPI_MCA_dt_dame_promotion_threshold": "2", "OMPI_MCA_dt_dame_llvm_compile": compiles,
        "OMPI_MCA_dt_dame_code_dir": os.path.join(_WORK, directory)}


def runs(engine, full, layouts):
    return [] if layouts else [_run("warming", "warm", "now", "1000"), _run("never", "none", "never"), _run("background", "cold", "background"), _run("found", "warm", "never")]


def read(words):
    """message ROW KIND NANOSECONDS; the code that was compiled in the background goes away, so that no other run finds it"""
    if len(words) == 4 and words[0] == "message" and words[2] != "warming":
        shutil.rmtree(os.path.join(_WORK, "cold"), ignore_errors=True)
        yield words[1], words[2], float(words[3]) / 1000
