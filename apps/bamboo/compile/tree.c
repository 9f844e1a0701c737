/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions about trees. */
#include "compile.h"

#include <string.h>

const node_t *tr_strip_casts(const node_t *node)
{
    while (node->n == 1 &&
           (node->kind == CXCursor_ParenExpr || node->kind == CXCursor_UnexposedExpr)) {
        node = node->child[0];
    }
    return node;
}

bool tr_is_loop(const node_t *node)
{
    return node->kind == CXCursor_ForStmt || node->kind == CXCursor_WhileStmt ||
           node->kind == CXCursor_DoStmt;
}

bool tr_is_branch(const node_t *parent, const node_t *child)
{
    switch (parent->kind) {
    case CXCursor_CompoundStmt:
        return true;
    case CXCursor_IfStmt:
        return child != parent->child[0];
    case CXCursor_WhileStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_ForStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
        return child == parent->child[parent->n - 1];
    case CXCursor_DoStmt:
        return child == parent->child[0];
    default:
        return false;
    }
}

const char *tr_node_text(const file_t *file, const node_t *node)
{
    return node->here && node->end <= file->size
               ? tr_copy_text(file->text + node->begin, node->end - node->begin)
               : "";
}

size_t tr_statement_end(const file_t *file, const node_t *statement)
{
    size_t at;

    switch (statement->kind) {
    case CXCursor_CompoundStmt:
    case CXCursor_DeclStmt:
    case CXCursor_NullStmt:
        return statement->end;
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
    case CXCursor_ForStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
        return tr_statement_end(file, statement->child[statement->n - 1]);
    default:
        at = tr_skip_blank(file, statement->end);
        return at < file->size && file->text[at] == ';' ? at + 1 : statement->end;
    }
}

bool tr_is_skipped(const file_t *file, size_t at)
{
    CXSourceRangeList *ranges = clang_getSkippedRanges(file->unit, file->main_file);
    unsigned i, begin, end;
    bool skipped = false;
    CXFile in;

    for (i = 0; ranges && i < ranges->count; i++) {
        clang_getFileLocation(clang_getRangeStart(ranges->ranges[i]), &in, NULL, NULL, &begin);
        clang_getFileLocation(clang_getRangeEnd(ranges->ranges[i]), &in, NULL, NULL, &end);
        skipped = skipped || (at > begin && at < end);
    }
    if (ranges) {
        clang_disposeSourceRangeList(ranges);
    }
    return skipped;
}

static size_t find_token(const file_t *file, size_t from, char what)
{
    size_t i;
    int depth = 0;

    for (i = 0; i < file->tokens.n; i++) {
        const token_t *token = &file->tokens.token[i];
        char c = file->text[token->begin];

        if (token->begin < from || token->kind != TOKEN_OTHER || token->directive) {
            continue;
        }
        if (depth == 0 && c == what) {
            return token->begin;
        }
        depth += strchr("([{", c) != NULL;
        depth -= strchr(")]}", c) != NULL;
    }
    return file->size;
}

void tr_for_header(const file_t *file, const node_t *statement, size_t header[4])
{
    header[3] = find_token(file, statement->begin, '(') + 1;
    header[0] = find_token(file, header[3], ';');
    header[1] = find_token(file, header[0] + 1, ';');
    header[2] = find_token(file, header[1] + 1, ')');
}

/* The child of a for statement that begins between two positions. */
node_t *tr_for_part(const node_t *statement, size_t begin, size_t end)
{
    size_t i;

    for (i = 0; i + 1 < statement->n; i++) {
        if (statement->child[i]->begin >= begin && statement->child[i]->begin < end) {
            return statement->child[i];
        }
    }
    return NULL;
}
