# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of turns (turns.h): ratios of engines, and intervals for them.

Values are {(row, "ENGINE:KIND"): [[one number a turn] of each start of the jobs]}. Turns of one number, one of each engine, are neighbours.
The kinds "begin" and "end" are the times of contiguous bytes around a turn. NaN: nothing was measured."""
import math
import random
import statistics

STEADY = 1.2  # contiguous bytes took this many times as long, or more: the machine has changed its state
FEWEST = 4  # if this many times as many turns were unsteady as are used, a row has no ratio
BLOCK = 4  # neighbouring turns are alike, so turns are drawn in groups of this many
RESAMPLES = 400
FOUND = 0.01  # a difference of two builds below this is none: two processes of one build differ by so much


def undisturbed(samples):
    """The lower quartile, as in options.h."""
    return sorted(samples)[(len(samples) - 1) // 4]


def engine_of(series):
    return series.rsplit(":", 1)[0]


def is_steady(around):
    """Did contiguous bytes take as long around both turns? Of each, the lesser of both times: a turn's value is that of its undisturbed part."""
    known = [min(times) for times in around if all(math.isfinite(time) and time > 0 for time in times)]
    return len(known) < 2 or max(known) < STEADY * min(known)


def pairs(values, row, subject, other):
    """([[log(other / subject) of the used turns] of each start], number of turns that are not used)"""
    engines = [engine_of(subject), engine_of(other)]
    around = [[values[row, f"{engine}:{kind}"] for kind in ("begin", "end")] for engine in engines
              if (row, f"{engine}:begin") in values and engines[0] != engines[1]]
    starts, unsteady = [], 0
    for s, (ours, theirs) in enumerate(zip(values[row, subject], values[row, other])):
        logs = []
        for t, (a, b) in enumerate(zip(ours, theirs)):
            if not (math.isfinite(a) and math.isfinite(b) and a > 0 and b > 0):
                continue
            if is_steady([[series[s][t] for series in both] for both in around]):
                logs.append(math.log(b / a))
            else:
                unsteady += 1
        starts.append(logs)
    return [logs for logs in starts if logs], unsteady


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


def compare(values, subject, other):
    """({row: (ratio, low, high)}, the same of their geometric mean, unsteady turns, all turns); a ratio above 1: the subject takes less."""
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
