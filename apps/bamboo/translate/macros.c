/* SPDX-License-Identifier: BSD-3-Clause */
/* Macros with moved variables in their bodies. Around a declaration that uses them they are defined
 * again, with the variables' replacements there. */
#include "translate.h"

#include <string.h>

struct mapping {
    const char *name, *text;
    const struct node *node;
    bool found, hidden;
};

struct mappings {
    struct mapping *mapping;
    size_t n;
};

static const char *moved(const struct variable *variable)
{
    return variable->framed || variable->per_task ? variable->text : NULL;
}

static void add_mapping(struct file *file, struct mappings *mappings, const struct node *node)
{
    const struct variable *variable = node->variable;
    const char *text = moved(variable) ? variable->text : variable->name;
    size_t i;

    for (i = 0; i < mappings->n; i++) {
        if (strcmp(mappings->mapping[i].name, variable->name) == 0) {
            if (strcmp(mappings->mapping[i].text, text) != 0) {
                tr_refuse_node(file, node, REFUSE_MACRO,
                               "'%s' means two variables in macros that are used here",
                               variable->name);
            }
            return;
        }
    }
    mappings->mapping = tr_grow(mappings->mapping, mappings->n, sizeof *mappings->mapping);
    mappings->mapping[mappings->n++] = (struct mapping){variable->name, text, node, false, false};
}

/* References that are not in the text. */
static void find_mappings(struct file *file, const struct node *node, struct mappings *mappings)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->variable && !node->spelled &&
        *node->variable->name) {
        add_mapping(file, mappings, node);
    }
    for (i = 0; i < node->n; i++) {
        find_mappings(file, node->child[i], mappings);
    }
}

static const struct macro *find_macro(const struct file *file, const char *name, size_t length)
{
    size_t i;

    for (i = file->n_macros; i-- > 0;) {
        if (strlen(file->macros[i].name) == length &&
            memcmp(file->macros[i].name, name, length) == 0) {
            return &file->macros[i];
        }
    }
    return NULL;
}

static bool defined_twice(const struct file *file, const struct macro *macro)
{
    size_t i;

    for (i = 0; i < file->n_macros; i++) {
        if (&file->macros[i] != macro && strcmp(file->macros[i].name, macro->name) == 0) {
            return true;
        }
    }
    return false;
}

/* The macro's parameters are the names before the first closing parenthesis. Returns the body's
 * first token. */
static size_t body_of(const struct macro *macro)
{
    size_t i = 1;

    if (macro->function_like) {
        while (i < macro->tokens.n && !tr_token_is(macro->text, &macro->tokens.token[i], ")")) {
            i++;
        }
        i++;
    }
    return i;
}

static bool is_parameter(const struct macro *macro, size_t body, const char *name, size_t length)
{
    size_t i;

    for (i = 1; i < body && i < macro->tokens.n; i++) {
        const struct token *token = &macro->tokens.token[i];

        if (token->kind == TOKEN_NAME && token->end - token->begin == length &&
            memcmp(macro->text + token->begin, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Can the body's token name a variable? Not a member, a tag, a label or a part of a name. */
static bool may_be_variable(const struct macro *macro, size_t body, size_t i)
{
    static const char *const before[] = {".", "->", "#", "struct", "union", "enum", "goto"};
    const struct token *token = macro->tokens.token;
    size_t j;

    for (j = 0; j < sizeof before / sizeof *before; j++) {
        if (tr_token_is(macro->text, &token[i - 1], before[j])) {
            return false;
        }
    }
    return token[i].kind == TOKEN_NAME &&
           !(i + 1 < macro->tokens.n && tr_token_is(macro->text, &token[i + 1], "#")) &&
           !is_parameter(macro, body, macro->text + token[i].begin, token[i].end - token[i].begin);
}

/* Would an argument of the macro take the place of a part of the text? */
static bool has_parameter(const struct macro *macro, size_t body, const char *text)
{
    struct tokens tokens = tr_tokens_of(text, 0, strlen(text));
    size_t i;

    for (i = 0; i < tokens.n; i++) {
        if (is_parameter(macro, body, text + tokens.token[i].begin,
                         tokens.token[i].end - tokens.token[i].begin)) {
            return true;
        }
    }
    return false;
}

/* The definition with replacements for the names, or NULL if it has none of them. */
static const char *rewritten(const struct macro *macro, struct mappings *mappings)
{
    size_t body = body_of(macro), i, j, at = 0;
    struct text text = {0};
    bool changed = false;

    tr_add_bytes(&text, "", 0);
    for (i = body; i < macro->tokens.n; i++) {
        const struct token *token = &macro->tokens.token[i];

        if (!may_be_variable(macro, body, i)) {
            continue;
        }
        for (j = 0; j < mappings->n; j++) {
            if (tr_token_is(macro->text, token, mappings->mapping[j].name)) {
                mappings->mapping[j].found = true;
                mappings->mapping[j].hidden = mappings->mapping[j].hidden ||
                                              has_parameter(macro, body, mappings->mapping[j].text);
                if (strcmp(mappings->mapping[j].text, mappings->mapping[j].name) != 0) {
                    tr_add_bytes(&text, macro->text + at, token->begin - at);
                    tr_add(&text, "%s", mappings->mapping[j].text);
                    at = token->end;
                    changed = true;
                }
            }
        }
    }
    tr_add_bytes(&text, macro->text + at, strlen(macro->text) - at);
    return changed ? text.at : NULL;
}

struct macros {
    const struct macro **macro;
    size_t n;
};

static void reach(const struct file *file, struct macros *macros, const char *name, size_t length)
{
    const struct macro *macro = find_macro(file, name, length);
    size_t i;

    for (i = 0; macro && i < macros->n; i++) {
        if (macros->macro[i] == macro) {
            return;
        }
    }
    if (!macro) {
        return;
    }
    macros->macro = tr_grow(macros->macro, macros->n, sizeof macro);
    macros->macro[macros->n++] = macro;
    for (i = body_of(macro); i < macro->tokens.n; i++) {
        const struct token *token = &macro->tokens.token[i];

        if (token->kind == TOKEN_NAME) {
            reach(file, macros, macro->text + token->begin, token->end - token->begin);
        }
    }
}

static bool any_moves(const struct mappings *mappings)
{
    size_t i;

    for (i = 0; i < mappings->n; i++) {
        if (strcmp(mappings->mapping[i].text, mappings->mapping[i].name) != 0) {
            return true;
        }
    }
    return false;
}

static void redefine(struct file *file, const struct node *declaration, const struct macro *macro,
                     struct mappings *mappings, struct text *before, struct text *after)
{
    const char *text = rewritten(macro, mappings);

    if (!text) {
        return;
    }
    if (defined_twice(file, macro)) {
        tr_refuse_node(file, declaration, REFUSE_MACRO,
                       "'%s', which is defined twice, names variables that move", macro->name);
    } else if (macro->here && macro->begin >= declaration->begin &&
               macro->end <= declaration->end) {
        tr_replace_inline(file, macro->begin, macro->end, text);
    } else {
        tr_add(before, "#undef %s\n#define %s\n", macro->name, text);
        tr_add(after, "#undef %s\n#define %s\n", macro->name, macro->text);
    }
}

void tr_rewrite_macros(struct file *file, struct node *declaration, struct text *before,
                       struct text *after)
{
    struct mappings mappings = {0};
    struct macros macros = {0};
    size_t i;

    find_mappings(file, declaration, &mappings);
    if (!any_moves(&mappings)) {
        return;
    }
    for (i = 0; i < file->n_uses; i++) {
        if (file->uses[i].begin >= declaration->begin && file->uses[i].end <= declaration->end) {
            reach(file, &macros, file->uses[i].name, strlen(file->uses[i].name));
        }
    }
    for (i = 0; i < macros.n; i++) {
        redefine(file, declaration, macros.macro[i], &mappings, before, after);
    }
    for (i = 0; i < mappings.n; i++) {
        if ((!mappings.mapping[i].found || mappings.mapping[i].hidden) &&
            strcmp(mappings.mapping[i].text, mappings.mapping[i].name) != 0) {
            tr_refuse_node(file, mappings.mapping[i].node, REFUSE_MACRO,
                           "it names the variable '%s' in a way that is not understood",
                           mappings.mapping[i].name);
        }
    }
}
