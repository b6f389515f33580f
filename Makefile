# Every target sets up what it needs in .venv: Python >= 3.11 and a C++ compiler are all a machine must bring.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2

.PHONY: demo test quick test-generators test-emitted test-pipelines test-combinations corpus corpus-gpu corpus-gpu-drop-ins bench bench-search bench-codegen bench-gpu bench-auto-gpu \
  bench-autoschedule bench-frozen bench-tree-search bench-genetic bench-compile bench-second-opinion rewritings bench-memory bench-math math-errors fuzz-schedules fuzz-gpu \
  unseen unseen-autoscheduled fuzz-autoschedulers fuzz-soundness fuzz-adversarial fuzz-inputs first-contact first-contact-calls first-day test-cluster gpu-record gpu-check device-model fuzz-mutants plant-faults plant-transform-faults \
  contract-items browser-tools arm-tools lint structure status clean

demo: .venv/demo.stamp
	$(BIN)/python demo/run.py --out demo-out

test: .venv/dev.stamp
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

# Also what `sampled` leaves out of `make test`: most of what the emulated device runs: about twenty minutes.
test-all: .venv/dev.stamp
	ALL_TESTS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

# Tests not marked `long`, one in n of those marked `few(n)`, a dozen functions of each suite of the corpus: all golden
# texts, most unit tests, and some of each other kind: two minutes, or four on a slow machine.
quick: .venv/dev.stamp
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not long"

# Every emitted C++ generator, compiled against the headers of the package `halide`: about ten seconds a function.
test-generators: .venv/dev.stamp
	ALL_GENERATORS=1 ALL_TESTS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup tests/corpus/test_generators.py

# All functions that were written to break the emitted text, under both packages: about three minutes.
test-emitted: .venv/dev.stamp
	ALL_ADVERSARIAL=1 ALL_TESTS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup tests/codegen

# Every pipeline under halide_core, autoscheduled too, under the package `halide`, and on an emulated device, at all its
# small sizes: about twenty-five minutes.
test-pipelines: .venv/dev.stamp
	ALL_SIZES=1 ALL_TESTS=1 $(BIN)/python -m pytest -n $(WORKERS) tests/corpus/test_papers_pipelines.py \
	  tests/corpus/test_frozen_pipelines.py tests/corpus/test_autoscheduled_pipelines.py tests/gpu/test_papers.py

# What becomes of a library that was never run before: DIR, FLAGS for its compiler, NAME for the row that is printed.
first-contact: .venv/base.stamp
	$(BIN)/python -m corpus.first_contact $(DIR) --flags "$(FLAGS)" --name "$(NAME)" $(OPTIONS)

# The drop-ins of 25 verified functions of a library, drawn by a seed, called 1,000 times each beside their originals:
# about half a minute a function.  OPTIONS="--sample 25 --calls 1000 --seed 1 --model DIR".
first-contact-calls: .venv/base.stamp
	$(BIN)/python -m corpus.first_contact.drop_ins $(DIR) --flags "$(FLAGS)" --name "$(NAME)" $(OPTIONS)

# Targets, types, layouts and methods in all combinations, of which the default tests have every pair, and ten times as
# many random programs: about five minutes.
test-combinations: .venv/dev.stamp
	ALL_COMBINATIONS=1 ALL_TESTS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup tests/halide_core/test_borders.py \
	  tests/halide_core/test_raw_pixels.py tests/halide_core/autoschedule/test_interleaved.py \
	  tests/frontend/test_random_programs.py

# Lifts every function of the corpus, compares it with the original, and both with the manifests: about ten minutes.
corpus: .venv/base.stamp
	$(BIN)/python -m corpus.run --jobs $(WORKERS) --json corpus.json

# One in EVERY of the verified functions lifted for a CUDA device: its kernels on the emulated one, beside the original at
# odd sizes, bit for bit.  About a second and a half a function; no device is needed.
corpus-gpu: .venv/dev.stamp
	$(BIN)/python -m tests.gpu.lifted --every $(or $(EVERY),1)

# One in EVERY of the verified functions as a drop-in with code for a CUDA device, on the emulated one, beside the original
# and with a driver that fails.  About three seconds a function; no device is needed.
corpus-gpu-drop-ins: .venv/dev.stamp
	$(BIN)/python -m tests.gpu.drop_ins --every $(or $(EVERY),1)

bench: .venv/base.stamp
	$(BIN)/python -m corpus.bench.lifted corpus/dexter corpus/blend/classic.cpp \
	  $(addprefix corpus/filter/,stencils.cpp pointwise.cpp reductions.cpp words.cpp drivers.cpp) --sizes 64,1024,4096

bench-search: .venv/base.stamp
	$(BIN)/python -m corpus.bench.search

# The code of halide_core against that of the package `halide`, under the same schedules.
bench-codegen: .venv/dev.stamp
	$(BIN)/python -m corpus.bench.codegen

# Kernels for a CUDA device, ours and those of the package `halide`, under the emulator: instructions, sectors and so on of
# small cases and of the papers' pipelines, or of the pipelines in NAMES alone.  About five minutes; no device is needed.
bench-gpu: .venv/dev.stamp
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[cuda]'
	$(BIN)/python -m tests.gpu.table $(NAMES)

# AutoGPU against schedules by hand and the package's autoschedulers for CUDA, at the papers' sizes, under the emulator and
# the model of time, or for the pipelines in NAMES alone; what the file of figures has is kept.  About an hour; no device is
# needed.  OPTIONS="--general --seed N": on pipelines that it was not tuned to, 40 of them random, each held to the host.
bench-auto-gpu: .venv/dev.stamp
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[cuda]'
	$(BIN)/python -m tests.gpu.auto_gpu_table $(NAMES) --json bench-auto-gpu.json $(OPTIONS)

# The schedules of Reuse2019 against the autoschedulers of the package `halide` and the schedules by hand; --ablations
# for what its parts are worth.
bench-autoschedule: .venv/dev.stamp
	$(BIN)/python -m corpus.bench.autoschedule --json bench-autoschedule.json --markdown bench-autoschedule.md

# Pipelines that nothing was tuned to, by hand and under the autoschedulers, by halide_core and by the package `halide`.
bench-frozen: .venv/dev.stamp
	$(BIN)/python -m corpus.bench.frozen --json bench-frozen.json --markdown docs/figures/frozen.md

# TreeSearch against the default schedule, on the functions of its page and others.
bench-tree-search: .venv/base.stamp
	$(BIN)/python -m corpus.bench.tree_search --json bench-tree-search.json

# Genetic2013 against Reuse2019: ten minutes of searching for each pipeline, kept in bench-genetic/ and taken up again.
bench-genetic: .venv/base.stamp
	$(BIN)/python -m corpus.bench.genetic --json bench-genetic.json --markdown bench-genetic.md

# Random pipelines under random schedules by halide_core and by the package `halide`: what nothing was tuned to.  A new SEED
# is a new sample; some 15 seconds a pair.  The worst pairs are written as scripts to build/unseen.
unseen: .venv/dev.stamp
	$(BIN)/python -m corpus.unseen --count $(or $(COUNT),40) --seed $(or $(SEED),0)

# The same pipelines under Reuse2019 and under the autoschedulers of the package `halide`.
unseen-autoscheduled: .venv/dev.stamp
	$(BIN)/python -m corpus.unseen --autoschedule --folder build/unseen-autoscheduled --count $(or $(COUNT),40) --seed $(or $(SEED),0)

# Copy, add and blur on one thread against memcpy of as many bytes.
bench-memory: .venv/base.stamp
	$(BIN)/python -m corpus.bench.memory

# Which rewritings of the corpus's paths are proved, which are run on samples, and which are neither: about five minutes.
rewritings: .venv/base.stamp
	$(BIN)/python -m corpus.bench.rewritings --jobs $(WORKERS) --markdown docs/figures/rewritings.md

# The corpus lifted with a second opinion and without it, in turn: about a quarter of an hour.
bench-second-opinion: .venv/base.stamp
	$(BIN)/python -m corpus.bench.second_opinion --markdown docs/figures/second-opinion.md

# The time of functions of floats against the package `halide`: NAMES picks some.  About two minutes.
bench-math: .venv/dev.stamp
	$(BIN)/python -m corpus.bench.mathematics $(NAMES) --markdown docs/figures/mathematics-speed.md

# How far functions of float32 are from the true value, of all arguments, and those of float64, of 2^26 arguments: a
# minute a function and core; NAMES picks some, OPTIONS="--bits 64 --count 16777216" those of float64.
math-errors: .venv/dev.stamp
	$(BIN)/python -m tests.halide_core.math_errors $(NAMES) --jobs $(WORKERS) $(OPTIONS) --markdown docs/figures/mathematics.md

# How long halide_core compiles each pipeline, and how long when its code is in the cache on disk.
bench-compile: .venv/dev.stamp
	$(BIN)/python -m corpus.bench.compile

# Random pipelines under random schedules against the reference interpreter: about a second a pair; SEED=N starts elsewhere.
fuzz-schedules: .venv/dev.stamp
	$(BIN)/python -m tests.halide_core.fuzz --count $(or $(COUNT),5000) --seed $(or $(SEED),0) --jobs $(WORKERS)

# Random pipelines under random schedules for a device, through the emulator: about two seconds a pair; OPTIONS=--default for
# the default schedule.
fuzz-gpu: .venv/dev.stamp
	$(BIN)/python -m tests.gpu.fuzz $(OPTIONS) --count $(or $(COUNT),1000) --seed $(or $(SEED),0)

# Random pipelines under each autoscheduler, at other sizes than the estimates, against the reference interpreter.
fuzz-autoschedulers: .venv/dev.stamp
	$(BIN)/python -m tests.halide_core.fuzz --autoscheduled --count $(or $(COUNT),1500) --seed $(or $(SEED),0) --jobs $(WORKERS)

# Random C++ kernels lifted and run beside the original: about a second a kernel.
fuzz-soundness: .venv/dev.stamp
	$(BIN)/python -m tests.soundness --count $(or $(COUNT),2000) --seed $(or $(SEED),0) --jobs $(WORKERS)

# Faults in the front end, the rewritings and code generation: what is caught before anything is called verified.  About
# ten seconds a fault; it goes on where it ended.
plant-faults: .venv/dev.stamp
	$(BIN)/python -m tests.planted.campaign --count $(or $(COUNT),150) --seed $(or $(SEED),0) --jobs $(WORKERS)

# Faults in the transforms of paths: which of them the checks of paths stop.  About fifteen minutes.
plant-transform-faults: .venv/dev.stamp
	$(BIN)/python -m tests.planted.transforms --markdown docs/figures/planted-transforms.md

# Every function written to break the tool: drop-ins and emitted modules beside the originals: about ten minutes.
fuzz-adversarial: .venv/dev.stamp
	$(BIN)/python -m tests.adversarial --jobs $(WORKERS)

# The browser in which tests read the report of a batch, which are skipped without it.
browser-tools:
	apt-get install -y --no-install-recommends chromium fonts-dejavu-core

# Sources and compilation databases with something wrong in them: about two seconds an input.
fuzz-inputs: .venv/dev.stamp
	$(BIN)/python -m tests.inputs --count $(or $(COUNT),2000) --seed $(or $(SEED),0) --jobs $(WORKERS)

# Three hundred files here and on a cluster whose worker is killed, and again when nothing has changed: a quarter
# of an hour.
test-cluster: .venv/dev.stamp
	$(BIN)/python -m tests.cli.cluster_campaign --count $(or $(COUNT),300) --seed $(or $(SEED),0)

# A new user's first day: install, lift a program whole, again, link a drop-in, time it.  PROGRAM is its
# compile_commands.json; the log goes to docs/figures/first-day.md.
first-day:
	$(PYTHON) demo/first_day.py $(PROGRAM)

# Runs of all device cases and of random schedules, with the results that the emulator gives, as files in
# build/gpu-check: a few minutes.
gpu-record: .venv/dev.stamp
	$(BIN)/python -m tests.gpu.check.record build/gpu-check --random $(or $(RANDOM_COUNT),300) --seed $(or $(SEED),1)

# Plays them on the CUDA device of this machine, which needs Python, NumPy and a driver, and no network: at most six minutes.
gpu-check:
	$(PYTHON) tests/gpu/check/replay.py build/gpu-check --json build/gpu-check.json --markdown build/gpu.md --model build/device_model.toml

# Measures what drop-ins choose between device and host by (codegen/device_model.toml), on a machine with a device.
device-model: .venv/dev.stamp
	$(BIN)/python -m codegen.measure_device

# What runs objects for AArch64 in tests, which are skipped without it.
arm-tools:
	apt-get install -y --no-install-recommends qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross

# Wrong summaries of the whole corpus, ten thousand of them: about an hour.
fuzz-mutants: .venv/dev.stamp
	$(BIN)/python -m tests.verifier.campaign --each $(or $(EACH),24) --seed $(or $(SEED),0) --jobs $(WORKERS)

# Each item of each contract of the corpus left out in turn: about half an hour; fails where one is not needed.
contract-items: .venv/dev.stamp
	$(BIN)/python -m tests.verifier.needed --jobs $(WORKERS)

lint: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports
	@$(BIN)/python -m tools.status --check
	@$(BIN)/python -m tools.structure > /dev/null || { echo 'the structure is not as it should be; see make structure' >&2; exit 1; }

# docs/status.md, from the manifests of the corpus and the pages of docs/figures.
status: .venv/base.stamp
	@$(BIN)/python -m tools.status

# What each package has, which of its parts import which, and what is in a circle; fails where an import points upwards
# or a circle has grown.
structure: .venv/dev.stamp
	@$(BIN)/python -m tools.structure

clean:
	rm -rf .venv build demo-out lifted *.egg-info

.venv/venv.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is older than Python 3.11; run: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || \
	  { echo "no C++ compiler was found; install g++ or clang++" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/base.stamp: .venv/venv.stamp pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/demo.stamp: .venv/venv.stamp pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[demo]'
	@touch $@

.venv/dev.stamp: .venv/venv.stamp pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test,dev,demo]'
	@touch $@
