"""Folders that are not part of the project and that tests compare with where these are there: the manuals, and streams that Mesa's
drivers recorded. An environment variable names each; without it a folder beside the source tree is taken; without either the tests
end with SKIPPED, which CTest shows as "Skipped" and never as passed."""
import os
import sys

SKIPPED = 77
_BESIDE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../shared"))


def _folder(variable, beside, what):
    folder = os.environ.get(variable, "")
    if not folder:
        folder = os.path.join(_BESIDE, beside)
        if not os.path.isdir(folder):
            print(f"{variable} is not set and ../shared/{beside} is not there: nothing was compared with {what}")
            sys.exit(SKIPPED)
    # A folder that was named, and what is missing in it, is a failure, not a skip.
    if not os.path.isdir(folder):
        sys.exit(f"{variable}: {folder} is not a folder")
    return folder


def manuals(what):
    return _folder("ATOLL_MANUALS", "manuals", what)


def recordings(what):
    return _folder("ATOLL_RECORDINGS", "findings/data", what)
