#!/usr/bin/env python3
"""Plants each kind of violation (planted.txt) in a small clean tree and sees it named."""

import pathlib
import tempfile
import unittest
from typing import Dict, NamedTuple

import floors
import style

HERE = pathlib.Path(__file__).resolve().parent
TABLE = floors.read_table(HERE / "table.txt")


class Case(NamedTuple):
    files: Dict[str, str]
    message: str


def read_cases(path: pathlib.Path) -> Dict[str, Case]:
    cases: Dict[str, Case] = {}
    for section in path.read_text().split("\n== ")[1:]:
        name, *lines = section.rstrip("\n").split("\n")
        files: Dict[str, str] = {}
        message = file_name = ""
        for line in lines:
            if line.startswith("-- "):
                file_name = line[3:]
                files[file_name] = ""
            elif line.startswith(">> "):
                message = line[3:]
            else:
                files[file_name] += line + "\n"
        cases[name] = Case(files, message)
    return cases


CASES = read_cases(HERE / "planted.txt")
CLEAN_TREE = CASES.pop("the clean tree").files


def write_tree(root: pathlib.Path, files: Dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def test_the_clean_tree_has_no_violation(self):
        write_tree(self.root, CLEAN_TREE)
        self.assertEqual(floors.violations_of(self.root, TABLE), [])

    def test_each_planted_violation_is_the_one_that_is_named(self):
        self.assertGreater(len(CASES), 40)
        for name, case in CASES.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                write_tree(pathlib.Path(folder), {**CLEAN_TREE, **case.files})
                found = floors.violations_of(pathlib.Path(folder), TABLE)
                self.assertEqual(len(found), 1, found)
                self.assertIn(case.message, found[0])

    def test_the_table_lists_rooms_in_the_order_of_their_floors(self):
        numbers = [room.floor for room in TABLE.rooms.values()]
        self.assertEqual(numbers, sorted(numbers))

    def test_style_names_long_files_long_lines_tabs_and_a_missing_newline(self):
        write_tree(self.root, CLEAN_TREE)
        self.assertEqual(style.check(self.root), [])
        faulty = {
            "harness/core/a.cpp": "\n" * 401,
            "harness/core/b.cpp": "x" * 101 + "\n" + "x" * 100 + "\n",
            "harness/core/c.cpp": "\tint x;\n",
            "harness/core/d.cpp": "int x;",
            "ci/setup": "y" * 101 + "\n",
        }
        write_tree(self.root, faulty)
        self.assertEqual(
            style.check(self.root),
            [
                "harness/core/a.cpp: 401 lines, at most 400: is it one thing?",
                "harness/core/b.cpp:1: 101 columns, at most 100",
                "harness/core/c.cpp:1: a tab",
                "harness/core/d.cpp: no newline at the end",
                "ci/setup:1: 101 columns, at most 100",
            ],
        )

    def test_style_names_functions_of_more_than_60_lines_and_no_longer_class(self):
        def calls(count):
            return "    x();\n" * count

        member = "  void f() {\n" + calls(58) + "  }\n"
        files = {
            "harness/core/a.cpp": "void f(\n    int a) {\n" + calls(57) + "}\n",
            "harness/core/b.cpp": "class A {\n public:\n" + 2 * member + "};\n",
            "harness/core/c.cpp": "\nvoid f() {\n  if (a) {\n  }\n" + calls(58) + "}\n",
            "harness/core/d.cpp": "struct A {\n  void f() {\n" + calls(59) + "  }\n};\n",
            "harness/core/e.cpp": "namespace {\n" + calls(99) + "}  // namespace\n",
        }
        write_tree(self.root, {**CLEAN_TREE, **files})
        self.assertEqual(
            style.check(self.root),
            [
                "harness/core/c.cpp:2: a function of 62 lines, at most 60",
                "harness/core/d.cpp:2: a function of 61 lines, at most 60",
            ],
        )


if __name__ == "__main__":
    unittest.main()
