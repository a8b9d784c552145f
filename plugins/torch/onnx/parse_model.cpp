#include "plugins/torch/onnx/parse_model.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <stdexcept>

#include "data/file/reader.h"
#include "data/file/sha256.h"
#include "plugins/torch/onnx/parse_tensor.h"
#include "plugins/torch/onnx/scopes.h"
#include "plugins/torch/onnx/wire.h"

namespace atcav::onnx {
namespace {

using protozero::pbf_reader;
using Kind = Attribute::Kind;

// What every level of the parser needs: the bytes (to share), the files beside them, the depth so far.
struct Context {
  const Bytes& bytes;
  const ExternalData& external;
  int depth = 0;
};

Graph read_graph(pbf_reader message, const Context& context);

Tensor read_tensor(pbf_reader& message, const Context& context) {
  return parse_tensor(context.bytes.part(wire::view(message)), context.external);
}

Kind kind_of(int number) {
  static constexpr Kind kKinds[] = {Kind::kNone,  Kind::kReal,  Kind::kInteger,  Kind::kText, Kind::kTensor,
                                    Kind::kGraph, Kind::kReals, Kind::kIntegers, Kind::kTexts};
  return number >= 0 && number < static_cast<int>(std::size(kKinds)) ? kKinds[number] : Kind::kOther;
}

Attribute read_attribute(pbf_reader message, const Context& context) {
  Attribute attribute;
  Kind seen = Kind::kNone;  // old files leave the type out
  int number = 0;
  while (message.next()) {
    const auto tag = message.tag();
    if (tag >= 2 && tag <= 9) {
      seen = kind_of(static_cast<int>(tag) - 1);
    }
    switch (tag) {
      case 1: attribute.name = wire::text(message); break;
      case 2: attribute.real = message.get_float(); break;
      case 3: attribute.integer = message.get_int64(); break;
      case 4: attribute.text = wire::view(message); break;
      case 5: attribute.tensor = read_tensor(message, context); break;
      case 6:
        attribute.graph = {
            read_graph(message.get_message(), {context.bytes, context.external, context.depth + 1})};
        break;
      case 7: wire::append_reals(message, attribute.reals); break;
      case 8: wire::append_varints(message, attribute.integers); break;
      case 9: attribute.texts.emplace_back(wire::view(message)); break;
      case 20: number = message.get_int32(); break;
      case 21: attribute.reference = wire::text(message); break;
      default: message.skip();
    }
  }
  attribute.kind = number != 0 ? kind_of(number) : seen;
  if (attribute.kind == Kind::kGraph && attribute.graph.empty() && attribute.reference.empty()) {
    throw std::runtime_error(fmt::format("[onnx] attribute '{}' is a graph without content", attribute.name));
  }
  return attribute;
}

// StringStringEntryProto.
std::pair<std::string, std::string> read_entry(pbf_reader message) {
  std::pair<std::string, std::string> entry;
  while (message.next()) {
    switch (message.tag()) {
      case 1: entry.first = wire::text(message); break;
      case 2: entry.second = wire::text(message); break;
      default: message.skip();
    }
  }
  return entry;
}

Node read_node(pbf_reader message, const Context& context) {
  Node node;
  std::map<std::string, std::string> metadata;
  while (message.next()) {
    switch (message.tag()) {
      case 1: node.inputs.push_back(wire::text(message)); break;
      case 2: node.outputs.push_back(wire::text(message)); break;
      case 3: node.name = wire::text(message); break;
      case 4: node.op = wire::text(message); break;
      case 5: node.attributes.push_back(read_attribute(message.get_message(), context)); break;
      case 7: node.domain = wire::text(message); break;
      case 9: metadata.insert(read_entry(message.get_message())); break;
      default: message.skip();
    }
  }
  if (node.domain == "ai.onnx") node.domain.clear();
  node.scopes =
      metadata_scopes(metadata["pkg.torch.onnx.name_scopes"], metadata["pkg.torch.onnx.class_hierarchy"]);
  return node;
}

void read_dimension(pbf_reader message, Value& value) {
  std::int64_t size = -1;
  std::string symbol;
  while (message.next()) {
    switch (message.tag()) {
      case 1: size = message.get_int64(); break;
      case 2: symbol = wire::text(message); break;
      default: message.skip();
    }
  }
  // Some exporters write 0 or a negative number for "unknown".
  value.shape.push_back(size > 0 ? size : -1);
  value.symbols.push_back(size > 0 ? "" : symbol);
}

// TypeProto.Tensor: element type and shape.
void read_tensor_type(pbf_reader message, Value& value) {
  while (message.next()) {
    switch (message.tag()) {
      case 1: value.type = static_cast<Type>(message.get_int32()); break;
      case 2: {
        value.has_shape = true;
        auto shape = message.get_message();
        while (shape.next(1)) read_dimension(shape.get_message(), value);
        break;
      }
      default: message.skip();
    }
  }
}

// TypeProto: a tensor, or a sequence or an optional of something, which nest.
void read_type(pbf_reader message, Value& value, int depth = 0) {
  if (depth > kDeepestGraph) throw std::runtime_error("[onnx] types are nested too deep");
  while (message.next()) {
    const auto tag = message.tag();
    if (tag == 1) {
      read_tensor_type(message.get_message(), value);
    } else if (tag == 4 || tag == 9) {
      (tag == 4 ? value.is_sequence : value.is_optional) = true;
      auto inner = message.get_message();
      while (inner.next(1)) read_type(inner.get_message(), value, depth + 1);
    } else {
      message.skip();
    }
  }
}

Value read_value(pbf_reader message) {
  Value value;
  while (message.next()) {
    switch (message.tag()) {
      case 1: value.name = wire::text(message); break;
      case 2: read_type(message.get_message(), value); break;
      default: message.skip();
    }
  }
  return value;
}

Graph read_graph(pbf_reader message, const Context& context) {
  if (context.depth > kDeepestGraph) throw std::runtime_error(too_deep());
  Graph graph;
  while (message.next()) {
    switch (message.tag()) {
      case 1: graph.nodes.push_back(read_node(message.get_message(), context)); break;
      case 2: graph.name = wire::text(message); break;
      case 5: graph.initializers.push_back(read_tensor(message, context)); break;
      case 11: graph.inputs.push_back(read_value(message.get_message())); break;
      case 12: graph.outputs.push_back(read_value(message.get_message())); break;
      case 15: throw std::runtime_error("[onnx] the model has sparse initializers, which are not supported");
      default: message.skip();
    }
  }
  return graph;
}

Function read_function(pbf_reader message, const Context& context) {
  Function function;
  while (message.next()) {
    switch (message.tag()) {
      case 1: function.name = wire::text(message); break;
      case 4: function.inputs.push_back(wire::text(message)); break;
      case 5: function.outputs.push_back(wire::text(message)); break;
      case 7: function.nodes.push_back(read_node(message.get_message(), context)); break;
      case 10: function.domain = wire::text(message); break;
      case 11: function.defaults.push_back(read_attribute(message.get_message(), context)); break;
      default: message.skip();
    }
  }
  if (function.domain == "ai.onnx") function.domain.clear();
  return function;
}

// OperatorSetIdProto; the version counts for ONNX's own domain only.
void read_opset(pbf_reader message, Model& model) {
  std::string domain;
  std::int64_t version = 0;
  while (message.next()) {
    switch (message.tag()) {
      case 1: domain = wire::text(message); break;
      case 2: version = message.get_int64(); break;
      default: message.skip();
    }
  }
  if (domain.empty() || domain == "ai.onnx") model.opset = version;
}

}  // namespace

Model parse_model(const Bytes& bytes, const ExternalData& external) {
  Model model;
  bool has_graph = false;
  try {
    pbf_reader message(bytes.view().data(), bytes.size());
    while (message.next()) {
      switch (message.tag()) {
        case 1: model.ir_version = message.get_int64(); break;
        case 2: model.producer = wire::text(message); break;
        case 7:
          model.graph = read_graph(message.get_message(), {bytes, external});
          has_graph = true;
          break;
        case 8: read_opset(message.get_message(), model); break;
        case 25: model.functions.push_back(read_function(message.get_message(), {bytes, external})); break;
        default: message.skip();
      }
    }
  } catch (const protozero::exception& error) {
    throw std::runtime_error(
        fmt::format("[onnx] not an ONNX model, or cut short or damaged ({})", error.what()));
  }
  if (!has_graph) throw std::runtime_error("[onnx] not an ONNX model: it has no graph");
  if (model.opset == 0) model.opset = 1;  // the format's default
  return model;
}

Model load_model(const std::filesystem::path& path) {
  const Bytes bytes = Bytes::own(data::read_file(path.string()));
  const ExternalData external = external_data_in(path.parent_path());
  std::set<std::string> names;
  try {
    Model model = parse_model(bytes, [&](const ExternalLocation& location) {
      names.insert(location.file);
      return external(location);
    });
    model.hash = data::sha256(bytes.view());
    if (names.empty()) return model;
    for (const std::string& name : names) {
      model.files.push_back((path.parent_path() / name).string());
      model.hash += data::sha256(external({name, 0, -1}).view());
    }
    model.hash = data::sha256(model.hash);
    return model;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace atcav::onnx
