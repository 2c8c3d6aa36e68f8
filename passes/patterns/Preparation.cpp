#include "passes/patterns/Preparation.h"

#include "lib/base/support/Suggest.h"

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDL/IR/PDLTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace proa {
namespace {

std::vector<std::string> textsOf(ArrayRef<StringAttr> names) {
  std::vector<std::string> texts;
  for (StringAttr name : names)
    texts.push_back(name.str());
  return texts;
}

/// An op of a loaded dialect; ops of other dialects may be anything.
LogicalResult checkOp(pdl::OperationOp op) {
  std::optional<StringRef> name = op.getOpName();
  if (!name)
    return success();
  MLIRContext *context = op.getContext();
  std::optional<RegisteredOperationName> registered = RegisteredOperationName::lookup(*name, context);
  StringRef dialectName = name->split('.').first;
  if (!registered) {
    Dialect *dialect = context->getLoadedDialect(dialectName);
    if (!dialect || dialect->allowsUnknownOperations())
      return success();
    std::vector<std::string> known;
    for (RegisteredOperationName other : context->getRegisteredOperationsByDialect(dialectName))
      known.push_back(other.getStringRef().str());
    return op.emitError() << "unknown op '" << *name << "'" << didYouMean(name->str(), known);
  }
  for (Attribute attribute : op.getAttributeValueNames()) {
    auto attributeName = cast<StringAttr>(attribute);
    if (dialectName == "pd" && !llvm::is_contained(registered->getAttributeNames(), attributeName))
      return op.emitError() << *name << " has no attribute '" << attributeName.getValue() << "'"
                            << didYouMean(attributeName.str(), textsOf(registered->getAttributeNames()));
  }
  return success();
}

template <class Functions>
LogicalResult checkFunction(Operation *op, StringRef kind, StringRef name, const Functions &functions) {
  if (functions.contains(name))
    return success();
  std::vector<std::string> known;
  for (const auto &function : functions)
    known.push_back(function.first().str());
  return op->emitError() << "no " << kind << " '" << name << "' is registered"
                         << didYouMean(name.str(), known)
                         << "; those with a body in C++ must be compiled (proa_pdll)";
}

bool isCommutative(pdl::OperationOp op) {
  if (op.getOperandValues().size() != 2 || !op.getOpName())
    return false;
  auto name = RegisteredOperationName::lookup(*op.getOpName(), op.getContext());
  Value first = op.getOperandValues()[0], second = op.getOperandValues()[1];
  return name && name->hasTrait<OpTrait::IsCommutative>() && isa<pdl::ValueType>(first.getType()) &&
         isa<pdl::ValueType>(second.getType()) && first != second;
}

SmallVector<pdl::OperationOp> commutativeOpsOf(pdl::PatternOp pattern) {
  SmallVector<pdl::OperationOp> ops;
  for (auto op : pattern.getBodyRegion().getOps<pdl::OperationOp>())
    if (isCommutative(op))
      ops.push_back(op);
  return ops;
}

void addSegmentSizes(OpBuilder &builder, pdl::OperationOp op) {
  if (!op.getOpName() || op.getOperandValues().empty())
    return;
  auto name = RegisteredOperationName::lookup(*op.getOpName(), op.getContext());
  StringAttr sizes = builder.getStringAttr("operandSegmentSizes");
  if (!name || !name->hasTrait<OpTrait::AttrSizedOperandSegments>() ||
      llvm::is_contained(op.getAttributeValueNames(), Attribute(sizes)))
    return;
  builder.setInsertionPoint(op);
  auto call = pdl::ApplyNativeRewriteOp::create(builder, op.getLoc(),
                                                TypeRange(pdl::AttributeType::get(op.getContext())),
                                                segmentSizesFunction, op.getOperandValues());
  SmallVector<Attribute> names(op.getAttributeValueNames().getValue());
  names.push_back(sizes);
  op.getAttributeValuesMutable().append(call.getResult(0));
  op.setAttributeValueNamesAttr(builder.getArrayAttr(names));
}

/// The op that `op` replaces; null if it replaces none.
Value replacedBy(pdl::OperationOp op) {
  for (Operation *user : op->getUsers())
    if (auto replace = dyn_cast<pdl::ReplaceOp>(user); replace && replace.getReplOperation() == op.getOp())
      return replace.getOpValue();
  return Value();
}

void addResultTypes(OpBuilder &builder, pdl::OperationOp op, Value root) {
  if (!op.getOpName() || !op.getTypeValues().empty())
    return;
  auto name = RegisteredOperationName::lookup(*op.getOpName(), op.getContext());
  if (!name || !name->hasInterface<InferTypeOpInterface>())
    return;
  builder.setInsertionPoint(op);
  Type types = pdl::RangeType::get(pdl::TypeType::get(op.getContext()));
  SmallVector<Value> arguments;
  Value replaced = replacedBy(op);
  if (replaced) {
    arguments = {replaced};
  } else {
    auto attribute = [&](Attribute value) -> Value {
      return pdl::AttributeOp::create(builder, op.getLoc(), value);
    };
    arguments = {root, attribute(builder.getStringAttr(*op.getOpName())),
                 attribute(op.getAttributeValueNames())};
    llvm::append_range(arguments, op.getAttributeValues());
    llvm::append_range(arguments, op.getOperandValues());
  }
  auto call =
      pdl::ApplyNativeRewriteOp::create(builder, op.getLoc(), TypeRange(types),
                                        replaced ? replacedTypesFunction : inferredTypesFunction, arguments);
  op.getTypeValuesMutable().assign(call.getResult(0));
}

} // namespace

LogicalResult checkPatterns(PDLPatternModule &patterns) {
  bool isValid = true;
  patterns.getModule().walk([&](Operation *op) {
    LogicalResult checked = success();
    if (auto operation = dyn_cast<pdl::OperationOp>(op))
      checked = checkOp(operation);
    else if (auto constraint = dyn_cast<pdl::ApplyNativeConstraintOp>(op))
      checked = checkFunction(op, "constraint", constraint.getName(), patterns.getConstraintFunctions());
    else if (auto rewrite = dyn_cast<pdl::ApplyNativeRewriteOp>(op))
      checked = checkFunction(op, "rewrite", rewrite.getName(), patterns.getRewriteFunctions());
    isValid &= succeeded(checked);
  });
  return success(isValid);
}

void addCommutedPatterns(ModuleOp patterns) {
  constexpr size_t mostOps = 4; // of which each doubles the number of patterns
  for (auto pattern : llvm::make_early_inc_range(patterns.getOps<pdl::PatternOp>())) {
    size_t count = std::min(commutativeOpsOf(pattern).size(), mostOps);
    for (size_t order = 1; order < size_t(1) << count; ++order) {
      OpBuilder builder(pattern->getContext());
      builder.setInsertionPointAfter(pattern);
      auto copy = cast<pdl::PatternOp>(builder.clone(*pattern));
      SmallVector<pdl::OperationOp> ops = commutativeOpsOf(copy);
      for (size_t i = 0; i < count; ++i)
        if (order >> i & 1) {
          SmallVector<Value> operands(llvm::reverse(ops[i].getOperandValues()));
          ops[i].getOperandValuesMutable().assign(operands);
        }
      // The name stays in the attribute; symbols of a module are unique.
      copy->setAttr(patternNameAttribute, builder.getStringAttr(patternName(pattern)));
      copy.setSymNameAttr(builder.getStringAttr(patternName(pattern) + "/" + Twine(order)));
    }
  }
}

StringRef patternName(pdl::PatternOp pattern) {
  if (auto name = pattern->getAttrOfType<StringAttr>(patternNameAttribute))
    return name.getValue();
  return pattern.getSymName().value_or("pattern");
}

void completeRewrites(ModuleOp patterns) {
  OpBuilder builder(patterns.getContext());
  for (auto pattern : patterns.getOps<pdl::PatternOp>()) {
    pdl::RewriteOp rewrite = pattern.getRewriter();
    if (!rewrite.getRoot() || rewrite.getBodyRegion().empty())
      continue; // an external rewrite
    SmallVector<pdl::OperationOp> created(rewrite.getBodyRegion().getOps<pdl::OperationOp>());
    for (pdl::OperationOp op : created) {
      addSegmentSizes(builder, op);
      addResultTypes(builder, op, rewrite.getRoot());
    }
    builder.setInsertionPointToStart(&rewrite.getBodyRegion().front());
    Value name =
        pdl::AttributeOp::create(builder, pattern.getLoc(), builder.getStringAttr(patternName(pattern)));
    pdl::ApplyNativeRewriteOp::create(builder, pattern.getLoc(), TypeRange(), reportMatchFunction,
                                      ValueRange{rewrite.getRoot(), name});
  }
}

} // namespace proa
