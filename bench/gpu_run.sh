#!/usr/bin/env bash
# gpu_run.sh [BATCH]: builds model_speed against the LibTorch of `python3` and runs it beside eager PyTorch on
# the GPU, in fp32, TF32 and bf16; in fp32 the CPU's answers are compared too. Needs carry/ (gpu_carry.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
batch=${1:-256}
build=build-gpu
torch=$(python3 -c 'import torch, os; print(os.path.dirname(torch.__file__))')
abi=$(python3 -c 'import torch; print(int(torch.compiled_with_cxx11_abi()))')
mkdir -p "$build"
cat > "$build/Makefile" <<MAKE
SOURCES := \$(filter-out %_test.cpp, \$(wildcard atcav/base/*.cpp plugins/torch/onnx/*.cpp plugins/torch/ops/*.cpp) \\
  \$(addprefix atcav/io/, reader.cpp fail.cpp npy.cpp array.cpp dtype.cpp atomic_file.cpp) \\
  \$(addprefix plugins/torch/, tensor_torch.cpp network.cpp execute.cpp plan.cpp fusion.cpp batch.cpp logits.cpp layer.cpp \\
    rows_internal.cpp prepare_internal.cpp model.cpp) bench/model_speed.cpp)
OBJECTS := \$(SOURCES:%.cpp=$build/%.o)
FLAGS := -std=c++20 -O3 -DNDEBUG -fPIC -fopenmp -DFMT_HEADER_ONLY -DEIGEN_DONT_PARALLELIZE -D_GLIBCXX_USE_CXX11_ABI=$abi \\
  -I. -isystem carry/include -isystem $torch/include -isystem $torch/include/torch/csrc/api/include
$build/model_speed: \$(OBJECTS)
	g++ -fopenmp \$^ -o \$@ -L$torch/lib -Wl,-rpath,$torch/lib -Wl,--no-as-needed -ltorch -ltorch_cpu -ltorch_cuda \\
	  -lc10 -lc10_cuda -Wl,--as-needed -lpthread
$build/%.o: %.cpp
	@mkdir -p \$(dir \$@)
	g++ \$(FLAGS) -c \$< -o \$@
MAKE
make -s -j "$(nproc)" -f "$build/Makefile"
for precision in fp32 tf32 bf16; do
  echo "== $precision, batch $batch"
  python3 bench/model_speed.py "$build/model_speed" --device cuda --precision "$precision" --batch "$batch" --pool mean
done
echo "== fp32, every element of the layer copied back"
python3 bench/model_speed.py "$build/model_speed" --device cuda --precision fp32 --batch "$batch" --pool none
