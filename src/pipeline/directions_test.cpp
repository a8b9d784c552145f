#include "pipeline/directions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "data/array/safetensors.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class DirectionsTest : public testing::Test {
 protected:
  std::string save(const std::map<std::string, data::TensorView>& tensors,
                   const std::map<std::string, std::string>& metadata = {}) const {
    data::write_safetensors(folder_.file("cavs.safetensors"), tensors, metadata);
    return folder_.file("cavs.safetensors");
  }
  // What the file is refused with.
  void expect_failure(const std::map<std::string, data::TensorView>& tensors,
                      const std::vector<std::string>& layers, const std::string& message) const {
    const std::string path = save(tensors);
    EXPECT_THAT([&] { read_directions(path, layers); },
                ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("cavs.safetensors"), HasSubstr(message))));
  }

  testing_support::TempFolder folder_;
  std::vector<float> a_ = {1, 2, 3, 4};
  Matrix b_{{0.1, -0.2}, {0, 1e-30}};
  std::vector<float> short_ = {1, 2};
};

TEST_F(DirectionsTest, AllLayersOrThoseNamed) {
  const std::string path = save({{"l3/striped", data::TensorView(a_, {4})},
                                 {"l3/dotted", b_},
                                 {"l1/striped", data::TensorView(short_, {2})}},
                                {{"model", "abc"}});
  const Directions all = read_directions(path, {});
  EXPECT_EQ(all.model_sha256, "abc");
  ASSERT_EQ(all.layers.size(), 2U);
  EXPECT_EQ(all.layers[0].layer, "l1");
  EXPECT_EQ(all.layers[1].concepts, (std::vector<std::string>{"dotted", "striped"}));
  EXPECT_EQ(all.layers[1].rows, (Matrix{{0.1, -0.2, 0, 1e-30}, {1, 2, 3, 4}})) << "float64 is not rounded";
  const Directions one = read_directions(path, {"l3"});
  ASSERT_EQ(one.layers.size(), 1U);
  EXPECT_EQ(one.layers[0].rows, all.layers[1].rows);
  EXPECT_NO_THROW(check_columns(one, one.layers[0], 4));
  EXPECT_THAT(
      [&] { check_columns(one, one.layers[0], 8); },
      ThrowsMessage<std::runtime_error>(HasSubstr("tensor 'l3/dotted' has 4 values, the layer has 8")));
}

TEST_F(DirectionsTest, DecodersOfSparseAutoencoders) {
  const Matrix features{{1, 2, 3, 4}, {0, 0, 0, 0}, {-1, 0, 0.5, 2}};
  const Matrix columns = features.transpose();
  const std::vector<float> bias = {1, 1, 1, 1};
  for (const auto& [key, values] :
       {std::pair("W_dec", &features), std::pair("dictionary._weights", &features),
        std::pair("decoder.weight", &columns)}) {
    const std::string path = save({{key, *values}, {"b_dec", data::TensorView(bias, {4})}});
    const Directions found = read_directions(path, {"h.3"});
    ASSERT_EQ(found.layers.size(), 1U) << key;
    EXPECT_EQ(found.layers[0].layer, "h.3");
    EXPECT_EQ(found.layers[0].concepts, (std::vector<std::string>{"0", "2"}));
    EXPECT_EQ(found.layers[0].rows, (Matrix{{1, 2, 3, 4}, {-1, 0, 0.5, 2}})) << key;
    EXPECT_EQ(found.notes, std::vector<std::string>{"1 of 3 features are zero and were left out"});
    EXPECT_EQ(read_decoder(path, "x").rows, found.layers[0].rows);
    EXPECT_THAT([&] { read_directions(path, {}); },
                ThrowsMessage<std::runtime_error>(HasSubstr("is a decoder, whose layer must be named")));
  }
  const std::string other = save({{"l3/striped", data::TensorView(a_, {4})}});
  EXPECT_THAT([&] { read_decoder(other, ""); },
              ThrowsMessage<std::runtime_error>(HasSubstr("has no decoder")));
}

TEST_F(DirectionsTest, SlashesInNames) {
  const data::TensorView tensor(a_, {4});
  const std::string path = save({{"/net/l3/Relu/striped", tensor}, {"/net/l3/a/b", tensor}});
  EXPECT_EQ(read_directions(path, {}).layers[0].layer, "/net/l3/Relu");
  const Directions named = read_directions(path, {"/net/l3", "/net/l3/Relu"});
  EXPECT_EQ(named.layers[0].concepts, std::vector<std::string>{"a/b"});
  EXPECT_EQ(named.layers[1].concepts, std::vector<std::string>{"striped"});
}

TEST_F(DirectionsTest, SaysWhatIsWrong) {
  const data::TensorView good(a_, {4});
  expect_failure({{"l3/striped", good}}, {"l4"}, "has no tensor 'l4/…'; it has 'l3/striped'");
  expect_failure({{"striped", good}}, {}, "tensor 'striped' must be LAYER/CONCEPT");
  expect_failure({{"l3/", good}}, {}, "must be LAYER/CONCEPT");
  expect_failure({}, {}, "has no tensors");
  expect_failure({{"l3/a", good}, {"l3/b", data::TensorView(short_, {2})}}, {},
                 "tensor 'l3/b' has 2 values, 'l3/a' has 4");
  const std::vector<float> zero(4, 0);
  expect_failure({{"l3/a", data::TensorView(zero, {4})}}, {}, "tensor 'l3/a' is zero in all 4 values");
  std::vector<float> bad = a_;
  bad[2] = std::numeric_limits<float>::quiet_NaN();
  expect_failure({{"l3/a", data::TensorView(bad, {4})}}, {},
                 "tensor 'l3/a' is nan at value 2, must be finite");
  const std::vector<std::int64_t> whole = {1, 2};
  expect_failure({{"l3/a", data::TensorView(whole, {2})}}, {}, "tensor 'l3/a' is I64, must be floats");
  EXPECT_THROW(read_directions(folder_.file("none"), {}), std::runtime_error);
}

}  // namespace
}  // namespace atcav
