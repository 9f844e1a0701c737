# Turns the samples of bench/lives into its table. Needs median.awk.
#
# Input:  ROUND ENGINE layout LAYOUT BYTES
#         ROUND ENGINE LAYOUT pack|unpack USES NANOSECONDS
#         ROUND ENGINE living BYTES
# Variables: rounds, csv (1: comma-separated), engines (space-separated list)

function label(engine) { sub("threshold:", "at ", engine); return engine == "x" ? "at 1" : engine }

function us(ns) { return ns == "" ? "-" : sprintf(ns < 1e4 ? "%.2f" : "%.0f", ns / 1000) }

# How many times as long as the better of the interpreter alone and compiling at once.
function regret(engine, what,    a, b) {
    a = ratio(engine, what, "interp", what)
    b = ratio(engine, what, "x", what)
    return a > b ? a : b
}

function print_row(layout, direction, uses,    e, what, r) {
    what = layout SUBSEP direction SUBSEP uses
    printf csv ? "%s,%s,%d" : "%-24s %6s %5d |", layout, direction, uses
    for (e = 1; e <= n_engines; e++)
        printf csv ? ",%s" : " %8s", csv ? column(name[e], what) : us(column(name[e], what))
    if (!csv)
        printf " |"
    for (e = 2; e <= n_engines; e++) {
        r = ratio("native", what, name[e], what)
        if (!csv)
            printf " %6.2f", r
        logs[name[e], uses] += log(r)
        if (!((name[e], uses) in lowest) || r < lowest[name[e], uses])
            lowest[name[e], uses] = r
        r = regret(name[e], what)
        regrets[name[e], uses] += log(r)
        if (r > worst[name[e]])
            worst[name[e]] = r
    }
    printf "\n"
    rows[uses]++
}

{
    if ($3 == "layout") {
        read_worker_line()
    } else if ($3 == "living") {
        add_sample($1, $2, "living", $4)
    } else if (NF == 6) {
        read_worker_line()
        if (!($5 in seen)) {
            seen[$5] = 1
            number[++n_uses] = $5
        }
    }
}

END {
    n_engines = split(engines, name, " ")
    printf csv ? "layout,direction,uses" : "%-24s %6s %5s |", "layout", "", "uses"
    for (e = 1; e <= n_engines; e++)
        printf csv ? ",%s_ns" : " %8s", csv ? name[e] : label(name[e])
    if (!csv) {
        printf " | native /"
        for (e = 2; e <= n_engines; e++)
            printf " %s", label(name[e])
    }
    printf "\n"
    for (l = 1; l <= layouts; l++)
        for (d = 0; d < 2; d++)
            for (u = 1; u <= n_uses; u++)
                print_row(order[l], d ? "unpack" : "pack", number[u])
    if (csv)
        exit
    print "\nbytes of a living datatype, of 100000 that have 100 layouts (native / DAME)"
    for (e = 1; e <= n_engines; e++)
        printf "%s%s %.0f (%.2f)", (e > 1 ? " | " : ""), label(name[e]), column(name[e], "living"),
               ratio("native", "living", name[e], "living")
    printf "\n"
    print "\nuses: geometric mean of native / DAME (lowest), and of DAME / the better of interp and at 1"
    for (u = 1; u <= n_uses; u++) {
        printf "%5d", number[u]
        for (e = 2; e <= n_engines; e++)
            printf " | %7s %5.2f (%4.2f) %4.2f", label(name[e]),
                   exp(logs[name[e], number[u]] / rows[number[u]]), lowest[name[e], number[u]],
                   exp(regrets[name[e], number[u]] / rows[number[u]])
        printf "\n"
    }
    printf "worst"
    for (e = 2; e <= n_engines; e++)
        printf " | %7s %17.2f", label(name[e]), worst[name[e]]
    printf "\n"
}
