/* SPDX-License-Identifier: BSD-3-Clause */
/* A framework that ompi_info shows. */
#ifndef DT_INFO_H
#define DT_INFO_H

struct mca_base_framework_t;

/* Makes ompi_info show a framework, if that is the program we are in; before it does, `prepare` is
 * called. All live as long as the process. Once a process. */
void dt_info_show(const char *name, struct mca_base_framework_t *framework, void (*prepare)(void));

#endif
