#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "atcav/matrix.h"
#include "fit/refit.h"

// Some inputs of another refitter: classes have the same CAVs, which are fitted once for all of them. What
// has been refitted is kept, so it is meant for few resamplings that are asked for again by each class.
namespace atcav::fit {

class SharedRefits {
 public:
  explicit SharedRefits(std::shared_ptr<const Refitter> all) : all_(std::move(all)) {}
  const Refitter& all() const { return *all_; }
  // Refits of all inputs; those that are not yet known are made together.
  std::vector<const Matrix*> find(const std::vector<Drawing>& drawings, int threads) const;

 private:
  std::shared_ptr<const Refitter> all_;
  mutable std::map<std::uint64_t, Matrix> kept_;
  mutable std::mutex mutex_;
};

class InputsRefitter : public Refitter {
 public:
  // Inputs first … first+count-1.
  InputsRefitter(std::shared_ptr<const SharedRefits> shared, Index first, Index count);
  Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const override;
  Vector full() const override;
  std::vector<Matrix> refit_all(const std::vector<Drawing>& drawings, int threads) const override;

 private:
  std::shared_ptr<const SharedRefits> shared_;
  Index first_;
  Index inputs_;
};

}  // namespace atcav::fit
