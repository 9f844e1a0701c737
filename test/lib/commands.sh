# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Sourced by test scripts that ask how the product is compiled. $root is the source tree, $BUILDDIR a build of it.

# shellcheck disable=SC2034 # by those that source this
product_rooms=(base lang jit measure engine opal-glue ompi-mca-dame libdame cli tools apps)

# makefile_value NAME: the value that configure gave to NAME.
makefile_value()
{
    sed -n "s/^$1 = *//p" "$BUILDDIR/Makefile"
}

# compile_commands: a line "FILE<tab>OBJECT<tab>FLAGS" for each compilation of the product's files, as make would run it
# in $BUILDDIR. A file can be there more than once, with other flags. Nothing is built.
compile_commands()
{
    local new=() file srcdir
    srcdir=$(makefile_value srcdir)
    while read -r file; do
        new+=(-W "$srcdir/$file")
    done < <(cd "$root" && find "${product_rooms[@]}" -name '*.c' ! -path 'apps/*/test/*' ! -path 'apps/*/bench/*')
    make -C "$BUILDDIR" --no-print-directory -n V=1 "${new[@]}" product | awk '
        / -c -o [^ ]+ .*\.c( *&&)? *\\?$/ { # not what configure prints, when make runs it again
            sub(/ *(&&)? *\\?$/, "")
            file = $0
            sub(/^.* -c -o [^ ]+ (`[^`]*`)?/, "", file)
            while (sub(/^(\.\.\/|\.\/)/, "", file)) { }
            object = $0
            sub(/^.* -c -o /, "", object)
            sub(/ .*$/, "", object)
            if (sub(/\.lo$/, ".o", object))
                sub(/[^\/]*$/, ".libs/&", object)
            sub(/^.*--mode=compile /, "")
            sub(/ -MT .*$/, "")
            sub(/ -c -o .*$/, "")
            sub(/^[^ ]+ /, "")
            print file "\t" object "\t" $0
        }' | sort -u
}
