/// Local forms of ops with the collectives of dist.
#pragma once

#include "passes/spmd/FactorAxes.h"
#include "passes/spmd/ReshardExpander.h"
#include "passes/spmd/Ring.h"

#include "dialects/pd/sharding/LocalForm.h"

namespace proa {

/// Creates the local form of an op on a device. Values inside of a local form have no shardings of their own.
/// Collectives state them as terms of a reduction over the mesh axes that the factor does not use: then each
/// device may have its own.
class CollectiveForm : public pd::LocalFormBuilder {
public:
  /// `op` has global types, `operands` are local; `axes` split the factors of `rule`.
  CollectiveForm(mlir::OpBuilder &builder, mlir::Operation *op, const pd::ShardingRule &rule,
                 mlir::ValueRange operands, const FactorAxes &axes, mlir::FlatSymbolRefAttr mesh,
                 LocalTypes types, llvm::ArrayRef<mlir::RankedTensorType> resultTypes);

  mlir::RankedTensorType localResultType(unsigned result) const override { return resultTypes[result]; }
  int64_t shardCount(unsigned factor) const override { return spmd::shardCount(axes[factor]); }
  llvm::ArrayRef<int64_t> blocksOf(unsigned factor) const override { return axes[factor].blocks; }
  std::optional<int64_t> ownShard(unsigned factor) const override;
  mlir::Value byShard(unsigned factor, llvm::ArrayRef<int64_t> values) override;
  mlir::Value gather(mlir::Value local, int64_t dim, unsigned factor, int64_t size) override;
  mlir::Value reduce(mlir::Value local, pd::ReductionKind kind, unsigned factor) override;
  mlir::Value reduceScatter(mlir::Value local, int64_t dim, unsigned factor, int64_t size) override;
  mlir::Value permute(mlir::Value local, unsigned factor, llvm::ArrayRef<int64_t> sources) override;
  mlir::Value window(mlir::Value local, int64_t dim, unsigned factor, int64_t size,
                     llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges, double fill) override;

private:
  Ring sendAround(mlir::Value local, unsigned factor, llvm::ArrayRef<int64_t> sources, int64_t &channel);
  using Ranges = llvm::ArrayRef<std::pair<int64_t, int64_t>>;

  mlir::Value windowOfWhole(mlir::Value local, int64_t dim, unsigned factor, int64_t size, Ranges ranges,
                            double fill);
  mlir::Value windowOfBorders(mlir::Value local, int64_t dim, unsigned factor, int64_t size, Ranges ranges,
                              double fill);
  mlir::Value padded(mlir::Value x, int64_t dim, int64_t before, int64_t after, double fill);
  mlir::Value range(mlir::Value x, int64_t dim, int64_t begin, int64_t end);
  mlir::Value borderOf(mlir::Value x, int64_t dim, int64_t begin, int64_t end, int64_t length);
  mlir::Value rangeByShard(mlir::Value x, int64_t dim, unsigned factor, Ranges ranges);
  mlir::Value createStep(spmd::StepKind kind, mlir::Value local, mlir::RankedTensorType result,
                         mlir::RankedTensorType global, const spmd::Placement &from,
                         const spmd::Placement &to);
  spmd::Placement otherTerms(mlir::RankedTensorType type, unsigned factor, spmd::Reduction reduction) const;

  const FactorAxes &axes;
  mlir::FlatSymbolRefAttr symbol;
  LocalTypes types;
  const spmd::Mesh &mesh;
  llvm::SmallVector<mlir::RankedTensorType> resultTypes;
};

} // namespace proa
