# SPDX-License-Identifier: BSD-3-Clause
# Makes the manual pages of section 3 from the comments of a public header.
#
#   awk -v directory=DIR -v version=VERSION -f pages.awk include/dame/datatype.h
#
# A comment that starts at the left margin and stands directly before declarations with DAME_PUBLIC
# is the description of these functions: one page with the name of the first, links for the others.
# The first comment becomes libdame.3. A comment between two such ------ lines that stands before no
# declaration belongs to all pages of its section; a typedef belongs to the page behind it.

function escaped(line)
{
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    while (match(line, /`[^`]*`/))
        line = substr(line, 1, RSTART - 1) "\\fI" substr(line, RSTART + 1, RLENGTH - 2) "\\fR" \
            substr(line, RSTART + RLENGTH)
    if (line ~ /^[.']/)
        line = "\\&" line
    return line
}

# Comment text to file: blank lines separate paragraphs, four more blanks are code.
function write_text(text, file, shared,    lines, n, i, line, code)
{
    n = split(text, lines, "\n")
    for (i = 1; i <= n; i++) {
        line = lines[i]
        if (line ~ /^    / && !code) {
            print ".PP\n.nf\n.RS 4" > file
            code = 1
        } else if (code && line !~ /^    / && line != "") {
            print ".RE\n.fi\n.PP" > file
            code = 0
        }
        if (line ~ /^Errors?:/) {
            print (shared ? ".SH ERRORS OF ALL" : ".SH ERRORS") > file
            sub(/^Errors?: */, "", line)
        }
        if (line == "")
            print (code ? "" : ".PP") > file
        else
            print escaped(code ? substr(line, 5) : line) > file
    }
    if (code)
        print ".RE\n.fi" > file
}

function head(name, others, what, file)
{
    printf ".\\\" Made from include/dame/datatype.h by libdame/pages.awk.\n" > file
    printf ".TH %s 3 \"\" \"libdame %s\" \"DAME\"\n", toupper(name), version > file
    printf ".SH NAME\n%s \\- %s\n", name others, what > file
}

# The first sentence, for the line NAME.
function in_short(text,    sentence)
{
    sentence = text
    gsub(/\n/, " ", sentence)
    sub(/[.:] .*$/, "", sentence)
    sub(/\.$/, "", sentence)
    return escaped(tolower(substr(sentence, 1, 1)) substr(sentence, 2, 118))
}

function write_page(text, declarations, first, others,    file, names, n, i)
{
    file = directory "/" first ".3"
    head(first, others, in_short(text), file)
    print ".SH SYNOPSIS\n.nf\n#include <dame/datatype.h>\n" > file
    if (types != "")
        print escaped(types) > file
    print escaped(declarations) > file
    print ".fi\n.PP\nCompile and link with\n.nf\n$(pkg\\-config \\-\\-cflags \\-\\-libs dame)\n.fi\n.SH DESCRIPTION" > file
    write_text(text, file)
    if (section != "") {
        print ".SH ALL FUNCTIONS OF THIS KIND" > file
        write_text(section, file, 1)
    }
    print ".SH SEE ALSO\n.BR libdame (3)" > file
    close(file)
    n = split(others, names, ", ")
    for (i = 2; i <= n; i++) {
        file = directory "/" names[i] ".3"
        print ".so man3/" first ".3" > file
        close(file)
    }
}

function end_declarations()
{
    if (first == "")
        return
    write_page(comment, declarations, first, others)
    first = others = declarations = types = comment = ""
}

# ---- the header, line by line ----

/^\/\* ---- .* ---- \*\/$/ { section = comment = types = ""; next }

/^\/\*/ {
    # a comment before no declaration belongs to its section
    if (comment != "" && overview != "")
        section = section (section == "" ? "" : "\n\n") comment
    comment = ""
    in_comment = 1
    sub(/^\/\* ?/, "")
}

in_comment {
    done = sub(/ *\*\/$/, "")
    sub(/^ \* ?/, "")
    comment = comment (comment == "" ? "" : "\n") $0
    if (done) {
        in_comment = 0
        if (overview == "") {
            overview = comment
            comment = ""
        }
    }
    next
}

/^typedef .*\{$/ { in_type = 1; typed = comment; comment = "" }

in_type {
    types = types (types == "" ? "" : "\n") $0
    if ($0 ~ /^}/) {
        in_type = 0
        types = types "\n"
    }
    next
}

/^typedef / { comment = ""; next }

/^DAME_PUBLIC / { in_declaration = 1 }

in_declaration {
    line = $0
    if (sub(/^DAME_PUBLIC /, "", line)) {
        name = line
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        if (first == "")
            first = name
        else
            others = others ", " name
        all = all (all == "" ? "" : ", ") name
    } else
        sub(/^            /, "", line)
    declarations = declarations (declarations == "" ? "" : "\n") line
    if (line ~ /;$/)
        in_declaration = 0
    next
}

/^$/ { end_declarations() }

END {
    file = directory "/libdame.3"
    head("libdame", "", "datatypes as in MPI, without MPI", file)
    print ".SH DESCRIPTION" > file
    write_text(overview, file)
    print ".SH FUNCTIONS" > file
    n = split(all, names, ", ")
    for (i = 1; i <= n; i++)
        print ".BR " names[i] (i < n ? " (3)," : " (3)") > file
    print ".SH SEE ALSO\n.BR dame (1)" > file
}
