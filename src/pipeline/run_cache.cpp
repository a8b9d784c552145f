#include "pipeline/run_cache.h"

#include <fmt/format.h>

#include <utility>

#include "data/file/sha256.h"

namespace atcav {

RunCache::RunCache(std::shared_ptr<data::Cache> store, std::string subject)
    : store_(std::move(store)), subject_(std::move(subject)) {}

std::string RunCache::key(const std::string& what) const {
  return data::sha256(fmt::format("{}\n{}", subject_, what));
}

std::optional<MatrixF> RunCache::find(const std::string& what, Index rows, Index columns) const {
  return store_ ? store_->find(key(what), rows, columns) : std::nullopt;
}

void RunCache::store(const std::string& what, const MatrixFRef& values) const {
  if (store_) store_->store(key(what), values);
}

MatrixF RunCache::kept(const std::string& what, Index rows, Index columns,
                       const std::function<MatrixF()>& compute) const {
  if (auto found = find(what, rows, columns)) return std::move(*found);
  MatrixF computed = compute();
  store(what, computed);
  return computed;
}

std::vector<std::string> RunCache::remarks() const {
  std::vector<std::string> remarks;
  if (store_ && store_->damaged() > 0) {
    remarks.push_back(fmt::format("{} cache entries were damaged or another user's and were computed again",
                                  store_->damaged()));
  }
  if (store_ && store_->not_kept() > 0) {
    remarks.push_back(fmt::format("{} blocks could not be kept in the cache, the first because: {}",
                                  store_->not_kept(), store_->why_not_kept()));
  }
  return remarks;
}

}  // namespace atcav
