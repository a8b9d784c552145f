#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "atcav/base/matrix.h"

// Items made by several threads and used by one, in order: the result does not depend on who was faster.
//
//   ordered_pipeline<MatrixF>(chunks, threads,
//       [&](Index i) { return forward(i); },                 // on a worker, in any order
//       [&](Index i, MatrixF rows) { builder.add(rows); });  // here, i = 0, 1, 2, …
namespace atcav {

// produce(i) runs on up to `threads` workers (0: all available), at most `ahead` items before consume has
// reached them; consume(i) runs on the calling thread. The first exception of either stops all.
void ordered_tasks(Index count, int threads, Index ahead, const std::function<void(Index)>& produce,
                   const std::function<void(Index)>& consume);

// Items ready or in the making at once: one in hand and one waiting for each worker.
Index pipeline_depth(int threads);

template <typename Item>
void ordered_pipeline(Index count, int threads, const std::function<Item(Index)>& produce,
                      const std::function<void(Index, Item)>& consume) {
  const Index ahead = pipeline_depth(threads);
  std::vector<std::optional<Item>> slots(static_cast<std::size_t>(ahead));
  ordered_tasks(
      count, threads, ahead, [&](Index i) { slots[i % ahead].emplace(produce(i)); },
      [&](Index i) {
        Item item = std::move(*slots[i % ahead]);
        slots[i % ahead].reset();
        consume(i, std::move(item));
      });
}

}  // namespace atcav
