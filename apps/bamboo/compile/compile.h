/* SPDX-License-Identifier: BSD-3-Clause */
/* bamboocc: compiles programs so that their ranks are tasks. Files with directives are read as
 * trees with positions, for the rules of directives and for reordering; all others go to the
 * compiler as they are.
 *
 * Everything lives until the program ends; what does not fit into memory ends it with a message. */
#ifndef BAMBOO_COMPILE_COMPILE_H
#define BAMBOO_COMPILE_COMPILE_H

#include "shared/clang/ask.h"

#include <stddef.h>

/* ---- text.c: memory, strings, tokens ---- */

void *tr_alloc(size_t bytes);                                          /* zeroed */
char *tr_whole_file(const char *path, size_t *size, const char **why); /* as c_read_file() */
char *tr_format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
char *tr_copy_text(const char *begin, size_t length);
const char *tr_spelling(CXString string); /* disposes of STRING */
/* Room for one more element of an array that holds n. */
void *tr_grow(void *array, size_t n, size_t bytes);

typedef struct text {
    char *at; /* ends with '\0' */
    size_t n, room;
} text_t;
void tr_add_bytes(text_t *text, const char *bytes, size_t n);
void tr_add(text_t *text, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
size_t tr_count_lines(const char *begin, size_t n); /* newlines */

typedef enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_OTHER } token_kind_t;

/* Comments are none. */
typedef struct token {
    size_t begin, end;
    token_kind_t kind;
    bool directive; /* of a line that begins with # */
} token_t;

typedef struct tokens {
    token_t *token;
    size_t n;
} tokens_t;
tokens_t tr_tokens_of(const char *text, size_t begin, size_t end);
bool tr_token_is(const char *text, const token_t *token, const char *word);

typedef struct file file_t;
/* Behind blanks and comments. */
size_t tr_skip_blank(const file_t *file, size_t at);

/* ---- read.c: the only caller of libclang's parser ---- */

typedef struct function function_t;

typedef struct variable {
    const char *name;
    const char *key; /* the same for all declarations of one object */
    file_t *file;
    size_t offset; /* of the name in the file, when it is declared in the file's own text */
    CXType type;
    struct node *declaration; /* a local variable's or parameter's */
    bool automatic, parameter, defined;
} variable_t;

/* One cursor of libclang. */
typedef struct node {
    enum CXCursorKind kind;
    CXCursor cursor;
    struct node *parent;
    struct node **child;
    size_t n;
    size_t begin, end; /* in the file's text; where a macro is used, all of its use */
    bool here;         /* in the file's text, not in a header */
    bool spelled;      /* a name in the text at begin */
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    variable_t *variable; /* a declaration or a reference */
    function_t *callee;   /* a call, a reference */
} node_t;

typedef struct use { /* of a macro, in the file's text */
    const char *name;
    size_t begin, end;
} use_t;

typedef struct edit {
    size_t begin, end;
    const char *text;
} edit_t;

typedef struct file {
    const struct program *program;
    const char *path;
    CXTranslationUnit unit;
    CXFile main_file;
    char *text;
    size_t size;
    tokens_t tokens;
    node_t *
        *top; /* declarations, in their order; also those of headers that are not the system's */
    size_t n_top;
    use_t *uses;
    size_t n_uses;
    edit_t *edits; /* sorted, without overlap */
    size_t n_edits;
    const char *reordered; /* its text, or NULL */
} file_t;

typedef struct function {
    const char *name;
    const char *key;
    file_t *file; /* that defines it */
    node_t *definition, *body;
    node_t **calls; /* calls in its body */
    size_t n_calls;
    unsigned communicates; /* COMMUNICATES_..., itself or through others */
} function_t;

enum {
    COMMUNICATES_SEND = 1,
    COMMUNICATES_RECEIVE = 2,
    COMMUNICATES_COMPLETE = 4,
    COMMUNICATES_OTHER = 8
};

/* A #pragma bamboo. */
typedef enum directive_kind {
    DIRECTIVE_OLAP,
    DIRECTIVE_DIMENSION,
    DIRECTIVE_SEND,
    DIRECTIVE_RECEIVE
} directive_kind_t;

typedef struct layout {
    const char *name; /* of the runtime's enumeration */
    int dimension;
    size_t at;
} layout_t;

typedef struct directive {
    directive_kind_t kind;
    file_t *file;
    size_t begin, end; /* its line */
    int dimensions;
    layout_t *layouts;
    size_t n_layouts;
    node_t *statement;
    size_t statement_end;
    function_t *function;
    struct directive *region;
} directive_t;

typedef struct program {
    file_t **files;
    size_t n_files;
    function_t **functions;
    size_t n_functions;
    variable_t **variables;
    size_t n_variables;
    directive_t **directives;
    size_t n_directives;
    int dimensions; /* 0: none given */
    bool part;      /* of a program: another file may have its dimension */
} program_t;

/* Reads PATH. Returns NULL after a message. */
file_t *tr_read_file(program_t *program, const char *path, char **arguments, int n_arguments);

/* ---- tree.c ---- */

/* The position behind a statement, with its semicolon. */
size_t tr_statement_end(const file_t *file, const node_t *statement);
/* Do the file's conditionals leave it out? */
bool tr_is_skipped(const file_t *file, size_t at);
bool tr_is_loop(const node_t *node);
const node_t *tr_strip_casts(const node_t *node); /* without parentheses, casts and conversions */
/* The child of an if, for, while, do or switch statement that is its body or branch. */
bool tr_is_branch(const node_t *parent, const node_t *child);
/* [0] and [1]: the semicolons of a for statement's header, [2]: its closing parenthesis, [3]:
 * behind the opening one. */
void tr_for_header(const file_t *file, const node_t *statement, size_t header[4]);
/* The child of a for statement that begins between two positions. */
node_t *tr_for_part(const node_t *statement, size_t begin, size_t end);
const char *tr_node_text(const file_t *file, const node_t *node);

/* ---- diagnose.c ---- */

typedef enum refusal {
#define REFUSAL(number, name, text) REFUSE_##name = number,
#include "refusals.def"
} refusal_t;

/* file:line:column: error: ..., now or sorted by tr_report(). PATTERN is appended to the refusal's
 * text in the table. */
void tr_refuse(file_t *file, size_t at, refusal_t refusal, const char *pattern, ...)
    __attribute__((format(printf, 4, 5)));
void tr_refuse_node(file_t *file, const node_t *node, refusal_t refusal, const char *pattern, ...)
    __attribute__((format(printf, 4, 5)));
void tr_note(file_t *file, size_t at, const char *pattern, ...)
    __attribute__((format(printf, 3, 4)));
const char *tr_meaning(refusal_t refusal);
void tr_report_parser(const char *file, unsigned line, unsigned column, const char *text);
size_t tr_errors(void); /* so far */
/* Prints them, by file and position. Returns the number of errors. */
size_t tr_report(void);
void tr_print_refusals(void);
/* The line that compilers and debuggers are to name, and the file. */
void tr_presumed(const file_t *file, size_t at, const char **name, unsigned *line,
                 unsigned *column);

/* ---- program.c: what functions and expressions do ---- */

typedef enum access { ACCESS_READ, ACCESS_ESCAPES, ACCESS_WRITTEN } access_t;

void tr_analyse(program_t *program);
/* The use of the lvalue NODE: of a variable, or through it of a part. */
access_t tr_access_of(const node_t *node);
unsigned tr_call_communicates(const char *name);

/* ---- directives.c ---- */

/* Errors that can be reported before the parser's: words, order, number. */
void tr_read_directives(program_t *program, file_t *file);
void tr_place_directives(program_t *program);
void tr_check_directives(program_t *program);

/* ---- edit.c ---- */

void tr_replace(file_t *file, size_t begin, size_t end, const char *text);
const char *tr_render(const file_t *file, size_t begin, size_t end);

/* ---- reorder.c ---- */

/* Gives the file a text without directives, with sends before receives where this is safe. */
void tr_reorder(program_t *program, file_t *file);

/* ---- symbols.c ---- */

/* Reports what a linked program calls and tasks cannot. Returns whether there is nothing. */
bool tr_check_symbols(const char *object);

/* ---- compile.c ---- */

typedef struct command {
    const char *output; /* -o, or NULL */
    const char *emit;   /* a folder, or NULL */
    bool links;         /* else -c and the like */
    char **word;        /* for the MPI compiler, without -o */
    int n_words;
    char **parser; /* for libclang */
    int n_parser;
} command_t;

/* Compiles and links. Returns the exit status. */
int tr_compile(const program_t *program, const command_t *command);

#endif
