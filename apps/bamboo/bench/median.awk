# SPDX-License-Identifier: BSD-3-Clause
# Medians, for the awk programs of bench/.

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
