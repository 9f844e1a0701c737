/* SPDX-License-Identifier: BSD-3-Clause */
/* bamboocc: a program's files as trees with positions, facts about its functions and variables, and
 * the edits that make tasks of them.
 *
 * Everything lives until the program ends; what does not fit into memory ends it with a message. */
#ifndef BAMBOO_TRANSLATE_TRANSLATE_H
#define BAMBOO_TRANSLATE_TRANSLATE_H

#include "apps/clang/ask.h"

#include <stddef.h>

/* ---- text.c: memory, strings, tokens ---- */

void *tr_alloc(size_t bytes); /* zeroed */
char *tr_whole_file(const char *path, size_t *size, const char **why); /* as c_read_file() */
char *tr_format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
char *tr_copy_text(const char *begin, size_t length);
const char *tr_spelling(CXString string); /* disposes of STRING */
const char *tr_type_text(CXType type);
/* Room for one more element of an array that holds n. */
void *tr_grow(void *array, size_t n, size_t bytes);

struct text {
    char *at; /* ends with '\0' */
    size_t n, room;
};
void tr_add_bytes(struct text *text, const char *bytes, size_t n);
void tr_add(struct text *text, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
size_t tr_count_lines(const char *begin, size_t n); /* newlines */

enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_OTHER };

/* Comments are none. */
struct token {
    size_t begin, end;
    enum token_kind kind;
    bool directive; /* of a line that begins with # */
};

struct tokens {
    struct token *token;
    size_t n;
};
struct tokens tr_tokens_of(const char *text, size_t begin, size_t end);
bool tr_token_is(const char *text, const struct token *token, const char *word);

struct file;
/* Behind blanks and comments. */
size_t tr_skip_blank(const struct file *file, size_t at);

/* ---- read.c: the only caller of libclang's parser ---- */

struct function;

struct variable {
    const char *name;
    const char *key; /* the same for all declarations of one object */
    struct file *file;
    size_t offset; /* of the name in the file, when it is declared in the file's own text */
    CXType type;
    struct node *declaration;  /* a local variable's or parameter's */
    struct function *function; /* the function of the local variable */
    bool automatic, parameter, thread, external;
    int number; /* of a parameter */
    bool in_header, in_macro, defined, incomplete;
    /* Found by program.c: */
    bool written;          /* or perhaps written */
    bool per_task;         /* static storage: every task has its own */
    bool framed;           /* automatic: lives in the function's frame */
    bool address_taken;    /* or, of an array, more than elements are named */
    bool spilled;          /* framed, and a C variable between waits */
    const char *text;      /* its replacement in the translation */
    const char *task_name; /* of the array, when per_task */
    const char *member;
};

/* One cursor of libclang. */
struct node {
    enum CXCursorKind kind;
    CXCursor cursor;
    struct node *parent;
    struct node **child;
    size_t n;
    size_t begin, end; /* in the file's text; where a macro is used, all of its use */
    bool here;         /* in the file's text, not in a header */
    bool spelled;      /* a name in the text at begin */
    bool in_macro;     /* the first token comes from a macro's body */
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    struct variable *variable; /* a declaration or a reference */
    struct function *callee;   /* a call, a reference */
    bool waits;                /* contains a waiting call */
};

struct declaration {
    struct node *node;
    struct function *function;
    struct variable *variable;
    bool definition;
};

struct macro {
    const char *name;
    const char *text; /* from the name on */
    struct tokens tokens; /* of it */
    size_t begin, end;
    bool here, function_like;
};

struct use { /* of a macro, in the file's text */
    const char *name;
    size_t begin, end;
};

struct edit {
    size_t begin, end;
    const char *text;
};

struct file {
    const struct program *program;
    const char *path;
    CXTranslationUnit unit;
    CXFile main_file;
    char *text;
    size_t size;
    struct tokens tokens;
    struct node *
        *top; /* declarations, in their order; also those of headers that are not the system's */
    size_t n_top;
    struct declaration *declarations; /* of functions and variables outside of functions, here */
    size_t n_declarations;
    struct macro *macros;
    size_t n_macros;
    struct use *uses;
    size_t n_uses;
    size_t include;     /* where bamboo_mpi.h is included */
    struct edit *edits; /* sorted, without overlap */
    size_t n_edits;
    bool needs_string;
    const char *translation;
};

struct function {
    const char *name;
    const char *key;
    struct file *file; /* that defines it */
    struct node *definition, *body;
    CXCursor cursor; /* of any declaration */
    bool is_static, in_header, defined_in_header, variadic, is_main, declared_before;
    struct node **calls; /* calls in its body */
    size_t n_calls;
    struct node **references; /* to it that are not calls */
    size_t n_references;
    struct variable **locals; /* parameters first */
    size_t n_locals, n_parameters;
    bool resumable;
    bool visited, reached;
    bool unfit;            /* its text cannot be rewritten; that has been reported */
    unsigned communicates; /* COMMUNICATES_..., itself or through others */
    /* Of its translation: */
    const char *task_name, *frame, *face;
    const char *self, *frame_name,
        *local;         /* names of its pointers to the frame, and of spilled values */
    const char *prefix; /* of parameters and result in the frame */
    const char *first;  /* the frame's member that the caller fills */
    struct text members, types, values; /* values: of spilled variables */
    bool spills;
    const char **member;
    size_t n_members;
    int n_waits;
    const char *after; /* wait.c: what follows the statement that is being rewritten */
};

enum {
    COMMUNICATES_SEND = 1,
    COMMUNICATES_RECEIVE = 2,
    COMMUNICATES_COMPLETE = 4,
    COMMUNICATES_OTHER = 8
};

/* A #pragma bamboo. */
enum directive_kind { DIRECTIVE_OLAP, DIRECTIVE_DIMENSION, DIRECTIVE_SEND, DIRECTIVE_RECEIVE };

struct layout {
    const char *name; /* of the runtime's enumeration */
    int dimension;
    size_t at;
};

struct directive {
    enum directive_kind kind;
    struct file *file;
    size_t begin, end; /* its line */
    int dimensions;
    struct layout *layouts;
    size_t n_layouts;
    struct node *statement;
    size_t statement_end;
    struct function *function;
    struct directive *region;
};

struct program {
    struct file **files;
    size_t n_files;
    struct function **functions;
    size_t n_functions;
    struct variable **variables;
    size_t n_variables;
    struct directive **directives;
    size_t n_directives;
    struct function *main;
    int dimensions; /* 0: none given */
    int vf_max;
    const char *vf_text;
};

/* Reads PATH, or TEXT in its place. Returns NULL after a message. */
struct file *tr_read_file(struct program *program, const char *path, const char *text,
                       char **arguments, int n_arguments);
struct variable *tr_find_variable(struct program *program, const char *key);

/* ---- tree.c ---- */

/* The position behind a statement, with its semicolon. */
size_t tr_statement_end(const struct file *file, const struct node *statement);
/* Do the file's conditionals leave it out? */
bool tr_is_skipped(const struct file *file, size_t at);
bool tr_is_loop(const struct node *node);
const struct node *
tr_strip_casts(const struct node *node); /* without parentheses, casts and conversions */
/* The child of an if, for, while, do or switch statement that is its body or branch. */
bool tr_is_branch(const struct node *parent, const struct node *child);
struct node *tr_ancestor_statement(struct node *node);
/* Is it an argument of a macro's use? */
bool tr_inside_use(const struct file *file, const struct node *node);
const char *tr_node_text(const struct file *file, const struct node *node);

/* ---- diagnose.c ---- */

enum refusal {
#define REFUSAL(number, name, text) REFUSE_##name = number,
#include "refusals.def"
};

/* file:line:column: error: ..., now or sorted by tr_report(). PATTERN is appended to the refusal's
 * text in the table. */
void tr_refuse(struct file *file, size_t at, enum refusal refusal, const char *pattern, ...)
    __attribute__((format(printf, 4, 5)));
void tr_refuse_node(struct file *file, const struct node *node, enum refusal refusal,
                    const char *pattern, ...) __attribute__((format(printf, 4, 5)));
void tr_note(struct file *file, size_t at, const char *pattern, ...)
    __attribute__((format(printf, 3, 4)));
void tr_report_parser(const char *file, unsigned line, unsigned column, const char *text);
size_t tr_errors(void); /* so far */
/* Prints them, by file and position. Returns the number of errors. */
size_t tr_report(void);
void tr_print_refusals(void);
/* The line that compilers and debuggers are to name, and the file. */
void tr_presumed(const struct file *file, size_t at, const char **name, unsigned *line,
                 unsigned *column);

/* ---- calls.c: facts about calls by name ---- */

enum call_kind {
    CALL_OTHER,
    CALL_SUSPENDS,
    CALL_AT_ONCE,
    CALL_PASSES,
    CALL_UNKNOWN_MPI,
    CALL_EXIT,
    CALL_LIBC
};

enum call_kind tr_call_kind(const char *name, const char **advice);
unsigned tr_call_communicates(const char *name);

/* ---- program.c: which functions are resumable, which variables every task has for itself ---- */

enum access { ACCESS_READ, ACCESS_ESCAPES, ACCESS_WRITTEN };

void tr_analyse(struct program *program);
/* The use of the lvalue NODE: of a variable, or through it of a part. */
enum access tr_access_of(const struct node *node);
bool tr_is_waiting_call(const struct node *call);

/* ---- directives.c ---- */

/* Errors that can be reported before the parser's: words, order, number. */
void tr_read_directives(struct program *program, struct file *file);
void tr_place_directives(struct program *program);
void tr_check_directives(struct program *program);

/* ---- check.c: what the translation would get wrong ---- */

void tr_check_program(struct program *program);
void tr_check_names(struct program *program, struct file *file); /* after the edits */

/* ---- edit.c ---- */

void tr_replace(struct file *file, size_t begin, size_t end, const char *text);
/* As tr_replace(), for text that may not get a #line. */
void tr_replace_inline(struct file *file, size_t begin, size_t end, const char *text);
const char *tr_render(const struct file *file, size_t begin, size_t end);
bool tr_is_edited(const struct file *file, size_t begin);

/* ---- reorder.c ---- */

/* The source without directives, with sends before receives where this is safe. */
const char *tr_reorder(struct program *program, struct file *file);

/* ---- frame.c: names, and which variables frames hold ---- */

void tr_plan_frames(struct program *program);
/* The first of the names, which end with NULL, that is not in use in the function or a macro. */
const char *tr_free_name(const struct function *function, const char *const *names);
/* A member without a variable in the text; returns its replacement. */
const char *tr_frame_member(struct function *function, const char *name, const char *type);
const char *tr_declared(const char *type, const char *name);
/* The struct of a function that others call by a prototype, with the types of DECLARATION's file.
 */
const char *tr_face_definition(const struct function *function, CXCursor declaration);
const char *tr_frame_definition(struct function *function);

/* ---- declare.c ---- */

const struct node *tr_initialiser_of(const struct node *variable);
void tr_declare_locals(struct function *function, struct node *statement);
void tr_declare_in_for(struct function *function, struct node *statement);
void tr_declare_static(struct program *program, struct file *file, struct node *node);

/* ---- wait.c ---- */

/* The statements before an initialiser with calls that may wait, and those after it. */
const char *tr_lift_initialiser(struct function *function, const struct node *initialiser);
const char *tr_lifted_after(const struct function *function);
/* [0] and [1]: the header's semicolons, [2]: its closing parenthesis, [3]: behind the opening one.
 */
void tr_for_header(const struct file *file, const struct node *statement, size_t header[4]);
struct node *tr_for_part(const struct node *statement, size_t begin, size_t end);
void tr_rewrite_body(struct function *function);

/* ---- macros.c ---- */

/* Around a declaration in which macros name variables: macros that name their replacements. BEFORE
 * and AFTER get text. */
void tr_rewrite_macros(struct file *file, struct node *declaration, struct text *before,
                       struct text *after);

/* ---- emit.c ---- */

void tr_translate_file(struct program *program, struct file *file);

/* ---- compile.c ---- */

struct command {
    const char *output; /* -o, or NULL */
    const char *emit;   /* a folder, or NULL */
    bool compile_only;  /* -c */
    char **parser;      /* arguments for libclang */
    int n_parser;
    char **compiler; /* for the MPI compiler */
    int n_compiler;
};

/* Writes the translations, and compiles them. Returns the exit status. */
int tr_finish(struct program *program, const struct command *command);

#endif
