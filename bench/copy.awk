# SPDX-License-Identifier: BSD-3-Clause
# Turns the samples of bench/copy into its table. Needs median.awk.
#
# Input:  ROUND ENGINE layout LAYOUT BYTES
#         ROUND ENGINE LAYOUT alltoall|sendrecv mpi NANOSECONDS
# Variables: rounds, csv (1: comma-separated), engines (space-separated list)

function times(r) { return r == "" ? "-" : sprintf("%.2f", r) }

function shown(ns, layout) { return csv ? ns : speed(ns, bytes[layout]) }

function remember(operation, r, layout) {
    if (r == "")
        return
    logs[operation] += log(r)
    rows[operation]++
    below[operation] += r < 0.97
    if (!(operation in lowest) || r < lowest[operation]) {
        lowest[operation] = r
        lowest_row[operation] = layout
    }
}

function print_row(layout, operation,    what) {
    what = layout SUBSEP operation SUBSEP "mpi"
    printf csv ? "%s,%d,%s,%s,%s,%s,%s,%s\n" : "%-26s %9d %-8s | %10s %10s %10s | %6s %6s\n",
           csv || operation == "alltoall" ? layout : "", bytes[layout], operation,
           shown(column("native", what), layout), shown(column("interp", what), layout),
           shown(column("x", what), layout), times(ratio("native", what, "interp", what)),
           times(ratio("native", what, "x", what))
    remember(operation, ratio("native", what, dame, what), layout)
}

BEGIN { dame = " " engines " " ~ / x / ? "x" : "interp" }

{ read_worker_line() }

END {
    if (csv)
        print "layout,bytes,operation,native_ns,interp_ns,x_ns,interp_over_native,x_over_native"
    else {
        printf "%d rounds of %s. GB/s, ns a call below 1 KiB; ratios above 1: DAME is faster.\n\n",
               rounds, engines
        printf "%-26s %9s %-8s | %10s %10s %10s | %6s %6s\n", "layout", "bytes", "", "native",
               "interp", "x", "interp", "x"
    }
    for (l = 1; l <= layouts; l++) {
        print_row(order[l], "alltoall")
        print_row(order[l], "sendrecv")
    }
    if (csv)
        exit
    print ""
    for (operation in rows)
        printf "%s: %s / native geometric mean %.2f, lowest %.2f (%s), %d of %d below 0.97\n",
               operation, dame, exp(logs[operation] / rows[operation]), lowest[operation],
               lowest_row[operation], below[operation], rows[operation]
}
