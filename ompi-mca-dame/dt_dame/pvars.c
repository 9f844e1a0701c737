/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME's counters as MPI_T performance variables. */
#include "dt_dame.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "measure/clock.h"

static int read_counter(const mca_base_pvar_t *pvar, void *value, void *object)
{
    (void) object;
    *(unsigned long long *) value =
        (unsigned long long) dt_stats_total((dt_counter_t) (intptr_t) pvar->ctx);
    return OPAL_SUCCESS;
}

/* What a variable of the tallies shows, in its context. */
enum { TIME = 1 << 8, BYTES = 1 << 9, TIER = 4 };

static int read_tally(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const intptr_t what = (intptr_t) pvar->ctx;
    const dame_work_t work = (dame_work_t) (what & (TIER - 1));
    const dame_tier_t tier = (dame_tier_t) (what / TIER & 3);
    const bool bytes = (what & BYTES) != 0;
    *(unsigned long long *) value =
        (unsigned long long) ((what & TIME) != 0 ? dt_tally_ns(work)
                              : object == NULL   ? dt_tally_total(work, tier, bytes)
                                                 : dt_tally_of_datatype(object, work, tier, bytes));
    return OPAL_SUCCESS;
}

/* Reads a datatype's clock cycles for a byte, a double, < 0 when it is not known. */
static int read_cycles(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const intptr_t what = (intptr_t) pvar->ctx;
    const double ns = object == NULL ? -1
                                     : dt_tally_rate(object, (dame_work_t) (what & (TIER - 1)),
                                                     (dame_tier_t) (what / TIER & 3));
    *(double *) value = ns < 0 ? -1 : ns * 1e-9 * (double) dame_clock_hz();
    return OPAL_SUCCESS;
}

/* Reads a variable of a datatype; the context is a function. */
static int read_of_datatype(const mca_base_pvar_t *pvar, void *value, void *object)
{
    int64_t (*const read)(const void *datatype) = (int64_t(*)(const void *))(intptr_t) pvar->ctx;
    *(unsigned long long *) value = object == NULL ? 0 : (unsigned long long) read(object);
    return OPAL_SUCCESS;
}

static int read_declined(const mca_base_pvar_t *pvar, void *value, void *object)
{
    (void) object;
    *(unsigned long long *) value =
        (unsigned long long) dt_stats_declined((dt_decline_t) (intptr_t) pvar->ctx);
    return OPAL_SUCCESS;
}

static int read_code_stat(const mca_base_pvar_t *pvar, void *value, void *object)
{
    (void) object;
    *(unsigned long long *) value =
        (unsigned long long) dt_code_stat((dame_code_stat_t) (intptr_t) pvar->ctx);
    return OPAL_SUCCESS;
}

static const char *const works[DAME_WORKS] = {"pack", "unpack", "copy"};
static const char *const tiers[DAME_TIERS] = {"interp", "code", "opal"};

static int register_bound(const mca_base_component_t *component, const char *name,
                          const char *description, int class, mca_base_get_value_fn_t read,
                          int index, int binding)
{
    return mca_base_component_pvar_register(
        component, name, description, OPAL_INFO_LVL_4, class, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG,
        NULL, binding, MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, read, NULL,
        NULL, (void *) (intptr_t) index);
}

static int register_pvar(const mca_base_component_t *component, const char *name,
                         const char *description, int class, mca_base_get_value_fn_t read,
                         int index)
{
    return register_bound(component, name, description, class, read, index,
                          MCA_BASE_VAR_BIND_NO_OBJECT);
}

static const char *const movers[DAME_TIERS] = {"the interpreter", "machine code",
                                               "Open MPI's own engine, being faster"};

/* One of the process, and one, of the same name with "datatype_" before it, of a datatype. */
static void register_tally(const mca_base_component_t *component, const char *unit,
                           dame_work_t work, dame_tier_t tier, int what)
{
    char name[64];
    char description[160];
    (void) snprintf(name, sizeof(name), "datatype_%s_%s_%s", works[work], tiers[tier], unit);
    (void) snprintf(description, sizeof(description), "%s of %s by %s",
                    what == BYTES ? "Bytes" : "Uses", works[work], movers[tier]);
    register_pvar(component, name + strlen("datatype_"), description, MCA_BASE_PVAR_CLASS_COUNTER,
                  read_tally, what | (int) work | (int) tier * TIER);
    (void) snprintf(description, sizeof(description),
                    "%s of %s by %s, of a datatype and all others of its name and layout",
                    what == BYTES ? "Bytes" : "Uses", works[work], movers[tier]);
    register_bound(component, name, description, MCA_BASE_PVAR_CLASS_COUNTER, read_tally,
                   what | (int) work | (int) tier * TIER, MCA_BASE_VAR_BIND_MPI_DATATYPE);
}

static void register_cycles(const mca_base_component_t *component, dame_work_t work,
                            dame_tier_t tier)
{
    char name[64];
    (void) snprintf(name, sizeof(name), "datatype_%s_%s_cycles", works[work], tiers[tier]);
    (void) mca_base_component_pvar_register(
        component, name,
        "Clock cycles for a byte, estimated while the report is on, of a datatype and all others "
        "of its name and layout; -1: not known",
        OPAL_INFO_LVL_4, MCA_BASE_PVAR_CLASS_LEVEL, MCA_BASE_VAR_TYPE_DOUBLE, NULL,
        MCA_BASE_VAR_BIND_MPI_DATATYPE, MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS,
        read_cycles, NULL, NULL, (void *) (intptr_t) ((int) work | (int) tier * TIER));
}

static void register_of_datatype(const mca_base_component_t *component, const char *name,
                                 const char *description, int64_t (*read)(const void *datatype))
{
    (void) mca_base_component_pvar_register(
        component, name, description, OPAL_INFO_LVL_4, MCA_BASE_PVAR_CLASS_COUNTER,
        MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_MPI_DATATYPE,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, read_of_datatype, NULL, NULL,
        (void *) (intptr_t) read);
}

static void register_tallies(const mca_base_component_t *component)
{
    register_pvar(component, "pack_ns", "Time spent packing, estimated while the report is on",
                  MCA_BASE_PVAR_CLASS_LEVEL, read_tally, TIME | DAME_WORK_PACK);
    register_pvar(component, "unpack_ns", "Time spent unpacking, estimated while the report is on",
                  MCA_BASE_PVAR_CLASS_LEVEL, read_tally, TIME | DAME_WORK_UNPACK);
    register_pvar(component, "copy_ns",
                  "Time spent on local copies, estimated while the report is on",
                  MCA_BASE_PVAR_CLASS_LEVEL, read_tally, TIME | DAME_WORK_COPY);
    for (int work = 0; work < DAME_WORKS; work++) {
        for (int tier = 0; tier < (work == DAME_WORK_COPY ? 1 : DAME_TIERS); tier++) {
            register_tally(component, "uses", (dame_work_t) work, (dame_tier_t) tier, 0);
            register_tally(component, "bytes", (dame_work_t) work, (dame_tier_t) tier, BYTES);
            if (tier != DAME_TIER_NATIVE) {
                register_cycles(component, (dame_work_t) work, (dame_tier_t) tier);
            }
        }
    }
    register_of_datatype(component, "datatype_compile_ns",
                         "Time spent compiling programs of a datatype and all others of its name "
                         "and layout, in ns",
                         dt_tally_compile_ns);
    register_of_datatype(component, "datatype_demoted",
                         "How often machine code was demoted, being no faster, of a datatype and "
                         "all others of its name and layout",
                         dt_tally_demoted);
}

bool mca_dt_dame_register_pvars(const mca_base_component_t *component)
{
    for (int i = 0; i < DT_COUNTERS; i++) {
        const int index = register_pvar(component, dt_counter_name((dt_counter_t) i),
                                        dt_counter_description((dt_counter_t) i),
                                        MCA_BASE_PVAR_CLASS_COUNTER, read_counter, i);
        const bool is_compared = i == 1; /* the first one with a context that is not NULL */
        if (is_compared && 0 <= index && !dt_openmpi_pvar_fits(index, (void *) (intptr_t) i)) {
            return false;
        }
    }
    register_tallies(component);
    for (int i = 1; i < DT_DECLINES; i++) {
        char name[64];
        char description[128];
        int length = snprintf(name, sizeof(name), "declined_%s", dt_decline_name((dt_decline_t) i));
        for (int c = 0; c < length; c++) {
            name[c] = (char) tolower((unsigned char) name[c]);
        }
        (void) snprintf(description, sizeof(description),
                        "Datatypes or messages left to Open MPI's own engine: %s",
                        dt_decline_text((dt_decline_t) i));
        register_pvar(component, name, description, MCA_BASE_PVAR_CLASS_COUNTER, read_declined, i);
    }
    for (int i = 0; i < DAME_CODE_STATS; i++) {
        const dame_code_stat_t stat = (dame_code_stat_t) i;
        register_pvar(component, dame_code_stat_name(stat), dame_code_stat_description(stat),
                      dame_code_stat_is_level(stat) ? MCA_BASE_PVAR_CLASS_LEVEL
                                                    : MCA_BASE_PVAR_CLASS_COUNTER,
                      read_code_stat, i);
    }
    return true;
}
