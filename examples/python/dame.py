"""libdame for NumPy, by ctypes: just what the examples beside this file need.

pack() does what numpy.ascontiguousarray(a).tobytes() does: it lays the elements of a NumPy array of
any strides side by side. A datatype is made once for shape, strides and type, and used as often as
one likes.
"""
import ctypes
import os

import numpy

_library = ctypes.CDLL(os.environ.get("LIBDAME", "libdame.so.0"))
_number = ctypes.c_int64
_handle = ctypes.c_void_p

_library.dame_error_message.restype = ctypes.c_char_p
for _name, _arguments in {
    "dame_context_new": [_handle, _handle],
    "dame_datatype_basic": [_handle, ctypes.c_char_p, _number, _handle],
    "dame_datatype_hvector": [_number, _number, _number, _handle, _handle],
    "dame_datatype_commit": [_handle],
    "dame_datatype_free": [_handle],
    "dame_pack": [_handle, _number, _handle, _number, _handle, _number, _handle],
    "dame_unpack": [_handle, _number, _handle, _number, _handle, _number, _handle],
}.items():
    getattr(_library, _name).argtypes = _arguments
_library.dame_datatype_free.restype = None


class Error(Exception):
    pass


def _call(name, *arguments):
    if getattr(_library, name)(*arguments) != 0:
        raise Error(_library.dame_error_message().decode())


def _made(name, *arguments):
    """Calls a function that returns a handle in its last argument."""
    handle = _handle()
    _call(name, *arguments, ctypes.byref(handle))
    return handle


_pack = _library.dame_pack


def _address(array):
    return array.__array_interface__["data"][0]


_context = _made("dame_context_new", None)


class Layout:
    """The datatype of arrays with this array's shape, strides and element type."""

    def __init__(self, array):
        kind = array.dtype.name if array.dtype.names is None else "record"
        known = kind.startswith(("int", "uint", "float", "complex"))
        self.bytes = array.nbytes
        self.shape = array.shape
        self.strides = array.strides
        self.dtype = array.dtype
        self.handle = _made("dame_datatype_basic", _context, (kind if known else "other").encode(),
                            array.itemsize)
        for count, stride in zip(reversed(array.shape), reversed(array.strides)):
            inner = self.handle
            self.handle = _made("dame_datatype_hvector", count, 1, stride, inner)
            _library.dame_datatype_free(inner)
        _call("dame_datatype_commit", self.handle)

    def __del__(self):
        if hasattr(self, "handle"):
            _library.dame_datatype_free(self.handle)

    def _check(self, array, packed):
        """The layout is that of its array: another one's bytes lie elsewhere."""
        if (array.shape, array.strides, array.dtype) != (self.shape, self.strides, self.dtype):
            raise ValueError(f"an array of shape {array.shape}, strides {array.strides}, {array.dtype}; the layout is of "
                             f"shape {self.shape}, strides {self.strides}, {self.dtype}")
        if packed.nbytes != self.bytes or not packed.flags.c_contiguous:
            raise ValueError(f"packed bytes: {packed.nbytes}, contiguous: {packed.flags.c_contiguous}; "
                             f"the layout has {self.bytes}, contiguous")

    def pack(self, array, out=None):
        """The elements of `array` side by side, in `out` or in a new array."""
        if out is None:
            out = numpy.empty(self.shape, self.dtype)
        self._check(array, out)
        if _pack(self.handle, 1, _address(array), 0, _address(out), self.bytes, None) != 0:
            raise Error(_library.dame_error_message().decode())
        return out

    def packer(self, array, out):
        """A function that packs `array` into `out`, which must not move, any number of
        times; ctypes converts the arguments once."""
        self._check(array, out)
        function = ctypes.CDLL(_library._name).dame_pack  # without argtypes: they are made here
        arguments = (self.handle, _number(1), _handle(_address(array)), _number(0), _handle(_address(out)),
                     _number(self.bytes), None)

        def pack(keep=(self, array, out)):
            if function(*arguments) != 0:
                raise Error(_library.dame_error_message().decode())
        return pack

    def unpack(self, packed, array):
        """Writes contiguous elements to where those of `array` lie."""
        self._check(array, packed)
        _call("dame_unpack", self.handle, 1, _address(array), 0, _address(packed), self.bytes, None)
