/* SPDX-License-Identifier: BSD-3-Clause */
#include "sarif.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

/* With ? for bytes beyond ASCII in a text that is not UTF-8, which JSON is. */
static json_t *text(const char *from)
{
    json_t *whole = json_string(from);
    char *copy = whole ? NULL : strdup(from), *c;

    for (c = copy; c && *c; c++) {
        if ((unsigned char) *c >= 0x80) {
            *c = '?';
        }
    }
    whole = copy ? json_string(copy) : whole;
    free(copy);
    return whole;
}

/* A path as a relative or file URI (RFC 3986). */
static json_t *uri(const char *path)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const unsigned char *c;
    json_t *value;

    if (!out) {
        return NULL;
    }
    fputs(path[0] == '/' ? "file://" : "", out);
    for (c = (const unsigned char *) path; *c; c++) {
        if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
            strchr("/._-~", *c)) {
            fputc(*c, out);
        } else {
            fprintf(out, "%%%02X", *c);
        }
    }
    value = fclose(out) == 0 ? json_string(text) : NULL;
    free(text);
    return value;
}

static json_t *rule_id(int refusal)
{
    return refusal ? json_sprintf("dame-refused-%d", refusal) : json_string("dame-datatype");
}

static const char *level(int refusal)
{
    return refusal ? "warning" : "note";
}

static void add_rule(json_t *rules, int refusal, const char *description)
{
    json_array_append_new(
        rules,
        c_checked(json_pack("{s:o, s:{s:s}, s:{s:s}}", "id", rule_id(refusal), "shortDescription",
                            "text", description, "defaultConfiguration", "level", level(refusal))));
}

void sarif_add(json_t *results, const char *path, unsigned line, unsigned column, int refusal,
               const char *message)
{
    json_t *region = json_pack("{s:i, s:i}", "startLine", (int) line, "startColumn", (int) column);
    json_t *place =
        json_pack("{s:{s:o}, s:o}", "artifactLocation", "uri", uri(path), "region", region);

    json_array_append_new(
        results, c_checked(json_pack("{s:o, s:s, s:{s:o}, s:[{s:o}]}", "ruleId", rule_id(refusal),
                                     "level", level(refusal), "message", "text", text(message),
                                     "locations", "physicalLocation", place)));
}

void sarif_print(json_t *results, FILE *out)
{
    json_t *rules = c_checked(json_array()), *log;

    add_rule(rules, 0, "A datatype moves this data without packing");
#define SHAPE_REFUSAL(number, name, text) add_rule(rules, number, text);
#define C_REFUSAL(number, name, text)     add_rule(rules, number, text);
#include "suggest/refusals.def"
#include "refusals.def"
#undef SHAPE_REFUSAL
#undef C_REFUSAL
    log = c_checked(json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:o}}, s:s, s:o}]}", "$schema",
                              "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                              "runs", "tool", "driver", "name", "dame suggest", "rules", rules,
                              "columnKind", "unicodeCodePoints", "results", results));
    json_dumpf(log, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(log);
}
