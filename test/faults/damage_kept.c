/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that DAME keeps from job to job: code, and the profile. Each has a checksum. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "damage.h"
#include "base/heap.h"
#include "jit/cache_file.h"
#include "measure/records.h"

/* ---- code ----------------------------------------------------------------------------------- */

/* Key, entries and code are those of the original file, which ends with them. */
static int is_original(const dame_cache_contents_t *found)
{
    const size_t entries = (size_t) found->nentries * sizeof(found->entries[0]);
    const size_t all = found->key_size + entries + found->code_size;
    const char *end = damage_original + damage_size;
    return all < damage_size && memcmp(found->key, end - all, found->key_size) == 0 &&
           memcmp(found->entries, end - found->code_size - entries, entries) == 0 &&
           memcmp(found->code, end - found->code_size, found->code_size) == 0;
}

static int read_code(int same, char *why, size_t room)
{
    static _Alignas(16) char few[4096];
    const dame_cache_room_t memory = {few, sizeof(few)};
    dame_cache_contents_t found;
    int error = 0, good = 1;
    const int directory = open(damage_directory, O_RDONLY | O_DIRECTORY);
    for (int in_room = 0; in_room < 2; in_room++) {
        const char *fault =
            dame_cache_file_read(directory, damage_name, in_room ? &memory : NULL, &found, &error);
        if (fault == NULL && (!same || !is_original(&found))) {
            snprintf(why, room, "code of another file is taken");
            good = 0;
        } else if (fault != NULL && (same || *fault == '\0')) {
            snprintf(why, room, "it is refused: '%s'", fault);
            good = 0;
        }
        if (fault == NULL) {
            dame_heap_free(found.memory);
        }
    }
    close(directory);
    return good;
}

const damage_kind_t damage_code = {.name = "code", .read = read_code};

/* ---- the profile ---------------------------------------------------------------------------- */

static dame_records_t known;

static int same_records(const dame_records_t *a, const dame_records_t *b)
{
    for (int32_t i = 0; a->n == b->n && i < a->n; i++) {
        if (a->at[i].known.mean != b->at[i].known.mean ||
            a->at[i].known.samples != b->at[i].known.samples ||
            strcmp(a->at[i].key.kind, b->at[i].key.kind) != 0 ||
            strcmp(a->at[i].key.candidate, b->at[i].key.candidate) != 0) {
            return 0;
        }
    }
    return a->n == b->n;
}

static dame_profile_read_t read_into(dame_records_t *out, char *why, size_t room)
{
    char cpu[200];
    snprintf(cpu, sizeof(cpu), "%.*s", (int) strcspn(damage_name, "."), damage_name);
    return dame_profile_read(damage_path, cpu, out, why, room);
}

static int read_profile(int same, char *why, size_t room)
{
    dame_records_t found = {0};
    const dame_profile_read_t result = read_into(&found, why, room);
    if (same && known.n == 0) { /* the first one */
        known = found;
        return result == DAME_PROFILE_GOOD && known.n > 0;
    }
    const int taken = result == DAME_PROFILE_GOOD;
    const int said = *why != '\0' || result == DAME_PROFILE_NONE;
    const int good = taken ? same && same_records(&found, &known) : !same && said && found.n == 0;
    dame_records_free(&found);
    return good;
}

const damage_kind_t damage_profile = {.name = "profile", .read = read_profile};
