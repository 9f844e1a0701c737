#!/usr/bin/python3
"""dame overlap --read on ranks' files that are written here, for which the numbers of the report follow from the
formulas of apps/bamboo/overlap/README.md. The last line is "N passed, M failed"."""
import re
import subprocess
import sys

dame = sys.argv[1]
passed = failed = 0
STEPS, BYTES, FACTORS, STRIDE = 100, 8192, [2, 4], 10
COST, CLOCK, MESSAGE, BYTE = 100.0, 20.0, 400.0, 0.05  # ns
WAIT, COLLECTIVE = 6, 7  # sites


def check(good, what):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED: " + what)


def near(name, got, want):
    """Reports have three digits."""
    check(abs(got - want) <= 1e-3 + 6e-3 * abs(want), f"{name}: {got}, not {want}")


class Rank:
    """Times in us of a step: outside MPI, waiting, in collectives; the other's send after this one's wait began."""

    def __init__(self, number, compute, wait, other, collective, clock, host):
        self.number, self.compute, self.wait, self.other = number, compute, wait, other
        self.collective, self.clock, self.host = collective, clock, host
        self.core = 1.0

    def lines(self, peer, wild, steps):
        period = int(1e3 * (self.compute + 3 + self.wait + self.collective))
        n = STEPS
        yield f"dame-overlap 2\nrank {self.number} 2 {self.host}"
        yield f"run {self.clock} {self.clock + n * period} {int(self.core * n * period)} {int(n * self.compute * 1000)} 1 0 0\nlimits 0 0 {int(wild)}"
        for site, (kind, name) in enumerate([(0, "a"), (1, "b"), (2, "c"), (3, "d"), (0, "MPI_Irecv"), (0, "MPI_Isend"),
                                             (1, "MPI_Waitall"), (2, "MPI_Allreduce")]):
            yield f"site {site} {kind} 0 {name}"
        for part in ["whole"] + ([f"steps {WAIT} {n} {self.clock} {self.clock + n * period} {period} 0 0"] if steps else []):
            yield part
            yield f"calls 4 {n} {n * 1000} {int(n * self.compute * 1000)} 0 0 0 0 0"
            yield f"calls 5 {n} {n * 2000} 0 0 {n} {n * BYTES} 0 0"
            yield f"calls {WAIT} {n} {int(n * self.wait * 1000)} 0 0 0 0 {n} {n * BYTES}"
            if self.collective:
                yield f"calls {COLLECTIVE} {n} {int(n * self.collective * 1000)} 0 0 0 0 0 0"
                yield f"stretch {int(n * self.compute * 1000)} {n * 3000} {int(n * self.wait * 1000)}"
        for sends in 1, 0:
            yield f"channel {sends} {peer.number} 7 2 {n} {n * BYTES} {STRIDE}"
            for k in range(n // STRIDE):
                begin = 10**9 + k * STRIDE * period  # of this wait, as if all clocks were one
                if not sends:
                    yield (f"at {begin + self.clock - 1000} {begin + self.clock} "
                           f"{begin + self.clock + int(self.wait * 1000)} {WAIT}")
                else:  # when the other one's wait began, and how much later this one sent
                    yield f"at {begin + self.clock + int(peer.other * 1000)} 0 0 0"
        yield "costs " + " ".join(f"{1000 * cost:.0f}" for cost in (COST, CLOCK, MESSAGE, BYTE)) + "\ncomplete"

    def row(self, late, steps):
        """us a step: busy, late, wire, collectives."""
        calls = 4 if self.collective else 3
        compute = self.compute - calls * (COST - CLOCK) / 1e3
        starts = 3 - 2 * CLOCK / 1e3
        waits = self.wait - CLOCK / 1e3
        late = waits * max(self.other, 0) / self.wait if late is None else late
        copies = (MESSAGE / 2 + BYTES * BYTE) / 1e3
        wire = waits - late - copies
        collective = max(self.collective - CLOCK / 1e3, 0)
        times = 1 if steps else STEPS
        return [times * x for x in (compute, starts, copies, late, wire, collective)]


def predict(row, v, steps):
    compute, starts, copies, late, wire, collective = row
    times = 1 if steps else STEPS
    start = max(MESSAGE / 2, (1000 + 2000 - 2 * CLOCK - BYTES * BYTE) / 2) / 1e3
    cost = (v - 1) * (2 * start * times + 2 * (BYTES * BYTE + MESSAGE) / 1e3)
    busy = compute + starts + copies + cost
    one = max(busy, wire + busy / v)
    return one + late + collective, busy + wire - one, cost


def us(number, unit):
    return float(number) * {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[unit]


TIME = r" +([0-9.]+) (ns|us|ms|s)"


def run(name, ranks, lates, wild=False, steps=True, compared=True):
    """The report on these ranks, and its predictions as {V: (step, faster, hidden, cost)}."""
    for rank, peer in zip(ranks, reversed(ranks)):
        with open(f"{name}.{rank.number}", "w", encoding="ascii") as file:
            file.write("\n".join(rank.lines(peer, wild, steps)) + "\n")
    done = subprocess.run([dame, "overlap", "--read", name], capture_output=True, text=True, check=False)
    check(done.returncode == 0 and done.stderr == "", f"{name}: {done.returncode} {done.stderr}")
    text = done.stdout
    head = f"Ranks 0 to 1: {STEPS} steps of" if steps else "Ranks 0 to 1: no steps were found; the run took"
    check(text.startswith(head) and text.count("Ranks 0") == 1, f"{name}: {text}")
    check(("could not be compared" in text) == (wild or not compared), f"{name}: compared")
    rows = [rank.row(late, steps) for rank, late in zip(ranks, lates)]
    names = ["computing: outside MPI", "starting messages:", "receiving: calls and copies", "waiting for ranks that were late",
             "waiting for messages under way:", "in collectives"]
    for i, field in enumerate(names):
        found = re.search(rf"^{TIME} +[0-9.]+ %  {field}", text, re.M)
        near(f"{name}: {field}", us(found[1], found[2]) if found else 0, sum(row[i] for row in rows) / 2)
    predictions = {}
    for found in re.finditer(rf"^ +([24]){TIME} +([0-9.]+){TIME}{TIME}$", text, re.M):
        predictions[int(found[1])] = us(found[2], found[3]), float(found[4]), us(found[5], found[6]), us(found[7], found[8])
    compare(name, predictions, rows, steps)
    return " ".join(text.split()), predictions


def compare(name, predictions, rows, steps):
    check(list(predictions) == FACTORS, f"{name}: factors")
    today = max(sum(row) for row in rows)
    for factor, (step, faster, hidden, cost) in predictions.items():
        all_ranks = [predict(row, factor, steps) for row in rows]
        slowest = max(rank[0] for rank in all_ranks)
        near(f"{name}: step with {factor}", step, slowest)
        near(f"{name}: hidden with {factor}", hidden, sum(rank[1] for rank in all_ranks) / 2)
        near(f"{name}: cost with {factor}", cost, sum(rank[2] for rank in all_ranks) / 2)
        near(f"{name}: faster with {factor}", faster, today / slowest)


# No rank is late; only the network delays.
pair = [Rank(r, 1000, 400, -100, 0, 0, 0) for r in (0, 1)]
found, even = run("even", pair, [None, None])
check("It would pay, with" in found, f"even: {found}")

# The verdict is on the whole run: not where ranks were without a core for longer than it saves, whatever the steps look like.
saved = 1 - 1 / max(faster for _, faster, _, _ in even.values())
for core, verdict in ((1 - saved / 2, "It would pay, with"), (1 - saved * 1.1, "Whether it would pay cannot be said: ranks had"),
                      (0.33, "Whether it would pay cannot be said: ranks had 33 %")):
    for rank in pair:
        rank.core = core
    found, _ = run("starved", pair, [None, None])
    check(verdict in found and ("would pay," in found) == ("would pay," in verdict), f"{core} of a core: {found}")
for rank in pair:
    rank.core = 1.0

# Rank 1 works 200 us longer: that long rank 0 waits for it, and 300 us for the network. Its own message is on the way
# since 200 us before it waits. Collectives divide the steps.
uneven = [Rank(0, 900, 500, 200, 50, 0, 0), Rank(1, 1100, 100, -200, 250, 0, 0)]
found, _ = run("late", uneven, [None, None])
check(re.search(r"MPI_Waitall .*late: 40 %", found), f"late: {found}")

# Messages that cannot be compared: rank 0 waits 400 us longer than rank 1. So it is between two hosts, whose clocks differ.
waits = 500 - CLOCK / 1e3 - (100 - CLOCK / 1e3)
run("wild", uneven, [waits, 0], wild=True)
apart = [Rank(0, 900, 500, 200, 50, 0, 0), Rank(1, 1100, 100, -200, 250, 5 * 10**9, 1)]
run("hosts", apart, [waits, 0], compared=False)

# No steps: sums of the run.
found, _ = run("whole", pair, [None, None], steps=False)
check("No sequence of calls repeats" in found, "whole: the note")

# It would not pay: short steps, little waiting, collectives, late ranks.
found, _ = run("short", [Rank(r, 20, 30, -1, 0, 0, 0) for r in (0, 1)], [None, None])
check("Steps below about 100 us are short" in found and "It would not pay." in found, f"short: {found}")
for name, ranks in (("little", [Rank(r, 1000, 10, -1, 0, 0, 0) for r in (0, 1)]),
                    ("together", [Rank(r, 1000, 40, -1, 900, 0, 0) for r in (0, 1)]),
                    ("behind", [Rank(0, 500, 520, 500, 0, 0, 0), Rank(1, 1000, 20, -500, 0, 0, 0)])):
    found, _ = run(name, ranks, [None, None])
    check("It would not pay." in found, f"{name}: {found}")

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
