//! Gradient ops of the new IR: "X_grad" becomes a pd.vjp around X, imported once more by its own table entry
//! or handler, as for legacy programs.
#include "translator/import/newir/GradientTable.h"
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/Pd.h"
#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/autodiff/VjpOps.h"

using namespace mlir;

namespace proa::import {
namespace {

/// The operand of that name; 0 where it is absent.
int64_t operandNamed(const newir::Operation &op, llvm::ArrayRef<llvm::StringRef> names,
                     llvm::StringRef name) {
  const auto *found = llvm::find(names, name);
  size_t place = static_cast<size_t>(found - names.begin());
  return found != names.end() && place < op.inputs.size() ? op.inputs[place] : 0;
}

std::string gradientOf(llvm::StringRef name) { return (name + "_grad").str(); }

} // namespace

/// What the import of one gradient op collects.
struct ModelImporter::GradientImport {
  const newir::Operation &op;
  const NewIrGradient &entry;
  /// The forward op as if it stood here, on ids of its own.
  newir::Operation forward = {};
  /// Inputs of the pd.vjp, and for each the gradient op's result that is its gradient.
  Values inputs = {};
  llvm::SmallVector<size_t> resultOf = {};
};

/// The op of that name that made a value, also where a list stands between the two.
const newir::Operation *ModelImporter::makerOf(int64_t id, llvm::StringRef name) const {
  auto found = makers.find(id);
  auto isList = [](const newir::Operation &op) {
    return op.name == "0.combine" || op.name == "0.split" || op.name == "0.slice";
  };
  // In a wrong file lists may hold each other.
  for (size_t step = 0; found != makers.end() && isList(*found->second) && step < makers.size(); ++step)
    found = found->second->inputs.empty() ? makers.end() : makers.find(found->second->inputs.front());
  llvm::StringRef made = found == makers.end() ? llvm::StringRef() : llvm::StringRef(found->second->name);
  return made.consume_front("1.") && made.rtrim('_') == name ? found->second : nullptr;
}

/// Whether an op may be the one that the gradient is of: it has the operands and attributes that the gradient
/// op names, and results of the types of the cotangents.
bool ModelImporter::isForwardOf(const newir::Operation &candidate, const newir::Operation &op,
                                const NewIrGradient &entry) const {
  auto inFile = [&](int64_t id) {
    auto original = originals.find(id);
    return original == originals.end() ? id : original->second;
  };
  for (auto [i, name] : llvm::enumerate(entry.forwardOperands))
    if (int64_t id = operandNamed(op, entry.operands, name);
        id != 0 && (i >= candidate.inputs.size() || candidate.inputs[i] != inFile(id)))
      return false;
  for (const newir::Attribute &attribute : candidate.attributes)
    if (const newir::Literal *given = op.attribute(attribute.name); given && !(*given == attribute.value))
      return false;
  for (auto [i, name] : llvm::enumerate(entry.forwardResults)) {
    auto cotangent = values.find(operandNamed(op, entry.operands, gradientOf(name)));
    if (cotangent != values.end() && cotangent->second.size() == 1 && i < candidate.outputs.size() &&
        candidate.outputs[i].type.kind == newir::Type::Kind::Tensor &&
        !pd::compatibleTypes(Type(tensorTypeOf(candidate.outputs[i].type)), cotangent->second[0].getType()))
      return false;
  }
  return true;
}

/// The op of the file that the gradient is of: the one that made a result that the gradient op is given, else
/// the last one that fits.
const newir::Operation *ModelImporter::forwardOf(const newir::Operation &op,
                                                 const NewIrGradient &entry) const {
  for (llvm::StringRef result : entry.forwardResults)
    if (const auto *maker = makerOf(operandNamed(op, entry.operands, result), entry.forward))
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
  const newir::Operation *made = forwardOf(op, entry);
  forward.name = "1." + entry.forward.str();
  forward.path = op.path;
  // Gradient ops have attributes of their own.
  const NewIrOp *known = findNewIrOp(entry.forward);
  for (const newir::Attribute &attribute : op.attributes)
    if (!known || llvm::any_of(known->attributes,
                               [&](const LegacyAttribute &a) { return a.legacyName == attribute.name; }))
      forward.attributes.push_back(attribute);
  for (const newir::Attribute &attribute : made ? made->attributes : std::vector<newir::Attribute>())
    if (!forward.attribute(attribute.name))
      forward.attributes.push_back(attribute);
  for (auto [i, name] : llvm::enumerate(entry.forwardOperands)) {
    int64_t id = operandNamed(op, entry.operands, name);
    if (id == 0 && made && i < made->inputs.size())
      id = made->inputs[i];
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
  for (size_t i = 0; i < entry.forwardResults.size(); ++i)
    forward.outputs.push_back({--lastOwnId, notDeclared});
}

/// The forward op on the block's arguments instead of what it is differentiated by.
void ModelImporter::importForward(GradientImport &gradient, Block &body) {
  const NewIrGradient &entry = gradient.entry;
  for (auto [result, name] : llvm::enumerate(entry.results)) {
    if (result >= gradient.op.outputs.size() ||
        gradient.op.outputs[result].type.kind == newir::Type::Kind::Null)
      continue;
    for (auto [operand, id] : llvm::zip(entry.forwardOperands, gradient.forward.inputs))
      if (name == gradientOf(operand))
        for (Value &value : values[id]) {
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
      independent->insert(entry.results[result].drop_back(llvm::StringRef("_grad").size()).str());
    return importGradient(gradient.forward, *inner);
  }
  auto handler = handlers().find(gradient.forward.name);
  handler != handlers().end() ? (this->*handler->second)(gradient.forward) : importByTable(gradient.forward);
}

void ModelImporter::importGradient(const newir::Operation &op, const NewIrGradient &entry) {
  GradientImport gradient{op, entry};
  auto differentiatedBy = std::exchange(independent, std::nullopt);
  size_t before = problems.size();
  collectForward(gradient);
  Region region;
  Block &body = region.emplaceBlock();
  if (problems.size() != before || isBlocked)
    return;
  importForward(gradient, body);
  if (problems.size() != before || isBlocked || gradient.inputs.empty())
    return;
  Values yielded, saved, cotangents;
  llvm::SmallVector<int64_t> savedOf, cotangentOf;
  for (auto [name, output] : llvm::zip(entry.forwardResults, gradient.forward.outputs)) {
    auto given = [&](llvm::StringRef wanted) {
      int64_t id = operandNamed(op, entry.operands, wanted);
      return id == 0 || unused.count(id) ? Values() : operand(id);
    };
    Values known = given(name), cotangent = given(gradientOf(name));
    for (auto [i, result] : llvm::enumerate(values[output.id])) {
      auto number = static_cast<int64_t>(yielded.size());
      yielded.push_back(result);
      if (i < known.size() && (!differentiatedBy || differentiatedBy->count(name.str())) &&
          pd::compatibleTypes(known[i].getType(), result.getType())) {
        saved.push_back(known[i]);
        savedOf.push_back(number);
      }
      if (i < cotangent.size()) {
        cotangents.push_back(cotangent[i]);
        cotangentOf.push_back(number);
      }
    }
  }
  if (isBlocked)
    return;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    pd::YieldOp::create(builder, location(), yielded);
  }
  auto vjp =
      pd::VjpOp::create(builder, location(), gradient.inputs, saved, cotangents,
                        builder.getDenseI64ArrayAttr(savedOf), builder.getDenseI64ArrayAttr(cotangentOf));
  vjp.getBody().takeBody(region);
  if (failed(vjp.verifyRegions()))
    return report(std::exchange(diagnostics, {}));
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
