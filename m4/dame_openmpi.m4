# SPDX-License-Identifier: BSD-3-Clause
# Finds Open MPI through its compiler wrapper, and everything else (ompi_info, mpirun, the component
# directory) beside that wrapper, so that two installations never mix.

# DAME_OPENMPI: --with-openmpi[=DIR]. Sets OPENMPI_* and the conditional HAVE_OPENMPI.
AC_DEFUN([DAME_OPENMPI], [
    AC_ARG_WITH([openmpi],
        [AS_HELP_STRING([--with-openmpi@<:@=DIR@:>@],
            [Open MPI installed under DIR, or its wrapper compiler itself; default: mpicc.openmpi or mpicc
             in PATH. --without-openmpi builds and tests dame/ only])],
        [], [with_openmpi=yes])

    AS_IF([test "x$with_openmpi" = xno],
          [have_openmpi=no
           have_openmpi_headers=no
           OPENMPI_MPICC=
           dame_openmpi_line="no: only dame/ is built"],
          [have_openmpi=yes
           _DAME_OPENMPI_WRAPPER
           _DAME_OPENMPI_FLAGS
           _DAME_OPENMPI_INTERNALS
           _DAME_OPENMPI_TOOLS
           dame_openmpi_line="$OPENMPI_VERSION, by $OPENMPI_MPICC"
           AS_IF([test $have_openmpi_headers = yes],
                 [dame_openmpi_line="$dame_openmpi_line; declarations compared with its internal headers"],
                 [dame_openmpi_line="$dame_openmpi_line; without its internal headers"])])

    AM_CONDITIONAL([HAVE_OPENMPI], [test $have_openmpi = yes])
    AM_CONDITIONAL([HAVE_OPENMPI_HEADERS],
                   [test $have_openmpi_headers = yes && test "x$cross_compiling" != xyes])
    AC_SUBST([OPENMPI_INTERNAL_CPPFLAGS])
    AC_SUBST([OPENMPI_MPICC])
    AC_SUBST([OPENMPI_VERSION])
    AC_SUBST([OPENMPI_CPPFLAGS])
    AC_SUBST([OPENMPI_LIBS])
    AC_SUBST([OPENMPI_MPI_LIBS])
    AC_SUBST([OPENMPI_IMPLEMENTATION_LIBS])
    AC_SUBST([OPENMPI_PAL_LIBS])
    AC_SUBST([OPENMPI_MPIRUN])
    AC_SUBST([OPENMPI_INFO])
    AC_SUBST([OPENMPI_PKGLIBDIR])
    AC_SUBST([OPENMPI_PMIX_COMPONENTS])
])

# "mpicc: Open MPI 4.1.4 (Language: C)", "Open MPI v4.1.4" -> 4.1.4
m4_define([_DAME_OPENMPI_VERSION_FILTER],
    [sed -n 's/.*Open MPI v\{0,1\}\(@<:@0-9@:>@@<:@^ @:>@*\).*/\1/p'])

# The wrapper and its version.
AC_DEFUN([_DAME_OPENMPI_WRAPPER], [
    AS_IF([test "x$with_openmpi" = xyes],
          [AC_PATH_PROGS([OPENMPI_MPICC], [mpicc.openmpi mpicc])],
          [test -f "$with_openmpi"],
          [OPENMPI_MPICC=$with_openmpi],
          [OPENMPI_MPICC=$with_openmpi/bin/mpicc])
    AS_IF([test -z "$OPENMPI_MPICC"],
          [AC_MSG_ERROR([Open MPI was not found: no mpicc.openmpi or mpicc in PATH. On Debian install
openmpi-bin and libopenmpi-dev; elsewhere give --with-openmpi=DIR; --without-openmpi builds dame/ only.])])
    AS_IF([test ! -x "$OPENMPI_MPICC"],
          [AC_MSG_ERROR([--with-openmpi: $OPENMPI_MPICC is not an executable file])])

    AC_MSG_CHECKING([version of Open MPI])
    OPENMPI_VERSION=`$OPENMPI_MPICC --showme:version 2>/dev/null | _DAME_OPENMPI_VERSION_FILTER`
    AS_IF([test -z "$OPENMPI_VERSION"],
          [AC_MSG_RESULT([none])
           AC_MSG_ERROR([$OPENMPI_MPICC is not the wrapper compiler of an Open MPI; give --with-openmpi=DIR])])
    AC_MSG_RESULT([$OPENMPI_VERSION])
])

# Flags. Open MPI's directories are given as system directories, so that -Wextra does not judge its headers.
# OPENMPI_INTERNAL_CPPFLAGS: where the internal headers are, if anywhere. OPENMPI_MPI_LIBS: libmpi, without its dependencies.
AC_DEFUN([_DAME_OPENMPI_FLAGS], [
    dame_mpi_cppflags=`$OPENMPI_MPICC --showme:compile`
    OPENMPI_INTERNAL_CPPFLAGS=
    for dame_dir in `$OPENMPI_MPICC --showme:incdirs`; do
        AS_IF([test -d "$dame_dir/openmpi"],
              [OPENMPI_INTERNAL_CPPFLAGS="$OPENMPI_INTERNAL_CPPFLAGS -isystem $dame_dir/openmpi"])
    done
    OPENMPI_CPPFLAGS=
    for dame_flag in $dame_mpi_cppflags; do
        AS_CASE([$dame_flag],
                [-I*], [OPENMPI_CPPFLAGS="$OPENMPI_CPPFLAGS -isystem `AS_ECHO(["$dame_flag"]) | sed 's/^-I//'`"],
                [OPENMPI_CPPFLAGS="$OPENMPI_CPPFLAGS $dame_flag"])
    done
    OPENMPI_LIBS=`$OPENMPI_MPICC --showme:link`
    OPENMPI_MPI_LIBS=
    for dame_flag in $OPENMPI_LIBS; do
        AS_CASE([$dame_flag], [-lopen*], [], [OPENMPI_MPI_LIBS="$OPENMPI_MPI_LIBS $dame_flag"])
    done

    OPENMPI_IMPLEMENTATION_LIBS=
    for dame_dir in `$OPENMPI_MPICC --showme:libdirs`; do
        OPENMPI_IMPLEMENTATION_LIBS="$OPENMPI_IMPLEMENTATION_LIBS -L$dame_dir"
    done
    # From 6.0 on, libmpi's functions are in another library.
    for dame_dir in `$OPENMPI_MPICC --showme:libdirs`; do
        AS_IF([test -e "$dame_dir/libopen_mpi.so"],
              [OPENMPI_IMPLEMENTATION_LIBS="$OPENMPI_IMPLEMENTATION_LIBS -lopen_mpi"; break])
    done
    OPENMPI_PAL_LIBS="$OPENMPI_IMPLEMENTATION_LIBS -lopen-pal"
])

# The internal headers, which most installations leave out: own declarations (opal-glue/abi/) serve, and
# are compared with them where they are complete. And libopen-pal.
AC_DEFUN([_DAME_OPENMPI_INTERNALS], [
    AS_CASE([$OPENMPI_VERSION],
            [4.1.*], [], [5.0.*], [], [6.0.*], [], [6.1.*], [],
            [AC_MSG_ERROR([$OPENMPI_MPICC is of Open MPI $OPENMPI_VERSION; DAME works in 4.1, 5.0, 6.0 and 6.1])])

    dame_save_CPPFLAGS=$CPPFLAGS
    dame_save_LIBS=$LIBS
    AC_ARG_WITH([openmpi-headers],
        [AS_HELP_STRING([--with-openmpi-headers@<:@=DIR@:>@],
            [compare the declarations in opal-glue/abi/ with Open MPI's internal headers; default: if they are
             installed; those that are not, from its sources in DIR])],
        [], [with_openmpi_headers=auto])
    AS_CASE([$with_openmpi_headers],
            [auto | yes | no], [],
            [OPENMPI_INTERNAL_CPPFLAGS="$OPENMPI_INTERNAL_CPPFLAGS -isystem $with_openmpi_headers \
-isystem $with_openmpi_headers/opal/include -isystem $with_openmpi_headers/ompi/include \
`pkg-config --cflags pmix 2>/dev/null`"])
    AC_MSG_CHECKING([for Open MPI's internal headers])
    CPPFLAGS="$CPPFLAGS $OPENMPI_CPPFLAGS $OPENMPI_INTERNAL_CPPFLAGS -I$srcdir"
    have_openmpi_headers=no
    AS_IF([test "x$with_openmpi_headers" != xno],
          [AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#include "opal-glue/abi/internal_headers.h"]])],
                             [have_openmpi_headers=yes])])
    AC_MSG_RESULT([$have_openmpi_headers])
    AS_CASE([$with_openmpi_headers,$have_openmpi_headers],
            [auto,* | *,yes | no,*], [],
            [AC_MSG_ERROR([--with-openmpi-headers: they cannot be compiled; see config.log])])

    AC_MSG_CHECKING([for libopen-pal])
    LIBS="$OPENMPI_LIBS $OPENMPI_PAL_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_SOURCE([[
        extern int opal_convertor_pack();
        extern int ompi_datatype_get_args();
        int main(void) { return opal_convertor_pack != 0 && ompi_datatype_get_args != 0 ? 0 : 1; }
        ]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([cannot link with $OPENMPI_PAL_LIBS (on Debian: libopenmpi-dev)])])

    CPPFLAGS=$dame_save_CPPFLAGS
    LIBS=$dame_save_LIBS
])

# ompi_info and mpirun beside the wrapper, and the directory that Open MPI looks for components in.
AC_DEFUN([_DAME_OPENMPI_TOOLS], [
    dame_bindir=`AS_DIRNAME(["$OPENMPI_MPICC"])`
    AC_PATH_PROGS([OPENMPI_INFO], [ompi_info.openmpi ompi_info], [], [$dame_bindir])
    AC_PATH_PROGS([OPENMPI_MPIRUN], [mpirun.openmpi mpirun], [], [$dame_bindir])
    AS_IF([test -z "$OPENMPI_INFO" || test -z "$OPENMPI_MPIRUN"],
          [AC_MSG_ERROR([no ompi_info or no mpirun beside $OPENMPI_MPICC (on Debian: openmpi-bin)])])

    dame_info_version=`$OPENMPI_INFO --version 2>/dev/null | _DAME_OPENMPI_VERSION_FILTER`
    AS_IF([test "x$dame_info_version" != "x$OPENMPI_VERSION"],
          [AC_MSG_ERROR([$OPENMPI_INFO is of Open MPI "$dame_info_version", $OPENMPI_MPICC of $OPENMPI_VERSION])])

    AC_MSG_CHECKING([for Open MPI's component directory])
    OPENMPI_PKGLIBDIR=`$OPENMPI_INFO --parsable --path pkglibdir 2>/dev/null | sed -n 's/^path:pkglibdir://p'`
    AS_IF([test ! -d "$OPENMPI_PKGLIBDIR"],
          [AC_MSG_ERROR([$OPENMPI_INFO --path pkglibdir gives "$OPENMPI_PKGLIBDIR", which is not a directory])])
    AC_MSG_RESULT([$OPENMPI_PKGLIBDIR])

    # PMIx reads Open MPI's parameter mca_base_component_path, too, unless it has one of its own.
    AC_MSG_CHECKING([for PMIx's component directory])
    OPENMPI_PMIX_COMPONENTS=
    AS_CASE([$OPENMPI_VERSION], [4.*], [],
            [dame_pmix=`ldd "$OPENMPI_INFO" 2>/dev/null | sed -n 's/.*libpmix@<:@.@:>@so@<:@.0-9@:>@* => \(@<:@^ @:>@*\) .*/\1/p'`
             dame_pmix=`readlink -f "$dame_pmix" 2>/dev/null`
             dame_pmix=`AS_DIRNAME(["$dame_pmix"])`/pmix
             AS_IF([test -d "$dame_pmix"], [OPENMPI_PMIX_COMPONENTS=$dame_pmix])])
    AC_MSG_RESULT([${OPENMPI_PMIX_COMPONENTS:-none}])
])

# DAME_INSTALL_DIR: where make install puts the two components, and for a user's own installation
# everything else.
AC_DEFUN([DAME_INSTALL_DIR], [
    AC_ARG_ENABLE([user-install],
        [AS_HELP_STRING([--enable-user-install],
            [install into $HOME/.openmpi/components, and with prefix $HOME/.local])])
    AC_ARG_WITH([componentdir],
        [AS_HELP_STRING([--with-componentdir=DIR],
            [install into DIR; default: the pkglibdir of ompi_info, where Open MPI finds them])])

    AS_IF([test -n "$with_componentdir" && test "x$with_componentdir" != xno],
          [DAME_COMPONENTDIR=$with_componentdir],
          [test "x$enable_user_install" = xyes],
          [DAME_COMPONENTDIR=$HOME/.openmpi/components
           AS_IF([test "x$prefix" = xNONE], [prefix=$HOME/.local])],
          [DAME_COMPONENTDIR=$OPENMPI_PKGLIBDIR])
    AC_SUBST([DAME_COMPONENTDIR])
])

# DAME_MPICH: --with-mpich[=DIR]. A second engine for bench/ to measure against.
AC_DEFUN([DAME_MPICH], [
    AC_ARG_WITH([mpich],
        [AS_HELP_STRING([--with-mpich@<:@=DIR@:>@],
            [also build the benchmark with MPICH under DIR; default: mpicc.mpich in PATH if there is one])],
        [], [with_mpich=auto])

    MPICH_MPICC=
    MPICH_MPIRUN=
    AS_CASE([$with_mpich],
            [no], [],
            [auto | yes],
            [AC_PATH_PROG([MPICH_MPICC], [mpicc.mpich])
             AC_PATH_PROG([MPICH_MPIRUN], [mpirun.mpich])],
            [MPICH_MPICC=$with_mpich/bin/mpicc
             MPICH_MPIRUN=$with_mpich/bin/mpirun])
    AS_IF([test -n "$MPICH_MPICC" && "$MPICH_MPICC" -show >/dev/null 2>&1 && test -x "$MPICH_MPIRUN"],
          [have_mpich=yes
           dame_mpich_line=$MPICH_MPICC],
          [have_mpich=no
           MPICH_MPICC=
           MPICH_MPIRUN=
           dame_mpich_line=no
           AS_CASE([$with_mpich], [auto | no], [],
                   [AC_MSG_ERROR([--with-mpich: no working MPICH wrapper compiler and mpirun found])])])
    AM_CONDITIONAL([HAVE_MPICH], [test $have_mpich = yes && test $have_openmpi = yes])
    AC_SUBST([MPICH_MPICC])
    AC_SUBST([MPICH_MPIRUN])
])
