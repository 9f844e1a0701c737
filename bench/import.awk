# Turns the samples of bench/import into its table. Needs median.awk.
#
# Input:  ROUND ENGINE layout LAYOUT BYTES
#         ROUND ENGINE LAYOUT type|memory KIND VALUE
# Variables: rounds, csv (1: comma-separated), engines (space-separated list)

function us(ns) { return ns == "" ? "-" : sprintf("%.2f", ns / 1000) }

function cell(engine, layout, kind) { return us(column(engine, layout SUBSEP "type" SUBSEP kind)) }

function print_csv(layout,    k, kinds, n_kinds, e, names, n_names) {
    n_kinds = split("create free first free_used", kinds, " ")
    n_names = split("native dame mpich", names, " ")
    printf "%s", layout
    for (k = 1; k <= n_kinds; k++)
        for (e = 1; e <= n_names; e++)
            printf ",%s", column(names[e], layout SUBSEP "type" SUBSEP kinds[k])
    printf "\n"
}

function print_row(layout) {
    printf "%-27s | %8s %8s %8s %7s | %7s %7s %7s | %8s %8s | %7s %7s\n", layout,
           cell("native", layout, "create"), cell("dame", layout, "create"),
           cell("mpich", layout, "create"), us(difference("dame", layout SUBSEP "type" SUBSEP "create", "native", layout SUBSEP "type" SUBSEP "create")),
           cell("native", layout, "free"), cell("dame", layout, "free"),
           cell("mpich", layout, "free"),
           cell("native", layout, "first"), cell("dame", layout, "first"),
           cell("native", layout, "free_used"), cell("dame", layout, "free_used")
}

function print_heading() {
    if (csv) {
        print "layout,create_native_ns,create_dame_ns,create_mpich_ns,free_native_ns," \
              "free_dame_ns,free_mpich_ns,first_native_ns,first_dame_ns,first_mpich_ns,free_used_native_ns," \
              "free_used_dame_ns,free_used_mpich_ns"
        return
    }
    printf "%d rounds of %s. Microseconds; medians.\n\n", rounds, engines
    printf "%-27s | %-34s | %-23s | %-17s | %s\n", "", "create and commit", "free, never used",
           "first use, extra", "free, used"
    printf "%-27s | %8s %8s %8s %7s | %7s %7s %7s | %8s %8s | %7s %7s\n", "layout", "native",
           "DAME", "MPICH", "D - n", "native", "DAME", "MPICH", "native", "DAME", "native", "DAME"
}

function print_memory(    l, e, engine_names, n) {
    n = split(engines, engine_names, " ")
    for (l = 1; l <= layouts; l++)
        for (e = 1; e <= n; e++)
            if ((engine_names[e], order[l]) in has_memory)
                printf "%s%s, %-6s: %6.1f bytes per entry for the type, %6.1f more at first use\n",
                       printed++ ? "" : "\nResident memory\n", order[l], engine_names[e],
                       column(engine_names[e], order[l] SUBSEP "memory" SUBSEP "create"),
                       column(engine_names[e], order[l] SUBSEP "memory" SUBSEP "first")
}

$3 == "layout" {
    if (!($4 in bytes))
        order[++layouts] = $4
    bytes[$4] = $5
    next
}

NF == 6 {
    add_sample($1, $2, $3 SUBSEP $4 SUBSEP $5, $6)
    if ($4 == "memory")
        has_memory[$2, $3] = 1
}

END {
    print_heading()
    for (l = 1; l <= layouts; l++)
        if (csv)
            print_csv(order[l])
        else
            print_row(order[l])
    if (!csv)
        print_memory()
}
