#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes configure and the Makefile.in from their sources. Needs autoconf, automake, libtool, pkg-config.
set -eu
cd "$(dirname "$0")"
exec autoreconf --install --force "$@"
