/// Mesh axes of the factors of a sharding rule, and the placements of operands and results that follow.
#pragma once

#include "dialects/pd/sharding/ShardingRule.h"
#include "lib/spmd/Placement.h"

namespace proa {

/// For each factor of a rule, the mesh axes that split it, from major to minor.
using FactorAxes = llvm::SmallVector<llvm::SmallVector<spmd::AxisRef, 2>>;

/// The placements of the operands and results of an op. The placement of a value that is not a tensor has no
/// dims.
struct OpPlacements {
  llvm::SmallVector<spmd::Placement> operands, results;
  bool operator==(const OpPlacements &) const = default;
};

/// The product of the sizes of axes.
int64_t partsOf(llvm::ArrayRef<spmd::AxisRef> axes);

/// Whether two sub-axes have a common part.
bool overlap(const spmd::AxisRef &a, const spmd::AxisRef &b);

/// Appends an axis, joined with the last one if it is the next minor part of the same axis: the canonical
/// form.
void appendAxis(llvm::SmallVectorImpl<spmd::AxisRef> &axes, const spmd::AxisRef &next);

/// Partial axes in the canonical form: in the order of the mesh, with parts of an axis joined.
std::vector<spmd::PartialAxis> canonicalPartial(std::vector<spmd::PartialAxis> partial);

/// Whether axes split a factor that only the local form of the op can split (LocalForm.h).
bool needsLocalForm(const pd::ShardingRule &rule, const FactorAxes &axes);

/// The reduction of partial values that a Reduction factor leads to.
spmd::Reduction reductionOf(const pd::ShardingFactor &factor);

/// The reason why the axes cannot split the factors; empty if they can:
/// - an axis, or overlapping sub-axes, are used twice,
/// - a replicated factor is split,
/// - in a dimension of several factors, a factor outside of a split one is not split into parts of size 1, or
///   the innermost split factor is not the innermost of the dimension and its size is dynamic or not a
///   multiple of the parts,
/// - a result is partial by reductions that do not commute.
std::string factorMismatch(const pd::ShardingRule &rule, const FactorAxes &axes);

/// The part of factorMismatch() for one dimension of several factors, outermost first.
std::string dimMismatch(const pd::ShardingRule &rule, const pd::DimFactors &factors, const FactorAxes &axes);

/// The placements that follow from axes that factorMismatch() accepts, in canonical form. A result is partial
/// over the axes of each split Reduction factor that it does not have.
OpPlacements placementsOf(const pd::ShardingRule &rule, const FactorAxes &axes);

/// The axes from which these placements follow, if there are any. Placements are in canonical form. Partial
/// operands are ignored. Dimensions with blocks do not follow from axes.
std::optional<FactorAxes> factorAxesOf(const pd::ShardingRule &rule, const OpPlacements &placements);

/// Distributes the axes of a dimension to its factors: each factor takes axes until it is split completely,
/// and an axis that is too large is cut into sub-axes. False if an axis cannot be cut. `axes` gets one list
/// for each factor of the dimension. factorMismatch() checks the rest.
bool distribute(const pd::ShardingRule &rule, const pd::DimFactors &factors,
                llvm::ArrayRef<spmd::AxisRef> dimAxes,
                llvm::SmallVectorImpl<llvm::SmallVector<spmd::AxisRef, 2>> &axes);

} // namespace proa
