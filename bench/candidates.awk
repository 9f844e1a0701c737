# SPDX-License-Identifier: BSD-3-Clause
# Turns the lines of candidates_worker into the table of bench/reuse. Needs median.awk.
#
# Input:  NAME pack|unpack BYTES COMPILE INTERP FIRST BEST BEST_NAME CHOSEN CHOSEN_NAME AGAIN
#         L_COMPILE L_FILE L    (ns)
# Variables: csv (1: comma-separated)

function uses(compile, interp, x) { return interp > x && compile > 0 ? compile / (interp - x) : "" }

# Uses that repay: 10, 25, 50, 75, 90 and 99 of 100 rows that some uses repay, and rows that none do.
function distribution(source, title,    i, j, t, n, list, never) {
    for (i = 1; i <= (source == "x" ? rows : l_rows); i++)
        if (source == "l" && i in unknown)
            continue
        else if (repaid[source, i] == "")
            never++
        else
            list[++n] = repaid[source, i]
    if (n == 0)
        return
    median(list, n) # sorts
    printf "  %-22s", title
    j = split("10 25 50 75 90 99", t, " ")
    for (i = 1; i <= j; i++)
        printf " %8.0f", list[int((n - 1) * t[i] / 100) + 1]
    printf " %6d\n", never
}

function summary() {
    printf "%d rows. Uses that repay\n  %-22s %8s %8s %8s %8s %8s %8s %6s\n", rows, "percentile",
           "10", "25", "50", "75", "90", "99", "never"
    distribution("x", "x, compiled")
    distribution("l", "l, compiled")
    distribution("file", "l, from the code cache")
    printf "  the fastest of all / the choice: geometric mean %.3f, below 0.98 in %d rows, below 0.95 in %d\n%s",
           exp(logs / rows), below, far, worst
    printf "  the same code measured twice: below 0.98 in %d rows, below 0.95 in %d\n", noise, loud
    printf "  the first candidate / the choice %.3f, the interpreter / the choice %.3f\n",
           firsts ? exp(first_logs / firsts) : 1, exp(interp_logs / rows)
}

BEGIN {
    if (csv)
        print "layout,direction,bytes,compile_ns,interp_ns,first_ns,best_ns,best,chosen_ns,chosen,uses_to_repay"
    else
        printf "%-26s %8s %6s | %8s %9s %9s %9s %9s | %6s %6s | %-22s %s\n", "", "bytes", "", "compile",
               "interp", "first", "best", "chosen", "uses", "/best", "best", "chosen"
}

{
    u = uses($4, $5, $6)
    rows++
    repaid["x", rows] = u
    if ($14 > 0) {
        repaid["l", ++l_rows] = uses($12, $5, $14)
        repaid["file", l_rows] = uses($13, $5, $14)
        if ($12 == 0)
            unknown[l_rows] = 1
    }
    r = $7 / $9
    noise += $11 / $9 < 0.98
    loud += $11 / $9 < 0.95
    logs += log(r)
    if ($6 > 0) { # else it has no code
        first_logs += log($6 / $9)
        firsts++
    }
    interp_logs += log($5 / $9)
    below += r < 0.98
    far += r < 0.95
    if (r < 0.95)
        worst = worst sprintf("    %.2f  %s %s: %s instead of %s\n", r, $1, $2, $10, $8)
    if (csv)
        printf "%s,%s,%d,%s,%s,%s,%s,%s,%s,%s,%s\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, u
    else
        printf "%-26s %8d %6s | %8.0f %9.1f %9.1f %9.1f %9.1f | %6s %6.2f | %-22s %s\n", $1, $3, $2, $4, $5,
               $6, $7, $9, u == "" ? "-" : sprintf("%.1f", u), r, $8, $10
}

END {
    if (!csv && rows > 0) {
        print ""
        summary()
    }
}
