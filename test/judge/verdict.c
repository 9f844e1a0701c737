/* SPDX-License-Identifier: BSD-3-Clause */
#include "verdict.h"

#include <stdarg.h>
#include <stdio.h>

bool verdict_fail(verdict_t *verdict, judge_rule_t rule, uint32_t offset, const char *format, ...)
{
    if (verdict->rule == RULE_NONE) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(verdict->message, sizeof verdict->message, format, arguments);
        va_end(arguments);
        verdict->rule = rule;
        verdict->offset = offset;
    }
    return false;
}

static const struct {
    const char *name;
    const char *demand;
} rules[RULE_COUNT] = {{"none", ""},
#define JUDGE_RULE(name, what) {#name, what},
                       JUDGE_RULES(JUDGE_RULE)
#undef JUDGE_RULE
};

const char *judge_rule_name(judge_rule_t rule)
{
    return rules[rule].name;
}

const char *judge_rule_demand(judge_rule_t rule)
{
    return rules[rule].demand;
}
