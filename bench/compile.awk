# SPDX-License-Identifier: BSD-3-Clause
# Turns the samples of bench/compile into its table. Needs median.awk.
#
# Input:  layout LAYOUT BYTES COUNT
#         ROUND LAYOUT pack|unpack compile LEVELS KERNELS CODE_BYTES FIRST MEDIAN WORST   (ns)
#         ROUND LAYOUT run optimised|x PACK_GBS UNPACK_GBS
# Variables: rounds, csv (1: comma-separated)

function us(ns) { return ns == "" ? "-" : sprintf("%.2f", ns / 1000) }

function ns(value) { return value == "" ? "-" : sprintf("%.0f", value) }

# Median over the rounds of compile time / (interpreted - compiled); "" when that gains nothing.
function break_even(layout, way,    round, compile, interp, x, n, list) {
    for (round = 1; round <= rounds; round++) {
        compile = of_round(round, "compile", layout SUBSEP way SUBSEP "median")
        interp = of_round(round, "optimised", layout SUBSEP way)
        x = of_round(round, "x", layout SUBSEP way)
        if (compile != "" && interp != "" && x != "")
            list[++n] = interp > x ? compile / (interp - x) : NEVER
    }
    n = median(list, n + 0)
    return n == "" || n >= NEVER ? "" : n
}

function remember(name, value, row) {
    if (value == "")
        return
    list_of[name, ++counts[name]] = value
    if (!(name in highest) || value > highest[name]) {
        highest[name] = value
        highest_row[name] = row
    }
}

function summary(name, text, limit, unit, scale,    i, n, list, over) {
    if (!(name in counts))
        return
    for (i = 1; i <= counts[name]; i++) {
        list[++n] = list_of[name, i]
        over += list_of[name, i] > limit * scale
    }
    printf "%-42s median %.2f %s, highest %.2f (%s), %d of %d above %d\n", text,
           median(list, n) / scale, unit, highest[name] / scale, highest_row[name], over, n, limit
}

function print_row(layout, way,    what, row, first, middle, worst, interp, x, gain, uses, format) {
    what = layout SUBSEP way
    row = layout " " way
    first = column("compile", what SUBSEP "first")
    middle = column("compile", what SUBSEP "median")
    worst = column("compile", what SUBSEP "worst")
    interp = column("optimised", what)
    x = column("x", what)
    gain = ratio("optimised", what, "x", what)
    uses = break_even(layout, way)
    format = csv ? "%s,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n" \
                 : "%-27s %8d %6s | %3s/%-3s %6s | %7s %7s %7s | %9s %9s %6s | %7s\n"
    printf format, csv || way == "pack" ? layout : "", bytes[layout], way, kernels[what],
           levels[what], code[what], csv ? first : us(first), csv ? middle : us(middle),
           csv ? worst : us(worst), ns(interp), ns(x), gain == "" ? "-" : sprintf("%.2f", gain),
           uses == "" ? "-" : sprintf("%.1f", uses)
    remember("first", first, row)
    remember("median", middle, row)
    remember("worst", worst, row)
    remember("code", code[what], row)
    remember("uses", uses, row)
    if (gain != "") {
        gains++
        logs += log(gain)
        slower += gain < 0.97
    }
    missing += middle == ""
}

BEGIN { NEVER = 1e15 }

$1 == "layout" {
    order[++layouts] = $2
    bytes[$2] = $3
    next
}

$4 == "compile" {
    levels[$2, $3] = $5
    kernels[$2, $3] = $6
    code[$2, $3] = $7
    add_sample($1, "compile", $2 SUBSEP $3 SUBSEP "first", $8)
    add_sample($1, "compile", $2 SUBSEP $3 SUBSEP "median", $9)
    add_sample($1, "compile", $2 SUBSEP $3 SUBSEP "worst", $10)
    measured[$2] = 1
}

$3 == "run" {
    add_sample($1, $4, $2 SUBSEP "pack", bytes[$2] / $5)
    add_sample($1, $4, $2 SUBSEP "unpack", bytes[$2] / $6)
    measured[$2] = 1
}

END {
    if (csv)
        print "layout,bytes,direction,kernels,levels,code_bytes,first_ns,median_ns,worst_ns," \
              "interp_ns,x_ns,interp_over_x,break_even_uses"
    else {
        printf "%d rounds\n\n", rounds
        printf "%-27s %8s %6s | %14s | %-23s | %-26s | %7s\n", "", "", "", "machine code",
               "compiling, microseconds", "a message, nanoseconds", "repaid"
        printf "%-27s %8s %6s | %7s %6s | %7s %7s %7s | %9s %9s %6s | %7s\n", "layout", "bytes", "",
               "levels", "bytes", "first", "median", "worst", "interp", "x", "/x", "by uses"
    }
    for (l = 1; l <= layouts; l++)
        if (order[l] in measured) {
            print_row(order[l], "pack")
            print_row(order[l], "unpack")
        }
    if (csv)
        exit
    print ""
    summary("median", "compiling", 20, "us", 1000)
    summary("first", "compiling, first of a process", 60, "us", 1000)
    summary("worst", "compiling, worst of a process", 60, "us", 1000)
    summary("code", "machine code", 4096, "bytes", 1)
    summary("uses", "repaid, where it gains", 10, "uses", 1)
    if (gains > 0)
        printf "interp / x: geometric mean %.2f, %d of %d below 0.97\n", exp(logs / gains), slower,
               gains
    if (missing > 0)
        printf "not compiled: %d rows\n", missing
}
