# SPDX-License-Identifier: BSD-3-Clause
"""Whole lives of datatypes; a figure of bench/run (its fields are explained there)."""
import collections
import math

title = "Datatypes that are created, used n times, and freed"
shows = ("Nanoseconds of a life, by the number of uses. libpack and DAME both ask how many uses repay a compilation (libpack, "
         "Figure 9; DAME paper, Figure 17: tens); a new datatype costs nothing here until it pays. By hand, nothing is created: the "
         "program has its lists.")
unit = "ns"
subject = "known:life"
against = {"native:life": "Open MPI", "known:hand": "packing by hand", "mpich:life": "MPICH"}
engines = ["native", "known", "mpich"]
bounds = ("packing by hand",)
reasons = [(r"^LAMMPS", "Open MPI describes each block"), (r" [125]$", "DAME notes the datatype, looks its layout up, and forgets it")]
turns = {"quick": 3, "full": 3}
_REPAID = 0.97  # of a ratio: equal, apart from noise
FEW = [word for name in ("vector_16x1_64", "WRF_x_vec_2x2", "NAS_MG_x_130x66x66", "LAMMPS_full_3062", "SPECFEM3D_mt_6200") for word in ("--layout", name)]


def sentence(_, compared):
    by_uses = collections.defaultdict(list)
    for row, ratio in compared["Open MPI"].items():
        by_uses[int(row.rsplit(" ", 1)[1])].append(math.log(ratio[0]))
    one, ten, hundred = (math.exp(sum(by_uses[n]) / len(by_uses[n])) if by_uses[n] else math.nan for n in (1, 10, 100))
    return (f"A datatype that is made, used once and freed is {one:.2f} times as fast as with Open MPI's engine; one that is used ten times {ten:.2f}, "
            f"and a hundred times {hundred:.2f} times.")


def runs(engine, full, layouts):
    return [(1, "life_worker", ["lives", *(layouts or (["--anchors"] if full else FEW))])]


def read(words):
    """NAME pack|unpack USES KIND NANOSECONDS"""
    if len(words) == 5 and words[1] == "pack" and words[2] in ("1", "2", "5", "10", "100", "1000"):
        yield f"{words[0]} {words[2]}", words[3], float(words[4])


def repaid(rows):
    """({uses: how many layouts and directions cost no more from then on}, how many never do, the most uses)"""
    lives = collections.defaultdict(dict)
    for row, (ratio, _, _) in rows.items():
        layout, uses = row.rsplit(" ", 1)
        lives[layout][int(uses)] = ratio
    histogram, never = collections.Counter(), 0
    for ratios in lives.values():
        dear = [uses for uses in ratios if ratios[uses] < _REPAID]
        later = [uses for uses in ratios if uses > max(dear, default=0)]
        if later:
            histogram[min(later)] += 1
        else:
            never += 1
    return dict(sorted(histogram.items())), never, max((uses for ratios in lives.values() for uses in ratios), default=0)


def uses(compared):
    """The paper's question in words."""
    histogram, never, _ = repaid(compared["Open MPI"])
    count = sum(histogram.values()) + never
    return "no life costs more than with Open MPI " + ", ".join(
        f"from use {most} on in {sum(n for least, n in histogram.items() if least <= most)} of {count}" for most in (1, 10))


paper = [("DAME paper, Fig. 17; libpack, Fig. 9", "tens of uses repay a compilation", uses)]
