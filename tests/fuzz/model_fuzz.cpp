#include "plugins/torch/onnx/parse_model.h"
#include "tests/fuzz/run_graph.h"

// Any bytes are an ONNX file that is opened and run, or that is refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return atcav::fuzz::only_expected_errors([&] {
    const auto bytes = atcav::onnx::Bytes::own({reinterpret_cast<const char*>(data), size});
    atcav::fuzz::Choices choose(data, size);
    atcav::fuzz::run_graph(atcav::onnx::parse_model(bytes), choose);
  });
}
