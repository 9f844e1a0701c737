/* SPDX-License-Identifier: BSD-3-Clause */
/* The series of the running Open MPI, and what both components use of it: classes, frameworks,
 * components and parameters (glue.h). */
#include "self_test.h"
#include "opal-glue/log.h"

#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "abi.h"

/* Tests compile with another series, to see the refusal. */
#ifndef DT_COMPILED_SERIES
#define DT_COMPILED_SERIES DT_ABI_SERIES
#endif

/* ---- Tools ---------------------------------------------------------------------------------- */

/* "5.0.7" of "Open MPI v5.0.7, package: ..." No handle is passed, so libmpi_abi's function is as
 * good; and the linker keeps libmpi, which in 6.0 nothing else refers to. */
static const char *running_version(void)
{
    static char version[32] = "of an unknown version";
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    if (PMPI_Get_library_version(library, &length) == MPI_SUCCESS) {
        (void) sscanf(library, "Open MPI v%31[^, ]", version);
    }
    return version;
}

bool dt_self_test_fact(bool holds, const char *fact)
{
    if (!holds) {
        dt_log_once_a_job("this build of DAME, for Open MPI %s, is wrong about %s in the running "
                          "Open MPI %s; Open MPI's own datatype engine is used. Build DAME with "
                          "this Open MPI's mpicc; if it still says so, report it to DAME.",
                          DT_COMPILED_SERIES, fact, running_version());
    }
    return holds;
}

/* write() fails where a read of the address would crash. */
static bool read_by_pipe(void *to, const void *from, size_t size)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    const bool good =
        (ssize_t) size == write(ends[1], from, size) && (ssize_t) size == read(ends[0], to, size);
    (void) close(ends[0]);
    (void) close(ends[1]);
    return good;
}

/* The kernel looks at the address for us. Some containers forbid the first way. */
bool dt_self_test_read(void *to, const void *from, size_t size)
{
    const struct iovec here = {.iov_base = to, .iov_len = size};
    const struct iovec there = {.iov_base = (void *) (uintptr_t) from, .iov_len = size};
    const ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    return n >= 0 || errno == EFAULT ? (ssize_t) size == n : read_by_pipe(to, from, size);
}

bool dt_self_test_is_text(const char *address, const char *text)
{
    char found[64];
    const size_t size = strlen(text) + 1;
    return size <= sizeof(found) && dt_self_test_read(found, address, size) &&
           memcmp(found, text, size) == 0;
}

static bool has_address(const struct dl_phdr_info *object, const void *address)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD &&
            (uintptr_t) address - object->dlpi_addr - segment->p_vaddr < segment->p_memsz) {
            return true;
        }
    }
    return false;
}

typedef struct pair {
    const void *address, *other;
    bool together;
} pair_t;

static int look_for_pair(struct dl_phdr_info *object, size_t size, void *context)
{
    pair_t *pair = context;
    (void) size;
    const bool found = has_address(object, pair->address);
    pair->together = found && has_address(object, pair->other);
    return found;
}

/* Returns whether both addresses are in one loaded object. dladdr() would also look for symbols: 5
 * us. */
static bool are_together(const void *address, const void *other)
{
    pair_t pair = {address, other, false};
    (void) dl_iterate_phdr(look_for_pair, &pair);
    return pair.together;
}

/* The class itself may be in the main program, by a copy relocation. */
bool dt_self_test_is_beside(const void *address, const opal_class_t *class)
{
    return are_together(address, *(void *const *) &class->cls_construct);
}

/* ---- Classes -------------------------------------------------------------------------------- */

/* The arrays of a class begin, or end, with the class's own functions. */
static bool arrays_fit(const opal_class_t *class)
{
    opal_construct_t constructors[2];
    opal_destruct_t destructors[2];
    return dt_self_test_read(constructors, class->cls_construct_array, sizeof(constructors)) &&
           dt_self_test_read(destructors, class->cls_destruct_array, sizeof(destructors)) &&
           constructors[0] == class->cls_construct && constructors[1] == NULL &&
           destructors[0] == class->cls_destruct && destructors[1] == NULL;
}

static bool classes_fit(void)
{
    static const struct {
        opal_class_t *class;
        const char *name;
        size_t size;
    } classes[] = {
        {&opal_object_t_class, "opal_object_t", sizeof(opal_object_t)},
        {&opal_list_item_t_class, "opal_list_item_t", sizeof(opal_list_item_t)},
        {&opal_list_t_class, "opal_list_t", sizeof(opal_list_t)},
        {&mca_base_var_enum_t_class, "mca_base_var_enum_t", sizeof(mca_base_var_enum_t)},
        {&mca_base_var_t_class, "mca_base_var_t", sizeof(mca_base_var_t)},
        {&opal_info_component_map_t_class, "opal_info_component_map_t",
         sizeof(opal_info_component_map_t)},
        {&opal_datatype_t_class, "opal_datatype_t", sizeof(opal_datatype_t)},
        {&ompi_datatype_t_class, "ompi_datatype_t", sizeof(ompi_datatype_t)},
    };
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        const opal_class_t *class = classes[i].class;
        if (!dt_self_test_fact(dt_self_test_is_text(class->cls_name, classes[i].name),
                               "opal_class_t.cls_name")) {
            return false;
        }
        if (class->cls_sizeof != classes[i].size) {
            char fact[64];
            (void) snprintf(fact, sizeof(fact), "the size of %s", classes[i].name);
            return dt_self_test_fact(false, fact);
        }
    }
    opal_class_initialize(&opal_list_t_class); /* it and its base class have both functions */
    return dt_self_test_fact(opal_list_t_class.cls_parent == &opal_object_t_class,
                             "opal_class_t.cls_parent") &&
           dt_self_test_fact(arrays_fit(&opal_list_t_class), "opal_class_t.cls_destruct_array");
}

/* ---- Frameworks and components -------------------------------------------------------------- */

static bool is_list(const opal_list_t *list)
{
    const void *link[2] = {NULL, NULL};
    return list->super.obj_class == &opal_list_t_class &&
           dt_self_test_read(&link[0], (const void *) &list->opal_list_sentinel.opal_list_next,
                             sizeof(link[0])) &&
           dt_self_test_read(&link[1], (const void *) &list->opal_list_sentinel.opal_list_prev,
                             sizeof(link[1])) &&
           link[0] != NULL && link[1] != NULL;
}

/* Returns whether it is NULL, or of the object that the component is in. */
static bool is_function(const void *function, const void *component)
{
    return function == NULL || are_together(function, component);
}

/* Returns whether a component of the framework is as we declare components. */
static bool component_fits(const mca_base_framework_t *framework, const char *name)
{
    mca_base_component_list_item_t item;
    mca_base_component_t component;
    if (!dt_self_test_read(
            &item, (const void *) framework->framework_components.opal_list_sentinel.opal_list_next,
            sizeof(item)) ||
        !dt_self_test_fact(dt_self_test_read(&component, item.cli_component, sizeof(component)),
                           "mca_base_component_list_item_t.cli_component")) {
        return false;
    }
    return dt_self_test_fact(component.mca_major_version == 2 && component.mca_minor_version == 1,
                             "the version of MCA") &&
           /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): with its NUL */
           dt_self_test_fact(strncmp(component.mca_type_name, name, strlen(name) + 1) == 0,
                             "mca_base_component_t.mca_type_name") &&
           dt_self_test_fact(
               is_function(*(void **) &component.mca_open_component, item.cli_component) &&
                   is_function(*(void **) &component.mca_register_component_params,
                               item.cli_component),
               "mca_base_component_t.mca_open_component");
}

/* The framework of what opens components: always open, and without us. */
static bool framework_fits(void)
{
    const mca_base_framework_t *dl = &opal_dl_base_framework;
    const unsigned open = MCA_BASE_FRAMEWORK_FLAG_REGISTERED | MCA_BASE_FRAMEWORK_FLAG_OPEN;
    return dt_self_test_fact(dt_self_test_is_text(dl->framework_project, "opal") &&
                                 dt_self_test_is_text(dl->framework_name, "dl"),
                             "mca_base_framework_t.framework_name") &&
           dt_self_test_fact(open == (dl->framework_flags & open),
                             "mca_base_framework_t.framework_flags") &&
           dt_self_test_fact(dl->framework_refcnt >= 1 && dl->framework_refcnt < 1000,
                             "mca_base_framework_t.framework_refcnt") &&
           dt_self_test_fact(
               dt_self_test_is_beside(dl->framework_static_components, &opal_list_t_class) &&
                   -1 <= dl->framework_output && dl->framework_output < 64,
               "mca_base_framework_t.framework_static_components") &&
           dt_self_test_fact(is_list(&dl->framework_components) &&
                                 is_list(&dl->framework_failed_components),
                             "mca_base_framework_t.framework_components") &&
           component_fits(dl, "dl");
}

/* ---- Parameters ----------------------------------------------------------------------------- */

/* A parameter of that framework that each framework has: its variable is in the framework. */
static bool parameter_fits(const char *component, const char *name, const char *full_name,
                           mca_base_var_type_t type, const void *storage, const char *fact)
{
    const mca_base_var_t *found = NULL;
    mca_base_var_t variable;
    const int index = mca_base_var_find("opal", "dl", component, name);
    return dt_self_test_fact(index >= 0 && mca_base_var_get(index, &found) == OPAL_SUCCESS &&
                                 dt_self_test_read(&variable, found, sizeof(variable)),
                             "mca_base_var_get()") &&
           dt_self_test_fact(dt_self_test_is_text(variable.mbv_full_name, full_name),
                             "mca_base_var_t.mbv_full_name") &&
           dt_self_test_fact(type == variable.mbv_type, "mca_base_var_t.mbv_type") &&
           dt_self_test_fact(storage == variable.mbv_storage, fact);
}

/* Open MPI's own enumerator of "true" and "false". */
static bool enumerator_fits(void)
{
    mca_base_var_enum_t *boolean = &mca_base_var_enum_bool;
    void *const functions[] = {*(void **) &boolean->get_count, *(void **) &boolean->get_value,
                               *(void **) &boolean->value_from_string,
                               *(void **) &boolean->string_from_value, *(void **) &boolean->dump};
    union {
        int value;
        char *text;
        char room[64];
    } out = {.room = ""};
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (!dt_self_test_fact(dt_self_test_is_beside(functions[i], &opal_list_t_class),
                               "mca_base_var_enum_t.get_count")) {
            return false;
        }
    }
    return dt_self_test_fact(
        boolean->value_from_string(boolean, "true", &out.value) == OPAL_SUCCESS && out.value == 1,
        "mca_base_var_enum_t.value_from_string");
}

static bool parameters_fit(void)
{
    mca_base_framework_t *dl = &opal_dl_base_framework;
    return parameter_fits("base", "verbose", "dl_base_verbose", MCA_BASE_VAR_TYPE_INT,
                          &dl->framework_verbose, "mca_base_framework_t.framework_verbose") &&
           parameter_fits(NULL, NULL, "dl", MCA_BASE_VAR_TYPE_STRING, &dl->framework_selection,
                          "mca_base_framework_t.framework_selection") &&
           enumerator_fits();
}

bool dt_openmpi_pvar_fits(int index, const void *context)
{
    const mca_base_pvar_t *found = NULL;
    mca_base_pvar_t variable;
    return dt_self_test_fact(mca_base_pvar_get(index, &found) == OPAL_SUCCESS &&
                                 dt_self_test_read(&variable, found, sizeof(variable)) &&
                                 index == variable.pvar_index && context == variable.ctx,
                             "mca_base_pvar_t.ctx");
}

/* ---- All of it ------------------------------------------------------------------------------ */

bool dt_openmpi_is_of_series(void)
{
    const size_t length = strlen(DT_COMPILED_SERIES);
    const char *version = running_version();
    return strncmp(version, DT_COMPILED_SERIES, length) == 0 &&
           (version[length] < '0' || version[length] > '9');
}

static bool series_fits(void)
{
    const bool fits = dt_openmpi_is_of_series();
    if (!fits) {
        dt_log_once_a_job("this build of DAME is for Open MPI %s, but this is Open MPI %s; Open "
                          "MPI's own datatype engine is used. Build DAME with this Open MPI's "
                          "mpicc.",
                          DT_COMPILED_SERIES, running_version());
    }
    return fits;
}

bool dt_openmpi_fits(void)
{
    return series_fits() && classes_fit() && framework_fits() && parameters_fit();
}
