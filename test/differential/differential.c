/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random types against the oracle, for every tier, instruction set, direction, cut and order.
 *
 * A case is made of its seed and number alone, so --seed S --case K brings back any one of them.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "checks.h"
#include "dame/isa.h"
#include "llvm.h"
#include "test/lib/caches.h"
#include "tiers.h"
#include "test/lib/type_tools.h"

enum { SKIPPED = 77, MAX_FAILURES = 10, MAX_CASES = 1000000000, LONG_WALK = 1 << 18 };

typedef struct options {
    int64_t cases;
    uint64_t seed;
    int64_t only; /* the one case to run, or -1 */
    tier_set_t tiers;
    const char *tier_names; /* of the set, as the user wrote them */
    const char *isa;        /* NULL: any */
} options_t;

/* What the cases were made of, so that one sees whether they are worth running. */
static struct {
    int64_t messages;
    int64_t bytes;
    int64_t overlapping;
    int64_t absolute;
    int64_t empty;
    int64_t deep; /* beyond DAME_CURSOR_DEPTH */
    int64_t far;  /* with a level that steps over LONG_WALK bytes */
    int64_t pairs;
    int64_t with[DAME_OP_COUNT]; /* messages with the operation in their program */
} seen;

/* For the handler of crashes. */
static volatile sig_atomic_t running;
static char running_text[200];

static void count_message(const dame_program_t *program, const message_t *m)
{
    bool has[DAME_OP_COUNT] = {false};
    bool far = false;
    for (int32_t i = 0; i < program->nprims; i++) {
        const dame_prim_t *prim = &program->prims[i];
        const int64_t step = prim->step < 0 ? -prim->step : prim->step;
        has[prim->params->op] = true;
        far |= !dame_prim_has_list(prim) && prim->count > 1 && step >= LONG_WALK / prim->count;
    }
    for (int op = 0; op < DAME_OP_COUNT; op++) {
        seen.with[op] += has[op];
    }
    seen.messages++;
    seen.bytes += m->total;
    seen.overlapping += m->overlapping;
    seen.absolute += m->tree != NULL;
    seen.empty += m->total == 0;
    seen.far += far;
    seen.deep += program->depth > DAME_CURSOR_DEPTH;
}

static void print_seen(void)
{
    printf("%lld messages, %lld bytes; overlapping %lld, absolute %lld, empty %lld, "
           "deeper than %d levels %lld, walks over %d bytes %lld, pairs %lld\ntexts %lld, too long "
           "to be tried %lld\n"
           "messages with",
           (long long) seen.messages, (long long) seen.bytes, (long long) seen.overlapping,
           (long long) seen.absolute, (long long) seen.empty, DAME_CURSOR_DEPTH,
           (long long) seen.deep, LONG_WALK, (long long) seen.far, (long long) seen.pairs,
           (long long) checked.texts, (long long) checked.long_texts);
    for (int op = DAME_OP_RETURNTO; op < DAME_OP_COUNT; op++) {
        printf(" %s %lld", dame_op_name((dame_op_t) op), (long long) seen.with[op]);
    }
    putchar('\n');
    printf("around missing pages %lld, moved by several threads %lld, apart in one buffer "
           "%lld\nby grids %lld, fragments in pieces of 16 bytes %lld\n",
           (long long) checked.gaps, (long long) checked.threads, (long long) checked.apart,
           (long long) checked.grids, (long long) checked.wide_pieces);
}

/* ---- failures ---- */

static void on_crash(int signal_number)
{
    if (running) {
        ssize_t written = write(STDOUT_FILENO, running_text, strlen(running_text));
        (void) written;
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Only signals without a handler: a sanitizer reports better. */
static void catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
            signal(signals[i], on_crash);
        }
    }
}

/* A sanitizer calls it before its report, where there is one. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    if (running) {
        ssize_t written = write(STDOUT_FILENO, running_text, strlen(running_text));
        (void) written;
    }
}

/* What the case is made of. */
static void describe(const test_case_t *c, const tier_t *tier)
{
    dame_program_t *program;
    type_describe(stdout, "  ", c->type);
    if (c->partner) {
        printf("  %lld of these are sent, and received as %lld of\n", (long long) c->pair_count,
               (long long) c->partner_count);
        type_describe(stdout, "  ", c->partner);
    }
    if (tier->obtain(c->type, &tier->options, &program) == DAME_OK) {
        dame_program_print(program, stdout);
        dame_program_free(program);
    }
}

static void report(const options_t *options, const test_case_t *c, int64_t number,
                   const check_t *check)
{
    printf("case %lld of seed %llu failed (tier %s, passes %s, isa %s%s): %s\n"
           "  again: differential --seed %llu --case %lld --tier %s\n",
           (long long) number, (unsigned long long) options->seed, check->tier->name,
           tier_passes(check->tier), c->isa, tier_jit(check->tier), check->message,
           (unsigned long long) options->seed, (long long) number, options->tier_names);
}

/* ---- cases ---- */

/* The messages of a case; on failure *check has the error. */
static bool run_messages(const test_case_t *c, const tier_t *tier, check_t *check)
{
    enum { ROUNDS = 6 }; /* of one code: compiling takes longer than all of them */
    const int rounds = tier->by_llvm && !tier->changes ? ROUNDS : 1;
    for (int k = 0; k < rounds * c->ncounts; k++) {
        const int64_t count = c->counts[k % c->ncounts];
        *check = (check_t){.rng = rng_seeded(c->check_seed + (uint64_t) k, 0), .tier = tier};
        if (!check_message(check, c->type, count, c->absolute, count_message)) {
            const size_t n = strlen(check->message);
            snprintf(check->message + n, sizeof check->message - n, " (%lld elements)",
                     (long long) count);
            return false;
        }
    }
    return true;
}

static bool run_case(const options_t *options, int64_t number, bool describes)
{
    test_case_t c;
    const char *what;
    dame_status_t status = case_init(&c, options->seed, number, options->isa, &what);
    const tier_t tier = tier_of_case(options->tiers, c.check_seed);
    check_t check;
    bool ok = status == DAME_OK && dame_isa_force(c.isa) == DAME_OK;
    dame_data_cache_force(test_caches(c.check_seed));
    if (!ok) {
        printf("case %lld of seed %llu failed: %s: %s\n", (long long) number,
               (unsigned long long) options->seed, what, dame_status_text(status));
        case_fini(&c);
        return false;
    }
    if (options->only >= 0) { /* it may crash */
        describe(&c, &tier);
    }
    ok = run_messages(&c, &tier, &check);
    if (ok && c.partner) {
        check = (check_t){.rng = rng_seeded(c.check_seed, 1), .tier = &tier};
        seen.pairs++;
        ok = check_pair(&check, c.type, c.pair_count, c.partner, c.partner_count);
    }
    if (!ok) {
        report(options, &c, number, &check);
    }
    if (!ok && describes && options->only < 0) {
        describe(&c, &tier);
    }
    case_fini(&c);
    return ok;
}

/* One program in a thousand may become another one when it is optimised again, and one in a hundred
 * when its type is written in another way (lang/README.md lists the exceptions). */
static bool misses_are_rare(void)
{
    printf("optimised again %lld, another program %lld; disguised %lld, another program %lld\n",
           (long long) checked.again, (long long) checked.again_other,
           (long long) checked.disguises, (long long) checked.disguised);
    return checked.again_other <= 5 + checked.again / 1000 &&
           checked.disguised <= 5 + checked.disguises / 100;
}

static int run(const options_t *options)
{
    int64_t passed = 0;
    int64_t failed = 0;
    int64_t first = options->only >= 0 ? options->only : 0;
    int64_t end = options->only >= 0 ? options->only + 1 : options->cases;
    printf("seed %llu, cases %lld to %lld, tier %s, isa %s\n", (unsigned long long) options->seed,
           (long long) first, (long long) end - 1, options->tier_names,
           options->isa ? options->isa : "any");
    for (int64_t number = first; number < end && failed < MAX_FAILURES; number++) {
        snprintf(running_text, sizeof running_text,
                 "crashed: again with differential --seed %llu --case %lld --tier %s\n",
                 (unsigned long long) options->seed, (long long) number, options->tier_names);
        running = 1;
        bool ok = run_case(options, number, failed == 0);
        running = 0;
        passed += ok;
        failed += !ok;
    }
    if (failed == MAX_FAILURES) {
        printf("stopped after %d failures\n", MAX_FAILURES);
    }
    print_seen();
    if (!misses_are_rare()) {
        printf("too many programs are not in normal form\n");
        failed++;
    }
    if (!compiled_report()) {
        printf("so little was compiled that this says nothing of compiled tiers\n");
        failed++;
    }
    printf("%lld passed, %lld failed\n", (long long) passed, (long long) failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- options ---- */

static void print_help(void)
{
    printf("Usage: differential [OPTION]...\n"
           "Packs and unpacks random datatypes and compares every byte with a naive walk of the "
           "typemap.\n\n"
           "  --cases N    how many cases to run, 1 to %d (default 20000)\n"
           "  --seed S     seed of all cases, 0 to 18446744073709551615 (default: the time)\n"
           "  --case K     run case K only, 0 to %d, and describe it first\n"
           "  --tier NAME[,NAME]...\n"
           "               what runs the programs:",
           MAX_CASES, MAX_CASES - 1);
    for (const tier_t *tier = tiers; tier->name; tier++) {
        printf(" %s", tier->name);
    }
    printf(" any\n               (default: any; one of them at random for each case)\n"
           "  --isa NAME   use only the kernels for this instruction set:");
    for (const char *const *name = dame_isa_names(); *name; name++) {
        printf(" %s", *name);
    }
    printf(
        "\n               (default: one at random for each case)\n"
        "  --help       print this and exit\n\n"
        "The first case that fails is described. The exit status is 0 when all cases pass, 1 when "
        "one\nfails, and 2 for wrong options.\n");
}

/* The number in `text`, which must be in [low, high]; otherwise says so and exits. */
static uint64_t number_option(const char *option, const char *text, uint64_t low, uint64_t high)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end != '\0' || strchr(text, '-') || value < low || value > high) {
        fprintf(stderr, "differential: --%s: '%s' is not a number from %llu to %llu\n", option,
                text, (unsigned long long) low, (unsigned long long) high);
        exit(2);
    }
    return value;
}

static void tier_option(const char *text, options_t *options)
{
    options->tier_names = text;
    if (tiers_parse(text, &options->tiers)) {
        return;
    }
    fprintf(stderr,
            "differential: --tier: '%s' is not any, or some of these with commas between:", text);
    for (const tier_t *tier = tiers; tier->name; tier++) {
        fprintf(stderr, " %s", tier->name);
    }
    fputc('\n', stderr);
    exit(2);
}

static void check_that_some_are_left(const options_t *options)
{
    if (!options->tiers) {
        fprintf(stderr, "differential: --tier: '%s': there is no other\n", options->tier_names);
        exit(SKIPPED);
    }
}

/* Without a compiler the tiers that compile would be those that do not. */
static void leave_out_what_is_not_there(options_t *options)
{
    if ((options->tiers & tiers_of_llvm()) && !llvm_is_there()) {
        options->tiers &= ~tiers_of_llvm();
        printf("dame_llvm.so is not there, as without LLVM: its tiers are left out\n");
    }
    if (compiled_vectors()[0] != '\0' || !(options->tiers & tiers_compiled())) {
        check_that_some_are_left(options);
        return;
    }
    options->tiers &= ~tiers_compiled();
    printf("there is no compiler for this CPU: tiers that compile are left out\n");
    check_that_some_are_left(options);
}

static const char *isa_option(const char *text)
{
    for (const char *const *name = dame_isa_names(); *name; name++) {
        if (strcmp(text, *name) == 0) {
            return *name;
        }
    }
    fprintf(stderr, "differential: --isa: '%s' is not one of those this CPU can run:", text);
    for (const char *const *name = dame_isa_names(); *name; name++) {
        fprintf(stderr, " %s", *name);
    }
    fputc('\n', stderr);
    exit(2);
}

static options_t parse_options(int argc, char **argv)
{
    static const struct option names[] = {
        {"cases", required_argument, NULL, 'n'},
        {"seed", required_argument, NULL, 's'},
        {"case", required_argument, NULL, 'k'},
        {"tier", required_argument, NULL, 't'},
        {"isa", required_argument, NULL, 'i'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    options_t options = {.cases = 20000,
                         .seed = (uint64_t) time(NULL),
                         .only = -1,
                         .tiers = tiers_all(),
                         .tier_names = "any"};
    int option;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (option) {
        case 'n':
            options.cases = (int64_t) number_option("cases", optarg, 1, MAX_CASES);
            break;
        case 's':
            options.seed = number_option("seed", optarg, 0, UINT64_MAX);
            break;
        case 'k':
            options.only = (int64_t) number_option("case", optarg, 0, MAX_CASES - 1);
            break;
        case 't':
            tier_option(optarg, &options);
            break;
        case 'i':
            options.isa = isa_option(optarg);
            break;
        case 'h':
            print_help();
            exit(EXIT_SUCCESS);
        default:
            fprintf(stderr, "Try 'differential --help'.\n");
            exit(2);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "differential: '%s' is not an option. Try 'differential --help'.\n",
                argv[optind]);
        exit(2);
    }
    return options;
}

int main(int argc, char **argv)
{
    options_t options = parse_options(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    leave_out_what_is_not_there(&options);
    catch_crashes();
    return run(&options);
}
