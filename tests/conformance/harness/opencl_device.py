#!/usr/bin/python3
"""The OpenCL devices that a program finds, one a line: platform, device and driver version, parted by tabs. Run as the tests are."""
import ctypes
import sys

# The Khronos headers' CL/cl.h.
PLATFORM_NAME, DEVICE_NAME, DRIVER_VERSION, DEVICE_TYPE_ALL = 0x0902, 0x102B, 0x102D, 0xFFFFFFFF
MANY = 16


def handles(function, *arguments):
    found, count = (ctypes.c_void_p * MANY)(), ctypes.c_uint(0)
    return [ctypes.c_void_p(h) for h in found[:count.value]] if function(*arguments, MANY, found, ctypes.byref(count)) == 0 else []


def text(function, handle, name):
    buffer = ctypes.create_string_buffer(1024)
    function(handle, name, len(buffer), buffer, None)
    return buffer.value.decode(errors="replace").strip()


def main():
    try:
        cl = ctypes.CDLL("libOpenCL.so.1")
    except OSError as error:
        sys.exit(str(error))
    for platform in handles(cl.clGetPlatformIDs):
        for device in handles(cl.clGetDeviceIDs, platform, ctypes.c_uint64(DEVICE_TYPE_ALL)):
            print(text(cl.clGetPlatformInfo, platform, PLATFORM_NAME), text(cl.clGetDeviceInfo, device, DEVICE_NAME),
                  text(cl.clGetDeviceInfo, device, DRIVER_VERSION), sep="\t")


main()
