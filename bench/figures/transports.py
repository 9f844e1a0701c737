"""What carries the messages; a figure of bench/run (its fields are explained there)."""

from figures.messages import read  # of the same program

title = "Messages over shared memory with and without CMA, TCP, UCX, libfabric"
shows = ("Half a round trip as in the messages between two ranks, with Open MPI's transport chosen: vader copies large messages from the "
         "other process by CMA, or, without it, through shared memory; TCP over the loopback device; UCX by shared memory; libfabric over TCP.")
unit = "µs"
subject = "known:result"
against = {"native:result": "Open MPI", "known:hand": "packing by hand"}
engines = ["native", "known"]
rounds = {"quick": 3, "full": 5}
seconds = {"quick": 100, "full": 300}
transports = {
    "cma": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "vader,self"},
    "copies": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "vader,self", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"},
    "tcp": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self"},
    "ucx": {"OMPI_MCA_pml": "ucx", "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"},
    "ofi": {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi", "OMPI_MCA_mtl_ofi_provider_include": "tcp"},
}


def runs(engine, full, layouts):
    chosen = layouts or ["--anchors"] if full else [
        word for name in ("MILC_su3_zdown_16x16x16x16", "NAS_MG_x_130x66x66", "LAMMPS_full_3062", "vector_16x1_64") for word in ("--layout", name)]
    return [(2, "pingpong", ["--ways", *chosen], transport, environment) for transport, environment in transports.items()]
