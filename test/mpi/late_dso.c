/* SPDX-License-Identifier: BSD-3-Clause */
/* A shared object loaded after MPI_Init is served like the rest. argv[1]: the shared object;
   argv[2]: dame, or native. Needs two ranks. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"

typedef int late_run_t(int rank, int *bad);

int late_dso_main(int argc, char **argv)
{
    bool dame = argc > 2 && strcmp(argv[2], "dame") == 0;
    late_run_t *run = NULL;

    check_init(&argc, &argv);
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    check(plugin != NULL, "dlopen: %s", plugin == NULL && argc > 1 ? dlerror() : "");
    if (plugin != NULL) {
        void *symbol = dlsym(plugin, "late_run");
        memcpy(&run, &symbol, sizeof(run));
    }
    if (check(run != NULL, "the plugin has late_run")) {
        int bad = 0;
        pvar_start("dt_dame_messages_");
        int n = run(my_rank, &bad);
        long long moved = pvar_sum("");
        check(n > 0 && bad == 0, "%d of %d values wrong", bad, n);
        check(moved == (dame && my_rank < 2 ? 2 : 0), "DAME moved %lld of the plugin's messages",
              moved);
        pvar_done();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (plugin != NULL) {
        dlclose(plugin);
    }
    return check_finish();
}
