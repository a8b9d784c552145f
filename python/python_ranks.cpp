#include <pybind11/pybind11.h>

#include <utility>

#include "bind.h"
#include "python_rows.h"

namespace atcav::python {
namespace {

namespace py = pybind11;

class PythonRanks : public Ranks {
 public:
  explicit PythonRanks(py::object ranks)
      : rank_(ranks.attr("rank").cast<int>()),
        size_(ranks.attr("size").cast<int>()),
        local_rank_(ranks.attr("local_rank").cast<int>()),
        ranks_(shared(std::move(ranks))) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_rank() const override { return local_rank_; }
  std::int64_t bytes_sent() const override { return sent_; }

  void broadcast(std::span<std::byte> bytes, int from) override {
    if (bytes.empty()) return;
    const py::gil_scoped_acquire locked;
    ranks_->attr("broadcast")(
        py::memoryview::from_memory(bytes.data(), static_cast<py::ssize_t>(bytes.size())), from);
    if (from == rank_) sent_ += static_cast<std::int64_t>(bytes.size());
  }

 private:
  int rank_;
  int size_;
  int local_rank_;
  std::int64_t sent_ = 0;  // once for all, however they get it
  std::shared_ptr<py::object> ranks_;
};

}  // namespace

std::shared_ptr<Ranks> python_ranks(py::object ranks) {
  if (ranks.is_none()) return nullptr;
  return std::make_shared<PythonRanks>(std::move(ranks));
}

}  // namespace atcav::python
