/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where DAME meets Open MPI: which convertors it handles, and which functions replace Open MPI's
 * own (opal/datatype/opal_convertor.c).
 */
#include "glue.h"

#include "opal-glue/convertor/advance.h"
#include "opal-glue/import/break_even.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "opal-glue/import/contents.h"
#include "opal-glue/convertor/copy.h"
#include "opal-glue/convertor/devices.h"
#include "base/heap.h"
#include "opal-glue/convertor/direct.h"
#include "dump.h"
#include "opal-glue/convertor/events.h"
#include "opal-glue/import/import.h"
#include "opal-glue/interpose/got.h"
#include "base/lock.h"
#include "engine/promote.h"
#include "opal-glue/import/layout_key.h"
#include "log.h"
#include "opal-glue/convertor/native.h"
#include "observer.h"
#include "opal-glue/abi/openmpi.h"
#include "opal-glue/convertor/sample.h"
#include "opal-glue/abi/self_test.h"
#include "table.h"
#include "thread.h"
#include "opal-glue/convertor/verify_native.h"
#include "type_end.h"

/* What moves the data of the convertors that DAME handles. */
static convertor_advance_fct_t pack = dt_advance_pack;
static convertor_advance_fct_t unpack = dt_advance_unpack;
static bool (*copy)(dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count, char *to,
                    const char *from) = dt_copy;
static void (*set_position)(opal_convertor_t *, size_t *) = dt_advance_set_position;

static void choose_movers(const dt_glue_options_t *options)
{
    pack = options->verify ? dt_verify_pack : dt_advance_pack;
    unpack = options->verify ? dt_verify_unpack : dt_advance_unpack;
    copy = options->verify ? dt_verify_copy : dt_copy;
    set_position = options->verify ? dt_verify_set_position : dt_advance_set_position;
    if (*options->papi_events != '\0' && dt_events_start(options->papi_events, pack, unpack)) {
        pack = dt_events_pack;
        unpack = dt_events_unpack;
    }
}

/* Returns whether a message is moved, and nothing else done. */
static bool moves_plainly(void)
{
    return dt_advance_pack == pack && dt_advance_unpack == unpack;
}

/* ---- Which convertors DAME handles ---------------------------------------------------------- */

static inline bool is_in_range(const opal_datatype_t *datatype, size_t count, int64_t *bytes)
{
    return !__builtin_mul_overflow(count, datatype->size, bytes);
}

/* A message of a datatype without an entry. */
static void leave_until_import(dt_thread_t *thread, int64_t bytes)
{
    dt_thread_add(thread, DT_COUNT_messages_before_import, 1);
    dt_thread_add(thread, DT_COUNT_bytes_left, bytes);
}

/* The entry that a datatype without one gets now, or NULL. */
static dt_entry_t *new_entry(const opal_datatype_t *datatype, size_t count, dame_work_t work,
                             int64_t bytes)
{
    const uint64_t fingerprint = dt_layout_fingerprint(datatype);
    const dt_due_t due = dt_break_even(datatype, fingerprint, count, bytes);
    dt_entry_t *entry =
        due == DT_DUE_NOTHING ? NULL : dt_table_open(datatype, fingerprint, due == DT_DUE_IMPORT);
    if (entry == NULL && due == DT_DUE_IMPORT) {
        dt_count_left(DT_DECLINE_MEMORY, bytes);
    } else if (entry == NULL) {
        leave_until_import(dt_thread(), bytes);
        dt_table_leave(datatype, work, bytes);
        if (due == DT_DUE_LOOK) {
            dt_break_even_missed(fingerprint);
        }
    }
    return entry;
}

/* The entry of a datatype that DAME moves `count` elements of, or NULL. */
static dt_entry_t *entry_for(const opal_datatype_t *datatype, size_t count, dame_work_t work)
{
    int64_t bytes;
    if (!is_in_range(datatype, count, &bytes)) {
        dt_count_left(DT_DECLINE_RANGE, 0);
        return NULL;
    }
    dt_entry_t *entry = dt_table_find(datatype);
    entry = entry != NULL ? entry : new_entry(datatype, count, work, bytes);
    if (entry == NULL) {
        return NULL;
    }
    const dt_decline_t declined = (dt_decline_t) dt_entry_declined(entry);
    if (declined != DT_DECLINE_NONE) {
        dt_count_left(declined, bytes);
        dame_tally_leave(dame_tally_of(&entry->use), work, bytes, (int32_t) declined);
        return NULL;
    }
    return entry;
}

/* Says who moves a message that DAME does not, and that was not declined for a reason of its own.
 * */
static const char *moved_natively(const opal_convertor_t *convertor)
{
    return convertor->flags & CONVERTOR_NO_OP        ? "Open MPI, being contiguous"
           : dt_table_find(convertor->pDesc) != NULL ? "Open MPI's own engine"
                                                     : "Open MPI's own engine, until importing the "
                                                       "layout pays";
}

static const char *moved_by_dame(const opal_convertor_t *convertor, const dt_entry_t *entry)
{
    const dame_dir_t dir = convertor->flags & CONVERTOR_SEND ? DAME_PACK : DAME_UNPACK;
    return dame_promote_is_native(entry->use.layout, dir)
               ? "DAME, but if whole by Open MPI's own engine, which was measured to be faster"
               : "DAME";
}

/* `entry`: NULL when DAME does not move the message. */
static __attribute__((noinline)) void log_message(const opal_convertor_t *convertor,
                                                  const dt_entry_t *entry, dt_decline_t reason)
{
    if (convertor->local_size == 0) {
        return;
    }
    const bool declined = reason != DT_DECLINE_NONE;
    dt_log_of(DT_LOG_MESSAGES, dt_contents_name(convertor->pDesc),
              "%zu bytes to %s: moved by %s%s%s", convertor->local_size,
              convertor->flags & CONVERTOR_SEND ? "pack" : "unpack",
              declined        ? "Open MPI's own engine"
              : entry == NULL ? moved_natively(convertor)
                              : moved_by_dame(convertor, entry),
              declined ? ": " : "", declined ? dt_decline_text(reason) : "");
}

static dame_work_t work_of(const opal_convertor_t *convertor)
{
    return convertor->flags & CONVERTOR_SEND ? DAME_WORK_PACK : DAME_WORK_UNPACK;
}

/* Decides about any convertor, with a reason when its data is left. Not in line: one that DAME
 * handles seldom comes here. */
static __attribute__((noinline)) bool decide_message(opal_convertor_t *convertor)
{
    const dt_entry_t *entry = NULL;
    dt_decline_t reason = DT_DECLINE_NONE;
    if ((convertor->flags & (CONVERTOR_NO_OP | CONVERTOR_COMPLETED)) == 0 && dt_devices_look() &&
        dt_devices_take(convertor)) {
        return false;
    }
    if (dt_openmpi_is_plain(convertor)) {
        entry = entry_for(convertor->pDesc, convertor->count, work_of(convertor));
    } else {
        reason = dt_openmpi_declined(convertor);
        if (reason != DT_DECLINE_NONE) {
            dt_count_left(reason, (int64_t) convertor->local_size);
        }
    }
    if (dt_log_wants(DT_LOG_MESSAGES)) {
        log_message(convertor, entry, reason);
    }
    return entry != NULL;
}

/* Returns whether a message of a datatype without an entry is left to Open MPI's engine without a
 * look. */
static bool passes(const opal_datatype_t *datatype, size_t count)
{
    int64_t bytes;
    dt_thread_t *thread = dt_thread();
    if (!is_in_range(datatype, count, &bytes) || !dt_break_even_passes(thread, bytes) ||
        !dt_devices_pass()) {
        return false;
    }
    leave_until_import(thread, bytes);
    return true;
}

/* The convertor as Open MPI has just prepared it: is its data ours to move? */
static inline bool dame_handles(opal_convertor_t *convertor, const opal_datatype_t *datatype,
                                size_t count)
{
    if (__builtin_expect(dt_openmpi_is_plain(convertor) && !dt_devices_attend(), 1)) {
        const dt_entry_t *entry = dt_table_find(datatype);
        int64_t bytes;
        if (entry == NULL) {
            if (passes(datatype, count)) {
                return false;
            }
        } else if (is_in_range(datatype, count, &bytes) &&
                   dt_entry_declined(entry) == (int32_t) DT_DECLINE_NONE) {
            return true;
        }
    }
    return decide_message(convertor);
}

static bool uses_dame_advance(const opal_convertor_t *convertor)
{
    return pack == convertor->fAdvance || unpack == convertor->fAdvance;
}

/* ---- Answers to Open MPI's questions -------------------------------------------------------- */

/* Positions a convertor that DAME moves the data of. The end of the message is the callers'
 * business. */
static int32_t position_dame(opal_convertor_t *convertor, size_t *position)
{
    set_position(convertor, position);
    return OPAL_SUCCESS;
}

/* Takes the next message of a convertor that the native engine has moved a message of, if it is
 * ours. */
static bool take_again(opal_convertor_t *convertor)
{
    if (!dt_openmpi_is_plain(convertor) ||
        !dame_handles(convertor, convertor->pDesc, convertor->count)) {
        return false;
    }
    dt_openmpi_take(convertor, convertor->flags & CONVERTOR_SEND ? pack : unpack, position_dame);
    return true;
}

/*
 * A persistent request goes back from the end of its convertor to the beginning for each message
 * instead of preparing it again: a layout that was too new when the request was made may be DAME's
 * by now.
 */
static bool begins_again(const opal_convertor_t *convertor, size_t position)
{
    return convertor->bConverted == convertor->local_size && position == 0;
}

/* Positions a convertor that the native engine moves the data of. */
static int32_t position_native(opal_convertor_t *convertor, size_t *position)
{
    const bool again = begins_again(convertor, *position);
    const int32_t rc = dt_native_position(convertor, position);
    if (again) {
        (void) take_again(convertor);
    }
    return rc;
}

static bool is_taken_by_device(const opal_convertor_t *convertor)
{
    return dt_devices_are_on() && dt_devices_took(convertor);
}

/* The convertor as Open MPI has just prepared it. */
static inline void prepared(opal_convertor_t *convertor, const opal_datatype_t *datatype,
                            size_t count, convertor_advance_fct_t advance)
{
    if (dame_handles(convertor, datatype, count)) {
        dt_openmpi_take(convertor, advance, position_dame);
    } else if (!DT_OPENMPI_POSITION_IN_GOT && dt_openmpi_is_plain(convertor) &&
               !is_taken_by_device(convertor)) {
        dt_openmpi_watch(convertor, position_native);
    }
}

/* The convertor's blocks. OPAL_ERR_NOT_SUPPORTED: Open MPI lists them. */
static int32_t list_blocks(opal_convertor_t *convertor, struct iovec *iov, uint32_t *iov_count,
                           size_t *length)
{
    if ((convertor->flags & (CONVERTOR_NO_OP | CONVERTOR_COMPLETED)) ||
        !(uses_dame_advance(convertor) || is_taken_by_device(convertor))) {
        return OPAL_ERR_NOT_SUPPORTED;
    }
    const int32_t rc = dt_advance_raw(convertor, iov, iov_count, length);
    dt_count(DT_COUNT_raw_blocks, *iov_count);
    return rc;
}

static bool copy_by_dame(const opal_datatype_t *datatype, int32_t count, char *to, char *from)
{
    const int64_t bytes = (int64_t) datatype->size * count;
    if (dt_openmpi_on_device(to, from)) {
        dt_count_left(DT_DECLINE_DEVICE, bytes);
        return false;
    }
    if (dt_table_find(datatype) == NULL && dt_break_even_passes(dt_thread(), bytes)) {
        leave_until_import(dt_thread(), bytes);
        return false;
    }
    dt_entry_t *entry = entry_for(datatype, (size_t) count, DAME_WORK_COPY);
    if (entry == NULL) {
        return false;
    }
    if (!copy(entry, datatype, count, to, from)) {
        dt_count_left(DT_DECLINE_OVERLAP, bytes);
        dame_tally_leave(dame_tally_of(&entry->use), DAME_WORK_COPY, bytes,
                         (int32_t) DT_DECLINE_OVERLAP);
        return false;
    }
    return true;
}

/* Not in line, so that contiguous data does not pay for its registers. */
static __attribute__((noinline)) bool copy_blocks(const opal_datatype_t *datatype, int32_t count,
                                                  char *to, char *from)
{
    if (dt_devices_look() && dt_devices_copied(datatype, count, to, from)) {
        return true;
    }
    if (dt_copy_is_faster_native(datatype, count)) {
        dt_count(DT_COUNT_copies_left, 1);
        dt_count(DT_COUNT_bytes_left, (int64_t) datatype->size * count);
        return false;
    }
    return copy_by_dame(datatype, count, to, from);
}

/* OPAL_ERR_NOT_SUPPORTED: Open MPI copies. */
static inline int32_t copy_locally(const opal_datatype_t *datatype, int32_t count, char *to,
                                   char *from)
{
    return count > 0 && datatype->size != 0 &&
                   !dt_openmpi_is_contiguous(datatype, (size_t) count) &&
                   copy_blocks(datatype, count, to, from)
               ? OPAL_SUCCESS
               : OPAL_ERR_NOT_SUPPORTED;
}

/* ---- Asked through the seam ----------------------------------------------------------------- */

static inline bool asks_native(void)
{
    return dt_thread_here()->asks_native;
}

static void seam_prepared(opal_convertor_t *convertor)
{
    if (!asks_native()) {
        prepared(convertor, convertor->pDesc, convertor->count,
                 convertor->flags & CONVERTOR_SEND ? pack : unpack);
    }
}

#if DT_OPENMPI_POSITION_IN_GOT
static int32_t seam_position(opal_convertor_t *convertor, size_t *position)
{
    if (asks_native() || (convertor->flags & CONVERTOR_NO_OP)) {
        return OPAL_ERR_NOT_SUPPORTED;
    }
    if (uses_dame_advance(convertor) ||
        (begins_again(convertor, *position) && take_again(convertor))) {
        return position_dame(convertor, position);
    }
    return is_taken_by_device(convertor) ? dt_devices_set_position(convertor, position)
                                         : OPAL_ERR_NOT_SUPPORTED;
}
#endif

static int32_t seam_copy(const opal_datatype_t *datatype, int32_t count, char *to, char *from)
{
    return asks_native() ? OPAL_ERR_NOT_SUPPORTED : copy_locally(datatype, count, to, from);
}

void dt_glue_answer(opal_dt_base_module_t *module)
{
    module->prepared = seam_prepared;
#if DT_OPENMPI_POSITION_IN_GOT
    module->position = seam_position;
#endif
    module->raw = list_blocks;
    module->copy = seam_copy;
    module->pack = dt_direct_pack;
    module->unpack = dt_direct_unpack;
    module->destroyed = dt_table_forget;
}

/* ---- Functions put before those of an Open MPI without the seam ----------------------------- */

#if DT_OPENMPI_POSITION_IN_GOT
/* The inline part (opal_convertor.h) has dealt with the end and with contiguous data. */
static int32_t set_position_nocheck(opal_convertor_t *convertor, size_t *position)
{
    if (!(convertor->flags & CONVERTOR_NO_OP)) { /* which leaves fAdvance */
        if (uses_dame_advance(convertor)) {
            return position_dame(convertor, position);
        }
        if (is_taken_by_device(convertor)) {
            return dt_devices_set_position(convertor, position);
        }
    }
    return position_native(convertor, position);
}
#endif

/* Not in line, so that contiguous data does not pay for their registers. */
static __attribute__((noinline)) int32_t prepare_blocks_for_send(opal_convertor_t *convertor,
                                                                 const opal_datatype_t *datatype,
                                                                 size_t count, const void *buffer)
{
    const int32_t rc = opal_convertor_prepare_for_send(convertor, datatype, count, buffer);
    prepared(convertor, datatype, count, pack);
    return rc;
}

static __attribute__((noinline)) int32_t prepare_blocks_for_recv(opal_convertor_t *convertor,
                                                                 const opal_datatype_t *datatype,
                                                                 size_t count, const void *buffer)
{
    const int32_t rc = opal_convertor_prepare_for_recv(convertor, datatype, count, buffer);
    prepared(convertor, datatype, count, unpack);
    return rc;
}

static int32_t prepare_for_send(opal_convertor_t *convertor, const opal_datatype_t *datatype,
                                size_t count, const void *buffer)
{
    return dt_openmpi_is_contiguous(datatype, count)
               ? opal_convertor_prepare_for_send(convertor, datatype, count, buffer)
               : prepare_blocks_for_send(convertor, datatype, count, buffer);
}

static int32_t prepare_for_recv(opal_convertor_t *convertor, const opal_datatype_t *datatype,
                                size_t count, const void *buffer)
{
    return dt_openmpi_is_contiguous(datatype, count)
               ? opal_convertor_prepare_for_recv(convertor, datatype, count, buffer)
               : prepare_blocks_for_recv(convertor, datatype, count, buffer);
}

static int32_t convertor_raw(opal_convertor_t *convertor, struct iovec *iov, uint32_t *iov_count,
                             size_t *length)
{
    const int32_t rc = list_blocks(convertor, iov, iov_count, length);
    return rc == OPAL_ERR_NOT_SUPPORTED ? opal_convertor_raw(convertor, iov, iov_count, length)
                                        : rc;
}

static int32_t copy_content_same_ddt(const opal_datatype_t *datatype, int32_t count, char *to,
                                     char *from)
{
    return copy_locally(datatype, count, to, from) == OPAL_SUCCESS
               ? OPAL_SUCCESS
               : opal_datatype_copy_content_same_ddt(datatype, count, to, from);
}

static atomic_bool opens_components;

void dt_glue_opens_components(bool opens)
{
    atomic_store_explicit(&opens_components, opens, memory_order_relaxed);
    if (!opens) {
        dt_got_rescan();
    }
}

/* Components that Open MPI opens late come with fresh GOT slots. */
static void *dlopen_and_rescan(const char *file, int mode)
{
    void *handle = dlopen(file, mode);
    if (handle != NULL && !atomic_load_explicit(&opens_components, memory_order_relaxed)) {
        dt_got_rescan();
    }
    return handle;
}

static const dt_got_hook_t hooks[] = {
    {"opal_convertor_prepare_for_send", (uintptr_t) prepare_for_send, DT_GOT_EVERYWHERE, 0},
    {"opal_convertor_prepare_for_recv", (uintptr_t) prepare_for_recv, DT_GOT_EVERYWHERE, 0},
#if DT_OPENMPI_POSITION_IN_GOT
    {"opal_convertor_set_position_nocheck", (uintptr_t) set_position_nocheck, DT_GOT_EVERYWHERE, 0},
#endif
    {"opal_convertor_raw", (uintptr_t) convertor_raw, DT_GOT_EVERYWHERE, 0},
    {"opal_datatype_copy_content_same_ddt", (uintptr_t) copy_content_same_ddt, DT_GOT_EVERYWHERE,
     0},
    /* Only where Open MPI opens its components, by absolute path: dlopen() looks at its caller's
       RUNPATH, so an application's own calls must not come from here. */
    {"dlopen", (uintptr_t) dlopen_and_rescan, "libopen-pal.so", 0},
};

enum { HOOKS = sizeof(hooks) / sizeof(hooks[0]) };
_Static_assert(HOOKS + DT_DIRECT_HOOKS <= DT_GOT_MOST_HOOKS, "they fit");

/* The rewriting of the GOT failed: memory is a process's own, a policy is its node's. */
static void log_refused(dt_got_status_t status)
{
    static const char engine[] = "Open MPI's own datatype engine is used";
    switch (status) {
    case DT_GOT_NO_SLOT:
        dt_log_once_a_job("no object calls the convertor through its GOT; %s.", engine);
        break;
    case DT_GOT_READ_ONLY:
        dt_log_once_a_node("a GOT page could not be made writable; %s.", engine);
        break;
    default:
        opal_output(0, "dt:dame: out of memory; %s.", engine);
        break;
    }
}

/* Enters a stock Open MPI. False, with a message: it cannot be entered. */
static bool install(bool direct)
{
    static dt_got_hook_t all[HOOKS + DT_DIRECT_HOOKS];
    const size_t n = HOOKS + (direct ? dt_direct_hooks(all + HOOKS) : 0);
    if (!dt_type_end_start()) {
        return false;
    }
    memcpy(all, hooks, sizeof(hooks));
    const dt_got_status_t status = dt_got_install(all, n);
    if (status != DT_GOT_OK) {
        log_refused(status);
        return false;
    }
    dt_log("%zu GOT slots rewritten", dt_got_slots());
    return true;
}

static void uninstall(void)
{
    dt_got_restore();
    dt_type_end_stop();
}

/* ---- Hints ---------------------------------------------------------------------------------- */

bool dt_glue_hint(const void *carrier, dame_hint_t hint, intptr_t value)
{
    const opal_datatype_t *type = dt_contents_of_one(carrier);
    if (type == NULL || (type->flags & OPAL_DATATYPE_FLAG_COMMITTED) == 0 || type->size == 0 ||
        dt_openmpi_is_contiguous(type, 2)) {
        return false;
    }
    const dt_entry_t *entry = dt_table_get(type);
    if (entry == NULL || entry->use.layout->program == NULL ||
        !dame_hints_keep(entry->use.layout, hint, value)) {
        return false;
    }
    dame_promote_hinted(entry->use.layout);
    return true;
}

void dt_glue_print_events(FILE *out)
{
    dt_events_print(out);
}

static void start_engine(const dt_glue_options_t *options)
{
    const dame_engine_options_t engine = {.promotion = options->promotion,
                                          .layout_cache = options->layout_cache,
                                          .tallies = options->tallies,
                                          .times = options->times};
    dt_engine.observer = &dt_observer;
    dame_engine_start(&dt_engine, &engine);
}

/* ---- Start and stop ------------------------------------------------------------------------- */

bool dt_glue_start(const dt_glue_options_t *options)
{
    dt_log_start(options->output, options->verbosity);
    atomic_store_explicit(&opens_components, false, memory_order_relaxed);
    if (!dt_self_test_engine()) {
        return false;
    }
    const bool has_dump = options->dump != NULL, counts_events = *options->papi_events != '\0';
    choose_movers(options);
    dt_import_start(&options->program, options->verify);
    dt_layout_key_start();
    dt_break_even_start(options->verify || has_dump ? 1 : options->import_threshold,
                        options->times || dt_log_wants(DT_LOG_MESSAGES));
    dt_table_start(has_dump || options->times || counts_events);
    if (has_dump) {
        dt_dump_start(options->dump, options->code_files, options->raw_files);
    }
    start_engine(options);
    /* libc allocates memory for these: now, not above what the application frees later. */
    (void) dt_thread();
    dt_sample_start();
    dt_engine.timing.hear = options->hear_time;
    const bool direct = options->direct && moves_plainly();
    if (dt_abi_has_seam()) {
        dt_direct_answer(direct);
        dt_log("Open MPI asks through its framework dt");
    } else if (!install(direct)) {
        dt_glue_stop();
        return false;
    }
    dt_devices_start(options->devices ? &options->promotion.order : NULL);
    return true;
}

void dt_glue_stop(void)
{
    const int cancel_state = dame_cancel_defer();
    if (!dt_abi_has_seam()) {
        uninstall();
    }
    dt_devices_stop();
    dame_engine_settle(&dt_engine);
    dt_table_clear();
    dt_sample_stop();
    dt_engine.timing.hear = NULL;
    dame_engine_stop(&dt_engine, dt_log_speaks_for_node());
    dt_dump_stop();
    dt_events_stop();
    dame_heap_trim();
    if (dame_heap_mapped() != 0) {
        dt_log("not all memory was freed: %zu bytes of address space are in use",
               dame_heap_mapped());
    }
    dame_cancel_restore(cancel_state);
}
