# SPDX-License-Identifier: BSD-3-Clause
"""NumPy arrays through mpi4py: sub-arrays, columns, structures, Alltoallw, one-sided, reductions; prints what arrived, as a hash."""
import hashlib

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
right, left = (rank + 1) % size, (rank - 1) % size
seen = hashlib.sha256()
noise = np.random.default_rng(rank)


def told(array):
    seen.update(np.ascontiguousarray(array).tobytes())


# Faces of a cube, C and Fortran order, all six of each.
for order, code in (("C", MPI.ORDER_C), ("F", MPI.ORDER_F)):
    cube = np.array(noise.random((20, 18, 22)), order=order)
    other = np.zeros_like(cube)
    for axis in range(3):
        for at in (1, cube.shape[axis] - 2):
            part, start = [n - 2 for n in cube.shape], [1, 1, 1]
            part[axis], start[axis] = 1, at
            face = MPI.DOUBLE.Create_subarray(cube.shape, part, start, order=code).Commit()
            comm.Sendrecv([cube, 1, face], right, axis, [other, 1, face], left, axis)
            face.Free()
    told(other)

# Columns that become rows, and a structure of mixed types with gaps.
matrix = noise.integers(0, 1 << 30, (64, 48), dtype=np.int32)
out = np.zeros((48, 64), dtype=np.int32)
column = MPI.INT32_T.Create_vector(64, 1, 48).Create_resized(0, 4).Commit()
comm.Sendrecv([matrix, 48, column], right, 3, [out, out.size, MPI.INT32_T], left, 3)
told(out)
record = np.dtype([("x", "f8"), ("id", "i4"), ("v", "f4", 3), ("flag", "i1")], align=True)
particles = np.zeros(500, dtype=record)
particles["x"], particles["id"], particles["v"] = noise.random(500), np.arange(500), noise.random((500, 3))
kind = MPI.Datatype.Create_struct([1, 1, 3, 1], [record.fields[n][1] for n in ("x", "id", "v", "flag")],
                                  [MPI.DOUBLE, MPI.INT32_T, MPI.FLOAT, MPI.INT8_T]).Create_resized(0, record.itemsize).Commit()
some = kind.Create_indexed([3] * 40, sorted(noise.choice(160, 40, replace=False) * 3)).Commit()
for _ in range(50):
    arrived = np.zeros(120, dtype=record)
    comm.Sendrecv([particles, 1, some], right, 4, [arrived, 120, kind], left, 4)
told(arrived)

# A transpose of blocks by Alltoallw.
n = 8 * size
rows = noise.random((8, n))
columns = np.zeros((n, 8))
block = [MPI.DOUBLE.Create_subarray((8, n), (8, 8), (0, 8 * p)).Commit() for p in range(size)]
place = [MPI.DOUBLE.Create_subarray((n, 8), (8, 8), (8 * p, 0)).Commit() for p in range(size)]
comm.Alltoallw([rows, [1] * size, [0] * size, block], [columns, [1] * size, [0] * size, place])
told(columns)

# Windows and reductions of derived types.
window = MPI.Win.Create(matrix, 4, comm=comm)
window.Fence()
window.Put([out, 64, MPI.INT32_T], right, [0, 1, column])
window.Fence()
window.Free()
told(matrix)
external = MPI.INT32_T.Create_vector(16, 2, 5).Commit()
packed = bytearray(external.Pack_external_size("external32", 1))
external.Pack_external("external32", matrix.reshape(-1)[: external.extent // 4], packed, 0)
told(np.frombuffer(packed, dtype=np.uint8))
print(f"rank {rank}: {seen.hexdigest()}")
