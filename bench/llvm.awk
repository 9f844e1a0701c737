# SPDX-License-Identifier: BSD-3-Clause
# Turns the samples of bench/llvm into its tables. Needs median.awk.
#
# Input:  0 layout LAYOUT BYTES COUNT
#         ROUND compile x|l JSON          an object of `dame compile --json`
#         ROUND run LAYOUT on|off JSON    a result of `dame bench --json`
# Variables: rounds, csv (1: comma-separated)

# The value of a member of the JSON object in $0; "" when it is not there.
function member(name,    at, value) {
    if (!match($0, "\"" name "\": [^,}]*"))
        return ""
    value = substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
    gsub(/"/, "", value)
    return value
}

# One sample of each phase for a variant: all layouts and directions together.
function take_phases(round, variant,    total, i, ns) {
    if (!(variant in is_variant)) {
        is_variant[variant] = 1
        variants[++nvariants] = variant
    }
    for (i = 1; i < PHASES - 1; i++) {
        ns = member(phase[i] "_ns") + 0
        total += ns
        phase_of[variant, i, ++phases[variant, i]] = ns
    }
    phase_of[variant, i, ++phases[variant, i]] = member("first_ns") - total
    phase_of[variant, PHASES, ++phases[variant, PHASES]] = member("median_ns") + 0
}

function quantiles(variant, i,    n, k, list) {
    n = phases[variant, i] + 0
    for (k = 1; k <= n; k++)
        list[k] = phase_of[variant, i, k]
    median(list, n)
    return sprintf("%7.0f %7.0f", list[int((n + 1) / 2)] / 1000, list[n] / 1000)
}

function print_phases(    v, i) {
    printf "\nMicroseconds of a compilation: median and highest of all layouts, directions and rounds.\n\n%-12s", ""
    for (i = 1; i <= PHASES; i++)
        printf " | %15s", title[i]
    print ""
    for (v = 1; v <= nvariants; v++) {
        printf "%-12s", variants[v]
        for (i = 1; i <= PHASES; i++)
            printf " | %s", quantiles(variants[v], i)
        print ""
    }
    printf "\nMiB resident: %.1f with DAME-X only, %.1f after the first compilation of LLVM, %.1f after all (%d)\n",
           column("memory", "x") / 1048576, column("memory", "first") / 1048576,
           column("memory", "last") / 1048576, compilations
}

# GB/s with the level, buffers on or off cache lines.
function rate(layout, way, level, where) { return column(level, layout SUBSEP way SUBSEP where) }

function print_row(layout, way,    i, r, row, format) {
    row = csv ? layout "," bytes[layout] "," way : sprintf("%-27s %8d %6s", way == "pack" ? layout : "", bytes[layout], way)
    for (i = 1; i <= LEVELS; i++) {
        r = rate(layout, way, level[i], "on")
        row = row sprintf(csv ? ",%s" : "%s %7.2f", csv ? r : (i == 2 ? " |" : ""), r)
        if (r != "") {
            gain[level[i], way] += log(r / rate(layout, way, "l:none", "on"))
            n[level[i], way]++
        }
    }
    for (i = 1; i <= 2; i++) {
        r = ratio(level[i], layout SUBSEP way SUBSEP "on", level[i], layout SUBSEP way SUBSEP "off")
        row = row sprintf(csv ? ",%s" : "%s %5.2f", csv ? r : (i == 1 ? " |" : ""), r)
        if (r != "") {
            aligned[level[i], way] += log(r)
            aligned_n[level[i], way]++
        }
    }
    print row
}

function print_means(way,    i) {
    printf "%-43s", "geometric mean, " way ": over none; on / off"
    for (i = 1; i <= LEVELS; i++)
        printf "%s %7.2f", i == 2 ? " |" : "", exp(gain[level[i], way] / n[level[i], way])
    for (i = 1; i <= 2; i++)
        printf "%s %5.2f", i == 1 ? " |" : "", exp(aligned[level[i], way] / aligned_n[level[i], way])
    print ""
}

BEGIN {
    LEVELS = split("x l:none l:O1 l:O2 l:O3", level, " ")
    PHASES = split("ir passes generate link write load", phase, " ")
    split("IR|passes|code generation|linking|cache write|cache load", title, "|")
}

$2 == "layout" {
    order[++layouts] = $3
    bytes[$3] = $4
    next
}

$2 == "compile" && member("compiled") == "true" {
    if ($3 == "l" && member("found") == "false") {
        take_phases($1, member("variant"))
        compilations = $1 == 1 ? compilations + 1 : compilations
    }
    if ($3 == "l" && !(($1, "first") in memory))
        memory[$1, "first"] = member("resident_bytes")
    memory[$1, $3 == "l" ? "last" : "x"] = member("resident_bytes")
}

$2 == "run" {
    add_sample($1, member("tier"), $3 SUBSEP "pack" SUBSEP $4, member("pack_gbs"))
    add_sample($1, member("tier"), $3 SUBSEP "unpack" SUBSEP $4, member("unpack_gbs"))
    measured[$3] = 1
}

END {
    for (key in memory) {
        split(key, part, SUBSEP)
        add_sample(part[1], "memory", part[2], memory[key])
    }
    if (csv)
        print "layout,bytes,direction,x,none,O1,O2,O3,x_on_off,none_on_off"
    else {
        printf "%d rounds. GB/s on cache lines; x is DAME-X; the last columns: on lines / off them\n\n", rounds
        printf "%-27s %8s %6s %7s | %7s %7s %7s %7s | %5s %5s\n", "layout", "bytes", "", "x", "none", "O1",
               "O2", "O3", "x", "none"
    }
    for (l = 1; l <= layouts; l++)
        if (order[l] in measured) {
            print_row(order[l], "pack")
            print_row(order[l], "unpack")
        }
    if (csv)
        exit
    print_means("pack")
    print_means("unpack")
    print_phases()
}
