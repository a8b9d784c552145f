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

// Rows of numbers where they were computed: in memory here, or on a device until somebody asks for them.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual Index rows() const = 0;
  virtual Index columns() const = 0;
  // In memory, copied there by the first call if they lie elsewhere; valid as long as this object.
  virtual Eigen::Map<const MatrixF> host() const = 0;
  // Into memory that is there already, without a copy of their own.
  virtual void copy_to(Eigen::Ref<MatrixF> out) const { out = host(); }
  // What the library that computed them holds them in, for code that knows that library, as in
  // std::function::target: rows.as<std::vector<at::Tensor>>(). Null for rows that are held in something else.
  template <typename Holder>
  const Holder* as() const {
    return static_cast<const Holder*>(holder(typeid(Holder)));
  }

 protected:
  // The holder if it is of this type.
  virtual const void* holder(const std::type_info& /*type*/) const { return nullptr; }
};

using RowsPtr = std::shared_ptr<const Rows>;

// Rows that are in memory anyway: from the cache, from an array, from a function in a test.
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
