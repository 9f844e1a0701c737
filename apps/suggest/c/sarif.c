/* SPDX-License-Identifier: BSD-3-Clause */
#include "sarif.h"

#include <string.h>

static void text(FILE *out, const char *from)
{
    const unsigned char *c;

    fputc('"', out);
    for (c = (const unsigned char *) from; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c < 0x20) {
            fprintf(out, "\\u%04x", *c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

/* A path as a relative or file URI (RFC 3986). */
static void uri(FILE *out, const char *path)
{
    const unsigned char *c;

    fputs(path[0] == '/' ? "\"file://" : "\"", out);
    for (c = (const unsigned char *) path; *c; c++) {
        if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
            strchr("/._-~", *c)) {
            fputc(*c, out);
        } else {
            fprintf(out, "%%%02X", *c);
        }
    }
    fputc('"', out);
}

static void rule(FILE *out, int number, const char *description, bool first)
{
    fprintf(out, "%s\n          {\"id\": \"dame-%s", first ? "" : ",",
            number ? "refused-" : "datatype");
    if (number) {
        fprintf(out, "%d", number);
    }
    fputs("\", \"shortDescription\": {\"text\": ", out);
    text(out, description);
    fprintf(out, "}, \"defaultConfiguration\": {\"level\": \"%s\"}}", number ? "warning" : "note");
}

void sarif_begin(FILE *out)
{
    fputs("{\n"
          "  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
          "  \"version\": \"2.1.0\",\n"
          "  \"runs\": [\n"
          "    {\n"
          "      \"tool\": {\n"
          "        \"driver\": {\n"
          "          \"name\": \"dame suggest\",\n"
          "          \"rules\": [",
          out);
    rule(out, 0, "A datatype moves this data without packing", true);
#define SHAPE_REFUSAL(number, name, text) rule(out, number, text, false);
#define C_REFUSAL(number, name, text)     rule(out, number, text, false);
#include "apps/suggest/refusals.def"
#include "refusals.def"
#undef SHAPE_REFUSAL
#undef C_REFUSAL
    fputs("\n          ]\n        }\n      },\n      \"columnKind\": \"unicodeCodePoints\",\n"
          "      \"results\": [",
          out);
}

void sarif_result(FILE *out, bool first, const char *path, unsigned line, unsigned column,
                  int refusal, const char *message)
{
    fprintf(out, "%s\n        {\"ruleId\": \"dame-%s", first ? "" : ",",
            refusal ? "refused-" : "datatype");
    if (refusal) {
        fprintf(out, "%d", refusal);
    }
    fprintf(out, "\", \"level\": \"%s\", \"message\": {\"text\": ", refusal ? "warning" : "note");
    text(out, message);
    fputs("},\n         \"locations\": [{\"physicalLocation\": {\"artifactLocation\": {\"uri\": ",
          out);
    uri(out, path);
    fprintf(out, "}, \"region\": {\"startLine\": %u, \"startColumn\": %u}}}]}", line, column);
}

void sarif_end(FILE *out)
{
    fputs("\n      ]\n    }\n  ]\n}\n", out);
}
