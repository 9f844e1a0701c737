/* SPDX-License-Identifier: BSD-3-Clause */
/* What the engine tells about codes goes to the log and into dumps. */
#ifndef DT_OBSERVER_H
#define DT_OBSERVER_H

#include "engine/engine.h"

extern const dame_observer_t dt_observer;

#endif
