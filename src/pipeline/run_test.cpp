#include "atcav/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "atcav/random.h"
#include "data/array/npy.h"
#include "data/array/safetensors.h"
#include "model/testing_model.h"
#include "pipeline/interventions.h"
#include "pipeline/testing_run.h"

namespace atcav {
namespace {

using model::TestingModel;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;

class RunTest : public TestingRun {
 protected:
  RunTest() {
    config_.batch = 8;
    config_.options.permutations = 199;
  }
  MatrixF rows(const std::string& name) const {
    return data::read_npy(data::open_file(folder_.file(name + ".npy"))).read_float();
  }
  RunResult run_it(const Config& config) {
    return run(config, {}, {network_ = std::make_shared<TestingModel>()});
  }
  void refused(const Config& config, const std::string& message) {
    EXPECT_THAT([&] { run_it(config); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message)));
  }

  std::shared_ptr<TestingModel> network_;
};

// The same numbers as activations and gradients from the formula, handed to score() as matrices.
TEST_F(RunTest, EqualsTheArraysOfTheFormula) {
  const RunResult found = run_it(config_);
  ASSERT_EQ(found.results.size(), 8U);
  TestingModel formula;
  const std::vector<std::size_t> both = {0, 1};
  const auto at = [&](const std::string& name, std::size_t layer) {
    return MatrixF(formula.activations(both, TestingModel::batch(rows(name)), config_.pool)[layer]->host());
  };
  const auto slopes = [&](const std::string& name, std::size_t layer, Index target) {
    return MatrixF(formula.gradients(both, TestingModel::batch(rows(name)), {target}, config_.pool)
                       .layers[layer]
                       ->host());
  };
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const MatrixF striped = at("striped", layer);
    const MatrixF dotted = at("dotted", layer);
    const MatrixF zebra = slopes("zebra", layer, 0);
    const MatrixF horse = slopes("horse", layer, 2);
    const RunResult arrays =
        score({{"striped", striped}, {"dotted", dotted}}, at("random", layer),
              {{"zebra", zebra}, {"horse", horse}}, config_.options, config_.layers[layer]);
    for (std::size_t i = 0; i < 4; ++i) {
      const Result& one = found.results[4 * layer + i];
      EXPECT_EQ(one.layer, config_.layers[layer]);
      EXPECT_EQ(one.concept_name, arrays.results[i].concept_name);
      EXPECT_EQ(one.class_name, arrays.results[i].class_name);
      EXPECT_EQ(one.examples->significance.differs_p, arrays.results[i].examples->significance.differs_p);
      EXPECT_NEAR(one.effect.p, arrays.results[i].effect.p, 1e-4 * one.effect.p);
      // Batches of eight are multiplied in other blocks: rounding in the last place of float.
      for (std::size_t j = 0; j < one.sensitivities.size(); ++j)
        EXPECT_NEAR(one.sensitivities[j], arrays.results[i].sensitivities[j], 1e-5 * one.gamma);
    }
  }
  EXPECT_EQ(found.examples_run, 20 + 13 + 50 + 30 + 25) << "each example once, for both layers";
  EXPECT_EQ(role_text(found.inputs.front().role), "model");
  EXPECT_EQ(found.entanglement.size(), 2U);
  EXPECT_THAT(found.notes, IsEmpty());
}

// At "active" the logits are linear, so adding t·w moves logit k by exactly t·w·b_k: the odd part is t times
// the first order, and the even part is zero. At "hidden" there is a tanh.
TEST_F(RunTest, InterventionsHaveKnownAnswers) {
  const RunResult found = run_it(config_);
  TestingModel formula;
  const auto at = [&](const std::string& name, std::size_t layer) {
    return MatrixF(
        formula.activations(std::array{layer}, TestingModel::batch(rows(name)), config_.pool)[0]->host());
  };
  const auto mean = [&](const std::string& set, std::size_t layer) -> Eigen::RowVectorXd {
    return at(set, layer).cast<double>().colwise().mean();
  };
  for (std::size_t i = 0; i < found.results.size(); ++i) {
    const Result& one = found.results[i];
    const std::size_t layer = i / 4;
    ASSERT_TRUE(one.intervention.has_value());
    EXPECT_EQ(one.intervention->classes, TestingModel::kLogits);
    const Eigen::RowVectorXd w = mean(one.concept_name, layer) - mean("random", layer);
    const Index target = one.class_name == "zebra" ? 0 : 2;
    for (const DoseResponse* response : {&one.intervention->of_class, &*one.intervention->random}) {
      const MatrixF base = at(response == &one.intervention->of_class ? one.class_name : "random", layer)
                               .topRows(response->inputs);
      for (std::size_t t = 0; t < kDoses.size(); ++t) {
        const auto moved = [&](double sign) {
          const Matrix x = base.cast<double>().rowwise() + sign * kDoses[t] * w;
          const Matrix active = layer == 0 ? Matrix(x.array().tanh()) : x;
          return Matrix(active * formula.b.cast<double>());
        };
        const Eigen::RowVectorXd odd = ((moved(1) - moved(-1)) / 2).colwise().mean();
        const Eigen::RowVectorXd even = ((moved(1) + moved(-1)) / 2 - moved(0)).colwise().mean();
        EXPECT_NEAR(response->odd[t], odd(target), 1e-4);
        EXPECT_NEAR(response->even[t], even(target), 1e-4);
        EXPECT_EQ(response->rank[t], 1 + (odd.array() > odd(target) + 1e-6).count());
        EXPECT_LE(response->low[t], response->odd[t]);
        // On random inputs the gradient at "active" is the same.
        const double first_order = layer == 1 ? kDoses[t] * one.effect.logits : odd(target);
        EXPECT_NEAR(response->odd[t], first_order, 1e-4);
      }
    }
    if (layer == 1) {
      EXPECT_NEAR(one.intervention->ratio, 1, 1e-3);
    }
  }
  ASSERT_EQ(found.speaks_for.size(), 4U);
  EXPECT_EQ(found.speaks_for[0].most.size(), 3U);
  EXPECT_GE(found.speaks_for[0].most[0].odd, found.speaks_for[0].most[1].odd);
  EXPECT_EQ(found.speaks_for[0].most[0].index, found.speaks_for[0].least[2].index);
  config_.no_intervene = true;
  EXPECT_FALSE(run_it(config_).results[0].intervention.has_value());
  config_.intervene = 3;
  EXPECT_THROW(run_it(config_), std::invalid_argument);
  config_.no_intervene = false;
  EXPECT_EQ(run_it(config_).results[0].intervention->of_class.inputs, 3);
  config_.options.cav.method = stats::CavMethod::kRidge;
  const Result fitted = run_it(config_).results[0];
  EXPECT_EQ(fitted.intervention->of_class.inputs, 3);
  EXPECT_EQ(fitted.erasure->eraser, "ridge");
}

// Rows of a matrix in batches of their own sizes, as a data loader gives them.
class Loader : public model::ExampleSource {
 public:
  Loader(MatrixF values, Index batch) : values_(std::move(values)), batch_(batch) {}
  Index rows() const override { return values_.rows(); }
  Index block(Index first, Index /*count*/) override { return std::min(batch_, rows() - first); }
  std::vector<model::InputBatch> read(Index first, Index count) override {
    EXPECT_TRUE(first == next_ || first == 0) << "in order, or from the start again";
    next_ = first + count;
    return TestingModel::batch(values_.middleRows(first, count));
  }

 private:
  MatrixF values_;
  Index batch_;
  Index next_ = 0;
};

TEST_F(RunTest, GivenExamplesAreAsGoodAsFiles) {
  config_.cache = folder_.file("cache");
  const RunResult files = run_it(config_);
  const auto loader = [](const std::string& path, Index batch) {
    return std::make_shared<Loader>(data::read_npy(data::open_file(path)).read_float(), batch);
  };
  Given code;
  code.network = std::make_shared<TestingModel>();
  code.examples[Role::Kind::kRandom] = loader(config_.random, 11);
  const ClassSet& first = config_.classes.front();  // the other stays a file
  code.examples[{Role::Kind::kClass, first.name}] = loader(first.path, 8);
  for (const ExampleSet& set : config_.concepts)
    code.examples[{Role::Kind::kConcept, set.name}] = loader(set.path, 8);
  const RunResult given = run(config_, {}, code);
  for (std::size_t i = 0; i < files.results.size(); ++i) {
    for (std::size_t j = 0; j < files.results[i].sensitivities.size(); ++j)
      EXPECT_NEAR(files.results[i].sensitivities[j], given.results[i].sensitivities[j],
                  1e-5 * files.results[i].gamma);  // random came in other blocks
  }
  EXPECT_EQ(given.examples_run, 50) << "the cache has all that came in blocks of 8";
  for (std::size_t i = 0; i < files.inputs.size(); ++i)
    EXPECT_EQ(files.inputs[i].sha256, given.inputs[i].sha256) << role_text(files.inputs[i].role);
}

TEST_F(RunTest, ABlockThatIsTooLongIsRefused) {
  class TooLong : public Loader {
   public:
    using Loader::Loader;
    Index block(Index /*first*/, Index /*count*/) override { return rows() + 1; }
  };
  Given given;
  given.network = std::make_shared<TestingModel>();
  given.examples[Role::Kind::kRandom] = std::make_shared<TooLong>(rows("random"), 8);
  EXPECT_THAT([&] { run(config_, {}, given); },
              ThrowsMessage<std::runtime_error>(HasSubstr("a block of 51 rows comes at row 0")));
}

TEST_F(RunTest, ThreadsAndTheCacheChangeNothing) {
  config_.options.threads = 1;
  const RunResult plain = run_it(config_);
  config_.options.threads = 3;
  config_.cache = folder_.file("cache");
  const RunResult first = run_it(config_);
  const RunResult second = run_it(config_);
  EXPECT_EQ(network_->examples_run, 0);
  EXPECT_EQ(second.examples_run, 0);
  for (std::size_t i = 0; i < plain.results.size(); ++i) {
    EXPECT_EQ(plain.results[i].sensitivities, first.results[i].sensitivities);
    EXPECT_EQ(plain.results[i].sensitivities, second.results[i].sensitivities);
  }
  EXPECT_EQ(plain.setup, second.setup);
  EXPECT_THAT(plain.setup, Not(HasSubstr("cache: ")));
  // Another network, another key: nothing stale can load.
  const RunResult other = run(config_, {}, {std::make_shared<TestingModel>(1.0)});
  EXPECT_EQ(other.examples_run, plain.examples_run);
}

// Two tensors of one file once shared their entries.
TEST_F(RunTest, TensorsOfOneFileDoNotShareCacheEntries) {
  const MatrixF striped = rows("striped");
  const MatrixF dotted = rows("dotted");
  const MatrixF random = rows("random");
  data::write_safetensors(folder_.file("all.safetensors"), {{"s", striped}, {"d", dotted}, {"r", random}});
  const RunResult plain = run_it(config_);
  config_.concepts = {{"striped", folder_.file("all.safetensors:s")},
                      {"dotted", folder_.file("all.safetensors:d")}};
  config_.random = folder_.file("all.safetensors:r");
  config_.cache = folder_.file("cache");
  for (int again = 0; again < 2; ++again) {
    const RunResult cached = run_it(config_);
    for (std::size_t i = 0; i < plain.results.size(); ++i)
      EXPECT_EQ(cached.results[i].sensitivities, plain.results[i].sensitivities);
    EXPECT_THAT(cached.notes, Not(Contains(HasSubstr("are also in"))));
  }
}

// Entries under each other's names, or of another shape, are noticed and computed again.
TEST_F(RunTest, EntriesThatAreNotWhatWasAskedForAreComputedAgain) {
  namespace fs = std::filesystem;
  config_.cache = folder_.file("cache");
  const RunResult first = run_it(config_);
  EXPECT_THAT(first.remarks, IsEmpty());
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(config_.cache)) entries.push_back(entry.path());
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    const fs::path aside = folder_.file("aside");
    fs::rename(entries[i], aside);
    fs::rename(entries[i + 1], entries[i]);
    fs::rename(aside, entries[i + 1]);
  }
  const RunResult second = run_it(config_);
  EXPECT_THAT(second.remarks, ElementsAre(HasSubstr("cache entries were damaged")));
  EXPECT_GT(second.examples_run, 0);
  for (std::size_t i = 0; i < first.results.size(); ++i)
    EXPECT_EQ(first.results[i].sensitivities, second.results[i].sensitivities);
}

TEST_F(RunTest, NoticesExamplesInTwoSetsAndCopies) {
  MatrixF mixed(12, TestingModel::kInputs);
  mixed << rows("random").topRows(10), rows("random").topRows(2);
  data::write_npy(folder_.file("dotted.npy"), mixed);
  const RunResult found = run_it(config_);
  EXPECT_THAT(found.notes,
              Contains("12 of the 12 examples of concept 'dotted' are also in random (e.g. row 0)"));
  EXPECT_THAT(found.notes, Contains(HasSubstr("2 of the 12 examples of concept 'dotted' are exact copies")));
}

TEST_F(RunTest, SavedDirectionsComeBack) {
  config_.save_cavs = "cavs.safetensors";
  config_.concepts[0].name = "a/b";
  config_.concepts[1].name = "50%2F";
  const RunResult whole = run_it(config_);
  const std::string path = folder_.write("cavs.safetensors", cavs_file(whole));
  EXPECT_EQ(data::read_safetensors(data::open_file(path)).names(),
            (std::vector<std::string>{"active/50%252F", "active/a%2Fb", "hidden/50%252F", "hidden/a%2Fb"}));

  Config again = config_;
  again.concepts.clear();
  again.random = again.save_cavs = "";
  again.layers.clear();
  again.cavs = path;
  const RunResult given = run_it(again);
  EXPECT_EQ(given.examples_run, 33) << "class inputs alone";
  ASSERT_EQ(given.results.size(), 8U);
  for (const Result& expected : whole.results) {
    const auto found = std::find_if(given.results.begin(), given.results.end(), [&](const Result& one) {
      return one.concept_name == expected.concept_name && one.class_name == expected.class_name &&
             one.layer == expected.layer;
    });
    ASSERT_NE(found, given.results.end()) << expected.concept_name;
    EXPECT_FALSE(found->examples.has_value());
    // Directions are saved as float32 and the run multiplies means in another order.
    for (std::size_t j = 0; j < expected.sensitivities.size(); ++j)
      EXPECT_NEAR(found->sensitivities[j], expected.sensitivities[j], 1e-5 * expected.gamma);
  }
  EXPECT_THAT(given.notes, ElementsAre(HasSubstr("directions were given")));
  EXPECT_EQ(role_text(given.inputs.back().role), "cavs");
  EXPECT_THAT(given.setup, HasSubstr("cavs: "));
  EXPECT_THAT(run(again, {}, {std::make_shared<TestingModel>(1.0)}).notes,
              Contains(HasSubstr("found in another model")));

  again.random = config_.random;
  refused(again, "--random cannot be combined with --cavs");
  again.random = "";
  again.options.alpha = {Alpha::Kind::kDagger};
  refused(again, "noise of the CAV");
}

TEST_F(RunTest, SaysWhatIsWrong) {
  const auto with = [&](const std::function<void(Config&)>& change) {
    Config config = config_;
    change(config);
    return config;
  };
  refused(with([](Config& c) { c.layers = {"hiden"}; }), "hidden");
  refused(with([](Config& c) { c.layers = {"hidden", "hidden"}; }), "are the same tensor 'hidden'");
  refused(with([](Config& c) { c.layers = {"hidden", "net/first"}; }), "are the same tensor 'hidden'");
  refused(with([](Config& c) { c.layers.clear(); }), "number of layers");
  refused(with([](Config& c) { c.classes[0].target = 3; }), "index 3, must be below 3");
  refused(with([](Config& c) { c.classes[1].name = "zebra"; }), "the class 'zebra' is given twice");
  refused(with([](Config& c) { c.relative = {{"striped", "spotted"}}; }), "no concept 'spotted'");
  refused(with([](Config& c) { c.relative = {{"striped", "striped"}}; }), "two different concepts");
  refused(with([&](Config& c) { c.random = write("one", 9, 1, 0); }), "random is 1, must be at least 2");
  refused(with([](Config& c) { c.random = ""; }), "no random examples");
  refused(with([](Config& c) { c.batch = 0; }), "batch is 0");
  refused(with([](Config& c) { c.batch = INT64_MAX; }),
          "[run] batch is 9223372036854775807, must be at most 1000000");
  refused(with([](Config& c) { c.intervene = 1'000'001; }), "intervene is 1000001, must be at most 1000000");
  refused(with([](Config& c) { c.resize = 65'536; }), "resize is 65536, must be at most 65535");
  refused(with([](Config& c) { c.shape = {7}; }), "input 'x' of the network has size 6 where that says 7");
  refused(with([](Config& c) { c.crop = -1; }), "crop is -1, must be at least 1");
  refused(with([](Config& c) { c.std = {0}; }), "std is 0, must be > 0");
  refused(with([](Config& c) { c.cache_gb = 0; }), "cache-gb is 0");
  EXPECT_THAT([&] { run(config_); }, ThrowsMessage<std::invalid_argument>(HasSubstr("no model was given")));
}

TEST_F(RunTest, PatternsTakeAllLayersInTheirOrder) {
  config_.layers = {"*"};
  const RunResult found = run_it(config_);
  ASSERT_EQ(found.results.size(), 8U);
  EXPECT_EQ(found.results[0].layer, "hidden");
  EXPECT_EQ(found.results[4].layer, "active");
  EXPECT_EQ(found.results[4].tensor, "active");
}

// A difference of logits is differentiated as such: sensitivities are linear in the gradient.
TEST_F(RunTest, TargetsCanBeDifferencesAndGivenPerInput) {
  const std::string path = config_.classes[0].path;
  std::vector<std::int64_t> labels(20, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i % 3);
  data::write_npy(folder_.file("labels.npy"), data::TensorView(labels, {20}));
  config_.classes = {{"a", 0, path},
                     {"b", 1, path},
                     {"c", 2, path},
                     {"a-b", read_target("0-1"), path},
                     {"each", read_target("@" + folder_.file("labels.npy")), path}};
  config_.layers = {"hidden"};
  const RunResult found = run_it(config_);
  const auto of = [&](std::size_t k) { return found.results[2 * k].sensitivities; };
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(of(3)[i], of(0)[i] - of(1)[i], 1e-5);
    EXPECT_NEAR(of(4)[i], of(i % 3)[i], 1e-5);
  }
  config_.classes = {{"a-b", read_target("0-3"), path}};
  refused(config_, "index 3, must be below 3");
  config_.classes = {{"not a", read_target("-0"), path}};
  refused(config_, "which is for networks with one logit");
  config_.classes = {{"each", read_target("@" + folder_.file("labels.npy")), config_.random}};
  refused(config_, "indices");
}

TEST_F(RunTest, SharesOfInputsThatAreTheTopClass) {
  config_.cache = folder_.file("cache");
  const RunResult found = run_it(config_);
  TestingModel formula;
  const MatrixF logits = formula.logits(TestingModel::batch(rows("zebra")))->host();
  double hits = 0;
  for (Index i = 0; i < logits.rows(); ++i) {
    Index top = 0;
    logits.row(i).maxCoeff(&top);
    hits += top == 0 ? 1 : 0;
  }
  EXPECT_EQ(found.results[0].top_share, hits / 20);
  EXPECT_EQ(run_it(config_).results[0].top_share, hits / 20) << "from the cache";
}

TEST_F(RunTest, TextsBelongToTheInputsOfAClass) {
  std::ofstream(folder_.file("zebra.txt")) << "one\n\n" << std::string(18, '\n');
  config_.texts = {{"zebra", folder_.file("zebra.txt")}};
  const RunResult found = run_it(config_);
  ASSERT_EQ(found.class_texts.at("zebra").size(), 20U);
  EXPECT_EQ(found.class_texts.at("zebra")[0], "one");
  config_.texts = {{"horse", folder_.file("zebra.txt")}};
  refused(config_, "lines or inputs");
  config_.texts = {{"cow", folder_.file("zebra.txt")}};
  refused(config_, "--texts names unknown class 'cow'");
}

}  // namespace
}  // namespace atcav
