#include "lib/check/ShardCheck.h"
#include "lib/check/ReferenceRun.h"
#include "lib/numerics/Interpreter.h"
#include "lib/tensors/Compare.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

using namespace mlir;

namespace proa::check {
namespace {

/// A dimension with a factor, as [outer, size of the factor, inner].
struct Cut {
  size_t dim;
  int64_t left, size, right;
};

/// The position of a factor in a tensor of these dims.
llvm::SmallVector<Cut> cutsOf(const pd::TensorFactors &tensor, llvm::ArrayRef<int64_t> dims, unsigned factor,
                              const pd::ShardingRule &rule) {
  auto product = [](llvm::ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
  };
  llvm::SmallVector<Cut> cuts;
  for (auto [dim, factors] : llvm::enumerate(tensor)) {
    auto *found = llvm::find(factors, factor);
    if (found == factors.end())
      continue;
    Cut cut{dim, product(dims.take_front(dim)), rule.factors[factor].size, product(dims.drop_front(dim + 1))};
    for (auto *other = factors.begin(); other != factors.end(); ++other)
      if (other != found)
        (other < found ? cut.left : cut.right) *= rule.factors[*other].size;
    cuts.push_back(cut);
  }
  return cuts;
}

/// Indices [begin, end) of a factor.
struct Part {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

/// Copies a part of a tensor, in the direction of `intoWhole`.
template <bool intoWhole, class Whole> void copyPart(Whole &whole, Tensor &part, const Cut &cut, Part range) {
  size_t bytes = sizeOf(whole.dtype()) * static_cast<size_t>(cut.right);
  for (int64_t left = 0; left < cut.left; ++left)
    for (int64_t i = 0; i < range.size(); ++i) {
      auto *inPart = static_cast<char *>(part.data()) + static_cast<size_t>(left * range.size() + i) * bytes;
      auto at = static_cast<size_t>(left * cut.size + range.begin + i) * bytes;
      if constexpr (intoWhole)
        std::memcpy(static_cast<char *>(whole.data()) + at, inPart, bytes);
      else
        std::memcpy(inPart, static_cast<const char *>(whole.data()) + at, bytes);
    }
}

std::vector<int64_t> dimsOfPart(const std::vector<int64_t> &dims, const Cut &cut, Part range) {
  std::vector<int64_t> out = dims;
  out[cut.dim] = out[cut.dim] / cut.size * range.size();
  return out;
}

pd::HostScalar combined(const pd::HostScalar &a, const pd::HostScalar &b, DType dtype,
                        pd::ReductionKind kind) {
  pd::HostScalarBuilder builder(dtype);
  switch (kind) {
  case pd::ReductionKind::Sum:
    return builder.add(a, b);
  case pd::ReductionKind::Product:
    return builder.multiply(a, b);
  case pd::ReductionKind::Maximum:
    return builder.maximum(a, b);
  case pd::ReductionKind::Minimum:
    return builder.minimum(a, b);
  case pd::ReductionKind::And:
    return pd::HostScalar::of(a.integer != 0 && b.integer != 0);
  case pd::ReductionKind::Or:
    return pd::HostScalar::of(a.integer != 0 || b.integer != 0);
  }
  return a;
}

Tensor combined(const Tensor &a, const Tensor &b, pd::ReductionKind kind) {
  Tensor out(a.dtype(), a.dims());
  for (int64_t i = 0; i < out.size(); ++i)
    pd::storeScalar(out, i, combined(pd::loadScalar(a, i), pd::loadScalar(b, i), a.dtype(), kind));
  return out;
}

/// Splits one op along each factor of its rule and compares with its results.
class Splitter {
public:
  Splitter(Operation *op, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> results, ShardCheck &check)
      : op(op), operands(operands), results(results), check(check) {}

  void run() {
    Block block;
    Operation *whole = cloneOn(block, operands);
    if (!whole || !fits(whole, results))
      return;
    auto found = pd::shardingRuleOf(whole);
    if (!found)
      return;
    rule = std::move(*found);
    for (unsigned factor = 0; factor < rule.factors.size(); ++factor)
      if (rule.factors[factor].kind != pd::FactorKind::Replicated && rule.factors[factor].size > 1)
        split(factor);
  }

private:
  /// A clone of the op with the dims of these tensors. Constant operands stay constants, the others become
  /// block arguments.
  Operation *cloneOn(Block &block, llvm::ArrayRef<Tensor> tensors) const {
    MLIRContext *context = op->getContext();
    OpBuilder builder(context);
    builder.setInsertionPointToEnd(&block);
    IRMapping mapping;
    for (auto [operand, tensor] : llvm::zip(op->getOperands(), tensors)) {
      auto type = RankedTensorType::get(tensor.dims(), pd::elementTypeOf(context, tensor.dtype()));
      if (operand.getDefiningOp<pd::ConstantOp>())
        mapping.map(operand, Value(pd::ConstantOp::create(builder, op->getLoc(), type,
                                                          pd::attributeFromTensor(context, tensor))));
      else
        mapping.map(operand, Value(block.addArgument(type, op->getLoc())));
    }
    return builder.clone(*op, mapping);
  }

  /// Whether type inference gives the results these dims.
  static bool fits(Operation *clone, llvm::ArrayRef<Tensor> tensors) {
    return succeeded(pd::inferAgain(clone)) &&
           llvm::all_of(llvm::zip(clone->getResultTypes(), tensors), [](auto pair) {
             auto type = dyn_cast<RankedTensorType>(std::get<0>(pair));
             return type && type.getShape() == llvm::ArrayRef<int64_t>(std::get<1>(pair).dims());
           });
  }

  void split(unsigned factor) {
    ++check.factors;
    int64_t size = rule.factors[factor].size;
    llvm::SmallVector<llvm::SmallVector<Tensor>, 2> parts;
    llvm::SmallVector<Part, 2> ranges{{0, size / 2}, {size / 2, size}};
    for (Part range : ranges) {
      auto part = runPart(factor, range);
      if (!part) {
        ++check.notRun;
        return;
      }
      parts.push_back(std::move(*part));
    }
    for (size_t i = 0; i < results.size(); ++i)
      compareResult(factor, i, join(factor, i, parts, ranges));
  }

  Tensor partOf(const Tensor &whole, const pd::TensorFactors &dims, unsigned factor, Part range) const {
    Tensor out = whole;
    for (const Cut &cut : cutsOf(dims, whole.dims(), factor, rule)) {
      Tensor part(out.dtype(), dimsOfPart(out.dims(), cut, range));
      copyPart<false>(out, part, cut, range);
      out = part;
    }
    return out;
  }

  std::optional<llvm::SmallVector<Tensor>> runPart(unsigned factor, Part range) const {
    llvm::SmallVector<Tensor> inputs;
    for (auto [tensor, dims] : llvm::zip(operands, rule.operands))
      inputs.push_back(partOf(tensor, dims, factor, range));
    Block block;
    Operation *clone = cloneOn(block, inputs);
    llvm::SmallVector<llvm::SmallVector<int64_t>> partDims;
    for (auto [tensor, dims] : llvm::zip(results, rule.results))
      partDims.push_back(llvm::to_vector(partOf(tensor, dims, factor, range).dims()));
    pd::setLocalShape(clone, partDims.front());
    if (!succeeded(pd::inferAgain(clone)))
      return std::nullopt;
    auto ran = pd::evaluateOp(clone, inputs);
    if (!ran)
      return std::nullopt;
    return llvm::SmallVector<Tensor>(ran->begin(), ran->end());
  }

  /// The result combined from the parts. It has other dims than the result if the parts do not match.
  Tensor join(unsigned factor, size_t number, llvm::ArrayRef<llvm::SmallVector<Tensor>> parts,
              llvm::ArrayRef<Part> ranges) const {
    auto cuts = cutsOf(rule.results[number], results[number].dims(), factor, rule);
    Tensor first = parts[0][number];
    if (cuts.empty())
      return rule.factors[factor].kind == pd::FactorKind::Reduction
                 ? combined(first, parts[1][number], rule.factors[factor].reduction)
                 : first;
    Tensor whole(first.dtype(), results[number].dims());
    for (auto [part, range] : llvm::zip(parts, ranges)) {
      Tensor piece = part[number];
      if (cuts.size() > 1 || piece.dims() != dimsOfPart(whole.dims(), cuts[0], range))
        return first;
      copyPart<true>(whole, piece, cuts[0], range);
    }
    return whole;
  }

  void compareResult(unsigned factor, size_t number, const Tensor &joined) {
    double greatest = 1;
    for (int64_t i = 0; i < results[number].size(); ++i)
      if (double value = std::abs(pd::loadScalar(results[number], i).number); std::isfinite(value))
        greatest = std::max(greatest, value);
    bool isHalf = sizeOf(results[number].dtype()) <= 2;
    double tolerance = isHalf ? 2e-2 : 1e-5;
    Comparison comparison =
        compare(joined, results[number], {.rtol = tolerance, .atol = tolerance * greatest});
    if (!comparison.passed())
      check.differences.push_back(fmt::format("{} {}: split along factor {}, result {}: {}",
                                              op->getName().getStringRef().str(), rule.text(), factor, number,
                                              comparison.reason));
  }

  Operation *op;
  llvm::ArrayRef<Tensor> operands, results;
  ShardCheck &check;
  pd::ShardingRule rule;
};

} // namespace

void checkSharding(Operation *op, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> results,
                   ShardCheck &check) {
  ScopedDiagnosticHandler silent(op->getContext(), [](mlir::Diagnostic &) { return success(); });
  Splitter(op, operands, results, check).run();
}

Result<ShardCheck> checkShardings(const std::string &folder, const CaseMeta &meta, const Tensors &feeds,
                                  std::string &notEvaluated) {
  ShardCheck check;
  auto afterEach = [&](Operation &op, const numerics::Interpreter &interpreter) {
    auto tensorsOf = [&](ValueRange values) -> std::optional<llvm::SmallVector<Tensor>> {
      llvm::SmallVector<Tensor> tensors;
      for (Value value : values) {
        if (!interpreter.hasTensor(value))
          return std::nullopt;
        tensors.push_back(interpreter.valueOf(value));
      }
      return tensors;
    };
    auto operands = tensorsOf(op.getOperands()), results = tensorsOf(op.getResults());
    if (operands && results && !results->empty() && isa_and_present<pd::PdDialect>(op.getDialect()))
      checkSharding(&op, *operands, *results, check);
  };
  Result<ReferenceRun> run = runReference(folder, meta, feeds, false, afterEach);
  if (!run)
    return run.problems();
  notEvaluated = run->notEvaluated;
  return check;
}

} // namespace proa::check
