#!/usr/bin/python3
"""dame overlap --read on ranks' files that are written here, for which the numbers of the report follow from the
formulas of apps/overlap/README.md. The last line is "N passed, M failed"."""
import json
import subprocess
import sys

dame = sys.argv[1]
passed = failed = 0
STEPS, BYTES, FACTORS, STRIDE = 100, 8192, [2, 4, 7], 10
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
    check(abs(got - want) <= 1e-3 + 1e-4 * abs(want), f"{name}: {got}, not {want}")


class Rank:
    """Times in us of a step: outside MPI, waiting, in collectives; the other's send after this one's wait began."""

    def __init__(self, number, compute, wait, other, collective, clock, host):
        self.number, self.compute, self.wait, self.other = number, compute, wait, other
        self.collective, self.clock, self.host = collective, clock, host
        self.core = 1.0

    def lines(self, peer, wild, steps):
        period = int(1e3 * (self.compute + 3 + self.wait + self.collective))
        n = STEPS
        yield f"dame-overlap 1\nrank {self.number} size 2\nlibrary Some MPI\nhost {self.host} node{self.host}"
        yield f"run {self.clock} {self.clock + n * period} {int(self.core * n * period)} {int(n * self.compute * 1000)} 1\ntests 0 0\nlimits 0 0 {int(wild)}"
        for site, (kind, name) in enumerate([(0, "a"), (1, "b"), (2, "c"), (3, "d"), (0, "MPI_Irecv"), (0, "MPI_Isend"),
                                             (1, "MPI_Waitall"), (2, "MPI_Allreduce")]):
            yield f"site {site} {kind} 0 {name}"
        for part in ["whole"] + ([f"steps {WAIT} {n} {n} {self.clock} {self.clock + n * period} {period} {period} "
                                  f"{period} {period} {period} 0 0"] if steps else []):
            yield part
            yield f"calls 4 1 {n} {n * 1000} 1000 1000 {int(n * self.compute * 1000)} 0 0 0 0 0"
            yield f"calls 5 2 {n} {n * 2000} 2000 2000 0 0 {n} {n * BYTES} 0 0"
            yield f"calls {WAIT} 3 {n} {int(n * self.wait * 1000)} 0 0 0 0 0 0 {n} {n * BYTES}"
            if self.collective:
                yield f"calls {COLLECTIVE} 4 {n} {int(n * self.collective * 1000)} 0 0 0 0 0 0 0 0"
                yield f"stretch {COLLECTIVE} {n} {int(n * self.compute * 1000)} {n * 3000} {int(n * self.wait * 1000)}"
        for direction in "to", "from":
            yield f"channel {direction} {peer.number} 7 2 {n} {n * BYTES} {STRIDE}"
            for k in range(n // STRIDE):
                begin = 10**9 + k * STRIDE * period  # of this wait, as if all clocks were one
                if direction == "from":
                    yield (f"at {begin + self.clock - 1000} {begin + self.clock} "
                           f"{begin + self.clock + int(self.wait * 1000)} {WAIT}")
                else:  # when the other one's wait began, and how much later this one sent
                    yield f"at {begin + self.clock + int(peer.other * 1000)} 0 0 0"
        yield f"costs {COST} {CLOCK} {MESSAGE} {BYTE}\ncomplete"

    def row(self, late, steps, latency=None):
        """us a step: busy, late, wire, collectives."""
        calls = 4 if self.collective else 3
        compute = self.compute - calls * (COST - CLOCK) / 1e3
        starts = 3 - 2 * CLOCK / 1e3
        waits = self.wait - CLOCK / 1e3
        late = waits * max(self.other, 0) / self.wait if late is None else late
        copies = (MESSAGE / 2 + BYTES * BYTE) / 1e3
        wire = waits - late - copies
        if latency is not None:
            wire = max(self.other + latency, 0) - max(self.other, 0)
        self.given = wire
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


def run(name, ranks, lates, wild=False, steps=True, latency=None):
    for rank, peer in zip(ranks, reversed(ranks)):
        with open(f"{name}.{rank.number}", "w", encoding="ascii") as file:
            file.write("\n".join(rank.lines(peer, wild, steps)) + "\n")
    command = [dame, "overlap", "--vf", ",".join(map(str, FACTORS)), "--json", "-", "--read", name]
    if latency is not None:
        command += ["--latency", str(latency)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check(done.returncode == 0 and done.stderr == "", f"{name}: {done.returncode} {done.stderr}")
    report = json.loads(done.stdout)
    check(len(report["groups"]) == 1, f"{name}: {len(report['groups'])} groups")
    group = report["groups"][0]
    check(group["ranks"] == [0, 1], f"{name}: ranks {group['ranks']}")
    check(group["steps"] == (STEPS if steps else 0), f"{name}: {group['steps']} steps")
    check(group["late_by_comparing_ranks"] == wild, f"{name}: late_by_comparing_ranks")
    rows = [rank.row(late, steps) for rank, late in zip(ranks, lates)]
    names = ["compute_us", "starts_us", "receiving_us", "late_us", "latency_us", "collectives_us"]
    for i, field in enumerate(names):
        near(f"{name}: {field}", group[field], sum(row[i] for row in rows) / 2)
    compare(name, group["predictions"], rows, steps)
    if latency is not None and not wild:
        rows = [rank.row(late, steps, latency) for rank, late in zip(ranks, lates)]
        given = group["given_network"]
        near(f"{name}: given latency_us", given["latency_us"], sum(row[4] for row in rows) / 2)
        compare(name + ", given network", given["predictions"], rows, steps)
    return report, group


def compare(name, predictions, rows, steps):
    check([one["vf"] for one in predictions] == FACTORS, f"{name}: factors")
    today = max(sum(row) for row in rows)
    for one in predictions:
        all_ranks = [predict(row, one["vf"], steps) for row in rows]
        step = max(rank[0] for rank in all_ranks)
        near(f"{name}: step_us of {one['vf']}", one["step_us"], step)
        near(f"{name}: hidden_us of {one['vf']}", one["hidden_us"], sum(rank[1] for rank in all_ranks) / 2)
        near(f"{name}: cost_us of {one['vf']}", one["cost_us"], sum(rank[2] for rank in all_ranks) / 2)
        near(f"{name}: faster of {one['vf']}", one["faster"], today / step)


# No rank is late; only the network delays.
pair = [Rank(r, 1000, 400, -100, 0, 0, 0) for r in (0, 1)]
found, group = run("even", pair, [None, None], latency=350)
check(group["pays"] and group["reasons"] == [], f"even: {group['pays']} {group['reasons']}")
near("even: one_way_us", found["one_way_us"], 500)
check(found["verdict"] == "pays", f"even: {found['verdict']}")

# The verdict is on the whole run: not where ranks were without a core for longer than it saves, whatever the steps look like.
saved = 1 - 1 / max(one["faster"] for one in found["run"])
for core, verdict in ((1 - saved / 2, "pays"), (1 - saved * 1.1, "unknown"), (0.33, "unknown")):
    for rank in pair:
        rank.core = core
    found, group = run("starved", pair, [None, None])
    check(found["verdict"] == verdict and group["pays"], f"{core} of a core: {found['verdict']}")
text = subprocess.run([dame, "overlap", "--read", "starved"], capture_output=True, text=True, check=False).stdout
check("Whether it would pay cannot be said: ranks had 33 %" in " ".join(text.split()) and "would pay," not in text, f"starved: {text}")
for rank in pair:
    rank.core = 1.0

# Rank 1 works 200 us longer: that long rank 0 waits for it, and 300 us for the network. Its own message is on the way
# since 200 us before it waits. Collectives divide the steps.
uneven = [Rank(0, 900, 500, 200, 50, 0, 0), Rank(1, 1100, 100, -200, 250, 0, 0)]
found, group = run("late", uneven, [None, None], latency=30)
check(found["hosts"] == 1, "late: hosts")
near("late: the share of the wait", next(c for c in group["calls"] if c["call"] == "MPI_Waitall")["late"], 0.4)

# The same on two hosts with clocks that differ by 5 s, which the messages show.
apart = [Rank(0, 900, 500, 200, 50, 0, 0), Rank(1, 1100, 100, -200, 250, 5 * 10**9, 1)]
found, group = run("hosts", apart, [None, None], latency=30)
check(found["hosts"] == 2 and any("2 hosts" in note for note in found["notes"]), "hosts: the note")

# Messages that cannot be compared: rank 0 waits 400 us longer than rank 1.
waits = 500 - CLOCK / 1e3 - (100 - CLOCK / 1e3)
found, group = run("wild", uneven, [waits, 0], wild=True, latency=30)
check("given_network" not in group, "wild: a given network")

# No steps: sums of the run.
found, group = run("whole", pair, [None, None], steps=False)
check(group["ends_with"] is None and any("No sequence" in note for note in found["notes"]), "whole: the note")

# Reasons.
found, group = run("short", [Rank(r, 20, 30, -1, 0, 0, 0) for r in (0, 1)], [None, None])
check("short_steps" in group["reasons"] and not group["pays"] and found["verdict"] == "pays_not", f"short: {group['reasons']}")
found, group = run("little", [Rank(r, 1000, 10, -1, 0, 0, 0) for r in (0, 1)], [None, None])
check("little_waiting" in group["reasons"] and not group["pays"], f"little: {group['reasons']}")
found, group = run("together", [Rank(r, 1000, 40, -1, 900, 0, 0) for r in (0, 1)], [None, None])
check(group["reasons"] == ["little_waiting", "collectives"] and not group["pays"], f"together: {group['reasons']}")
found, group = run("behind", [Rank(0, 500, 520, 500, 0, 0, 0), Rank(1, 1000, 20, -500, 0, 0, 0)], [None, None])
check("late_ranks" in group["reasons"] and not group["pays"], f"behind: {group['reasons']}")

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
