#!/usr/bin/env python3
"""Streams that today's Mesa submits for the demo, recorded and decoded here: each packet and each register that a driver writes has a
name, and each field is its bits of what was written. Usage: recorded_now.py BIN"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LEAST = {"bonaire": (20, 150), "r580": (20, 150)}  # draws, registers by name: fewer prove nothing


def main():
    tools, failures = pathlib.Path(sys.argv[1]), []
    for gpu, (least_draws, least_registers) in LEAST.items():
        with tempfile.TemporaryDirectory() as folder:
            recording = f"{folder}/gears.atoll"
            run = subprocess.run([tools / "atoll", "run", "--gpu", gpu, "--display", "none", "--record", recording, "--",
                                  tools / "gears", "--frame", "2", f"{folder}/gears.png"], capture_output=True, text=True,
                                 env=dict(os.environ, EGL_LOG_LEVEL="fatal"))
            decoded = subprocess.run([tools / "atoll", "decode", "--json", recording], capture_output=True, text=True)
        if run.returncode or decoded.returncode:
            sys.exit(f"{gpu}: {run.stdout}{run.stderr}{decoded.stderr}")
        draws, names = 0, set()
        for line in decoded.stdout.splitlines():
            packet = json.loads(line)
            if not packet["packet"]:
                failures.append(f"{gpu}: a packet without a name: {packet['words'][:4]}")
            draws += "DRAW" in (packet["packet"] or "")
            for register in packet["registers"]:
                names.add(register["name"])
                if not register["name"]:
                    failures.append(f"{gpu}: {register['address']} has no name")
                for field in register["fields"]:
                    bits = int(register["value"], 16) >> field["low"] & (2 << field["high"] - field["low"]) - 1
                    if bits != int(field["value"], 16):
                        failures.append(f"{gpu}: {register['name']} is {register['value']}, its {field['name']} {field['value']}")
        print(f"{gpu}: {draws} draws, {len(names)} registers by name")
        if draws < least_draws or len(names) < least_registers:
            failures.append(f"{gpu}: too little was recorded")
    print("\n".join(failures[:50]))
    return 1 if failures else 0


sys.exit(main())
