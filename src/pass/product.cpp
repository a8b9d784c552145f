#include "pass/product.h"

#include <fmt/format.h>
#ifdef ATCAV_DNNL_SONAME
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

#include <stdexcept>

#include "core/parallel.h"
#endif

namespace atcav::pass {
namespace {

#ifdef ATCAV_DNNL_SONAME
// oneDNN, and the OpenMP it was linked with; all nullptr where the library is not there or cannot be used.
struct Dnnl {
  decltype(&dnnl_sgemm) sgemm = nullptr;
  decltype(&dnnl_version) version = nullptr;
  int (*most_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
};

template <typename Function>
void look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

// OpenMP's number of threads belongs to the calling thread; it is held to one and put back.
dnnl_status_t call(const Dnnl& library, char transpose_b, const MatrixFRef& a, const MatrixFRef& b,
                   MatrixFOut& c) {
  const bool has_threads = library.most_threads != nullptr && library.set_threads != nullptr;
  const int before = has_threads ? library.most_threads() : 0;
  if (has_threads) library.set_threads(1);
  const auto status =
      library.sgemm('N', transpose_b, c.rows(), c.cols(), a.cols(), 1.F, a.data(), a.outerStride(), b.data(),
                    b.outerStride(), 1.F, c.data(), c.outerStride());
  if (has_threads) library.set_threads(before);
  return status;
}

// A program that links pip's LibTorch has parts of another oneDNN, with which this one makes no kernels.
bool makes_kernels(const Dnnl& library) {
  const MatrixF rows = MatrixF::Zero(32, 512);
  MatrixF products = MatrixF::Zero(32, 32);
  MatrixFOut out(products);
  return call(library, 'T', rows, rows, out) != dnnl_unimplemented;
}

Dnnl load_dnnl() {
  Dnnl dnnl;
  limit_openmp_spinning();
  void* library = dlopen(ATCAV_DNNL_SONAME, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return dnnl;
  look_up(library, "dnnl_sgemm", dnnl.sgemm);
  look_up(library, "dnnl_version", dnnl.version);
  look_up(library, "omp_get_max_threads", dnnl.most_threads);
  look_up(library, "omp_set_num_threads", dnnl.set_threads);
  return dnnl.sgemm != nullptr && makes_kernels(dnnl) ? dnnl : Dnnl{};
}

const Dnnl& dnnl() {
  static const Dnnl loaded = load_dnnl();
  return loaded;
}

bool sgemm(char transpose_b, const MatrixFRef& a, const MatrixFRef& b, MatrixFOut& c) {
  const Dnnl& library = dnnl();
  if (library.sgemm == nullptr) return false;
  const auto status = call(library, transpose_b, a, b, c);
  if (status != dnnl_success) {
    throw std::runtime_error(fmt::format("[add_product] dnnl_sgemm of {} × {} × {} failed with status {}",
                                         c.rows(), a.cols(), c.cols(), static_cast<int>(status)));
  }
  return true;
}
#else
bool sgemm(char, const MatrixFRef&, const MatrixFRef&, MatrixFOut&) { return false; }
#endif

}  // namespace

void add_product(const MatrixFRef& a, const MatrixFRef& b, MatrixFOut c) {
  if (!sgemm('N', a, b, c)) c.noalias() += a * b;
}

void add_row_products(const MatrixFRef& a, const MatrixFRef& b, MatrixFOut c) {
  if (!sgemm('T', a, b, c)) c.noalias() += a * b.transpose();
}

void add_row_products(const MatrixRef& a, const MatrixRef& b, MatrixOut c) {
  c.noalias() += a * b.transpose();
}

std::map<std::string, std::string> product_libraries() {
  std::map<std::string, std::string> libraries = {
      {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)}};
#ifdef ATCAV_DNNL_SONAME
  if (dnnl().version != nullptr) {
    const dnnl_version_t& found = *dnnl().version();
    libraries["oneDNN"] = fmt::format("{}.{}.{}", found.major, found.minor, found.patch);
  }
#endif
  return libraries;
}

}  // namespace atcav::pass
