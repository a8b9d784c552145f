#include "atcav/io/npy.h"

#include <fmt/format.h>

#include <cstdint>

#include "atcav/base/check.h"
#include "atcav/io/atomic_file.h"
#include "atcav/io/fail.h"
#include "atcav/io/npy_header.h"

namespace atcav::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

}  // namespace

Array read_npy(ReaderPtr reader) {
  const auto fail = [&](std::string_view message) { fail_file("read_npy", reader->name(), message); };
  const std::string_view text = reader->text();
  if (!text.starts_with(kMagic))
    fail(fmt::format("is not a .npy file, begins with {}", quote(text.substr(0, 6))));
  if (text.size() < 8) fail(fmt::format("is cut short after {} bytes", text.size()));
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3) fail(fmt::format("has .npy version {}, must be 1, 2 or 3", version));

  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t header_start = 8 + length_bytes;
  if (text.size() < header_start) fail(fmt::format("is cut short after {} bytes", text.size()));
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<std::size_t>(static_cast<unsigned char>(text[8 + i])) << (8 * i);
  }
  if (length > text.size() - header_start) {
    fail(fmt::format("header should have {} bytes but the file ends after {}", length,
                     text.size() - header_start));
  }

  NpyHeader header = parse_npy_header(text.substr(header_start, length), reader->name());
  const std::size_t data_start = header_start + length;
  const std::size_t available = text.size() - data_start;
  const std::optional<std::size_t> needed = byte_size(header.shape, header.dtype);
  if (!needed) fail(fmt::format("shape {} is too large", to_string(header.shape)));
  if (*needed != available) {
    fail(fmt::format("shape {} of {} needs {} bytes of data, the file has {}", to_string(header.shape),
                     npy_code(header.dtype), *needed, available));
  }
  std::string name = reader->name();
  return {std::move(reader), std::move(name),         data_start,
          header.dtype,      std::move(header.shape), header.layout};
}

void write_npy(const std::string& path, const TensorView& tensor) {
  const std::string_view code = npy_code(tensor.dtype);
  if (code.empty()) {
    fail_argument("write_npy",
                  fmt::format("dtype is {}, which .npy files cannot hold", dtype_name(tensor.dtype)));
  }
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                                   item_size(tensor.dtype) == 1 ? '|' : '<', code, to_string(tensor.shape));
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  header.resize((kPrefix + header.size() + kAlignment) / kAlignment * kAlignment - kPrefix, ' ');
  header.back() = '\n';

  AtomicFile file(path);
  file.write(kMagic);
  file.write(std::string_view("\x01\x00", 2));
  const auto length = static_cast<std::uint16_t>(header.size());
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  file.write(tensor.bytes);
  file.commit();
}

}  // namespace atcav::io
