#include "atcav/model/input_batch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "atcav/base/parallel.h"
#include "atcav/io/sha256.h"

namespace atcav::model {

std::vector<std::string> content_hashes(const std::vector<InputBatch>& batches, int threads) {
  std::vector<std::string> hashes(static_cast<std::size_t>(batches.front().rows()));
  parallel_for(batches.front().rows(), threads, [&](Index row) {
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
    hashes[static_cast<std::size_t>(row)] = hash.hex();
  });
  return hashes;
}

}  // namespace atcav::model
