#include "plugins/torch/onnx/parse_tensor.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "plugins/torch/onnx/wire.h"

namespace atcav::onnx {
namespace {

// Everything a TensorProto can say, before it is brought into one form.
struct Raw {
  Tensor tensor;
  std::vector<float> reals;
  std::vector<double> doubles;
  std::vector<std::int64_t> int32s, int64s, uint64s;
  std::optional<std::string_view> raw;
  bool is_external = false;
  ExternalLocation location;
  bool has_texts = false;
};

std::int64_t to_integer(std::string_view text, const std::string& name) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw std::runtime_error(
        fmt::format("[onnx] tensor '{}' has the external offset or length '{}'", name, std::string(text)));
  }
  return value;
}

void read_location(protozero::pbf_reader entry, Raw& raw) {
  std::string_view key;
  std::string_view value;
  while (entry.next()) {
    switch (entry.tag()) {
      case 1: key = wire::view(entry); break;
      case 2: value = wire::view(entry); break;
      default: entry.skip();
    }
  }
  if (key == "location") raw.location.file = std::string(value);
  if (key == "offset") raw.location.offset = to_integer(value, raw.tensor.name);
  if (key == "length") raw.location.length = to_integer(value, raw.tensor.name);
}

Raw read_fields(protozero::pbf_reader message) {
  Raw raw;
  while (message.next()) {
    switch (message.tag()) {
      case 1: wire::append_varints(message, raw.tensor.shape); break;
      case 2: raw.tensor.type = static_cast<Type>(message.get_int32()); break;
      case 4: wire::append_reals(message, raw.reals); break;
      case 5: wire::append_varints(message, raw.int32s); break;
      case 6:
        raw.has_texts = true;
        message.skip();
        break;
      case 7: wire::append_varints(message, raw.int64s); break;
      case 8: raw.tensor.name = wire::text(message); break;
      case 9: raw.raw = wire::view(message); break;
      case 10: wire::append_reals(message, raw.doubles); break;
      case 11: wire::append_varints(message, raw.uint64s); break;
      case 13: read_location(message.get_message(), raw); break;
      case 14: raw.is_external = message.get_int32() == 1; break;
      default: message.skip();
    }
  }
  return raw;
}

template <typename Element, typename Number>
Bytes packed(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Element), '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto element = static_cast<Element>(numbers[i]);
    std::memcpy(bytes.data() + i * sizeof(Element), &element, sizeof(Element));
  }
  return Bytes::own(std::move(bytes));
}

// The typed list that the format prescribes for the type.
Bytes typed_data(const Raw& raw) {
  switch (raw.tensor.type) {
    case Type::kFloat32:
    case Type::kComplex64: return packed<float>(raw.reals);
    case Type::kFloat64:
    case Type::kComplex128: return packed<double>(raw.doubles);
    case Type::kInt64: return packed<std::int64_t>(raw.int64s);
    case Type::kUint64: return packed<std::uint64_t>(raw.uint64s);
    case Type::kUint32: return packed<std::uint32_t>(raw.uint64s);
    case Type::kInt32: return packed<std::int32_t>(raw.int32s);
    case Type::kUint16:
    case Type::kInt16:
    case Type::kFloat16:
    case Type::kBfloat16: return packed<std::uint16_t>(raw.int32s);
    default: return packed<std::uint8_t>(raw.int32s);
  }
}

// One number to a byte, with its sign.
Bytes unpacked(const Bytes& packed, std::size_t count, std::size_t bits, Type type) {
  const bool has_sign = type == Type::kInt4 || type == Type::kInt2;
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(packed.view()[i * bits / 8]);
    const unsigned number = byte >> (i * bits % 8) & ((1U << bits) - 1);
    const bool negative = has_sign && (number >> (bits - 1)) != 0;
    bytes[i] =
        static_cast<char>(negative ? static_cast<int>(number) - (1 << bits) : static_cast<int>(number));
  }
  return Bytes::own(std::move(bytes));
}

}  // namespace

Tensor parse_tensor(const Bytes& bytes, const ExternalData& external) {
  Raw raw;
  try {
    raw = read_fields(protozero::pbf_reader(bytes.view().data(), bytes.size()));
  } catch (const protozero::exception& error) {
    throw std::runtime_error(fmt::format("[onnx] a tensor is damaged ({})", error.what()));
  }
  Tensor& tensor = raw.tensor;
  const std::size_t size = element_size(tensor.type);
  if (size == 0) {
    // Names the type only where it is used: a string constant somewhere must not stop the whole model.
    tensor.bytes = {};
    return tensor;
  }
  const std::int64_t count = element_count(tensor.shape, tensor.name);
  if (raw.is_external) {
    tensor.bytes = external(raw.location);
  } else if (raw.raw) {
    tensor.bytes = bytes.part(*raw.raw);
  } else {
    tensor.bytes = typed_data(raw);
  }
  const std::size_t bits = packed_bits(tensor.type);
  const std::size_t needed = (static_cast<std::size_t>(count) * bits + 7) / 8;
  if (tensor.bytes.size() != needed) {
    throw std::runtime_error(
        fmt::format("[onnx] tensor '{}' of shape {} ({}) needs {} bytes, the file has {}", tensor.name,
                    shape_text(tensor.shape), type_name(tensor.type), needed, tensor.bytes.size()));
  }
  if (bits < 8) tensor.bytes = unpacked(tensor.bytes, static_cast<std::size_t>(count), bits, tensor.type);
  return tensor;
}

}  // namespace atcav::onnx
