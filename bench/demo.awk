# SPDX-License-Identifier: BSD-3-Clause
# Turns the results of bench/demo into its table; exit code 1 when a byte was wrong.
#
# Input: ENGINE NAME BYTES MICROSECONDS right|WRONG
#
# Each result is the median of a run; of several runs the best one counts, because what disturbs a
# run on a busy machine only ever makes it longer.

{
    if (!($2 in bytes))
        order[++rows] = $2
    bytes[$2] = $3
    if (!(($1, $2) in best) || $4 + 0 < best[$1, $2])
        best[$1, $2] = $4 + 0
    if ($5 != "right")
        wrong[$2] = 1
}

END {
    printf "%-22s %8s %10s %10s %14s   %s\n", "layout", "bytes", "native us", "DAME us",
           "native / DAME", "all bytes right"
    for (r = 1; r <= rows; r++) {
        name = order[r]
        native = best["native", name]
        dame = best["dame", name]
        printf "%-22s %8d %10.1f %10.1f %14.2f   %s\n", name, bytes[name], native, dame,
               (dame > 0 ? native / dame : 0), name in wrong ? "NO" : "yes"
        bad += name in wrong
    }
    exit bad > 0
}
