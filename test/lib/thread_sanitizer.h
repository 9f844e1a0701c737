/* SPDX-License-Identifier: BSD-3-Clause */
/* Defines THREAD_SANITIZER where ThreadSanitizer watches: the compilers do not agree on a name. */
#ifndef TEST_THREAD_SANITIZER_H
#define TEST_THREAD_SANITIZER_H

#ifdef __SANITIZE_THREAD__
#define THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER
#endif
#endif

#endif
