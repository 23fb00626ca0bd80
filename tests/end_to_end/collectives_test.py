#!/usr/bin/env python3
"""`doctor --collectives`: the exchange over MPI, timed and checked by all ranks."""
import re
import unittest

from harness_run import MPIRUN, run


def rows_of(text):
    """(bytes, time in us, algbw, busbw, wrong values) of each line of the MPI table."""
    table = text.split("all-reduce over mpi", 1)[1].split("\n\n", 1)[0]
    rows = re.findall(r"^\s*([\d,]+)\s+([\d.]+)\s+([\d.e+-]+)\s+([\d.e+-]+)\s+([\d,]+)$", table,
                      re.MULTILINE)
    return [tuple(float(word.replace(",", "")) for word in row) for row in rows]


@unittest.skipUnless(MPIRUN, "needs a build with MPI")
class Collectives(unittest.TestCase):
    def test_two_ranks_get_a_table_of_right_values_from_1_kib_to_64_mib(self):
        done = run("doctor", "--collectives", ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("built in\n"), 1, "rank 0 alone prints")
        self.assertIn("all-reduce over mpi, 2 ranks", done.stdout)
        rows = rows_of(done.stdout)
        self.assertEqual([row[0] for row in rows], [1024 * 4**i for i in range(9)])
        for size, micros, algorithm, bus, wrong in rows:
            with self.subTest(size=size):
                self.assertEqual(wrong, 0)
                self.assertGreater(micros, 0)
                self.assertAlmostEqual(algorithm / (size / micros / 1e3), 1, delta=0.06)
                self.assertAlmostEqual(bus / algorithm, 1, delta=0.01)

    def test_bus_bandwidth_of_three_ranks_is_four_thirds_of_the_algorithms(self):
        done = run("doctor", "--collectives", ranks=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        for size, _, algorithm, bus, wrong in rows_of(done.stdout):
            with self.subTest(size=size):
                self.assertEqual(wrong, 0)
                self.assertAlmostEqual(bus / algorithm, 4 / 3, delta=0.02)

    def test_one_rank_is_told_to_start_more(self):
        done = run("doctor", "--collectives")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("one rank exchanges nothing", done.stdout)

    def test_without_the_flag_doctor_stays_the_work_of_one_process(self):
        done = run("doctor", ranks=2)
        self.assertEqual(done.returncode, 2)
        self.assertIn("doctor is the work of one process", done.stderr)


if __name__ == "__main__":
    unittest.main()
