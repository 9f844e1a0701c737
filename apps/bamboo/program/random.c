/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers: the C library's sequences, from a state of the task's own. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>

/* ---- rand() and random(), which share a state ---- */

static char first_state[128];
static char *state;
static struct random_data data;

static struct random_data *ready(void)
{
    if (state == NULL) {
        state = first_state;
        initstate_r(1, state, sizeof(first_state), &data);
    }
    return &data;
}

long random(void)
{
    int32_t result;
    random_r(ready(), &result);
    return result;
}

void srandom(unsigned seed)
{
    srandom_r(seed, ready());
}

char *initstate(unsigned seed, char *memory, size_t bytes)
{
    char *before = (ready(), state);
    state = memory;
    return initstate_r(seed, memory, bytes, &data) == 0 ? before : NULL;
}

char *setstate(char *memory)
{
    char *before = (ready(), state);
    state = memory;
    return setstate_r(memory, &data) == 0 ? before : NULL;
}

int rand(void)
{
    return (int) random();
}

void srand(unsigned seed)
{
    srandom(seed);
}

/* ---- drand48() and those beside it ---- */

static struct drand48_data numbers;

double drand48(void)
{
    double result;
    drand48_r(&numbers, &result);
    return result;
}

long lrand48(void)
{
    long result;
    lrand48_r(&numbers, &result);
    return result;
}

long mrand48(void)
{
    long result;
    mrand48_r(&numbers, &result);
    return result;
}

void srand48(long seed)
{
    srand48_r(seed, &numbers);
}

unsigned short *seed48(unsigned short seed[3])
{
    seed48_r(seed, &numbers);
    return numbers.__old_x;
}

void lcong48(unsigned short parameters[7])
{
    lcong48_r(parameters, &numbers);
}
