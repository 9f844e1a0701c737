# SPDX-License-Identifier: BSD-3-Clause
# Turns the samples of bench/short into its table. Needs median.awk.
#
# Input:  ROUND ENGINE layout LAYOUT BYTES
#         ROUND ENGINE LAYOUT pack|unpack KIND NANOSECONDS
# Variables: rounds, csv (1: comma-separated), engines (space-separated list)

function ns(value) { return value == "" ? "-" : sprintf("%.1f", value) }

function times(r) { return r == "" ? "-" : sprintf("%.2f", r) }

# Counts rows that are slower than `other` by more than noise, and keeps the worst.
function remember(other, r, saved, row) {
    if (r == "")
        return
    rows[other]++
    logs[other] += log(r)
    slower[other] += r < NOISE
    if (r < NOISE)
        slow_rows[other] = slow_rows[other] sprintf("  %5.2f  %6.1f ns  %s\n", r, -saved, row)
}

function summary(other) {
    if (rows[other] == 0)
        return
    printf "%s / %s: geometric mean %.2f; %d of %d rows slower by more than %d %%\n%s", dame, other,
           exp(logs[other] / rows[other]), slower[other], rows[other], 100 - 100 * NOISE,
           slow_rows[other]
}

function print_row(layout, direction,    mpi, hand, native, interp, format) {
    hand = layout SUBSEP direction SUBSEP "hand"
    mpi = layout SUBSEP direction SUBSEP "mpi"
    native = difference("native", mpi, dame, mpi)
    interp = dame == "interp" ? "" : difference("interp", mpi, dame, mpi)
    format = csv ? "%s,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n" \
                 : "%-26s %6d %6s | %7s %7s %7s %7s %7s | %7s %7s | %6s %6s\n"
    printf format, csv || direction == "pack" ? layout : "", bytes[layout], direction,
           ns(column("native", hand)), ns(column("native", mpi)), ns(column("mpich", mpi)),
           ns(column("interp", mpi)), ns(column("x", mpi)), ns(native), ns(interp),
           times(ratio("native", mpi, dame, mpi)),
           times(dame == "interp" ? "" : ratio("interp", mpi, dame, mpi))
    remember("native", ratio("native", mpi, dame, mpi), native, layout " " direction)
    if (dame != "interp")
        remember("interp", ratio("interp", mpi, dame, mpi), interp, layout " " direction)
}

BEGIN {
    NOISE = 0.97
    dame = " " engines " " ~ / x / ? "x" : "interp"
}

{ read_worker_line() }

END {
    if (csv)
        print "layout,bytes,direction,hand_ns,native_ns,mpich_ns,interp_ns,x_ns,saved_to_native_ns," \
              "saved_to_interp_ns,dame_over_native,dame_over_interp"
    else {
        printf "%d rounds of %s. Nanoseconds a call; what %s saves; ratios above 1: %s is faster.\n\n",
               rounds, engines, dame, dame
        printf "%-26s %6s %6s | %7s %7s %7s %7s %7s | %7s %7s | %6s %6s\n", "", "", "", "", "", "",
               "", "", dame " saves", "", dame " /", ""
        printf "%-26s %6s %6s | %7s %7s %7s %7s %7s | %7s %7s | %6s %6s\n", "layout", "bytes", "",
               "hand", "native", "MPICH", "interp", "x", "native", "interp", "native", "interp"
    }
    for (l = 1; l <= layouts; l++) {
        print_row(order[l], "pack")
        print_row(order[l], "unpack")
    }
    if (!csv) {
        print ""
        summary("native")
        summary("interp")
    }
}
