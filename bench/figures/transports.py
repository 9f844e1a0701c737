# SPDX-License-Identifier: BSD-3-Clause
"""What carries the messages; a figure of bench/run (its fields are explained there)."""

import functools
import os
import subprocess

from figures.messages import read  # of the same program

title = "Messages over shared memory with and without CMA, TCP, UCX, libfabric"
shows = ("Half a round trip as in the messages between two ranks, with Open MPI's transport chosen: large messages are copied from the "
         "other process by CMA, or, without it, through shared memory; TCP over the loopback device; UCX by shared memory; libfabric over TCP.")
unit = "µs"
subject = "known:result"
against = {"native:result": "Open MPI", "known:hand": "packing by hand"}
engines = ["native", "known"]
turns = {"quick": 4, "full": 5}


@functools.cache
def transports():
    """{name: environment} of those that this Open MPI has. Its shared memory is called sm since 5.0."""
    build = os.environ.get("DAME_BUILD") or os.path.join(os.path.dirname(__file__), "..", "..", "build")
    parts = subprocess.run(["bash", "-c", '. "$0/env.sh" && "$OMPI_INFO" --parsable', build], text=True, check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    found = {}
    if "mca:btl:vader:" in parts:
        shared = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "vader,self"}
        found = {"cma": shared, "copies": {**shared, "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}}
    elif "mca:btl:sm:" in parts:
        shared = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "sm,self"}
        found = {"cma": shared, "copies": {**shared, "OMPI_MCA_smsc": "^cma,xpmem"}}
    if "mca:btl:tcp:" in parts:
        found["tcp"] = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "lo"}
    if "mca:pml:ucx:" in parts:
        found["ucx"] = {"OMPI_MCA_pml": "ucx", "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"}
    if "mca:mtl:ofi:" in parts:
        found["ofi"] = {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi", "OMPI_MCA_mtl_ofi_provider_include": "tcp"}
    return found


def runs(engine, full, layouts):
    chosen = layouts or ["--anchors"] if full else [
        word for name in ("MILC_su3_zdown_16x16x16x16", "NAS_MG_x_130x66x66", "LAMMPS_full_3062", "vector_16x1_64") for word in ("--layout", name)]
    return [(2, "pingpong", ["--ways", *chosen], transport, environment) for transport, environment in transports().items()]
