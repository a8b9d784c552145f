#include "plugins/torch/onnx/insert_nodes.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "plugins/torch/onnx/wire.h"

namespace atcav::onnx {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;

std::string tensor_message(const Tensor& tensor) {
  std::string bytes;
  pbf_writer out(bytes);
  for (const std::int64_t size : tensor.shape) out.add_int64(1, size);
  out.add_int32(2, static_cast<int>(tensor.type));
  out.add_bytes(9, tensor.bytes.view().data(), tensor.bytes.size());
  return bytes;
}

std::string attribute_message(const Attribute& attribute) {
  using Kind = Attribute::Kind;
  std::string bytes;
  pbf_writer out(bytes);
  out.add_string(1, attribute.name);
  if (attribute.kind == Kind::kInteger) out.add_int64(3, attribute.integer);
  if (attribute.kind == Kind::kTensor) out.add_message(5, tensor_message(attribute.tensor));
  for (const std::int64_t number : attribute.integers) out.add_int64(8, number);
  out.add_int32(20, static_cast<int>(attribute.kind));
  return bytes;
}

// In the module of the node whose place it takes: PyTorch's exporters say it in the name's beginning, or in
// the metadata (scopes.h).
struct Scoped {
  std::string beginning;
  std::string metadata;  // fields as they are
};

std::string node_message(const Node& node, const Scoped& scope) {
  std::string bytes;
  pbf_writer out(bytes);
  for (const std::string& input : node.inputs) out.add_string(1, input);
  for (const std::string& output : node.outputs) out.add_string(2, output);
  out.add_string(3, scope.beginning + node.name);
  out.add_string(4, node.op);
  for (const Attribute& attribute : node.attributes) out.add_message(5, attribute_message(attribute));
  return bytes + scope.metadata;
}

// Steps over a field and gives its bytes, tag included.
std::string_view skip_field(pbf_reader& message, std::string_view from) {
  message.skip();
  return from.substr(0, from.size() - message.length());
}

// For each field visit(message, bytes from the field on) gives true where it took the field, and otherwise
// the field is copied.
template <typename Visit>
void copy_fields(std::string_view bytes, std::string& out, Visit visit) {
  pbf_reader message(bytes.data(), bytes.size());
  while (true) {
    const std::string_view from = bytes.substr(bytes.size() - message.length());
    if (!message.next()) return;
    if (!visit(message)) out.append(skip_field(message, from));
  }
}

Scoped scope_of(std::string_view node) {
  Scoped scope;
  pbf_reader message(node.data(), node.size());
  while (true) {
    const std::string_view from = node.substr(node.size() - message.length());
    if (!message.next()) return scope;
    if (message.tag() == 9) {
      scope.metadata += skip_field(message, from);
    } else if (message.tag() == 3) {
      const std::string_view name = wire::view(message);
      scope.beginning = name.substr(0, name.rfind('/') + 1);
    } else {
      message.skip();
    }
  }
}

bool makes(pbf_reader node, const std::string& tensor) {
  while (node.next(2)) {
    if (wire::view(node) == tensor) return true;
  }
  return false;
}

std::string renamed_node(std::string_view bytes, const Insertion& insertion) {
  std::string node;
  copy_fields(bytes, node, [&](pbf_reader& message) {
    if (message.tag() != 2) return false;
    pbf_reader copy = message;
    if (wire::view(copy) != insertion.tensor) return false;
    message = copy;
    pbf_writer(node).add_string(2, insertion.before);
    return true;
  });
  return node;
}

std::string edited_graph(std::string_view bytes, const Insertion& insertion) {
  std::string graph;
  graph.reserve(bytes.size());
  bool found = false;
  copy_fields(bytes, graph, [&](pbf_reader& message) {
    if (message.tag() != 1 || found) return false;
    pbf_reader copy = message;
    const std::string_view node = wire::view(copy);
    if (!makes(pbf_reader(node.data(), node.size()), insertion.tensor)) return false;
    message = copy;
    found = true;
    pbf_writer out(graph);
    out.add_message(1, renamed_node(node, insertion));
    const Scoped scope = scope_of(node);
    for (const Node& added : insertion.nodes) out.add_message(1, node_message(added, scope));
    return true;
  });
  if (!found) {
    throw std::invalid_argument(
        fmt::format("[insert_nodes] '{}' is made inside a function, a loop or a branch of the file, where no "
                    "nodes can be inserted; choose another layer",
                    insertion.tensor));
  }
  return graph;
}

// StringStringEntryProto: its note, where it has the key.
std::string note_in(pbf_reader entry, const std::string& key) {
  std::string name;
  std::string value;
  while (entry.next()) {
    switch (entry.tag()) {
      case 1: name = wire::view(entry); break;
      case 2: value = wire::view(entry); break;
      default: entry.skip();
    }
  }
  return name == key ? value : "";
}

std::string edited(std::string_view file, const Insertion& insertion) {
  std::string rest;
  rest.reserve(file.size());
  std::string note;
  copy_fields(file, rest, [&](pbf_reader& message) {
    pbf_reader copy = message;
    if (message.tag() == 14) {
      const std::string before = note_in(copy.get_message(), insertion.key);
      if (before.empty()) return false;
      note = before + "; ";
    } else if (message.tag() == 7) {
      pbf_writer(rest).add_message(7, edited_graph(wire::view(copy), insertion));
    } else {
      return false;
    }
    message = copy;
    return true;
  });
  std::string entry;
  pbf_writer(entry).add_string(1, insertion.key);
  pbf_writer(entry).add_string(2, note + insertion.note);
  std::string bytes;
  pbf_writer(bytes).add_message(14, entry);
  bytes += rest;
  return bytes;
}

}  // namespace

std::string insert_nodes(std::string_view file, const Insertion& insertion) {
  std::string bytes;
  try {
    bytes = edited(file, insertion);
  } catch (const protozero::exception& error) {
    throw std::runtime_error(fmt::format("[insert_nodes] the file is damaged ({})", error.what()));
  }
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::runtime_error(
        fmt::format("[insert_nodes] the file would have {} bytes, and protobuf ends at 2 GiB; keep its "
                    "weights as external data",
                    bytes.size()));
  }
  return bytes;
}

}  // namespace atcav::onnx
