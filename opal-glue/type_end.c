/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_end.h"

#include <string.h>

#include "opal-glue/abi/abi.h"
#include "log.h"
#include "table.h"

/*
 * Objects run the destructors of their class's array, derived class first, and then give back their
 * memory (opal_object.h). We put an array with one destructor more in its place. Ours comes last,
 * because those before it run the application's code: attributes have delete callbacks, which may
 * use the datatype (ompi_datatype_create.c) and so enter it into the table.
 */
typedef struct watch {
    opal_class_t *class;
    opal_destruct_t *original;
    opal_destruct_t longer[8];
} watch_t;

static watch_t watches[] = {{.class = &ompi_datatype_t_class}, {.class = &opal_datatype_t_class}};

enum { WATCHES = sizeof(watches) / sizeof(watches[0]) };

static void forget(opal_object_t *object)
{
    dt_table_forget((const opal_datatype_t *) object);
}

static bool watch_class(watch_t *watch)
{
    enum { ROOM = sizeof(watch->longer) / sizeof(watch->longer[0]) };
    opal_class_initialize(watch->class);
    size_t n = 0;
    while (watch->class->cls_destruct_array[n] != NULL) {
        n++;
    }
    if (n + 2 > ROOM) {
        return false;
    }
    memcpy(watch->longer, watch->class->cls_destruct_array, n * sizeof(opal_destruct_t));
    watch->longer[n] = forget;
    watch->longer[n + 1] = NULL;
    watch->original = watch->class->cls_destruct_array;
    watch->class->cls_destruct_array = watch->longer;
    return true;
}

void dt_type_end_stop(void)
{
    for (int i = 0; i < WATCHES; i++) {
        watch_t *watch = &watches[i];
        if (watch->original != NULL && watch->longer == watch->class->cls_destruct_array) {
            watch->class->cls_destruct_array = watch->original;
        }
        watch->original = NULL;
    }
}

bool dt_type_end_start(void)
{
    for (int i = 0; i < WATCHES; i++) {
        if (!watch_class(&watches[i])) {
            dt_log_once_a_job("class %s has more destructors than expected; Open MPI's own "
                              "datatype engine is used.",
                              watches[i].class->cls_name);
            dt_type_end_stop();
            return false;
        }
    }
    return true;
}
