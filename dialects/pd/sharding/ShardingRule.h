/// Sharding rules: how an op may be split over devices, and which dimensions of its operands and results are
/// split together.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include <map>
#include <string>

namespace proa::pd {

enum class FactorKind : uint8_t {
  /// A shard of the results depends only on the same shard of the operands.
  PassThrough,
  /// Each shard of the operands computes partial results of the whole size, which a reduction combines.
  Reduction,
  /// The dimensions correspond, but each shard of a result depends on the whole operands.
  Replicated,
};

/// A loop of the op's computation, shared by dimensions of operands and results.
struct ShardingFactor {
  /// The dim size; may be ShapedType::kDynamic.
  int64_t size = 0;
  FactorKind kind = FactorKind::PassThrough;
  /// The combiner of a Reduction factor.
  ReductionKind reduction = ReductionKind::Sum;
  /// The kind that a Replicated factor has where devices compute the local form of the op (LocalForm.h).
  std::optional<FactorKind> localKind = {};
  /// Why a Replicated factor must not be split, or only by the local form: "the op works along the
  /// dimension".
  std::string reason = {};
  /// Sizes of the pieces of a concatenation, if some dimensions have pieces of the factor only
  /// (DimFactors::range). A split of the factor must split each piece by itself. Empty: one piece.
  llvm::SmallVector<int64_t, 0> pieces = {};
};

class LocalFormBuilder;
/// Creates the results of an op on one device, of the types of their shards, from the shards of the operands.
/// Failure, without an error, where the form does not cover these shards; ops created by then are dead.
using LocalForm = llvm::FailureOr<llvm::SmallVector<mlir::Value>> (*)(LocalFormBuilder &form);

/// Indices from begin to end - 1 of a factor.
struct FactorRange {
  int64_t begin = 0, end = 0;
  bool operator==(const FactorRange &) const = default;
};

/// The factors of a dimension, outermost first. If `reshape` merges several dimensions into one, that one has
/// the factors of all of them. A dimension without factors must not be split.
struct DimFactors : llvm::SmallVector<unsigned, 1> {
  using SmallVector::SmallVector;
  /// The indices of its only factor that the dimension has: one or several pieces. None: all.
  std::optional<FactorRange> range = {};
};
/// One entry for each dimension. Empty if the value is not a tensor.
using TensorFactors = llvm::SmallVector<DimFactors, 4>;

/// Whether a dimension of the tensor has the factor.
inline bool hasFactor(const TensorFactors &tensor, unsigned factor) {
  return llvm::any_of(tensor, [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
}

/// The equivalent of Shardy's OpShardingRule and GSPMD's dimension groups (Bauer et al. 2021, "GSPMD",
/// section 3.5). The rule of a matmul of [m, k] and [k, n]:
/// `([i, k], [k, j])->([i, j]) {i=m, j=n, k=k} reduction={k:sum}`. The rule of a split of [m, 5] into 2 and 3
/// columns:
/// `([i, j])->([i, j[0:2]], [i, j[2:5]]) {i=m, j=5} replicated={j} local={j} pieces={j:2+3}`.
struct ShardingRule {
  llvm::SmallVector<ShardingFactor> factors;
  llvm::SmallVector<TensorFactors> operands, results;
  /// The computation of a device instead of the op if a factor with a `localKind` is split; null if none has
  /// one.
  LocalForm localForm = nullptr;
  /// A dimension of an operand or result.
  struct Dim {
    bool isResult = false;
    unsigned index = 0, dim = 0;
    auto operator<=>(const Dim &) const = default;
  };
  /// Why dimensions without factors must not be split, if the rule states it.
  std::map<Dim, std::string> reasons = {};

  /// The rule in the notation above. Factors are named i, j, k, ...; factors that are not pass-through
  /// follow, then factors that the local form can split.
  std::string text() const;
};

/// Builds a rule factor by factor.
class ShardingRuleBuilder {
public:
  /// A rule without factors.
  explicit ShardingRuleBuilder(mlir::Operation *op);

  /// `kind` is not Replicated.
  unsigned addFactor(int64_t size, FactorKind kind = FactorKind::PassThrough,
                     ReductionKind reduction = ReductionKind::Sum);
  /// Adds a Replicated factor.
  unsigned addWholeFactor(int64_t size, std::string reason);
  /// Appends a factor to a dimension as its innermost one.
  void setOperand(unsigned operand, int64_t dim, unsigned factor);
  void setResult(unsigned result, int64_t dim, unsigned factor);
  /// States why a dimension has no factor.
  void explain(bool isResult, unsigned index, int64_t dim, std::string reason);
  /// Adds a factor of pieces of these sizes, each of which the local form splits by itself; `setPiece()`
  /// gives dimensions some of them. None if a size is dynamic.
  std::optional<unsigned> addPieces(llvm::ArrayRef<int64_t> sizes, LocalForm form);
  void setOperandPiece(unsigned operand, int64_t dim, unsigned factor, FactorRange range);
  void setResultPiece(unsigned result, int64_t dim, unsigned factor, FactorRange range);
  /// Adds a factor shared by an operand dimension and a result dimension, if their sizes are equal.
  void pair(unsigned operand, int64_t operandDim, unsigned result, int64_t resultDim);

  /// States that the factor of an operand dimension can be split by the local form, with this kind. The
  /// factor is Replicated; it is added if the dimension has none. A dynamic dimension, or one of several
  /// factors, is left as it is.
  /// Returns the factor.
  std::optional<unsigned> splitByLocalForm(unsigned operand, int64_t dim, LocalForm form,
                                           FactorKind kind = FactorKind::PassThrough,
                                           ReductionKind reduction = ReductionKind::Sum);

  /// The same for a dimension of a result that no operand shares. The factor counts its shards.
  std::optional<unsigned> splitResultByLocalForm(unsigned result, int64_t dim, LocalForm form);
  /// Makes a factor one that the local form can split, also if its size is dynamic.
  void splitFactorByLocalForm(unsigned factor, LocalForm form, FactorKind kind = FactorKind::PassThrough);

  mlir::RankedTensorType operandType(unsigned operand) const;
  mlir::RankedTensorType resultType(unsigned result) const;
  mlir::Operation *op() const { return operation; }
  /// The rule, without factors of size 1.
  ShardingRule take();

private:
  mlir::Operation *operation;
  ShardingRule rule;
};

/// Whether the op's record has a rule in the field `sharding`.
bool hasRecordedSharding(mlir::Operation *op);
/// Why an op of this kind has no rule and runs whole on each device; empty if it may have one.
llvm::StringRef wholeReasonOf(mlir::Operation *op);
/// The reason for an op without a rule, which may hold for this op only.
llvm::StringRef whyWhole(mlir::Operation *op);
/// The rule in the field `sharding` of the op's record, if there is one that matches the op's ranks.
std::optional<ShardingRule> shardingOfRecord(mlir::Operation *op);

/// The rule that follows from the decomposition of a composite: a dimension can be split if every op of the
/// decomposition allows it.
std::optional<ShardingRule> shardingOfDecomposition(mlir::Operation *op);

/// The rule where devices compute the local form: each factor with a `localKind` is of that kind.
ShardingRule withLocalForm(ShardingRule rule);

/// Sets the dims of the first result in the attribute `shape` of an op (reshape, expand, full) to the dims of
/// a shard. Dynamic dims become -1, which some ops infer.
void setLocalShape(mlir::Operation *op, llvm::ArrayRef<int64_t> dims);

/// Whether a clone of the op on operands of these types, with setLocalShape(), infers results of these types.
/// A result dim that is static in the op's type and dynamic in `results` must be inferred as dynamic.
bool infersLocalTypes(mlir::Operation *op, llvm::ArrayRef<mlir::Type> operands,
                      llvm::ArrayRef<mlir::Type> results);

/// The rule with factors replicated that type inference does not support: for a shard of the operands, the
/// inferred results are not shards (the size is in an attribute, or a dimension of size 1 is removed).
ShardingRule fitted(mlir::Operation *op, ShardingRule rule);

/// The source of the rule of an op of this kind: "record", "code" (ShardableOpInterface), "interface",
/// "decomposition", or "none".
llvm::StringRef shardingSource(mlir::Operation *op);

/// Groups of operands through which partial sums pass: if the operands of a group are partial sums over a
/// mesh axis, and the others are not, the op computes terms of its results. These are the groups in which the
/// op is linear (LinearOpInterface), where operands and results are floats or complex: integers are rounded.
llvm::SmallVector<llvm::SmallVector<unsigned>> partialGroupsOf(mlir::Operation *op);

/// The rule of an op, from the first of these: its record, describeSharding(), its interfaces (elementwise,
/// reduction, data movement), its decomposition. An op without a rule runs unsplit on each device.
std::optional<ShardingRule> shardingRuleOf(mlir::Operation *op);

} // namespace proa::pd
