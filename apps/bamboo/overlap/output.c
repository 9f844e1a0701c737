/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a rank: lines of words, for apps/bamboo/overlap/read.c. */
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
static void find_clock(char identity[64])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    gethostname(identity, 63);
    if (file != NULL) {
        (void) !fscanf(file, "%63s", identity);
        fclose(file);
    }
    if (overlap_clock != CLOCK_MONOTONIC) {
        snprintf(identity, 64, "process-%d", (int) getpid());
    }
}

void overlap_write_begin(const overlap_rank_t *rank)
{
    char number[16], identity[64] = "?";
    snprintf(number, sizeof(number), "%d", rank->rank);
    out = open_file(number);
    if (out == NULL) {
        return;
    }
    find_clock(identity);
    fprintf(out, "dame-overlap 2\nrank %d %d %s\n", rank->rank, rank->size, identity);
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
            fprintf(out, "code %" PRIuPTR " %" PRIuPTR " %" PRIuPTR " %s\n", low,
                    low + part->p_memsz, (uintptr_t) info->dlpi_addr, name);
        }
    }
    return 0;
}

static void write_sites(void)
{
    for (unsigned s = 0; s < overlap_nsites; s++) {
        const site_t *site = &overlap_sites[s];
        fprintf(out, "site %u %d %" PRIuPTR " %s\n", s, (int) site->class,
                site->pc == 0 ? 0 : site->pc - 1, site->function);
    }
}

static void write_part(const part_t *part)
{
    for (unsigned s = 0; s < overlap_nsites; s++) {
        const stats_t *stats = &part->stats[s];
        const traffic_t *traffic = &stats->traffic;
        if (stats->count > 0) {
            fprintf(out,
                    "calls %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                    " %" PRId64 " %" PRId64 "\n",
                    s, stats->count, stats->ns, stats->gap, stats->tests, traffic->sent,
                    traffic->sent_bytes, traffic->received, traffic->received_bytes);
        }
        const stretch_t *stretch = &part->stretches[s];
        if (stretch->gap + stretch->starts + stretch->waits > 0) {
            fprintf(out, "stretch %" PRId64 " %" PRId64 " %" PRId64 "\n", stretch->gap,
                    stretch->starts, stretch->waits);
        }
    }
}

static void write_channel(const channel_t *channel)
{
    if (channel->world < 0 || channel->count == 0) {
        return;
    }
    fprintf(out, "channel %d %d %d %d %" PRId64 " %" PRId64 " %" PRId64 "\n", channel->sends,
            channel->world, channel->tag, channel->size, channel->count, channel->bytes,
            channel->stride);
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
    fprintf(out, "run %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %" PRId64 " %" PRId64 "\n",
            rank->begin, rank->end, rank->cpu, rank->gaps, rank->finalized, rank->tests,
            rank->tests_ns);
    fprintf(out, "limits %" PRId64 " %" PRId64 " %d\n", rank->other_threads, messages_lost,
            messages_wild);
    write_sites();
    fputs("whole\n", out);
    write_part(&steps_whole);
    const part_t *steps = steps_longest();
    if (steps != NULL) {
        fprintf(out,
                "steps %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                "\n",
                steps->anchor, steps->steps, steps->begin, steps->end, steps_median(steps),
                steps->extra, steps->extra_ns);
        write_part(steps);
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
        fprintf(out, "costs %.0f %.0f %.0f %.0f\n", 1000 * rank->cost_ns, 1000 * rank->clock_ns,
                1000 * rank->message_ns, 1000 * rank->byte_ns);
    }
    if (ferror(out) != 0 || fclose(out) != 0) {
        fprintf(stderr, "dame overlap: what rank %d measured: write error\n", rank->rank);
    }
    out = NULL;
}
