/* SPDX-License-Identifier: BSD-3-Clause */
/* #pragma bamboo: words, places, and the rules of regions and blocks. */
#include "compile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 16 };

typedef struct words {
    const file_t *file;
    const token_t *token;
    size_t n, next;
} words_t;

static const char *word(const words_t *words, size_t i)
{
    return i < words->n ? tr_copy_text(words->file->text + words->token[i].begin,
                                       words->token[i].end - words->token[i].begin)
                        : "";
}

static void unknown(file_t *file, const words_t *words, const char *allowed)
{
    const char *found = word(words, words->next);

    if (strcmp(found, "{") == 0) {
        tr_refuse(file, words->token[words->next].begin, REFUSE_PRAGMA,
                  "the brace belongs on the next line");
    } else if (words->next < words->n) {
        tr_refuse(file, words->token[words->next].begin, REFUSE_PRAGMA, "'%s'; %s", found, allowed);
    } else {
        tr_refuse(file, words->token[words->n - 1].begin, REFUSE_PRAGMA, "a word is missing; %s",
                  allowed);
    }
}

/* X, Y, Z or a number from 0 on; -1: none. */
static int dimension_of(const char *text)
{
    if (strlen(text) == 1 && strchr("XYZ", *text)) {
        return *text - 'X';
    }
    if (isdigit((unsigned char) *text) && strlen(text) < 4 &&
        strspn(text, "0123456789") == strlen(text)) {
        return atoi(text);
    }
    return -1;
}

static const char *layout_of(const char *text)
{
    static const char *const names[][2] = {
        {"NN", "BAMBOO_NEAREST_NEIGHBOUR"},
        {"NearestNeighbor", "BAMBOO_NEAREST_NEIGHBOUR"},
        {"NearestNeighbour", "BAMBOO_NEAREST_NEIGHBOUR"},
        {"OneNeighborBackward", "BAMBOO_ONE_NEIGHBOUR_BACKWARD"},
        {"OneNeighbourBackward", "BAMBOO_ONE_NEIGHBOUR_BACKWARD"},
        {"MinHeap", "BAMBOO_MIN_HEAP"},
    };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i][0], text) == 0) {
            return names[i][1];
        }
    }
    return NULL;
}

static void read_layouts(file_t *file, directive_t *directive, words_t *words)
{
    while (words->next < words->n) {
        const char *name;
        size_t first;

        if (strcmp(word(words, words->next), "layout") != 0) {
            unknown(file, words, "after 'olap' comes nothing or 'layout NAME DIMENSION...'");
            return;
        }
        name = layout_of(word(words, ++words->next));
        if (!name) {
            tr_refuse(file, words->token[words->next < words->n ? words->next : words->n - 1].begin,
                      REFUSE_LAYOUT, "'%s'; layouts are NN, OneNeighborBackward and MinHeap",
                      word(words, words->next));
            return;
        }
        first = ++words->next;
        while (words->next < words->n && dimension_of(word(words, words->next)) >= 0) {
            layout_t layout = {name, dimension_of(word(words, words->next)),
                               words->token[words->next].begin};

            directive->layouts = tr_grow(directive->layouts, directive->n_layouts, sizeof layout);
            directive->layouts[directive->n_layouts++] = layout;
            words->next++;
        }
        if (words->next == first) {
            tr_refuse(file, words->token[first < words->n ? first : words->n - 1].begin,
                      REFUSE_LAYOUT,
                      "'%s'; after the layout come its dimensions: X, Y, Z or numbers from 0",
                      word(words, first));
            return;
        }
    }
}

static void read_dimension(file_t *file, directive_t *directive, words_t *words)
{
    const char *text = word(words, words->next);

    directive->dimensions = isdigit((unsigned char) *text) ? dimension_of(text) : 0;
    if (directive->dimensions < 1 || directive->dimensions > MOST_DIMENSIONS) {
        tr_refuse(file, words->token[words->next < words->n ? words->next : words->n - 1].begin,
                  REFUSE_DIMENSION, "'%s'; N is a number from 1 to %d", text, MOST_DIMENSIONS);
        words->next = words->n;
        directive->dimensions = 1;
    } else {
        words->next++;
    }
}

static void read_directive(program_t *program, file_t *file, const token_t *token, size_t n)
{
    directive_t *directive = tr_alloc(sizeof *directive);
    words_t words = {file, token, n, 4};
    const char *kind = word(&words, 3);

    directive->file = file;
    directive->begin = token[0].begin;
    directive->end = token[n - 1].end;
    if (strcmp(kind, "olap") == 0) {
        directive->kind = DIRECTIVE_OLAP;
        read_layouts(file, directive, &words);
    } else if (strcmp(kind, "dimension") == 0) {
        directive->kind = DIRECTIVE_DIMENSION;
        read_dimension(file, directive, &words);
    } else if (strcmp(kind, "send") == 0) {
        directive->kind = DIRECTIVE_SEND;
    } else if (strcmp(kind, "receive") == 0) {
        directive->kind = DIRECTIVE_RECEIVE;
    } else {
        words.next = 3;
        unknown(file, &words, "directives are 'olap', 'dimension N', 'send' and 'receive'");
        return;
    }
    if (words.next < n && directive->kind != DIRECTIVE_OLAP) {
        unknown(file, &words, "nothing may follow");
    }
    program->directives = tr_grow(program->directives, program->n_directives, sizeof directive);
    program->directives[program->n_directives++] = directive;
}

/* Letters to add, take away or replace until one word is the other; FEW or more are FEW. */
static int distance(const char *one, const char *other, int few)
{
    int least, next;

    if (few == 0 || (!*one && !*other)) {
        return 0;
    }
    if (tolower((unsigned char) *one) == *other) {
        return distance(one + 1, other + 1, few);
    }
    least = *one ? distance(one + 1, other, few - 1) : few - 1;
    next = *other ? distance(one, other + 1, few - 1) : few - 1;
    least = next < least ? next : least;
    next = *one && *other ? distance(one + 1, other + 1, few - 1) : few - 1;
    return 1 + (next < least ? next : least);
}

/* A #pragma of this name, or of one that is meant to be it. */
static bool is_directive(file_t *file, const token_t *token)
{
    const char *name;

    if (!token[0].directive || !tr_token_is(file->text, &token[0], "#") ||
        !tr_token_is(file->text, &token[1], "pragma") || !token[2].directive) {
        return false;
    }
    name = tr_copy_text(file->text + token[2].begin, token[2].end - token[2].begin);
    if (strcmp(name, "bamboo") != 0 && distance(name, "bamboo", 3) < 3) {
        tr_refuse(file, token[2].begin, REFUSE_PRAGMA, "'%s'; 'bamboo' is meant?", name);
    }
    return strcmp(name, "bamboo") == 0;
}

void tr_read_directives(program_t *program, file_t *file)
{
    const token_t *token = file->tokens.token;
    size_t i, end;

    for (i = 0; i + 2 < file->tokens.n; i++) {
        if (!is_directive(file, token + i)) {
            continue;
        }
        for (end = i + 3;
             end < file->tokens.n && token[end].directive &&
             !memchr(file->text + token[end - 1].end, '\n', token[end].begin - token[end - 1].end);
             end++) {
        }
        read_directive(program, file, token + i, end - i);
    }
}

/* ---- where they act ---- */

static node_t *statement_at(node_t *node, size_t begin)
{
    node_t *found = NULL;
    size_t i;

    if (node->here && (node->begin > begin || node->end <= begin)) {
        return NULL;
    }
    if (node->begin == begin && node->parent && tr_is_branch(node->parent, node)) {
        return node;
    }
    for (i = 0; i < node->n && !found; i++) {
        found = statement_at(node->child[i], begin);
    }
    return found;
}

static void place_directive(program_t *program, directive_t *directive)
{
    file_t *file = directive->file;
    size_t i, begin = file->size;

    for (i = 0; i < file->tokens.n; i++) {
        if (file->tokens.token[i].begin > directive->end && !file->tokens.token[i].directive) {
            begin = file->tokens.token[i].begin;
            break;
        }
    }
    for (i = 0; i < program->n_functions; i++) {
        function_t *function = program->functions[i];

        if (function->file == file && function->body && function->body->begin < directive->begin &&
            directive->end < function->body->end) {
            directive->function = function;
            directive->statement = statement_at(function->body, begin);
        }
    }
    if (directive->kind != DIRECTIVE_DIMENSION && !directive->statement) {
        tr_refuse(file, directive->begin, REFUSE_STRAY, "no statement follows");
    } else if (directive->statement) {
        directive->statement_end = tr_statement_end(file, directive->statement);
    }
}

/* Directives that conditionals leave out are none. */
void tr_place_directives(program_t *program)
{
    size_t i, n = 0;

    for (i = 0; i < program->n_directives; i++) {
        directive_t *directive = program->directives[i];

        if (!tr_is_skipped(directive->file, directive->begin)) {
            program->directives[n++] = directive;
            place_directive(program, directive);
        }
    }
    program->n_directives = n;
}

/* ---- rules ---- */

static bool is_inside(const directive_t *outer, size_t at)
{
    return outer->statement && outer->statement->begin <= at && at < outer->statement_end;
}

static void check_dimensions(program_t *program)
{
    const directive_t *first = NULL;
    size_t i, j;

    for (i = 0; i < program->n_directives; i++) {
        directive_t *directive = program->directives[i];

        if (directive->kind == DIRECTIVE_DIMENSION && first) {
            tr_refuse(directive->file, directive->begin, REFUSE_DIMENSION, "a second dimension");
        } else if (directive->kind == DIRECTIVE_DIMENSION) {
            first = directive;
            program->dimensions = directive->dimensions;
        }
    }
    for (i = 0; i < program->n_directives; i++) {
        directive_t *directive = program->directives[i];

        if (directive->kind != DIRECTIVE_OLAP) {
            continue;
        }
        if (!first && !program->part) {
            tr_refuse(directive->file, directive->begin, REFUSE_DIMENSION, "a region without it");
        }
        if (!first) {
            return;
        }
        if (first->file == directive->file && first->begin > directive->begin) {
            tr_refuse(first->file, first->begin, REFUSE_DIMENSION, "it comes after a region");
            return;
        }
        for (j = 0; j < directive->n_layouts; j++) {
            if (directive->layouts[j].dimension >= program->dimensions) {
                tr_refuse(directive->file, directive->layouts[j].at, REFUSE_LAYOUT,
                          "dimension %d; it has %d, counted from 0 (X)",
                          directive->layouts[j].dimension, program->dimensions);
            }
        }
    }
}

static void check_nesting(program_t *program, directive_t *directive)
{
    size_t i;

    if (!directive->statement || directive->kind == DIRECTIVE_DIMENSION) {
        return;
    }
    for (i = 0; i < program->n_directives; i++) {
        directive_t *outer = program->directives[i];

        if (outer == directive || outer->file != directive->file ||
            !is_inside(outer, directive->begin)) {
            continue;
        }
        if (outer->kind == DIRECTIVE_OLAP && directive->kind != DIRECTIVE_OLAP) {
            directive->region = outer;
        } else if (outer->kind != DIRECTIVE_DIMENSION) {
            tr_refuse(directive->file, directive->begin, REFUSE_NESTED, "a directive within %s",
                      outer->kind == DIRECTIVE_OLAP ? "a region" : "a block");
        }
    }
    if (directive->kind != DIRECTIVE_OLAP && !directive->region) {
        tr_refuse(directive->file, directive->begin, REFUSE_STRAY,
                  "a block outside of regions ('#pragma bamboo olap')");
    }
}

static unsigned communicates(const node_t *call)
{
    return !call->callee              ? 0
           : call->callee->definition ? call->callee->communicates
                                      : tr_call_communicates(call->callee->name);
}

static void check_call(program_t *program, const directive_t *region, const node_t *call)
{
    unsigned what = communicates(call);
    const directive_t *block = NULL;
    size_t i;

    for (i = 0; i < program->n_directives; i++) {
        const directive_t *directive = program->directives[i];

        if (directive->region == region && is_inside(directive, call->begin)) {
            block = directive;
        }
    }
    if (block && block->kind == DIRECTIVE_SEND && (what & ~(unsigned) COMMUNICATES_SEND)) {
        tr_refuse_node(region->file, call, REFUSE_SEND_BLOCK, "'%s'", call->callee->name);
    } else if (!block && (what & ~(unsigned) COMMUNICATES_COMPLETE)) {
        tr_refuse_node(region->file, call, REFUSE_OUTSIDE, "'%s'", call->callee->name);
    }
}

static void check_region(program_t *program, const directive_t *region)
{
    size_t i, blocks = 0;

    for (i = 0; i < program->n_directives; i++) {
        blocks += program->directives[i]->region == region;
    }
    if (blocks < 2) {
        tr_refuse(region->file, region->begin, REFUSE_BLOCKS, "%zu here", blocks);
    }
    for (i = 0; region->function && i < region->function->n_calls; i++) {
        if (is_inside(region, region->function->calls[i]->begin)) {
            check_call(program, region, region->function->calls[i]);
        }
    }
}

/* ---- a send that depends on received data ---- */

/* What a call sends from or receives into: its first argument, without blanks. */
static const char *buffer_of(const file_t *file, const node_t *call)
{
    const char *text = call->n > 1 ? tr_node_text(file, call->child[1]) : "";
    text_t result = {0};

    tr_add_bytes(&result, "", 0);
    for (; *text; text++) {
        if (!isspace((unsigned char) *text)) {
            tr_add_bytes(&result, text, 1);
        }
    }
    return result.at;
}

static bool is_plain(const variable_t *variable)
{
    enum CXTypeKind kind = clang_getCanonicalType(variable->type).kind;

    return kind != CXType_ConstantArray && kind != CXType_IncompleteArray &&
           kind != CXType_VariableArray;
}

static bool changes(const node_t *node, const variable_t *variable)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->variable == variable &&
        tr_access_of(node) != ACCESS_READ) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (changes(node->child[i], variable)) {
            return true;
        }
    }
    return false;
}

static void check_dependence(const directive_t *send, const directive_t *receive,
                             const node_t *node)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->variable && is_plain(node->variable) &&
        changes(receive->statement, node->variable) && !changes(send->statement, node->variable)) {
        tr_refuse_node(send->file, node, REFUSE_DEPENDS,
                       "'%s' comes from the receive block before it", node->variable->name);
    }
    for (i = 0; i < node->n; i++) {
        check_dependence(send, receive, node->child[i]);
    }
}

static void check_buffers(const directive_t *send, const directive_t *receive)
{
    const function_t *function = send->function;
    size_t i, j;

    for (i = 0; i < function->n_calls; i++) {
        const node_t *to = function->calls[i];

        for (j = 0; j < function->n_calls; j++) {
            const node_t *from = function->calls[j];

            if (is_inside(send, to->begin) && is_inside(receive, from->begin) &&
                !to->callee->definition && communicates(to) == COMMUNICATES_SEND &&
                communicates(from) == COMMUNICATES_RECEIVE && !from->callee->definition &&
                strcmp(buffer_of(send->file, to), buffer_of(send->file, from)) == 0) {
                tr_refuse_node(send->file, to, REFUSE_DEPENDS, "'%s' is received before",
                               tr_node_text(send->file, to->child[1]));
            }
        }
    }
}

void tr_check_directives(program_t *program)
{
    size_t i, j;

    check_dimensions(program);
    for (i = 0; i < program->n_directives; i++) {
        check_nesting(program, program->directives[i]);
    }
    for (i = 0; i < program->n_directives; i++) {
        const directive_t *one = program->directives[i];

        if (one->kind == DIRECTIVE_OLAP && one->statement) {
            check_region(program, one);
        }
        for (j = 0; one->kind == DIRECTIVE_SEND && one->statement && j < program->n_directives;
             j++) {
            const directive_t *other = program->directives[j];

            if (other->kind == DIRECTIVE_RECEIVE && other->region == one->region &&
                other->statement && other->begin < one->begin && other->file == one->file) {
                check_buffers(one, other);
                check_dependence(one, other, one->statement);
            }
        }
    }
}
