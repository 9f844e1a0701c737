# Turns the samples of bench/onesided into its table. Needs median.awk.
#
# Input:  ROUND ENGINE layout NAME BYTES
#         ROUND ENGINE NAME accumulate mpi NANOSECONDS
# Variables: rounds, csv (1: comma-separated), engines (space-separated list, native first)

function times(r) { return r == "" ? "-" : sprintf("%.2f", r) }

{ read_worker_line() }

END {
    n = split(engines, engine, " ")
    if (csv) {
        printf "layout,bytes"
        for (e = 1; e <= n; e++)
            printf ",%s_ns", engine[e]
        for (e = 2; e <= n; e++)
            printf ",native_over_%s", engine[e]
    } else {
        printf "%d rounds. Microseconds an operation; ratios above 1: faster than native.\n\n", rounds
        printf "%-20s %8s |", "layout", "bytes"
        for (e = 1; e <= n; e++)
            printf " %9s", engine[e]
        printf " |"
        for (e = 2; e <= n; e++)
            printf " %8s", "/" engine[e]
    }
    print ""
    for (l = 1; l <= layouts; l++) {
        what = order[l] SUBSEP "accumulate" SUBSEP "mpi"
        printf(csv ? "%s,%d" : "%-20s %8d |", order[l], bytes[order[l]])
        for (e = 1; e <= n; e++)
            printf(csv ? ",%.1f" : " %9.2f", column(engine[e], what) / (csv ? 1 : 1000))
        if (!csv)
            printf " |"
        for (e = 2; e <= n; e++)
            printf(csv ? ",%s" : " %8s", times(ratio("native", what, engine[e], what)))
        print ""
    }
}
