/* SPDX-License-Identifier: BSD-3-Clause */
#include "facts.h"

#include <stdlib.h>

#include "dame/memory_order.h"
#include "engine/words.h"
#include "cli/program.h"
#include "cli/tool.h"

static void find_strides(const dame_program_t *program, facts_t *facts)
{
    for (int32_t i = 0; i < program->nprims && facts->strides < FACTS_STRIDES; i++) {
        const dame_prim_t *prim = &program->prims[i];
        if (dame_prim_run(prim, DAME_PACK) != NULL && prim->disps == NULL && prim->count > 1 &&
            prim->step != INT64_MIN) {
            facts->stride[facts->strides++] = llabs(prim->step);
        }
    }
}

static void find_all(const dame_program_t *program, const dame_program_t *optimised, facts_t *facts)
{
    *facts = (facts_t){.fragment = dame_options_default()->fragment};
    facts->wide_column = dame_wide_column(optimised, facts->fragment);
    find_strides(program, facts);
    dame_words_of_layout(optimised, facts->words, sizeof(facts->words));
    facts->program = (form_t){program->nprims, program->depth, program->memory};
    facts->optimised = (form_t){optimised->nprims, optimised->depth, optimised->memory};
}

int facts_find(const char *path, const char *text, size_t length, facts_t *facts)
{
    dame_program_t *program, *optimised;
    const dame_status_t status = dame_program_parse(text, length, &program, NULL);
    if (status != DAME_OK) {
        return tool_status_error(tool_input_name(path), status);
    }
    int code = tool_optimised(tool_input_name(path), program, NULL, &optimised);
    if (code == TOOL_OK) {
        find_all(program, optimised, facts);
        dame_program_free(optimised);
    }
    dame_program_free(program);
    return code;
}
