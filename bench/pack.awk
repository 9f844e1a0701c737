# Turns the samples of bench/pack into its table. Needs median.awk.
#
# Input:  ROUND ENGINE layout LAYOUT BYTES
#         ROUND ENGINE LAYOUT pack|unpack KIND NANOSECONDS
# Variables: rounds, csv (1: comma-separated), engines (space-separated list)
#
# A round's value is the median of its samples; a column the median of the rounds' values; a ratio
# the median of the rounds' ratios of times, so that a slow moment of the machine hits both parts.

# Median over the rounds of (best time of all others) / (time of DAME).
function ratio_best(hand, mpi,    round, best, v, b, n, list) {
    for (round = 1; round <= rounds; round++) {
        b = of_round(round, "dame", mpi)
        if (b == "")
            continue
        best = of_round(round, "dame", hand)
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
    if (!(name in lowest) || r < lowest[name]) {
        lowest[name] = r
        lowest_row[name] = row
    }
}

function summary(name, text) {
    if (rows[name] > 0)
        printf "%-44s %6.2f   lowest %5.2f  %s\n", text, exp(logs[name] / rows[name]),
               lowest[name], lowest_row[name]
}

function heading() {
    if (csv) {
        print "layout,bytes,direction,hand_ns,native_ns,dame_ns,mpich_ns,dame_over_native," \
              "dame_over_hand,dame_over_best,native_fragments_ns,dame_fragments_ns," \
              "dame_over_native_fragments,native_fragments_cost,dame_fragments_cost"
        return
    }
    printf "%d rounds of %s. GB/s (ns per call below 1 KiB); ratios above 1: DAME is faster.\n\n",
           rounds, engines
    printf "%-25s %8s %6s | %7s %7s %7s %7s | %6s %6s %6s | %7s %7s %6s %5s %5s\n",
           "", "", "", "", "", "", "", "", "DAME /", "", "8 KiB", "fragm.", "DAME/", "cost", "%"
    printf "%-25s %8s %6s | %7s %7s %7s %7s | %6s %6s %6s | %7s %7s %6s %5s %5s\n",
           "layout", "bytes", "", "hand", "native", "DAME", "MPICH", "native", "hand", "best",
           "native", "DAME", "native", "nat.", "DAME"
}

function print_csv(layout, direction, hand, mpi, cut, one) {
    printf "%s,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", layout, bytes[layout], direction,
           column("native", hand), column("native", mpi), column("dame", mpi), column("mpich", mpi),
           ratio("native", mpi, "dame", mpi), ratio("dame", hand, "dame", mpi),
           ratio_best(hand, mpi),
           column("native", cut), column("dame", cut), ratio("native", cut, "dame", cut),
           ratio("native", cut, "native", one), ratio("dame", cut, "dame", one)
}

function print_row(layout, direction,    hand, mpi, cut, one, b, row, d_native, d_hand, d_best, \
                   d_cut) {
    hand = layout SUBSEP direction SUBSEP "hand"
    mpi = layout SUBSEP direction SUBSEP "mpi"
    cut = layout SUBSEP direction SUBSEP "fragments"
    one = layout SUBSEP direction SUBSEP "one"
    if (csv) {
        print_csv(layout, direction, hand, mpi, cut, one)
        return
    }
    b = bytes[layout]
    row = layout " " direction
    d_native = ratio("native", mpi, "dame", mpi)
    d_hand = ratio("dame", hand, "dame", mpi)
    d_best = ratio_best(hand, mpi)
    d_cut = ratio("native", cut, "dame", cut)
    printf "%-25s %8d %6s | %7s %7s %7s %7s | %6s %6s %6s | %7s %7s %6s %5s %5s\n",
           direction == "pack" ? layout : "", b, direction,
           speed(column("native", hand), b), speed(column("native", mpi), b),
           speed(column("dame", mpi), b), speed(column("mpich", mpi), b),
           times(d_native), times(d_hand), times(d_best),
           speed(column("native", cut), b), speed(column("dame", cut), b), times(d_cut),
           percent(ratio("native", cut, "native", one)), percent(ratio("dame", cut, "dame", one))
    remember("native " direction, d_native, row)
    remember("hand " direction, d_hand, row)
    remember("best " direction, d_best, row)
    remember("cut " direction, d_cut, row)
    remember("own " direction, ratio("dame", one, "dame", cut), row)
    remember("native hand " direction, ratio("native", hand, "native", mpi), row)
    remember("mpich hand " direction, ratio("mpich", hand, "mpich", mpi), row)
}

$3 == "layout" {
    if (!($4 in bytes))
        order[++layouts] = $4
    bytes[$4] = $5
    next
}

NF == 6 { add_sample($1, $2, $3 SUBSEP $4 SUBSEP $5, $6) }

END {
    heading()
    for (l = 1; l <= layouts; l++) {
        print_row(order[l], "pack")
        print_row(order[l], "unpack")
    }
    if (csv)
        exit
    print "\ngeometric means"
    for (d = 1; d <= 2; d++) {
        direction = d == 1 ? "pack" : "unpack"
        summary("native " direction, direction ": DAME / native")
        summary("hand " direction, direction ": DAME / hand")
        summary("best " direction, direction ": DAME / best of the others")
        summary("cut " direction, direction ": DAME / native, 8 KiB fragments")
        summary("own " direction, direction ": DAME in fragments / DAME in one")
        summary("native hand " direction, direction ": native / hand")
        summary("mpich hand " direction, direction ": MPICH / hand")
    }
}
