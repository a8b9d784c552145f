"""Completions and the manual page hold every command and option that --help shows: they are made from the same list."""
import re
import shutil
import subprocess
import unittest

from harness import PROGRAM, main


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def commands():
    """Every command with the options that its --help names."""
    def of(*path):
        text = output(PROGRAM, *path, "--help")
        # Options begin a line; further names follow a comma.
        lines = re.findall(r"^ {0,2}(-\S+)", text, re.M)
        options = sorted({name.split("{")[0] for line in lines for name in line.split(",")} - {"-h"})
        below = re.findall(r"^  ([a-z]+) ", text.partition("Subcommands:\n")[2].partition("\n\n")[0], re.M)
        yield path, options, below
        for name in below:
            yield from of(*path, name)
    return list(of())


COMMANDS = commands()


def complete(*words):
    """What bash offers for the last of the words."""
    script = f"""source <("{PROGRAM}" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _atcav
printf '%s\\n' "${{COMPREPLY[@]}}" """
    return output("bash", "-c", script, "bash", "atcav", *words).split()


class Completion(unittest.TestCase):
    def test_there_is_something_to_complete(self):
        paths = {" ".join(path) for path, _, _ in COMMANDS}
        self.assertLessEqual({"run", "score", "theory plan", "completion"}, paths)
        self.assertGreater(sum(len(options) for _, options, _ in COMMANDS), 80)

    def test_bash_offers_every_option_and_command(self):
        for path, options, below in COMMANDS:
            offered = complete(*path, "-")
            self.assertEqual(set(options) - set(offered), set(), path)
            if below:
                self.assertLessEqual(set(below), set(complete(*path, "")))

    def test_bash_offers_words_and_leaves_files_to_the_shell(self):
        self.assertEqual(complete("run", "--cav", ""), ["pattern", "fast", "ridge", "logistic", "svm"])
        self.assertEqual(complete("score", "--interval", "b"), ["bootstrap"])
        self.assertEqual(complete("run", "--model", ""), [])
        self.assertEqual(complete("run", ""), [])
        self.assertEqual(complete("theory", "pl"), ["plan"])

    def test_the_manual_holds_every_option(self):
        page = output(PROGRAM, "man").replace("\\-", "-")
        for path, options, _ in COMMANDS:
            section = page if not path else page.partition(f'.SS "atcav {" ".join(path)}"\n')[2].partition(".SS ")[0]
            for name in options:
                self.assertIn(f"\\fB{name}\\fR", section)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-Kutf8", "-ww", "-man", "-Tutf8"], input=output(PROGRAM, "man"), capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_another_shell_is_refused(self):
        done = subprocess.run([PROGRAM, "completion", "tcsh"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("shell is 'tcsh', must be bash", done.stderr)


if __name__ == "__main__":
    main()
