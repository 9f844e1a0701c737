/* SPDX-License-Identifier: BSD-3-Clause */
/* Before glibc 2.33 there is no mallinfo2(), but mallinfo() with int numbers. */
#ifndef TEST_MALLINFO_H
#define TEST_MALLINFO_H

#include <malloc.h>

#if !__GLIBC_PREREQ(2, 33)
#define mallinfo2 mallinfo
#endif

#endif
