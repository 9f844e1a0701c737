/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data in the memory of devices (device/device.h): non-contiguous messages and local copies of it,
 * also in an Open MPI that was built without devices. glue.c and direct.c ask only once the process
 * is found to have a device's driver: until then one flag is off.
 */
#ifndef DT_DEVICES_H
#define DT_DEVICES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "opal-glue/abi/abi.h"
#include "engine/order.h"
#include "opal-glue/log.h"

/* After dt_log_start(). The process may get a driver until dt_devices_stop(). `order`: where
 * kernels come from; NULL: devices are left alone. */
void dt_devices_start(const dame_order_options_t *order);

/* Set when the process has a driver. Then any data may be a device's. */
extern atomic_bool dt_devices_on;
static inline bool dt_devices_are_on(void)
{
    return __builtin_expect(atomic_load_explicit(&dt_devices_on, memory_order_acquire), 0);
}

/* Tells whether each message is looked at, to be logged or because there is a driver. One
 * comparison for both: of the verbosity, or of a constant. Never NULL. */
extern const int *_Atomic dt_devices_attention;
static inline bool dt_devices_attend(void)
{
    const volatile int *level = atomic_load_explicit(&dt_devices_attention, memory_order_relaxed);
    return __builtin_expect(*level >= (int) DT_LOG_MESSAGES, 0);
}

/* Returns whether the process has loaded a driver since. To be asked where a message may be the
 * first. A look takes a microsecond, so most calls do not look. Any thread. */
extern atomic_uint dt_devices_waits; /* calls before the next look */
bool dt_devices_look_now(void);
/* Counts a call that does not look. False: it is to look. */
static inline bool dt_devices_pass(void)
{
    const unsigned waits = atomic_load_explicit(&dt_devices_waits, memory_order_relaxed);
    if (__builtin_expect(waits == 0, 0)) {
        return false;
    }
    atomic_store_explicit(&dt_devices_waits, waits - 1, memory_order_relaxed);
    return true;
}
static inline bool dt_devices_look(void)
{
    return dt_devices_are_on() || (!dt_devices_pass() && dt_devices_look_now());
}

/* The next functions only when dt_devices_are_on(). */

/* Returns whether the data of a convertor that Open MPI has prepared, with something to convert, is
 * in a device's memory. Takes it, if DAME can move it. */
bool dt_devices_take(opal_convertor_t *convertor);

/* Returns whether dt_devices_take() has taken it. */
bool dt_devices_took(const opal_convertor_t *convertor);

/* Positions a convertor that was taken. */
int32_t dt_devices_set_position(opal_convertor_t *convertor, size_t *position);

/* Copies within the process, of `count` > 0 elements that are not contiguous, if one side is in a
 * device's memory. False: it is all the host's, or left to Open MPI. */
bool dt_devices_copied(const opal_datatype_t *datatype, int32_t count, char *to, const char *from);

/* Returns whether a convertor must move MPI_Pack()'s or MPI_Unpack()'s data, which may be a
 * device's or is to be logged. Also when there is no driver. */
bool dt_devices_need_convertor(const opal_datatype_t *datatype, size_t count, const void *user,
                               const void *packed);

/* After the slots are restored. No other thread may be in a function of this file. */
void dt_devices_stop(void);

#endif
