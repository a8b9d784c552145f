#include "fit/product_task.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::fit {
namespace {

ProductTask<double> length(Products& products, Vector vector) {
  const Vector& image = co_await products.of(vector, true);
  co_return std::sqrt(vector.dot(image));
}

ProductTask<double> difference(Products& products, Vector a, Vector b) {
  const double first = co_await length(products, a);
  const double second = co_await length(products, b);
  if (second == 0) throw std::runtime_error("no length");
  co_return first - second;
}

double solve(const Vector& a, const Vector& b) {
  Products products;
  ProductTask<double> task = difference(products, a, b);
  task.start();
  while (!task.done()) {
    EXPECT_TRUE(products.rough());
    products.answer(4 * products.request());
  }
  EXPECT_EQ(products.used(), 2);
  return task.result();
}

TEST(ProductTask, GoesOnWithTheAnswers) { EXPECT_EQ(solve(Vector{{3, 4}}, Vector{{0, 1}}), 8); }

TEST(ProductTask, ThrowsWhereItsResultIsAskedFor) {
  EXPECT_THROW(solve(Vector{{3, 4}}, Vector{{0, 0}}), std::runtime_error);
}

TEST(ProductTask, MayBeLeftUnfinished) {
  Products products;
  ProductTask<double> task = difference(products, Vector{{1, 0}}, Vector{{1, 0}});
  task.start();
  EXPECT_FALSE(task.done());
}

}  // namespace
}  // namespace atcav::fit
