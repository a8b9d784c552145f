#pragma once

#include <Eigen/Core>
#include <memory>
#include <typeinfo>
#include <utility>

// Matrix aliases. A row is an example, always; so matrices are stored row by row.
// Data arrive as float, statistics are computed in double.
namespace atcav {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixF = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Arguments: anything that is laid out like the type above, without a copy.
using VectorRef = Eigen::Ref<const Vector>;
using MatrixRef = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;
using MatrixFRef = Eigen::Ref<const MatrixF, 0, Eigen::OuterStride<>>;

// Rows where they were computed: in memory, or on a device until host() copies them.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual Index rows() const = 0;
  virtual Index columns() const = 0;
  // In memory; the first call copies rows of a device. Valid as long as this object.
  virtual Eigen::Map<const MatrixF> host() const = 0;
  // Into memory of the caller, without another copy.
  virtual void copy_to(Eigen::Ref<MatrixF> out) const { out = host(); }
  // The holder of the rows for code that knows the library behind them, as std::function::target gives the
  // callable: rows.as<std::vector<at::Tensor>>(). Null if they are held in another type.
  template <typename Holder>
  const Holder* as() const {
    return static_cast<const Holder*>(holder(typeid(Holder)));
  }

 protected:
  // The holder if it is of this type.
  virtual const void* holder(const std::type_info& /*type*/) const { return nullptr; }
};

using RowsPtr = std::shared_ptr<const Rows>;

// Rows in memory: from the cache, an array or a test.
class HostRows : public Rows {
 public:
  explicit HostRows(MatrixF values) : values_(std::move(values)) {}
  Index rows() const override { return values_.rows(); }
  Index columns() const override { return values_.cols(); }
  Eigen::Map<const MatrixF> host() const override { return {values_.data(), values_.rows(), values_.cols()}; }

 private:
  MatrixF values_;
};

}  // namespace atcav
