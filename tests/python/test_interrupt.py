"""Ctrl-C ends a run within a second, in the network and in the analysis, and the model is left as it was."""
import importlib.util
import signal
import subprocess
import sys
import time
import unittest

# Jobs that a shell has put into the background ignore SIGINT, and so do their children.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
ANALYSIS = """
import atcav, numpy, time
draw = numpy.random.default_rng(0)
print("started", flush=True)
try:
    atcav.score({"a": draw.normal(size=(300, 400))}, draw.normal(size=(300, 400)), draw.normal(size=(50, 400)),
                cav="logistic", permutations=20000, bootstrap=20000, interval="bootstrap")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
NETWORK = """
import atcav, torch, time
class Slow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(4, 3)
    def forward(self, x):
        time.sleep(0.05)
        return self.body(x)
model = Slow().train()
print("started", flush=True)
try:
    atcav.run(model, "body", {"zebra": (1, torch.randn(9, 4))}, {"a": torch.randn(2000, 4)}, torch.randn(2000, 4), batch=2)
except KeyboardInterrupt:
    assert model.body.training and not model.body._forward_hooks and torch.is_grad_enabled()
    print("interrupted", flush=True)
"""


class Interrupt(unittest.TestCase):
    def seconds_to_stop(self, script):
        child = subprocess.Popen([sys.executable, "-c", START + script], stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        self.assertEqual(child.stdout.readline(), "started\n")
        time.sleep(2)
        self.assertIsNone(child.poll(), "it ended before it could be interrupted")
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.stdout.readline(), "interrupted\n")
        took = time.monotonic() - sent
        self.assertEqual(child.wait(), 0)
        return took

    # A second on an idle machine; tests share theirs with others.
    def test_in_the_analysis(self):
        self.assertLess(self.seconds_to_stop(ANALYSIS), 3)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_in_the_network(self):
        self.assertLess(self.seconds_to_stop(NETWORK), 3)


if __name__ == "__main__":
    unittest.main()
