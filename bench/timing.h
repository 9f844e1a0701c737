/* Samples of operations that take turns. */
#ifndef TIMING_H
#define TIMING_H

struct job; /* what to operate on: the program's own */

struct timing {
    const char *kind;
    void (*run)(const struct job *job);
    long repetitions; /* of a sample; found out */
};

/* Seconds that each operation runs before it is sampled, so that measured promotion is over; 0. */
extern double timing_warming;

/* Samples of each timing; half of them of operations above 2 ms. 7. */
extern int timing_samples;

/*
 * Prints a line for each sample of each timing: "LAYOUT WHAT KIND NANOSECONDS", for one operation.
 * A sample repeats the operation until it takes 200 us.
 */
void timing_print(const char *layout, const char *what, struct timing *timings, int n,
                  const struct job *job);

#endif
