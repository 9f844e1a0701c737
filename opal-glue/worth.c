/* SPDX-License-Identifier: BSD-3-Clause */
#include "worth.h"

#include <math.h>
#include <stdatomic.h>

#include "abi/abi.h"
#include "contents.h"
#include "native_cost.h"

enum {
    LONGEST_BLOCK = 512, /* bytes; longer ones are copied by memcpy() in both engines */
    DRAWN = 8            /* items that are looked at in a long description */
};

/* What imports of datatypes of one constructor take, or finding their layouts again; before the
 * first, a guess. And what that would have saved at the first use, a mean of the datatypes that
 * waited, in parts of its cost: 1 of a datatype that repaid it, less than 0 of one that ended
 * before. */
typedef struct rate {
    float fixed;    /* nanoseconds */
    float per_item; /* .. and of each item (rate_of()) */
    float early;
    uint32_t expected; /* datatypes that were expected to repay it */
} rate_t;

enum { FIRST_KNOWN = DT_CONSTRUCTORS + 1, KINDS = 2 * FIRST_KNOWN };

/* By dt_worth_t.kind >= FIRST_KNOWN. Zen 4: an import takes 14 to 39 ns an item (bench/run --only
 * fresh). */
static const rate_t guess[2] = {{2000, 20, 0, 0}, {150, 1, 0, 0}};

/* Between these; one sample may be of an import that another constructor's list makes long. */
static const rate_t least[2] = {{.fixed = 100, .per_item = 0.5f}, {.fixed = 20, .per_item = 0.1f}};
static const rate_t most[2] = {{.fixed = 20000, .per_item = 200}, {.fixed = 2000, .per_item = 20}};

/* A layout of datatypes that ended before their uses sufficed. */
typedef struct past {
    uint64_t sketch; /* 0: none */
    int32_t left;    /* of the cost */
} past_t;

/*
 * Sketches of small datatypes of which messages were seen, by the sketch: its upper bits, below
 * them a number w, and below that how many messages there were since the last entry: the first 2^w
 * - 1 have none. 0: no sketch.
 */
enum { SEEN = 4096, BITS = 4, LOW = (1 << BITS) - 1, BOTH = (1 << 2 * BITS) - 1 };
enum { LEAST = 1, MOST = 4 }; /* of w */
static _Atomic uint32_t seen[SEEN];

static struct {
    int32_t uses; /* of dt_worth_start() */
    rate_t rates[KINDS];
    past_t past[1024]; /* by the sketch */
} worth;

void dt_worth_start(int32_t uses)
{
    worth.uses = uses;
    for (int i = 0; i < KINDS; i++) {
        worth.rates[i] = guess[i >= FIRST_KNOWN];
    }
    for (size_t i = 0; i < sizeof(worth.past) / sizeof(worth.past[0]); i++) {
        worth.past[i] = (past_t){0, 0};
    }
}

static past_t *past_of(uint64_t sketch)
{
    return &worth.past[sketch % (sizeof(worth.past) / sizeof(worth.past[0]))];
}

/* ---- Gain ----------------------------------------------------------------------------------- */

/* What a block costs DAME: 0.6 ns for 8 bytes and 1.9 to 2.5 ns for 52 on Zen 4. */
static const double OWN_NS = 1.5;
static const double LEAST_GAIN_NS = 1;

/* Besides, of a message whose layout is known: waiting is not counted, and MPI_Pack needs no
 * convertor. A guess, 30 to 60 ns on Zen 4 (bench/run --only lives). */
static const double GAIN_OF_USE = 40;

/* By moving a short block; the first is a guess, as on Zen 4. */
static double gain_of_block = 5;

void dt_worth_measure(void)
{
    const double ns = 0 == worth.uses ? dt_native_cost_of_block() : 0;
    if (ns > 0) {
        gain_of_block = ns - OWN_NS > LEAST_GAIN_NS ? ns - OWN_NS : LEAST_GAIN_NS;
    }
}

/* By moving one element of the datatype, in nanoseconds. Exact for short descriptions. */
static double gain_of_element(const opal_datatype_t *datatype)
{
    const dt_type_desc_t *items =
        0 != datatype->opt_desc.used ? &datatype->opt_desc : &datatype->desc;
    double blocks = 0, times[DRAWN + 1] = {1};
    size_t i = 0;
    int depth = 0;
    for (; i < items->used && i < DRAWN; i++) {
        const dt_elem_desc_t *item = &items->desc[i];
        if (OPAL_DATATYPE_LOOP == item->elem.common.type) {
            times[depth + 1] = times[depth] * item->loop.loops;
            depth++;
        } else if (OPAL_DATATYPE_END_LOOP == item->elem.common.type) {
            depth -= depth > 0;
        } else if (item->elem.common.flags & OPAL_DATATYPE_FLAG_DATA) {
            const double bytes =
                (double) item->elem.blocklen *
                (double) opal_datatype_basicDatatypes[item->elem.common.type]->size;
            const double part = bytes < LONGEST_BLOCK ? 1 - bytes / LONGEST_BLOCK : 0;
            blocks += times[depth] * item->elem.count * part;
        }
    }
    return 0 == i ? 0 : gain_of_block * blocks * (double) items->used / (double) i;
}

static int32_t limited(double ns)
{
    return ns < 1 ? 1 : ns < INT32_MAX / 2 ? (int32_t) ns : INT32_MAX / 2;
}

/* ---- Cost ----------------------------------------------------------------------------------- */

/* Both read the numbers of the constructor's call. Nested lists show in the description, where Open
 * MPI has joined blocks that touch. */
static rate_t *rate_of(const opal_datatype_t *datatype, bool known, double *items)
{
    int64_t numbers = 0;
    rate_t *rate =
        &worth.rates[(known ? FIRST_KNOWN : 0) + dt_contents_constructor(datatype, &numbers)];
    const double described = (double) datatype->desc.used;
    *items = (double) numbers > described ? (double) numbers : described;
    return rate;
}

/* Later imports count more, so that the rate follows the machine. One that was interrupted counts
 * for twice the rate. */
static void learn(float *rate, double sample, float low, float high)
{
    sample = sample < 2 * *rate ? sample : 2 * *rate;
    *rate += (float) (0.25 * (sample - *rate));
    *rate = *rate < low ? low : *rate > high ? high : *rate;
}

void dt_worth_took(const opal_datatype_t *datatype, uint64_t sketch, bool known, int64_t ns)
{
    enum { SHORT = 256 }; /* items: what does not depend on them is the larger part */
    double items;
    rate_t *rate = rate_of(datatype, known, &items);
    past_t *past = past_of(sketch);
    if (items < SHORT) {
        learn(&rate->fixed, (double) ns - rate->per_item * items, least[known].fixed,
              most[known].fixed);
    } else {
        learn(&rate->per_item, ((double) ns - rate->fixed) / items, least[known].per_item,
              most[known].per_item);
    }
    if (sketch == past->sketch) {
        *past = (past_t){0, 0};
    }
}

/* ---- Lives ---------------------------------------------------------------------------------- */

static void learn_life(const dt_worth_t *of, float saved)
{
    if (of->cost > 0) { /* else the user has said when to import */
        float *early = &worth.rates[of->kind].early;
        *early += 0.25f * (saved - *early);
    }
}

/* Is the next datatype to be imported at its first use? */
static bool is_early(rate_t *rate, bool known)
{
    const uint32_t waits = known ? 16 : 4; /* one in this many; opening a known one risks less */
    static const float ENOUGH = 0.2f; /* one datatype that repaid its import is enough at first */
    return rate->early > ENOUGH && 0 != ++rate->expected % waits;
}

/* The upper bits, other than 0. */
static uint32_t mark_of(uint64_t sketch)
{
    return ((uint32_t) (sketch >> 32) & ~(uint32_t) BOTH) | (BOTH + 1);
}

bool dt_worth_has_none(uint64_t sketch)
{
    enum { NEVERTHELESS = 64 };
    static _Thread_local uint32_t asked;
    const uint32_t mark = mark_of(sketch);
    _Atomic uint32_t *place = &seen[sketch % SEEN];
    const uint32_t was = atomic_load_explicit(place, memory_order_relaxed);
    if (0 != worth.uses || 0 == ++asked % NEVERTHELESS) {
        return false;
    }
    const bool is_other = mark != (was & ~(uint32_t) BOTH);
    const uint32_t w = is_other ? LEAST : was >> BITS & LOW;
    const uint32_t messages = is_other ? 0 : was & LOW;
    const bool has_none = messages < (1U << w) - 1;
    atomic_store_explicit(place, mark | w << BITS | (has_none ? messages + 1 : 0),
                          memory_order_relaxed);
    return has_none;
}

/* Of a datatype with an entry: has that been of use? */
static void change_w(uint64_t sketch, bool was_of_use)
{
    const uint32_t mark = mark_of(sketch);
    _Atomic uint32_t *place = &seen[sketch % SEEN];
    const uint32_t was = atomic_load_explicit(place, memory_order_relaxed);
    const uint32_t w = was >> BITS & LOW;
    if (mark == (was & ~(uint32_t) BOTH)) {
        const uint32_t next = was_of_use ? LEAST : w < MOST ? w + 1 : MOST;
        atomic_store_explicit(place, mark | next << BITS, memory_order_relaxed);
    }
}

void dt_worth_repaid(uint64_t sketch, const dt_worth_t *of)
{
    learn_life(of, 1);
    change_w(sketch, true);
}

/* ---- Worth ---------------------------------------------------------------------------------- */

dt_worth_t dt_worth_of(const opal_datatype_t *datatype, uint64_t sketch, bool known)
{
    dt_worth_t of = {.cost = known ? -1 : -worth.uses, .gains = true};
    if (0 == worth.uses) {
        double items;
        rate_t *rate = rate_of(datatype, known, &items);
        const double of_blocks = gain_of_element(datatype);
        const double gain = of_blocks + (known ? GAIN_OF_USE : 0);
        const double cost = rate->fixed + rate->per_item * items;
        of.cost = is_early(rate, known) ? 1 : limited(gain > 0 ? ceil(cost / gain) : cost);
        of.kind = (uint32_t) (rate - worth.rates);
        of.gains = of_blocks > 0;
    }
    const past_t *past = past_of(sketch);
    if (!known && sketch == past->sketch && past->left < of.cost) { /* not where messages count */
        of.cost = past->left;
    }
    return of;
}

bool dt_worth_is_known(const dt_worth_t *of)
{
    return of->kind >= FIRST_KNOWN;
}

void dt_worth_keep(uint64_t sketch, const dt_worth_t *of, int32_t left)
{
    past_t *past = past_of(sketch);
    if (of->cost < 0) {
        return;
    }
    learn_life(of, -(float) left / (float) of->cost);
    change_w(sketch, false);
    if (dt_worth_is_known(of)) { /* each datatype pays for itself */
        return;
    }
    if (sketch == past->sketch) { /* others that were alike have lived at the same time */
        const int32_t gained = of->cost - left;
        past->left = gained < past->left ? past->left - gained : 1;
    } else {
        *past = (past_t){sketch, left};
    }
}
