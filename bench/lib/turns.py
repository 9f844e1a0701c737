# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of turns (turns.h): ratios of engines, and intervals for them.

Values are {(row, "ENGINE:KIND"): [[one number a turn] of each start of the jobs]}. Turns of one number, one of each engine, are neighbours.
The kinds "copy" and "hop" tell the machine's state around a turn. NaN: nothing was measured."""
import math
import random
import statistics

STEADY = 1.2  # the copy takes this many times as long, or more: the machine is in another state
SHARED = 150  # ns of a line's way to another rank and back, below which they share a core's caches
FEWEST = 3  # if this many times as many turns are left out as are used, a row has no ratio
RESAMPLES = 400
FOUND = 0.01  # a difference of two builds below this is none: two processes of one build differ by so much


def undisturbed(samples):
    """The lower quartile, as in options.h."""
    return sorted(samples)[(len(samples) - 1) // 4]


def engine_of(series):
    return series.rsplit(":", 1)[0]


def is_alike(copy, other, steady=STEADY):
    """Two states of the machine; what is not known (NaN) is alike."""
    return not max(copy, other) >= steady * min(copy, other)


def usual(values, kind):
    """The median of all turns' copies or hops; without turns NaN"""
    known = [time for (_, series), starts in values.items() if series.endswith(":" + kind) for start in starts for time in start if time > 0]
    return statistics.median(known) if known else math.nan


def shares_caches(hop):
    """Of two ranks: a line goes from one to the other within a core. What is not known (NaN) does not."""
    return 0 < hop < SHARED


def in_state(values, shared):
    """Without the turns in which a job's ranks were not in this state, if there are any that were; NaN replaces them."""
    hops = {key: starts for key, starts in values.items() if key[1].endswith(":hop")}
    if not any(shares_caches(hop) == shared and hop > 0 for starts in hops.values() for start in starts for hop in start):
        return values

    def kept(row, series, starts):
        around = hops.get((row, f"{engine_of(series)}:hop"), [[math.nan] * len(start) for start in starts])
        return [[value if math.isnan(hop) or shares_caches(hop) == shared else math.nan for value, hop in zip(start, of_hops)]
                for start, of_hops in zip(starts, around)]

    return {(row, series): kept(row, series, starts) for (row, series), starts in values.items()}


def pairs(values, row, subject, other):
    """([[log(other / subject) of the used turns] of each start], number of turns that are not used)"""
    starts, left_out = [], 0
    unknown = [[math.nan] * len(start) for start in values[row, subject]]
    around = [values.get((row, f"{engine_of(series)}:{kind}"), unknown) for kind in ("copy", "hop") for series in (subject, other)]
    for of_start in zip(values[row, subject], values[row, other], *around):
        logs = []
        for ours, theirs, copy, their_copy, hop, their_hop in zip(*of_start):
            if not (math.isfinite(ours) and math.isfinite(theirs) and ours > 0 and theirs > 0):
                continue
            if is_alike(copy, their_copy) and shares_caches(hop) == shares_caches(their_hop):
                logs.append(math.log(theirs / ours))
            else:
                left_out += 1
        starts.append(logs)
    return [logs for logs in starts if logs], left_out


def drawn(starts, picks, source):
    """As many turns of as many starts, with replacement; picks: numbers from 0 to 1 that choose the starts."""
    chosen = [starts[int(pick * len(starts))] for _, pick in zip(starts, picks)]
    return [log for start in chosen for log in source.choices(start, k=len(start))]


def middle(logs):
    return statistics.median(logs)


def interval(value, samples):
    """The value, and where 95 % of the samples are, all of logarithms."""
    samples = sorted(samples)
    cut = len(samples) // 40
    return tuple(math.exp(log) for log in (value, samples[cut], samples[-1 - cut]))


def compare(values, subject, other):
    """({row: (ratio, low, high)}, the same of their geometric mean, turns left out, all turns). A ratio above 1: the subject takes less."""
    source, rows, middles, resampled, unsteady, count = random.Random(33), {}, [], [], 0, 0
    most = max((len(starts) for starts in values.values()), default=0)
    picks = [[source.random() for _ in range(most)] for _ in range(RESAMPLES)]  # of all rows: what one start has, all its rows have
    for row in dict.fromkeys(row for row, _ in values):
        if (row, subject) not in values or (row, other) not in values:
            continue
        starts, left_out = pairs(values, row, subject, other)
        unsteady += left_out
        count += left_out + sum(len(logs) for logs in starts)
        if FEWEST * sum(len(logs) for logs in starts) < left_out or not starts:
            continue
        middles.append(middle([log for logs in starts for log in logs]))
        resampled.append([middle(drawn(starts, those, source)) for those in picks])
        rows[row] = interval(middles[-1], resampled[-1])
    if not rows:
        return {}, None, unsteady, count
    return rows, interval(statistics.fmean(middles), [statistics.fmean(column) for column in zip(*resampled)]), unsteady, count


def verdict(mean):
    """Of the geometric mean of a build beside another: faster, slower, or neither."""
    if mean[1] <= 1 <= mean[2] or 1 - FOUND < mean[0] < 1 + FOUND:
        return "no difference"
    return "slower" if mean[0] < 1 else "faster"


def spread(ratios):
    """By how much the greatest is above the least."""
    return max(ratios) / min(ratios) - 1


def mean_of(rows, names):
    """Geometric mean of the ratios of these rows."""
    return math.exp(statistics.fmean(math.log(rows[row][0]) for row in names)) if names else math.nan
