/* Which times opal-glue/tally.c believes; without Open MPI. */
#include <stdlib.h>

#include "opal-glue/contents.h"
#include "opal-glue/table.h"
#include "opal-glue/tally.h"
#include "opal-glue/words.h"

#include "checks.h"

/* ---- what tally.c asks others for ----------------------------------------------------------- */

const char *dt_contents_name(const struct opal_datatype_t *datatype)
{
    (void) datatype;
    return "";
}

void dt_words_of_layout(const dame_program_t *program, char *text, size_t room)
{
    (void) snprintf(text, room, "%d levels", (int) program->nprims);
}

_Atomic(dt_buckets_t *) dt_table_buckets; /* an empty table */
bool dt_entries_are_wide;

void dt_stats_of_tally(const dt_tally_t *tally, int64_t uses[DT_WORKS][DT_TIERS],
                       int64_t bytes[DT_WORKS][DT_TIERS])
{
    for (int i = 0; i < DT_WORKS * DT_TIERS; i++) {
        const dt_moved_t *moved = &tally->moved[i / DT_TIERS][i % DT_TIERS];
        uses[i / DT_TIERS][i % DT_TIERS] = moved->uses;
        bytes[i / DT_TIERS][i % DT_TIERS] = moved->bytes;
    }
}

/* ---- */

enum { BYTES = 1000, USUAL = 3000 };

/* Adds samples of BYTES each, `early` of them early; returns the nanoseconds for a byte. */
static double rate(int n, int early, const int64_t ns[])
{
    dame_program_t program = {.size = BYTES};
    dt_tally_row_t row;
    dt_tally_start(true);
    dt_tally_t *tally = dt_tally_of(NULL, &program);
    for (int i = 0; i < n; i++) {
        dt_tally_add(tally, DT_UNPACK, DT_INTERP, 1, BYTES);
        dt_moved_add(&tally->moved[DT_UNPACK][DT_INTERP], ns[i], BYTES, i < early);
    }
    check(1 == dt_tally_rows(&row, 1), "one row");
    check(row.moved[DT_PACK][DT_INTERP].ns_per_byte < 0, "a rate without a sample");
    dt_tally_stop();
    return row.moved[DT_UNPACK][DT_INTERP].ns_per_byte;
}

/* Memory that nobody has touched makes the first uses of many tallies hundreds of times as dear. */
static void early_samples_count_until_there_are_others(void)
{
    const int64_t fault = 200 * USUAL;
    check(200.0 * USUAL / BYTES == rate(1, 1, (int64_t[]){fault}), "an early one alone");
    check(1.0 * USUAL / BYTES == rate(2, 1, (int64_t[]){fault, USUAL}), "one before another");
    check(1.0 * USUAL / BYTES == rate(4, 3, (int64_t[]){fault, fault, fault, USUAL}), "three");
    check(2.0 * USUAL / BYTES == rate(3, 1, (int64_t[]){fault, USUAL, 3 * USUAL}), "before two");
}

static void times_in_which_the_cpu_was_away_do_not_count(void)
{
    const int64_t away = 1000 * USUAL;
    check(1.0 * USUAL / BYTES == rate(2, 0, (int64_t[]){away, USUAL}), "one of two");
    check(1.0 * USUAL / BYTES == rate(3, 0, (int64_t[]){USUAL, away, USUAL}), "one of three");
    check(1.0 * USUAL / BYTES == rate(4, 0, (int64_t[]){away, USUAL, USUAL, away}), "two of four");
}

int main(void)
{
    early_samples_count_until_there_are_others();
    times_in_which_the_cpu_was_away_do_not_count();
    printf("%ld passed, %ld failed\n", passed, failed);
    return 0 != failed;
}
