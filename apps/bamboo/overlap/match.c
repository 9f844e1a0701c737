/* SPDX-License-Identifier: BSD-3-Clause */
#include "match.h"

#include <stdlib.h>
#include <string.h>

#include "shared/tool.h"

/* One end of a channel. */
typedef struct end {
    int from, to, tag, size; /* from, to: ranks in MPI_COMM_WORLD */
    bool sends;
    int rank; /* index of the rank that has it */
    const overlap_channel_t *channel;
} end_t;

/* A wait, and what it was for. */
typedef struct evidence {
    int rank, site;
    int64_t begin, end;
    int64_t ready; /* when the other side sent, or posted its receive */
    bool receives;
} evidence_t;

typedef struct matcher {
    const overlap_rank_t *ranks;
    int n;
    end_t *ends;
    size_t nends;
    evidence_t *evidence;
    size_t nevidence, room;
} matcher_t;

/* ---- both ends of a channel ---- */

static int compare_ends(const void *a, const void *b)
{
    const end_t *x = a, *y = b;
    const int xs[] = {x->from, x->to, x->tag, x->size, x->sends};
    const int ys[] = {y->from, y->to, y->tag, y->size, y->sends};
    for (int i = 0; i < 5; i++) {
        if (xs[i] != ys[i]) {
            return xs[i] < ys[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool same_channel(const end_t *a, const end_t *b)
{
    return a->from == b->from && a->to == b->to && a->tag == b->tag && a->size == b->size;
}

static int list_ends(matcher_t *matcher)
{
    size_t n = 0;
    for (int r = 0; r < matcher->n; r++) {
        n += (size_t) matcher->ranks[r].nchannels;
    }
    matcher->ends = malloc((n + 1) * sizeof(*matcher->ends));
    if (matcher->ends == NULL) {
        return tool_no_memory("overlap");
    }
    for (int r = 0; r < matcher->n; r++) {
        const overlap_rank_t *rank = &matcher->ranks[r];
        for (int c = 0; c < rank->nchannels; c++) {
            const overlap_channel_t *channel = &rank->channels[c];
            if (!channel->sends && rank->wild) {
                continue; /* in which order messages came is unknown */
            }
            matcher->ends[matcher->nends++] =
                (end_t){.from = channel->sends ? rank->rank : channel->peer,
                        .to = channel->sends ? channel->peer : rank->rank,
                        .tag = channel->tag,
                        .size = channel->size,
                        .sends = channel->sends,
                        .rank = r,
                        .channel = channel};
        }
    }
    qsort(matcher->ends, matcher->nends, sizeof(end_t), compare_ends);
    return TOOL_OK;
}

/* ---- waits ---- */

/* Waits in steps that the sums leave out are left out here, too. */
static bool is_long(const overlap_rank_t *rank, const overlap_sample_t *waited)
{
    int64_t most = 4 * rank->steps.median;
    return most > 0 && waited->end - waited->begin > most;
}

static int add_evidence(matcher_t *matcher, const end_t *mine, const overlap_sample_t *waited,
                        int64_t ready)
{
    if (waited->end == 0 || is_long(&matcher->ranks[mine->rank], waited)) {
        return TOOL_OK;
    }
    if (matcher->nevidence == matcher->room) {
        size_t room = matcher->room == 0 ? 1024 : 2 * matcher->room;
        evidence_t *grown = realloc(matcher->evidence, room * sizeof(*grown));
        if (grown == NULL) {
            return tool_no_memory("overlap");
        }
        matcher->evidence = grown;
        matcher->room = room;
    }
    matcher->evidence[matcher->nevidence++] = (evidence_t){.rank = mine->rank,
                                                           .site = waited->site,
                                                           .begin = waited->begin,
                                                           .end = waited->end,
                                                           .ready = ready,
                                                           .receives = !mine->sends};
    return TOOL_OK;
}

/* Looks at each message that both ends have kept. Two communicators of one size with the same ranks
 * and tags cannot be told apart: such channels, of which there are several, are left out. So are
 * those between hosts, whose clocks differ. */
static int look_at_messages(matcher_t *matcher)
{
    for (size_t i = 0, n; i < matcher->nends; i += n) {
        const end_t *receive = &matcher->ends[i], *send = receive + 1;
        for (n = 1; i + n < matcher->nends && same_channel(receive, receive + n); n++) {
        }
        if (n != 2 || receive->sends || !send->sends ||
            receive->channel->count != send->channel->count ||
            strcmp(matcher->ranks[receive->rank].host, matcher->ranks[send->rank].host) != 0) {
            continue;
        }
        int64_t in = receive->channel->stride, out = send->channel->stride;
        for (int64_t number = 0, step = in > out ? in : out;
             number / in < receive->channel->nsamples && number / out < send->channel->nsamples;
             number += step) {
            const overlap_sample_t *sent = &send->channel->samples[number / out];
            const overlap_sample_t *received = &receive->channel->samples[number / in];
            int code = add_evidence(matcher, receive, received, sent->ready);
            code = code != TOOL_OK ? code : add_evidence(matcher, send, sent, received->ready);
            if (code != TOOL_OK) {
                return code;
            }
        }
    }
    return TOOL_OK;
}

static int compare_evidence(const void *a, const void *b)
{
    const evidence_t *x = a, *y = b;
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* One call that waited, for the n messages of `e`. A send matters only if it waited for nothing
 * else: most are complete before they are received. */
static void count_wait(const evidence_t *e, size_t n, overlap_waits_t *sum)
{
    bool receives = false;
    int64_t last = e->begin, wait = e->end - e->begin;
    for (size_t i = 0; i < n; i++) {
        receives |= e[i].receives;
    }
    for (size_t i = 0; i < n; i++) {
        last = e[i].receives == receives && e[i].ready > last ? e[i].ready : last;
    }
    sum->count++;
    sum->ns += wait;
    sum->late += last - e->begin < wait ? last - e->begin : wait;
}

static void count_waits(matcher_t *matcher, overlap_match_t *out)
{
    if (matcher->nevidence > 0) {
        qsort(matcher->evidence, matcher->nevidence, sizeof(evidence_t), compare_evidence);
    }
    for (size_t i = 0, n; i < matcher->nevidence; i += n) {
        const evidence_t *e = &matcher->evidence[i];
        for (n = 1; i + n < matcher->nevidence && compare_evidence(e, e + n) == 0; n++) {
        }
        count_wait(e, n, &out->waits[e->rank][e->site]);
    }
}

static int make_sums(const overlap_rank_t *ranks, int n, overlap_match_t *out)
{
    out->waits = calloc((size_t) n, sizeof(*out->waits));
    out->nranks = out->waits == NULL ? 0 : n;
    for (int r = 0; r < out->nranks; r++) {
        out->waits[r] = calloc((size_t) ranks[r].nsites + 1, sizeof(**out->waits));
        if (out->waits[r] == NULL) {
            return tool_no_memory("overlap");
        }
    }
    return out->waits != NULL ? TOOL_OK : tool_no_memory("overlap");
}

int overlap_match(const overlap_rank_t *ranks, int n, overlap_match_t *out)
{
    matcher_t matcher = {.ranks = ranks, .n = n};
    *out = (overlap_match_t){0};
    int code = make_sums(ranks, n, out);
    code = code != TOOL_OK ? code : list_ends(&matcher);
    code = code != TOOL_OK ? code : look_at_messages(&matcher);
    if (code == TOOL_OK) {
        count_waits(&matcher, out);
    }
    free(matcher.ends);
    free(matcher.evidence);
    return code;
}

void overlap_match_free(overlap_match_t *match)
{
    for (int r = 0; r < match->nranks; r++) {
        free(match->waits[r]);
    }
    free(match->waits);
    *match = (overlap_match_t){0};
}
