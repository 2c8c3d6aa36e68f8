//! Gradient ops of the new IR: "X_grad" becomes a pd.vjp around X, imported again by its own table entry
//! or handler, as for legacy programs.
#include "translator/import/newir/GradientTable.h"
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/autodiff/PaddleGradient.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"

using namespace mlir;

namespace proa::import {
namespace {

/// The id of what a gradient op is given; 0 where it is absent.
int64_t operandOf(const newir::Operation &op, const NewIrGradient &entry, Given value) {
  std::optional<size_t> position = entry.positionOf(value);
  return position && *position < op.inputs.size() ? op.inputs[*position] : 0;
}

} // namespace

/// State of the import of one gradient op.
struct ModelImporter::GradientImport {
  const newir::Operation &op;
  const NewIrGradient &entry;
  /// A copy of the forward op at this position, with its own ids.
  newir::Operation forward = {};
  /// Inputs of the pd.vjp, and for each the gradient op's result that is its gradient.
  Values inputs = {};
  llvm::SmallVector<size_t> resultOf = {};
  /// Results of the body, those that are known, and cotangents, with the numbers of the results.
  Values yielded = {}, saved = {}, cotangents = {};
  llvm::SmallVector<int64_t> savedOf = {}, cotangentOf = {};
};

/// The op of that name that computes a value, directly or through a list.
const newir::Operation *ModelImporter::makerOf(int64_t id, llvm::StringRef name) const {
  auto found = makers.find(id);
  auto isList = [](const newir::Operation &op) {
    return op.name == "0.combine" || op.name == "0.split" || op.name == "0.slice";
  };
  // In a wrong file lists may hold each other.
  for (size_t step = 0; found != makers.end() && isList(*found->second) && step < makers.size(); ++step)
    found = found->second->inputs.empty() ? makers.end() : makers.find(found->second->inputs.front());
  llvm::StringRef maker = found == makers.end() ? llvm::StringRef() : llvm::StringRef(found->second->name);
  return maker.consume_front("1.") && maker.rtrim('_') == name ? found->second : nullptr;
}

/// Whether an op may be the one that the gradient is of: it has the operands and attributes that the gradient
/// op names, and results of the types of the cotangents.
bool ModelImporter::isForwardOf(const newir::Operation &candidate, const newir::Operation &op,
                                const NewIrGradient &entry) const {
  auto inFile = [&](int64_t id) {
    auto original = originals.find(id);
    return original == originals.end() ? id : original->second;
  };
  for (size_t i = 0; i < entry.forwardOperands; ++i)
    if (int64_t id = operandOf(op, entry, {Given::Operand, i});
        id != 0 && (i >= candidate.inputs.size() || candidate.inputs[i] != inFile(id)))
      return false;
  for (const newir::Attribute &attribute : candidate.attributes)
    if (const newir::Literal *given = op.attribute(attribute.name); given && !(*given == attribute.value))
      return false;
  for (size_t i = 0; i < entry.forwardResults; ++i) {
    auto cotangent = values.find(operandOf(op, entry, {Given::Cotangent, i}));
    if (cotangent != values.end() && cotangent->second.size() == 1 && i < candidate.outputs.size() &&
        candidate.outputs[i].type.kind == newir::Type::Kind::Tensor &&
        !pd::compatibleTypes(Type(tensorTypeOf(candidate.outputs[i].type)), cotangent->second[0].getType()))
      return false;
  }
  return true;
}

/// The forward op of a gradient op in the file: an op that computes a result that the gradient op receives,
/// else the last op that fits.
const newir::Operation *ModelImporter::forwardOf(const newir::Operation &op,
                                                 const NewIrGradient &entry) const {
  for (size_t i = 0; i < entry.forwardResults; ++i)
    if (const auto *maker = makerOf(operandOf(op, entry, {Given::Result, i}), entry.forward))
      return maker;
  auto candidates = byName.find(entry.forward.str());
  if (candidates != byName.end())
    for (const newir::Operation *candidate : llvm::reverse(candidates->second))
      if (isForwardOf(*candidate, op, entry))
        return candidate;
  return nullptr;
}

void ModelImporter::collectForward(GradientImport &gradient) {
  const newir::Operation &op = gradient.op;
  const NewIrGradient &entry = gradient.entry;
  newir::Operation &forward = gradient.forward;
  const newir::Operation *original = forwardOf(op, entry);
  forward.name = "1." + entry.forward.str();
  forward.path = op.path;
  // Gradient ops have attributes of their own.
  const NewIrOp *known = findNewIrOp(entry.forward);
  for (const newir::Attribute &attribute : op.attributes)
    if (!known || known->knows(attribute.name))
      forward.attributes.push_back(attribute);
  for (const newir::Attribute &attribute : original ? original->attributes : std::vector<newir::Attribute>())
    if (!forward.attribute(attribute.name))
      forward.attributes.push_back(attribute);
  for (size_t i = 0; i < entry.forwardOperands; ++i) {
    int64_t id = operandOf(op, entry, {Given::Operand, i});
    if (id == 0 && original && i < original->inputs.size())
      id = original->inputs[i];
    forward.inputs.push_back(id == 0 ? 0 : --lastOwnId);
    if (id == 0)
      continue;
    values[lastOwnId] = operand(id);
    auto original = originals.find(id);
    originals[lastOwnId] = original == originals.end() ? id : original->second;
    if (auto maker = makers.find(id); maker != makers.end())
      makers[lastOwnId] = maker->second;
  }
  newir::Type notDeclared;
  notDeclared.kind = newir::Type::Kind::Other;
  for (size_t i = 0; i < entry.forwardResults; ++i)
    forward.outputs.push_back({--lastOwnId, notDeclared});
}

/// Imports the forward op on the arguments of the block instead of the operands that it is differentiated by.
void ModelImporter::importForward(GradientImport &gradient, Block &body) {
  const NewIrGradient &entry = gradient.entry;
  for (auto [result, operand] : llvm::enumerate(entry.results)) {
    if (result >= gradient.op.outputs.size() ||
        gradient.op.outputs[result].type.kind == newir::Type::Kind::Null)
      continue;
    for (Value &value : values[gradient.forward.inputs[operand]]) {
      if (!pd::hasTangent(value.getType()))
        continue;
      gradient.inputs.push_back(value);
      gradient.resultOf.push_back(result);
      value = body.addArgument(value.getType(), location());
    }
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  const NewIrGradient *inner = findNewIrGradient(entry.forward);
  if (inner && !findNewIrOp(entry.forward)) {
    independent.emplace();
    for (size_t result : gradient.resultOf)
      independent->insert(entry.results.begin()[result]);
    return importGradient(gradient.forward, *inner);
  }
  auto handler = handlers().find(gradient.forward.name);
  handler != handlers().end() ? importByHandler(gradient.forward, handler->second)
                              : importByTable(gradient.forward);
}

/// Collects the results of the forward op, and for each the value and the cotangent that the gradient op
/// receives.
void ModelImporter::collectCotangents(GradientImport &gradient,
                                      const std::optional<std::set<size_t>> &differentiatedBy) {
  for (auto [of, output] : llvm::enumerate(gradient.forward.outputs)) {
    auto given = [&](Given role) {
      int64_t id = operandOf(gradient.op, gradient.entry, role);
      return id == 0 || unused.count(id) ? Values() : operand(id);
    };
    Given value{Given::Result, of};
    Values known = given(value), cotangent = given({Given::Cotangent, of});
    std::optional<size_t> position = gradient.entry.positionOf(value);
    bool isIndependent = !differentiatedBy || (position && differentiatedBy->count(*position));
    for (auto [i, result] : llvm::enumerate(values[output.id])) {
      auto index = static_cast<int64_t>(gradient.yielded.size());
      gradient.yielded.push_back(result);
      if (i < known.size() && isIndependent && pd::compatibleTypes(known[i].getType(), result.getType())) {
        gradient.saved.push_back(known[i]);
        gradient.savedOf.push_back(index);
      }
      if (i < cotangent.size()) {
        gradient.cotangents.push_back(cotangent[i]);
        gradient.cotangentOf.push_back(index);
      }
    }
  }
}

void ModelImporter::importGradient(const newir::Operation &op, const NewIrGradient &entry) {
  if (op.inputs.size() > entry.operands.size())
    return report(llvm::Twine(op.inputs.size()) + " operands, expected at most " +
                  llvm::Twine(entry.operands.size()));
  GradientImport gradient{op, entry};
  auto differentiatedBy = std::exchange(independent, std::nullopt);
  size_t before = diagnostics.size();
  collectForward(gradient);
  Region region;
  Block &body = region.emplaceBlock();
  if (diagnostics.size() != before || isBlocked)
    return;
  importForward(gradient, body);
  if (diagnostics.size() != before || isBlocked || gradient.inputs.empty())
    return;
  collectCotangents(gradient, differentiatedBy);
  if (isBlocked)
    return;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    pd::YieldOp::create(builder, location(), gradient.yielded);
  }
  auto vjp = pd::VjpOp::create(builder, location(), gradient.inputs, gradient.saved, gradient.cotangents,
                               builder.getDenseI64ArrayAttr(gradient.savedOf),
                               builder.getDenseI64ArrayAttr(gradient.cotangentOf));
  vjp.getBody().takeBody(region);
  pd::usePaddleGradients(vjp);
  if (failed(vjp.verifyRegions()))
    return report(std::exchange(mlirErrors, {}));
  for (size_t result = 0; result < op.outputs.size(); ++result) {
    Values found;
    for (auto [of, value] : llvm::zip(gradient.resultOf, vjp.getGradients()))
      if (of == result)
        found.push_back(value);
    if (!found.empty())
      define(op, result, found);
  }
}

} // namespace proa::import
