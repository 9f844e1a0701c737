# SPDX-License-Identifier: BSD-3-Clause
# Turns the samples of bench/turns into its table. Needs median.awk.
#
# Input:  ROUND dame|before layout LAYOUT[/off] BYTES
#         ROUND dame|before LAYOUT[/off] pack|unpack native|dame|hand:CUT NANOSECONDS
# Variables: rounds, csv (1: comma-separated values of all rows); limit (per cent), from the environment

function key(layout, direction, kind, cut) { return layout SUBSEP direction SUBSEP kind ":" cut }

# DAME's speed over that engine's; "": not measured.
function over(engine, layout, direction, cut,    round, a, b, n, list) {
    if (engine == "native" || engine == "hand")
        return ratio("dame", key(layout, direction, engine, cut), "dame", key(layout, direction, "dame", cut))
    for (round = 1; round <= rounds; round++) {  # before: each by what native took beside it
        a = by_native("before", round, layout, direction, cut)
        b = by_native("dame", round, layout, direction, cut)
        if (a != "" && b != "")
            list[++n] = a / b
    }
    return median(list, n + 0)
}

function by_native(engine, round, layout, direction, cut,    a, b) {
    a = of_round(round, engine, key(layout, direction, "dame", cut))
    b = of_round(round, engine, key(layout, direction, "native", cut))
    return a == "" || b == "" ? "" : a / b
}

function shown(r) { return r == "" ? "-" : sprintf("%.3f", r) }

function count_row(engine, direction, cut, r,    k) {
    k = engine SUBSEP direction SUBSEP cut
    logs[k] += log(r)
    count[k]++
    below[k] += 100 * r < limit
    if (!(k in lowest) || r < lowest[k])
        lowest[k] = r
}

function add_row(layout, direction, cut,    e, r, row, is_low) {
    if (column("dame", key(layout, direction, "dame", cut)) == "")
        return
    row = sprintf(csv ? "%s,%s,%s,%.1f,%.1f" : "%-32s %-6s %6s | %11.1f %11.1f", layout, direction, cut,
                  column("dame", key(layout, direction, "native", cut)),
                  column("dame", key(layout, direction, "dame", cut)))
    for (e = 1; e <= 3; e++) {
        r = over(other[e], layout, direction, cut)
        row = row (csv ? "," (r == "" ? "" : sprintf("%.3f", r)) : sprintf(" %7s", shown(r)))
        if (r != "") {
            count_row(other[e], direction, cut, r)
            is_low = is_low || (other[e] != "hand" && 100 * r < limit)
        }
    }
    if (csv)
        print row
    else if (is_low)
        listed[++n_listed] = row
}

{
    if (NF == 6) {
        split($5, part, ":")
        if (!(part[2] in seen)) {
            seen[part[2]] = 1
            cuts[++n_cuts] = part[2]
        }
    }
    read_worker_line()
}

END {
    limit = ENVIRON["limit"]
    split("native before hand", other, " ")
    if (csv)
        print "layout,direction,fragment,native_ns,dame_ns,over_native,over_before,over_hand"
    for (l = 1; l <= layouts; l++)
        for (d = 0; d < 2; d++)
            for (c = 1; c <= n_cuts; c++)
                add_row(order[l], d ? "unpack" : "pack", cuts[c])
    if (csv)
        exit
    print "DAME's speed over the other's: geometric mean (lowest, rows below " limit / 100 " of all)"
    for (c = 1; c <= n_cuts; c++)
        for (d = 0; d < 2; d++) {
            printf "%-6s %6s", d ? "unpack" : "pack", cuts[c]
            for (e = 1; e <= 3; e++) {
                k = other[e] SUBSEP (d ? "unpack" : "pack") SUBSEP cuts[c]
                if (count[k] > 0)
                    printf " | %s %.3f (%.3f, %d of %d)", other[e], exp(logs[k] / count[k]), lowest[k], below[k], count[k]
            }
            printf "\n"
        }
    if (n_listed > 0) {
        printf "\n%-46s | %11s %11s %7s %7s %7s\n", "rows below, ns", "native", "DAME", "/native", "/before", "/hand"
        for (i = 1; i <= n_listed; i++)
            print "  " listed[i]
    }
}
