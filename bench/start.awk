# The table of bench/start. Lines: ROUND ENGINE WHAT NANOSECONDS.

function of(engine, what, minus,    round, n, list) {
    for (round = 1; round <= rounds; round++)
        list[++n] = v[round, engine, what] - (minus == "" ? 0 : v[round, minus, what])
    return median(list, n) / 1000
}

{
    v[$1, $2, $3] = $4
    rounds = $1
    if (!($2 in seen)) {
        seen[$2]
        order[++engines] = $2
    }
}

END {
    printf "%-12s %12s %12s %12s %12s\n", "us", "MPI_Init", "its CPU time", "MPI_Finalize", "its CPU time"
    for (e = 1; e <= engines; e++) {
        name = order[e]
        printf "%-12s %12.0f %12.0f %12.0f %12.0f\n", name, of(name, "init-wall"), of(name, "init-cpu"),
            of(name, "finalize-wall"), of(name, "finalize-cpu")
        if (name != "alone")
            printf "  - alone    %+12.0f %+12.0f %+12.0f %+12.0f\n", of(name, "init-wall", "alone"),
                of(name, "init-cpu", "alone"), of(name, "finalize-wall", "alone"), of(name, "finalize-cpu", "alone")
    }
}
