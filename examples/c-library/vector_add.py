#!/usr/bin/env python3
"""Adds two vectors on an emulated GPU through ctypes: vector_add.py OBJECT [GPU]. OBJECT as of vector_add.c; libatoll.so is where
LIBATOLL says, or where the system's loader finds it."""
import ctypes
import os
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_uint32, c_uint64, c_void_p, sizeof

atoll = ctypes.CDLL(os.environ.get("LIBATOLL", "libatoll.so.0"))
VALUE, BUFFER = 1, 2  # atoll_argument_kind


class Argument(Structure):
    _fields_ = [("kind", c_uint32), ("reserved", c_uint32), ("bytes", c_uint64), ("value", c_void_p), ("address", c_uint64)]


class LaunchOptions(Structure):
    _fields_ = [("size", c_uint32), ("dimensions", c_uint32), ("grid", c_uint64 * 3), ("group", c_uint64 * 3),
                ("arguments", POINTER(Argument)), ("argument_count", c_uint32), ("argument_size", c_uint32),
                ("dynamic_lds_bytes", c_uint64), ("timeout_seconds", c_double)]


atoll.atoll_error_message.restype = c_char_p
atoll.atoll_status_name.restype = c_char_p
atoll.atoll_device_open.argtypes = [c_char_p, c_void_p, POINTER(c_void_p)]
atoll.atoll_device_close.argtypes = [c_void_p]
atoll.atoll_memory_map.argtypes = [c_void_p, c_uint64, c_uint64, POINTER(c_void_p)]
atoll.atoll_memory_address.argtypes, atoll.atoll_memory_address.restype = [c_void_p], c_uint64
atoll.atoll_memory_pointer.argtypes, atoll.atoll_memory_pointer.restype = [c_void_p], c_void_p
atoll.atoll_object_load.argtypes = [c_void_p, c_char_p, c_uint64, c_char_p, POINTER(c_void_p)]
atoll.atoll_object_find.argtypes = [c_void_p, c_char_p, POINTER(c_void_p)]
atoll.atoll_launch.argtypes = [c_void_p, POINTER(LaunchOptions), c_void_p]


def check(status):
    if status:
        sys.exit(f"{atoll.atoll_status_name(status).decode()}: {atoll.atoll_error_message().decode()}")


class Floats:
    """So many of them in the GPU's memory, which this program sees as a ctypes array."""

    def __init__(self, gpu, count):
        memory = c_void_p()
        check(atoll.atoll_memory_map(gpu, count * 4, 0, byref(memory)))
        self.address = atoll.atoll_memory_address(memory)
        self.values = (ctypes.c_float * count).from_address(atoll.atoll_memory_pointer(memory))


def main():
    path, name = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else "gfx1201")
    with open(path, "rb") as file:
        content = file.read()
    gpu, code_object, kernel = c_void_p(), c_void_p(), c_void_p()
    check(atoll.atoll_device_open(name.encode(), None, byref(gpu)))
    check(atoll.atoll_object_load(gpu, content, len(content), path.encode(), byref(code_object)))
    check(atoll.atoll_object_find(code_object, b"vector_add", byref(kernel)))
    count = 1000
    a, b, total = (Floats(gpu, count) for _ in range(3))
    a.values[:] = range(count)
    b.values[:] = [2 * n for n in range(count)]
    number = c_uint32(count)
    arguments = (Argument * 4)(*(Argument(kind=BUFFER, address=x.address) for x in (a, b, total)),
                               Argument(kind=VALUE, bytes=4, value=ctypes.addressof(number)))
    groups = (count + 63) // 64
    check(atoll.atoll_launch(kernel, byref(LaunchOptions(
        size=sizeof(LaunchOptions), grid=(groups * 64, 1, 1), group=(64, 1, 1), arguments=arguments, argument_count=4,
        argument_size=sizeof(Argument), timeout_seconds=60)), None))
    if list(total.values) != [3 * n for n in range(count)]:
        sys.exit("the sums are wrong")
    print(f"{count} sums are right")
    atoll.atoll_device_close(gpu)


main()
