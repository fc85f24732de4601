#!/usr/bin/env python3
"""budget.py SECONDS COMMAND...: runs a step of the theories and fails if it takes far more CPU time than its share.

CPU time of the command and of all that it waited for, on all cores together: other work on the machine hardly adds
to it, as it does to time by the clock. A machine may be three times slower than those on which the shares were set. Exits as the command does, or 1 with a line that says what was taken.
"""
import resource
import subprocess
import sys


SLOWER = 3


def main(words):
    share, command = float(words[0]), words[1:]
    code = subprocess.run([sys.executable, *command]).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = used.ru_utime + used.ru_stime
    print(f"{taken:.1f} of {share:g} CPU seconds", flush=True)
    if code == 0 and taken > SLOWER * share:
        print(f"{taken:.1f} CPU seconds are more than {SLOWER} times the share of this step: formal.cmake")
        return 1
    return code if code >= 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
