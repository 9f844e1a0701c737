#include "advance.h"

#include "engine/credit.h"
#include "hash.h"
#include "native.h"
#include "sample.h"
#include "table.h"
#include "thread.h"

static inline bool is_at(const dt_cached_cursor_t *place, const opal_convertor_t *convertor)
{
    return convertor->pDesc == place->datatype &&
           (int64_t) convertor->bConverted == place->cursor.position &&
           (uintptr_t) convertor->pBaseBuf == place->cursor.frames[0].origin &&
           (int64_t) convertor->count == place->cursor.frames[0].count;
}

/* Where the convertor's cursor is kept, or another's. */
static inline dt_cached_cursor_t *slot_of(dt_thread_t *thread, const opal_convertor_t *convertor)
{
    return &thread->cursors[dt_hash(convertor) >> (64 - DT_CURSORS_LOG2)];
}

/* Makes the place's cursor one at the message's beginning. It is not found before the caller sets
 * the place's datatype, also if a signal handler jumps out of here. False: it cannot be made. */
static inline bool set_place(dt_cached_cursor_t *place, const dt_entry_t *entry,
                             const opal_convertor_t *convertor)
{
    place->datatype = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    place->generation = dt_table_generation();
    place->serial = entry->serial;
    place->mark = (dt_native_mark_t){.item = NULL};
    /* Cannot fail: dt_import() lets no program deeper than DAME_CURSOR_DEPTH pass, and DAME only
       handles convertors (glue.c) whose count * size fits. */
    return DAME_OK == dame_cursor_init(&place->cursor, entry->use.layout->program,
                                       (uintptr_t) convertor->pBaseBuf, (int64_t) convertor->count);
}

/* The place holds no cursor that is known to be good: it is found out, or a new one is made. */
static __attribute__((noinline)) dt_cached_cursor_t *
renew(dt_thread_t *thread, dt_cached_cursor_t *place, const opal_convertor_t *convertor)
{
    const uint64_t generation = dt_table_generation();
    const dt_entry_t *entry = dt_table_get(convertor->pDesc);
    if (is_at(place, convertor) && entry->serial == place->serial) { /* still the same datatype */
        place->generation = generation;
        return place;
    }
    if (!set_place(place, entry, convertor)) {
        return NULL;
    }
    if (convertor->bConverted > 0) {
        dame_cursor_seek(&place->cursor, (int64_t) convertor->bConverted);
        dt_thread_add(thread, DT_COUNT_seeks, 1);
    }
    place->datatype = convertor->pDesc;
    return place;
}

/* The place with a cursor at the convertor's position. */
static inline dt_cached_cursor_t *place_of(dt_thread_t *thread, const opal_convertor_t *convertor)
{
    dt_cached_cursor_t *place = slot_of(thread, convertor);
    if (is_at(place, convertor) && dt_table_generation() == place->generation) {
        return place;
    }
    return renew(thread, place, convertor);
}

/* What still fits behind the last multiple of the program's granule: elements of several sizes end
 * between those. */
static __attribute__((noinline)) int64_t
pack_rest(const opal_convertor_t *convertor, dt_cached_cursor_t *place, char *packed, int64_t room)
{
    dame_cursor_t *cursor = &place->cursor;
    const size_t limit = (size_t) (cursor->position + room);
    const int64_t end = (int64_t) dt_native_boundary(convertor, limit, &place->mark);
    return end > cursor->position ? dame_cursor_pack_exact(cursor, packed, end - cursor->position)
                                  : 0;
}

/*
 * Packs as much as the native engine would, but that much room may leave a short block whole. So an
 * element is cut only where that engine cuts it, too: stock receivers lose track of cut elements
 * when fragments overtake each other.
 */
static inline int64_t pack_whole_elements(const opal_convertor_t *convertor,
                                          dt_cached_cursor_t *place, char *packed, int64_t room)
{
    int64_t bytes = dame_cursor_pack(&place->cursor, packed, room);
    if (bytes < room && !dame_cursor_spares(&place->cursor, room)) {
        bytes += pack_rest(convertor, place, packed + bytes, room - bytes);
    }
    return bytes;
}

static inline size_t room_of(const struct iovec *iov, size_t left)
{
    return iov->iov_len < left ? iov->iov_len : left;
}

/* Moves what fits into one iovec. Returns the bytes, which are in it, too. */
static inline __attribute__((always_inline)) size_t move_iovec(const opal_convertor_t *convertor,
                                                               dt_cached_cursor_t *place,
                                                               dame_dir_t dir, struct iovec *iov,
                                                               size_t left)
{
    const int64_t room = (int64_t) room_of(iov, left);
    const int64_t bytes = DAME_PACK == dir
                              ? pack_whole_elements(convertor, place, iov->iov_base, room)
                              : dame_cursor_unpack(&place->cursor, iov->iov_base, room);
    iov->iov_len = (size_t) bytes;
    return (size_t) bytes;
}

/* The iovecs after the first. Returns the bytes; *out_size: all that were used. Not in line: most
 * callers have one. */
static __attribute__((noinline)) size_t move_more(const opal_convertor_t *convertor,
                                                  dt_cached_cursor_t *place, dame_dir_t dir,
                                                  struct iovec *iov, uint32_t *out_size,
                                                  size_t left)
{
    const size_t all = left;
    uint32_t used = 1;
    while (used < *out_size && left > 0) {
        left -= move_iovec(convertor, place, dir, &iov[used++], left);
    }
    *out_size = used;
    return all - left;
}

/* A fragment through the cursor of the place; NULL: there is none. Returns the bytes moved. With
 * the thread inside its reader. */
static inline __attribute__((always_inline)) size_t
move_from(dt_thread_t *thread, dt_cached_cursor_t *place, const opal_convertor_t *convertor,
          dame_dir_t dir, struct iovec *iov, uint32_t *out_size)
{
    const size_t left = convertor->local_size - convertor->bConverted;
    if (NULL == place || 0 == *out_size || 0 == left) {
        *out_size = 0;
        return 0;
    }
    place->datatype = NULL; /* a signal handler that jumps out leaves a cursor that is half moved */
    size_t moved = move_iovec(convertor, place, dir, iov, left);
    if (1 != *out_size) {
        moved += move_more(convertor, place, dir, iov, out_size, left - moved);
    }
    place->datatype = convertor->pDesc;
    if (0 != place->cursor.in_block) {
        dt_thread_add(thread, DT_COUNT_cut_blocks, 1);
    }
    return moved;
}

static inline __attribute__((always_inline)) size_t move_fragment(dt_thread_t *thread,
                                                                  const opal_convertor_t *convertor,
                                                                  dame_dir_t dir, struct iovec *iov,
                                                                  uint32_t *out_size)
{
    dame_reader_enter(&thread->base.reader);
    const size_t moved =
        move_from(thread, place_of(thread, convertor), convertor, dir, iov, out_size);
    dame_reader_leave(&thread->base.reader);
    return moved;
}

static inline int32_t finish(opal_convertor_t *convertor, size_t moved, size_t *max_data)
{
    *max_data = moved;
    convertor->bConverted += moved;
    if (convertor->bConverted == convertor->local_size) {
        convertor->flags |= CONVERTOR_COMPLETED;
        return 1;
    }
    return 0;
}

static inline bool is_whole(const opal_convertor_t *convertor, const struct iovec *iov,
                            const uint32_t *out_size)
{
    return *out_size > 0 && iov[0].iov_len >= convertor->local_size;
}

static inline size_t move_whole(dt_thread_t *thread, const opal_convertor_t *convertor,
                                dame_dir_t dir, const dame_program_t *program, struct iovec *iov,
                                uint32_t *out_size)
{
    const size_t moved = convertor->local_size;
    dame_reader_enter(&thread->base.reader);
    dame_program_run(program, dir, (uintptr_t) convertor->pBaseBuf, (int64_t) convertor->count,
                     iov[0].iov_base);
    dame_reader_leave(&thread->base.reader);
    iov[0].iov_len = moved;
    *out_size = 1;
    return moved;
}

/* Is this message left to the native engine? In longer ones that engine's 32-bit counts overflow
 * here and there. */
static inline bool is_left(dt_entry_t *entry, dame_dir_t dir, const opal_convertor_t *convertor,
                           const struct iovec *iov, const uint32_t *out_size)
{
    return dame_promote_is_native(entry->use.layout, dir) && is_whole(convertor, iov, out_size) &&
           convertor->local_size <= INT32_MAX && dt_native_is_trusted(entry, convertor);
}

/* Moves what fits. `entry`: of a message that may be whole, else NULL. */
static inline size_t move(dt_thread_t *thread, opal_convertor_t *convertor, dame_dir_t dir,
                          dt_entry_t *entry, struct iovec *iov, uint32_t *out_size)
{
    if (NULL != entry && is_left(entry, dir, convertor, iov, out_size)) {
        *out_size = 1;
        dt_thread_add(thread, DT_COUNT_messages_native, 1);
        return dt_native_move(convertor, dir, iov);
    }
    return NULL != entry && is_whole(convertor, iov, out_size)
               ? move_whole(thread, convertor, dir, entry->use.layout->program, iov, out_size)
               : move_fragment(thread, convertor, dir, iov, out_size);
}

static __attribute__((noinline)) void keep_time(dt_thread_t *thread,
                                                const opal_convertor_t *convertor, dame_dir_t dir,
                                                bool native, int64_t time, size_t moved)
{
    const dt_entry_t *entry = dt_table_get(convertor->pDesc);
    dame_timing_took(&dt_engine.timing, &thread->base, dame_tally_of(&entry->use),
                     (dame_work_t) dir, dame_promote_tier(entry->use.layout, dir, native), time,
                     (int64_t) moved);
}

/* `may_open`: a window may begin with the next message. */
static inline void tally_use(dt_thread_t *thread, const dt_entry_t *entry,
                             const opal_convertor_t *convertor, dame_dir_t dir, bool native,
                             bool may_open)
{
    dame_tally_t *tally = dame_tally_of(&entry->use);
    if (NULL == tally) {
        return;
    }
    const dame_tier_t tier = dame_promote_tier(entry->use.layout, dir, native);
    const int64_t n =
        dame_tally_use(tally, (dame_work_t) dir, tier, (int64_t) convertor->local_size);
    if (dt_engine.timing.on && !thread->has_window) {
        dame_timing_ask(&thread->base, tally, (dame_work_t) dir, tier);
    }
    if (may_open && dt_sample_window_due(tally, (dame_work_t) dir, n)) {
        dt_sample_open_window(thread, tally, (dame_work_t) dir, n);
    }
}

/* Moves what fits, or has it moved, and takes its time when that is due. */
static inline size_t move_sampled(dt_thread_t *thread, opal_convertor_t *convertor, dame_dir_t dir,
                                  dt_entry_t *entry, struct iovec *iov, uint32_t *out_size)
{
    size_t moved;
    if (dt_sample_has_window(thread) &&
        dt_sample_by_native(thread, dt_table_get(convertor->pDesc), convertor, dir, iov, *out_size,
                            &moved)) {
        return moved;
    }
    const bool timed = dame_timing_is_due(&dt_engine.timing, &thread->base);
    const bool native = timed && NULL != entry && is_left(entry, dir, convertor, iov, out_size);
    const int64_t start = timed ? dame_timing_begin() : 0;
    moved = move(thread, convertor, dir, entry, iov, out_size);
    if (timed) {
        keep_time(thread, convertor, dir, native, dame_ns_now() - start, moved);
    }
    return moved;
}

static inline int32_t move_and_count(dt_thread_t *thread, opal_convertor_t *convertor,
                                     dame_dir_t dir, dt_entry_t *entry, struct iovec *iov,
                                     uint32_t *out_size, size_t *max_data)
{
    const bool first = NULL != entry;
    const size_t moved = move_sampled(thread, convertor, dir, entry, iov, out_size);
    _Atomic int64_t *count = thread->base.cells.count;
    dame_cells_add(&count[DT_COUNT_messages_packed + dir], first);
    dame_cells_add(&count[DT_COUNT_fragments_packed + dir], 1);
    dame_cells_add(&count[DT_COUNT_bytes_packed + dir], (int64_t) moved);
    return finish(convertor, moved, max_data);
}

/* The whole message that has been moved, as often again, by the native engine or by DAME. The bytes
 * stay the same. */
static void repeat_natively(opal_convertor_t *convertor, dame_dir_t dir, char *packed, int times)
{
    const uint32_t flags = convertor->flags;
    for (int i = 0; i < times; i++) {
        struct iovec iov = {.iov_base = packed, .iov_len = convertor->local_size};
        convertor->flags &= ~(uint32_t) CONVERTOR_COMPLETED;
        convertor->bConverted = 0;
        (void) dt_native_move(convertor, dir, &iov);
    }
    convertor->flags = flags;
    convertor->bConverted = convertor->local_size;
}

static void repeat(dt_thread_t *thread, const opal_convertor_t *convertor, dame_dir_t dir,
                   const dame_program_t *program, char *packed, int times)
{
    dame_reader_enter(&thread->base.reader);
    for (int i = 0; i < times; i++) {
        dame_program_run(program, dir, (uintptr_t) convertor->pBaseBuf, (int64_t) convertor->count,
                         packed);
    }
    dame_reader_leave(&thread->base.reader);
}

/* A message begins, of which this fragment is timed. Not in line, so that others do not pay for its
 * registers. */
static __attribute__((noinline)) int32_t advance_timed(opal_convertor_t *convertor, dame_dir_t dir,
                                                       dt_entry_t *entry, struct iovec *iov,
                                                       uint32_t *out_size, size_t *max_data,
                                                       dame_measured_t *measured)
{
    const bool whole = is_whole(convertor, iov, out_size);
    char *packed = *out_size > 0 ? iov[0].iov_base : NULL;
    const bool native = is_left(entry, dir, convertor, iov, out_size);
    const dame_layout_t *layout = entry->use.layout;
    dt_thread_t *thread = dt_thread();
    int64_t ticks;
    const dame_trial_t trial = dame_trial_begin(measured);
    const int32_t rc = move_and_count(thread, convertor, dir, entry, iov, out_size, max_data);
    if (!dame_trial_counts(&trial, layout, native, convertor->count, convertor->pBaseBuf, &ticks)) {
        return rc;
    }
    const int repeats = whole && 1 == rc ? dame_measured_repeats(measured, ticks) : 0;
    if (native) {
        repeat_natively(convertor, dir, packed, repeats);
    } else {
        repeat(thread, convertor, dir, layout->program, packed, repeats);
    }
    dame_trial_end(&trial, ticks, repeats, *max_data, whole, packed);
    return rc;
}

/* Credit for the next messages, as far as nobody has a question. */
static void grant(dt_thread_t *thread, const dame_use_t *use, dame_dir_t dir)
{
    const dame_layout_t *layout = use->layout;
    dame_credit_grant(&thread->base, use, (dame_work_t) dir,
                      dame_promote_tier(layout, dir, dame_promote_is_native(layout, dir)),
                      dame_promote_may_skip(layout, dir, DAME_MOST_CREDIT), dt_engine.timing.on);
}

/* A message begins that needs more than to be moved. */
static __attribute__((noinline)) int32_t advance_counted(opal_convertor_t *convertor,
                                                         dame_dir_t dir, dt_entry_t *entry,
                                                         struct iovec *iov, uint32_t *out_size,
                                                         size_t *max_data)
{
    dt_thread_t *thread = dt_thread();
    dame_use_t *use = &entry->use;
    const bool samples = dt_engine.timing.on;
    const int32_t untold = dame_credit_end(&thread->base, use, (dame_work_t) dir, samples);
    if (untold > 0) {
        dame_promote_skipped(use, dir, convertor->local_size, untold);
    }
    const bool in_window = dt_sample_has_window(thread);
    dame_measured_t *measured =
        in_window && !dame_promote_counts_each(use->layout, dir)
            ? NULL
            : dame_promote_use(&thread->base, use, dir, convertor->local_size);
    const bool native = is_left(entry, dir, convertor, iov, out_size);
    tally_use(thread, entry, convertor, dir, native, !in_window && NULL == measured);
    if (__builtin_expect(NULL != measured, 0)) {
        return advance_timed(convertor, dir, entry, iov, out_size, max_data, measured);
    }
    if (!dt_sample_has_window(thread)) {
        grant(thread, use, dir);
    }
    return move_and_count(thread, convertor, dir, entry, iov, out_size, max_data);
}

/* A use that was granted as one of the native engine's. */
static void count_as_ours(const dt_entry_t *entry, const opal_convertor_t *convertor,
                          dame_dir_t dir)
{
    const int64_t bytes = (int64_t) convertor->local_size;
    dame_amounts_t *amounts = entry->use.amounts;
    if (NULL != amounts) {
        dame_amounts_add(amounts, (dame_work_t) dir, DAME_TIER_NATIVE, -1, -bytes);
        dame_amounts_add(amounts, (dame_work_t) dir,
                         dame_promote_tier(entry->use.layout, dir, false), 1, bytes);
    }
}

/* The first fragment of a message, which is one of the uses granted: those count as whole messages,
 * so what is not moved yet is taken off. */
static __attribute__((noinline)) int32_t
begin_fragments(dt_thread_t *thread, const dt_entry_t *entry, opal_convertor_t *convertor,
                dame_dir_t dir, struct iovec *iov, uint32_t *out_size, size_t *max_data)
{
    dt_cached_cursor_t *slot = slot_of(thread, convertor);
    dame_reader_enter(&thread->base.reader);
    dt_cached_cursor_t *place = set_place(slot, entry, convertor) ? slot : NULL;
    const size_t moved = move_from(thread, place, convertor, dir, iov, out_size);
    dame_reader_leave(&thread->base.reader);
    dt_thread_add(thread, (dt_counter_t) (DT_COUNT_bytes_packed + dir),
                  (int64_t) moved - (int64_t) convertor->local_size);
    return finish(convertor, moved, max_data);
}

/* The first fragment, or all of a message, of a layout whose whole ones are the native engine's:
 * one of the uses granted, which count as that engine's. */
static __attribute__((noinline)) int32_t begin_native(dt_thread_t *thread, dt_entry_t *entry,
                                                      opal_convertor_t *convertor, dame_dir_t dir,
                                                      struct iovec *iov, uint32_t *out_size,
                                                      size_t *max_data)
{
    if (!is_left(entry, dir, convertor, iov, out_size)) {
        count_as_ours(entry, convertor, dir);
    }
    const size_t moved = move(thread, convertor, dir, entry, iov, out_size);
    dt_thread_add(thread, (dt_counter_t) (DT_COUNT_bytes_packed + dir),
                  (int64_t) moved - (int64_t) convertor->local_size);
    return finish(convertor, moved, max_data);
}

/* A message begins. */
static inline __attribute__((always_inline)) int32_t begin(opal_convertor_t *convertor,
                                                           dame_dir_t dir, struct iovec *iov,
                                                           uint32_t *out_size, size_t *max_data)
{
    dt_thread_t *thread = dt_thread_here();
    dt_entry_t *entry = dt_table_get(convertor->pDesc);
    if (!dame_credit_take(&thread->base, &entry->use, (dame_work_t) dir,
                          (int64_t) convertor->local_size)) {
        return advance_counted(convertor, dir, entry, iov, out_size, max_data);
    }
    if (dame_promote_is_native(entry->use.layout, dir)) {
        return begin_native(thread, entry, convertor, dir, iov, out_size, max_data);
    }
    if (!is_whole(convertor, iov, out_size)) {
        return begin_fragments(thread, entry, convertor, dir, iov, out_size, max_data);
    }
    return finish(convertor,
                  move_whole(thread, convertor, dir, entry->use.layout->program, iov, out_size),
                  max_data);
}

/* A fragment that continues a message. */
static inline __attribute__((always_inline)) int32_t go_on(opal_convertor_t *convertor,
                                                           dame_dir_t dir, struct iovec *iov,
                                                           uint32_t *out_size, size_t *max_data)
{
    dt_thread_t *thread = dt_thread();
    if (__builtin_expect(dt_engine.timing.on, 0)) {
        return move_and_count(thread, convertor, dir, NULL, iov, out_size, max_data);
    }
    const size_t moved = move_fragment(thread, convertor, dir, iov, out_size);
    dt_thread_add(thread, (dt_counter_t) (DT_COUNT_fragments_packed + dir), 1);
    dt_thread_add(thread, (dt_counter_t) (DT_COUNT_bytes_packed + dir), (int64_t) moved);
    return finish(convertor, moved, max_data);
}

/* Functions of their own, and of the same arguments, so that none pays for what another keeps in
 * registers. */
#define DEFINE(name, advance, dir)                                                                 \
    static __attribute__((noinline)) int32_t name(opal_convertor_t *convertor, struct iovec *iov,  \
                                                  uint32_t *out_size, size_t *max_data)            \
    {                                                                                              \
        return advance(convertor, dir, iov, out_size, max_data);                                   \
    }
DEFINE(begin_packing, begin, DAME_PACK)
DEFINE(begin_unpacking, begin, DAME_UNPACK)
DEFINE(go_on_packing, go_on, DAME_PACK)
DEFINE(go_on_unpacking, go_on, DAME_UNPACK)
#undef DEFINE

int32_t dt_advance_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                        size_t *max_data)
{
    if (*out_size > 0 && NULL == iov[0].iov_base) { /* the caller wants pointers, not copies */
        return dt_advance_raw(convertor, iov, out_size, max_data);
    }
    return 0 != convertor->bConverted ? go_on_packing(convertor, iov, out_size, max_data)
                                      : begin_packing(convertor, iov, out_size, max_data);
}

int32_t dt_advance_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                          size_t *max_data)
{
    return 0 != convertor->bConverted ? go_on_unpacking(convertor, iov, out_size, max_data)
                                      : begin_unpacking(convertor, iov, out_size, max_data);
}

void dt_advance_set_position(opal_convertor_t *convertor, size_t *position)
{
    convertor->bConverted = *position;
    if (convertor->flags & CONVERTOR_SEND) {
        dt_cached_cursor_t *place = place_of(dt_thread(), convertor);
        if (NULL != place && !dame_cursor_on_boundary(&place->cursor)) {
            *position = dt_native_boundary(convertor, *position, &place->mark);
            convertor->bConverted = *position;
        }
    }
}

_Static_assert(sizeof(struct iovec) == sizeof(dame_block_t) &&
                   offsetof(struct iovec, iov_base) == offsetof(dame_block_t, address) &&
                   offsetof(struct iovec, iov_len) == offsetof(dame_block_t, length),
               "a dame_block_t is a struct iovec");

int32_t dt_advance_raw(opal_convertor_t *convertor, struct iovec *iov, uint32_t *iov_count,
                       size_t *length)
{
    dt_cached_cursor_t *place = place_of(dt_thread(), convertor);
    const int32_t most = *iov_count < INT32_MAX ? (int32_t) *iov_count : INT32_MAX;
    *iov_count = 0;
    if (NULL == place) {
        return finish(convertor, 0, length);
    }
    place->datatype = NULL; /* as in move_from() */
    *iov_count = (uint32_t) dame_cursor_blocks(&place->cursor, (dame_block_t *) iov, most);
    place->datatype = convertor->pDesc;
    return finish(convertor, (size_t) place->cursor.position - convertor->bConverted, length);
}
