#include "passes/patterns/NearMiss.h"

#include "mlir/IR/OpDefinition.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace proa {
namespace {

/// The first line of a location, "train.py:12", or "".
std::string lineOf(Location location) {
  std::string text;
  location->walk([&](Location member) {
    auto line = dyn_cast<FileLineColLoc>(member);
    if (!line)
      return WalkResult::advance();
    text = (line.getFilename().getValue() + ":" + Twine(line.getLine())).str();
    return WalkResult::interrupt();
  });
  return text;
}

/// "pd.relu at train.py:12", or the op alone.
std::string describe(Operation *op) {
  std::string line = lineOf(op->getLoc());
  return op->getName().getStringRef().str() + (line.empty() ? "" : " at " + line);
}

std::string describe(Value value) {
  if (Operation *op = value.getDefiningOp())
    return "the result of " + describe(op);
  return "argument " + std::to_string(cast<BlockArgument>(value).getArgNumber());
}

std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// Keeps the reason of the last notifyMatchFailure.
struct ReasonListener : RewriterBase::Listener {
  void notifyMatchFailure(Location location, function_ref<void(mlir::Diagnostic &)> write) override {
    mlir::Diagnostic diagnostic(location, DiagnosticSeverity::Remark);
    write(diagnostic);
    reason = diagnostic.str();
  }
  std::string reason;
};

/// Gives access to the results of a constraint.
struct Results : PDLResultList {
  explicit Results(unsigned count) : PDLResultList(count) {}
  ArrayRef<PDLValue> values() const { return results; }
};

class Matcher {
public:
  explicit Matcher(const llvm::StringMap<PDLConstraintFunction> &constraints) : constraints(constraints) {}

  PartialMatch run(pdl::PatternOp pattern, Operation *root) {
    auto expected = pattern.getRewriter().getRoot().getDefiningOp<pdl::OperationOp>();
    if (!expected || !matchOp(expected, root))
      return std::move(match);
    this->root = root;
    for (auto constraint : pattern.getBodyRegion().getOps<pdl::ApplyNativeConstraintOp>())
      if (!matchConstraint(constraint))
        return std::move(match);
    match.isMatch = true;
    return std::move(match);
  }

private:
  bool fail(const Twine &reason) {
    match.reason = reason.str();
    return false;
  }
  bool holds() {
    ++match.checks;
    return true;
  }

  bool matchOp(pdl::OperationOp pattern, Operation *op) {
    if (auto known = ops.find(pattern); known != ops.end())
      return known->second == op || fail("two uses of one op of the pattern are " + describe(known->second) +
                                         " and " + describe(op));
    if (std::optional<StringRef> name = pattern.getOpName(); name && *name != op->getName().getStringRef()) {
      match.failsAtOp = true;
      return fail("expected " + *name + ", found " + describe(op));
    }
    ops[pattern] = op;
    ++match.ops;
    holds();
    return matchAttributes(pattern, op) && matchTypes(pattern, op) && matchOperands(pattern, op);
  }

  bool matchAttributes(pdl::OperationOp pattern, Operation *op) {
    for (auto [name, value] : llvm::zip(pattern.getAttributeValueNames(), pattern.getAttributeValues())) {
      StringRef text = cast<StringAttr>(name).getValue();
      Attribute attribute = op->getAttr(text);
      if (!attribute)
        return fail("expected the attribute '" + text + "' of " + describe(op));
      auto expected = value.getDefiningOp<pdl::AttributeOp>();
      if (expected && expected.getValueAttr() && expected.getValueAttr() != attribute)
        return fail("'" + text + "' of " + describe(op) + " is " + textOf(attribute) + ", expected " +
                    textOf(expected.getValueAttr()));
      if (auto known = values.find(value);
          known != values.end() && known->second.cast<Attribute>() != attribute)
        return fail("'" + text + "' of " + describe(op) + " is " + textOf(attribute) + ", expected " +
                    textOf(known->second.cast<Attribute>()));
      values.try_emplace(value, attribute);
      holds();
    }
    return true;
  }

  bool matchTypes(pdl::OperationOp pattern, Operation *op) {
    for (auto [i, value] : llvm::enumerate(pattern.getTypeValues()))
      if (auto expected = value.getDefiningOp<pdl::TypeOp>(); expected && i < op->getNumResults()) {
        Type type = op->getResult(i).getType();
        auto known = values.find(value);
        Type constant =
            known != values.end() ? known->second.cast<Type>() : expected.getConstantType().value_or(type);
        if (constant != type)
          return fail("the type of result " + Twine(i) + " of " + describe(op) + " is not the expected one");
        values.try_emplace(value, type);
        holds();
      }
    return true;
  }

  bool matchOperands(pdl::OperationOp pattern, Operation *op) {
    ValueRange groups = pattern.getOperandValues();
    if (groups.empty())
      return true;
    if (groups.size() == 1 && isa<pdl::RangeType>(groups[0].getType()))
      return true; // all operands
    SmallVector<int32_t> sizes(op->getNumOperands(), 1);
    if (auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes"))
      sizes.assign(segments.asArrayRef().begin(), segments.asArrayRef().end());
    if (sizes.size() != groups.size())
      return fail(describe(op) + " has " + Twine(sizes.size()) + " operands, expected " +
                  Twine(groups.size()));
    size_t begin = 0;
    for (auto [group, size] : llvm::zip(groups, sizes)) {
      ValueRange actual = op->getOperands().slice(begin, size);
      begin += size;
      if (isa<pdl::RangeType>(group.getType())) {
        ranges.push_back(std::make_unique<ValueRange>(actual));
        values.try_emplace(group, ranges.back().get());
      } else if (actual.size() != 1) {
        return fail(describe(op) + " lacks an operand");
      } else if (!matchValue(group, actual[0], op)) {
        return false;
      }
    }
    return true;
  }

  bool matchValue(Value pattern, Value value, Operation *user) {
    if (auto known = values.find(pattern); known != values.end())
      return known->second.cast<Value>() == value
                 ? holds()
                 : fail("two operands are equal in the pattern, but " + describe(value) + " of " +
                        describe(user) + " is not " + describe(known->second.cast<Value>()));
    Operation *source = pattern.getDefiningOp();
    unsigned index = 0;
    Value parent;
    if (auto result = dyn_cast<pdl::ResultOp>(source)) {
      parent = result.getParent();
      index = result.getIndex();
    } else if (auto results = dyn_cast<pdl::ResultsOp>(source)) {
      parent = results.getParent();
      index = results.getIndex().value_or(0);
    }
    if (!parent) {
      values.try_emplace(pattern, value);
      return true;
    }
    auto expected = parent.getDefiningOp<pdl::OperationOp>();
    Operation *actual = value.getDefiningOp();
    if (!actual || !isa<OpResult>(value) || cast<OpResult>(value).getResultNumber() != index) {
      match.failsAtOp = true;
      return fail("expected " + expected.getOpName().value_or("an op") + " as operand of " + describe(user) +
                  ", found " + describe(value));
    }
    if (!matchOp(expected, actual))
      return false;
    values.try_emplace(pattern, value);
    return true;
  }

  std::optional<PDLValue> valueOf(Value argument) {
    if (auto known = values.find(argument); known != values.end())
      return known->second;
    Operation *source = argument.getDefiningOp();
    if (auto attribute = dyn_cast<pdl::AttributeOp>(source); attribute && attribute.getValueAttr())
      return PDLValue(attribute.getValueAttr());
    if (auto type = dyn_cast<pdl::TypeOp>(source); type && type.getConstantType())
      return PDLValue(*type.getConstantType());
    if (auto op = dyn_cast<pdl::OperationOp>(source))
      if (auto known = ops.find(op); known != ops.end())
        return PDLValue(known->second);
    if (auto result = dyn_cast<pdl::ResultOp>(source))
      if (auto known = ops.find(result.getParent().getDefiningOp<pdl::OperationOp>());
          known != ops.end() && result.getIndex() < known->second->getNumResults())
        return PDLValue(known->second->getResult(result.getIndex()));
    if (auto results = dyn_cast<pdl::ResultsOp>(source))
      if (auto known = ops.find(results.getParent().getDefiningOp<pdl::OperationOp>()); known != ops.end()) {
        ranges.push_back(std::make_unique<ValueRange>(known->second->getResults()));
        // A value that is converted to a range of its only element.
        return isa<pdl::RangeType>(argument.getType()) ? PDLValue(ranges.back().get())
                                                       : PDLValue((*ranges.back())[0]);
      }
    return std::nullopt;
  }

  bool matchConstraint(pdl::ApplyNativeConstraintOp constraint) {
    auto function = constraints.find(constraint.getName());
    SmallVector<PDLValue> arguments;
    for (Value argument : constraint.getArgs()) {
      std::optional<PDLValue> value = valueOf(argument);
      if (!value)
        return false; // an op that is not reached from the root
      arguments.push_back(*value);
    }
    if (function == constraints.end())
      return false;
    ReasonListener listener;
    PatternRewriter rewriter(root->getContext());
    rewriter.setListener(&listener);
    results.push_back(std::make_unique<Results>(constraint.getNumResults()));
    bool isMet =
        succeeded(function->second(rewriter, *results.back(), arguments)) != constraint.getIsNegated();
    if (!isMet)
      return fail(constraintText(constraint, arguments) +
                  (listener.reason.empty() ? "" : ": " + listener.reason));
    if (!constraint.getIsNegated())
      for (auto [result, value] : llvm::zip(constraint->getResults(), results.back()->values()))
        values.insert_or_assign(result, value);
    return holds();
  }

  /// "IsScalar of the result of pd.constant at train.py:12 fails (fuse.pdll:7)".
  std::string constraintText(pdl::ApplyNativeConstraintOp constraint, ArrayRef<PDLValue> arguments) {
    std::string text = (constraint.getIsNegated() ? "not " : "") + constraint.getName().str();
    if (!arguments.empty()) {
      if (Value value = arguments[0].dyn_cast<Value>())
        text += " of " + describe(value);
      else if (auto *op = arguments[0].dyn_cast<Operation *>())
        text += " of " + describe(op);
    }
    std::string line = lineOf(constraint.getLoc());
    return text + " does not hold" + (line.empty() ? "" : " (" + line + ")");
  }

  const llvm::StringMap<PDLConstraintFunction> &constraints;
  PartialMatch match;
  Operation *root = nullptr;
  llvm::DenseMap<Operation *, Operation *> ops; ///< by op of the pattern
  llvm::DenseMap<Value, PDLValue> values;       ///< by value of the pattern
  std::vector<std::unique_ptr<ValueRange>> ranges;
  std::vector<std::unique_ptr<Results>> results; ///< own the ranges that they return
};

} // namespace

PartialMatch matchPartially(pdl::PatternOp pattern, Operation *root,
                            const llvm::StringMap<PDLConstraintFunction> &constraints) {
  return Matcher(constraints).run(pattern, root);
}

} // namespace proa
