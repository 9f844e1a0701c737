/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as JSON. Times are microseconds, those of groups a step. */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/tool.h"

static double us(double ns)
{
    return ns / 1000;
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void write_row(const overlap_row_t *row, FILE *out)
{
    fprintf(
        out,
        "   \"step_us\": %.3f, \"compute_us\": %.3f, \"starts_us\": %.3f, \"receiving_us\": %.3f,\n"
        "   \"latency_us\": %.3f, \"late_us\": %.3f, \"collectives_us\": %.3f, \"other_us\": "
        "%.3f,\n"
        "   \"messages_sent\": %.3f, \"bytes_sent\": %.1f,\n",
        us(row->step), us(row->compute), us(row->starts), us(row->copies), us(row->wire),
        us(row->late), us(row->collectives), us(row->other), row->sent, row->bytes);
}

static void write_predictions(const char *name, const overlap_group_t *group,
                              const overlap_model_t *model, bool given, FILE *out)
{
    fprintf(out, "\"%s\": [", name);
    for (int f = 0; f < model->wishes->nfactors; f++) {
        const overlap_prediction_t *one = given ? &group->given[f] : &group->now[f];
        fprintf(out,
                "%s{\"vf\": %d, \"step_us\": %.3f, \"faster\": %.4f, \"hidden_us\": %.3f, "
                "\"cost_us\": %.3f}",
                f == 0 ? "" : ", ", one->factor, us(one->step),
                given ? overlap_given_faster(group, f) : overlap_faster(group, f), us(one->hidden),
                us(one->cost));
    }
    fputs("]", out);
}

static void write_call(const overlap_calls_t *call, const overlap_group_t *group,
                       const overlap_model_t *model, FILE *out)
{
    static const char *const classes[OVERLAP_CLASSES] = {"start", "wait", "collective", "other"};
    const int r = group->members[0].rank;
    const overlap_site_t *site = &model->ranks[r].sites[call->site];
    const overlap_waits_t *waits = &model->match->waits[r][call->site];
    double steps = group->phase < 0 ? 1 : (double) group->members[0].phase->steps;
    fputs("{\"call\": ", out);
    tool_json_string(out, site->function);
    fputs(", \"place\": ", out);
    tool_json_string(out, site->place);
    fprintf(out,
            ", \"class\": \"%s\", \"calls\": %" PRId64
            ", \"us\": %.3f, \"least_us\": %.3f, \"most_us\": %.3f, \"compute_before_us\": %.3f, "
            "\"sent\": %" PRId64 ", \"received\": %" PRId64 ", \"compared\": %" PRId64
            ", \"late\": ",
            classes[site->class], call->count, us((double) call->ns / steps),
            us((double) call->min), us((double) call->max), us((double) call->gap / steps),
            call->sent, call->received, waits->count);
    if (waits->ns > 0) {
        fprintf(out, "%.4f}", (double) waits->late / (double) waits->ns);
    } else {
        fputs("null}", out);
    }
}

static void write_calls(const overlap_group_t *group, const overlap_model_t *model, FILE *out)
{
    const overlap_phase_t *phase = group->members[0].phase;
    const overlap_calls_t **calls = malloc(((size_t) phase->ncalls + 1) * sizeof(*calls));
    int n = calls == NULL ? 0 : overlap_list_calls(group, model, true, calls);
    fputs("   \"calls\": [", out);
    for (int c = 0; c < n; c++) {
        fputs(c == 0 ? "\n    " : ",\n    ", out);
        write_call(calls[c], group, model, out);
    }
    fputs("],\n", out);
    free(calls);
}

static void write_group(const overlap_group_t *group, const overlap_model_t *model, FILE *out)
{
    const char *comma = "";
    fputs("  {\"ranks\": [", out);
    for (int m = 0; m < group->nmembers; m++) {
        fprintf(out, "%s%d", m == 0 ? "" : ", ", model->ranks[group->members[m].rank].rank);
    }
    fprintf(out, "], \"steps\": %.10g, \"share\": %.4f,\n", group->steps, group->share);
    fprintf(out, "   \"long_steps\": %.10g, \"long_share\": %.4f, \"ends_with\": ", group->extra,
            group->extra_share);
    if (group->anchor == NULL) {
        fputs("null", out);
    } else {
        fputs("{\"call\": ", out);
        tool_json_string(out, group->anchor->function);
        fputs(", \"place\": ", out);
        tool_json_string(out, group->anchor->place);
        fputs("}", out);
    }
    fprintf(out, ",\n   \"median_us\": %.3f, \"tenth_us\": %.3f, \"nine_tenths_us\": %.3f,\n",
            us(group->median), us(group->p10), us(group->p90));
    write_row(&group->mean, out);
    fprintf(out, "   \"late_by_comparing_ranks\": %s,\n", truth(group->guessed));
    write_calls(group, model, out);
    fputs("   ", out);
    write_predictions("predictions", group, model, false, out);
    if (model->wishes->network.given && !group->guessed) {
        fprintf(out, ",\n   \"given_network\": {\"step_us\": %.3f, \"latency_us\": %.3f, ",
                us(group->given_longest), us(group->mean.given_wire));
        write_predictions("predictions", group, model, true, out);
        fputs("}", out);
    }
    fprintf(out, ",\n   \"pays\": %s, \"reasons\": [", truth(group->pays));
    for (int bit = 0; bit < OVERLAP_REASONS; bit++) {
        if (group->reasons & 1U << bit) {
            fprintf(out, "%s\"%s\"", comma, overlap_reason_name(bit));
            comma = ", ";
        }
    }
    fputs("]}", out);
}

typedef struct notes {
    FILE *out;
    int n;
} notes_t;

static void write_note(const char *note, void *context)
{
    notes_t *notes = context;
    fputs(notes->n++ == 0 ? "\n  " : ",\n  ", notes->out);
    tool_json_string(notes->out, note);
}

static void write_costs(const overlap_model_t *model, FILE *out)
{
    double cost = 0, message = 0, byte = 0;
    int64_t calls = 0;
    for (int r = 0; r < model->nranks; r++) {
        const overlap_rank_t *rank = &model->ranks[r];
        cost += rank->cost_ns / model->nranks;
        message += rank->message_ns / model->nranks;
        byte += rank->byte_ns / model->nranks;
        for (int i = 0; i < rank->whole.ncalls; i++) {
            calls += rank->whole.calls[i].count;
        }
    }
    fprintf(out,
            " \"calls\": %" PRId64
            ", \"measuring_ns\": %.1f, \"message_ns\": %.1f, \"copy_ns_per_byte\": "
            "%.5f,\n \"compared_waits\": %" PRId64 ", \"one_way_us\": %.3f, \"hosts\": %d,\n",
            calls, cost, message, byte, model->match->compared, us(model->match->one_way_ns),
            model->match->hosts);
}

void overlap_json(const overlap_model_t *model, FILE *out)
{
    const overlap_network_t *network = &model->wishes->network;
    notes_t notes = {.out = out};
    fputs("{\"format\": 1, \"library\": ", out);
    tool_json_string(out, model->ranks[0].library);
    fprintf(out, ", \"ranks\": %d, \"measured_ranks\": %d, \"run_us\": %.3f,\n",
            model->ranks[0].size, model->nranks, us(model->run));
    write_costs(model, out);
    if (network->given) {
        fprintf(out,
                " \"given\": {\"latency_us\": %.3f, \"bandwidth_gb_s\": ", us(network->latency));
        if (network->byte_ns > 0) {
            fprintf(out, "%.4f},\n", 1 / network->byte_ns);
        } else {
            fputs("null},\n", out);
        }
    }
    fputs(" \"groups\": [\n", out);
    for (int g = 0; g < model->ngroups; g++) {
        write_group(&model->groups[g], model, out);
        fputs(g + 1 < model->ngroups ? ",\n" : "],\n", out);
    }
    fputs(" \"run\": [", out);
    for (int f = 0; f < model->wishes->nfactors; f++) {
        fprintf(out, "%s{\"vf\": %d, \"faster\": %.4f}", f == 0 ? "" : ", ",
                model->wishes->factors[f], model->faster[f]);
    }
    fprintf(out, "],\n \"verdict\": \"%s\", \"notes\": [", overlap_verdict_name(model->verdict));
    overlap_notes(model, write_note, &notes);
    fputs("]}\n", out);
}
