#include "plugins/torch/ops/table.h"

namespace atcav::plugin {
namespace {

const std::map<std::string_view, const OpEntry*>& table() {
  static const auto kTable = [] {
    std::map<std::string_view, const OpEntry*> joined;
    for (const auto family :
         {elementwise_ops(), linear_ops(), pool_ops(), normalize_ops(), reduce_ops(), shape_ops(), part_ops(),
          index_ops(), create_ops(), resize_ops(), quantize_ops(), recurrent_ops(), attention_ops(),
          signal_ops(), detect_ops(), deform_ops()}) {
      for (const OpEntry& entry : family) joined.emplace(entry.name, &entry);
    }
    return joined;
  }();
  return kTable;
}

}  // namespace

const OpEntry* find_op(const onnx::Node& node) {
  if (!node.domain.empty()) return nullptr;
  const auto found = table().find(node.op);
  return found == table().end() ? nullptr : found->second;
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : table()) names.emplace_back(name);
  return names;
}

}  // namespace atcav::plugin
