//! Feeds and fetches that are sequences or optionals: tensor arrays in the program, tensors in its interface
//! (lib/base/support/Sequences.h).
#include "lib/base/support/Sequences.h"
#include "translator/import/common/FeedValues.h"
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa::import {

/// The tensors in a sequence, in an optional, or in an optional sequence; null for other types.
static const onnx::Type *tensorIn(const onnx::Type &type) {
  if (type.kind == onnx::Type::Kind::Tensor)
    return &type;
  bool isList = type.kind == onnx::Type::Kind::Sequence || type.kind == onnx::Type::Kind::Optional;
  return isList && type.element.size() == 1 ? tensorIn(type.element[0]) : nullptr;
}

std::optional<DType> GraphImporter::sequenceElementType(const onnx::ValueInfo &info) {
  if (!info.type || info.type->kind == onnx::Type::Kind::Tensor)
    return std::nullopt;
  const onnx::Type *element = tensorIn(*info.type);
  return element ? onnx::storageOf(element->elementType) : std::nullopt;
}

void GraphImporter::addSequence(const onnx::ValueInfo &info, DType dtype) {
  auto given = options.sequences.find(info.name);
  if (given == options.sequences.end()) {
    ++openErrors;
    diagnostics.add(options.source,
                    "feed '" + info.name + "' is a sequence: the dims of its elements must be known");
    scopes.front().poisoned.insert(info.name);
    return;
  }
  Value array = pd::ArrayCreateOp::create(builder, location());
  Values elements;
  for (auto [i, dims] : llvm::enumerate(given->second)) {
    llvm::SmallVector<int64_t> shape;
    for (int64_t dim : dims)
      shape.push_back(dim < 0 ? ShapedType::kDynamic : dim);
    auto type = RankedTensorType::get(shape, pd::elementTypeOf(&context, dtype));
    if (!pd::joinedTypes(array.getType(), pd::ArrayType::get(&context, type))) {
      diagnostics.add(options.source, "the elements of sequence '" + info.name + "' have different ranks");
      scopes.front().poisoned.insert(info.name);
      return;
    }
    elements.push_back(addElement(info.name, i, type));
    Value index = pd::oneInt(builder, location(), static_cast<int64_t>(i));
    array = pd::ArrayWriteOp::create(builder, location(), array, index, elements.back());
  }
  onnx::DataType declared = tensorIn(*info.type)->elementType;
  if (onnx::dataTypeOf(dtype) != declared)
    storedTypes[array] = declared;
  if (info.type->kind == onnx::Type::Kind::Optional)
    arrayKinds[array] = info.type->element[0].kind == onnx::Type::Kind::Tensor ? ArrayKind::Optional
                                                                               : ArrayKind::OptionalSequence;
  define(info.name, array);
}

Value GraphImporter::addElement(const std::string &sequence, size_t index, RankedTensorType type) {
  std::string name = elementName(sequence, index);
  Value argument = addArgument(pd::feedAttribute, name, type);
  argumentAttributes.back().append(pd::sequenceAttribute, builder.getStringAttr(sequence));
  auto given = options.feedValues.find(name);
  Value constant = given == options.feedValues.end() ? Value() : constantOf(given->second, type, builder);
  return constant ? constant : argument;
}

namespace {

/// Packs the elements of an array into the two tensors of a fetched sequence.
class SequencePacker {
public:
  SequencePacker(OpBuilder &builder, Location location, Value array)
      : builder(builder), location(location), array(array),
        element(cast<pd::ArrayType>(array.getType()).getElement()) {}

  std::pair<Value, Value> run() {
    if (!element)
      return {empty({0, 1}, builder.getI64Type()), empty({0}, builder.getF32Type())};
    Value length = pd::ArrayLengthOp::create(builder, location, array);
    Value isFilled = pd::GreaterThanOp::create(builder, location, length, pd::oneInt(builder, location, 0));
    Type types[] = {
        RankedTensorType::get({ShapedType::kDynamic, element.getRank() + 1}, builder.getI64Type()),
        RankedTensorType::get({ShapedType::kDynamic}, element.getElementType())};
    auto branch = scf::IfOp::create(builder, location, TypeRange(types),
                                    pd::asCondition(builder, location, isFilled), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&branch.getThenRegion().front());
    yield(types, pack(length));
    builder.setInsertionPointToStart(&branch.getElseRegion().front());
    yield(types,
          {empty({0, element.getRank() + 1}, builder.getI64Type()), empty({0}, element.getElementType())});
    return {branch.getResult(0), branch.getResult(1)};
  }

private:
  Value empty(llvm::ArrayRef<int64_t> dims, Type elementType) {
    auto type = RankedTensorType::get(dims, elementType);
    return pd::ConstantOp::create(builder, location, type,
                                  DenseElementsAttr::get(type, llvm::ArrayRef<Attribute>()));
  }

  void yield(llvm::ArrayRef<Type> types, std::pair<Value, Value> values) {
    scf::YieldOp::create(builder, location,
                         ValueRange{pd::widened(builder, location, values.first, types[0]),
                                    pd::widened(builder, location, values.second, types[1])});
  }

  Value arrayOf(llvm::ArrayRef<int64_t> dims, Type elementType) {
    auto type = pd::ArrayType::get(builder.getContext(), RankedTensorType::get(dims, elementType));
    return pd::widened(builder, location, pd::ArrayCreateOp::create(builder, location), type);
  }

  std::pair<Value, Value> pack(Value length) {
    Value arrays[] = {arrayOf({element.getRank() + 1}, builder.getI64Type()),
                      arrayOf({ShapedType::kDynamic}, element.getElementType())};
    auto add = [&](OpBuilder &inside, Value index, ValueRange carried) {
      OpBuilder detached(builder.getContext());
      OwningOpRef<Operation *> anchor =
          UnrealizedConversionCastOp::create(detached, location, TypeRange(), ValueRange()).getOperation();
      pd::TensorBuilder e(inside, *anchor);
      pd::Expression x = e.wrap(e.create<pd::ArrayReadOp>(array, index));
      llvm::SmallVector<pd::DimSize> row{pd::elementsOf(x)};
      llvm::append_range(row, pd::dimSizesOf(x));
      llvm::SmallVector<Value> next;
      for (auto [before, value] :
           llvm::zip(carried, llvm::SmallVector<Value>{pd::shapeTensor(e, row), e.reshape(x, {-1})}))
        next.push_back(pd::widened(inside, location, e.create<pd::ArrayWriteOp>(before, index, value),
                                   before.getType()));
      return next;
    };
    llvm::SmallVector<Value> packed = pd::countedLoop(builder, location, length, arrays, add);
    auto join = [&](Value pieces, bool stacks) {
      return pd::ArrayToTensorOp::create(builder, location, pieces, builder.getI64IntegerAttr(0),
                                         builder.getBoolAttr(stacks))
          .getOut();
    };
    return {join(packed[0], true), join(packed[1], false)};
  }

  OpBuilder &builder;
  Location location;
  Value array;
  RankedTensorType element;
};

} // namespace

std::pair<Value, Value> GraphImporter::packSequence(Value array) {
  return SequencePacker(builder, location(), array).run();
}

} // namespace proa::import
