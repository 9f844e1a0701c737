# SPDX-License-Identifier: BSD-3-Clause
# DAME_LIBCLANG: the library that dame-suggest-c (apps/suggest/c/) reads C with. Before 17 it does not tell
# operators. Only that program links with it.
AC_DEFUN([DAME_LIBCLANG], [
    AC_ARG_WITH([libclang],
        [AS_HELP_STRING([--with-libclang@<:@=DIR@:>@],
            [build dame-suggest-c with libclang 17 or later; DIR has include/clang-c and lib (default:
             LLVM's own directory, if it has them)])],
        [], [with_libclang=auto])
    have_libclang=no
    dame_libclang_line="no libclang 17 or later: dame suggest does not read C (Debian: libclang-19-dev)"
    AS_CASE([$with_libclang],
        [no], [dame_libclang_prefixes=
               dame_libclang_line="no (--without-libclang)"],
        [auto|yes], [
            dame_libclang_prefixes=
            for dame_version in 19 22 21 20 18 17; do
                dame_libclang_prefixes="$dame_libclang_prefixes /usr/lib/llvm-$dame_version"
            done
            AS_IF([test -n "$dame_llvm_config"],
                  [dame_libclang_prefixes="`$dame_llvm_config --prefix 2>/dev/null` $dame_libclang_prefixes /usr"])],
        [dame_libclang_prefixes=$with_libclang
         dame_libclang_line="no ($with_libclang has no libclang 17 or later)"])
    for dame_prefix in $dame_libclang_prefixes; do
        AS_IF([test $have_libclang = no && test -e "$dame_prefix/include/clang-c/Index.h"],
              [DAME_LIBCLANG_CHECK([$dame_prefix])])
    done
    AS_IF([test $have_libclang = no], [
        AS_CASE([$with_libclang], [no|auto], [],
                [AC_MSG_ERROR([--with-libclang: $dame_libclang_line])])])
    AM_CONDITIONAL([HAVE_LIBCLANG], [test $have_libclang = yes])
    AC_SUBST([LIBCLANG_CPPFLAGS])
    AC_SUBST([LIBCLANG_LIBS])
])

AC_DEFUN([DAME_LIBCLANG_CHECK], [
    dame_save_CPPFLAGS=$CPPFLAGS
    dame_save_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS -isystem $1/include"
    LIBS="-L$1/lib -lclang $LIBS"
    AC_MSG_CHECKING([for libclang 17 or later in $1])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <clang-c/Index.h>]],
                        [[return (int) clang_getCursorBinaryOperatorKind(clang_getNullCursor());]])],
        [have_libclang=yes
         dame_libclang_line="$1: dame-suggest-c is built"
         LIBCLANG_CPPFLAGS="-isystem $1/include"
         LIBCLANG_LIBS="-L$1/lib -lclang"],
        [])
    AC_MSG_RESULT([$have_libclang])
    CPPFLAGS=$dame_save_CPPFLAGS
    LIBS=$dame_save_LIBS
])
