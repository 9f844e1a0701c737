#include "history.h"

#include <string.h>

#include "contents.h"
#include "jit/jit.h"
#include "log.h"
#include "measure/measured.h"
#include "tally.h"

static const char *const verbs[2] = {[DAME_PACK] = "pack", [DAME_UNPACK] = "unpack"};

static void say(const dt_entry_t *entry, dame_dir_t dir, const char *code)
{
    const void *where;
    const char *name = dt_contents_name(atomic_load_explicit(&entry->key, memory_order_relaxed));
    if (0 == strcmp("interp", code)) {
        dt_log_of(DT_LOG_SETUP, name, "the interpreter is the fastest: it %ss from now on",
                  verbs[dir]);
    } else if (0 == strcmp(DT_NATIVE_ARM, code)) {
        dt_log_of(DT_LOG_SETUP, name, "Open MPI's own engine is faster: it %ss whole messages",
                  verbs[dir]);
    } else {
        dt_log_of(DT_LOG_SETUP, name, "compiled to %s, %s, %zu bytes", verbs[dir], code,
                  dame_jit_code(entry->layout->program, dir, &where));
    }
}

void dt_history_compiled(dt_entry_t *entry, dame_dir_t dir, int64_t ns)
{
    dt_tally_t *tally = dt_entry_tally(entry);
    if (NULL != tally) {
        dt_tally_compiled(tally, dir, ns);
    }
}

void dt_history_runs(dt_entry_t *entry, dame_dir_t dir, const char *code)
{
    dt_tally_t *tally = dt_entry_tally(entry);
    if (NULL != tally) {
        dt_tally_runs(tally, dir, code);
    }
    if (dt_log_wants(DT_LOG_SETUP)) {
        say(entry, dir, code);
    }
}

void dt_history_costs(dt_entry_t *entry, dame_dir_t dir, const dt_code_cost_t *costs, int32_t n)
{
    dt_tally_t *tally = dt_entry_tally(entry);
    if (NULL != tally) {
        memcpy(tally->history[dir].costs, costs, (size_t) n * sizeof(*costs));
        tally->history[dir].ncosts = n;
    }
}
