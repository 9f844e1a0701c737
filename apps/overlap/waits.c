/* SPDX-License-Identifier: BSD-3-Clause */
#include "waits.h"

#include <string.h>
#include <sys/mman.h>

#include "messages.h"
#include "real.h"

/* For one call; the measured thread's. */
static MPI_Request *kept;
static request_t *completed;
static int room, nkept;

static bool make_room(int n)
{
    nkept = 0;
    if (n <= room) {
        return n > 0;
    }
    int more = n < 1024 ? 1024 : 2 * n;
    MPI_Request *handles = overlap_map((size_t) more * sizeof(*handles));
    request_t *requests = overlap_map((size_t) more * sizeof(*requests));
    if (handles == NULL || requests == NULL) {
        messages_lost += n;
        return false;
    }
    if (room > 0) {
        munmap(kept, (size_t) room * sizeof(*kept));
        munmap(completed, (size_t) room * sizeof(*completed));
    }
    kept = handles;
    completed = requests;
    room = more;
    return true;
}

void waits_keep(int n, const MPI_Request *requests)
{
    if (make_room(n)) {
        memcpy(kept, requests, (size_t) n * sizeof(*kept));
        nkept = n;
    }
}

void waits_keep_fortran(int n, const MPI_Fint *requests)
{
    if (make_room(n)) {
        for (int i = 0; i < n; i++) {
            kept[i] = real_request(requests[i]);
        }
        nkept = n;
    }
}

/* Takes requests out of the table, into `completed`. Returns how many it knew. */
static int take(int n, const int *indices, int first, bool freed)
{
    int known = 0;
    for (int i = 0; n != MPI_UNDEFINED && i < n; i++) {
        int at = indices == NULL ? i : indices[i] - first;
        if (at >= 0 && at < nkept && request_completed(kept[at], freed, &completed[known])) {
            known++;
        }
    }
    return known;
}

void waits_enter(const call_t *call, int n, const int *indices, int first)
{
    int known = take(n, indices, first, false), collectives = 0;
    traffic_t traffic = {0};
    for (int i = 0; i < known; i++) {
        collectives += completed[i].collective;
        if (!completed[i].message.sent) { /* what is sent was counted at its start */
            message_count(&completed[i].message, &traffic);
        }
    }
    unsigned site = call_enter(
        call, collectives > 0 && collectives == known ? CLASS_COLLECTIVE : CLASS_WAIT, traffic);
    for (int i = 0; i < known; i++) {
        message_waited(&completed[i].message, call, site);
    }
}

void waits_enter_test(const call_t *call, int n, const int *indices, int first)
{
    (void) take(n, indices, first, false);
    call_enter_test(call);
}

void waits_freed(void)
{
    (void) take(nkept, NULL, 0, true);
}
