"""torch.distributed: any number of processes gives the bytes of one; what cannot be shared is refused; a lost process ends the others."""
import importlib.util
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("ranks_script.py")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}


def has_gloo() -> bool:
    if importlib.util.find_spec("torch") is None:
        return False
    import torch.distributed
    return torch.distributed.is_available()


def has_torchrun() -> bool:
    import torch
    return int(torch.__version__.split(".")[0]) >= 2


@unittest.skipUnless(has_gloo(), "PyTorch with torch.distributed is not installed")
class Ranks(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def start(self, processes, *arguments):
        """(exit codes, what was printed, errors) of processes as torchrun starts them, without it: that of PyTorch 1.13 does
        not run on Python 3.11."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1]), "WORLD_SIZE": str(processes)}
        started = [subprocess.Popen(
            [sys.executable, "-B", str(SCRIPT), *arguments], cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**ENVIRONMENT, **place, "RANK": str(rank), "LOCAL_RANK": str(rank)}
            if processes > 1 else ENVIRONMENT) for rank in range(processes)]
        told = [one.communicate(timeout=300) for one in started]
        return [one.returncode for one in started], [out for out, _ in told], [errors for _, errors in told]

    def bytes_of(self, processes, *arguments):
        out = self.folder / f"{processes}{''.join(arguments)}"
        codes, printed, errors = self.start(processes, str(out), *arguments)
        self.assertEqual(codes, [0] * processes, "".join(errors))
        self.assertEqual([re.search(r"results: (\d+)", text).group(1) for text in printed], ["12"] + ["0"] * (processes - 1))
        return (out / "results.json").read_bytes()

    def test_any_number_of_processes_gives_the_same_bytes(self):
        alone = self.bytes_of(1, "pattern")
        self.assertEqual(self.bytes_of(2, "pattern"), alone)
        self.assertEqual(self.bytes_of(4, "pattern"), alone)
        self.assertEqual(self.bytes_of(3, "ridge"), self.bytes_of(1, "ridge"))

    def test_a_dataset_is_shared_too(self):
        self.assertEqual(self.bytes_of(2, "pattern", "dataset"), self.bytes_of(1, "pattern", "dataset"))

    def test_what_has_an_order_of_its_own_is_refused(self):
        self.assertEqual(self.start(1, "out", "pattern", "loader")[0], [0])
        codes, _, errors = self.start(2, "two", "pattern", "loader")
        self.assertEqual(codes, [1, 1])
        for text in errors:
            self.assertRegex(text.strip().split("\n")[-1],
                             r"^ValueError: \[run\] concept 'dotted': its batches come in an order of their own, .*Dataset$")
        self.assertFalse((self.folder / "two").exists())

    def test_a_lost_process_ends_the_others_with_one_line(self):
        codes, _, errors = self.start(2, "out", "pattern", "lost")
        self.assertEqual(codes, [1, -signal.SIGKILL], "".join(errors))
        self.assertRegex(errors[0].strip().split("\n")[-1], r"^RuntimeError: \[run\] process 0 of 2: another one is lost \(.*\)$")
        self.assertFalse((self.folder / "out").exists())

    @unittest.skipUnless(has_gloo() and has_torchrun(), "PyTorch is older than 2")
    def test_torchrun(self):
        command = [sys.executable, "-B", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(SCRIPT)]
        done = subprocess.run([*command, str(self.folder / "run"), "pattern"], env=ENVIRONMENT, text=True, capture_output=True,
                              timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "run/results.json").read_bytes(), self.bytes_of(1, "pattern"))


if __name__ == "__main__":
    unittest.main()
