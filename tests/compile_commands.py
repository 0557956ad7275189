"""How each source of a build is compiled, whether alone or several at once (ATOLL_UNITY, cmake/unity.cmake)."""
import json
import pathlib


def commands(build):
    """The entries of BUILD's compile_commands.json, and one for each source that is compiled with others: their command with the source's own name."""
    build = pathlib.Path(build)
    entries = json.loads((build / "compile_commands.json").read_text())
    for target in sorted((build / "unity").glob("*.txt")):
        of_target = [e for e in entries if f"/{target.stem}.dir/" in e["command"]]
        together = next((e for e in of_target if f"/{target.stem}.dir/Unity/" in e["file"]), None)
        alone = {e["file"] for e in of_target}
        if together:
            entries += [{"directory": together["directory"], "file": source, "command": together["command"].replace(together["file"], source)}
                        for source in target.read_text().split() if source not in alone]
    return entries
