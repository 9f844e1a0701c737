/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data in the memory of devices (device/device.h): non-contiguous messages and local copies of it,
 * also in an Open MPI that was built without devices. The functions here stand before those of
 * glue.c and direct.c, and pass on to them what is in the host's memory. They do so only from when
 * the process is found to have a device's driver: without one, nothing costs anything.
 */
#ifndef DT_DEVICES_H
#define DT_DEVICES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "abi/abi.h"
#include "engine/order.h"
#include "interpose/got.h"

/* `hooks`, n of them, are those that are installed, or `module` answers Open MPI's questions; the
 * other is NULL. They stay until dt_devices_stop(). `order`: where kernels come from. */
void dt_devices_start(const dt_got_hook_t *hooks, size_t n,
                      struct opal_dt_base_module_1_0_0_t *module,
                      const dame_order_options_t *order);

/* Has the process loaded a driver since? To be asked where a message may be the first; then
 * messages are looked at from now on. A look takes a microsecond, so most calls do not look. Any
 * thread. */
extern atomic_uint dt_devices_waits; /* calls before the next look */
bool dt_devices_look_now(void);
/* Counts a call that does not look. False: it is to look. */
static inline bool dt_devices_pass(void)
{
    const unsigned waits = atomic_load_explicit(&dt_devices_waits, memory_order_relaxed);
    if (__builtin_expect(0 == waits, 0)) {
        return false;
    }
    atomic_store_explicit(&dt_devices_waits, waits - 1, memory_order_relaxed);
    return true;
}
static inline bool dt_devices_look(void)
{
    return !dt_devices_pass() && dt_devices_look_now();
}

/* Is the data of a convertor that Open MPI has prepared in a device's memory? Takes it, if DAME can
 * move it. */
bool dt_devices_take(opal_convertor_t *convertor);

/* Copies within the process, of data that is not contiguous, if one side is in a device's memory.
 * False: it is all the host's, or left to Open MPI. */
bool dt_devices_copied(const opal_datatype_t *datatype, int32_t count, char *to, const char *from);

/* Has dt_devices_take() taken it? */
bool dt_devices_took(const opal_convertor_t *convertor);

/* After the slots are restored. No other thread may be in a function of this file. */
void dt_devices_stop(void);

#endif
