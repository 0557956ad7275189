"""The command line of tests/conformance/run."""
import argparse
import os
import pathlib

from .tests import ROOT

EXPECTED = ROOT / "tests/conformance/expected"


def arguments(argv=None):
    parser = argparse.ArgumentParser(
        prog="tests/conformance/run", description="Programs on an emulated GPU, a result each, compared with an earlier run: docs/conformance.md",
        epilog="Ends with 1 if a test that did not fail in the compared results fails now (or, with nothing to compare, if any fails, with "
               "--beside on the GPU alone), "
               "2 for a wrong call, 3 if something is missing.")
    parser.add_argument("--gpu", default="bonaire", help="(bonaire); cpu: no emulated GPU, but the driver in software that results are compared with "
                        "(llvmpipe; of OpenCL PoCL)")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", metavar="FILE", help="programs: a line each, NAME: COMMAND ARGUMENT...")
    what.add_argument("--piglit", metavar="PROFILE,...", help="of Debian's piglit: quick_gl, quick_shader, cl, ...")
    what.add_argument("--merge", metavar="DIR", nargs="+", help="runs nothing: puts the results of shards together; DIR: the --output of the "
                      "shards, or one of each")

    choice = parser.add_argument_group("which of them")
    choice.add_argument("--tests", metavar="NAME,...|FILE", action="append", default=[],
                        help="only these: names, or a file with a name a line or with results")
    choice.add_argument("--failed", metavar="RESULTS", help="only those that fail in these results (a file, a folder, or `expected`)")
    choice.add_argument("--match", metavar="EXPRESSION", help="only those whose name matches")
    choice.add_argument("--sample", metavar="N/M|N", help="only this share, or so many: chosen by a hash of the name")
    choice.add_argument("--can-run", action="store_true", help="leave out what needs more than the driver has, before the sample is taken")
    choice.add_argument("--skips", metavar="FILE", action="append", default=[], help="a regular expression a line, as deqp-runner reads it: tests whose "
                        "name matches are not run; may be repeated")
    choice.add_argument("--shard", metavar="K/N|auto", help="only the K-th of N parts, of which each machine runs one; auto: as the job's "
                        "environment says (Slurm, GitLab, Kubernetes)")

    how = parser.add_argument_group("how they run")
    how.add_argument("--mesa", metavar="DIR", help="the drivers of this Mesa instead of the system's, as `atoll run --mesa`; llvmpipe beside it is "
                     "of the same (a GPU that the system's is too old for has the newest that `atoll mesa --fetch` left)")
    how.add_argument("--zink", action="store_true", help="OpenGL over the GPU's Vulkan driver (zink)")
    how.add_argument("--api", choices=("opengl", "opencl"), help="whose driver has to answer (as the profile says; opengl for a list)")
    how.add_argument("--beside", metavar="run|RESULTS", help="the same tests run in software as well (llvmpipe, of OpenCL PoCL; results in OUTPUT/cpu), "
                     "and what fails on the GPU alone is listed; or their results are these (`expected`: what is committed)")
    how.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once (as many as the machine has cores)")
    how.add_argument("--strict", action="store_true", help="what the GPU does not know ends the program")
    how.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for each program (300)")
    how.add_argument("--control", action="store_true", help="what passes runs again with a driver that gives the GPU nothing to do: what passes "
                     "then as well proves nothing, and is counted apart")
    how.add_argument("--resume", action="store_true", help="go on with the run in the output folder, if there is one")
    how.add_argument("--build", metavar="DIR", default=str(ROOT / "build/release"), help="(build/release)")

    then = parser.add_argument_group("what becomes of the results")
    then.add_argument("--output", metavar="DIR", help="results.jsonl, run.json, seconds.tsv and logs/ (build/conformance/GPU); of a shard in "
                      "DIR/shard-K-of-N; merged in DIR/merged")
    then.add_argument("--compare", metavar="RESULTS", help="an earlier results.jsonl (.gz), or the folder it lies in; `expected`: what is "
                      "committed of this GPU and Mesa")
    then.add_argument("--fails", metavar="FILE", action="append", default=[], help="instead of --compare: what is known to fail, a line NAME,RESULT each, as "
                      "deqp-runner reads it, or a piglit.conf with expected-failures and expected-crashes; what is listed and passes "
                      "ends the run with 1 as well; may be repeated")
    then.add_argument("--flakes", metavar="FILE", action="append", default=[], help="a regular expression a line: what such tests come to ends nothing; may "
                      "be repeated")
    then.add_argument("--write-lists", metavar="PREFIX", help="writes PREFIX-fails.txt, -flakes.txt, -skips.txt for deqp-runner, and -piglit.conf")
    then.add_argument("--chip", metavar="FILE", help="what fails on a real chip, as the continuous integration of Mesa lists it (a line each, "
                      "NAME,RESULT): failures are told apart by it, and what passes here and fails there is listed")
    then.add_argument("--update", metavar="RESULTS", help="write the results here as well (.gz: compressed), or `expected`; tests that are there "
                      "and were not chosen now stay")
    then.add_argument("--junit", metavar="FILE", help="write them as JUnit XML: what is new in them as failures")
    then.add_argument("--sum", action="store_true", help="the last line is N passed, N failed, N skipped, as ./test counts")
    options = parser.parse_args(argv)
    if options.compare and (options.fails or options.flakes):
        parser.error("--compare has earlier results, --fails and --flakes lists: choose one of them")
    if options.zink and options.control:
        parser.error("--control: Vulkan's drivers cannot be told to leave the GPU alone")
    return options


def expected_file(word, suite, gpu, driver):
    """Where the results lie that a word of the command line names."""
    return EXPECTED / f"{suite}-{gpu}-{driver}.jsonl.gz" if word == "expected" else pathlib.Path(word)
