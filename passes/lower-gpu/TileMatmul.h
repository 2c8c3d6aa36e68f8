/// Matmuls of tiles in shared memory by the threads of a block.
#pragma once

#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/LayoutCode.h"

#include <functional>
#include <memory>

namespace proa {

/// Adds the products of the rows of x and the columns of y to the sums of a tile, which threads hold as a
/// layout says. Contractions and attention use it for operands that threads copy.
class TileMatmul : public CodeBuilder {
public:
  /// How an operand is in shared memory: [outer][k], or [k][outer] with `kFirst`; `pad` elements follow each
  /// line, so that the lanes of a warp access different banks.
  struct Layout {
    bool kFirst = false;
    int64_t pad = 0;
  };
  struct Operand {
    mlir::Value memory;
    bool kFirst = false;
    /// x of mma.sync in registers instead: operand x of the instructions of row `row` at element `k`.
    std::function<Values(int64_t row, int64_t k)> registers = {};
  };

  virtual ~TileMatmul() = default;

  /// The layout of an operand whose elements that differ in k are adjacent in global memory, or not.
  virtual Layout layoutOf(mlir::Type element, bool isAdjacentAlongK) const = 0;
  /// Zeros, in the order of the elements of a thread.
  Values start() const {
    mlir::Value zero =
        mlir::arith::ConstantOp::create(b, loc, mlir::cast<mlir::TypedAttr>(b.getZeroAttr(sum)));
    return Values(static_cast<size_t>(layout.threadLayout().elements()), zero);
  }
  /// x in registers, if these suffice for its first `k` elements.
  virtual Operand inRegisters(const Operand &x, int64_t /*k*/) { return x; }
  /// The sums plus the products of the first `k` elements.
  virtual Values accumulate(const Operand &x, const Operand &y, int64_t k, mlir::ValueRange sums) = 0;

protected:
  TileMatmul(mlir::OpBuilder &b, mlir::Location loc, const ThreadLayout &sums, mlir::Value thread,
             mlir::Type sum)
      : CodeBuilder(b, loc), layout(b, loc, sums, thread), sum(sum) {}

  LayoutCode layout;

private:
  mlir::Type sum;
};

/// The sum plus the product of an element of x and one of y.
using MultiplyAdd = std::function<mlir::Value(mlir::Value x, mlir::Value y, mlir::Value sum)>;

/// Each thread multiplies and adds elements of any type.
std::unique_ptr<TileMatmul> makeFmaMatmul(mlir::OpBuilder &b, mlir::Location loc, const ThreadLayout &sums,
                                          mlir::Value thread, mlir::Type sum, MultiplyAdd body);
/// The warps multiply with tensor cores.
std::unique_ptr<TileMatmul> makeMmaMatmul(mlir::OpBuilder &b, mlir::Location loc, const ThreadLayout &sums,
                                          mlir::Value thread, const TensorCoreTypes &types);

} // namespace proa
