#include "atcav/model/input_batch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "atcav/io/sha256.h"

namespace atcav::model {

std::string content_hash(const std::vector<InputBatch>& batches, Index row) {
  io::Sha256 hash;
  for (const InputBatch& batch : batches) {
    const auto part = [&](const auto& values) {
      const std::size_t each = values.size() / static_cast<std::size_t>(batch.rows());
      return std::as_bytes(std::span(values).subspan(static_cast<std::size_t>(row) * each, each));
    };
    hash.update(fmt::format("{}\n", fmt::join(std::span(batch.shape).subspan(1), "x")));
    hash.update(part(batch.reals));
    hash.update(part(batch.integers));
  }
  return hash.hex();
}

}  // namespace atcav::model
