#!/usr/bin/env python3
"""The sentences on fields are the project's own: none shares a run of six words with a manual. The manuals are not part of the project: tests/outside.py
finds them. Usage: description_words.py FOLDER_OF_REGISTERS"""
import os
import re
import sys

sys.dont_write_bytecode = True
import manual_text  # noqa: E402

RUN = 6


def words(text):
    return re.findall(r"[a-z0-9_]+", re.sub(r"</?[a-z][^<>]*>", " ", text).lower())


def runs(listed):
    return {tuple(listed[i:i + RUN]) for i in range(len(listed) - RUN + 1)}


def main():
    folder, findings = manual_text.outside.manuals("the sentences on fields"), manual_text.Findings()
    taken = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".txt"):
            with open(os.path.join(folder, name), encoding="utf-8") as text:
                for run in runs(words(text.read())):
                    taken.setdefault(run, name)
    findings.check(len(taken) > 10000, f"{folder}: only {len(taken)} runs of words")
    for family in sorted(os.listdir(sys.argv[1])):
        path = os.path.join(sys.argv[1], family, "descriptions.tsv")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as rows:
            for row in rows:
                names, tab, sentence = row.rstrip("\n").partition("\t")
                if not tab:
                    continue
                findings.count("sentences")
                for run in sorted(runs(words(sentence))):
                    findings.check(run not in taken, f"{family}: {names}: '{' '.join(run)}' is in {taken.get(run)}")
    return findings.report()


if __name__ == "__main__":
    sys.exit(main())
