/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded and unloaded by edge.c: has GOT slots for functions that DAME replaces in others. */
int edge_plugin(void);

int opal_convertor_prepare_for_send(void *, const void *, unsigned long, const void *);
int opal_convertor_prepare_for_recv(void *, const void *, unsigned long, const void *);

static int (*volatile slots[2])(void *, const void *, unsigned long, const void *);

int edge_plugin(void)
{
    slots[0] = opal_convertor_prepare_for_send;
    slots[1] = opal_convertor_prepare_for_recv;
    return slots[0] != slots[1];
}
