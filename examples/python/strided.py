"""A strided slice and a field of a structured array, packed by libdame and by NumPy.

Prints whether the bytes are the same, and what both took. The times depend on the machine.
"""
import time

import numpy

import dame


def fastest(*functions, rounds=100):
    """The shortest of some times of each function, called in turns, in microseconds."""
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
    return [1e6 * seconds for seconds in best]


def compare(name, array):
    """Packs `array` in both ways, and unpacks what libdame packed."""
    layout = dame.Layout(array)
    out = numpy.empty(array.shape, array.dtype)
    wanted = numpy.ascontiguousarray(array)
    packed = layout.pack(array)
    same = packed.tobytes() == wanted.tobytes()
    kept = array.copy()
    array[...] = 0
    layout.unpack(packed, array)
    same = same and bool((array == kept).all())
    ours = layout.packer(array, out)
    out.fill(0)
    ours()
    same = same and out.tobytes() == packed.tobytes()
    print(f"{name}: {array.nbytes} bytes, {'the same' if same else 'DIFFERENT'}")
    for what, by_numpy, by_dame in [
            ("new array: ascontiguousarray", lambda: numpy.ascontiguousarray(array), lambda: layout.pack(array)),
            ("into an array: copyto", lambda: numpy.copyto(out, array), ours)]:
        theirs, mine = fastest(by_numpy, by_dame)
        print(f"  {what:28} {theirs:8.1f} us, libdame {mine:8.1f} us: {theirs / mine:.2f} times as fast")
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
    try: # a layout is for arrays of its shape and strides only
        dame.Layout(cells[0, :, 2]).pack(cells[0, :, :3])
        results[0] = False
    except ValueError:
        pass
    print(f"{sum(results)} of {len(results)} have the same bytes")
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
