#!/usr/bin/env python3
"""Refuses what breaks the rooms and floors of the tree (CONTRIBUTING.md): floors.py [ROOT].

Upward and sideways includes and links, outside headers that a room may not use (table.txt) even
where another room's header brings them, conditional compilation, and headers without
`#pragma once`. Prints one line for each violation; exit code 1 if there is any.
"""

import fnmatch
import pathlib
import re
import sys
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

SOURCE_ENDINGS = {".h", ".hpp", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".cu", ".inc"}
HEADER_ENDINGS = {".h", ".hpp", ".cuh"}
TOP_FOLDERS = ("harness", "workloads", "tests")

INCLUDE = re.compile(r'^\s*#\s*(?:include|import)\s*(?:<([^>]+)>|"([^"]+)"|(.+))')
CONDITIONAL = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif|elifdef|elifndef)\b")
STANDARD_HEADER = re.compile(r"^[a-z_0-9]+$")  # <vector>, <cstdint>: no folder, no ending


class Room(NamedTuple):
    name: str
    floor: int
    beside: List[str]  # rooms of its own floor that it may use
    outside: List[Tuple[str, str]]  # pattern of the header, pattern of the including file's name


class Table(NamedTuple):
    rooms: Dict[str, Room]
    impure: List[str]

    def room_of(self, path: str) -> Optional[Room]:
        """The room with the longest name that holds `path` (relative to the root)."""
        folder = path
        while "/" in folder:
            folder = folder.rsplit("/", 1)[0]
            if folder in self.rooms:
                return self.rooms[folder]
        return None


def read_table(path: pathlib.Path) -> Table:
    groups: Dict[str, List[str]] = {}
    rooms: Dict[str, Room] = {}
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) > 1 and words[1] == "=":
            groups[words[0]] = words[2:]
            continue
        entries = [entry for word in words[2:] for entry in groups.get(word, [word])]
        outside = [tuple((entry + "@*").split("@")[:2]) for entry in entries if entry[0] != "+"]
        beside = [entry[1:] for entry in entries if entry[0] == "+"]
        rooms[words[0]] = Room(words[0], int(words[1]), beside, outside)
    return Table(rooms, groups["impure"])


def files_of(root: pathlib.Path) -> Iterator[pathlib.Path]:
    for top in TOP_FOLDERS:
        yield from sorted(path for path in (root / top).rglob("*") if path.is_file())


def sources_of(root: pathlib.Path) -> Iterator[pathlib.Path]:
    return (path for path in files_of(root) if path.suffix in SOURCE_ENDINGS)


def named(room: Room) -> str:
    return f"{room.name} (floor {room.floor})"


def may_use_room(user: Room, used: Room) -> bool:
    return used.floor < user.floor or used.name == user.name or used.name in user.beside


def why_not_outside(table: Table, room: Room, file_name: str, header: str) -> Optional[str]:
    """None where `room` may include the outside `header` in this file, else the reason."""
    matching = [entry for entry in room.outside if fnmatch.fnmatchcase(header, entry[0])]
    if matching:
        pattern, files = max(matching, key=lambda entry: len(entry[0]))
        if fnmatch.fnmatchcase(file_name, files):
            return None
        return f"{room.name} may include {pattern} in {files} alone"
    if STANDARD_HEADER.match(header) and header not in table.impure:
        return None
    return f"{room.name} may not include <{header}>"


def check_include(table: Table, room: Room, path: str, target: str, quoted: bool) -> Optional[str]:
    if quoted and target.split("/")[0] in TOP_FOLDERS:
        used = table.room_of(target)
        if used is None:
            return f'"{target}" is in no room of the table'
        if not may_use_room(room, used):
            return f"{named(room)} may not include {named(used)}"
        return None
    reason = why_not_outside(table, room, path.rsplit("/", 1)[-1], target)
    if reason and quoted and "/" not in target:
        return f'"{target}": write project headers from the root of the repository'
    return reason


def check_source(table: Table, path: str, text: str) -> Iterator[str]:
    room = table.room_of(path)
    if room is None:
        yield f"{path}: lies in no room of the table"
        return
    for number, line in enumerate(text.splitlines(), 1):
        conditional = CONDITIONAL.match(line)
        if conditional:
            yield f"{path}:{number}: conditional compilation (#{conditional[1]}): use another file"
        include = INCLUDE.match(line)
        if include and include[3]:
            yield f"{path}:{number}: include of a macro: write the header's name"
        elif include:
            header = include[1] or include[2]
            reason = check_include(table, room, path, header, quoted=include[2] is not None)
            if reason:
                yield f"{path}:{number}: {reason}"
    is_header = pathlib.PurePath(path).suffix in HEADER_ENDINGS
    if is_header and not re.search(r"^#pragma once$", text, re.M):
        yield f"{path}: no #pragma once"


def headers_of(text: str) -> List[str]:
    matches = (INCLUDE.match(line) for line in text.splitlines())
    return [match[1] or match[2] for match in matches if match and not match[3]]


def check_reach(table: Table, includes: Dict[str, List[str]], path: str) -> Iterator[str]:
    """Outside headers that `path` gets through project headers. `includes`: by file."""
    room = table.room_of(path)
    seen = set()
    ahead = [header for header in includes[path] if header in includes]
    while room and ahead:
        header = ahead.pop()
        if header in seen:
            continue
        seen.add(header)
        for inner in includes[header]:
            if inner in includes:
                ahead.append(inner)
            elif inner.split("/")[0] not in TOP_FOLDERS:
                reason = why_not_outside(table, room, path.rsplit("/", 1)[-1], inner)
                if reason:
                    yield f"{path}: through {header}: {reason}"


def cmake_commands(text: str, name: str) -> Iterator[List[str]]:
    """The arguments of each call of `name`; no nested parentheses, no quoted spaces."""
    bare = re.sub(r"#.*", "", text)
    for call in re.finditer(r"\b" + name + r"\s*\(([^)]*)\)", bare):
        yield call[1].replace('"', " ").split()


def check_links(table: Table, room_files: Dict[str, str]) -> Iterator[str]:
    """`room_files`: the text of each CMakeLists.txt outside tests, by path."""
    owner: Dict[str, str] = {}
    for path, text in room_files.items():
        for arguments in cmake_commands(text, "traceml_room"):
            owner["traceml_" + arguments[0]] = path
    for path, text in room_files.items():
        room = table.room_of(path)
        calls = [*cmake_commands(text, "traceml_room")]
        calls += cmake_commands(text, "target_link_libraries")
        if calls and room is None:
            yield f"{path}: lies in no room of the table"
            continue
        for arguments in calls:
            for argument in arguments[1:]:
                if argument.startswith("../"):
                    yield f"{path}: {argument}: a room is made of its own folder's sources"
                used = table.room_of(owner[argument]) if argument in owner else None
                if used and not may_use_room(room, used):
                    yield f"{path}: {named(room)} may not link {named(used)}"


def violations_of(root: pathlib.Path, table: Table) -> List[str]:
    texts = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sources_of(root)
    }
    includes = {path: headers_of(text) for path, text in texts.items()}
    found: List[str] = []
    for path, text in texts.items():
        found += check_source(table, path, text)
        found += check_reach(table, includes, path)
    room_files = {
        path.relative_to(root).as_posix(): path.read_text()
        for path in files_of(root)
        if path.name == "CMakeLists.txt" and path.relative_to(root).parts[0] != "tests"
    }
    return found + list(check_links(table, room_files))


def main() -> int:
    here = pathlib.Path(__file__).resolve().parent
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here.parent.parent
    found = violations_of(root, read_table(here / "table.txt"))
    for line in found:
        print(line)
    print(f"floors: {sum(1 for _ in sources_of(root))} sources, {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
