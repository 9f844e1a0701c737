/* SPDX-License-Identifier: BSD-3-Clause */
#include "devices.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "advance.h"
#include "base/lock.h"
#include "device/device.h"
#include "opal-glue/log.h"
#include "move.h"
#include "opal-glue/abi/openmpi.h"
#include "opal-glue/table.h"
#include "opal-glue/thread.h"

/* The kernels of a layout. They may outlive it: numbers are never used twice. */
typedef struct kept {
    uint64_t layout;
    uint64_t used; /* when, by devices.uses */
    dame_kernels_t kernels;
} kept_t;

enum { SETS = 64, WAYS = 4 };

static struct {
    _Atomic(dame_device_t *) device; /* NULL: the process had no driver so far */
    atomic_bool may_come;
    dame_order_options_t order; /* where kernels come from */
    atomic_uint looks;
    kept_t kept[SETS][WAYS]; /* by layout; under DAME_LOCK_DEVICES, as `uses` */
    uint64_t uses;
} devices;

atomic_bool dt_devices_on;
static const int quiet, always = INT_MAX;
const int *_Atomic dt_devices_attention = &quiet;
atomic_uint dt_devices_waits;

/* ---- Where data is -------------------------------------------------------------------------- */

static dame_device_t *the_device(void)
{
    return atomic_load_explicit(&devices.device, memory_order_acquire);
}

/* The first byte of an element stands for all. */
static bool is_there(const opal_datatype_t *datatype, size_t count, const void *buffer)
{
    return count > 0 && datatype->size > 0 &&
           dame_device_has(the_device(), (uintptr_t) buffer + (uintptr_t) datatype->true_lb);
}

/* Open MPI's own engine moves it, which can if Open MPI was built with support of devices. */
static void tell_left(const char *what)
{
    dt_log_once_a_job("%s in a device's memory is left to Open MPI. If this Open MPI was built "
                      "without support of devices, the job ends here.",
                      what);
}

/* ---- Moving it ------------------------------------------------------------------------------ */

/* Returning an error would not help: Open MPI would wait for ever for the message. It ends the job,
 * too, where its own copy from or to a device fails. */
static _Noreturn void give_up(const char *doing, dame_status_t status, const char *what)
{
    opal_output(0, "dt:dame: %s in a device's memory: %s. The job cannot go on.", doing,
                status == DAME_ERR_DEVICE ? what : dame_status_text(status));
    abort();
}

/* With the lock held. The kernels that were used least lately give way. */
static dame_kernels_t *kernels_of(const dame_layout_t *layout)
{
    const uint64_t number = dame_layout_number(layout);
    kept_t *set = devices.kept[number % SETS], *found = set;
    for (int i = 0; i < WAYS && number != found->layout; i++) {
        found = number == set[i].layout || set[i].used < found->used ? &set[i] : found;
    }
    if (number != found->layout) {
        dame_device_forget(the_device(), &found->kernels);
        *found = (kept_t){.layout = number};
    }
    found->used = ++devices.uses;
    return &found->kernels;
}

static dame_device_message_t message_of_layout(dame_layout_t *layout, const void *base,
                                               size_t count)
{
    return (dame_device_message_t){.program = layout->program,
                                   .kernels = kernels_of(layout),
                                   .base = (uintptr_t) base,
                                   .count = (int64_t) count,
                                   .reader = &dt_thread()->base.reader};
}

/* Around one move or copy: takes the lock, and gives it back. */
static dame_device_counts_t begin_move(void)
{
    dame_device_counts_t before;
    dame_lock(DAME_LOCK_DEVICES);
    dame_device_counts(the_device(), &before);
    return before;
}

/* Returns whether a kernel was launched. */
static bool end_move(const dame_device_counts_t *before)
{
    dame_device_counts_t now;
    dame_device_counts(the_device(), &now);
    dame_unlock(DAME_LOCK_DEVICES);
    dt_count(DT_COUNT_device_moves, now.moves - before->moves);
    dt_count(DT_COUNT_device_bytes, now.bytes - before->bytes);
    dt_count(DT_COUNT_device_launches, now.launches - before->launches);
    dt_count(DT_COUNT_device_copies, now.copies - before->copies);
    return now.launches > before->launches;
}

/* Bytes of a message's stream from a position on. By a kernel? */
static bool move_part(dame_layout_t *layout, const opal_convertor_t *convertor, dame_dir_t dir,
                      size_t position, const struct iovec *iov)
{
    const dame_device_part_t part = {dir, (int64_t) position, (uintptr_t) iov->iov_base,
                                     (int64_t) iov->iov_len};
    dame_device_sides_t sides;
    const char *what = "it was there before, and is no longer";
    const dame_device_counts_t before = begin_move();
    const dame_device_message_t message =
        message_of_layout(layout, convertor->pBaseBuf, convertor->count);
    dame_status_t status = DAME_ERR_DEVICE;
    if (dame_device_look(the_device(), &message, part.packed, &sides)) {
        status = dame_device_move(the_device(), &message, &part, &sides, NULL, &what);
    }
    const bool by_kernel = end_move(&before);
    if (status != DAME_OK) {
        give_up(dir == DAME_PACK ? "packing data" : "unpacking data", status, what);
    }
    return by_kernel;
}

/* dt_native_boundary(), which reads on where the thread's last call for the datatype ended. */
static size_t boundary(const opal_convertor_t *convertor, size_t position)
{
    static _Thread_local struct {
        const opal_datatype_t *datatype;
        uint64_t generation;
        dt_native_mark_t mark;
    } last;
    const uint64_t generation = dt_table_generation();
    if (convertor->pDesc != last.datatype || generation != last.generation) {
        last.datatype = convertor->pDesc;
        last.generation = generation;
        last.mark = (dt_native_mark_t){.item = NULL};
    }
    return dt_native_boundary(convertor, position, &last.mark);
}

/* As DAME's other convertors, a sending one stops where the native engine would (move.h). */
static size_t fitting(const opal_convertor_t *convertor, dame_dir_t dir, size_t position,
                      size_t room)
{
    const size_t left = convertor->local_size - position;
    return room >= left       ? left
           : dir == DAME_PACK ? boundary(convertor, position + room) - position
                              : room;
}

static void count_message(const dt_entry_t *entry, dame_work_t work, bool by_kernel, int64_t bytes)
{
    dame_tally_t *tally = dame_tally_of(&entry->use);
    dt_count((dt_counter_t) (DT_COUNT_messages_packed + (int) work), 1);
    if (tally != NULL) {
        (void) dame_tally_use(tally, work, by_kernel ? DAME_TIER_CODE : DAME_TIER_INTERP, bytes);
    }
}

static int32_t advance(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov,
                       uint32_t *out_size, size_t *max_data)
{
    const dt_entry_t *entry = dt_table_get(convertor->pDesc);
    size_t position = convertor->bConverted;
    uint32_t used = 0;
    bool by_kernel = false;
    for (; used < *out_size && position < convertor->local_size; used++) {
        iov[used].iov_len = fitting(convertor, dir, position, iov[used].iov_len);
        if (iov[used].iov_len > 0) {
            by_kernel |= move_part(entry->use.layout, convertor, dir, position, &iov[used]);
        }
        position += iov[used].iov_len;
    }
    *out_size = used;
    if (convertor->bConverted == 0 && position > 0) {
        count_message(entry, (dame_work_t) dir, by_kernel, (int64_t) convertor->local_size);
    }
    dt_count((dt_counter_t) (DT_COUNT_fragments_packed + (int) dir), 1);
    dt_count((dt_counter_t) (DT_COUNT_bytes_packed + (int) dir),
             (int64_t) (position - convertor->bConverted));
    return dt_move_end(convertor, position - convertor->bConverted, max_data);
}

static int32_t pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                    size_t *max_data)
{
    return *out_size > 0 && iov[0].iov_base == NULL /* pointers are wanted */
               ? dt_advance_raw(convertor, iov, out_size, max_data)
               : advance(convertor, DAME_PACK, iov, out_size, max_data);
}

static int32_t unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                      size_t *max_data)
{
    return advance(convertor, DAME_UNPACK, iov, out_size, max_data);
}

int32_t dt_devices_set_position(opal_convertor_t *convertor, size_t *position)
{
    if (convertor->flags & CONVERTOR_SEND) {
        *position = boundary(convertor, *position);
    }
    convertor->bConverted = *position;
    return OPAL_SUCCESS;
}

bool dt_devices_took(const opal_convertor_t *convertor)
{
    return (convertor->flags & CONVERTOR_NO_OP) == 0 && /* which leaves fAdvance as it was */
           (pack == convertor->fAdvance || unpack == convertor->fAdvance);
}

/* The entry of a datatype that DAME moves, or NULL. */
static dt_entry_t *entry_of(const opal_datatype_t *datatype, size_t count)
{
    int64_t bytes;
    dt_entry_t *entry =
        __builtin_mul_overflow(count, datatype->size, &bytes) ? NULL : dt_table_get(datatype);
    return entry != NULL && dt_entry_declined(entry) == (int32_t) DT_DECLINE_NONE ? entry : NULL;
}

/* Takes a convertor of data on a device. */
static void take_convertor(opal_convertor_t *convertor)
{
    const uint32_t others = CONVERTOR_NO_OP | CONVERTOR_COMPLETED | DT_OPENMPI_CHECKSUM;
    if ((convertor->flags & (CONVERTOR_HOMOGENEOUS | others)) == CONVERTOR_HOMOGENEOUS &&
        entry_of(convertor->pDesc, convertor->count) != NULL) {
        dt_openmpi_take(convertor, convertor->flags & CONVERTOR_SEND ? pack : unpack,
                        dt_devices_set_position);
        return;
    }
    dt_count_left(DT_DECLINE_DEVICE, (int64_t) convertor->local_size);
    if ((convertor->flags & DT_OPENMPI_DEVICE) == 0) {
        tell_left("data");
    }
}

bool dt_devices_take(opal_convertor_t *convertor)
{
    const bool there = is_there(convertor->pDesc, convertor->count, convertor->pBaseBuf);
    if (there) {
        take_convertor(convertor);
    }
    return there;
}

bool dt_devices_copied(const opal_datatype_t *datatype, int32_t count, char *to, const char *from)
{
    if (!(is_there(datatype, (size_t) count, to) || is_there(datatype, (size_t) count, from))) {
        return false;
    }
    const dt_entry_t *entry = entry_of(datatype, (size_t) count);
    if (entry == NULL) {
        dt_count_left(DT_DECLINE_DEVICE, count * (int64_t) datatype->size);
        if (!dt_openmpi_on_device(to, (char *) (uintptr_t) from)) {
            tell_left("a local copy");
        }
        return false;
    }
    dame_layout_t *layout = entry->use.layout;
    const int64_t bytes = count * layout->program->size;
    dame_device_sides_t sides;
    const char *what = "";
    const dame_device_counts_t before = begin_move();
    const dame_device_message_t source = message_of_layout(layout, from, (size_t) count);
    const dame_device_message_t target = message_of_layout(layout, to, (size_t) count);
    dame_status_t status = DAME_ERR_ARGUMENT;
    if (dame_device_look(the_device(), &source, target.base + (uintptr_t) layout->program->true_lb,
                         &sides)) {
        status = dame_device_copy(the_device(), &source, &target, bytes, &sides, &what);
    }
    const bool by_kernel = end_move(&before);
    if (status != DAME_OK && !dt_openmpi_on_device(to, (char *) (uintptr_t) from)) {
        give_up("a local copy", status, what);
    }
    if (status == DAME_OK) {
        count_message(entry, DAME_WORK_COPY, by_kernel, bytes);
        dt_count(DT_COUNT_bytes_copied, bytes);
    }
    return status == DAME_OK;
}

bool dt_devices_need_convertor(const opal_datatype_t *datatype, size_t count, const void *user,
                               const void *packed)
{
    if (!dt_devices_are_on()) {
        return true; /* it is to be logged */
    }
    const bool there = is_there(datatype, count, user);
    if (!there && count > 0 && dame_device_has(the_device(), (uintptr_t) packed)) {
        tell_left("packed data, of user data in the host's,");
        return true;
    }
    return there || dt_log_wants(DT_LOG_MESSAGES);
}

/* ---- Start and stop ------------------------------------------------------------------------- */

void dt_devices_start(const dame_order_options_t *order)
{
    atomic_store(&dt_devices_attention, dt_log_verbosity);
    if (order != NULL) {
        devices.order = *order;
        atomic_store(&devices.looks, 0);
        atomic_store(&devices.may_come, true);
        (void) dt_devices_look_now();
    }
}

/* The first of several threads that get here keeps what it opened. */
static bool open_device(void)
{
    char object[PATH_MAX];
    const dame_device_options_t options = {
        .llvm = dame_order_object(devices.order.object, object, sizeof(object)) ? object : "",
        .code_directories = devices.order.code_directories,
        .code_bytes = devices.order.code_bytes};
    dame_device_t *none = NULL, *device = dame_device_open(&options);
    const bool is_first =
        device != NULL && atomic_compare_exchange_strong(&devices.device, &none, device);
    if (!is_first) {
        dame_device_close(device);
    }
    return is_first;
}

bool dt_devices_look_now(void)
{
    enum { OFTEN = 16, SELDOM = 4096 };
    const bool may_come = the_device() == NULL && atomic_load(&devices.may_come);
    const unsigned looks = atomic_fetch_add(&devices.looks, 1);
    atomic_store(&dt_devices_waits, !may_come || looks > SELDOM ? SELDOM
                                    : looks > OFTEN             ? looks
                                                                : 0);
    if (!may_come || !dame_device_is_possible() || !open_device()) {
        return false;
    }
    dt_log("the process has a device's driver: messages in devices' memory are looked for");
    atomic_store(&dt_devices_on, true);
    atomic_store(&dt_devices_attention, &always);
    return true;
}

void dt_devices_stop(void)
{
    dame_device_t *device = the_device();
    atomic_store(&devices.may_come, false);
    atomic_store(&dt_devices_on, false);
    atomic_store(&dt_devices_attention, dt_log_verbosity);
    if (device != NULL) {
        for (int i = 0; i < SETS * WAYS; i++) {
            kept_t *kept = &devices.kept[i / WAYS][i % WAYS];
            dame_device_forget(device, &kept->kernels);
            *kept = (kept_t){.layout = 0};
        }
        dame_device_close(device);
        atomic_store(&devices.device, NULL);
    }
}
