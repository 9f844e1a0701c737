# SPDX-License-Identifier: BSD-3-Clause
# DAME_LLVM: the library that dame_llvm.so (jit/l/) makes machine code with. 19 is the version
# measured; 16 and 22 pass its unit tests and the differential test. Only dame_llvm.so links with
# it.
AC_DEFUN([DAME_LLVM], [
    AC_ARG_WITH([llvm],
        [AS_HELP_STRING([--with-llvm@<:@=PATH@:>@],
            [build dame_llvm.so with LLVM 16 to 22; PATH is its llvm-config or the directory that has
             bin/llvm-config (default: llvm-config-19 or another in PATH, if there is one)])],
        [], [with_llvm=auto])
    have_llvm=no
    dame_llvm_config=
    AS_CASE([$with_llvm],
        [no], [dame_llvm_line="no (--without-llvm)"],
        [auto|yes], [
            AC_PATH_PROGS([LLVM_CONFIG], [llvm-config-19 llvm-config-22 llvm-config-21 \
                llvm-config-20 llvm-config-18 llvm-config-17 llvm-config-16 llvm-config])
            dame_llvm_config=$LLVM_CONFIG
            dame_llvm_line="no (no llvm-config)"],
        [dame_llvm_config=$with_llvm
         AS_IF([test -d "$with_llvm"], [dame_llvm_config=$with_llvm/bin/llvm-config])
         dame_llvm_line="no ($dame_llvm_config does not work)"])
    AS_IF([test -n "$dame_llvm_config"], [
        dame_llvm_version=`$dame_llvm_config --version 2>/dev/null`
        AS_CASE([$dame_llvm_version],
            [1@<:@6-9@:>@.*|2@<:@0-2@:>@.*], [
                LLVM_CPPFLAGS="-isystem `$dame_llvm_config --includedir`"
                LLVM_LIBS="-L`$dame_llvm_config --libdir` `$dame_llvm_config --link-shared --libs`"
                DAME_LLVM_CHECK],
            [?*], [dame_llvm_line="no (LLVM $dame_llvm_version; 16 to 22 work)"])])
    AS_IF([test "x$host_cpu" != xx86_64],
          [have_llvm=no
           dame_llvm_line="no ($host_cpu: DAME-L is for x86-64)"])
    AS_IF([test $have_llvm = no], [
        AS_CASE([$with_llvm], [no|auto], [],
                [AC_MSG_ERROR([--with-llvm: $dame_llvm_line])])])
    AM_CONDITIONAL([HAVE_LLVM], [test $have_llvm = yes])
    AC_SUBST([LLVM_CPPFLAGS])
    AC_SUBST([LLVM_LIBS])
])

# Headers and library of $dame_llvm_config, for the CPU that is compiled for.
AC_DEFUN([DAME_LLVM_CHECK], [
    dame_save_CPPFLAGS=$CPPFLAGS
    dame_save_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $LLVM_CPPFLAGS"
    LIBS="$LLVM_LIBS $LIBS"
    AC_MSG_CHECKING([whether programs with LLVM $dame_llvm_version link])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <llvm-c/LLJIT.h>]], [[LLVMOrcCreateLLJITBuilder();]])],
        [have_llvm=yes
         dame_llvm_line="$dame_llvm_version: dame_llvm.so is built"],
        [dame_llvm_line="no (programs with LLVM $dame_llvm_version do not link)"])
    AC_MSG_RESULT([$have_llvm])
    CPPFLAGS=$dame_save_CPPFLAGS
    LIBS=$dame_save_LIBS
])
