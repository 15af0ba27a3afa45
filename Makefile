# From nothing to a tested package: needs Python 3.11 or newer with venv, make and a C++ compiler.
# Everything else (cmake and ninja too) is installed into .venv at the versions in requirements-dev.txt.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOGS := build/logs
comma := ,
INSTALLED := $(VENV)/.installed
BUILT := $(VENV)/.built

ADDRESS := build/address
THREAD := build/thread
OLDEST := build/oldest

# Directories are listed too: their time changes when a file is added or removed.
CORE_FILES := $(shell find core bindings cmake -type d -o -name '*.[ch]pp' -o -name '*.cmake')
MODULES := build/modules.txt
BUILD_FILES := CMakeLists.txt pyproject.toml $(CORE_FILES) $(MODULES)
FORMATTED_FILES := $(filter %.cpp %.hpp,$(CORE_FILES))
BENCHMARKS ?= benchmarks/scoring.py benchmarks/structure.py benchmarks/inference.py

# Processes that run tests side by side.
JOBS ?= 2
PARALLEL_PYTEST = $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal

export PIP_DISABLE_PIP_VERSION_CHECK := 1

# $(call quietly,name,command): show the command's output only if it fails.
quietly = mkdir -p $(LOGS) && { $(2); } > $(LOGS)/$(1).log 2>&1 || { cat $(LOGS)/$(1).log; exit 1; }

.PHONY: always help demo test test-quick test-oldest coverage docs browser lint tidy format bench paper sanitize tsan wheel clean
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help:
	@echo 'make demo      impute hidden pixels of handwritten digits, and show them on a page: demo/index.html'
	@echo '               (the first make also installs tools and compiles: three to four minutes)'
	@echo 'make test      lint, then run the tests and the examples in docstrings'
	@echo 'make test-quick   the tests of most value, in under a minute'
	@echo 'make test-oldest  tests with the oldest supported dependencies'
	@echo 'make coverage     all tests, and how much of the Python they run'
	@echo 'make docs      build the site of the documentation into build/docs'
	@echo 'make browser   install Chromium, in which the explorer is tested (Debian, Ubuntu)'
	@echo 'make lint      ruff, mypy, import-linter and clang-format, changing nothing'
	@echo 'make format    let ruff and clang-format rewrite the sources'
	@echo 'make bench     print the figures of benchmarks/ (BENCHMARKS=<script> for one)'
	@echo 'make paper     repeat the tables and figures of the paper (MODE=full for all of them)'
	@echo 'make tidy      look for mistakes in the C++ with clang-tidy'
	@echo 'make sanitize  run the tests with Address- and UndefinedBehaviorSanitizer'
	@echo 'make tsan      run the tests of several threads with ThreadSanitizer'
	@echo 'make wheel     build the source archive and the wheel into dist/'
	@echo 'make clean     remove all that the other commands made'

demo: $(BUILT)
	@$(BIN)/python examples/digits

# Where no Chromium is found, the tests of the explorer's page are skipped, and the summary says so.
test: lint $(if $(filter true,$(CI)),browser)
	@$(PARALLEL_PYTEST) -rs

# The core, the tables and the networks: fast tests of what everything else is built on.
QUICK := tests/core/data tests/core/scores tests/core/structure tests/core/runtime tests/messages tests/runtime \
	tests/tables tests/networks tests/learning/test_learner.py tests/imputation/test_imputer.py tests/test_init.py
test-quick: $(BUILT)
	@$(PARALLEL_PYTEST) -k 'not (ctrl_c or scikit_learn or parent_set_selection or random_dag)' $(QUICK)

# The floor is in pyproject.toml. What tests run in other processes is not counted.
coverage: $(BUILT)
	@$(PARALLEL_PYTEST) --cov --cov-report=term

# Old versions warn of much, and scikit-learn's checks of estimators differ between its versions.
test-oldest: $(BUILT)
	@$(call quietly,oldest,$(PYTHON) -m venv $(OLDEST) && $(OLDEST)/bin/python -m pip install -r requirements-oldest.txt \
		polars pytest pytest-timeout hypothesis && $(OLDEST)/bin/python -m pip install .)
	@$(OLDEST)/bin/python -m pytest -q -p no:cacheprovider -o filterwarnings=default -k 'not scikit_learn' \
		tests/tables tests/networks/test_rows.py tests/learning/test_learner.py tests/test_init.py

# Warnings are errors: a broken link or a name without a page ends it.
docs: $(BUILT)
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs -d build/doctrees
	@echo 'build/docs/index.html'

browser:
	@command -v chromium > /dev/null || { \
		echo 'Installing Chromium ...'; \
		if [ "$$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi; \
		$(call quietly,browser,$$as_root apt-get update && $$as_root apt-get install -y chromium); }

lint: $(BUILT)
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { $(BIN)/ruff format --diff --quiet; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(call quietly,imports,$(BIN)/lint-imports --no-logo)
	@$(BIN)/clang-format --dry-run --Werror $(FORMATTED_FILES)

format: $(INSTALLED)
	@$(BIN)/ruff check --quiet --fix || true
	@$(BIN)/ruff format --quiet
	@$(BIN)/clang-format -i $(FORMATTED_FILES)

# MODE=full has all of the paper in the published page; it takes days, and goes on where it stopped.
MODE ?= quick
PAPER := $(BIN)/python benchmarks/paper.py
MEASURED := --mode full --output benchmarks/measured/paper-full.jsonl --markdown docs/paper.md
paper: $(BUILT)
	@mkdir -p build/paper
ifeq ($(MODE),full)
	@$(PAPER) $(MEASURED) --workers $(JOBS)
else
	@$(PAPER) --workers $(JOBS) --output build/paper/quick.jsonl --markdown build/paper/paper.md
	@$(PAPER) $(MEASURED) --show > build/paper/full.txt
	@echo 'Quick measurements: build/paper/paper.md; those of the full mode so far: docs/paper.md'
endif

bench: $(BUILT)
	@test -n "$$BAYTREE_BENCH_DIR" || { \
		echo 'make bench needs BAYTREE_BENCH_DIR, the directory that holds the benchmark tables in' \
			'data/. Run: make bench BAYTREE_BENCH_DIR=<directory>' >&2; exit 1; }
	@for script in $(BENCHMARKS); do $(BIN)/python $$script || exit 1; done

# $(call preload,name): the runtime of a sanitizer; libstdc++ comes along so that it finds the function
# that throws before it is needed.
preload = LD_PRELOAD="$$($(CXX) -print-file-name=lib$(1).so) $$($(CXX) -print-file-name=libstdc++.so)"
# Only sys-level capture: a report written just before the process dies would be lost otherwise.
SANITIZED_PYTEST := -m pytest -q --hypothesis-profile=sanitize --capture=sys -p no:cacheprovider \
	-o timeout=1200 -o faulthandler_timeout=1500

# Leaks are not looked for: the interpreter itself frees little at exit and would drown our own.
sanitize: $(ADDRESS)/.built
	@ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 $(call preload,asan) \
		$(ADDRESS)/venv/bin/python $(SANITIZED_PYTEST)

# The tests whose names speak of threads. Modules that load polars are left out: its allocator crashes
# beside ThreadSanitizer. What libraries do that were compiled without it is not judged.
tsan: $(THREAD)/.built
	@TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1 $(call preload,tsan) \
		$(THREAD)/venv/bin/python $(SANITIZED_PYTEST) -k thread \
		$$(grep -rlE 'def test.*thread' tests --include='test_*.py' | xargs grep -L polars)

# Files are analysed as they are compiled, less two warnings: of options that GCC alone knows, and of
# the inner parts of libstdc++.
tidy: $(INSTALLED)
	@$(call quietly,tidy-configure,$(BIN)/cmake --preset debug)
	@find core bindings -name '*.cpp' | xargs -n 4 -P "$$(getconf _NPROCESSORS_ONLN)" \
		$(BIN)/clang-tidy -p build/debug --quiet --extra-arg=-Wno-unknown-warning-option \
		--extra-arg=-Wno-deprecated-declarations 2> $(LOGS)/tidy.log

wheel: $(INSTALLED)
	@$(call quietly,wheel,$(BIN)/python -m build)
	@ls dist

clean:
	rm -rf $(VENV) build dist demo docs/generated src/baytree/_core.pyi .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks examples docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(INSTALLED): requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "baytree needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
			'Run: make PYTHON=<a newer python>' >&2; exit 1; }
	@echo 'Installing the development tools into $(VENV) ...'
	@$(call quietly,tools,test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); \
		$(BIN)/python -m pip install -r requirements-dev.txt)
	@touch $@

# The editable install knows every Python module by its path: it is made anew when one comes or goes.
$(MODULES): always
	@mkdir -p $(@D)
	@find src -name '*.py' | sort > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# A stamp has the time when its build started: what is edited meanwhile is built next time.
$(BUILT): $(INSTALLED) $(BUILD_FILES)
	@echo 'Building baytree ...'
	@touch $@.started
	@$(call quietly,build,PATH="$(abspath $(BIN)):$$PATH" \
		$(BIN)/python -m pip install --no-build-isolation --no-deps -e .)
	@cp $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/baytree/_core.pyi src/baytree/
	@mv $@.started $@

# The light environment sees the packages of .venv by a path line; .venv's own editable install is
# not active there, because nested .pth files are not read.
$(ADDRESS)/.built: RUNTIME := asan
$(ADDRESS)/.built: SANITIZERS := address$(comma)undefined
$(THREAD)/.built: RUNTIME := tsan
$(THREAD)/.built: SANITIZERS := thread
$(ADDRESS)/.built $(THREAD)/.built: $(BUILT)
	@test -f "$$($(CXX) -print-file-name=lib$(RUNTIME).so)" || { \
		echo 'A build with sanitizers needs GCC and its runtime; $(CXX) has no lib$(RUNTIME).so.' \
			'Set CXX to a GCC: make sanitize CXX=g++' >&2; exit 1; }
	@echo 'Building baytree with -fsanitize=$(SANITIZERS) ...'
	@mkdir -p $(@D) && touch $@.started
	@$(call quietly,$(RUNTIME),$(BIN)/python -m venv --without-pip $(@D)/venv && \
		packages='import sysconfig; print(sysconfig.get_path("purelib"))' && \
		$(BIN)/python -c "$$packages" \
			> "$$($(@D)/venv/bin/python -c "$$packages")/development_tools.pth" && \
		CXX='$(CXX)' PATH="$(abspath $(BIN)):$$PATH" \
		$(BIN)/python -m pip --python $(@D)/venv/bin/python install --no-build-isolation --no-deps -e . \
			-C build-dir=$(@D)/cmake -C cmake.build-type=Debug \
			-C cmake.define.BAYTREE_SANITIZE='$(SANITIZERS)')
	@mv $@.started $@
