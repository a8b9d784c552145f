#include <fmt/format.h>

#include <utility>

#include "atcav/run.h"
#include "core/check.h"
#include "core/stopwatch.h"
#include "data/file/fail.h"
#include "pass/pass_builder.h"
#include "pipeline/collect.h"
#include "pipeline/kept_inputs.h"
#include "pipeline/pass_part.h"
#include "pipeline/share_parts.h"

namespace atcav {
namespace {

// Every part computed all gradients, and multiplied them with the centre: the products show whether they were
// the same. On another kind of processor last digits may differ.
class GradientCheck {
 public:
  GradientCheck(const OpenedRun& run, const std::vector<ShareFile>& files) : run_(run), files_(files) {}

  void add(const ShareFile& file, const std::string& name, const Vector& merged) {
    constexpr double kLastDigits = 1e-3;
    const Vector theirs = file.doubles(name, merged.size(), 1).col(0);
    if (theirs == merged) return;
    Index worst = 0;
    const double apart = (theirs - merged).cwiseAbs().maxCoeff(&worst);
    if (!(apart <= kLastDigits * merged.cwiseAbs().maxCoeff()))
      data::fail_file("merge", file.path,
                      "has other gradients than {}: one of their networks computes differently",
                      whose(worst));
    if (remark_.empty()) {
      remark_ = fmt::format(
          "gradients in {} and {} differ in their last digits: another kind of processor or device; so do "
          "the "
          "results from those of one run",
          file.path, whose(worst));
    }
  }

  const std::string& remark() const { return remark_; }

 private:
  // The file that the merged gradient of this input comes from.
  const std::string& whose(Index input) const {
    for (std::size_t part = 0; part < files_.size(); ++part) {
      const RowRange own = own_inputs(run_, {static_cast<int>(part), static_cast<int>(files_.size())});
      if (input >= own.first && input < own.first + own.rows) return files_[part].path;
    }
    return files_.front().path;
  }

  const OpenedRun& run_;
  const std::vector<ShareFile>& files_;
  std::string remark_;
};

// As a process without any rows has it.
pass::Pass empty_pass(const LayerData& layer, const PassOfRun& of_run, pass::PassOptions options,
                      const MatrixF& centre) {
  std::vector<pass::SetShape> shapes;
  for (const OpenedSet& set : of_run.sets) shapes.push_back({set.name(), set.rows(), nullptr});
  options.moments_only = false;
  options.centre = centre.col(0);
  return pass::PassBuilder(layer.gradients, shapes, options).finish_share();
}

void take_logits(OpenedRun& run, const PassOfRun& of_run, const MergeOptions& units,
                 const std::vector<ShareFile>& files) {
  auto logits = std::make_shared<std::vector<Matrix>>();
  for (std::size_t s = 0; s < of_run.sets.size(); ++s) {
    Matrix values(std::min(of_run.sets[s].rows(), kMostWithLogits), std::ssize(of_run.targets));
    for (std::size_t part = 0; part < files.size(); ++part) {
      const RowRange own = own_rows(units.units, static_cast<Index>(s), static_cast<int>(part));
      const Index rows = std::min(own.rows, values.rows() - own.first);
      if (rows > 0)
        values.middleRows(own.first, rows) =
            files[part].doubles(fmt::format("logits/{}", s), rows, values.cols());
    }
    logits->push_back(std::move(values));
  }
  for (LayerData& layer : run.layers) layer.logits = logits;
}

void take_pass(OpenedRun& run, const PassOfRun& of_run, const std::vector<ShareFile>& files,
               GradientCheck& gradients) {
  const MergeOptions units = pass_units(*run.session, of_run.sets, run.layers, of_run.options);
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    LayerData& layer = run.layers[i];
    const std::string name = fmt::format("{}/{}", of_run.name, i);
    pass::Pass pass = empty_pass(layer, of_run, units.pass,
                                 files.front().floats(name + "/centre", layer.gradients.cols(), 1));
    for (std::size_t part = 0; part < files.size(); ++part) {
      gradients.add(files[part], name + "/centre_products", pass.centre_projection);
      add_part(pass, {units, static_cast<int>(part), name}, files[part]);
    }
    finish_parts(pass, units.pass);
    layer.*of_run.into = std::move(pass);
  }
  if (!of_run.targets.empty()) take_logits(run, of_run, units, files);
}

void check_whole(const std::vector<ShareFile>& files) {
  for (const ShareFile& file : files) {
    if (file.facts.at("stage") != kWhole)
      data::fail_file("merge", file.path,
                      "has gradients alone; give it to `atcav share --gradients` and merge "
                      "what that writes");
  }
}

// Activations that are asked about once directions are known are no part of a share: few go through the
// network again.
void collect_kept_rows(OpenedRun& run) {
  CollectOptions options = run.options;
  options.share.reset();
  if (!run.folders().empty()) {
    const std::vector<Unit> units = pass_units(*run.session, run.folders(), run.layers, options).units;
    collect_random_rows(*run.session, run.folders(), run.targets, units, options, run.layers);
  }
  collect_class_rows(*run.session, run.classes, options, run.layers);
}

}  // namespace

Config shared_config(const std::vector<std::string>& files) {
  if (files.empty()) fail_argument("merge", "no shares were given");
  return read_config(open_share(files.front()).facts.at("setup"));
}

RunResult merge(const Config& config, const std::vector<std::string>& paths, const Progress& progress,
                const Given& given) {
  Stopwatch watch;
  const std::vector<ShareFile> files = open_parts(paths);
  check_whole(files);
  const Part part{0, static_cast<int>(files.size())};
  OpenedRun run = open_run(config, progress, given, part);
  check_same_run(files, share_facts(run, part, kWhole));
  hash_rows(run);
  for (const ShareFile& file : files) join_hashes(run, file);
  watch.lap("open");
  note_top_shares(*run.session, run.classes, take_gradients(run, files), run.layers);
  GradientCheck gradients(run, files);
  for (const PassOfRun& pass : passes_of(run)) {
    take_pass(run, pass, files, gradients);
    if (pass.into == &LayerData::pool && pass.options.rows) multiply_pool(run.layers);
  }
  collect_kept_rows(run);
  watch.lap("shares");
  RunResult result = analyse_run(config, describe_run(std::move(run), watch), progress,
                                 given.keep_cavs || !config.save_cavs.empty());
  if (!gradients.remark().empty()) result.remarks.push_back(gradients.remark());
  return result;
}

}  // namespace atcav
