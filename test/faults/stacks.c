/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stacks BYTES [pack|send] ROUNDS: threads with stacks of BYTES, and an inaccessible page below,
 * make datatypes, pack, unpack and, without "pack", send. Without BYTES the least that the C
 * library allows.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"
#include "traffic.h"

int stacks_main(int argc, char **argv)
{
    const long bytes = argc > 1 ? atol(argv[1]) : PTHREAD_STACK_MIN;
    const bool pack_only = argc > 2 && strcmp(argv[2], "pack") == 0;
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    traffic_start(
        &(traffic_options_t){.threads = 2, .pack_only = pack_only, .stack = (size_t) bytes});
    traffic_wait(argc > 3 ? atol(argv[3]) : 1000);
    traffic_stop();
    return check_finish();
}
