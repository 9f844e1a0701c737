/* SPDX-License-Identifier: BSD-3-Clause */
/* Run by the build: do our declarations agree with Open MPI's internal headers? */
#include <stdio.h>

#include "facts.h"

int main(void)
{
    int wrong = 0;
    int n = 0;
    for (; dt_facts_ours[n].what != NULL; n++) {
        const dt_fact_t *ours = &dt_facts_ours[n];
        const dt_fact_t *theirs = &dt_facts_internal[n];
        if (ours->value != theirs->value || ours->size != theirs->size) {
            fprintf(stderr,
                    "opal-glue/abi: %s: %ld (%ld bytes), Open MPI's headers say %ld (%ld)\n",
                    ours->what, ours->value, ours->size, theirs->value, theirs->size);
            wrong++;
        }
    }
    printf("%d facts of Open MPI's internal headers, %d differ\n", n, wrong);
    return n == 0 || wrong != 0;
}
