/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The policy of promotion: when a program gets machine code, which codes are tried, and which one
 * stays. Pure decisions: no clock, no compiler, no lock. A driver (measured.c, the tests'
 * simulation) reports events to it and carries out its answers.
 *
 * One policy for a program and direction. Its arms are the interpreter, arm 0, and the candidates
 * that a compiler offers, from arm 1 on, the likeliest first. Times are ticks of one clock, any.
 * The last arm may be the native engine, which needs no code: it takes part in the search only, and
 * must beat the others by DAME_POLICY_MARGIN. It need not move all messages: while it runs, the
 * fastest other known arm moves the rest.
 *
 * Rent.   The program runs on the interpreter until the ticks that the first candidate is expected
 *         to have saved by then equal a share of its cost (ski rental), which is drawn for each
 *         program. Then it is added.
 *         Where there is only the native engine, the search begins at the third use. Trial. It is
 *         measured. Code that is not faster than the interpreter by DAME_POLICY_MARGIN is demoted.
 *         The search begins with new samples, which may be taken with more care.
 * Search. All arms are measured in batches of 4 samples, by sequential halving: 4, 8 and 16 batches
 *         an arm by the end of a round, after which the slower half leaves, except arms within 3 %
 *         of the best. Each batch waits until `explore` of the time that all uses took pays for
 *         it: compilation, samples, and uses that are slower than the best.
 * Promise. Uses that the user announces count as if they had been: the first candidate is added at
 *         once when they repay it, and the search may cost `explore` of their time. The promise
 *         ends when code is evicted or finds no room.
 * Rest.   The fastest stays, the others are dropped. Each time the time used has doubled, a batch
 *         is measured again; if it differs by DAME_POLICY_DRIFT twice, the search begins again.
 *
 * Some arms cannot be had at once: their code is made elsewhere, while the program runs on as it
 * is. They are ordered when they are repaid: while renting, without another candidate, as that
 * would be added; at rest, when `explore` of the time pays for their cost. Code that has arrived
 * takes part in the search, which begins again with it and the best arm.
 *
 * Bound. Let B be the time of the better of never compiling and having the first candidate, which
 * saves the share s of a use, from the first use on. If the savings are as expected, the policy
 * takes at most (1 + explore) B plus one compilation and a constant: what renting costs more than
 * buying is a part of what buying costs. The constant is a trial, a batch, and the first two uses,
 * for which code is made only if that is certain to pay.
 *
 * How many uses will follow is not known. Who always buys at the k-th use takes 1 + s times as long
 * as the best, or longer, if that use is the last: k t + C in place of the smaller of k t and C + k
 * (1 - s) t, which is least where both are equal, k = C / (s t). So k is drawn: x C / (s t), 0 < x
 * < 1, of the density p = e^x / (e - 1). With n = y C / (s t) uses, y < 1, and P(y) the chance to
 * have compiled by then, another use costs p(y) s t + (1 - s P(y)) t on average, which is (1 + s /
 * (e - 1)) t for any y; and after y = 1 no more than the best. So the expected time is at most (1 +
 * s / (e - 1)) B, which is 1.3 B up to s = 0.51 (1 + s is up to 0.3). The same equation shows the
 * limit: the least expectation, e / (e - s), reaches 1.3 at s = 0.63, but then (1 - s) / (e - s) of
 * the programs are never compiled. What repays within the first two uses is compiled at the third,
 * which may cost 1 + s again.
 *
 * If an expectation is wrong by a factor f, the compilation counts f times. Another arm than the
 * first runs when the search has ended; that costs S, a compilation for each candidate and at most
 * 22 batches an arm, and so ends after S / explore ticks of uses: against the best arm, the
 * constant is that time. Evicted code doubles its cost each time. test/unit/policy_suite.c checks
 * this by simulation.
 *
 * Threads: none; the caller calls one function of a policy at a time.
 */
#ifndef DAME_POLICY_H
#define DAME_POLICY_H

#include "policy_types.h"

/* narms: 1 to DAME_POLICY_ARMS, the interpreter included. explore: share of the time for the
 * search, 0: none. */
void dame_policy_init(dame_policy_t *policy, int32_t narms, const dame_policy_expect_t *expect,
                      double explore);

/* After dame_policy_init(), with fewer than DAME_POLICY_ARMS arms: the native engine is one more.
 */
void dame_policy_add_native(dame_policy_t *policy);

#define DAME_POLICY_MATTERS 1e15 /* uses to promise where everything is to be tried at once */

/* The user expects `uses` uses in all. The largest promise counts. */
void dame_policy_promise(dame_policy_t *policy, double uses);

/* A part of the cost from the density that makes the expected time least. The same for the same
 * seed, so that a job does the same again. */
double dame_policy_part(uint64_t seed);

/* After dame_policy_init(), or when its code is gone: adding this arm costs `cost` ticks. `far`: it
 * must be ordered. */
void dame_policy_cost(dame_policy_t *policy, int32_t arm, double cost, int far);

/*
 * What to do. Called when a use begins; `uses`: how many began since the last call, this one
 * included; 0: none, after ADD, RUN and DROP.
 */
dame_step_t dame_policy_next(dame_policy_t *policy, int32_t uses);

/* A sample: a use of class `key` (any number) took `ticks` on `arm`. */
void dame_policy_sample(dame_policy_t *policy, int32_t arm, uint32_t key, double ticks);

typedef enum dame_added {
    DAME_ADDED,
    DAME_ADDED_NOT,  /* no compiler for it: the policy does not request it again */
    DAME_ADDED_LATER /* no room: the policy requests it again when it is worth twice as much */
} dame_added_t;

/* The result of ADD, and its cost in ticks. */
void dame_policy_added(dame_policy_t *policy, int32_t arm, dame_added_t result, double cost);

/* The result of ORDER, any time later, and its cost in ticks; with DAME_ADDED its code is
 * installed. */
void dame_policy_order_done(dame_policy_t *policy, int32_t arm, dame_added_t result, double cost);

/* The code of an arm is gone, and the interpreter runs in its place. */
void dame_policy_evicted(dame_policy_t *policy, int32_t arm);

/* The search is over, and this arm runs; -1: it is not over. */
int32_t dame_policy_choice(const dame_policy_t *policy);

/*
 * Before there is a policy: after `uses` uses, at which use from now on one should be asked, 1: the
 * next. So rarely used programs take no time and no memory.
 */
int32_t dame_policy_first(const dame_policy_expect_t *expect, int32_t uses);

#endif
