#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atcav/matrix.h"
#include "data/file/cache.h"

// What one run leaves for the next: matrices under a key made of everything that changes their numbers. The
// subject (this version, the network's hash, preprocessing, device, precision) is the same for a whole run;
// `what` says which numbers they are. Without a folder nothing is found and nothing is kept.
namespace atcav {

class RunCache {
 public:
  RunCache() = default;
  RunCache(std::shared_ptr<data::Cache> store, std::string subject);

  explicit operator bool() const { return store_ != nullptr; }
  // From several threads at once.
  std::optional<MatrixF> find(const std::string& what, Index rows, Index columns) const;
  void store(const std::string& what, const MatrixFRef& values) const;
  // The matrix of this shape that is there, or else computed and kept.
  MatrixF kept(const std::string& what, Index rows, Index columns,
               const std::function<MatrixF()>& compute) const;
  // What went wrong without being an error.
  std::vector<std::string> remarks() const;

 private:
  std::string key(const std::string& what) const;

  std::shared_ptr<data::Cache> store_;
  std::string subject_;
};

}  // namespace atcav
