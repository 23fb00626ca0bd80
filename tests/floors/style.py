#!/usr/bin/env python3
"""Refuses long files, long functions, long lines and tabs in sources and scripts: style.py [ROOT].

`style.py --format` runs clang-format over the sources instead. Other versions than 14 format
differently: without version 14 it says so and exits with 77, which CTest counts as skipped.
"""

import pathlib
import shutil
import subprocess
import sys
from typing import Iterator, List, Optional

from floors import files_of, sources_of

MAX_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_COLUMNS = 100
SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def faults_of(path: str, text: str) -> Iterator[str]:
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        yield f"{path}: {len(lines)} lines, at most {MAX_LINES}: is it one thing?"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield f"{path}:{number}: {len(line)} columns, at most {MAX_COLUMNS}"
        if "\t" in line:
            yield f"{path}:{number}: a tab"
    if text and not text.endswith("\n"):
        yield f"{path}: no newline at the end"


def long_functions_of(path: str, text: str) -> Iterator[str]:
    """Functions of clang-formatted C++: from the last line with an indent of 0 (of a member: 2)
    to the lone brace under it. Classes end with "};", namespaces with a comment."""
    begins = {0: 0, 2: 0}
    for number, line in enumerate(text.splitlines(), 1):
        indent = len(line) - len(line.lstrip(" "))
        if not line or indent not in begins:
            continue
        length = number - begins[indent] + 1
        if line.strip() == "}" and length > MAX_FUNCTION_LINES:
            yield (
                f"{path}:{begins[indent]}: a function of {length} lines, "
                f"at most {MAX_FUNCTION_LINES}"
            )
        begins[indent] = number


SCRIPT_ENDINGS = {".py", ".js", ".css"}


def scripts_of(root: pathlib.Path) -> Iterator[pathlib.Path]:
    yield from (path for path in files_of(root) if path.suffix in SCRIPT_ENDINGS)
    yield from sorted(path for path in (root / "ci").glob("*") if path.is_file())


def check(root: pathlib.Path) -> List[str]:
    found: List[str] = []
    sources = list(sources_of(root))
    for path in [*sources, *scripts_of(root)]:
        found += faults_of(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    for path in sources:
        text = path.read_text(encoding="utf-8")
        found += long_functions_of(path.relative_to(root).as_posix(), text)
    return found


def clang_format_14() -> Optional[str]:
    for name in ("clang-format-14", "clang-format"):
        program = shutil.which(name)
        if program is None:
            continue
        version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        if " version 14." in version:
            return program
    return None


def check_format(root: pathlib.Path) -> int:
    program = clang_format_14()
    if program is None:
        print("skipped: clang-format 14 is not installed")
        return SKIPPED
    sources = map(str, sources_of(root))
    return subprocess.run([program, "--dry-run", "--Werror", *sources]).returncode


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--format"]:
        return check_format(ROOT)
    found = check(pathlib.Path(arguments[0]) if arguments else ROOT)
    for line in found:
        print(line)
    print(f"style: {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
