/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a framework visible in ompi_info (info.h), which has a fixed list of frameworks
 * (ompi/tools/ompi_info/ompi_info.c): the two functions it shows components and parameters with are
 * given lists to which the framework has been added.
 */
#include "info.h"

#include <string.h>

#include "opal-glue/interpose/got.h"
#include "opal-glue/abi/openmpi.h"

static struct {
    const char *name;
    mca_base_framework_t *framework;
    void (*prepare)(void);
} shown;

static void add_framework(opal_pointer_array_t *types, opal_pointer_array_t *component_map)
{
    static bool added;
    if (added) {
        return;
    }
    added = true;
    shown.prepare();
    opal_info_component_map_t *map = dt_object_new(&opal_info_component_map_t_class);
    if (map == NULL) {
        return;
    }
    map->type = strdup(shown.name);
    map->components = &shown.framework->framework_components;
    map->failed_components = &shown.framework->framework_failed_components;
    (void) opal_pointer_array_add(types, (void *) (uintptr_t) shown.name);
    (void) opal_pointer_array_add(component_map, map);
}

static void do_params(bool want_all, bool want_internal, opal_pointer_array_t *types,
                      opal_pointer_array_t *component_map, opal_cmd_line_t *cmd_line)
{
    add_framework(types, component_map);
    opal_info_do_params(want_all, want_internal, types, component_map, cmd_line);
}

static void show_component_version(opal_pointer_array_t *types, opal_pointer_array_t *component_map,
                                   const char *type_name, const char *component_name,
                                   const char *scope, const char *ver_type)
{
    add_framework(types, component_map);
    opal_info_show_component_version(types, component_map, type_name, component_name, scope,
                                     ver_type);
}

void dt_info_show(const char *name, mca_base_framework_t *framework, void (*prepare)(void))
{
    static const dt_got_hook_t hooks[] = {
        {"opal_info_do_params", (uintptr_t) do_params, DT_GOT_MAIN_PROGRAM, 0},
        {"opal_info_show_component_version", (uintptr_t) show_component_version,
         DT_GOT_MAIN_PROGRAM, 0},
    };
    shown.name = name;
    shown.framework = framework;
    shown.prepare = prepare;
    (void) dt_got_install(hooks, sizeof(hooks) / sizeof(hooks[0])); /* a no-op elsewhere */
}
