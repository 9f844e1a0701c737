# Turns the samples of bench/passes into its table. Needs median.awk.
#
# Input:  ROUND ENGINE layout LAYOUT BYTES
#         ROUND ENGINE LAYOUT pack|unpack KIND NANOSECONDS
# Variables: rounds, csv (1: comma-separated), engines (space-separated list: dame:none first, then
# sets of passes, each with one more, and "before" or not)

function times(r) { return r == "" ? "-" : sprintf("%.3f", r) }

# dame:a,b,c adds c; the columns are called by what they add.
function title(engine) {
    sub(/^dame:/, "", engine)
    sub(/.*,/, "+", engine)
    return engine
}

function remember(name, r, row) {
    if (r == "")
        return
    logs[name] += log(r)
    rows[name]++
    below[name] += r < 0.97
    if (!(name in lowest) || r < lowest[name]) {
        lowest[name] = r
        lowest_row[name] = row
    }
}

function summary(name, text) {
    if (rows[name] > 0)
        printf "%-16s geometric mean %.3f, lowest %.3f (%s), %d of %d below 0.97\n", text,
               exp(logs[name] / rows[name]), lowest[name], lowest_row[name], below[name], rows[name]
}

function print_row(layout, direction,    what, e, ns, gain, older) {
    what = layout SUBSEP direction SUBSEP "mpi"
    gain = ratio("dame:none", what, all, what)
    older = ratio("before", what, all, what)
    if (csv)
        printf "%s,%d,%s", layout, bytes[layout], direction
    else
        printf "%-25s %8d %6s |", direction == "pack" ? layout : "", bytes[layout], direction
    for (e = 1; e <= n; e++) {
        ns = column(engine[e], what)
        printf(csv ? ",%s" : " %10s", csv ? ns : speed(ns, bytes[layout]))
    }
    printf(csv ? ",%s,%s\n" : " | %6s %6s\n", times(gain), times(older))
    remember("none", gain, layout " " direction)
    remember("before", older, layout " " direction)
}

BEGIN {
    n = split(engines, engine, " ")
    all = engine[n] == "before" ? engine[n - 1] : engine[n]
}

{ read_worker_line() }

END {
    if (csv)
        printf "layout,bytes,direction"
    else
        printf "%d rounds. GB/s (ns per call below 1 KiB)\n\n%-25s %8s %6s |", rounds, "layout",
               "bytes", ""
    for (e = 1; e <= n; e++)
        printf(csv ? ",%s" : " %10s", title(engine[e]))
    print csv ? ",all_over_none,all_over_before" : " |  /none /before"
    for (l = 1; l <= layouts; l++) {
        print_row(order[l], "pack")
        print_row(order[l], "unpack")
    }
    if (!csv) {
        print ""
        summary("none", "all / none:")
        summary("before", "all / before:")
    }
}
