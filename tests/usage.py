"""How a script is called, as its docstring says it: printed for --help, and on standard error with status 2 where there are fewer arguments than it needs."""
import os
import sys


def needs(least, text):
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(text.strip())
        sys.exit(0)
    if len(sys.argv) - 1 < least:
        print(f"usage: {os.path.basename(sys.argv[0])} takes {least} argument{'' if least == 1 else 's'} at least\n{text.strip()}", file=sys.stderr)
        sys.exit(2)
