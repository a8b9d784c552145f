#include "data/array/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/check.h"
#include "data/file/atomic_file.h"
#include "data/file/fail.h"

namespace atcav::data {
namespace {

using nlohmann::json;

constexpr const char* kReadSafetensors = "read_safetensors";

struct SafetensorsEntry {
  std::string name;
  Dtype dtype = Dtype::kF32;
  Shape shape;
  std::size_t begin = 0, end = 0;  // in bytes from the end of the header
};

// Builds the entries while the header is read: names at depth 1, fields at depth 2, lists at depth 3. Fields
// that are not known are passed over.
class HeaderReader : public nlohmann::json_sax<json> {
 public:
  explicit HeaderReader(std::string_view file) : file_(file) {}

  std::vector<SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;

  [[noreturn]] void fail(std::string_view message) const { fail_file(kReadSafetensors, file_, message); }

 private:
  bool start_object(std::size_t) override {
    if (depth_ > 1) unexpected();
    if (depth_ == 1) fields_.clear();
    return ++depth_ <= kDeepest;
  }
  bool end_object() override {
    if (--depth_ == 1 && name_ != kMetadata) add_entry();
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || list() == nullptr) unexpected();
    if (depth_ == 2 && list() != nullptr) list()->clear();
    return ++depth_ <= kDeepest;
  }
  bool end_array() override { return --depth_ >= 0; }
  bool key(std::string& text) override {
    if (depth_ > 2) return true;
    if (!(depth_ == 1 ? names_ : fields_).insert(text).second) {
      fail(fmt::format("header has the name {} twice", quote(text)));
    }
    (depth_ == 1 ? name_ : field_) = text;
    return true;
  }
  bool string(std::string& text) override {
    if (depth_ == 2 && name_ == kMetadata) {
      metadata[field_] = text;
    } else if (depth_ == 2 && field_ == "dtype") {
      dtype_ = text;
    } else {
      unexpected();
    }
    return true;
  }
  bool number_unsigned(std::uint64_t value) override {
    constexpr std::uint64_t kLargest = std::numeric_limits<Index>::max();
    if (depth_ != 3 || list() == nullptr || value > kLargest) return unexpected();
    list()->push_back(static_cast<Index>(value));
    return true;
  }
  bool null() override { return unexpected(); }
  bool boolean(bool) override { return unexpected(); }
  bool number_integer(std::int64_t) override { return unexpected(); }
  bool number_float(double, const std::string&) override { return unexpected(); }
  bool binary(json::binary_t&) override { return unexpected(); }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

  static constexpr int kDeepest = 8;
  static constexpr const char* kMetadata = "__metadata__";

  [[noreturn]] void fail_tensor(std::string_view message) const {
    fail(fmt::format("tensor {}: {}", quote(name_), message));
  }

  // Where the numbers of this field go.
  Shape* list() {
    if (name_ == kMetadata) return nullptr;
    return field_ == "shape" ? &shape_ : field_ == "data_offsets" ? &offsets_ : nullptr;
  }

  bool unexpected() {
    if (depth_ == 0) fail("header is not a JSON object");
    if (name_ == kMetadata && depth_ == 1) fail("__metadata__ is not a JSON object");
    if (name_ == kMetadata) fail(fmt::format("__metadata__ {} is not a string", quote(field_)));
    if (depth_ == 1) fail_tensor("has no dtype");
    if (field_ == "dtype") fail_tensor("dtype is not a string");
    if (list() != nullptr && depth_ == 2) fail_tensor(field_ + " is not a list");
    if (list() != nullptr) fail_tensor(field_ + " must hold whole numbers from 0 to 2^63-1");
    return true;
  }

  void add_entry() {
    const auto need = [&](const char* field) {
      if (!fields_.contains(field)) fail_tensor(fmt::format("has no {}", field));
    };
    need("dtype");
    const std::optional<Dtype> dtype = find_dtype(dtype_);
    if (!dtype) {
      fail_tensor(
          fmt::format("dtype {} is not supported, must be F16, BF16, F32, F64, I64, I32, I16, I8, U8 or BOOL",
                      quote(dtype_)));
    }
    need("shape");
    need("data_offsets");
    if (offsets_.size() != 2 || offsets_[0] > offsets_[1]) fail_tensor("data_offsets must be [begin, end]");
    const auto begin = static_cast<std::size_t>(offsets_[0]), end = static_cast<std::size_t>(offsets_[1]);
    const std::optional<std::size_t> needed = byte_size(shape_, *dtype);
    if (!needed) fail_tensor(fmt::format("shape {} is too large", to_string(shape_)));
    if (*needed != end - begin) {
      fail_tensor(fmt::format("data_offsets span {} bytes but shape {} of {} needs {}", end - begin,
                              to_string(shape_), dtype_name(*dtype), *needed));
    }
    entries.push_back({name_, *dtype, shape_, begin, end});
  }

  std::string_view file_;
  int depth_ = 0;
  std::set<std::string, std::less<>> names_, fields_;  // of the header, of the open object
  std::string name_, field_, dtype_;
  Shape shape_, offsets_;
};

// Nothing overlapping, nothing left over.
void check_cover(HeaderReader& header, std::size_t data_size) {
  std::sort(header.entries.begin(), header.entries.end(),
            [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
              return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
            });
  std::size_t covered = 0;
  for (const SafetensorsEntry& entry : header.entries) {
    if (entry.begin != covered) {
      header.fail(fmt::format("tensor {} begins at {}, {} {}", quote(entry.name), entry.begin,
                              entry.begin < covered ? "overlapping another that ends at"
                                                    : "leaving a gap after the one that ends at",
                              covered));
    }
    covered = entry.end;
  }
  if (covered != data_size) {
    header.fail(fmt::format("tensors end at {} but the file has {} bytes of data", covered, data_size));
  }
}

using NamedTensor = std::pair<const std::string, TensorView>;

std::vector<const NamedTensor*> data_order(const std::map<std::string, TensorView>& tensors) {
  std::vector<const NamedTensor*> order;
  order.reserve(tensors.size());
  for (const NamedTensor& named : tensors) order.push_back(&named);
  std::ranges::stable_sort(order, [](const NamedTensor* a, const NamedTensor* b) {
    return item_size(a->second.dtype) > item_size(b->second.dtype);
  });
  return order;
}

std::string header_text(const std::vector<const NamedTensor*>& order,
                        const std::map<std::string, std::string>& metadata) {
  json header = json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t begin = 0;
  for (const NamedTensor* named : order) {
    const auto& [name, tensor] = *named;
    if (name == "__metadata__") fail_argument("write_safetensors", "no tensor may be called '__metadata__'");
    const std::size_t end = begin + tensor.bytes.size();
    header[name] = {{"dtype", dtype_name(tensor.dtype)},
                    {"shape", tensor.shape},
                    {"data_offsets", std::vector<std::size_t>{begin, end}}};
    begin = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception&) {
    fail_argument("write_safetensors", "a tensor name or metadata is not UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

std::vector<std::string> Safetensors::names() const {
  std::vector<std::string> result;
  for (const auto& [name, array] : tensors) result.push_back(name);
  return result;
}

const Array& Safetensors::tensor(std::string_view name) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) {
    fail_file(kReadSafetensors, file, "has no tensor {}; it has {}", quote(name),
              closest_names(name, names()));
  }
  return found->second;
}

Safetensors read_safetensors(const ReaderPtr& reader) {
  constexpr std::size_t kPrefix = 8, kLongestHeader = 100'000'000;
  const std::string& file = reader->name();
  HeaderReader header(file);
  if (reader->size() < kPrefix) header.fail(fmt::format("is cut short after {} bytes", reader->size()));
  std::uint64_t length = 0;
  reader->read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > kLongestHeader) {
    header.fail(fmt::format("header should have {} bytes, more than 100 MB", length));
  }
  if (length > reader->size() - kPrefix) {
    header.fail(fmt::format("header should have {} bytes but the file ends after {}", length,
                            reader->size() - kPrefix));
  }
  if (!json::sax_parse(reader->read(kPrefix, length), static_cast<nlohmann::json_sax<json>*>(&header)))
    header.fail("header is not valid JSON");
  const std::size_t data_start = kPrefix + length;
  check_cover(header, reader->size() - data_start);

  Safetensors result{.file = file, .tensors = {}, .metadata = std::move(header.metadata)};
  for (SafetensorsEntry& entry : header.entries) {
    Array array(reader, file + ":" + entry.name, data_start + entry.begin, entry.dtype,
                std::move(entry.shape));
    result.tensors.emplace(std::move(entry.name), std::move(array));
  }
  return result;
}

void stream_safetensors(const std::map<std::string, TensorView>& tensors,
                        const std::map<std::string, std::string>& metadata,
                        const std::function<void(std::span<const std::byte>)>& write) {
  const std::vector<const NamedTensor*> order = data_order(tensors);
  const std::string header = header_text(order, metadata);
  const std::uint64_t length = header.size();
  write(std::as_bytes(std::span(&length, 1)));
  write(std::as_bytes(std::span(header)));
  for (const NamedTensor* named : order) write(named->second.bytes);
}

std::string safetensors_text(const std::map<std::string, TensorView>& tensors,
                             const std::map<std::string, std::string>& metadata) {
  std::string text;
  stream_safetensors(tensors, metadata, [&text](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return text;
}

void write_safetensors(const std::string& path, const std::map<std::string, TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  write_file_atomically(path, safetensors_text(tensors, metadata));
}

}  // namespace atcav::data
