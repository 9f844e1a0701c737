/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a rank: lines of words, for apps/overlap/read.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "messages.h"
#include "overlap.h"
#include "steps.h"

static FILE *out;

static FILE *open_file(const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s.%s", getenv("DAME_OVERLAP"), suffix);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        fprintf(stderr, "dame overlap: %s: %s\n", path, strerror(errno));
    }
    return file;
}

void overlap_write_refusal(const char *library)
{
    FILE *file = open_file("refused");
    if (file != NULL) {
        fprintf(file, "%s\n", library);
        fclose(file);
    }
}

/* Ranks with the same identity have the same clock. */
static void write_host(void)
{
    char name[256] = "?", boot[64] = "?";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    gethostname(name, sizeof(name) - 1);
    if (file != NULL) {
        if (fscanf(file, "%63s", boot) != 1) {
            snprintf(boot, sizeof(boot), "%.60s", name);
        }
        fclose(file);
    }
    if (overlap_clock != CLOCK_MONOTONIC) {
        snprintf(boot, sizeof(boot), "process-%d", (int) getpid());
    }
    fprintf(out, "host %s %s\n", boot, name);
}

void overlap_write_begin(const overlap_rank_t *rank)
{
    char number[16];
    snprintf(number, sizeof(number), "%d", rank->rank);
    out = open_file(number);
    if (out == NULL) {
        return;
    }
    fprintf(out, "dame-overlap 1\nrank %d size %d\nlibrary %s\n", rank->rank, rank->size,
            rank->library);
    write_host();
    fflush(out);
}

/* Where code lies, for the places of calls. */
static int write_module(struct dl_phdr_info *info, size_t size, void *context)
{
    char self[4096] = "";
    const char *name = info->dlpi_name;
    (void) size;
    (void) context;
    if (name[0] == '\0') { /* the program */
        ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
        self[n > 0 ? n : 0] = '\0';
        name = self;
    }
    for (int i = 0; i < info->dlpi_phnum && name[0] == '/'; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
            uintptr_t low = info->dlpi_addr + part->p_vaddr;
            fprintf(out, "code %" PRIxPTR " %" PRIxPTR " %" PRIxPTR " %s\n", low,
                    low + part->p_memsz, (uintptr_t) info->dlpi_addr, name);
        }
    }
    return 0;
}

static void write_sites(void)
{
    for (unsigned s = 0; s < overlap_nsites; s++) {
        const site_t *site = &overlap_sites[s];
        fprintf(out, "site %u %d %" PRIxPTR " %s\n", s, (int) site->class,
                site->pc == 0 ? 0 : site->pc - 1, site->function);
    }
}

static void write_phase(const phase_t *phase)
{
    for (unsigned s = 0; s < overlap_nsites; s++) {
        const stats_t *stats = &phase->stats[s];
        const traffic_t *traffic = &stats->traffic;
        if (stats->count > 0) {
            fprintf(out,
                    "calls %u %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                    " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                    s, stats->order, stats->count, stats->ns, stats->min, stats->max, stats->gap,
                    stats->tests, traffic->sent, traffic->sent_bytes, traffic->received,
                    traffic->received_bytes);
        }
        const stretch_t *stretch = &phase->stretches[s];
        if (stretch->count > 0) {
            fprintf(out, "stretch %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", s,
                    stretch->count, stretch->gap, stretch->starts, stretch->waits);
        }
    }
}

static void write_channel(const channel_t *channel)
{
    if (channel->world < 0 || channel->count == 0) {
        return;
    }
    fprintf(out, "channel %s %d %d %d %" PRId64 " %" PRId64 " %" PRId64 "\n",
            channel->sends ? "to" : "from", channel->world, channel->tag, channel->size,
            channel->count, channel->bytes, channel->stride);
    for (int64_t n = 0;
         channel->samples != NULL && n < SAMPLES && n * channel->stride < channel->count; n++) {
        const sample_t *sample = &channel->samples[n];
        fprintf(out, "at %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu32 "\n", sample->ready,
                sample->begin, sample->end, sample->site);
    }
}

void overlap_write(const overlap_rank_t *rank)
{
    if (out == NULL) {
        return;
    }
    dl_iterate_phdr(write_module, NULL);
    fprintf(out, "run %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d\n", rank->begin, rank->end,
            rank->cpu, rank->gaps, rank->finalized);
    fprintf(out, "tests %" PRId64 " %" PRId64 "\n", rank->tests, rank->tests_ns);
    fprintf(out, "limits %" PRId64 " %" PRId64 " %d\n", rank->other_threads, messages_lost,
            messages_wild);
    write_sites();
    fputs("whole\n", out);
    write_phase(&steps_whole);
    for (int p = 0; p < steps_nphases; p++) {
        const phase_t *phase = &steps_phases[p];
        fprintf(out,
                "steps %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                phase->anchor, phase->steps, phase->same, phase->begin, phase->end, phase->min,
                phase->max, steps_quantile(phase, 0.1), steps_quantile(phase, 0.5),
                steps_quantile(phase, 0.9), phase->extra, phase->extra_ns);
        write_phase(phase);
    }
    for (int c = 0; c < messages_nchannels; c++) {
        write_channel(&messages_channels[c]);
    }
    fputs("complete\n", out);
    fflush(out);
}

/* The costs, which may be missing: to measure them takes MPI calls. */
void overlap_write_end(const overlap_rank_t *rank)
{
    if (out == NULL) {
        return;
    }
    if (rank->message_ns > 0) {
        fprintf(out, "costs %.3f %.3f %.3f %.6f\n", rank->cost_ns, rank->clock_ns, rank->message_ns,
                rank->byte_ns);
    }
    if (ferror(out) != 0 || fclose(out) != 0) {
        fprintf(stderr, "dame overlap: what rank %d measured: write error\n", rank->rank);
    }
    out = NULL;
}
