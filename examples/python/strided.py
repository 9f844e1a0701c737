"""A strided slice and a field of a structured array, packed by libdame and by NumPy.

Prints whether the bytes are the same, and what both took. The times depend on the machine.
"""
import time

import numpy

import dame


def fastest(function, rounds=30):
    """The shortest of some times of a call, in microseconds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def compare(name, array):
    """Both into memory that is there already: numpy.copyto() is what ascontiguousarray() does."""
    layout = dame.Layout(array)
    out = numpy.empty(array.shape, array.dtype)
    wanted = numpy.ascontiguousarray(array)
    packed = layout.pack(array)
    same = packed.tobytes() == wanted.tobytes()
    kept = array.copy()
    array[...] = 0
    layout.unpack(packed, array)
    same = same and bool((array == kept).all())
    by_numpy = fastest(lambda: numpy.ascontiguousarray(array))
    by_dame = fastest(lambda: layout.pack(array))
    in_place = fastest(lambda: layout.pack(array, out))
    by_copyto = fastest(lambda: numpy.copyto(out, array))
    print(f"{name}: {array.nbytes} bytes, {'the same' if same else 'DIFFERENT'}")
    print(f"  new array:      ascontiguousarray {by_numpy:9.1f} us, pack {by_dame:9.1f} us, "
          f"{by_numpy / by_dame:.2f} times as fast")
    print(f"  into an array:  copyto            {by_copyto:9.1f} us, pack {in_place:9.1f} us, "
          f"{by_copyto / in_place:.2f} times as fast")
    return same


def main():
    cells = numpy.arange(128 * 128 * 128, dtype=numpy.float64).reshape(128, 128, 128)
    particles = numpy.zeros(100000, dtype=[("position", "f8", 3), ("velocity", "f8", 3),
                                           ("charge", "f8"), ("id", "i4"), ("kind", "i4")])
    particles["id"] = numpy.arange(100000)
    particles["velocity"] = numpy.random.default_rng(1).random((100000, 3))
    results = [
        compare("face x = 0 of a cube", cells[:, :, 0]),
        compare("face y = 0", cells[:, 0, :]),
        compare("two layers of ghost cells", cells[:, :, :2]),
        compare("every third plane, backwards", cells[:, ::3, ::-1]),
        compare("transposed plane", cells[5].T),
        compare("field velocity of a structured array", particles["velocity"]),
        compare("field id", particles["id"]),
    ]
    print(f"{sum(results)} of {len(results)} have the same bytes")
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
