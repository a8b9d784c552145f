#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "atcav/run.h"
#include "bind.h"
#include "data/file/reader.h"
#include "running.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

// Whether it was there, gradients, examples, bytes.
using Summary = std::tuple<bool, Index, Index, Index>;

Summary share(const std::string& yaml, const std::pair<int, int>& part, const std::string& file,
              bool gradients_only, const std::vector<std::string>& gradients, const py::dict& options,
              const py::object& tell) {
  const Running running;
  const Config config = config_of(options, read_config(data::read_file(yaml)));
  const ShareOptions how{{part.first, part.second}, gradients_only, gradients};
  const Progress progress = progress_to(tell);
  const py::gil_scoped_release unlocked;
  const InterruptCheck check(check_signals);
  return told_in_keywords([&] {
    const ShareSummary done = atcav::share(config, how, file, progress);
    return Summary{done.was_there, done.gradients, done.examples, done.bytes};
  });
}

// With the word for its pooling.
std::pair<RunResult, std::string> merge(const std::vector<std::string>& files, const py::dict& options,
                                        const py::object& tell) {
  const Running running;
  const Config config = config_of(options, shared_config(files));
  const Progress progress = progress_to(tell);
  const py::gil_scoped_release unlocked;
  const InterruptCheck check(check_signals);
  return told_in_keywords([&] {
    Given given;
    given.keep_cavs = config.cavs.empty();
    return std::pair{atcav::merge(config, files, progress, given), model::pool_text(config.pool)};
  });
}

}  // namespace

void bind_shares(py::module_& module) {
  module.def("share", &share, "config"_a, "part"_a, "file"_a, "gradients_only"_a, "gradients"_a, "options"_a,
             "progress"_a);
  module.def("merge", &merge, "files"_a, "options"_a, "progress"_a);
}

}  // namespace atcav::python
