# The table of bench/start. Lines: ROUND ENGINE WHAT NANOSECONDS; columns in the order of `whats`.

{
    add_sample($1, $2, $3, $4)
    rounds = $1
    if (!($2 in seen)) {
        seen[$2]
        order[++engines] = $2
    }
}

END {
    n = split("init-wall init-cpu finalize-wall finalize-cpu commit-wall commit-cpu", whats)
    printf "%-12s %12s %12s %12s %12s %12s %12s\n", "us", "MPI_Init", "its CPU time", "MPI_Finalize", "its CPU time",
        "1st datatype", "its CPU time"
    for (e = 1; e <= engines; e++) {
        printf "%-12s", order[e]
        for (i = 1; i <= n; i++)
            printf " %12.0f", column(order[e], whats[i]) / 1000
        print ""
        if (order[e] == "alone")
            continue
        printf "%-12s", "  - alone"
        for (i = 1; i <= n; i++)
            printf " %+12.0f", difference(order[e], whats[i], "alone", whats[i]) / 1000
        print ""
    }
}
