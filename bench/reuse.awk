# SPDX-License-Identifier: BSD-3-Clause
# Turns the samples of lives_worker --new into the second table of bench/reuse. Needs median.awk.
#
# Input:  ROUND ENGINE layout LAYOUT BYTES
#         ROUND ENGINE LAYOUT pack|unpack USES life NANOSECONDS
# Variables: rounds, csv (1: comma-separated), engines (space-separated list)

function label(engine)
{
    sub("threshold:", "at ", engine)
    return engine == "x" ? "at once" : engine == "interp" ? "never" : engine == "dame" ? "measured" : engine
}

function us(ns) { return ns == "" ? "-" : sprintf(ns < 1e4 ? "%.2f" : "%.0f", ns / 1000) }

# How many times as long as the best fixed policy.
function regret(engine, what,    e, r, most) {
    for (e = 1; e <= n_engines; e++)
        if (name[e] != "dame") {
            r = ratio(engine, what, name[e], what)
            most = r > most ? r : most
        }
    return most
}

function print_row(layout, direction, uses,    e, what, r) {
    what = layout SUBSEP direction SUBSEP uses
    if (column("dame", what) == "")
        return
    printf csv ? "%s,%s,%d" : "%-26s %6s %7d |", layout, direction, uses
    for (e = 1; e <= n_engines; e++)
        printf csv ? ",%s" : " %9s", csv ? column(name[e], what) : us(column(name[e], what))
    for (e = 1; e <= n_engines; e++) {
        r = regret(name[e], what)
        if (r == "")
            continue
        logs[name[e], uses] += log(r)
        count[name[e], uses]++
        above[name[e], uses] += r > 1.3
        if (r > worst[name[e], uses]) {
            worst[name[e], uses] = r
            worst_row[name[e], uses] = layout " " direction
        }
    }
    r = ratio("dame", what, "interp", what)
    if (r > never[uses]) {
        never[uses] = r
        never_row[uses] = layout " " direction
    }
    printf csv ? "\n" : " | %5.2f\n", regret("dame", what)
}

{
    if (NF == 7) { # without the word life
        $6 = $7
        NF = 6
    }
    read_worker_line()
    if ($3 != "layout" && NF == 6 && !($5 in seen)) {
        seen[$5] = 1
        number[++n_uses] = $5
    }
}

END {
    n_engines = split(engines, name, " ")
    for (i = 2; i <= n_uses; i++)
        for (j = i; j > 1 && number[j - 1] + 0 > number[j] + 0; j--) {
            t = number[j]
            number[j] = number[j - 1]
            number[j - 1] = t
        }
    printf csv ? "layout,direction,uses" : "%-26s %6s %7s |", "Microseconds", "", "uses"
    for (e = 1; e <= n_engines; e++)
        printf csv ? ",%s_ns" : " %9s", csv ? name[e] : label(name[e])
    printf csv ? "\n" : " | measured / the best fixed\n"
    for (l = 1; l <= layouts; l++)
        for (d = 0; d < 2; d++)
            for (u = 1; u <= n_uses; u++)
                print_row(order[l], d ? "unpack" : "pack", number[u])
    if (csv)
        exit
    print "\nuses: time / the best fixed policy's: geometric mean (highest, rows above 1.3)"
    for (u = 1; u <= n_uses; u++) {
        if (count["dame", number[u]] == 0)
            continue
        printf "%7d", number[u]
        for (e = 1; e <= n_engines; e++)
            if (count[name[e], number[u]] > 0)
                printf " | %8s %5.2f (%5.2f %3d)", label(name[e]),
                       exp(logs[name[e], number[u]] / count[name[e], number[u]]),
                       worst[name[e], number[u]], above[name[e], number[u]]
        printf " | measured is worst at %s\n", worst_row["dame", number[u]]
    }
    for (u = 1; u <= n_uses && number[u] <= 2; u++)
        printf "%d uses: measured / never at most %.2f (%s)\n", number[u], never[number[u]], never_row[number[u]]
}
