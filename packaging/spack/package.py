# SPDX-License-Identifier: BSD-3-Clause
# Spack: in a repository of yours as packages/dame-openmpi/package.py. Versions tried:
# packaging/README.md.
from spack.package import *


class DameOpenmpi(AutotoolsPackage):
    """An engine for MPI derived datatypes, as two components for an unmodified Open MPI."""

    # A clone, or a file of "make dist": spack install dame-openmpi, in the directory of the source
    # with spack dev-build dame-openmpi@0.3.0.
    version("0.3.0")

    license("BSD-3-Clause", checked_by="dame-openmpi")

    variant("llvm", default=False, description="Also machine code by LLVM (dame_llvm.so)")
    variant("papi", default=False, description="Hardware events in reports (dame_papi.so)")
    variant("report", default=True, description="dame report, which reads JSON")

    depends_on("c", type="build")
    depends_on("autoconf@2.69:", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("openmpi@4.1:")
    depends_on("llvm@17:", when="+llvm")
    depends_on("papi@5:", when="+papi")
    depends_on("jansson@2.7:", when="+report")

    def autoreconf(self, spec, prefix):
        Executable("./autogen.sh")()

    # Open MPI's own prefix is another package's: the components go below ours, and the variable
    # leads to them.
    def configure_args(self):
        args = [
            f"--with-openmpi={self.spec['openmpi'].prefix}",
            f"--with-componentdir={self.component_dir}",
        ]
        args += self.with_or_without("papi", activation_value="prefix")
        args += self.with_or_without("llvm", activation_value="prefix")
        args += ["--without-libclang", "--without-mpich"]
        return args

    @property
    def component_dir(self):
        return join_path(self.prefix.lib, "openmpi")

    # It replaces Open MPI's search list, so it names all of it. PMIx 5 would look there, too, and
    # complain of each file.
    def setup_run_environment(self, env):
        own = join_path(self.spec["openmpi"].prefix.lib, "openmpi")
        env.prepend_path("OMPI_MCA_mca_base_component_path", self.component_dir)
        env.append_path("OMPI_MCA_mca_base_component_path", own)
        if "pmix" in self.spec:
            pmix = join_path(self.spec["pmix"].prefix.lib, "pmix")
            env.set("PMIX_MCA_mca_base_component_path", pmix)
