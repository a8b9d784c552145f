#include "stats/newton.h"

#include <functional>
#include <memory>
#include <utility>

#include "core/parallel.h"
#include "stats/newton_fit.h"

namespace atcav::stats {
namespace {

constexpr int kMostSteps = 200;
constexpr int kMostSvmNewtonSteps = 40;

// Some fits that ask K for products at the same time.
class NewtonFits {
 public:
  NewtonFits(const Kernel& kernel, int threads) : kernel_(&kernel), threads_(threads) {}

  using Fits = std::vector<NewtonFit*>;
  void each(const Fits& fits, const std::function<void(NewtonFit&)>& body) const {
    parallel_for(std::ssize(fits), threads_, [&](Index i) { body(*fits[static_cast<std::size_t>(i)]); });
  }
  // ask(fit) to be multiplied, answer(fit, product).
  void multiply(const Fits& fits, bool exactly, const std::function<const Vector*(NewtonFit&)>& ask,
                const std::function<void(NewtonFit&, Vector)>& answer) const {
    for (const bool in_float : {true, false}) {
      Fits own;
      for (NewtonFit* fit : fits)
        if ((fit->in_float && !exactly) == in_float) own.push_back(fit);
      std::vector<const Vector*> vectors(own.size());
      const Index count = std::ssize(own);
      parallel_for(count, threads_, [&](Index i) {
        vectors[static_cast<std::size_t>(i)] = ask(*own[static_cast<std::size_t>(i)]);
      });
      std::vector<Vector> products = kernel_->times(vectors, in_float, threads_);
      parallel_for(count, threads_, [&](Index i) {
        NewtonFit& fit = *own[static_cast<std::size_t>(i)];
        ++fit.fit.products;
        answer(fit, std::move(products[static_cast<std::size_t>(i)]));
      });
    }
  }

 private:
  const Kernel* kernel_;
  int threads_;
};

}  // namespace

std::vector<WeightedFit> fit_together(const FitSetting& setting, std::vector<WeightedRows> problems,
                                      const FitPoint* start, int threads) {
  std::vector<std::unique_ptr<NewtonFit>> all;
  NewtonFits::Fits open;
  for (WeightedRows& rows : problems)
    open.push_back(all.emplace_back(std::make_unique<NewtonFit>(setting, std::move(rows), start)).get());
  const NewtonFits::Fits every = open;
  const NewtonFits fits(*setting.kernel, threads);
  const bool is_svm = setting.options.method == CavMethod::kSvm;
  if (!is_svm) {
    fits.multiply(
        open, true, [](NewtonFit& fit) { return &fit.apart(); },
        [](NewtonFit& fit, const Vector& product) { fit.settle(product); });
    std::erase_if(open, [](NewtonFit* fit) { return fit->done; });
  }
  for (int step = 0; step < (is_svm ? kMostSvmNewtonSteps : kMostSteps) && !open.empty(); ++step) {
    throw_if_stopped();
    fits.multiply(
        open, false, [](NewtonFit& fit) { return &fit.begin(); },
        [](NewtonFit& fit, Vector product) { fit.search(std::move(product)); });
    NewtonFits::Fits solving = open;
    while (std::erase_if(solving, [](NewtonFit* fit) { return fit->is_solved(); }), !solving.empty()) {
      fits.multiply(
          solving, false, [](NewtonFit& fit) { return &fit.request(); },
          [](NewtonFit& fit, const Vector& product) { fit.advance(product); });
    }
    fits.each(open, [](NewtonFit& fit) { fit.take_step(); });
    std::erase_if(open, [](NewtonFit* fit) { return fit->done; });
    fits.multiply(
        open, true, [](NewtonFit& fit) { return &fit.fit.at.coefficients; },
        [](NewtonFit& fit, Vector product) { fit.refresh(std::move(product)); });
  }
  if (is_svm) fits.each(every, [](NewtonFit& fit) { fit.settle_svm(); });
  std::vector<WeightedFit> found;
  found.reserve(every.size());
  for (NewtonFit* fit : every) found.push_back(std::move(fit->fit));
  return found;
}

}  // namespace atcav::stats
