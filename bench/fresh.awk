# SPDX-License-Identifier: BSD-3-Clause
# Turns the samples of bench/fresh into its table. Needs median.awk.
#
# Input:  ROUND ENGINE layout NAME BYTES
#         ROUND ENGINE NAME life USES NANOSECONDS
# Variables: rounds, csv (1: comma-separated), engines (space-separated list, native first)

function us(ns) { return ns == "" ? "-" : sprintf(ns < 1e5 ? "%.2f" : "%.0f", ns / 1000) }

function row(name, uses,    e, what, r) {
    what = name SUBSEP "life" SUBSEP uses
    if (column("native", what) == "")
        return
    printf csv ? "%s,%s" : "%-18s %5s |", name, uses
    for (e = 1; e <= n_engines; e++)
        printf csv ? ",%s" : " %9s", csv ? column(engine[e], what) : us(column(engine[e], what))
    if (!csv)
        printf " |"
    for (e = 2; e <= n_engines; e++) {
        r = ratio(engine[e], what, "native", what)
        if (!csv)
            printf " %8s", r == "" ? "-" : sprintf("%.2f", r)
        if (r == "" || name ~ /^particles/)
            continue
        logs[engine[e], uses] += log(r)
        rows[engine[e], uses]++
        if (r > worst[engine[e], uses])
            worst[engine[e], uses] = r
    }
    printf "\n"
}

{
    read_worker_line()
    if (NF == 6 && !($5 in seen)) {
        seen[$5] = 1
        number[++n_uses] = $5
    }
}

END {
    n_engines = split(engines, engine, " ")
    if (csv) {
        printf "name,uses"
        for (e = 1; e <= n_engines; e++)
            printf ",%s_ns", engine[e]
    } else {
        printf "%d rounds. Microseconds of a life, or of a step; ratios below 1: faster than native.\n\n", rounds
        printf "%-18s %5s |", "datatype", "uses"
        for (e = 1; e <= n_engines; e++)
            printf " %9s", engine[e]
        printf " |"
        for (e = 2; e <= n_engines; e++)
            printf " %8s", substr(engine[e], 1, 7) "/"
    }
    print ""
    for (l = 1; l <= layouts; l++)
        for (u = 1; u <= n_uses; u++)
            row(order[l], number[u])
    if (csv)
        exit
    print "\nuses: geometric mean over native (highest)"
    for (u = 1; u <= n_uses; u++) {
        printf "%5d", number[u]
        for (e = 2; e <= n_engines; e++)
            if (rows[engine[e], number[u]] > 0)
                printf " | %s %.3f (%.2f)", engine[e],
                       exp(logs[engine[e], number[u]] / rows[engine[e], number[u]]),
                       worst[engine[e], number[u]]
        printf "\n"
    }
}
