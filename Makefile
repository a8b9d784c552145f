# make demo and make test are the README's two commands. As root they install the Debian packages they
# need (tools/packages.txt); otherwise they say which ones are missing.
BUILD ?= build
LAUNCHER := $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
PYTHON := /usr/bin/python3
SOURCES := $(shell git ls-files '*.cpp' '*.h' 2>/dev/null)

.PHONY: build demo test check-all bench format lint asan clean packages test-packages

build: packages
	cmake --preset release -B $(BUILD) $(LAUNCHER) -DATCAV_DEVELOPER=OFF > /dev/null
	cmake --build $(BUILD)

demo: build
	$(BUILD)/atcav demo -o out/demo

test: test-packages
	cmake --preset dev -B $(BUILD) $(LAUNCHER) > /dev/null
	cmake --build $(BUILD)
	tools/lint.sh $(BUILD)
	ctest --test-dir $(BUILD) --output-on-failure -j 2 -LE slow

# What is too slow for every change: the Python package and networks exported anew with today's PyTorch, the plugin's
# clang-tidy, all tests under sanitizers.
check-all: test asan
	ATCAV_NEED_PYPI=1 ctest --test-dir $(BUILD) --output-on-failure -L slow
	tools/lint_plugin.sh

bench: test-packages
	cmake --preset dev -B $(BUILD) $(LAUNCHER) > /dev/null
	cmake --build $(BUILD)
	bench/run.sh $(BUILD)

asan: test-packages
	cmake --preset asan $(LAUNCHER) > /dev/null
	cmake --build build/asan
	ctest --test-dir build/asan --output-on-failure -j 2

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
