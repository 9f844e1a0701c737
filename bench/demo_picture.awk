# SPDX-License-Identifier: BSD-3-Clause
# Turns the results of bench/demo into a picture: an SVG of bars, light or dark as its page is.
# The two bars of a layout are to scale; those of different layouts are not.
# -v machine=TEXT: written below.
#
# Input: lines of bench/run --table: NAME BYTES DAME OPEN_MPI RATIO ..., in microseconds.

NF > 5 && $2 + 0 > 0 {
    order[++rows] = $1
    bytes[$1] = $2
    time["dame", $1] = $3
    time["native", $1] = $4
    ratio[$1] = $5
}

function escaped(text)
{
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    return text
}

function bar(class, y, us, longest, label)
{
    printf "<rect class=\"%s\" x=\"230\" y=\"%d\" width=\"%.1f\" height=\"16\"/>\n", class, y,
           WIDTH * us / longest
    printf "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", 236 + WIDTH * us / longest, y + 12.5, label
}

END {
    WIDTH = 250
    ROW = 54
    height = rows * ROW + 46
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 %d\" ", height
    printf "width=\"720\" height=\"%d\" role=\"img\">\n", height
    print "<title>Time of a message: Open MPI's own engine and DAME</title>"
    print "<style>"
    print "text { font: 13px sans-serif; fill: #1f2328 } .small { font-size: 11px; fill: #59636e }"
    print ".paper { fill: #ffffff } .native { fill: #8c959f } .dame { fill: #0969da }"
    print "@media (prefers-color-scheme: dark) {"
    print "text { fill: #e6edf3 } .small { fill: #9198a1 } .paper { fill: #0d1117 }"
    print ".native { fill: #6e7681 } .dame { fill: #4493f8 } }"
    print "</style>"
    printf "<rect class=\"paper\" width=\"720\" height=\"%d\"/>\n", height
    for (r = 1; r <= rows; r++) {
        name = order[r]
        native = time["native", name]
        dame = time["dame", name]
        longest = native > dame ? native : dame
        y = 10 + (r - 1) * ROW
        printf "<text x=\"10\" y=\"%d\">%s</text>\n", y + 13, escaped(name)
        printf "<text class=\"small\" x=\"10\" y=\"%d\">%d bytes</text>\n", y + 30, bytes[name]
        bar("native", y, native, longest, sprintf("Open MPI %.1f &#181;s", native))
        bar("dame", y + 19, dame, longest,
            sprintf("DAME %.1f &#181;s: %s &#215; as fast", dame, ratio[name]))
    }
    printf "<text class=\"small\" x=\"10\" y=\"%d\">", height - 26
    printf "Two ranks; medians of turns. "
    print "The longer bar of each layout has the same length.</text>"
    printf "<text class=\"small\" x=\"10\" y=\"%d\">%s</text>\n</svg>\n", height - 10,
           escaped(machine)
}
