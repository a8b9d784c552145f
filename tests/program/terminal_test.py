"""What a terminal shows: the table takes its width, and the demo ends with the report's path."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from harness import PROGRAM, QUICK, ProgramTest, main


def in_terminal(columns, command, **environment):
    """What a terminal of so many columns is sent, without colours, as lines."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    known = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    with subprocess.Popen(command, stdout=its, stderr=subprocess.DEVNULL, env={**known, **environment}) as program:
        os.close(its)
        sent = b""
        try:
            while piece := os.read(ours, 65536):
                sent += piece
        except OSError:  # the other end was closed
            pass
        assert program.wait() == 0
    os.close(ours)
    return re.sub(r"\x1b\[\d*m", "", sent.decode()).replace("\r\n", "\n").splitlines()


class Terminal(ProgramTest):
    def test_lines_fit_the_terminal(self):
        names = [f"a concept whose long name has a number only at its end, {i}" for i in range(3)]
        command = self.command(*QUICK, "--layer", "features.17.conv")
        for name in names:
            command += ["--concept", f"{name}={self.path('concept.npy')}"]
        for columns, environment in ((80, {}), (120, {}), (100, {"COLUMNS": "80"}), (300, {})):
            lines = in_terminal(columns, command, **environment)
            wanted = int(environment.get("COLUMNS", columns))
            self.assertLessEqual(max(map(len, lines)), wanted)
            rows = [line for line in lines if line.startswith("a conc")]
            self.assertEqual(len(rows), 3)
            self.assertEqual([re.search(r"(\d)  ", row)[1] for row in rows], ["0", "1", "2"])
            self.assertEqual(all(name in row for name, row in zip(names, rows)), wanted == 300)
        self.assertTrue(any(len(line) > 120 for line in lines))

    def test_the_demo_ends_with_the_report_in_20_lines(self):
        if not os.path.exists(os.path.join(os.path.dirname(PROGRAM), "libatcav_torch.so")):
            self.skipTest("there is no plugin beside the program")
        for columns in (80, 100):
            lines = in_terminal(columns, [PROGRAM, "demo", "-o", self.path("demo")])
            self.assertLessEqual(len(lines), 20)
            self.assertLessEqual(max(map(len, lines[:-1])), columns)
            self.assertEqual(lines[-1], f"report: {self.path('demo')}/report.html")
            self.assertTrue(os.path.exists(lines[-1].removeprefix("report: ")))
            self.assertIn("54 of 54 findings agree", " ".join(lines))


if __name__ == "__main__":
    main()
