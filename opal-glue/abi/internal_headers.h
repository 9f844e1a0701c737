/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI's own declarations of what abi.h declares. Only for facts_internal.c and configure. */
#ifndef DT_ABI_INTERNAL_HEADERS_H
#define DT_ABI_INTERNAL_HEADERS_H

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/hook/base/base.h"
#include "ompi/mca/hook/hook.h"
#include "ompi/runtime/mpiruntime.h"
#include "ompi/runtime/ompi_info_support.h"
#include "opal/class/opal_list.h"
#include "opal/class/opal_object.h"
#include "opal/class/opal_pointer_array.h"
#include "opal/constants.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/datatype/opal_datatype.h"
#include "opal/datatype/opal_datatype_internal.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_framework.h"
#include "opal/mca/base/mca_base_pvar.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/mca/dl/base/base.h"
#if __has_include("opal/mca/dt/base/base.h")
#include "opal/mca/dt/base/base.h" /* a patched Open MPI (seam.h) */
#endif
#include "opal/runtime/opal_info_support.h"
#include "opal/util/output.h"
#include "opal/util/proc.h"

#endif
