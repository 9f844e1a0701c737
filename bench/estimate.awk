# SPDX-License-Identifier: BSD-3-Clause
# Turns the pairs of bench/estimate into its table. Needs median.awk.
#
# Input: TRUTH ESTIMATE LEFT_OUT RANKS PROGRAM ARGUMENT...      (estimate_pair.awk)
# Variable: csv (1: comma-separated)

{
    name = $4
    for (i = 5; i <= NF; i++)
        name = name " " $i
    gsub(/ --layout/, "", name)
    if (!(name in pairs))
        order[++programs] = name
    n = ++pairs[name]
    truth[name, n] = $1
    left_out[name, n] = 100 * $3
    quotient[name, n] = $2 / $1
    good = quotient[name, n] > 0.75 && quotient[name, n] < 1.25
    near[name] += good
    all_near += good
    all++
}

END {
    print csv ? "ranks_and_program,truth_ns_per_byte,left_out_percent,median,near,pairs,ratios" \
              : "truth: ns for a byte, % of the time left out; estimate / truth, median; pairs that differ by less than a quarter\n"
    for (p = 1; p <= programs; p++) {
        name = order[p]
        text = ""
        for (n = 1; n <= pairs[name]; n++) {
            list[n] = quotient[name, n]
            times[n] = truth[name, n]
            left[n] = left_out[name, n]
            text = text sprintf(" %.2f", quotient[name, n])
        }
        printf csv ? "%s,%.4f,%.1f,%.2f,%d,%d,%s\n" : "%-60.60s %8.4f %3.0f %5.2f  %d of %d:%s\n", name,
               median(times, pairs[name]), median(left, pairs[name]), median(list, pairs[name]),
               near[name], pairs[name], text
    }
    if (!csv)
        printf "\n%d of %d pairs differ by less than a quarter\n", all_near, all
}
