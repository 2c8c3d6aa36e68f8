/// Mesh axes of the factors of a sharding rule, and the placements of operands and results that follow.
#pragma once

#include "dialects/pd/sharding/ShardingRule.h"
#include "lib/base/spmd/Placement.h"

namespace proa {

/// The mesh axes that split a factor, from major to minor.
struct FactorSplit : llvm::SmallVector<spmd::AxisRef, 2> {
  using SmallVector::SmallVector;
  /// Sizes of the blocks that are each split (fused weights); empty: the factor is one block.
  llvm::SmallVector<int64_t, 0> blocks = {};
  bool operator==(const FactorSplit &other) const {
    return llvm::ArrayRef<spmd::AxisRef>(*this) == llvm::ArrayRef<spmd::AxisRef>(other) &&
           blocks == other.blocks;
  }
};

/// One for each factor of a rule.
using FactorAxes = llvm::SmallVector<FactorSplit>;

/// The placements of the operands and results of an op. The placement of a value that is not a tensor has no
/// dims.
struct OpPlacements {
  llvm::SmallVector<spmd::Placement> operands, results;
  bool operator==(const OpPlacements &) const = default;
};

/// Appends an axis, joined with the last one if it is the next minor sub-axis of the same axis: the canonical
/// form.
void appendAxis(llvm::SmallVectorImpl<spmd::AxisRef> &axes, const spmd::AxisRef &next);

/// Partial axes in the canonical form: in the order of the mesh, with sub-axes of an axis joined.
std::vector<spmd::PartialAxis> canonicalPartial(std::vector<spmd::PartialAxis> partial);

/// Removes an axis, or a sub-axis of one that is joined with others, from partial axes; false if it is none
/// of them.
bool removePartial(std::vector<spmd::PartialAxis> &partial, const spmd::PartialAxis &axis);

/// Whether axes split a factor that only the local form of the op can split (LocalForm.h).
bool needsLocalForm(const pd::ShardingRule &rule, const FactorAxes &axes);

/// The reduction of partial values that a Reduction factor leads to.
spmd::Reduction reductionOf(const pd::ShardingFactor &factor);

/// The reason why the axes cannot split the factors; empty if they can:
/// - an axis, or overlapping sub-axes, are used twice,
/// - a replicated factor is split,
/// - in a dimension of several factors, a factor between two split ones, or the outer one of two, is not
///   split into shards of size 1; or the inner one of two has blocks; or a factor outside of split ones has a
///   dynamic size; or the innermost split factor is not the innermost of the dimension, and its size or the
///   block size is dynamic or not a multiple of the shards,
/// - blocks do not add up to a factor, end inside of a piece of a concatenation, or split a factor that a
///   local form needs as one block,
/// - a result is partial by reductions that do not commute.
std::string factorMismatch(const pd::ShardingRule &rule, const FactorAxes &axes);

/// The check of factorMismatch() for one dimension of several factors, outermost first.
std::string dimMismatch(const pd::ShardingRule &rule, const pd::DimFactors &factors, const FactorAxes &axes);

/// The check of factorMismatch() of the blocks of a factor: the pieces of a concatenation need blocks, and
/// the local form of another op needs one.
std::string blockMismatch(const pd::ShardingFactor &factor, const FactorSplit &split);

/// The placements that follow from axes that factorMismatch() accepts, in canonical form. A result is partial
/// over the axes of each split Reduction factor that it does not have. Factors outside of the split ones of a
/// dimension are blocks of it: if only n of the factors (3, n) is split, the dimension has three blocks.
OpPlacements placementsOf(const pd::ShardingRule &rule, const FactorAxes &axes);

/// The placement of one dimension.
spmd::DimPlacement placementOf(const pd::ShardingRule &rule, const pd::DimFactors &factors,
                               const FactorAxes &axes);

/// The axes from which these placements follow, if there are any. Placements are in canonical form. Partial
/// operands are ignored.
std::optional<FactorAxes> factorAxesOf(const pd::ShardingRule &rule, const OpPlacements &placements);

/// Distributes the axes of a dimension to its factors. Blocks are the indices of outer factors as far as they
/// can be; other blocks belong to the next factor, which then takes all axes. Otherwise each factor takes
/// axes until it is split completely, and an axis that is too large is cut into sub-axes. For a dimension of
/// pieces of a factor, the other pieces are whole blocks. False if an axis cannot be cut, or blocks cannot be
/// the blocks of a factor. `axes` gets one entry for each factor of the dimension. factorMismatch() checks
/// the rest.
bool distribute(const pd::ShardingRule &rule, const pd::DimFactors &factors, const spmd::DimPlacement &dim,
                llvm::SmallVectorImpl<FactorSplit> &axes);

/// The blocks of a factor that are in a range; one block is an empty list. None if a block is partly in it.
std::optional<llvm::SmallVector<int64_t, 0>> blocksIn(llvm::ArrayRef<int64_t> blocks,
                                                      const pd::FactorRange &range);

/// The size of the smallest block of a factor, which limits the number of shards.
int64_t smallestBlock(const pd::ShardingFactor &factor, const FactorSplit &split);

} // namespace proa
