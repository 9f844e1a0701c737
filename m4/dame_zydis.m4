# SPDX-License-Identifier: BSD-3-Clause
# DAME_ZYDIS: the disassembler that test/judge/ judges machine code with. Debian's package has no
# file for pkg-config.
AC_DEFUN([DAME_ZYDIS], [
    have_zydis=no
    ZYDIS_LIBS=
    AS_IF([test "x$host_cpu" != xx86_64],
          [dame_zydis_line="no ($host_cpu): the judge of machine code will be skipped"],
          [AC_CHECK_HEADER([Zydis/Zydis.h],
               [AC_CHECK_LIB([Zydis], [ZydisDecoderDecodeFull],
                             [have_zydis=yes
                              ZYDIS_LIBS=-lZydis])])
           AS_IF([test $have_zydis = yes],
                 [dame_zydis_line=yes],
                 [dame_zydis_line="no: the judge of machine code will be skipped"])])
    AM_CONDITIONAL([HAVE_ZYDIS], [test $have_zydis = yes])
    AC_SUBST([ZYDIS_LIBS])
])
