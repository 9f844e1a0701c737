# SPDX-License-Identifier: BSD-3-Clause
# What the C compiler can do, and the flags each kind of source is compiled with.

# DAME_TRY_CFLAG(FLAG, VARIABLE): append FLAG to VARIABLE if the compiler takes it without a word.
# -Werror, because clang only warns about options of gcc that it ignores.
AC_DEFUN([DAME_TRY_CFLAG], [
    AS_VAR_PUSHDEF([CACHEVAR], [dame_cv_cflag_$1])
    AC_CACHE_CHECK([whether $CC accepts $1], [CACHEVAR], [
        dame_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS -Werror $1"
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [AS_VAR_SET([CACHEVAR], [yes])], [AS_VAR_SET([CACHEVAR], [no])])
        CFLAGS=$dame_save_CFLAGS
    ])
    AS_VAR_IF([CACHEVAR], [yes], [AS_VAR_APPEND([$2], [" $1"])])
    AS_VAR_POPDEF([CACHEVAR])
])

# DAME_LIBRARY(VARIABLE, MODULE, HEADER): PKG_CHECK_MODULES, and a program with HEADER must link, because
# pkg-config may answer for another CPU than the one compiled for. Sets have_ and VARIABLE in lower case.
AC_DEFUN([DAME_LIBRARY], [
    PKG_CHECK_MODULES([$1], [$2], [have_[]m4_tolower([$1])=yes], [have_[]m4_tolower([$1])=no])
    AS_IF([test $have_[]m4_tolower([$1]) = yes], [DAME_LINKS([$1], [$3])])
])

# DAME_LINKS(VARIABLE, HEADER): does a program with HEADER link? Sets have_ and VARIABLE in lower case.
AC_DEFUN([DAME_LINKS], [
    dame_save_CFLAGS=$CFLAGS
    dame_save_LIBS=$LIBS
    CFLAGS="$CFLAGS $$1_CFLAGS"
    LIBS="$$1_LIBS $LIBS"
    AC_MSG_CHECKING([whether programs with $2 link])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$2>]])],
        [AC_MSG_RESULT([yes])
         have_[]m4_tolower([$1])=yes],
        [AC_MSG_RESULT([no])
         have_[]m4_tolower([$1])=no])
    CFLAGS=$dame_save_CFLAGS
    LIBS=$dame_save_LIBS
])

# DAME_COMPILER_FLAGS: DAME_CFLAGS for everything, DAME_KERNEL_CFLAGS for the kernels of dame/ on top.
AC_DEFUN([DAME_COMPILER_FLAGS], [
    AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])])

    dame_cc_version=`$CC --version 2>/dev/null | sed 1q`
    DAME_CFLAGS="-std=gnu11 -Wall -Wextra"
    AS_IF([test "x$enable_werror" = xyes], [DAME_CFLAGS="$DAME_CFLAGS -Werror"])
    DAME_KERNEL_CFLAGS=
    AS_IF([test "x$dame_user_cflags" != xset],
          [DAME_CFLAGS="$DAME_CFLAGS -O2"
           DAME_KERNEL_CFLAGS="-O3"])

    # So that the linker leaves out of an object what nothing in it calls (--gc-sections).
    DAME_TRY_CFLAG([-ffunction-sections], [DAME_CFLAGS])
    DAME_TRY_CFLAG([-fdata-sections], [DAME_CFLAGS])

    # The kernels state their own vector width; the compiler shall not rewrite their loops into
    # gathers or calls of memcpy.
    DAME_TRY_CFLAG([-fno-tree-loop-vectorize], [DAME_KERNEL_CFLAGS])
    DAME_TRY_CFLAG([-fno-tree-loop-distribute-patterns], [DAME_KERNEL_CFLAGS])
    AS_VAR_IF([dame_cv_cflag__fno_tree_loop_vectorize], [no],
              [DAME_TRY_CFLAG([-fno-vectorize], [DAME_KERNEL_CFLAGS])])

    # What the hand-written loops of bench/ are compiled with: they never leave this machine.
    DAME_HAND_CFLAGS="-O3"
    AS_IF([test "x$cross_compiling" != xyes], [DAME_TRY_CFLAG([-march=native], [DAME_HAND_CFLAGS])])

    DAME_HIDDEN_CFLAGS=
    DAME_TRY_CFLAG([-fvisibility=hidden], [DAME_HIDDEN_CFLAGS])
    RECORD_CFLAGS=
    DAME_TRY_CFLAG([-mcx16], [RECORD_CFLAGS])
    AC_SUBST([RECORD_CFLAGS])
    AC_SUBST([DAME_CFLAGS])
    AC_SUBST([DAME_KERNEL_CFLAGS])
    AC_SUBST([DAME_HAND_CFLAGS])
    AC_SUBST([DAME_HIDDEN_CFLAGS])
])

# DAME_SANITIZERS: --enable-asan, --enable-tsan.
AC_DEFUN([DAME_SANITIZERS], [
    AC_ARG_ENABLE([asan],
        [AS_HELP_STRING([--enable-asan], [build with AddressSanitizer and UndefinedBehaviorSanitizer])])
    AC_ARG_ENABLE([tsan], [AS_HELP_STRING([--enable-tsan], [build with ThreadSanitizer])])
    AS_IF([test "x$enable_asan" = xyes && test "x$enable_tsan" = xyes],
          [AC_MSG_ERROR([--enable-asan and --enable-tsan exclude each other])])

    dame_sanitizers=none
    dame_sanitizer_flags=
    AS_IF([test "x$enable_asan" = xyes],
          [dame_sanitizers="address, undefined"
           dame_sanitizer_flags="-fsanitize=address,undefined -fno-sanitize-recover=all"])
    AS_IF([test "x$enable_tsan" = xyes],
          [dame_sanitizers=thread
           dame_sanitizer_flags="-fsanitize=thread"])
    # The sanitizers' run-time library is found when the program starts, hence no -z defs then.
    DAME_MODULE_DEFS_LDFLAGS="-Wl,-z,defs"
    AS_IF([test -n "$dame_sanitizer_flags"], [
        DAME_CFLAGS="$DAME_CFLAGS $dame_sanitizer_flags -fno-omit-frame-pointer"
        DAME_MODULE_DEFS_LDFLAGS=
        dame_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS $dame_sanitizer_flags"
        AC_MSG_CHECKING([whether $CC links with $dame_sanitizer_flags])
        AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
            [AC_MSG_RESULT([no])
             AC_MSG_ERROR([$CC cannot link with $dame_sanitizer_flags; clang needs libclang-rt-<version>-dev])])
        CFLAGS=$dame_save_CFLAGS
    ])
    DAME_SANITIZER_LDFLAGS=$dame_sanitizer_flags
    AC_SUBST([DAME_SANITIZER_LDFLAGS])
    AC_SUBST([DAME_MODULE_DEFS_LDFLAGS])
])

# DAME_COVERAGE: --enable-coverage, for test/coverage. Functions that are copied as machine code must not count.
AC_DEFUN([DAME_COVERAGE], [
    AC_ARG_ENABLE([coverage], [AS_HELP_STRING([--enable-coverage], [build for gcov, to measure coverage])])
    DAME_COVERAGE_LDFLAGS=
    DAME_NO_COVERAGE_CFLAGS=
    AS_IF([test "x$enable_coverage" = xyes],
          [DAME_CFLAGS="$DAME_CFLAGS -fprofile-arcs -ftest-coverage -fprofile-update=prefer-atomic"
           DAME_COVERAGE_LDFLAGS=--coverage
           DAME_NO_COVERAGE_CFLAGS="-fno-profile-arcs -fno-test-coverage"])
    AC_SUBST([DAME_COVERAGE_LDFLAGS])
    AC_SUBST([DAME_NO_COVERAGE_CFLAGS])
])

# DAME_X86_KERNELS: on x86-64, some kernels of dame/ are compiled again for AVX2 and for AVX-512; which of
# them runs is decided when the process starts.
AC_DEFUN([DAME_X86_KERNELS], [
    DAME_AVX2_CFLAGS=
    DAME_AVX512_CFLAGS=
    dame_x86_kernels="no ($host_cpu)"
    AS_IF([test "x$host_cpu" = xx86_64], [
        DAME_TRY_CFLAG([-mavx2], [DAME_AVX2_CFLAGS])
        DAME_TRY_CFLAG([-mavx512f -mavx512bw -mavx512vl -mavx512vbmi], [DAME_AVX512_CFLAGS])
        AS_IF([test -n "$DAME_AVX2_CFLAGS" && test -n "$DAME_AVX512_CFLAGS"],
              [dame_x86_kernels="baseline, avx2, avx512"],
              [dame_x86_kernels="no ($CC does not know -mavx2 and -mavx512f)"])
        DAME_TRY_CFLAG([-mprefer-vector-width=512], [DAME_AVX512_CFLAGS])
    ])
    AS_CASE([$dame_x86_kernels], [no*], [have_x86_kernels=no], [have_x86_kernels=yes])
    AM_CONDITIONAL([HAVE_X86_KERNELS], [test $have_x86_kernels = yes])
    AC_SUBST([DAME_AVX2_CFLAGS])
    AC_SUBST([DAME_AVX512_CFLAGS])
])

# DAME_HARDENING, after the sanitizers: DAME_FORTIFY_CFLAGS and DAME_STACK_CFLAGS for everything that is compiled, and
# DAME_HARDENING_LDFLAGS for everything that is linked. A sanitizer sees memcpy, but not the __memcpy_chk that
# replaces it in fortified code.
AC_DEFUN([DAME_HARDENING], [
    DAME_STACK_CFLAGS=
    DAME_TRY_CFLAG([-fstack-protector-strong], [DAME_STACK_CFLAGS])

    DAME_FORTIFY_CFLAGS=
    fortify="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3"
    AS_IF([test -z "$dame_sanitizer_flags"], [
        dame_save_CFLAGS=$CFLAGS
        AC_CACHE_CHECK([whether $CC accepts $fortify], [dame_cv_fortify], [
            CFLAGS="$DAME_CFLAGS $CFLAGS -Werror $fortify"
            AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#ifndef __OPTIMIZE__
#error glibc warns of _FORTIFY_SOURCE when nothing is optimised
#endif
#include <string.h>
]])], [dame_cv_fortify=yes], [dame_cv_fortify=no])
        ])
        CFLAGS=$dame_save_CFLAGS
        AS_VAR_IF([dame_cv_fortify], [yes], [DAME_FORTIFY_CFLAGS=$fortify])
    ])

    DAME_HARDENING_LDFLAGS=
    DAME_TRY_LDFLAG([-Wl,-z,relro], [DAME_HARDENING_LDFLAGS])
    DAME_TRY_LDFLAG([-Wl,-z,now], [DAME_HARDENING_LDFLAGS])
    DAME_TRY_LDFLAG([-Wl,-z,noexecstack], [DAME_HARDENING_LDFLAGS])
    AC_SUBST([DAME_STACK_CFLAGS])
    AC_SUBST([DAME_FORTIFY_CFLAGS])
    AC_SUBST([DAME_HARDENING_LDFLAGS])
])

# DAME_TRY_LDFLAG(FLAG, VARIABLE): append FLAG to VARIABLE if a program links with it.
AC_DEFUN([DAME_TRY_LDFLAG], [
    AS_VAR_PUSHDEF([CACHEVAR], [dame_cv_ldflag_$1])
    AC_CACHE_CHECK([whether $CC links with $1], [CACHEVAR], [
        dame_save_LDFLAGS=$LDFLAGS
        LDFLAGS="$LDFLAGS $1"
        AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AS_VAR_SET([CACHEVAR], [yes])], [AS_VAR_SET([CACHEVAR], [no])])
        LDFLAGS=$dame_save_LDFLAGS
    ])
    AS_VAR_IF([CACHEVAR], [yes], [AS_VAR_APPEND([$2], [" $1"])])
    AS_VAR_POPDEF([CACHEVAR])
])
