/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread.h"

_Static_assert((int) DT_COUNTERS + (int) DT_DECLINES <= (int) DAME_ALL_COUNTERS,
               "the engine has room for fewer counters");

dame_engine_t dt_engine;

_Thread_local dt_thread_t dt_thread_data;
