# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of turns (turns.h): ratios of engines, and intervals for them.

Values are {(row, "ENGINE:KIND"): [[one number a turn] of each start of the jobs]}. Turns of one number, one of each engine, are neighbours.
The kinds "copy" and "pace" tell the machine's state around a turn. NaN: nothing was measured."""
import math
import random
import statistics

STATE = ["copy", "pace"]
STEADY = 1.2  # one of them takes this many times as long, or more: the machine is in another state
FEWEST = 3  # if this many times as many turns are left out as are used, a row has no ratio
BLOCK = 4  # neighbouring turns are alike, so turns are drawn in groups of this many
RESAMPLES = 400
FOUND = 0.01  # a difference of two builds below this is none: two processes of one build differ by so much


def undisturbed(samples):
    """The lower quartile, as in options.h."""
    return sorted(samples)[(len(samples) - 1) // 4]


def engine_of(series):
    return series.rsplit(":", 1)[0]


def is_alike(state, other, steady=STEADY):
    """Two states of the machine, (copy, pace); what is not known (NaN) is alike."""
    return all(not max(a, b) >= steady * min(a, b) for a, b in zip(state, other))


def states(values, row, engine):
    """[[(copy, pace) of each turn] of each start]; none: not by turns"""
    around = [values.get((row, f"{engine}:{kind}")) for kind in STATE]
    return [list(zip(*starts)) for starts in zip(*around)] if all(around) else None


def levelled(values):
    """The same with paces as if one compiler had made all programs: the lower decile, from turns among each other's, is that of the first engine."""
    paces = {}
    for (_, series), starts in values.items():
        if series.endswith(":pace"):
            paces.setdefault(engine_of(series), []).extend(time for start in starts for time in start if time > 0)
    low = {engine: sorted(times)[len(times) // 10] for engine, times in paces.items() if times}
    first = next(iter(low.values()), 1)
    return {key: [[time * first / low[engine_of(key[1])] for time in start] for start in starts]
            if key[1].endswith(":pace") and engine_of(key[1]) in low else starts for key, starts in values.items()}


def usual_state(values):
    """Medians of all turns; without turns (NaN, NaN)"""
    known = [[time for (_, series), starts in values.items() if series.endswith(f":{kind}") for start in starts for time in start if time > 0]
             for kind in STATE]
    return tuple(statistics.median(times) if times else math.nan for times in known)


def pairs(values, row, subject, other, state):
    """([[log(other / subject) of the used turns] of each start], number of turns that are not used)"""
    around = [found for series in dict.fromkeys((subject, other)) if (found := states(values, row, engine_of(series)))]
    starts, left_out = [], 0
    for s, (ours, theirs) in enumerate(zip(values[row, subject], values[row, other])):
        logs = []
        for t, (a, b) in enumerate(zip(ours, theirs)):
            if not (math.isfinite(a) and math.isfinite(b) and a > 0 and b > 0):
                continue
            if all(is_alike(found[s][t], state) for found in around):
                logs.append(math.log(b / a))
            else:
                left_out += 1
        starts.append(logs)
    return [logs for logs in starts if logs], left_out


def drawn(starts, picks, source):
    """As many turns of as many starts, with replacement, in blocks; picks: numbers from 0 to 1 that choose the starts."""
    logs = []
    for _, pick in zip(starts, picks):
        start = starts[int(pick * len(starts))]
        for _ in range(0, len(start), BLOCK):
            first = source.randrange(len(start))
            logs += [start[(first + i) % len(start)] for i in range(BLOCK)]
    return logs


def middle(logs):
    return statistics.median(logs)


def interval(value, samples):
    """The value, and where 95 % of the samples are, all of logarithms."""
    samples = sorted(samples)
    cut = len(samples) // 40
    return tuple(math.exp(log) for log in (value, samples[cut], samples[-1 - cut]))


def compare(values, subject, other, state=None):
    """({row: (ratio, low, high)}, the same of their geometric mean, turns left out, all turns), of turns in one state of the machine, the usual one
    unless said. A ratio above 1: the subject takes less."""
    state = state or usual_state(values)
    source, rows, middles, resampled, unsteady, count = random.Random(33), {}, [], [], 0, 0
    most = max((len(starts) for starts in values.values()), default=0)
    picks = [[source.random() for _ in range(most)] for _ in range(RESAMPLES)]  # of all rows: what one start has, all its rows have
    for row in dict.fromkeys(row for row, _ in values):
        if (row, subject) not in values or (row, other) not in values:
            continue
        starts, left_out = pairs(values, row, subject, other, state)
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
