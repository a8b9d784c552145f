#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "atcav/random.h"
#include "atcav/run.h"
#include "data/array/npy.h"
#include "model/testing_model.h"
#include "tests/support/temp_folder.h"

// A run to be tested: a closed-form test network (model/testing_model.h), two classes and two concepts in
// arrays, two layers.
namespace atcav {

class TestingRun : public testing::Test {
 protected:
  TestingRun() {
    config_.layers = {"hidden", "active"};
    config_.classes = {{"zebra", 0, write("zebra", 1, 20, 0.2)}, {"horse", 2, write("horse", 2, 13, 0)}};
    config_.concepts = {{"striped", write("striped", 3, 30, 0.4)}, {"dotted", write("dotted", 4, 25, -0.3)}};
    config_.random = write("random", 5, 50, 0);
  }
  // The path of an array of examples.
  std::string write(const std::string& name, std::uint64_t seed, Index rows, double shift) const {
    const MatrixF values = (Stream(seed).normal_matrix(rows, model::TestingModel::kInputs).array() + shift)
                               .matrix()
                               .cast<float>();
    data::write_npy(folder_.file(name + ".npy"), values);
    return folder_.file(name + ".npy");
  }

  testing_support::TempFolder folder_;
  Config config_;
};

}  // namespace atcav
