/* SPDX-License-Identifier: BSD-3-Clause */
/* A dame_papi.so of a later DAME: only its version may be looked at. */
#include "measure/papi.h"

const dame_papi_t *dame_papi(void)
{
    static const dame_papi_t papi = {.version = DAME_PAPI_VERSION + 1};
    return &papi;
}
