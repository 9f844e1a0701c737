/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages with their typemaps, and checked calls of the convertor. */
#include "conv_tools.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 16, GUARD_BYTE = 0xA5, WIDEST_ELEMENT = 16 };

/*
 * Where it pays, Open MPI's engine describes neighbours of several kinds as bytes, and it copies
 * types that are contiguous except gaps between their elements as bytes. Of these it may end a
 * fragment inside an element, and be positioned there; DAME does just the same.
 */
enum { AS_BYTES = OPAL_DATATYPE_OPTIMIZED_RESTRICTED | OPAL_DATATYPE_FLAG_CONTIGUOUS };

bool with_dame;
uint64_t random_state = 1;

int64_t random_from(int64_t low, int64_t high)
{
    return low + (int64_t) (random_next(&random_state) % (uint64_t) (high - low + 1));
}

/* ---- subjects ------------------------------------------------------------------------------- */

static void spell_typemap(subject_t *s)
{
    const layout_t *l = s->layout;
    int64_t n = 0;
    for (int64_t i = 0; i < l->nruns; i++) {
        for (int64_t at = 0; at < l->runs[i].length; at++) {
            s->offset[n] = l->runs[i].offset + at;
            s->boundary[n] = at % l->runs[i].elem == 0;
            s->run_start[n] = at == 0;
            n++;
        }
    }
}

subject_t *subject_new(const char *name, const layout_t *layout, int64_t count, bool send_only)
{
    subject_t *s = must_calloc(1, sizeof(*s));
    size_t size = (size_t) layout->size;
    s->name = name;
    s->layout = layout;
    s->count = count;
    s->send_only = send_only;
    s->memory = msg_new(layout, count);
    s->model = must_malloc((size_t) s->memory.block_size);
    s->offset = must_calloc(size, sizeof(*s->offset));
    s->boundary = must_calloc(size, sizeof(*s->boundary));
    s->run_start = must_calloc(size, sizeof(*s->run_start));
    s->as_bytes =
        OMPI_MAJOR_VERSION >= 6 || OPEN_MPI_4_1_0 || (layout->type->super.flags & AS_BYTES) != 0;
    spell_typemap(s);
    return s;
}

void subject_free(subject_t *s)
{
    msg_free(&s->memory);
    free(s->model);
    free(s->offset);
    free(s->boundary);
    free(s->run_start);
    free(s);
}

int64_t subject_bytes(const subject_t *s)
{
    return s->count * s->layout->size;
}

unsigned char *subject_at(const subject_t *s, int64_t byte)
{
    int64_t size = s->layout->size;
    return s->memory.zero + byte / size * lay_extent(s->layout) + s->offset[byte % size];
}

unsigned char subject_expects(const subject_t *s, int64_t byte)
{
    return s->model[subject_at(s, byte) - s->memory.block];
}

int64_t subject_boundary(const subject_t *s, int64_t byte)
{
    while (byte < subject_bytes(s) && !s->boundary[byte % s->layout->size]) {
        byte--;
    }
    return byte;
}

void subject_fill(subject_t *s, unsigned seed)
{
    unsigned char *stream = must_malloc((size_t) subject_bytes(s));
    pattern(seed, 0, subject_bytes(s), stream);
    msg_fill(&s->memory, stream);
    memcpy(s->model, s->memory.block, (size_t) s->memory.block_size);
    free(stream);
}

void subject_fault(subject_t *s, const char *format, ...)
{
    va_list args;
    if (s->fault[0] != '\0') {
        return;
    }
    va_start(args, format);
    vsnprintf(s->fault, sizeof(s->fault), format, args);
    va_end(args);
}

bool subject_check(subject_t *s, const char *what)
{
    int64_t at = 0;
    if (!same_bytes(s->memory.block, s->model, s->memory.block_size, &at)) {
        subject_fault(s, "memory differs at displacement %lld",
                      (long long) (s->memory.block + at - s->memory.zero));
        memcpy(s->memory.block, s->model, (size_t) s->memory.block_size);
    }
    bool ok = check(s->fault[0] == '\0', "%s, %lld of %s: %s", what, (long long) s->count, s->name,
                    s->fault);
    s->fault[0] = '\0';
    return ok;
}

/* ---- convertors ----------------------------------------------------------------------------- */

/* Are we testing what we think? */
static void check_engine(const opal_convertor_t *c, subject_t *s)
{
    Dl_info info = {0};
    void *function;
    if (c->flags & (CONVERTOR_NO_OP | CONVERTOR_COMPLETED)) {
        return;
    }
    memcpy(&function, &c->fAdvance, sizeof(function));
    if (dladdr(function, &info) == 0 ||
        with_dame != (strstr(info.dli_fname, "mca_dt_dame") != NULL)) {
        subject_fault(s, "it is moved by %s",
                      info.dli_fname == NULL ? "no engine" : info.dli_fname);
    }
}

void conv_prepare(opal_convertor_t *c, subject_t *s, bool send)
{
    const opal_datatype_t *type = &s->layout->type->super;
    size_t count = (size_t) s->count;
    dt_openmpi_same_peer(c, ompi_mpi_local_convertor);
    int32_t rc = send ? opal_convertor_prepare_for_send(c, type, count, s->memory.buf)
                      : opal_convertor_prepare_for_recv(c, type, count, s->memory.buf);
    size_t size = c->local_size;
    if (rc != OPAL_SUCCESS || (int64_t) size != subject_bytes(s) || c->bConverted != 0 ||
        (size == 0) != ((c->flags & CONVERTOR_COMPLETED) != 0)) {
        subject_fault(s, "prepare gives %d, size %zu, position %zu, flags %x", rc, size,
                      c->bConverted, c->flags);
    }
    check_engine(c, s);
}

void conv_construct(opal_convertor_t *c)
{
    memset(c, 0, sizeof(*c)); /* clone reads stack_pos, which is not set for contiguous data */
    dt_object_construct(c, &opal_convertor_t_class);
}

void conv_start(opal_convertor_t *c, subject_t *s, bool send)
{
    conv_construct(c);
    conv_prepare(c, s, send);
}

void conv_end(opal_convertor_t *c)
{
    dt_object_destruct(c);
}

/* The iovecs of one call, each with guard bytes behind it. */
typedef struct call {
    struct iovec iov[CONV_IOVS];
    const size_t *rooms;
    unsigned char *bytes[CONV_IOVS];
    unsigned char *memory;
    uint32_t n;
    size_t start; /* position before the call */
} call_t;

static call_t call_new(const opal_convertor_t *c, const size_t *rooms, uint32_t n)
{
    call_t call = {.rooms = rooms, .n = n, .start = c->bConverted};
    size_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        total += rooms[i] + GUARD;
    }
    call.memory = must_malloc(total);
    memset(call.memory, GUARD_BYTE, total);
    for (uint32_t i = 0, at = 0; i < n; at += (uint32_t) rooms[i++] + GUARD) {
        call.bytes[i] = call.memory + at;
        call.iov[i] = (struct iovec){.iov_base = call.bytes[i], .iov_len = rooms[i]};
        if (c->flags & CONVERTOR_RECV) {
            pattern((unsigned) random_from(0, 65000), 0, (int64_t) rooms[i], call.bytes[i]);
        }
    }
    return call;
}

bool conv_full(size_t room, size_t length, size_t most)
{
    enum { SPARING_ROOM = 4096, SPARED_BLOCK = 64 }; /* as opal-glue/README.md promises */
    size_t spared = with_dame && room >= SPARING_ROOM ? SPARED_BLOCK : 1;
    return length <= most && most - length < spared;
}

size_t native_pack(const subject_t *s, size_t *position, void *packed, size_t room)
{
    /* What dlsym() finds is Open MPI's own function; DAME's is only in the GOT. */
    int32_t (*prepare)(opal_convertor_t *, const opal_datatype_t *, size_t, const void *);
    void *function = dlsym(RTLD_DEFAULT, "opal_convertor_prepare_for_send");
    memcpy(&prepare, &function, sizeof(prepare));
    opal_convertor_t c;
    struct iovec iov = {.iov_base = packed, .iov_len = room};
    uint32_t n = 1;
    size_t moved = 0;
    conv_construct(&c);
    dt_openmpi_same_peer(&c, ompi_mpi_local_convertor);
    (void) prepare(&c, &s->layout->type->super, (size_t) s->count, s->memory.buf);
    (void) dt_openmpi_set_position(&c, position);
    (void) opal_convertor_pack(&c, &iov, &n, &moved);
    conv_end(&c);
    return moved;
}

/* Are these good bounds of a fragment for `room` bytes? */
static void check_bounds(const opal_convertor_t *c, subject_t *s, size_t at, size_t length,
                         size_t room)
{
    size_t most = room;
    if (s->as_bytes && !(c->flags & CONVERTOR_NO_OP)) {
        char *packed = must_malloc(room + 1);
        size_t start = at;
        most = native_pack(s, &start, packed, room);
        free(packed);
        if (start != at) {
            subject_fault(s, "stands at %zu, where Open MPI's own engine does not", at);
        }
    } else if (!(c->flags & CONVERTOR_NO_OP)) {
        most = (size_t) subject_boundary(s, (int64_t) (at + room)) - at;
        if (subject_boundary(s, (int64_t) (at + length)) != (int64_t) (at + length)) {
            subject_fault(s, "fragment [%zu, %zu) with room for %zu cuts an element", at,
                          at + length, room);
        }
    }
    if (!conv_full(room, length, most)) {
        subject_fault(s, "at %zu with room for %zu %zu bytes are packed, not %zu", at, room, length,
                      most);
    }
}

/* One packed fragment: as long as can be, whole elements, the right bytes, and nothing behind. */
static void check_packed(const opal_convertor_t *c, subject_t *s, const call_t *call, uint32_t i,
                         size_t at)
{
    size_t left = (size_t) subject_bytes(s) - at;
    size_t room = call->rooms[i] < left ? call->rooms[i] : left;
    size_t length = call->iov[i].iov_len;
    check_bounds(c, s, at, length, room);
    for (size_t b = 0; b < length; b++) {
        if (call->bytes[i][b] != subject_expects(s, (int64_t) (at + b))) {
            subject_fault(s, "packed byte %zu is wrong, in fragment [%zu, %zu)", at + b, at,
                          at + length);
            break;
        }
    }
    for (size_t b = length; b < call->rooms[i] + GUARD; b++) {
        if (call->bytes[i][b] != GUARD_BYTE) {
            subject_fault(s, "packed %zu bytes at %zu, but wrote to byte %zu", length, at, b);
            break;
        }
    }
}

/* All of an unpacked fragment is taken; its bytes go into the model. */
static void check_unpacked(subject_t *s, const call_t *call, uint32_t i, size_t at)
{
    size_t left = (size_t) subject_bytes(s) - at;
    size_t length = call->iov[i].iov_len;
    if (length != (call->rooms[i] < left ? call->rooms[i] : left)) {
        subject_fault(s, "unpacks %zu of %zu bytes at %zu", length, call->rooms[i], at);
    }
    for (size_t b = 0; b < length && b < left; b++) {
        s->model[subject_at(s, (int64_t) (at + b)) - s->memory.block] = call->bytes[i][b];
    }
}

/* What opal_convertor_pack and _unpack promise of their results. */
static void check_call(const opal_convertor_t *c, subject_t *s, const call_t *call, int32_t rc,
                       uint32_t used, size_t moved)
{
    size_t at = call->start;
    size_t total = (size_t) subject_bytes(s);
    for (uint32_t i = 0; i < used && i < call->n; i++) {
        if (call->iov[i].iov_len > call->rooms[i] || at + call->iov[i].iov_len > total) {
            subject_fault(s, "fragment of %zu bytes at %zu", call->iov[i].iov_len, at);
            return;
        }
        if (c->flags & CONVERTOR_SEND) {
            check_packed(c, s, call, i, at);
        } else {
            check_unpacked(s, call, i, at);
        }
        at += call->iov[i].iov_len;
    }
    bool complete = at == total;
    if (used > call->n || at - call->start != moved || c->bConverted != at ||
        (complete ? 1 : 0) != rc || complete != ((c->flags & CONVERTOR_COMPLETED) != 0) ||
        (used < call->n && !complete)) {
        subject_fault(s,
                      "[%zu, %zu) in %u of %u iovecs: returns %d, max_data %zu, position %zu, "
                      "flags %x",
                      call->start, at, used, call->n, rc, moved, c->bConverted, c->flags);
    }
    for (uint32_t i = used; i < call->n; i++) {
        if (call->iov[i].iov_len != call->rooms[i] || call->iov[i].iov_base != call->bytes[i]) {
            subject_fault(s, "iovec %u was changed, but only %u used", i, used);
        }
    }
}

/* For contiguous types with gaps between elements, 4.1.4's own engine leaves the last iov_len
   longer than the moved bytes, and may give one iovec less than it used. Takes max_data as the
   truth. */
static uint32_t amend_native(const subject_t *s, call_t *call, uint32_t used, size_t moved)
{
    if (with_dame || (s->layout->type->super.flags & OPAL_DATATYPE_FLAG_CONTIGUOUS) == 0) {
        return used;
    }
    for (used = 0; used < call->n && moved > 0; used++) {
        struct iovec *iov = &call->iov[used];
        iov->iov_len = call->rooms[used] < moved ? call->rooms[used] : moved;
        moved -= iov->iov_len;
    }
    return used;
}

size_t conv_move(opal_convertor_t *c, subject_t *s, const size_t *rooms, uint32_t n)
{
    call_t call = call_new(c, rooms, n);
    bool was_complete = (c->flags & CONVERTOR_COMPLETED) != 0;
    uint32_t used = n;
    size_t moved = 12345;
    int32_t rc = c->flags & CONVERTOR_SEND ? opal_convertor_pack(c, call.iov, &used, &moved)
                                           : opal_convertor_unpack(c, call.iov, &used, &moved);
    if (was_complete) {
        if (rc != 1 || used != 0 || moved != 0 || call.iov[0].iov_len != 0 ||
            c->bConverted != call.start) {
            subject_fault(s, "after the end: returns %d, %u iovecs, %zu bytes", rc, used, moved);
        }
    } else {
        used = amend_native(s, &call, used, moved);
        check_call(c, s, &call, rc, used, moved);
    }
    free(call.memory);
    return moved;
}

size_t conv_move_one(opal_convertor_t *c, subject_t *s, size_t room)
{
    return conv_move(c, s, &room, 1);
}

bool conv_move_some(opal_convertor_t *c, subject_t *s, size_t most)
{
    size_t rooms[CONV_IOVS];
    uint32_t n = (uint32_t) random_from(1, 3);
    size_t moved = 0;
    for (size_t more = 0; !(c->flags & CONVERTOR_COMPLETED) && moved == 0; more++) {
        for (uint32_t i = 0; i < n; i++) {
            rooms[i] = (size_t) random_from(1, (int64_t) most) + more;
        }
        moved = conv_move(c, s, rooms, n);
        if (more > WIDEST_ELEMENT) {
            subject_fault(s, "no progress at %zu", c->bConverted);
            c->flags |= CONVERTOR_COMPLETED; /* so that every loop ends */
        }
    }
    return moved > 0;
}

void conv_finish(opal_convertor_t *c, subject_t *s, size_t most)
{
    while (conv_move_some(c, s, most)) {
    }
    (void) conv_move_one(c, s, 10); /* nothing more */
}

void conv_seek(opal_convertor_t *c, subject_t *s, size_t position)
{
    size_t total = (size_t) subject_bytes(s);
    size_t expected = position < total ? position : total;
    size_t reached = 0;
    if (!with_dame && position > c->bConverted) {
        /* Going forwards from inside a loop, 4.1.4's own engine enters the loop again without
           having left it (opal_datatype_position.c): wrong places, and at last a stack overflow.
           From the end it starts again. */
        size_t end = total;
        (void) dt_openmpi_set_position(c, &end);
        (void) dt_openmpi_set_position(c, &reached);
    }
    size_t before = c->bConverted;
#if OMPI_MAJOR_VERSION >= 6 /* joins more neighbours than its flags tell */
    if ((c->flags & CONVERTOR_SEND) && !(c->flags & CONVERTOR_NO_OP)) {
        char none;
        (void) native_pack(s, &expected, &none, 0);
    }
#endif
    reached = position;
    int32_t rc = dt_openmpi_set_position(c, &reached);
    if (OMPI_MAJOR_VERSION < 6 && (c->flags & CONVERTOR_SEND) && !(c->flags & CONVERTOR_NO_OP) &&
        !(s->as_bytes && reached == expected)) {
        expected = (size_t) subject_boundary(s, (int64_t) expected);
    }
    if (rc != OPAL_SUCCESS || reached != expected || c->bConverted != expected ||
        (expected == total) != ((c->flags & CONVERTOR_COMPLETED) != 0)) {
        subject_fault(
            s, "set_position from %zu to %zu of %zu: returns %d, %zu, not %zu; bConverted %zu",
            before, position, total, rc, reached, expected, c->bConverted);
    }
}

/* ---- a second thread ------------------------------------------------------------------------ */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool started, ends;
    void (*work)(void *);
    void *argument;
} second = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *second_main(void *unused)
{
    pthread_mutex_lock(&second.lock);
    while (!second.ends) {
        if (second.work == NULL) {
            pthread_cond_wait(&second.changed, &second.lock);
            continue;
        }
        second.work(second.argument);
        second.work = NULL;
        pthread_cond_broadcast(&second.changed);
    }
    pthread_mutex_unlock(&second.lock);
    return unused;
}

void second_thread(void (*work)(void *), void *argument)
{
    pthread_mutex_lock(&second.lock);
    if (!second.started) {
        second.started = pthread_create(&second.thread, NULL, second_main, NULL) == 0;
    }
    second.work = work;
    second.argument = argument;
    pthread_cond_broadcast(&second.changed);
    while (second.started && second.work != NULL) {
        pthread_cond_wait(&second.changed, &second.lock);
    }
    pthread_mutex_unlock(&second.lock);
}

void second_thread_ends(void)
{
    pthread_mutex_lock(&second.lock);
    second.ends = true;
    pthread_cond_broadcast(&second.changed);
    pthread_mutex_unlock(&second.lock);
    if (second.started) {
        pthread_join(second.thread, NULL);
    }
}
