/* SPDX-License-Identifier: BSD-3-Clause */
#include "copy.h"

#include "counted.h"
#include "engine/credit.h"
#include "opal-glue/thread.h"

bool dt_copy(dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count, char *to,
             const char *from)
{
    const dame_program_t *program = entry->use.layout->program;
    if (!dame_program_is_apart(program, count, (int64_t) ((uintptr_t) to - (uintptr_t) from))) {
        return false;
    }
    if (dame_credit_take(&dt_thread()->base, &entry->use, DAME_WORK_COPY, count * program->size)) {
        dame_program_copy(program, (uintptr_t) to, (uintptr_t) from, count);
    } else {
        dt_counted_copy(entry, datatype, count, to, from);
    }
    return true;
}
