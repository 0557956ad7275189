#!/usr/bin/env python3
"""An emulator's test as tinygrad has them (tinygrad/tinygrad, test/amd/hw): instruction words run on this process's own memory, and a
buffer tells what they left. Here each work-item of a wave adds its number to what its neighbour has, by way of LDS.
libatoll.so is where LIBATOLL says, or where the system's loader finds it."""
import ctypes
import os
import sys
from ctypes import c_char_p, c_int32, c_uint32, c_uint64

atoll = ctypes.CDLL(os.environ.get("LIBATOLL", "libatoll.so.0"))
atoll.run_asm.argtypes = [c_uint64] + [c_uint32] * 7 + [c_uint64]
atoll.run_asm_ex.argtypes = atoll.run_asm.argtypes + [c_uint32, c_uint32, c_char_p]
atoll.run_asm.restype = atoll.run_asm_ex.restype = c_int32
atoll.atoll_error_message.restype = c_char_p

LANES = 32
# atoll asm --isa gfx1201 --hex writes these bytes:
NEIGHBOURS = bytes.fromhex("".join([
    "802000f4000000f8",          # s_load_b64 s[2:3], s[0:1], 0x0
    "82000230",                  # v_lshlrev_b32_e32 v1, 2, v0
    "000034d801000000",          # ds_store_b32 v1, v0
    "0000c6bf",                  # s_wait_dscnt 0x0
    "8402043a",                  # v_xor_b32_e32 v2, 4, v1
    "0000d8d802000003",          # ds_load_b32 v3, v2
    "0000c6bf",                  # s_wait_dscnt 0x0
    "0301064a",                  # v_add_nc_u32_e32 v3, v3, v0
    "0000c7bf",                  # s_wait_kmcnt 0x0
    "028006ee0000800101000000",  # global_store_b32 v1, v3, s[2:3]
    "0000b0bf",                  # s_endpgm
]))


def run(code, arguments, rsrc2=None, scratch=0):
    """As test/mockgpu calls it: addresses of ctypes arrays."""
    words = (ctypes.c_char * len(code)).from_buffer_copy(code)
    args = (c_uint64 * len(arguments))(*arguments)
    place = (ctypes.addressof(words), len(code), 1, 1, 1, LANES, 1, 1, ctypes.addressof(args))
    status = atoll.run_asm(*place) if rsrc2 is None else atoll.run_asm_ex(*place, rsrc2, scratch, b"rdna4")
    return status, atoll.atoll_error_message().decode() if status else ""


def main():
    out = (c_uint32 * LANES)()
    status, message = run(NEIGHBOURS, [ctypes.addressof(out)])
    if status or list(out) != [n + (n ^ 1) for n in range(LANES)]:
        sys.exit(f"run_asm: {message or list(out)}")
    # With 512 bytes of LDS and scratch memory; only the arguments differ.
    out = (c_uint32 * LANES)()
    status, message = run(NEIGHBOURS, [ctypes.addressof(out)], rsrc2=0x19C | 1 << 15, scratch=64)
    if status or list(out) != [n + (n ^ 1) for n in range(LANES)]:
        sys.exit(f"run_asm_ex: {message or list(out)}")
    # An address that no process has is an error, and this one goes on.
    status, message = run(NEIGHBOURS, [0x1000])
    if not status or "store of 4 bytes at 0x1000" not in message:
        sys.exit(f"no fault: {status} {message}")
    print(f"{LANES} sums of neighbours are right; {message}")


main()
