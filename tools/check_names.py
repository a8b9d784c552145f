#!/usr/bin/env python3
"""check_names.py: names in anonymous namespaces are unique in a component.

Release builds compile the files of a component as a few large ones (CMake's unity build), where two constants, types or
functions of one name clash; developer builds compile each file alone and would not notice. Functions may share a name if
their parameters differ, and aliases if they mean the same."""

import re
import subprocess
import sys
from collections import defaultdict

COMPONENT = re.compile(r"(src/\w+|apps/\w+|plugins/torch|python)/")
DECLARED = [
    re.compile(r"^(?:struct|class|enum class|enum) (\w+)"),
    re.compile(r"^using (\w+)(?: \[\[.*\]\])? ="),
    re.compile(r"^(?:template <.*> )?(?:inline |static |thread_local )*(?:constexpr|const|constinit) [\w:<>,&* ]*?[ &*](\w+)(?: =|\[|\{|;)"),
    re.compile(r"^(?:static |thread_local )*[\w:]+(?:<.*?>)?[&*]? (\w+)(?: =|\{|;)"),
]
FUNCTION = re.compile(r"^(?!return |throw )(?:template <.*?> )?(?:\[\[[\w:, ]+\]\] )?[\w:<>,&*() ]*?[\w>&*] ?[&*]?\b(\w+)\((.*?)\)(?: const)?(?: noexcept)?(?: ->.*?)? ?(?:\{|;|:)")


def without_noise(text):
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', '""', text)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"^\s*#.*?(?<!\\)$|^ATCAV_CPU_CLONES$", "", text, flags=re.M | re.S)


def statements(text):
    """What stands directly in the anonymous namespaces: the namespace around it and the statement."""
    for start in re.finditer(r"\bnamespace \{", text):
        around = re.findall(r"\bnamespace ([\w:]+) \{", text[:start.start()])
        depth, kept = 1, []
        for letter in text[start.end():]:
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if depth == 0:
                break
            if depth == 1 or (letter == "{" and depth == 2):
                kept.append("}\n" if letter == "}" else letter)
        for line in re.split(r"(?<=[;}])", "".join(kept)):
            yield "::".join(around), " ".join(line.split())


def name_of(statement):
    function = FUNCTION.match(statement)
    if function:
        parameters = [re.sub(r" ?\w+$", "", one.split("=")[0].strip()) for one in function[2].split(",")]
        return f"{function[1]}({', '.join(parameters)})"
    for pattern in DECLARED:
        found = pattern.match(statement)
        if found:
            return found[1]
    return None


found = defaultdict(dict)  # (component, name): what it means in each file
for path in subprocess.check_output(["git", "ls-files", "*.cpp"], text=True).split():
    component = COMPONENT.match(path)
    if not component or path.endswith("_test.cpp"):
        continue
    for around, statement in statements(without_noise(open(path).read())):
        name = name_of(statement)
        if name:
            alias = re.match(r"(?:using|namespace) \w+ =", statement)
            found[component[1], f"{around}::{name}"][path] = statement if alias else path

shared = {key: files for key, files in found.items() if len(set(files.values())) > 1}
for (component, name), files in sorted(shared.items()):
    print(f"{component}: {name} is in the anonymous namespaces of {' and '.join(sorted(files))}")
if len(found) < 500:
    sys.exit(f"check_names: found only {len(found)} names, must be the hundreds that there are")
if shared:
    sys.exit(1)
print(f"names: {len(found)}, unique in their components")
