# SPDX-License-Identifier: BSD-3-Clause
# Turns the samples of bench/compare into its table, or into the rows to be measured again. Needs median.awk.
#
# Input:  PASS ROUND ENGINE LAYOUT on|off pack|unpack FRAGMENT NANOSECONDS
# Variables: what (table or below), limit (per cent), csv (1: comma-separated values of all rows)
#
# A round's ratio is that of two times taken one after the other; a row's is the median of the rounds' ratios. The
# first pass only finds the rows that may be slow: for those, the later passes alone count, since the first
# was chosen for being low.

# Median over the rounds of the passes that count of engine's time / now's.
function over(engine, row,    round, list, n) {
    for (round in counts)
        if ((round, engine, row) in time && (round, "now", row) in time && counts[round] >= (last[row] > 0))
            list[++n] = time[round, engine, row] / time[round, "now", row]
    return median(list, n + 0)
}

function nanoseconds(engine, row,    round, list, n) {
    for (round in counts)
        if ((round, engine, row) in time && counts[round] >= (last[row] > 0))
            list[++n] = time[round, engine, row]
    return median(list, n + 0)
}

function shown(row,    part) {
    split(row, part, " ")
    return sprintf("%-28s %-3s %-6s %7s", part[1], part[2], part[3], part[4] == 0 ? "whole" : part[4])
}

function print_row(row,    part) {
    if (csv) {
        split(row, part, " ")
        printf "%s,%s,%s,%d,%d,%.2f,%.2f,%.2f,%.3f,%.3f\n", part[1], part[2], part[3], part[4], last[row],
               nanoseconds("native", row), nanoseconds("before", row), nanoseconds("now", row),
               over("before", row), over("native", row)
    } else
        printf "  %s | %11.1f %11.1f %11.1f | %6.3f %6.3f\n", shown(row), nanoseconds("native", row),
               nanoseconds("before", row), nanoseconds("now", row), over("before", row), over("native", row)
}

function summary(engine,    i, logs, r, n, lowest, lowest_row) {
    lowest = 1e9
    for (i = 1; i <= rows; i++) {
        r = over(engine, order[i])
        logs += log(r)
        n += 100 * r < limit
        if (r < lowest) {
            lowest = r
            lowest_row = order[i]
        }
    }
    printf "now / %-6s  geometric mean %.3f, %d of %d rows below %.2f, lowest %.3f  %s\n", engine,
           exp(logs / rows), n, rows, limit / 100, lowest, shown(lowest_row)
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
    for (i = 1; i <= rows; i++) {
        row = order[i]
        is_below[row] = 100 * over("native", row) < limit || 100 * over("before", row) < limit
        if (what == "below" && is_below[row])
            print row
        below += is_below[row]
    }
    if (what == "below" || rows == 0)
        exit
    if (csv) {
        print "layout,place,direction,fragment,repeats,native_ns,before_ns,now_ns,now_over_before,now_over_native"
        for (i = 1; i <= rows; i++)
            print_row(order[i])
        exit
    }
    summary("before")
    summary("native")
    if (below > 0) {
        printf "\n%-50s | %11s %11s %11s | %6s %6s\n", "rows below, ns", "native", "before", "now", "/before",
               "/native"
        for (i = 1; i <= rows; i++)
            if (is_below[order[i]])
                print_row(order[i])
    }
}
