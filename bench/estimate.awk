# Turns the pairs of bench/estimate into its table. Needs median.awk.
#
# Input: TRUTH ESTIMATE RANKS PROGRAM ARGUMENT...      in nanoseconds for a byte
# Variable: csv (1: comma-separated)

{
    name = $3
    for (i = 4; i <= NF; i++)
        name = name " " $i
    gsub(/ --layout/, "", name)
    if (!(name in pairs))
        order[++programs] = name
    n = ++pairs[name]
    truth[name, n] = $1
    quotient[name, n] = $2 / $1
    good = quotient[name, n] > 0.75 && quotient[name, n] < 1.25
    near[name] += good
    all_near += good
    all++
}

END {
    print csv ? "ranks_and_program,truth_ns_per_byte,median,near,pairs,ratios" \
              : "estimate / truth; ns for a byte, median; pairs that differ by less than a quarter\n"
    for (p = 1; p <= programs; p++) {
        name = order[p]
        text = ""
        for (n = 1; n <= pairs[name]; n++) {
            list[n] = quotient[name, n]
            times[n] = truth[name, n]
            text = text sprintf(" %.2f", quotient[name, n])
        }
        printf csv ? "%s,%.4f,%.2f,%d,%d,%s\n" : "%-60.60s %8.4f %5.2f  %d of %d:%s\n", name,
               median(times, pairs[name]), median(list, pairs[name]), near[name], pairs[name], text
    }
    if (!csv)
        printf "\n%d of %d pairs differ by less than a quarter\n", all_near, all
}
