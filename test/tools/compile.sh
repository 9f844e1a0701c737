# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Sourced by test/tools/run, with its functions and programs: dame cache fill and dame bench.

# ---- fill: codes of LLVM, and the directory they are kept in ----

l=
if [ ! -e "$DAME_LLVM" ]; then
    echo "skipped: cache fill (DAME was built without LLVM)"
elif [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: cache fill (DAME-L compiles for x86-64)"
elif ldd "$DAME_LLVM" | grep "not found" >/dev/null; then
    echo "skipped: cache fill (LLVM's library is missing)"
else
    l=l
    fill=(cache --code-dir codes fill)
    ends 0 "fill" "${fill[@]}" columns.dame pairs.dame
    kept=$(grep -Ec '^(columns|pairs).dame +(un)?pack +l:[A-Za-z0-9+]+ +[0-9]+ bytes$' out)
    holds "fill: codes of all programs and directions" [ "$kept" -ge 8 ]
    ends 0 "fill, check" cache --code-dir codes check
    holds "fill: one file for each code" grep -q "^codes: $kept files, .* 0 bad" out
    ends 0 "fill, again" "${fill[@]}" columns.dame pairs.dame
    holds "fill: all are found" [ "$(grep -c ', found$' out)" = "$kept" ]
    ends 0 "fill, other programs" "${fill[@]}" struct.dame pairs.dame
    holds "fill: some are found" eval "grep -q ', found$' out && grep -qv ', found$' out"
    for limit in 100000 $(seq 190000 2000 260000) 400000 600000; do # KiB of addresses; sanitizers need more
        (ulimit -v $limit && "$dame" --help >/dev/null 2>&1) || continue
        (ulimit -v $limit && "$dame" cache --code-dir limited fill columns.dame >out 2>err)
        code=$?
        holds "fill, $limit KiB of memory: ends by no signal" [ $code -le 3 ]
    done
    for tier in ptx amdgpu; do
        ends 0 "fill, $tier" cache --code-dir codes --tier $tier fill columns.dame
        holds "fill, $tier: both directions" [ "$(grep -Ec "^columns.dame +(un)?pack +l:$tier +[0-9]+ bytes\$" out)" = 2 ]
    done
    for cpu in haswell skylake-avx512 znver4; do # whatever this CPU is; nothing is run
        ends 0 "fill --cpu $cpu" cache --code-dir codes-$cpu --cpu $cpu fill columns.dame
        "$dame" cache --code-dir codes-$cpu list >out
        holds "fill --cpu $cpu: is what the list shows" grep -q "x86-64 $(case $cpu in
            haswell) echo 'Intel avx2,' ;;
            skylake-avx512) echo 'Intel avx2 avx512,' ;;
            znver4) echo 'AMD avx2 avx512 avx512_vbmi,' ;;
            esac)" out
    done
    ends 0 "fill --cpu, again" cache --code-dir codes-haswell --cpu haswell fill columns.dame
    holds "fill --cpu: finds code for that CPU" eval "! grep 'l:' out | grep -v ', found\$' >/dev/null"
    ends 0 "fill --cpu, another" cache --code-dir codes-haswell --cpu znver3 fill columns.dame
    holds "fill --cpu: and nothing else" eval "! grep -q ', found\$' out"
    chmod 777 codes
    ends 3 "fill, a directory that others write" "${fill[@]}" columns.dame
    chmod 755 codes
    ends 1 "fill, one of two is wrong" "${fill[@]}" wrong.dame columns.dame
    holds "fill, one of two is wrong: the other is there" grep -q ^columns.dame out
    ends 0 "fill, nothing to compile" "${fill[@]}" - < <(printf 'EXIT CONTIGFINAL(0) BOTTOM')
    holds "fill, nothing to compile: says so" grep -Eq "^standard input +pack +l:.* not compiled: nothing to compile$" out
fi
DAME_LLVM=none.so refuses 3 "fill, no LLVM where the environment says" \
    "dame: dame_llvm.so was not found; \\\$DAME_LLVM says where it is" cache fill columns.dame

# ---- bench ----

ends 0 "bench" bench --seconds 0.1 struct.dame
holds "bench: the bytes moved" grep -q '^struct.dame: 1 element, 7 bytes packed, in 14 bytes' out
for tier in memcpy plain optimised x $l; do
    holds "bench: $tier" [ "$(grep -Ec "^$tier( +[0-9.]+){4}\$" out)" = 1 ]
done
holds "bench: ratios fit the rates" awk '
    $1 == "memcpy" { copied = $2 }
    NF == 5 && $2 ~ /^[0-9.]+$/ { n++; for (i = 2; i < 5; i += 2) wrong += $i <= 0 || $i / copied > $(i + 1) + 0.02 || $i / copied < $(i + 1) - 0.02 }
    END { exit n < 4 || wrong }' out
refuses 1 "bench, nothing" "dame: standard input: there are no bytes to move" bench - \
    < <(printf 'EXIT CONTIGFINAL(0) BOTTOM')
