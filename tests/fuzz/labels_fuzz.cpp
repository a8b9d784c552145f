#include <cstdint>
#include <stdexcept>

#include "data/table/label_table.h"

// Any bytes are a table or a std::runtime_error, nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* group : {"", "group"}) {
    try {
      const atcav::LabelTable table = atcav::data::read_labels(atcav::data::read_memory(text), group);
      const auto rows = static_cast<std::size_t>(table.values.rows());
      if (rows != table.rows.size() || rows != table.lines.size()) __builtin_trap();
    } catch (const std::runtime_error&) {
      continue;
    }
  }
  return 0;
}
