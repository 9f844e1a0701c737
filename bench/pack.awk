# SPDX-License-Identifier: BSD-3-Clause
# Turns the samples of bench/pack into its table. Needs median.awk.
#
# Input:  ROUND ENGINE layout LAYOUT BYTES
#         ROUND ENGINE LAYOUT pack|unpack KIND NANOSECONDS
# Variables: rounds, csv (1: comma-separated), engines (space-separated list), fragment (bytes)
#
# A round's value is the median of its samples; a column the median of the rounds' values; a ratio
# the median of the rounds' ratios of times, so that a slow moment of the machine hits both parts.

# Median over the rounds of (best time of hand, native, MPICH) / (time of DAME).
function ratio_best(hand, mpi,    round, best, v, b, n, list) {
    for (round = 1; round <= rounds; round++) {
        b = of_round(round, dame, mpi)
        if (b == "")
            continue
        best = of_round(round, dame, hand)
        if ((v = of_round(round, "native", mpi)) != "" && v < best)
            best = v
        if ((v = of_round(round, "mpich", mpi)) != "" && v < best)
            best = v
        list[++n] = best / b
    }
    return median(list, n + 0)
}

function times(r) { return r == "" ? "-" : sprintf("%.2f", r) }

function percent(r) { return r == "" ? "-" : sprintf("%+.0f", 100 * (r - 1)) }

# Collects what the last lines need.
function remember(name, r, row) {
    if (r == "")
        return
    logs[name] += log(r)
    rows[name]++
    ratio_of[name, rows[name]] = r
    row_of[name, rows[name]] = row
    if (!(name in lowest) || r < lowest[name]) {
        lowest[name] = r
        lowest_row[name] = row
    }
}

# For one direction and for both.
function remember_ways(name, direction, r, row) {
    remember(name " " direction, r, row)
    remember(name " both", r, row)
}

function summary(name, text) {
    if (rows[name] > 0)
        printf "%-44s %6.2f   lowest %5.2f  %s\n", text, exp(logs[name] / rows[name]),
               lowest[name], lowest_row[name]
}

# The rows in which DAME-L is faster than DAME-X by a tenth and more.
function gains_of_l(name,    i) {
    printf "\nl / x: 1.10 and above\n"
    for (i = 1; i <= rows[name]; i++)
        if (ratio_of[name, i] >= 1.1)
            printf "  %5.2f  %s\n", ratio_of[name, i], row_of[name, i]
}

# The rows below a limit, and how many rows, and layouts in both directions, reach 1.
function limits(name, limit, text,    i, reached, below, both) {
    for (i = 1; i <= rows[name]; i++) {
        reached += ratio_of[name, i] >= 1
        below += ratio_of[name, i] < limit
        both += i % 2 == 0 && ratio_of[name, i - 1] >= 1 && ratio_of[name, i] >= 1
    }
    printf "\n%s: %d of %d rows at 1.00 or above, %d of %d layouts with both, %d rows below %.2f\n",
           text, reached, rows[name], both, rows[name] / 2, below, limit
    for (i = 1; i <= rows[name]; i++)
        if (ratio_of[name, i] < limit)
            printf "  %5.2f  %s\n", ratio_of[name, i], row_of[name, i]
}

function heading(    cut) {
    if (csv) {
        print "layout,bytes,direction,hand_ns,native_ns,mpich_ns,interp_ns,x_ns,l_ns," \
              "dame_over_native,dame_over_hand,dame_over_interp,dame_over_best,l_over_x," \
              "native_fragments_ns,interp_fragments_ns,x_fragments_ns," \
              "dame_over_native_fragments,native_fragments_cost,interp_fragments_cost,x_fragments_cost"
        return
    }
    cut = fragment % 1024 ? fragment " B" : fragment / 1024 " KiB"
    printf "%d rounds of %s. GB/s (ns per call below 1 KiB); ratios above 1: %s is faster.\n\n",
           rounds, engines, title
    printf "%-29s %8s %6s | %7s %7s %7s %7s %7s %7s | %-27s %6s | %-39s\n",
           "", "", "", "", "", "", "", "", "", title " /", "l /", cut " fragments, and their cost in %"
    printf "%-29s %8s %6s | %7s %7s %7s %7s %7s %7s | %6s %6s %6s %6s %6s | %7s %7s %7s %5s %5s %5s\n",
           "layout", "bytes", "", "hand", "native", "MPICH", "interp", "x", "l", "native", "hand", "interp",
           "best", "x", "native", "interp", "x", "nat.", "int.", "x"
}

function print_csv(layout, direction, hand, mpi, cut, one) {
    printf "%s,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", layout, bytes[layout],
           direction, column("native", hand), column("native", mpi), column("mpich", mpi),
           column("interp", mpi), column("x", mpi), column("l", mpi),
           ratio("native", mpi, dame, mpi), ratio(dame, hand, dame, mpi),
           ratio("interp", mpi, dame, mpi), ratio_best(hand, mpi), ratio("x", mpi, "l", mpi),
           column("native", cut), column("interp", cut), column("x", cut),
           ratio("native", cut, dame, cut), ratio("native", cut, "native", one),
           ratio("interp", cut, "interp", one), ratio("x", cut, "x", one)
}

function print_text(layout, direction, hand, mpi, cut, one, native, by_hand, interp, best, l,    b) {
    b = bytes[layout]
    printf "%-29s %8d %6s | %7s %7s %7s %7s %7s %7s | %6s %6s %6s %6s %6s | %7s %7s %7s %5s %5s %5s\n",
           direction == "pack" ? layout : "", b, direction,
           speed(column("native", hand), b), speed(column("native", mpi), b),
           speed(column("mpich", mpi), b), speed(column("interp", mpi), b),
           speed(column("x", mpi), b), speed(column("l", mpi), b), times(native), times(by_hand),
           times(interp), times(best), times(l),
           speed(column("native", cut), b), speed(column("interp", cut), b),
           speed(column("x", cut), b), percent(ratio("native", cut, "native", one)),
           percent(ratio("interp", cut, "interp", one)), percent(ratio("x", cut, "x", one))
}

function print_row(layout, direction,    hand, mpi, cut, one, row, native, by_hand, interp, best, l) {
    hand = layout SUBSEP direction SUBSEP "hand"
    mpi = layout SUBSEP direction SUBSEP "mpi"
    cut = layout SUBSEP direction SUBSEP "fragments"
    one = layout SUBSEP direction SUBSEP "one"
    if (csv) {
        print_csv(layout, direction, hand, mpi, cut, one)
        return
    }
    native = ratio("native", mpi, dame, mpi)
    by_hand = ratio(dame, hand, dame, mpi)
    interp = dame == "interp" ? "" : ratio("interp", mpi, dame, mpi)
    best = ratio_best(hand, mpi)
    l = ratio("x", mpi, "l", mpi)
    print_text(layout, direction, hand, mpi, cut, one, native, by_hand, interp, best, l)
    row = layout " " direction
    remember_ways("native", direction, native, row)
    remember_ways("hand", direction, by_hand, row)
    remember_ways("interp", direction, interp, row)
    remember_ways("best", direction, best, row)
    remember_ways("l", direction, l, row)
    remember_ways("cut", direction, ratio("native", cut, dame, cut), row)
    remember_ways("own", direction, ratio(dame, one, dame, cut), row)
    remember_ways("native hand", direction, ratio("native", hand, "native", mpi), row)
    remember_ways("mpich hand", direction, ratio("mpich", hand, "mpich", mpi), row)
}

function print_summary(direction, text) {
    summary("native " direction, text title " / native")
    summary("hand " direction, text title " / hand")
    summary("interp " direction, text title " / interp")
    summary("best " direction, text title " / best of hand, native, MPICH")
    summary("l " direction, text "l / x")
    summary("cut " direction, text title " / native, fragments")
    summary("own " direction, text title " in fragments / " title " in one")
    summary("native hand " direction, text "native / hand")
    summary("mpich hand " direction, text "MPICH / hand")
}

BEGIN {
    dame = " " engines " " ~ / x / ? "x" : "interp"
    title = dame == "x" ? "x" : "interp"
}

{ read_worker_line() }

END {
    heading()
    for (l = 1; l <= layouts; l++) {
        print_row(order[l], "pack")
        print_row(order[l], "unpack")
    }
    if (csv)
        exit
    print "\ngeometric means"
    print_summary("pack", "pack: ")
    print_summary("unpack", "unpack: ")
    print_summary("both", "")
    if (rows["best both"] > 0)
        limits("best both", 0.95, title " / best of hand, native, MPICH")
    if (rows["interp both"] > 0)
        limits("interp both", 0.97, title " / interp")
    if (rows["l both"] > 0)
        gains_of_l("l both")
    if (rows["own both"] > 0)
        limits("own both", 0.97, title " in fragments / " title " in one")
}
