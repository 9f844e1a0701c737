/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <inttypes.h>
#include <string.h>

const char *text_number(char *buffer, int64_t number)
{
    char digits[TEXT_NUMBER];
    int n = snprintf(digits, sizeof(digits), "%" PRId64, number);
    int sign = digits[0] == '-';
    char *out = buffer;
    for (int i = 0; i < n; i++) {
        if (i > sign && (n - i) % 3 == 0) {
            *out++ = ',';
        }
        *out++ = digits[i];
    }
    *out = '\0';
    return buffer;
}

const char *text_bytes(char *buffer, int64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 10000) {
        char number[TEXT_NUMBER];
        snprintf(buffer, TEXT_NUMBER, "%s byte%s", text_number(number, bytes),
                 bytes == 1 ? "" : "s");
        return buffer;
    }
    double value = (double) bytes / 1000;
    int unit = 0;
    for (; value >= 999.5; unit++) {
        value /= 1000;
    }
    snprintf(buffer, TEXT_NUMBER, value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return buffer;
}

const char *text_digits(char *buffer, double value, const char *unit)
{
    const double size = value < 0 ? -value : value;
    snprintf(buffer, TEXT_NUMBER, size >= 0.001 && size < 99.95 ? "%#.3g %s" : "%.3g %s", value,
             unit);
    return buffer;
}

const char *text_time(char *buffer, double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    for (; unit < 3 && (ns >= 999.5 || ns <= -999.5); unit++) {
        ns /= 1000;
    }
    return text_digits(buffer, ns, units[unit]);
}

const char *text_plural(int64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

int text_sequence(const char *text)
{
    const unsigned char *c = (const unsigned char *) text;
    int n = *c < 0x80                 ? 1
            : *c >= 0xc2 && *c < 0xe0 ? 2
            : *c >= 0xe0 && *c < 0xf0 ? 3
            : *c >= 0xf0 && *c < 0xf5 ? 4
                                      : 0;
    for (int i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* overlong forms, surrogates and what lies beyond Unicode */
    if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] >= 0xa0) ||
        (*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] >= 0x90) ||
        (*c == 0xef && c[1] == 0xbf && c[2] >= 0xbe)) {
        return 0;
    }
    return n;
}

void text_xml(const char *text, FILE *out)
{
    for (const unsigned char *c = (const unsigned char *) text; *c != '\0';) {
        int n = text_sequence((const char *) c);
        if (n == 0 || *c < ' ') {
            fputc('?', out);
        } else if (*c == '<') {
            fputs("&lt;", out);
        } else if (*c == '&') {
            fputs("&amp;", out);
        } else {
            fwrite(c, 1, (size_t) n, out);
        }
        c += n > 0 ? n : 1;
    }
}

size_t text_fit(const char *text, int64_t room)
{
    size_t used = 0, words = 0;
    while (text[used] != '\0') {
        int n = text_sequence(text + used);
        room -= n >= 3 ? 2 : 1;
        if (text[used] == ' ') {
            words = used;
        }
        if (room < 0) {
            return words > 0 ? words : used;
        }
        used += n > 0 ? (size_t) n : 1;
    }
    return used;
}
