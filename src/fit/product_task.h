#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "atcav/matrix.h"

// An algorithm that needs products with a matrix somebody else has, written as if it had the matrix.
//
//   ProductTask<double> rayleigh(Products& products, Vector v) {
//     const Vector& image = co_await products.of(v, false);
//     co_return v.dot(image);
//   }
//   Products products;
//   ProductTask<double> task = rayleigh(products, v);
//   task.start();
//   while (!task.done()) products.answer(matrix * products.request());
//
// It stops at each product until the answer comes, so that one matrix product can answer many of them. Tasks
// may wait for tasks on the same Products.
namespace atcav::fit {

class Products {
 public:
  // For co_await: K·vector, valid until the next one. `rough`: in float will do.
  auto of(const Vector& vector, bool rough) {
    struct Awaiter {
      Products* products;
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<> task) { products->waiting_ = task; }
      const Vector& await_resume() const { return *products->answer_; }
    };
    request_ = &vector;
    rough_ = rough;
    return Awaiter{this};
  }

  const Vector& request() const { return *request_; }
  bool rough() const { return rough_; }
  void answer(const Vector& product) {
    ++used_;
    answer_ = &product;
    waiting_.resume();
  }
  int used() const { return used_; }

 private:
  const Vector* request_ = nullptr;
  const Vector* answer_ = nullptr;
  bool rough_ = false;
  int used_ = 0;
  std::coroutine_handle<> waiting_;
};

template <typename Result>
class ProductTask {
 public:
  struct promise_type {
    std::optional<Result> result;
    std::exception_ptr failure;
    std::coroutine_handle<> next = std::noop_coroutine();

    struct Last {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> own) const noexcept {
        return own.promise().next;
      }
      void await_resume() const noexcept {}
    };
    ProductTask get_return_object() {
      return ProductTask(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    Last final_suspend() const noexcept { return {}; }
    void return_value(Result value) { result = std::move(value); }
    void unhandled_exception() { failure = std::current_exception(); }
  };

  explicit ProductTask(std::coroutine_handle<promise_type> task) : task_(task) {}
  ProductTask(ProductTask&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  ProductTask& operator=(ProductTask&& other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~ProductTask() {
    if (task_) task_.destroy();
  }

  void start() { task_.resume(); }
  bool done() const { return task_.done(); }
  // Of a task that is done; throws what it threw.
  const Result& result() const {
    if (task_.promise().failure) std::rethrow_exception(task_.promise().failure);
    return *task_.promise().result;
  }

  // For co_await.
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) {
    task_.promise().next = waiting;
    return task_;
  }
  Result await_resume() const { return result(); }

 private:
  std::coroutine_handle<promise_type> task_;
};

}  // namespace atcav::fit
