#include "plugins/torch/exec/table.h"

#include <algorithm>

namespace atcav::plugin {
namespace {

const std::map<std::string_view, const OpEntry*>& table() {
  static const auto kTable = [] {
    std::map<std::string_view, const OpEntry*> joined;
    for (const auto family :
         {elementwise_ops(), linear_ops(), pool_ops(), normalize_ops(), reduce_ops(), shape_ops(), part_ops(),
          index_ops(), create_ops(), resize_ops(), quantize_ops(), recurrent_ops(), attention_ops(),
          signal_ops(), detect_ops(), deform_ops(), control_ops()}) {
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

void check_slots(const onnx::Node& node, const OpEntry& entry) {
  const Attributes call(node);
  const auto& [needed, most, outputs] = entry.slots;
  const std::size_t count = node.inputs.size();
  const std::size_t checked = needed == kAny ? std::max<std::size_t>(count, 1) : needed;
  for (std::size_t i = 0; i < checked; ++i) {
    if (i >= count || node.inputs[i].empty()) call.fail("input {} is missing", i);
  }
  if (count > most) call.fail("has {} inputs, must be <= {}", count, most);
  if (node.outputs.size() > outputs) call.fail("has {} outputs, must be <= {}", node.outputs.size(), outputs);
  if (std::ranges::all_of(node.outputs, &std::string::empty)) call.fail("has no outputs");
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : table()) names.emplace_back(name);
  return names;
}

}  // namespace atcav::plugin
