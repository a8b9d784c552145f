# make demo and make test are the README's two commands. As root they install the Debian packages they
# need (tools/packages.txt); otherwise they say which ones are missing.
BUILD ?= build
LAUNCHER := $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
PYTHON := /usr/bin/python3
SOURCES := $(shell git ls-files '*.cpp' '*.h' 2>/dev/null)

.PHONY: build demo install package wheel docs test check-all sanitized fuzz fuzz-graphs faults asan tsan bench format lint clean packages test-packages

build: packages
	cmake --preset release -B $(BUILD) $(LAUNCHER) -DATCAV_DEVELOPER=OFF > /dev/null
	cmake --build $(BUILD)

demo: build
	$(BUILD)/atcav demo -o out/demo

# Into a folder of the user's own: no root is needed. PREFIX/bin/atcav finds its plugin beside it.
PREFIX ?= $(HOME)/.local
install: build
	cmake --install $(BUILD) --prefix $(PREFIX) > /dev/null
	@echo "installed $(PREFIX)/bin/atcav"

# A .deb and a .tar.gz in $(BUILD)/package.
package: build
	@tools/install_packages.sh package
	cpack --config $(BUILD)/CPackConfig.cmake

# Wheels of the Python package that need no compiler and no library, for each CPython that is here, in $(BUILD)/wheelhouse.
wheel: packages
	tools/wheels.sh $(BUILD)

# Pages and headers as a site in $(BUILD)/docs, its links checked.
docs:
	@tools/install_packages.sh docs
	$(PYTHON) -B tools/docs_site.py $(BUILD)/docs

# The library is compiled as few large files, as for `make build`, and checked file by file by clang-tidy.
test: test-packages
	cmake --preset dev -B $(BUILD) $(LAUNCHER) -DATCAV_UNITY=ON > /dev/null
	cmake --build $(BUILD)
	tools/lint.sh $(BUILD)
	ctest --test-dir $(BUILD) --output-on-failure -j 2 -LE slow

# What is too slow for every change: the packages, the site, the Python package and networks exported anew with today's
# PyTorch, the plugin's clang-tidy, the program and unit tests under the address and thread sanitizers, a fault at every
# place and 200 kills, a million executions per parser.
check-all: test sanitized asan tsan faults docs
	ATCAV_NEED_PYPI=1 ctest --test-dir $(BUILD) --output-on-failure -L slow
	tools/lint_plugin.sh
	$(MAKE) fuzz RUNS=1000000
	$(MAKE) fuzz-graphs

# The program without LibTorch, instrumented for addresses and undefined behaviour: each fuzz target for a moment, then
# tests of the whole program.
sanitized: test-packages
	cmake --preset sanitized -B $(BUILD)/sanitized $(LAUNCHER) > /dev/null
	cmake --build $(BUILD)/sanitized
	ctest --test-dir $(BUILD)/sanitized --output-on-failure -j 2

# The same for long: RUNS executions per target. With clang (make fuzz CXX=clang++) libFuzzer looks for new paths.
FUZZ_PARSERS ?= npy safetensors labels image onnx config command
FUZZ_BUILD := $(BUILD)/fuzz-$(notdir $(CXX))
export RUNS ?= 10000000
fuzz: test-packages
	cmake --preset sanitized -B $(FUZZ_BUILD) $(LAUNCHER) -DCMAKE_CXX_COMPILER=$(CXX) > /dev/null
	cmake --build $(FUZZ_BUILD) --target $(FUZZ_PARSERS:%=%_fuzz)
	tests/fuzz/run.sh $(FUZZ_BUILD) $(FUZZ_PARSERS)

# Broken graphs, broken small files, single ops with gradients on LibTorch, in the build of `make test`: none may crash,
# take more than 10 s of a processor or 1 GB. About 1,000 of MODELS per processor are the files before they are broken;
# of OPS two thirds are refused, because op, inputs and attributes do not fit each other.
GRAPHS ?= 5000
MODELS ?= 22500
OPS ?= 9000
fuzz-graphs: test-packages
	cmake --preset dev -B $(BUILD) $(LAUNCHER) -DATCAV_UNITY=ON > /dev/null
	cmake --build $(BUILD) --target graph_fuzz model_fuzz op_fuzz
	RUNS=$(GRAPHS) tests/fuzz/run.sh $(BUILD)/tests/fuzz graph
	RUNS=$(MODELS) tests/fuzz/run.sh $(BUILD)/tests/fuzz model
	RUNS=$(OPS) tests/fuzz/run.sh $(BUILD)/tests/fuzz op

# Every place where small runs and the demo make a call that can fail: its first, its last and one between do.
# Then 200 kills, mpirun's ranks among them.
faults: test
	$(PYTHON) -B tests/faults/faults_test.py $(BUILD)/atcav $(BUILD)/tests/faults/libfault_shim.so
	$(PYTHON) -B tests/faults/kill_test.py $(BUILD)/atcav --mpi $(BUILD)/tests/mpi/atcav_mpi \
	  --plugin $(BUILD)/libatcav_torch.so --kills 200

bench: test-packages
	cmake --preset dev -B $(BUILD) $(LAUNCHER) -DATCAV_UNITY=ON > /dev/null
	cmake --build $(BUILD)
	bench/run.sh $(BUILD)

# Unit tests and tests of the program; what is built from the installed package would lack the sanitizers' flags. The leak
# sanitizer crashes once LibTorch was opened, and opened through it a library is not looked for where the program says.
ASAN_TESTS := core stats pass fit data comm model pipeline report write_report torch onnx demo paper cli
asan: test-packages
	cmake --preset asan $(LAUNCHER) > /dev/null
	cmake --build build/asan --target $(ASAN_TESTS:%=%_test) atcav_program atcav_plugin
	ctest --test-dir build/asan --output-on-failure -j 2 -R '_test$$' -E 'torch|simulation'
	ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=$(CURDIR)/build/asan \
	  ctest --test-dir build/asan --output-on-failure -j 2 -R '^(torch_test|program_.*)$$' -E 'interrupt|signals'

tsan: test-packages
	cmake --preset tsan $(LAUNCHER) > /dev/null
	cmake --build build/tsan --target core_test pass_test fit_test data_test pipeline_test
	GTEST_FILTER=-*TakeLittleTime ctest --test-dir build/tsan --output-on-failure -j 2 -R '^(core|pass|fit|data|pipeline)_test$$'

format:
	clang-format -i $(SOURCES)

lint:
	tools/lint.sh $(BUILD)

packages:
	@tools/install_packages.sh build

test-packages:
	@tools/install_packages.sh test

clean:
	rm -rf $(BUILD) out
