/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: defines an event of PAPI's, "sde:::DAME::READINGS", that counts how often it is read.
 * So every interval is one reading long. */
#include <sde_lib.h>

static long long readings;

static long long read_once(void *unused)
{
    (void) unused;
    return ++readings;
}

__attribute__((constructor)) static void define(void)
{
    papi_sde_register_counter_cb(papi_sde_init("DAME"), "READINGS", PAPI_SDE_RO | PAPI_SDE_DELTA,
                                 PAPI_SDE_long_long, read_once, NULL);
}
