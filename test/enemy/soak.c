/* SPDX-License-Identifier: BSD-3-Clause */
#include "soak.h"

#include "play.h"

#include <dirent.h>
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "test/mpi/mpi_check.h"
#include "test/mpi/pvar.h"

enum { MINUTE = 60 };

static int entries(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;
    if (dir == NULL) {
        return -1;
    }
    while (readdir(dir) != NULL) {
        n++;
    }
    closedir(dir);
    return n - 2;
}

static int mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    int n = 0, c;
    while (maps != NULL && (c = getc(maps)) != EOF) {
        n += '\n' == c;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
}

/* By malloc(), in all arenas. */
static long long allocated_kib(void)
{
#if __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();
#else
    const struct mallinfo info = mallinfo(); /* up to 2 GiB */
#endif
    return ((long long) info.uordblks + (long long) info.hblkhd) / 1024;
}

/* By DAME; 0 without it. */
static long long moved(void)
{
    const long long packed = pvar_read("dt_dame_messages_packed");
    return packed < 0 ? 0 : packed + pvar_read("dt_dame_messages_unpacked");
}

/* Of this rank: every rank does the same. */
static void print_line(const soak_t *s, double now)
{
    printf("%6.1f min: %lld programs, %lld types, %lld steps, %lld messages, %lld bytes, %lld "
           "promotions, "
           "%lld evictions, %lld differences; %ld KiB resident, %lld KiB allocated, %d mappings, "
           "%d descriptors, %d in "
           "/dev/shm, %d in its directory\n",
           (now - s->begun) / MINUTE, s->programs, s->types, s->steps, moved(),
           pvar_read("dt_dame_bytes_packed") + pvar_read("dt_dame_bytes_unpacked"),
           pvar_read("dt_dame_compiled_pack") + pvar_read("dt_dame_compiled_unpack"),
           pvar_read("dt_dame_code_evicted"), s->differences, resident_kib(), allocated_kib(),
           mappings(), entries("/proc/self/fd"), entries("/dev/shm"),
           rules.directory == NULL ? 0 : entries(rules.directory));
    fflush(stdout);
}

void soak_begin(soak_t *soak, double minutes, int rank)
{
    *soak = (soak_t){.rank = rank, .runs = minutes > 0, .begun = MPI_Wtime()};
    soak->ends = soak->begun + minutes * MINUTE;
    soak->next = soak->begun;
    pvar_start("dt_dame_");
}

bool soak_goes_on(soak_t *soak)
{
    const double now = MPI_Wtime();
    int more = now < soak->ends;
    if (soak->rank == 0 && now >= soak->next) {
        print_line(soak, now);
        soak->next = now + MINUTE;
    }
    soak->programs++;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return more;
}

void soak_end(soak_t *soak)
{
    soak->programs--;
    if (soak->runs && soak->rank == 0) {
        print_line(soak, MPI_Wtime());
    }
    if (soak->rank == 0) {
        printf("moved: %lld messages\n", moved());
    } else {
        printf("rank %d moved: %lld messages\n", soak->rank, moved());
    }
    pvar_done();
}
