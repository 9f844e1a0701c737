/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine.h"

#include "credit.h"
#include "base/heap.h"
#include "base/lock.h"

const dame_observer_t dame_no_observer;

static void disable(void *promoter)
{
    dame_promoter_disable(promoter);
}

void dame_engine_start(dame_engine_t *engine, const dame_engine_options_t *options)
{
    if (engine->observer == NULL) {
        engine->observer = &dame_no_observer;
    }
    (void) dame_lock_innermost_at_fork(dame_heap_before_fork, dame_heap_after_fork);
    dame_tallies_init(&engine->tallies, &engine->counts);
    dame_promoter_init(&engine->promoter, &engine->counts, &engine->layouts,
                       &engine->tallies.observer, engine->observer);
    engine->threads.argument = &engine->promoter;
    engine->threads.on_unwatched = disable;
    dame_threads_start(&engine->threads, &engine->counts);
    dame_layouts_start(&engine->layouts, &engine->counts, options->layout_cache);
    dame_promoter_start(&engine->promoter, &options->promotion);
    dame_tallies_start(&engine->tallies, options->tallies || options->times, options->times);
    dame_timing_start(&engine->timing, options->times);
}

void dame_engine_settle(dame_engine_t *engine)
{
    dame_promoter_settle(&engine->promoter);
}

void dame_engine_stop(dame_engine_t *engine, bool saves)
{
    engine->timing.on = false;
    dame_promoter_free(&engine->promoter, dame_layouts_clear(&engine->layouts));
    dame_layouts_stop(&engine->layouts);
    dame_promoter_stop(&engine->promoter, saves);
    dame_counts_settle_all(&engine->counts);
    dame_tallies_stop(&engine->tallies);
}

dame_layout_t *dame_engine_new_layout(dame_engine_t *engine, const dame_layout_source_t *source,
                                      const void *datatype, uint64_t fingerprint)
{
    dame_layout_t *layout = dame_layout_new(&engine->layouts, source, datatype, fingerprint);
    if (layout != NULL) {
        dame_promote_layout_init(&engine->promoter, layout);
    }
    return layout;
}

bool dame_engine_end(dame_engine_t *engine)
{
    dame_threads_stop(&engine->threads);
    return !engine->promoter.must_stay;
}

dame_status_t dame_engine_open_private(dame_engine_t *engine, dame_program_t *program,
                                       dame_use_t *use)
{
    dame_layout_t *layout = dame_layout_private(&engine->layouts, program);
    if (layout == NULL) {
        return DAME_ERR_NOMEM;
    }
    dame_promote_layout_init(&engine->promoter, layout);
    *use = (dame_use_t){.layout = layout};
    use->slot = dame_credit_slot(use);
    dame_promoter_prepare(&engine->promoter);
    return DAME_OK;
}

void dame_engine_close_private(dame_engine_t *engine, dame_use_t *use)
{
    dame_lock_briefly(DAME_LOCK_LAYOUTS);
    dame_layout_t *unused = dame_layout_put(&engine->layouts, use->layout);
    dame_unlock_briefly(DAME_LOCK_LAYOUTS);
    dame_promoter_free(&engine->promoter, unused);
}
