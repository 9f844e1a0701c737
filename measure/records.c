/* SPDX-License-Identifier: BSD-3-Clause */
#include "records.h"

#include <string.h>

#include "base/heap.h"
#include "dame/program.h"

enum { FIRST_ROOM = 64 };

static const int64_t LARGEST_MEAN = (int64_t) 1 << 40;
static const int64_t MOST_SAMPLES = 4096;

static int compare_kinds(const dame_profile_key_t *a, const dame_profile_key_t *b)
{
    int order = strcmp(a->kind, b->kind);
    order = order != 0 ? order : a->dir - b->dir;
    return order != 0 ? order : a->size_class - b->size_class;
}

static int compare_records(const dame_profile_key_t *a, const dame_profile_key_t *b)
{
    const int order = compare_kinds(a, b);
    return order != 0 ? order : strcmp(a->candidate, b->candidate);
}

/* The place of the first record that is not before `key`. */
static int32_t place_of_record(const dame_records_t *records, const dame_profile_key_t *key)
{
    int32_t low = 0;
    int32_t high = records->n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (compare_records(&records->at[middle].key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

dame_record_t *dame_records_find(const dame_records_t *records, const dame_profile_key_t *key)
{
    const int32_t place = place_of_record(records, key);
    return place < records->n && compare_records(&records->at[place].key, key) == 0
               ? &records->at[place]
               : NULL;
}

int dame_records_same_kind(const dame_profile_key_t *a, const dame_profile_key_t *b)
{
    return compare_kinds(a, b) == 0;
}

int32_t dame_records_of_kind(const dame_records_t *records, const dame_profile_key_t *key)
{
    dame_profile_key_t first = *key;
    first.candidate[0] = '\0';
    return place_of_record(records, &first);
}

static int grow_records(dame_records_t *records)
{
    const int32_t room = records->room == 0 ? FIRST_ROOM : 2 * records->room;
    dame_record_t *at = dame_heap_alloc((size_t) room * sizeof(*at));
    if (at == NULL) {
        return 0;
    }
    if (records->n > 0) {
        memcpy(at, records->at, (size_t) records->n * sizeof(*at));
    }
    dame_heap_free(records->at);
    records->at = at;
    records->room = room;
    return 1;
}

static int gives_way_before(const dame_record_t *a, const dame_record_t *b)
{
    return a->confirmed != b->confirmed ? a->confirmed < b->confirmed
                                        : a->known.samples < b->known.samples;
}

static void drop_oldest(dame_records_t *records)
{
    dame_record_t *oldest = &records->at[0];
    for (int32_t i = 1; i < records->n; i++) {
        oldest = gives_way_before(&records->at[i], oldest) ? &records->at[i] : oldest;
    }
    const dame_record_t *end = &records->at[records->n--];
    memmove(oldest, oldest + 1, (size_t) (end - oldest - 1) * sizeof(*oldest));
    records->dropped++;
}

void dame_records_confirm(dame_records_t *records, dame_record_t *record, int64_t confirmed)
{
    record->confirmed = confirmed;
    if (confirmed != DAME_NOW && confirmed > records->writes) {
        records->writes = confirmed;
    }
}

dame_record_t *dame_records_put(dame_records_t *records, const dame_profile_key_t *key)
{
    dame_record_t *record = dame_records_find(records, key);
    if (record != NULL) {
        return record;
    }
    if (records->n == DAME_PROFILE_RECORDS) {
        drop_oldest(records);
    } else if (records->n == records->room && !grow_records(records)) {
        return NULL;
    }
    const int32_t place = place_of_record(records, key);
    record = &records->at[place];
    memmove(record + 1, record, (size_t) (records->n - place) * sizeof(*record));
    memset(record, 0, sizeof(*record));
    record->key = *key;
    records->n++;
    return record;
}

void dame_records_free(dame_records_t *records)
{
    dame_heap_free(records->at);
    *records = (dame_records_t){0};
}

static int is_word(const char *word, size_t room)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:+._<=-";
    const size_t length = strnlen(word, room);
    return length > 0 && length < room && strspn(word, allowed) == length;
}

int dame_profile_key_valid(const dame_profile_key_t *key)
{
    return is_word(key->kind, sizeof(key->kind)) &&
           is_word(key->candidate, sizeof(key->candidate)) &&
           (key->dir == DAME_PACK || key->dir == DAME_UNPACK) && key->size_class >= 0 &&
           key->size_class < 32;
}

int dame_profile_value_valid(const dame_profile_value_t *value)
{
    return value->mean >= 0 && value->mean <= LARGEST_MEAN && value->samples >= 1 &&
           value->samples <= MOST_SAMPLES;
}

void dame_profile_value_add(dame_profile_value_t *to, const dame_profile_value_t *from)
{
    const int64_t samples = to->samples + from->samples;
    if (samples > 0) {
        to->mean = (to->mean * to->samples + from->mean * from->samples + samples / 2) / samples;
        to->samples = samples < MOST_SAMPLES ? samples : MOST_SAMPLES;
    }
}
