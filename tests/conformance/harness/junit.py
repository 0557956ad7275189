"""Results as JUnit XML, which GitLab, Jenkins and others show."""
import re
import xml.etree.ElementTree as xml

from .results import BAD

LOG = 4000  # characters of a failure's log

# Characters that XML 1.0 cannot hold, not even escaped (Extensible Markup Language 1.0, 2.2).
NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


def text(of):
    return NOT_XML.sub("?", of)


def write(path, title, results, comparison, seconds, logs):
    """What is new (all failures, if there is nothing to compare) as failures and errors; what failed before as skipped."""
    suite = xml.Element("testsuite", name=text(title), tests=str(len(results)))
    counts = {"failures": 0, "errors": 0, "skipped": 0}
    for name in sorted(results):
        row = results[name]
        group, _, last = name.rpartition("@")
        case = xml.SubElement(suite, "testcase", classname=text(group or title), name=text(last), time=f"{seconds.get(name, 0):.2f}")
        said = text(row.get("reason", ""))
        if comparison is None and row["result"] in BAD or comparison is not None and name in comparison.worse:
            kind = "error" if row["result"] in ("crash", "timeout") else "failure"
            counts["errors" if kind == "error" else "failures"] += 1
            message = text(comparison.worse[name]) if comparison is not None else row["result"]
            failure = xml.SubElement(case, kind, type=row["result"], message=f"{message}{f' ({said})' if said else ''}")
            log = logs(name)
            if log.exists():
                failure.text = text(log.read_text(errors="replace")[-LOG:])
        elif row["result"] in BAD:
            counts["skipped"] += 1
            xml.SubElement(case, "skipped", message=f"{row['result']}, as before")
        elif row["result"] == "skip":
            counts["skipped"] += 1
            xml.SubElement(case, "skipped", message=said)
    for key, count in counts.items():
        suite.set(key, str(count))
    new = path.with_name(path.name + ".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    xml.ElementTree(suite).write(new, encoding="utf-8", xml_declaration=True)
    new.replace(path)
