#include "dialects/pd/sharding/ShardingRule.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace proa::pd {
namespace {

/// i, j, ..., z, and then z1, z2, ...
std::string nameOf(unsigned factor) {
  constexpr unsigned letters = 'z' - 'i' + 1;
  return factor < letters ? std::string(1, static_cast<char>('i' + factor))
                          : fmt::format("z{}", factor - letters + 1);
}

const char *nameOf(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return "sum";
  case ReductionKind::Product:
    return "product";
  case ReductionKind::Maximum:
    return "maximum";
  case ReductionKind::Minimum:
    return "minimum";
  case ReductionKind::And:
    return "and";
  case ReductionKind::Or:
    return "or";
  }
  return "";
}

std::string describe(const TensorFactors &dims) {
  llvm::SmallVector<std::string> names;
  for (const DimFactors &factors : dims) {
    std::string name;
    for (unsigned factor : factors)
      name += nameOf(factor);
    if (factors.range)
      name += fmt::format("[{}:{}]", factors.range->begin, factors.range->end);
    names.push_back(factors.empty() ? "*" : name);
  }
  return fmt::format("[{}]", llvm::join(names, ", "));
}

std::string describe(llvm::ArrayRef<TensorFactors> tensors) {
  llvm::SmallVector<std::string> names;
  for (const TensorFactors &dims : tensors)
    names.push_back(describe(dims));
  return fmt::format("({})", llvm::join(names, ", "));
}

RankedTensorType typeOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

llvm::SmallVector<TensorFactors> withoutFactors(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) {
    RankedTensorType type = typeOf(value);
    return TensorFactors(type ? static_cast<size_t>(type.getRank()) : 0);
  });
}

} // namespace

std::string ShardingRule::text() const {
  llvm::SmallVector<std::string> sizes, reductions, replicated, local, pieces;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    std::string name = nameOf(static_cast<unsigned>(i));
    sizes.push_back(name + "=" + (ShapedType::isDynamic(factor.size) ? "?" : std::to_string(factor.size)));
    if (factor.kind == FactorKind::Reduction)
      reductions.push_back(name + ":" + nameOf(factor.reduction));
    if (factor.kind == FactorKind::Replicated)
      replicated.push_back(name);
    if (factor.localKind)
      local.push_back(name + (factor.localKind == FactorKind::Reduction
                                  ? std::string(":") + nameOf(factor.reduction)
                                  : ""));
    if (!factor.pieces.empty())
      pieces.push_back(fmt::format("{}:{}", name, fmt::join(factor.pieces, "+")));
  }
  std::string out =
      fmt::format("{}->{} {{{}}}", describe(operands), describe(results), llvm::join(sizes, ", "));
  if (!reductions.empty())
    out += fmt::format(" reduction={{{}}}", llvm::join(reductions, ", "));
  if (!replicated.empty())
    out += fmt::format(" replicated={{{}}}", llvm::join(replicated, ", "));
  if (!local.empty())
    out += fmt::format(" local={{{}}}", llvm::join(local, ", "));
  if (!pieces.empty())
    out += fmt::format(" pieces={{{}}}", llvm::join(pieces, ", "));
  return out;
}

ShardingRuleBuilder::ShardingRuleBuilder(Operation *op) : operation(op) {
  rule.operands = withoutFactors(op->getOperands());
  rule.results = withoutFactors(op->getResults());
}

/// Why a factor with a local form is Replicated.
static const char *exchangesElements = "the devices exchange elements along the dimension";

unsigned ShardingRuleBuilder::addFactor(int64_t size, FactorKind kind, ReductionKind reduction) {
  rule.factors.push_back({size, kind, reduction});
  return static_cast<unsigned>(rule.factors.size()) - 1;
}

unsigned ShardingRuleBuilder::addWholeFactor(int64_t size, std::string reason) {
  unsigned factor = addFactor(size, FactorKind::Replicated);
  rule.factors[factor].reason = std::move(reason);
  return factor;
}

void ShardingRuleBuilder::setOperand(unsigned operand, int64_t dim, unsigned factor) {
  rule.operands[operand][static_cast<size_t>(dim)].push_back(factor);
}

void ShardingRuleBuilder::setResult(unsigned result, int64_t dim, unsigned factor) {
  rule.results[result][static_cast<size_t>(dim)].push_back(factor);
}

void ShardingRuleBuilder::explain(bool isResult, unsigned index, int64_t dim, std::string reason) {
  rule.reasons[{isResult, index, static_cast<unsigned>(dim)}] = std::move(reason);
}

std::optional<unsigned> ShardingRuleBuilder::addPieces(llvm::ArrayRef<int64_t> sizes, LocalForm form) {
  if (llvm::any_of(sizes, [](int64_t size) { return ShapedType::isDynamic(size); }))
    return std::nullopt;
  unsigned factor =
      addWholeFactor(llvm::sum_of(sizes, int64_t(0)), "a split of the dimension is not one of each piece");
  ShardingFactor &own = rule.factors[factor];
  own.localKind = FactorKind::PassThrough;
  for (int64_t size : sizes)
    if (size > 0)
      own.pieces.push_back(size);
  rule.localForm = form;
  return factor;
}

void ShardingRuleBuilder::setOperandPiece(unsigned operand, int64_t dim, unsigned factor, FactorRange range) {
  setOperand(operand, dim, factor);
  rule.operands[operand][static_cast<size_t>(dim)].range = range;
}

void ShardingRuleBuilder::setResultPiece(unsigned result, int64_t dim, unsigned factor, FactorRange range) {
  setResult(result, dim, factor);
  rule.results[result][static_cast<size_t>(dim)].range = range;
}

void ShardingRuleBuilder::pair(unsigned operand, int64_t operandDim, unsigned result, int64_t resultDim) {
  int64_t size = operandType(operand).getDimSize(operandDim);
  if (size != resultType(result).getDimSize(resultDim))
    return;
  unsigned factor = addFactor(size);
  setOperand(operand, operandDim, factor);
  setResult(result, resultDim, factor);
}

std::optional<unsigned> ShardingRuleBuilder::splitByLocalForm(unsigned operand, int64_t dim, LocalForm form,
                                                              FactorKind kind, ReductionKind reduction) {
  int64_t size = operandType(operand).getDimSize(dim);
  DimFactors &factors = rule.operands[operand][static_cast<size_t>(dim)];
  if (ShapedType::isDynamic(size) || size == 1 || factors.size() > 1)
    return std::nullopt;
  if (factors.empty())
    factors.push_back(addWholeFactor(size, exchangesElements));
  rule.factors[factors.front()].reduction = reduction;
  splitFactorByLocalForm(factors.front(), form, kind);
  return factors.front();
}

std::optional<unsigned> ShardingRuleBuilder::splitResultByLocalForm(unsigned result, int64_t dim,
                                                                    LocalForm form) {
  int64_t size = resultType(result).getDimSize(dim);
  if (ShapedType::isDynamic(size) || size == 1)
    return std::nullopt;
  unsigned factor = addFactor(size);
  setResult(result, dim, factor);
  splitFactorByLocalForm(factor, form);
  return factor;
}

void ShardingRuleBuilder::splitFactorByLocalForm(unsigned factor, LocalForm form, FactorKind kind) {
  ShardingFactor &own = rule.factors[factor];
  own.kind = FactorKind::Replicated;
  own.localKind = kind;
  if (own.reason.empty())
    own.reason = exchangesElements;
  rule.localForm = form;
}

ShardingRule withLocalForm(ShardingRule rule) {
  for (ShardingFactor &factor : rule.factors)
    factor.kind = factor.localKind.value_or(factor.kind);
  return rule;
}

RankedTensorType ShardingRuleBuilder::operandType(unsigned operand) const {
  return typeOf(operation->getOperand(operand));
}

RankedTensorType ShardingRuleBuilder::resultType(unsigned result) const {
  return typeOf(operation->getResult(result));
}

ShardingRule ShardingRuleBuilder::take() {
  ShardingRule out = std::move(rule);
  llvm::SmallVector<int64_t> newIndices(out.factors.size(), -1);
  llvm::SmallVector<ShardingFactor> kept;
  for (auto [i, factor] : llvm::enumerate(out.factors))
    if (factor.size != 1) {
      newIndices[i] = static_cast<int64_t>(kept.size());
      kept.push_back(factor);
    }
  out.factors = std::move(kept);
  for (auto *tensors : {&out.operands, &out.results})
    for (TensorFactors &dims : *tensors)
      for (DimFactors &factors : dims) {
        llvm::erase_if(factors, [&](unsigned factor) { return newIndices[factor] < 0; });
        for (unsigned &factor : factors)
          factor = static_cast<unsigned>(newIndices[factor]);
      }
  return out;
}

} // namespace proa::pd
