# SPDX-License-Identifier: BSD-3-Clause
# DAME_PAPI: --with-papi[=DIR]. Sets PAPI_CFLAGS, PAPI_LIBS and the conditional HAVE_PAPI; for tests on machines
# without hardware counters, SDE_CFLAGS and SDE_LIBS: PAPI's library for events that software defines.
AC_DEFUN([DAME_PAPI], [
    AC_ARG_WITH([papi],
        [AS_HELP_STRING([--with-papi@<:@=DIR@:>@],
            [count hardware events with PAPI installed under DIR; default: where pkg-config or the compiler finds
             it, if anywhere. --without-papi leaves dame_papi.so out])],
        [], [with_papi=auto])

    have_papi=no
    AS_CASE([$with_papi],
            [no], [],
            [auto | yes], [DAME_LIBRARY([PAPI], [papi >= 5], [papi.h])],
            [PAPI_CFLAGS="-I$with_papi/include"
             PAPI_LIBS="-L$with_papi/lib -Wl,-rpath,$with_papi/lib -lpapi"
             DAME_LINKS([PAPI], [papi.h])])
    AS_IF([test "x$have_papi" = xno], [
        AS_CASE([$with_papi], [auto | no], [],
                [AC_MSG_ERROR([--with-papi: no PAPI was found (on Debian: libpapi-dev)])])])
    AS_IF([test $have_papi = yes], [papi_line="yes: dame_papi.so"], [papi_line="no: no hardware events"])
    AS_IF([test $have_papi = yes], [
        dame_save_LIBS=$LIBS
        LIBS="$PAPI_LIBS $LIBS"
        AC_CHECK_LIB([sde], [papi_sde_init], [SDE_CFLAGS=-DHAVE_SDE SDE_LIBS=-lsde], [SDE_CFLAGS= SDE_LIBS=])
        LIBS=$dame_save_LIBS])
    AC_SUBST([SDE_CFLAGS])
    AC_SUBST([SDE_LIBS])
    AM_CONDITIONAL([HAVE_SDE], [test -n "$SDE_LIBS"])
    AM_CONDITIONAL([HAVE_PAPI], [test $have_papi = yes])
])
