"""The campaign: `make fuzz-inputs COUNT=2000 SEED=0`."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

from tests.inputs.trial import trial


def main() -> None:
    """Prints what is wrong as it is found; the exit status is 1 where anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    start, wrong = time.perf_counter(), 0
    with ProcessPoolExecutor(args.jobs, multiprocessing.get_context("fork")) as pool:
        seeds = range(args.seed, args.seed + args.count)
        for done, running in enumerate(as_completed([pool.submit(trial, s) for s in seeds]), 1):
            problems = running.result()
            for p in problems:
                print(p, flush=True)
            wrong += bool(problems)
            if done % 100 == 0:
                print(f"{done} inputs, {wrong} wrong, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    print(f"{args.count} inputs from seed {args.seed}: {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
