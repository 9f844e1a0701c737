# SPDX-License-Identifier: BSD-3-Clause
# Medians, ratios and speeds, for the awk programs of bench/.

function median(list, n,    i, j, t) {      # sorts list[1 … n]; "" when n is 0
    if (n == 0)
        return ""
    for (i = 2; i <= n; i++) {
        t = list[i]
        for (j = i - 1; j >= 1 && list[j] > t; j--)
            list[j + 1] = list[j]
        list[j + 1] = t
    }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# Samples: call add_sample for each, then of_round, column and ratio. `what` is any key.

function add_sample(round, engine, what, value,    key) {
    key = round SUBSEP engine SUBSEP what
    sample[key, ++samples[key]] = value + 0
}

# Median of the samples of one process run, or "".
function of_round(round, engine, what,    key, i, n, list) {
    key = round SUBSEP engine SUBSEP what
    if (!(key in known)) {
        n = samples[key] + 0
        for (i = 1; i <= n; i++)
            list[i] = sample[key, i]
        known[key] = median(list, n)
    }
    return known[key]
}

# Median over the rounds of an engine's value, or "".
function column(engine, what,    round, v, n, list) {
    for (round = 1; round <= rounds; round++)
        if ((v = of_round(round, engine, what)) != "")
            list[++n] = v
    return median(list, n + 0)
}

# Median over the rounds of a / b, or "".
function ratio(engine_a, what_a, engine_b, what_b,    round, a, b, n, list) {
    for (round = 1; round <= rounds; round++) {
        a = of_round(round, engine_a, what_a)
        b = of_round(round, engine_b, what_b)
        if (a != "" && b != "" && b > 0)
            list[++n] = a / b
    }
    return median(list, n + 0)
}

# GB/s, or nanoseconds per call for short messages.
function speed(ns, bytes) {
    if (ns == "")
        return "-"
    if (bytes < 1024)
        return sprintf("%.0f ns", ns)
    return sprintf(bytes / ns < 10 ? "%.2f" : "%.1f", bytes / ns)
}
