#!/usr/bin/env python3
"""Every field of the manuals' registers, and of DG1's commands and structures, has a sentence: each of `fidelity --gpu G --json`, and each that `reg
--gpu G --all --json` prints of the registers; they are found by their words. Usage: descriptions.py PATH_OF_ATOLL"""
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import manual_text  # noqa: E402

# The families all of whose fields have one: registers, or commands and structures, and fields.
WHOLE = {"bonaire": (393, 1465), "r580": (278, 1005), "dg1": (177, 1786)}
SHORTEST, LONGEST = 15, 160
# Names of registers and fields alone are no sentence.
WORD = re.compile(r"\b[A-Za-z][a-z]+\b")


def check(findings, name, sentence):
    if not findings.check(sentence is not None, f"{name}: nothing says what it does"):
        return
    findings.count("sentences")
    findings.check(SHORTEST <= len(sentence) <= LONGEST, f"{name}: {len(sentence)} characters: {sentence}")
    findings.check(re.match(r"[A-Z0-9]", sentence) and sentence.endswith(".") and "  " not in sentence, f"{name}: no sentence: {sentence}")
    findings.check(len(WORD.findall(sentence)) >= 3, f"{name}: hardly a word: {sentence}")


def main():
    atoll, findings = sys.argv[1], manual_text.Findings()
    for gpu, (registers, fields) in WHOLE.items():
        listed = [row for row in manual_text.objects([atoll, "fidelity", "--gpu", gpu, "--json"]) if row.get("kind", "").endswith(" field")]
        names = {row["name"].split(".")[0] for row in listed}
        findings.check((len(names), len(listed)) == (registers, fields), f"{gpu}: {len(listed)} fields of {len(names)} registers, not {fields} of {registers}")
        for row in listed:
            check(findings, f"{gpu}: {row['name']}", row.get("description"))
        if not listed or listed[0]["kind"] != "register field":
            continue
        for register in manual_text.objects([atoll, "reg", "--gpu", gpu, "--all", "--json"]):
            for field in register["fields"]:
                if register["source"] == "manual":
                    check(findings, f"{gpu}: {register['name']}.{field['name']}", field.get("description"))
        # Found by words that stand in one sentence alone, in whatever case; and printed for a person.
        rare = [row for row in listed if row.get("description") and len(row["description"].split()) > 6][::97]
        for row in rare:
            words = re.findall(r"[a-z]{4,}", row["description"].lower())
            found = [(one["register"], one.get("field")) for one in manual_text.objects([atoll, "reg", "--gpu", gpu, "--search", ",".join(words).upper(), "--json"])]
            register, field = row["name"].split(".", 1)
            findings.check((register, re.sub(r"\[[\d:]+\]$", "", field)) in found or (register, None) in found, f"{gpu}: {row['name']} is not found by {words}")
            text = subprocess.run([atoll, "reg", "--gpu", gpu, register], capture_output=True, text=True, check=False).stdout
            findings.check(f" {row['description']}\n" in text, f"{gpu}: reg {register} does not print: {row['description']}")
            findings.count("searches")
    return findings.report()


if __name__ == "__main__":
    sys.exit(main())
