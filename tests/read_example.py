"""Runs the examples of docs/reading_results.md on a file made by write_example.

    read_example.py PATH_OF_WRITE_EXAMPLE

Exit 77 (skipped) where h5py is missing, 1 where an example does not do what its text says.
"""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EXPECTED = """\
example B/s
vector_add {'number': 0, 'share': 0.1} 2e+08\x20
vector_add {'number': 1, 'share': 0.1} 3.333e+08 unsteady,oversubscribed
"""


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def check_python(code, path):
    if len(code.splitlines()) > 10:
        sys.exit("the Python example is longer than the promised 10 lines")
    result = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    if result.returncode or result.stdout != EXPECTED:
        sys.exit(f"the Python example printed:\n{result.stdout}{result.stderr}\ninstead of:\n{EXPECTED}")


def check_shell(commands, path):
    for command in commands.splitlines():
        words = command.split("#")[0].replace("run.h5", path).replace("packed.h5", path + ".packed").split()
        if shutil.which(words[0]) is None:
            print(f"{words[0]} is not installed: its examples are skipped")
            continue
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)


def main():
    if importlib.util.find_spec("h5py") is None:
        print("h5py is not installed: skipped (pip install h5py)")
        sys.exit(77)
    text = (pathlib.Path(__file__).parent.parent / "docs" / "reading_results.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/run.h5"
        subprocess.run([sys.argv[1], path], check=True)
        check_python(blocks(text, "python")[0], path)
        for commands in blocks(text, "shell"):
            check_shell(commands, path)
        if pathlib.Path(path + ".packed").exists():
            check_python(blocks(text, "python")[0], path + ".packed")


if __name__ == "__main__":
    main()
