# SPDX-License-Identifier: BSD-3-Clause
# Prints TRUTH and ESTIMATE, in nanoseconds for a byte, of the data for which the report has an estimate,
# and the share of the engine's time in calls that were left out.
#
# Input: what native_times.c wrote, then the report's JSON
#
# Each datatype of the report counts by its own bytes, with the time that the engine took for datatypes of
# its name and size: bytes without an estimate are often dearer than others, so they must not count here.

FNR == NR {
    work = $1
    size = $2
    bytes[work, size, name_from(6)] += $3
    ns[work, size, name_from(6)] += $4
    time += $4
    left_out += $5
    next
}

/^    \{"name": / {
    name = $0
    sub(/^    \{"name": "/, "", name)
    sub(/", "layout": .*/, "", name)
    size = number_of("size")
}

/^     "(pack|unpack|copy)": / {
    work = substr($1, 2, index($1, ":") - 3)
    moved = 0
    for (i = split($0, parts, "\"bytes\": "); i > 1; i--)
        moved += parts[i]
}

/"native_ns_per_byte": [0-9]/ {
    if (bytes[work, size, name] > 0) {
        all += moved
        estimate += moved * number_of("native_ns_per_byte")
        truth += moved * ns[work, size, name] / bytes[work, size, name]
    }
}

END {
    if (all > 0)
        printf "%.9g %.9g %.9g ", truth / all, estimate / all, left_out / (time + left_out)
}

function name_from(field,    text, i) {
    text = $0
    for (i = 1; i < field; i++)
        sub(/^[^ ]* /, "", text)
    return text
}

# The number behind "key": in this line.
function number_of(key,    text) {
    text = $0
    sub(".*\"" key "\": ", "", text)
    return text + 0
}
