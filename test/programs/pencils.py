# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py-fft: transforms of arrays in slabs and pencils, redistributed by MPI_Alltoallw with subarrays; pencils.py [N [ROUNDS]]. Prints a hash of what comes out, and the seconds."""
import hashlib
import sys

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, DistArray, newDistArray

comm = MPI.COMM_WORLD
n = int(sys.argv[1]) if len(sys.argv) > 1 else 12
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
seen = hashlib.sha256()
noise = np.random.default_rng(comm.rank)
seconds = 0.0
for shape, grid, dtype in (
        ((n, n + 2, n + 4), (0, 1, 1), float), ((n, n + 2, n + 4), (0, 1, 1), complex),  # slabs
        ((n, n + 2, n + 4), (0, 0, 1), float), ((n + 1, n + 3, n), (0, 0, 1), complex),  # pencils, where the ranks are enough
        ((4 * n, 6 * n + 1), (0, 1), float), ((5, n, 3, n - 1), (0, 0, 1, 1), complex)):
    # A planner that measures would choose other sums in each run.
    fft = PFFT(comm, shape, grid=grid, dtype=dtype, planner_effort="FFTW_ESTIMATE")
    space = newDistArray(fft, False)
    space[...] = noise.random(space.shape)
    before = space.copy()
    for _ in range(rounds):
        comm.Barrier()
        seconds -= MPI.Wtime()
        spectrum = fft.forward(space)
        space = fft.backward(spectrum, space)
        seconds += MPI.Wtime()
    seen.update(np.ascontiguousarray(spectrum).tobytes())
    # The mean is the spectrum's first value; and forwards and backwards gives the original values.
    mean = comm.allreduce(before.sum()) / np.prod(shape)
    first = comm.allreduce(np.ravel(spectrum)[0] if all(part.start == 0 for part in fft.local_slice(True)) else 0)
    assert abs(first - mean) < 1e-12 and np.allclose(space, before, rtol=0, atol=1e-12), shape

# One array from each alignment to each other.
array = DistArray((n, n + 1, n + 2), [0, 0, 1], dtype=np.float32)
array[...] = noise.random(array.shape, dtype=np.float32)
before = array.copy()
for axis in (1, 2, 0, 2) * rounds:
    seconds -= MPI.Wtime()
    array = array.redistribute(axis)
    seconds += MPI.Wtime()
    seen.update(np.ascontiguousarray(array).tobytes())
assert np.array_equal(before, array.redistribute(2)), "redistributed"
print(f"rank {comm.rank}: {seen.hexdigest()}", flush=True)
slowest = comm.reduce(seconds, MPI.MAX)
if comm.rank == 0:
    print(f"seconds {slowest:.6f}")
