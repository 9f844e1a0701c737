/* What promote.def lists of the machine code of this process. */
#include "glue.h"
#include "promote.h"

int64_t dt_code_stat(dt_code_stat_t stat)
{
    dame_jit_stats_t stats;
    dt_promote_stats(&stats);
    const int64_t values[] = {
#define DT_CODE_STAT(name, class, description, value) stats.value,
#include "promote.def"
#undef DT_CODE_STAT
    };
    return values[stat];
}

static const struct {
    const char *name;
    const char *description;
    bool is_level;
} code_stats[] = {
#define COUNTER                                       false
#define LEVEL                                         true
#define DT_CODE_STAT(name, class, description, value) {#name, description, class},
#include "promote.def"
#undef DT_CODE_STAT
#undef COUNTER
#undef LEVEL
};

const char *dt_code_stat_name(dt_code_stat_t stat)
{
    return code_stats[stat].name;
}

const char *dt_code_stat_description(dt_code_stat_t stat)
{
    return code_stats[stat].description;
}

bool dt_code_stat_is_level(dt_code_stat_t stat)
{
    return code_stats[stat].is_level;
}

const char *dt_code_vectors(void)
{
    dame_jit_stats_t stats;
    dt_promote_stats(&stats);
    return stats.vector_name;
}
