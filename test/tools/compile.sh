# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Sourced by test/tools/run, with its functions and programs: dame compile and dame bench.

# ---- compile, and whether this CPU has a compiler ----

compiler=
ends 0 "compile" compile columns.dame struct.dame
grep -q '^There is no compiler' out || compiler=$(sed -n '1s/ vectors; microseconds$//p' out)
if [ -n "$compiler" ]; then
    holds "compile: one is the first" \
        [ "$(grep -Ec '^columns.dame +pack +[1-9]/[1-9]( +[0-9.]+){4}$' out)" = 1 ]
    holds "compile: others are not" \
        [ "$(grep -Ec '^[a-z.]+ +(un)?pack +[1-9]/[1-9] +[0-9]+ +-( +[0-9.]+){2}$' out)" = 3 ]
    ends 0 "compile --json" compile --json --repeats 3 --direction unpack columns.dame struct.dame
    json "compile --json" out
    holds "compile --json: a direction" [ "$(grep -c '"direction": "unpack", "compiled": true' out)" = 2 ]
    holds "compile --json: and no other" eval "! grep -q '\"pack\"' out"
    ends 0 "compile --output" compile --direction pack --json --output code columns.dame
    bytes=$(sed -n 's/.*"code_bytes": \([0-9]*\),.*/\1/p' out)
    holds "compile --output: all of it" [ "$(stat -c %s code)" = "$bytes" ]
    if command -v objdump >/dev/null && [[ $compiler =~ ^(sse2|avx2|avx512)$ ]]; then
        objdump -D -b binary -m i386:x86-64 code >listing
        holds "compile --output: is machine code" grep -qw ret listing
    fi
    ends 0 "compile --list" compile --list --direction unpack pairs.dame
    holds "compile --list: variants of a direction" \
        grep -Eqx 'pairs.dame +unpack( x:[a-z0-9+-]+)+' out
    read -ra variants < <(tr ' ' '\n' <out | grep ^x: | tr '\n' ' ')
    ends 0 "compile --list --json" compile --list --json pairs.dame
    json "compile --list --json" out
    "$dame" compile --direction unpack --repeats 1 -o code pairs.dame >out
    ends 0 "compile --variant" compile --direction unpack --repeats 1 --variant "${variants[0]}" \
        -o first pairs.dame
    holds "compile --variant: the first is the default" [ "$(stat -c %s code)" = "$(stat -c %s first)" ]
    echo 'EXIT VECTORFINAL(1000, 1, 96, 8, 8) CONTIGFINAL(8) BOTTOM' >long.dame
    ends 0 "compile --variant" compile --direction unpack --repeats 1 --variant x:unroll1 \
        -o other long.dame
    ends 0 "compile --variant" compile --direction unpack --repeats 1 --variant x:plain \
        -o code long.dame
    holds "compile --variant: another is other code" [ "$(stat -c %s other)" != "$(stat -c %s code)" ]
    for command in compile bench; do
        refuses 2 "$command, variant" "dame: --variant: 'x:fast' is not a variant of DAME-X: x:plain, .*" \
            $command --variant x:fast pairs.dame
        refuses 2 "$command, variant of another" "dame: --variant: 'plain' is not a variant of DAME-X: x:plain, .*" \
            $command --variant plain pairs.dame
    done
    ends 0 "bench --variant" bench --seconds 0.01 --offset 8 --variant x:unroll1 \
        --variant "${variants[0]}" pairs.dame
    holds "bench --variant: is a tier" [ "$(grep -Ec "^ +whole +x:.*( +[0-9.]+){4}\$" out)" = 2 ]
    refuses 2 "bench, offset" "dame: --offset: '4096' is not a number from 0 to 4095;.*" \
        bench --offset 4096 pairs.dame
    prints "compile, nothing to compile" "[
  {\"file\": \"-\", \"direction\": \"pack\", \"compiled\": false, \
\"message\": \"nothing to compile\"}
]" compile --json --direction pack - < <(printf 'EXIT CONTIGFINAL(0) BOTTOM')
fi

# ---- compile --tier l: codes of LLVM, and the directory they are kept in ----

l=
if [ ! -e "$DAME_LLVM" ]; then
    echo "skipped: compile --tier l (DAME was built without LLVM)"
elif [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: compile --tier l (DAME-L compiles for x86-64)"
elif ldd "$DAME_LLVM" | grep "not found" >/dev/null; then
    echo "skipped: compile --tier l (LLVM's library is missing)"
else
    l=l
    tier_l=(compile --tier l --repeats 1)
    number='( +[0-9.]+)'
    ends 0 "compile --tier l" "${tier_l[@]}" columns.dame
    holds "compile --tier l: variants of both directions" \
        [ "$(grep -Ec "^columns.dame +(un)?pack +[1-9]/[1-9]$number{4}  l:[A-Za-z0-9+]+\$" out)" -ge 4 ]
    holds "compile --tier l: nothing is kept" [ ! -e codes ]
    ends 0 "compile --code-dir" "${tier_l[@]}" --code-dir codes --direction pack columns.dame pairs.dame
    kept=$(grep -c '  l:' out)
    holds "compile --code-dir: was empty" eval "! grep -q found out"
    ends 0 "compile --code-dir, check" cache --code-dir codes check
    holds "compile --code-dir: one file for each code" grep -q "^codes: $kept files, .* 0 bad" out
    ends 0 "compile --code-dir, again" "${tier_l[@]}" --code-dir codes --direction pack columns.dame pairs.dame
    holds "compile --code-dir: all are found" [ "$(grep -c ', found$' out)" = "$kept" ]
    ends 0 "compile --code-dir, other programs" "${tier_l[@]}" --json --code-dir codes struct.dame pairs.dame
    json "compile --tier l --json" out
    holds "compile --code-dir: some are found" eval "grep -q '\"found\": true' out && grep -q '\"found\": false' out"
    for limit in 100000 $(seq 190000 2000 260000) 400000 600000; do # KiB of addresses; sanitizers need more
        (ulimit -v $limit && "$dame" --help >/dev/null 2>&1) || continue
        (ulimit -v $limit && "$dame" "${tier_l[@]}" columns.dame >out 2>err)
        code=$?
        holds "compile --tier l, $limit KiB of memory: ends by no signal" [ $code -le 3 ]
    done
    ends 0 "compile --tier l --output" "${tier_l[@]}" --direction pack -o code columns.dame
    "$dame" "${tier_l[@]}" --code-dir codes --direction pack -o found columns.dame >out
    holds "compile --code-dir: found as it was compiled" cmp code found
    ends 0 "compile --tier ptx" compile --tier ptx --code-dir codes --direction pack -o ptx columns.dame
    holds "compile --tier ptx: text" grep -q '^\.visible \.entry k0($' ptx
    holds "compile --tier ptx: its size" grep -Eqx "columns.dame +pack +ptx $(wc -c <ptx) bytes" out
    ends 0 "compile --tier ptx, found" compile --tier ptx --code-dir codes --direction pack -o found columns.dame
    holds "compile --tier ptx, found: the same" cmp ptx found
    ends 0 "compile --tier amdgpu" compile --tier amdgpu columns.dame
    holds "compile --tier amdgpu: both directions" [ "$(grep -Ec '^columns.dame +(un)?pack +amdgpu [0-9]+ bytes$' out)" = 2 ]
    for cpu in haswell skylake-avx512 znver4; do # whatever this CPU is; nothing is run
        ends 0 "compile --cpu $cpu" "${tier_l[@]}" --cpu $cpu --code-dir codes-$cpu --direction pack columns.dame
        "$dame" cache --code-dir codes-$cpu list >out
        holds "compile --cpu $cpu: is what the list shows" grep -q "x86-64 $(case $cpu in
            haswell) echo 'Intel avx2,' ;;
            skylake-avx512) echo 'Intel avx2 avx512,' ;;
            znver4) echo 'AMD avx2 avx512 avx512_vbmi,' ;;
            esac)" out
    done
    ends 0 "compile --cpu, again" "${tier_l[@]}" --cpu haswell --code-dir codes-haswell --direction pack columns.dame
    holds "compile --cpu: finds code for that CPU" eval "! grep 'l:' out | grep -v ', found\$' >/dev/null"
    ends 0 "compile --cpu, another" "${tier_l[@]}" --cpu znver3 --code-dir codes-haswell --direction pack columns.dame
    holds "compile --cpu: and nothing else" eval "! grep -q ', found\$' out"
    ends 0 "bench --variant of l" bench --seconds 0.01 --variant l:O1 pairs.dame
    holds "bench --variant of l: is a tier" grep -Eq "^ +whole +l:O1( +[0-9.]+){4}\$" out
    refuses 2 "bench, no variant of l" "dame: --variant: 'l:O9' is not a variant of DAME-L: l:none, .*" bench --seconds 0.01 --variant l:O9 pairs.dame
    chmod 777 codes
    ends 3 "compile --code-dir, of others" "${tier_l[@]}" --code-dir codes columns.dame
    chmod 755 codes
    ends 0 "compile --tier l --list" compile --tier l --llvm "$DAME_LLVM" --list --direction pack pairs.dame
    holds "compile --tier l --list: its variants" grep -Eqx 'pairs.dame +pack +l:[A-Za-z0-9+]+( l:[A-Za-z0-9+]+)*' out
fi
DAME_LLVM=none.so refuses 3 "compile, no LLVM where the environment says" \
    "dame: dame_llvm.so was not found; --llvm says where it is" compile --tier l columns.dame

# ---- bench ----

# ratios_hold FILE COMPILED FRAGMENT...: every tier, COMPILED those with machine code, with every size of fragment, ratios that fit the rates
ratios_hold()
{
    python3 - "$@" <<'EOF'
import json, sys
bench = json.load(open(sys.argv[1]))
compiled = sys.argv[2].split()
fragments = [int(text) for text in sys.argv[3:]]
assert bench["count"] == 100 and bench["bytes"] == 4800, bench
rates = {(r["fragment"], r["tier"]): r for r in bench["results"]}
tiers = {tier for _, tier in rates}
assert {"memcpy", "plain", "optimised"} | set(compiled) == tiers, tiers
assert set(rates) == {(f, t) for f in fragments for t in tiers}, rates.keys()
for (fragment, tier), rate in rates.items():
    copied = rates[fragment, "memcpy"]["pack_gbs"]
    for way in ("pack", "unpack"):
        assert 0 < rate[way + "_gbs"] <= rate[way + "_best_gbs"]
        assert abs(rate[way + "_gbs"] / copied / rate[way + "_ratio"] - 1) < 1e-3, rate
EOF
}

ends 0 "bench" bench --seconds 0.1 --fragment 100 struct.dame
holds "bench: the bytes moved" grep -q '^struct.dame: 1 element, 7 bytes packed, in 14 bytes' out
for tier in memcpy plain optimised ${compiler:+x} $l; do
    holds "bench: $tier" [ "$(grep -Ec "^ *(whole|100) +$tier( +[0-9.]+){4}\$" out)" = 2 ]
done
ends 0 "bench --json" bench --json --seconds 0.1 --count 100 --fragment 64 --fragment 1k columns.dame
json "bench --json" out
if command -v python3 >/dev/null; then
    holds "bench --json: numbers" ratios_hold out "${compiler:+x} $l" 0 64 1024
fi
refuses 1 "bench, nothing" "dame: standard input: there are no bytes to move" bench - \
    < <(printf 'EXIT CONTIGFINAL(0) BOTTOM')
