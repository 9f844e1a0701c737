/* SPDX-License-Identifier: BSD-3-Clause */
/* The edits that use the datatypes of decided sites. */
#include "patch.h"
#include "edits.h"
#include "helpers.h"
#include "live.h"
#include "suggest/code.h"

#include <stdlib.h>
#include <string.h>

typedef struct patch {
    c_unit_t *unit;
    edits_t edits;
    int n;            /* sites so far */
    size_t helper_at; /* where the helper of check goes, + 1; 0: not needed */
    bool uses_stdlib, uses_stddef, uses_stdio;
    size_t headers_at;
} patch_t;

patch_t *patch_new(c_unit_t *unit)
{
    patch_t *patch = c_checked(calloc(1, sizeof *patch));

    patch->unit = unit;
    return patch;
}

void patch_free(patch_t *patch)
{
    edits_cut(&patch->edits, 0);
    free(patch->edits.edit);
    free(patch);
}

static void no_patch(const site_t *site, const c_node_t *where, const char *why)
{
    fprintf(stderr, "%s:%u:%u: note: no patch for %s: %s\n", site->run->unit->path,
            where->span.line, where->span.column, c_callee(site->call), why);
}

/* ---- where things are in the text ---- */

static const c_node_t *statement_of(const c_node_t *node)
{
    while (node->parent && node->parent->kind != C_BLOCK && node->parent->kind != C_IF &&
           node->parent->kind != C_FOR && node->parent->kind != C_WHILE &&
           node->parent->kind != C_DO && node->parent->kind != C_OTHER) {
        node = node->parent;
    }
    return node;
}

/* Behind the statement and its semicolon. */
static size_t end_of(const c_unit_t *unit, const c_node_t *statement)
{
    size_t end = statement->span.end;

    if (end > 0 && (unit->text[end - 1] == '}' || unit->text[end - 1] == ';')) {
        return end;
    }
    while (unit->text[end] == ' ' || unit->text[end] == '\t' || unit->text[end] == '\n') {
        end++;
    }
    return unit->text[end] == ';' ? end + 1 : statement->span.end;
}

static size_t line_start(const c_unit_t *unit, size_t at)
{
    while (at > 0 && unit->text[at - 1] != '\n') {
        at--;
    }
    return at;
}

static const char *indent_of(c_memory_t *memory, const c_unit_t *unit, size_t at)
{
    size_t start = line_start(unit, at), n = strspn(unit->text + start, " \t");

    return c_format(memory, "%.*s", (int) n, unit->text + start);
}

static bool in_macro(const c_unit_t *unit, const c_node_t *node)
{
    return node->span.in_macro || node->span.file != unit->main_file;
}

/* The whole statement of a copy, from its outermost loop, or the statement that calls the function
 * which copies. */
static const c_node_t *whole_statement(const run_t *run, const site_t *site,
                                       const run_event_t *copy)
{
    return statement_of(site_statement(run, site, copy));
}

/* Removes a statement, with an `if` that has nothing else, and its line if nothing else is on it.
 */
static bool remove_statement(patch_t *patch, const c_node_t *statement)
{
    const c_unit_t *unit = patch->unit;
    size_t begin, end = end_of(unit, statement), start, stop;

    while (statement->parent->kind == C_IF && statement->parent->n == 2 &&
           run_is_pure(statement->parent->child[0]) && !in_macro(unit, statement->parent)) {
        statement = statement->parent;
    }
    begin = statement->span.begin;
    if (statement->parent->kind != C_BLOCK) {
        return edits_add(&patch->edits, begin, end, ";");
    }
    start = line_start(unit, begin);
    stop = end + strspn(unit->text + end, " \t\r");
    if (start + strspn(unit->text + start, " \t") == begin &&
        (unit->text[stop] == '\n' || unit->text[stop] == '\0')) {
        begin = start;
        end = unit->text[stop] == '\n' ? stop + 1 : stop;
    }
    return edits_add(&patch->edits, begin, end, "");
}

/* ---- may the loops go? ---- */

static bool is_patched_copy(const site_t *sites, size_t n, const bool *chosen, size_t event)
{
    size_t i, j;

    for (i = 0; i < n; i++) {
        for (j = 0; chosen[i] && j < sites[i].n_copies; j++) {
            if (sites[i].copies[j] == event) {
                return true;
            }
        }
    }
    return false;
}

/* Everything that the statement does, beside copies of chosen sites, must be counting. */
static const char *does_more(const run_t *run, const c_node_t *statement, const site_t *sites,
                             size_t n, const bool *chosen)
{
    size_t i;

    for (i = 0; i < run->n_events; i++) {
        const run_event_t *event = &run->events[i];

        if (!run_within(run, event, statement) || event->kind == RUN_LOAD) {
            continue;
        }
        if (event->kind == RUN_COPY && is_patched_copy(sites, n, chosen, i)) {
            continue;
        }
        if ((event->kind == RUN_STORE || event->kind == RUN_COPY) &&
            (event->to.scalar || event->node->kind == C_VARIABLE)) {
            continue;
        }
        return "its loop does more than copy";
    }
    return NULL;
}

typedef struct removal {
    const c_node_t **statements;
    size_t n;
    const c_node_t **gone; /* statements and replaced arguments; their names do not count */
    size_t n_gone;
} removal_t;

static void add_node(const c_node_t ***nodes, size_t *n, const c_node_t *node)
{
    size_t i;

    for (i = 0; i < *n; i++) {
        if ((*nodes)[i] == node) {
            return;
        }
    }
    *nodes = c_resize(*nodes, *n + 1, sizeof **nodes);
    (*nodes)[(*n)++] = node;
}

static bool buffer_still_used(const run_t *run, const site_t *site, const site_t *sites, size_t n,
                              const bool *chosen)
{
    size_t i, j;
    int k;

    for (i = 0; i < run->n_events; i++) {
        const run_event_t *event = &run->events[i];

        if ((event->kind == RUN_COPY || event->kind == RUN_STORE) &&
            event->to.base == site->buffer && !is_patched_copy(sites, n, chosen, i)) {
            continue; /* another packing; its call is checked below */
        }
        for (k = 1; event->kind == RUN_MPI && k < (int) event->node->n; k++) {
            bool replaced = false;

            if (event->arguments[k].kind != RUN_POINTER ||
                event->arguments[k].base != site->buffer) {
                continue;
            }
            for (j = 0; j < n; j++) {
                replaced = replaced ||
                           (chosen[j] && sites[j].event == i && sites[j].function->buffer == k);
            }
            if (!replaced && (k == site->function->buffer || event->node != site->call)) {
                return true;
            }
        }
    }
    return false;
}

/* The reason why the site's loops must stay, or NULL. */
static const char *must_stay(const run_t *run, const site_t *site, const site_t *sites, size_t n,
                             const bool *chosen, const removal_t *removal, const c_node_t **where)
{
    size_t i;

    *where = site->call;
    if (site->directive) {
        return site->directive;
    }
    if (site->shared) {
        return "other code may read the buffer";
    }
    if (buffer_still_used(run, site, sites, n, chosen)) {
        return "the buffer is also used by another call";
    }
    for (i = 0; i < site->n_copies; i++) {
        const c_node_t *statement = whole_statement(run, site, &run->events[site->copies[i]]);
        const char *why = does_more(run, statement, sites, n, chosen);

        *where = statement;
        if (in_macro(run->unit, statement)) {
            return "a macro is in the way";
        }
        if (why) {
            return why;
        }
        if (live_after(run, statement, removal->gone, removal->n_gone)) {
            return c_format(run->memory, "%s is used later",
                            live_after(run, statement, removal->gone, removal->n_gone)->name);
        }
    }
    return NULL;
}

/* ---- the call ---- */

/* The statement that the call is in; an `if` when it is in its condition. */
static const c_node_t *call_statement(const site_t *site)
{
    const c_node_t *statement = statement_of(site->call);

    while (statement->parent->kind == C_IF && statement->parent->child[0] == statement) {
        statement = statement_of(statement->parent);
    }
    return statement;
}

static const char *why_no_call(const site_t *site)
{
    const c_node_t *statement = call_statement(site), *node;
    int i;

    if (site->home != 0 || site->at != site->call ||
        site->call->span.file != site->run->unit->main_file) {
        return "it depends on the function's callers";
    }
    if (site->function->of_root) {
        return "only the root has the data";
    }
    for (node = site->call; node != statement; node = node->parent) {
        if (node->parent->kind == C_VARIABLE || node->parent->kind == C_RETURN ||
            node->parent->kind == C_DECLARE) {
            return "the call is part of a declaration or return";
        }
        if (node->parent->kind == C_CONDITIONAL || node->parent->op == C_OP_LAND ||
            node->parent->op == C_OP_LOR || node->parent->op == C_OP_COMMA) {
            return "the call is part of a larger expression";
        }
    }
    if (statement->parent->kind == C_OTHER ||
        ((statement->parent->kind == C_WHILE || statement->parent->kind == C_DO ||
          statement->parent->kind == C_FOR) &&
         statement->parent->child[statement->parent->n - 1] != statement)) {
        return "the call is part of a condition";
    }
    if (statement->span.in_macro && statement->span.begin == site->call->child[1]->span.begin) {
        return "the call is in a macro";
    }
    for (i = 0; i < 3; i++) {
        const c_node_t *argument = site->call->child[site->function->buffer + i];

        if (argument->span.elsewhere || argument->span.begin == statement->span.begin) {
            return "the call is in a macro";
        }
    }
    return NULL;
}

static bool is_chosen(const site_t *sites, size_t n, const bool *chosen, const c_node_t *call,
                      size_t before)
{
    size_t i;

    for (i = 0; i < before && i < n; i++) {
        if (chosen[i] && sites[i].call == call) {
            return true;
        }
    }
    return false;
}

static const char *prefix_for(patch_t *patch, c_memory_t *memory)
{
    const char *prefix;

    do {
        prefix = c_format(memory, "dame%d_", ++patch->n);
    } while (strstr(patch->unit->text, prefix));
    return prefix;
}

static void note_headers(patch_t *patch, const code_t *code)
{
    patch->uses_stdlib = patch->uses_stdlib || code->lists;
    patch->uses_stddef = patch->uses_stddef || code->offsets;
    patch->uses_stdio = patch->uses_stdio || *code->comparison;
}

static code_t make_code(const patch_t *patch, const site_t *site, const char *indent,
                        const char *prefix)
{
    return code_make(site->program, &site->shape, patch->unit->is_cxx ? CODE_CXX : CODE_C, indent,
                     prefix);
}

/* { constructors; the call with new arguments; MPI_Type_free(); } */
static bool edit_call(patch_t *patch, const site_t *site, bool nested)
{
    c_memory_t *memory = site->run->memory;
    const c_unit_t *unit = patch->unit;
    const c_node_t *statement = call_statement(site);
    const c_node_t *buffer = site->call->child[site->function->buffer];
    const c_node_t *count = site->call->child[site->function->count];
    const c_node_t *type = site->call->child[site->function->type];
    const char *indent = indent_of(memory, unit, statement->span.begin);
    const char *inner = c_format(memory, "%s    ", indent);
    code_t code = make_code(patch, site, inner, prefix_for(patch, memory));
    bool block = code.make[0] || code.comparison[0] || code.release[0];
    size_t end = end_of(unit, statement), before = patch->edits.n;
    bool fine = true;

    if (block) {
        fine = edits_add(&patch->edits, statement->span.begin, statement->span.begin,
                         c_format(memory, "{\n%s%s%s", code.make, code.comparison, inner)) &&
               (nested ? edits_add_first : edits_add)(
                   &patch->edits, end, end, c_format(memory, "\n%s%s}", code.release, indent));
    }
    fine = fine && edits_add(&patch->edits, buffer->span.begin, buffer->span.end, code.address) &&
           edits_add(&patch->edits, count->span.begin, count->span.end, code.count) &&
           edits_add(&patch->edits, type->span.begin, type->span.end, code.type);
    if (!fine) {
        edits_cut(&patch->edits, before);
    }
    note_headers(patch, &code);
    return fine;
}

/* ---- the two kinds of patches ---- */

/* Both halves of MPI_Sendrecv have one statement: its second half is put around the first. */
static void choose(site_t *sites, size_t n, bool *chosen)
{
    size_t i;

    for (i = 0; i < n; i++) {
        const char *why;

        if (sites[i].refusal || sites[i].skipped) {
            continue;
        }
        why = why_no_call(&sites[i]);
        if (!why && sites[i].function->kind == KIND_SENDRECV_REPLACE) {
            why = sites[i].in_place ? "one datatype sends and receives"
                                    : "MPI_Sendrecv has a datatype for each direction";
        }
        if (why) {
            no_patch(&sites[i], sites[i].call, why);
            continue;
        }
        chosen[i] = true;
    }
}

static void collect_gone(run_t *run, site_t *sites, size_t n, const bool *chosen,
                         removal_t *removal)
{
    size_t i, j;

    removal->n_gone = 0;
    for (i = 0; i < n; i++) {
        if (!chosen[i]) {
            continue;
        }
        for (j = 0; j < 3; j++) {
            add_node(&removal->gone, &removal->n_gone,
                     sites[i].call->child[sites[i].function->buffer + (int) j]);
        }
        for (j = 0; j < sites[i].n_copies; j++) {
            add_node(&removal->gone, &removal->n_gone,
                     whole_statement(run, &sites[i], &run->events[sites[i].copies[j]]));
        }
    }
}

static void patch_types(patch_t *patch, run_t *run, site_t *sites, size_t n)
{
    bool *chosen = c_checked(calloc(n + 1, sizeof *chosen)),
         *stays = c_checked(calloc(n + 1, sizeof *stays));
    removal_t removal = {0};
    const c_node_t *where;
    const char *why;
    size_t i, j, before = patch->edits.n;
    bool again = true;

    choose(sites, n, chosen);
    while (again) { /* a site that cannot be changed keeps loops that others share */
        again = false;
        collect_gone(run, sites, n, chosen, &removal);
        for (i = 0; i < n; i++) {
            if (!chosen[i] || stays[i]) {
                continue;
            }
            why = must_stay(run, &sites[i], sites, n, chosen, &removal, &where);
            if (why && sites[i].function->receives) {
                no_patch(&sites[i], where, why);
                chosen[i] = false;
                again = true;
            } else if (why) {
                fprintf(stderr, "%s:%u:%u: note: the packing for %s stays: %s\n", patch->unit->path,
                        where->span.line, where->span.column, c_callee(sites[i].call), why);
                stays[i] = true;
            }
        }
    }
    /* a statement that one site keeps stays for all */
    for (i = 0; i < n; i++) {
        /* the other half of an MPI_Sendrecv() is in the same statement */
        if (chosen[i] &&
            !edit_call(patch, &sites[i], is_chosen(sites, n, chosen, sites[i].call, i))) {
            no_patch(&sites[i], sites[i].call, "its edits overlap those of another call");
            edits_cut(&patch->edits, before);
            goto done;
        }
    }
    for (i = 0; i < n; i++) {
        for (j = 0; chosen[i] && !stays[i] && j < sites[i].n_copies; j++) {
            const c_node_t *statement =
                whole_statement(run, &sites[i], &run->events[sites[i].copies[j]]);
            size_t k, l;
            bool kept = false;

            for (k = 0; k < n; k++) {
                for (l = 0; stays[k] && l < sites[k].n_copies; l++) {
                    kept = kept || whole_statement(run, &sites[k],
                                                   &run->events[sites[k].copies[l]]) == statement;
                }
            }
            if (!kept) {
                add_node(&removal.statements, &removal.n, statement);
            }
        }
    }
    for (i = 0; i < removal.n; i++) {
        if (!remove_statement(patch, removal.statements[i])) {
            fprintf(stderr, "%s:%u:%u: note: no patch for this function: edits overlap\n",
                    patch->unit->path, removal.statements[i]->span.line,
                    removal.statements[i]->span.column);
            edits_cut(&patch->edits, before);
            break;
        }
    }
done:
    free(removal.statements);
    free(removal.gone);
    free(chosen);
    free(stays);
}

/* Before a function that uses them, and the comment above it. */
static size_t place_for_helpers(const c_unit_t *unit, const c_function_t *function)
{
    size_t at = line_start(unit, function->begin);

    while (at > 0) {
        size_t above = line_start(unit, at - 1);
        const char *text = unit->text + above + strspn(unit->text + above, " \t");

        if (strncmp(text, "/*", 2) != 0 && text[0] != '*' && strncmp(text, "//", 2) != 0) {
            break;
        }
        at = above;
    }
    return at;
}

static void need_helper(patch_t *patch, const run_t *run)
{
    if (patch->helper_at == 0) {
        patch->helper_at = place_for_helpers(patch->unit, run->function) + 1;
        edits_add(&patch->edits, patch->helper_at - 1, patch->helper_at - 1, helpers_check);
    }
}

static void patch_check(patch_t *patch, run_t *run, site_t *sites, size_t n)
{
    const c_unit_t *unit = patch->unit;
    size_t i;

    for (i = 0; i < n; i++) {
        site_t *site = &sites[i];
        const c_node_t *statement = call_statement(site), *last;
        const char *indent, *inner, *prefix, *text, *processes, *times, *open, *close;
        size_t at, before;
        bool fine;
        code_t code;

        if (site->refusal || site->skipped) {
            continue;
        }
        if (why_no_call(site)) {
            no_patch(site, site->call, why_no_call(site));
            continue;
        }
        last = site->function->receives
                   ? whole_statement(run, site, &run->events[site->copies[site->n_copies - 1]])
                   : statement;
        if (in_macro(run->unit, last)) {
            no_patch(site, last, "a macro is in the way");
            continue;
        }
        indent = indent_of(run->memory, unit, last->span.begin);
        inner = c_format(run->memory, "%s    ", indent);
        prefix = prefix_for(patch, run->memory);
        code = make_code(patch, site, inner, prefix);
        processes = times = "";
        if (site->function->processes) {
            times = c_format(run->memory, " * %sprocesses", prefix);
            processes =
                c_format(run->memory, "%sint %sprocesses;\n%sMPI_Comm_size(%s, &%sprocesses);\n",
                         inner, prefix, inner,
                         c_text(run->memory, site->call->child[site->function->processes]), prefix);
        }
        text = c_format(
            run->memory,
            "{\n%s%s%sstatic int %sdone = -1;\n%sdame_check(%s, %s%s%s%s, %s,\n"
            "%s           %s, %s%s, %s, &%sdone, \"%s:%u\");\n%s%s}",
            code.make, processes, inner, prefix, inner,
            c_text(run->memory, site->call->child[site->function->buffer]), *times ? "(" : "",
            c_text(run->memory, site->call->child[site->function->count]), *times ? ")" : "", times,
            c_text(run->memory, site->call->child[site->function->type]), inner, code.address,
            code.count, times, code.type, prefix, unit->path, site->call->span.line, code.release,
            indent);
        open = last->parent->kind == C_BLOCK ? "" : "{ ";
        close = last->parent->kind == C_BLOCK ? "" : " }";
        need_helper(patch, run);
        before = patch->edits.n;
        at = end_of(unit, last);
        if (site->function->receives) {
            fine = (!*open || edits_add(&patch->edits, last->span.begin, last->span.begin, open)) &&
                   edits_add(&patch->edits, at, at,
                             c_format(run->memory, "\n%s%s%s", indent, text, close));
        } else {
            fine = edits_add(&patch->edits, last->span.begin, last->span.begin,
                             c_format(run->memory, "%s%s\n%s", open, text, indent)) &&
                   (!*close || edits_add(&patch->edits, at, at, close));
        }
        if (!fine) {
            no_patch(site, site->call, "its edits overlap those of another call");
            edits_cut(&patch->edits, before);
            continue;
        }
        code.comparison = ""; /* the check reports instead */
        note_headers(patch, &code);
    }
}

void patch_function(patch_t *patch, patch_mode_t mode, run_t *run, site_t *sites, size_t n)
{
    if (n == 0) {
        return;
    }
    if (mode == PATCH_TYPES) {
        patch_types(patch, run, sites, n);
    } else if (mode == PATCH_CHECK) {
        patch_check(patch, run, sites, n);
    }
    if (!patch->headers_at) {
        patch->headers_at = place_for_helpers(patch->unit, run->function) + 1;
    }
}

bool patch_print(patch_t *patch, FILE *out)
{
    char *new;
    bool fine;

    if (patch->edits.n == 0) {
        return true;
    }
    if (patch->headers_at && (patch->uses_stdlib || patch->uses_stddef || patch->uses_stdio)) {
        const char *text = patch->unit->text;
        char headers[100] = "";

        if (patch->uses_stdio && !strstr(text, "<stdio.h>")) {
            strcat(headers, "#include <stdio.h>\n");
        }
        if (patch->uses_stddef && !strstr(text, "<stddef.h>")) {
            strcat(headers, "#include <stddef.h>\n");
        }
        if (patch->uses_stdlib && !strstr(text, "<stdlib.h>")) {
            strcat(headers, "#include <stdlib.h>\n");
        }
        if (headers[0]) {
            strcat(headers, "\n");
            edits_add(&patch->edits, patch->headers_at - 1, patch->headers_at - 1, headers);
        }
    }
    new = edits_apply(&patch->edits, patch->unit->text, patch->unit->size);
    fine = edits_diff(out, patch->unit->path, new);
    free(new);
    return fine;
}
