# SPDX-License-Identifier: BSD-3-Clause
# Tables of apps/bamboo/bench/predict. Lines: grain, latency by time, what, V, microseconds. Needs median.awk.

{
    key = $1 SUBSEP $2
    if (!(key in seen)) {
        seen[key] = 1
        cells[++n] = key
    }
    values[key, $3, $4, ++count[key, $3, $4]] = $5
}

function middle(key, what, v,    i, list) {
    for (i = 1; i <= count[key, what, v]; i++)
        list[i] = values[key, what, v, i]
    return median(list, count[key, what, v] + 0)
}

# Predicted by measured; counts how many are right.
function compared(key, v,    a, b) {
    a = middle(key, "predicted", v)
    b = middle(key, "measured", v)
    all++
    right += a / b >= 0.85 && a / b <= 1.15
    return sprintf("%.2f", a / b)
}

END {
    split("1 2 4", factors)
    if (csv)
        print "T,latency/T,measured 1,2,4,predicted 1,2,4"
    else {
        print "us a step               measured          predicted by measured"
        print "    T  latency/T      1      2      4        1     2     4"
    }
    for (i = 1; i <= n; i++) {
        split(cells[i], at, SUBSEP)
        line = sprintf(csv ? "%s,%s" : "%5s %10s", at[1], at[2])
        for (f = 1; f <= 3; f++)
            line = line sprintf(csv ? ",%.2f" : " %6.4g", middle(cells[i], "measured", factors[f]))
        line = line (csv ? "" : "    ")
        for (f = 1; f <= 3; f++)
            line = line (csv ? "," middle(cells[i], "predicted", factors[f]) : sprintf(" %5s", compared(cells[i], factors[f])))
        print line
    }
    if (!csv)
        printf "%d of %d within 15 %%\n", right, all
}
