/* Everything the dame library offers. */
#ifndef DAME_H
#define DAME_H

#include "dame_cursor.h"
#include "dame_heap.h"
#include "dame_options.h"
#include "dame_program.h"
#include "dame_status.h"
#include "dame_text.h"
#include "dame_type.h"

#endif
