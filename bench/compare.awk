# SPDX-License-Identifier: BSD-3-Clause
# Turns the samples of bench/compare into its table, or into the rows to be measured again. Needs median.awk.
#
# Input:  PASS ROUND ENGINE LAYOUT on|off pack|unpack FRAGMENT NANOSECONDS
# Variables: what (table or below), limit (per cent), csv (1: comma-separated values of all rows)
#
# A round's ratio is that of two times taken one after the other; a row's is the median of the rounds' ratios. The
# first pass only finds the rows that may be slow: for those, the later passes alone count, since the first
# was chosen for being low.

# Median over the rounds of the passes that count of engine's time / now's; "": not measured. Where native ran beside
# both builds, by what it took.
function over(engine, row,    round, list, n, r) {
    for (round in counts)
        if ((round, engine, row) in time && (round, "now", row) in time && counts[round] >= (last[row] > 0)) {
            r = time[round, engine, row] / time[round, "now", row]
            if (engine == "before" && (round, "beside", row) in time)
                r *= time[round, "native", row] / time[round, "beside", row]
            list[++n] = r
        }
    return median(list, n + 0)
}

function nanoseconds(engine, row,    round, list, n) {
    for (round in counts)
        if ((round, engine, row) in time && counts[round] >= (last[row] > 0))
            list[++n] = time[round, engine, row]
    return median(list, n + 0)
}

function is_low(r) { return r != "" && 100 * r < limit }

function shown(row,    part) {
    split(row, part, " ")
    return sprintf("%-28s %-3s %-6s %7s", part[1], part[2], part[3], part[4] == 0 ? "whole" : part[4])
}

function number(form, value) { return value == "" && !csv ? "-" : value == "" ? "" : sprintf(form, value) }

function print_row(row,    part, e, line) {
    split(row, part, " ")
    line = csv ? sprintf("%s,%s,%s,%d,%d", part[1], part[2], part[3], part[4], last[row]) : "  " shown(row) " |"
    for (e = 1; e <= 4; e++)
        line = line sprintf(csv ? ",%s" : " %11s", number(csv ? "%.2f" : "%.1f", nanoseconds(engine[e], row)))
    for (e = 1; e <= 3; e++)
        line = line sprintf(csv ? ",%s" : " %7s", number("%.3f", over(engine[e], row)))
    print line
}

function summary(engine,    i, logs, r, n, lowest, lowest_row, all) {
    lowest = 1e9
    for (i = 1; i <= rows; i++) {
        r = over(engine, order[i])
        if (r == "")
            continue
        all++
        logs += log(r)
        n += is_low(r)
        if (r < lowest) {
            lowest = r
            lowest_row = order[i]
        }
    }
    if (all > 0)
        printf "now / %-6s  geometric mean %.3f, %d of %d rows below %.2f, lowest %.3f  %s\n", engine,
               exp(logs / all), n, all, limit / 100, lowest, shown(lowest_row)
}

{
    row = $4 " " $5 " " $6 " " $7
    counts[$2] = $1
    time[$2, $3, row] = $8
    if (!(row in last))
        order[++rows] = row
    if (!(row in last) || $1 > last[row])
        last[row] = $1
}

END {
    split("before native hand now", engine, " ")
    for (i = 1; i <= rows; i++) {
        row = order[i]
        is_below[row] = is_low(over("native", row)) || is_low(over("before", row))
        if (what == "below" && is_below[row])
            print row
        below += is_below[row]
    }
    if (what == "below" || rows == 0)
        exit
    if (csv) {
        print "layout,place,direction,fragment,repeats,before_ns,native_ns,hand_ns,now_ns,now_over_before,now_over_native,now_over_hand"
        for (i = 1; i <= rows; i++)
            print_row(order[i])
        exit
    }
    for (i = 1; i <= 3; i++)
        summary(engine[i])
    if (below > 0) {
        printf "\n%-50s | %11s %11s %11s %11s %7s %7s %7s\n", "rows below, ns", "before", "native", "hand", "now", "/before",
               "/native", "/hand"
        for (i = 1; i <= rows; i++)
            if (is_below[order[i]])
                print_row(order[i])
    }
}
