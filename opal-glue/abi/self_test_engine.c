/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes and convertors, looked at through our declarations while Open MPI's own engine moves
 * data (self_test.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmpi.h"
#include "self_test.h"
#include "self_test_types.h"

/* User memory of a message, and room around it for what wrong declarations could do. */
enum { MEMORY = 6144, ZERO = 1024, PACKED = 2048 };

/* Most bytes of a fragment, and of an element. */
enum { ROOM = 40, LARGEST = 8 };

/* Larger than any convertor, so that one of another size than ours stays inside. */
typedef union convertor {
    opal_convertor_t convertor;
    char room[2048];
} convertor_t;

/* A count that Open MPI writes, and what must stay as it is behind it. */
typedef struct counted {
    size_t value;
    uint64_t guard;
} counted_t;

static const uint64_t guard = 0x5a5aa5a50f0ff0f0;

/* ---- Basic datatypes, and a convertor at rest ----------------------------------------------- */

static bool basic_fits(int index, size_t size)
{
    const uint32_t flags = OPAL_DATATYPE_FLAG_PREDEFINED | OPAL_DATATYPE_FLAG_COMMITTED |
                           OPAL_DATATYPE_FLAG_CONTIGUOUS | OPAL_DATATYPE_FLAG_NO_GAPS |
                           OPAL_DATATYPE_FLAG_DATA;
    const ptrdiff_t end = (ptrdiff_t) size;
    opal_datatype_t type;
    dt_elem_desc_t item;
    char name[32];
    (void) snprintf(name, sizeof(name), "OPAL_INT%zu", size);
    return dt_self_test_fact(
               dt_self_test_read(&type, opal_datatype_basicDatatypes[index], sizeof(type)) &&
                   type.super.obj_class == &opal_datatype_t_class,
               "opal_datatype_basicDatatypes") &&
           dt_self_test_fact(strncmp(type.name, name, sizeof(name)) == 0, "opal_datatype_t.name") &&
           dt_self_test_fact(flags == (type.flags & flags), "opal_datatype_t.flags") &&
           dt_self_test_fact(size == type.size, "opal_datatype_t.size") &&
           dt_self_test_fact(type.lb == 0 && end == type.ub, "opal_datatype_t.ub") &&
           dt_self_test_fact(type.true_lb == 0 && end == type.true_ub, "opal_datatype_t.true_ub") &&
           dt_self_test_fact(type.desc.used == 1 && type.opt_desc.used == 1 &&
                                 dt_self_test_read(&item, type.desc.desc, sizeof(item)),
                             "opal_datatype_t.desc") &&
           /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): read above */
           dt_self_test_fact((item.elem.common.flags & OPAL_DATATYPE_FLAG_DATA) &&
                                 index == item.elem.common.type && item.elem.count == 1 &&
                                 item.elem.blocklen == 1 && end == item.elem.extent &&
                                 item.elem.disp == 0,
                             "ddt_elem_desc_t");
}

static bool basics_fit(void)
{
    return basic_fits(OPAL_DATATYPE_INT1, 1) && basic_fits(OPAL_DATATYPE_INT2, 2) &&
           basic_fits(OPAL_DATATYPE_INT4, 4) && basic_fits(OPAL_DATATYPE_INT8, 8);
}

/* MPI_INT has the name that users see behind the datatype of OPAL; in 6.0 it gets it later. */
static bool mpi_int_fits(void)
{
    ompi_datatype_t type;
    if (!dt_self_test_fact(dt_self_test_read(&type, MPI_INT, sizeof(type)) &&
                               type.super.size == 4 &&
                               (type.super.flags & OMPI_DATATYPE_FLAG_PREDEFINED),
                           "OMPI_DATATYPE_FLAG_PREDEFINED")) {
        return false;
    }
    const char *const name = type.name;
    return dt_self_test_fact(name == NULL || dt_self_test_is_text(name, "MPI_INT"),
                             "ompi_datatype_t.name");
}

static bool new_convertor_fits(const opal_convertor_t *convertor)
{
    const size_t size = opal_convertor_t_class.cls_sizeof;
    return dt_self_test_fact(
               dt_self_test_is_text(opal_convertor_t_class.cls_name, "opal_convertor_t") &&
                   size <= sizeof(opal_convertor_t) &&
                   size >=
                       offsetof(opal_convertor_t, static_stack) + sizeof(convertor->static_stack),
               "the size of opal_convertor_t") &&
           /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): callers have one */
           dt_self_test_fact(opal_local_arch == convertor->remoteArch,
                             "opal_convertor_t.remoteArch") &&
           dt_self_test_fact(convertor->stack_size == DT_STATIC_STACK_SIZE,
                             "opal_convertor_t.stack_size") &&
           dt_self_test_fact(convertor->static_stack == convertor->pStack,
                             "opal_convertor_t.static_stack");
}

/* ---- Messages ------------------------------------------------------------------------------- */

typedef struct message {
    const dt_self_test_type_t *type;
    const opal_convertor_t *peer;
    bool send;
    char memory[MEMORY];
    char packed[PACKED]; /* as it must be */
    char moved[PACKED];  /* as Open MPI moves it */
    size_t size;
    size_t third;                           /* where the sender began */
    size_t ends[PACKED / (ROOM - LARGEST)]; /* of its fragments */
    int fragments;
} message_t;

static ptrdiff_t extent_of(const dt_self_test_type_t *type)
{
    return type->native->ub - type->native->lb;
}

/* Returns whether the message fits into our memory, as the datatype looks through our declarations.
 * */
static bool type_fits(const dt_self_test_type_t *type)
{
    const opal_datatype_t *native = type->native;
    const ptrdiff_t extent = extent_of(type);
    const uint32_t shape =
        native->flags & (OPAL_DATATYPE_FLAG_CONTIGUOUS | OPAL_DATATYPE_FLAG_NO_GAPS);
    const bool no_gaps = type->no_gaps;
    return dt_self_test_fact(type->size == native->size, "opal_datatype_t.size") &&
           dt_self_test_fact(type->true_lb == native->true_lb && type->true_ub == native->true_ub,
                             "opal_datatype_t.true_lb") &&
           dt_self_test_fact(native->lb <= type->true_lb && native->ub >= type->true_ub &&
                                 extent <= (MEMORY - 2 * ZERO) / (ptrdiff_t) type->count,
                             "opal_datatype_t.lb") &&
           dt_self_test_fact(!(native->flags & OPAL_DATATYPE_FLAG_PREDEFINED) &&
                                 (native->flags & OPAL_DATATYPE_FLAG_COMMITTED),
                             "OPAL_DATATYPE_FLAG_COMMITTED") &&
           dt_self_test_fact(no_gaps == ((shape & OPAL_DATATYPE_FLAG_NO_GAPS) != 0) &&
                                 type->contiguous == ((shape & OPAL_DATATYPE_FLAG_CONTIGUOUS) != 0),
                             "OPAL_DATATYPE_FLAG_CONTIGUOUS");
}

/* Walks the pieces; `pack`: from memory to packed bytes. */
static void walk(message_t *m, char *packed, bool pack)
{
    const dt_self_test_type_t *type = m->type;
    size_t at = 0;
    for (size_t i = 0; i < type->count; i++) {
        for (int p = 0; p < type->n; p++) {
            char *piece = m->memory + ZERO + (ptrdiff_t) i * extent_of(type) + type->pieces[p].disp;
            memcpy(pack ? packed + at : piece, pack ? piece : packed + at, type->pieces[p].size);
            at += type->pieces[p].size;
        }
    }
}

static void fill(message_t *m)
{
    enum { AROUND = 64 };
    const ptrdiff_t end = ZERO + (ptrdiff_t) m->type->count * extent_of(m->type) + AROUND;
    for (ptrdiff_t i = ZERO - AROUND; i < end; i++) {
        m->memory[i] = (char) (i * 37 + i / 256);
    }
    walk(m, m->packed, true);
    memset(m->moved, 0, sizeof(m->moved));
}

/* The convertor that Open MPI has just prepared. */
static bool prepared_fits(const message_t *m, const opal_convertor_t *c, int32_t rc)
{
    const uint32_t state = CONVERTOR_SEND | CONVERTOR_RECV | CONVERTOR_HOMOGENEOUS |
                           CONVERTOR_NO_OP | CONVERTOR_COMPLETED | DT_OPENMPI_CHECKSUM |
                           DT_OPENMPI_DEVICE;
    const uint32_t expected = CONVERTOR_HOMOGENEOUS | (m->send ? CONVERTOR_SEND : CONVERTOR_RECV) |
                              (m->type->no_gaps ? CONVERTOR_NO_OP : 0u);
    const bool moves = !m->type->no_gaps; /* else fAdvance is never called */
    return dt_self_test_fact(rc == OPAL_SUCCESS, "opal_convertor_prepare_for_send()") &&
           dt_self_test_fact(m->type->native == c->pDesc, "opal_convertor_t.pDesc") &&
           dt_self_test_fact(m->type->count == c->count, "opal_convertor_t.count") &&
           dt_self_test_fact((void *) (m->memory + ZERO) == c->pBaseBuf,
                             "opal_convertor_t.pBaseBuf") &&
           dt_self_test_fact(m->size == c->local_size, "opal_convertor_t.local_size") &&
           dt_self_test_fact(c->bConverted == 0, "opal_convertor_t.bConverted") &&
           dt_self_test_fact(m->peer->master == c->master, "opal_convertor_t.master") &&
           dt_self_test_fact(&m->type->native->desc == c->use_desc ||
                                 &m->type->native->opt_desc == c->use_desc,
                             "opal_convertor_t.use_desc") &&
           dt_self_test_fact(expected == (c->flags & state), "opal_convertor_t.flags") &&
           (!moves || dt_self_test_fact(dt_self_test_is_beside(*(void *const *) &c->fAdvance,
                                                               &opal_convertor_t_class),
                                        "opal_convertor_t.fAdvance"));
}

static bool prepare(message_t *m, convertor_t *room)
{
    opal_convertor_t *c = &room->convertor;
    memset(room, 0, sizeof(*room));
    dt_object_construct(c, &opal_convertor_t_class);
    dt_openmpi_same_peer(c, m->peer);
    const int32_t rc =
        m->send
            ? opal_convertor_prepare_for_send(c, m->type->native, m->type->count, m->memory + ZERO)
            : opal_convertor_prepare_for_recv(c, m->type->native, m->type->count, m->memory + ZERO);
    return prepared_fits(m, c, rc);
}

/* The end of the sender's fragment from `at` on, or `limit`. */
static size_t end_after(const message_t *m, size_t at, size_t limit)
{
    size_t end = limit;
    for (int i = 0; i < m->fragments; i++) {
        end = m->ends[i] > at && m->ends[i] < end ? m->ends[i] : end;
    }
    return end;
}

/* Moves `*at` on by a fragment of up to ROOM bytes; a receiver by two of the sender's, in two
 * iovecs. It is not given other cuts: 4.1.0's own engine goes wrong if one is inside an element. */
static bool move_fragment(message_t *m, opal_convertor_t *c, size_t limit, size_t *at)
{
    const size_t most = limit - *at < ROOM ? limit - *at : ROOM;
    const size_t first = m->send ? most : end_after(m, *at, limit) - *at;
    const size_t both = m->send ? most : end_after(m, *at + first, limit) - *at;
    char *bytes = (m->send ? m->moved : m->packed) + *at;
    struct iovec iov[2] = {{.iov_base = bytes, .iov_len = first},
                           {.iov_base = bytes + first, .iov_len = both - first}};
    struct {
        uint32_t n;
        uint32_t guard;
    } used = {both > first ? 2 : 1, (uint32_t) guard};
    counted_t moved = {SIZE_MAX, guard};
    const int32_t rc = m->send ? opal_convertor_pack(c, iov, &used.n, &moved.value)
                               : opal_convertor_unpack(c, iov, &used.n, &moved.value);
    const size_t least = m->send ? both - (both < LARGEST ? both : LARGEST) + 1 : both;
    if (!dt_self_test_fact((uint32_t) guard == used.guard && guard == moved.guard && 1 <= used.n &&
                               used.n <= 2 && least <= moved.value && moved.value <= both,
                           m->send ? "opal_convertor_pack()" : "opal_convertor_unpack()")) {
        return false;
    }
    *at += moved.value;
    if (m->send) {
        m->ends[m->fragments++] = *at;
    }
    const bool complete = *at == m->size;
    const uint32_t done = CONVERTOR_COMPLETED;
    return dt_self_test_fact(*at == c->bConverted, "opal_convertor_t.bConverted") &&
           dt_self_test_fact((complete ? 1 : 0) == rc &&
                                 (complete ? done : 0u) == (c->flags & done),
                             "CONVERTOR_COMPLETED");
}

/* The first third of the message comes after the rest. */
static bool move_all(message_t *m)
{
    convertor_t room;
    opal_convertor_t *c = &room.convertor;
    size_t at = m->send ? m->size / 3 : m->third;
    if (!prepare(m, &room)) {
        return false;
    }
    if (!dt_self_test_fact(dt_openmpi_set_position(c, &at) == OPAL_SUCCESS && at <= m->size / 3 &&
                               at + LARGEST > m->size / 3 && at == c->bConverted,
                           "the position of a convertor")) {
        return false;
    }
    m->third = at;
    bool fits = true;
    while (fits && at < m->size) {
        fits = move_fragment(m, c, m->size, &at);
    }
    at = 0;
    fits = fits && dt_self_test_fact(dt_openmpi_set_position(c, &at) == OPAL_SUCCESS && at == 0 &&
                                         c->bConverted == 0 && !(c->flags & CONVERTOR_COMPLETED),
                                     "the position of a convertor");
    while (fits && at < m->third) {
        fits = move_fragment(m, c, m->third, &at);
    }
    dt_object_destruct(c);
    return fits;
}

/* The pieces of the message as addresses: joined, but each inside what we know to be one. */
static bool raw_fits(message_t *m)
{
    enum { BLOCKS = 64 };
    convertor_t room;
    struct iovec iov[BLOCKS];
    struct {
        uint32_t n;
        uint32_t guard;
    } used = {BLOCKS, (uint32_t) guard};
    counted_t length = {0, guard};
    size_t at = 0;
    m->send = true;
    if (!prepare(m, &room)) {
        return false;
    }
    (void) opal_convertor_raw(&room.convertor, iov, &used.n, &length.value);
    bool fits = (uint32_t) guard == used.guard && guard == length.guard && used.n <= BLOCKS &&
                0 < length.value && length.value <= m->size;
    for (uint32_t i = 0; fits && i < used.n; i++) {
        const char *from = iov[i].iov_base;
        fits = from >= m->memory && from + iov[i].iov_len <= m->memory + MEMORY &&
               at + iov[i].iov_len <= m->size && memcmp(from, m->packed + at, iov[i].iov_len) == 0;
        at += fits ? iov[i].iov_len : 0;
    }
    dt_object_destruct(&room.convertor);
    return dt_self_test_fact(fits && at == length.value, "opal_convertor_raw()");
}

static bool copy_fits(const message_t *m, message_t *other)
{
    other->type = m->type;
    memset(other->memory, 0, sizeof(other->memory));
    (void) opal_datatype_copy_content_same_ddt(m->type->native, (int32_t) m->type->count,
                                               other->memory + ZERO,
                                               (char *) (uintptr_t) m->memory + ZERO);
    walk(other, other->moved, true);
    return dt_self_test_fact(memcmp(other->moved, m->packed, m->size) == 0,
                             "opal_datatype_copy_content_same_ddt()");
}

static bool message_fits(message_t *m, message_t *other)
{
    m->size = m->type->count * m->type->size;
    m->send = true;
    m->fragments = 0;
    fill(m);
    if (!move_all(m) ||
        !dt_self_test_fact(memcmp(m->moved, m->packed, m->size) == 0, "the packed bytes") ||
        !raw_fits(m) || !copy_fits(m, other)) {
        return false;
    }
    m->send = false;
    memset(m->memory, 0, sizeof(m->memory));
    if (!move_all(m)) {
        return false;
    }
    walk(m, m->moved, true);
    return dt_self_test_fact(memcmp(m->moved, m->packed, m->size) == 0, "the unpacked bytes");
}

/* A count of more than 32 bits; nothing is moved. */
static bool large_count_fits(const opal_convertor_t *peer)
{
    const size_t count = ((size_t) 1 << 33) + 7;
    for (int send = 0; send < 2; send++) {
        convertor_t room;
        opal_convertor_t *c = &room.convertor;
        memset(&room, 0, sizeof(room));
        dt_object_construct(c, &opal_convertor_t_class);
        dt_openmpi_same_peer(c, peer);
        const opal_datatype_t *byte = opal_datatype_basicDatatypes[OPAL_DATATYPE_INT1];
        (void) (send ? opal_convertor_prepare_for_send(c, byte, count, &room)
                     : opal_convertor_prepare_for_recv(c, byte, count, &room));
        const bool fits = count == c->count && count == c->local_size;
        dt_object_destruct(c);
        if (!dt_self_test_fact(fits, send ? "opal_convertor_prepare_for_send()"
                                          : "opal_convertor_prepare_for_recv()")) {
            return false;
        }
    }
    return true;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static bool messages_fit(const opal_convertor_t *peer)
{
    message_t *messages = calloc(2, sizeof(*messages));
    bool fits = dt_self_test_fact(messages != NULL, "memory is out");
    for (int i = 0; fits && i < DT_SELF_TEST_TYPES; i++) {
        dt_self_test_type_t type;
        fits = dt_self_test_fact(dt_self_test_type_new(&type, i), "opal_datatype_add()") &&
               type_fits(&type);
        if (fits) {
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): tested above */
            messages[0].type = &type;
            messages[0].peer = peer;
            fits = message_fits(&messages[0], &messages[1]);
        }
        dt_self_test_type_free(&type);
    }
    free(messages);
    return fits;
}

bool dt_self_test_engine(void)
{
    if (!basics_fit() || !mpi_int_fits()) {
        return false;
    }
    opal_convertor_t *peer = opal_convertor_create((int32_t) opal_local_arch, 0);
    if (!dt_self_test_fact(peer != NULL, "opal_convertor_create()")) {
        return false;
    }
    const bool fits =
        new_convertor_fits(peer) &&
        dt_self_test_fact(peer->flags == CONVERTOR_HOMOGENEOUS && peer->master != NULL,
                          "CONVERTOR_HOMOGENEOUS") &&
        (!dt_openmpi_may_convert_early() || (large_count_fits(peer) && messages_fit(peer)));
    dt_object_destruct(peer);
    free(peer);
    return fits;
}
