/* SPDX-License-Identifier: BSD-3-Clause */
#include "match.h"

#include <stdlib.h>
#include <string.h>

#include "cli/tool.h"

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
    int64_t begin, end; /* by this rank's clock, as all that follows */
    int64_t ready;      /* when the other side sent, or posted its receive */
    bool receives;
} evidence_t;

typedef struct matcher {
    const overlap_rank_t *ranks;
    int n;
    end_t *ends;
    size_t nends;
    evidence_t *evidence;
    size_t nevidence, room;
    const char **hosts; /* names */
    int *host;          /* of each rank */
    int nhosts;
    int64_t *least;  /* [from][to]: of a message between two hosts, by both clocks */
    int64_t *offset; /* a host's clock less that of host 0 */
    bool *known;     /* offset is */
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
        return tool_status_error("overlap", DAME_ERR_NOMEM);
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

/* ---- messages ---- */

/* Calls `fn` for each message that both ends have kept. Two communicators of one size with the same
 * ranks and tags cannot be told apart: such channels, of which there are several, are left out. */
static int each_message(matcher_t *matcher,
                        int (*fn)(matcher_t *, const end_t *, const overlap_sample_t *,
                                  const end_t *, const overlap_sample_t *))
{
    for (size_t i = 0, n; i < matcher->nends; i += n) {
        const end_t *receive = &matcher->ends[i], *send = receive + 1;
        for (n = 1; i + n < matcher->nends && same_channel(receive, receive + n); n++) {
        }
        if (n != 2 || receive->sends || !send->sends ||
            receive->channel->count != send->channel->count) {
            continue;
        }
        int64_t in = receive->channel->stride, out = send->channel->stride;
        for (int64_t number = 0, step = in > out ? in : out;
             number / in < receive->channel->nsamples && number / out < send->channel->nsamples;
             number += step) {
            int code = fn(matcher, send, &send->channel->samples[number / out], receive,
                          &receive->channel->samples[number / in]);
            if (code != TOOL_OK) {
                return code;
            }
        }
    }
    return TOOL_OK;
}

/* ---- clocks ---- */

static int list_hosts(matcher_t *matcher)
{
    size_t n = (size_t) matcher->n;
    matcher->hosts = calloc(n, sizeof(*matcher->hosts));
    matcher->host = calloc(n, sizeof(*matcher->host));
    if (matcher->hosts == NULL || matcher->host == NULL) {
        return tool_status_error("overlap", DAME_ERR_NOMEM);
    }
    for (int r = 0; r < matcher->n; r++) {
        int h = 0;
        while (h < matcher->nhosts && strcmp(matcher->hosts[h], matcher->ranks[r].host) != 0) {
            h++;
        }
        if (h == matcher->nhosts) {
            matcher->hosts[matcher->nhosts++] = matcher->ranks[r].host;
        }
        matcher->host[r] = h;
    }
    n = (size_t) matcher->nhosts;
    /* NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI): there is a host */
    matcher->least = malloc(n * n * sizeof(*matcher->least));
    matcher->offset = calloc(n, sizeof(*matcher->offset));
    matcher->known = calloc(n, sizeof(*matcher->known));
    if (matcher->least == NULL || matcher->offset == NULL || matcher->known == NULL) {
        return tool_status_error("overlap", DAME_ERR_NOMEM);
    }
    for (size_t i = 0; i < n * n; i++) {
        matcher->least[i] = INT64_MAX;
    }
    matcher->known[0] = true;
    return TOOL_OK;
}

static int64_t *least_of(const matcher_t *matcher, int from, int to)
{
    return &matcher->least[(size_t) from * (size_t) matcher->nhosts + (size_t) to];
}

static int time_message(matcher_t *matcher, const end_t *send, const overlap_sample_t *sent,
                        const end_t *receive, const overlap_sample_t *received)
{
    int64_t *least = least_of(matcher, matcher->host[send->rank], matcher->host[receive->rank]);
    int64_t ns = received->end - sent->ready;
    if (received->end != 0 && ns < *least) {
        *least = ns;
    }
    return TOOL_OK;
}

static void relate_clocks(matcher_t *matcher)
{
    for (bool more = true; more;) {
        more = false;
        for (int a = 0; a < matcher->nhosts; a++) {
            for (int b = 0; b < matcher->nhosts; b++) {
                /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): not without memory */
                int64_t there = *least_of(matcher, a, b), back = *least_of(matcher, b, a);
                if (matcher->known[a] && !matcher->known[b] && there != INT64_MAX &&
                    back != INT64_MAX) {
                    matcher->offset[b] = matcher->offset[a] + (there - back) / 2;
                    matcher->known[b] = more = true;
                }
            }
        }
    }
}

/* ---- waits ---- */

/* Waits in steps that the sums leave out are left out here, too. */
static bool is_long(const overlap_rank_t *rank, const overlap_sample_t *waited)
{
    int64_t most = 4 * rank->steps.p50;
    return most > 0 && waited->end - waited->begin > most;
}

static int add_evidence(matcher_t *matcher, const end_t *mine, const overlap_sample_t *waited,
                        const end_t *other, int64_t ready)
{
    const int here = matcher->host[mine->rank], there = matcher->host[other->rank];
    if (waited->end == 0 || is_long(&matcher->ranks[mine->rank], waited) || !matcher->known[here] ||
        !matcher->known[there]) {
        return TOOL_OK;
    }
    if (matcher->nevidence == matcher->room) {
        size_t room = matcher->room == 0 ? 1024 : 2 * matcher->room;
        evidence_t *grown = realloc(matcher->evidence, room * sizeof(*grown));
        if (grown == NULL) {
            return tool_status_error("overlap", DAME_ERR_NOMEM);
        }
        matcher->evidence = grown;
        matcher->room = room;
    }
    matcher->evidence[matcher->nevidence++] =
        (evidence_t){.rank = mine->rank,
                     .site = waited->site,
                     .begin = waited->begin,
                     .end = waited->end,
                     .ready = ready + matcher->offset[here] - matcher->offset[there],
                     .receives = !mine->sends};
    return TOOL_OK;
}

static int look_at_message(matcher_t *matcher, const end_t *send, const overlap_sample_t *sent,
                           const end_t *receive, const overlap_sample_t *received)
{
    int code = add_evidence(matcher, receive, received, send, sent->ready);
    return code != TOOL_OK ? code : add_evidence(matcher, send, sent, receive, received->ready);
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
            return tool_status_error("overlap", DAME_ERR_NOMEM);
        }
    }
    return out->waits != NULL ? TOOL_OK : tool_status_error("overlap", DAME_ERR_NOMEM);
}

int overlap_match(const overlap_rank_t *ranks, int n, overlap_match_t *out)
{
    matcher_t matcher = {.ranks = ranks, .n = n};
    *out = (overlap_match_t){0};
    int code = make_sums(ranks, n, out);
    code = code != TOOL_OK ? code : list_ends(&matcher);
    code = code != TOOL_OK ? code : list_hosts(&matcher);
    code = code != TOOL_OK ? code : each_message(&matcher, time_message);
    if (code == TOOL_OK) {
        relate_clocks(&matcher);
        code = each_message(&matcher, look_at_message);
    }
    if (code == TOOL_OK) {
        count_waits(&matcher, out);
    }
    out->hosts = matcher.nhosts;
    free(matcher.ends);
    free(matcher.evidence);
    free(matcher.hosts);
    free(matcher.host);
    free(matcher.least);
    free(matcher.offset);
    free(matcher.known);
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
