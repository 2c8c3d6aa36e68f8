#include "translator/import/common/CreateOp.h"

#include "dialects/pd/ir/Guarded.h"
#include "dialects/pd/ir/Keywords.h"
#include "dialects/pd/ops/shape/KnownElements.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

namespace proa::import {

Operation *createOp(OpBuilder &builder, Location location, llvm::StringRef name,
                    llvm::ArrayRef<llvm::SmallVector<Value>> operands,
                    llvm::ArrayRef<NamedAttribute> attributes) {
  auto registered = RegisteredOperationName::lookup(name, builder.getContext());
  if (!registered) {
    emitError(location) << "the dialect has no op '" << name << "'";
    return nullptr;
  }
  OperationState state(location, *registered);
  llvm::SmallVector<int32_t> segments;
  for (const auto &group : operands) {
    state.addOperands(group);
    segments.push_back(static_cast<int32_t>(group.size()));
  }
  for (NamedAttribute attribute : attributes) {
    // Tables have enum attributes as strings.
    FailureOr<Attribute> value =
        pd::enumFromKeyword(location, name, attribute.getName(), attribute.getValue());
    if (failed(value))
      return nullptr;
    state.addAttribute(attribute.getName(), *value);
  }
  if (registered->hasTrait<OpTrait::AttrSizedOperandSegments>())
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));

  // The op's properties must exist before its result types can be inferred.
  DictionaryAttr dictionary = state.attributes.getDictionary(builder.getContext());
  llvm::SmallVector<char, 256> storage(registered->getOpPropertyByteSize() + alignof(std::max_align_t));
  void *aligned =
      reinterpret_cast<void *>(llvm::alignAddr(storage.data(), llvm::Align(alignof(std::max_align_t))));
  OpaqueProperties properties(aligned);
  bool hasProperties = registered->getOpPropertyByteSize() > 0;
  auto emit = [&] { return emitError(location); };
  if (hasProperties) {
    registered->initOpProperties(properties, OpaqueProperties(nullptr));
    if (failed(registered->setOpPropertiesFromAttribute(*registered, properties, dictionary, emit))) {
      return nullptr;
    }
  }
  auto *inference = registered->getInterface<InferTypeOpInterface>();
  llvm::SmallVector<Type> types;
  LogicalResult inferred =
      inference->inferReturnTypes(builder.getContext(), location, state.operands, dictionary,
                                  hasProperties ? properties : OpaqueProperties(nullptr), {}, types);
  if (hasProperties)
    registered->destroyOpProperties(properties);
  if (failed(inferred)) {
    return nullptr;
  }
  state.addTypes(types);
  Operation *created = builder.create(state);
  // The declarative constraints: operand types, attribute kinds.
  if (failed(created->getName().verifyInvariants(created))) {
    created->erase();
    return nullptr;
  }
  return created;
}

bool mayDependOnFeeds(llvm::ArrayRef<llvm::SmallVector<Value>> operands) {
  auto isOpen = [](Value operand) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    return type && (!type.hasStaticShape() || (type.getElementType().isIntOrIndex() && type.getRank() <= 1 &&
                                               !pd::allKnownElements(operand)));
  };
  return llvm::any_of(operands, [&](const auto &group) { return llvm::any_of(group, isOpen); });
}

Value buildFormula(OpBuilder &builder, Location location,
                   llvm::function_ref<Value(pd::TensorBuilder &)> formula) {
  Block *block = builder.getInsertionBlock();
  bool isFirst = builder.getInsertionPoint() == block->begin();
  Operation *before = isFirst ? nullptr : &*std::prev(builder.getInsertionPoint());
  OpBuilder detached(builder.getContext());
  OwningOpRef<Operation *> anchor =
      UnrealizedConversionCastOp::create(detached, location, TypeRange(), ValueRange()).getOperation();
  pd::TensorBuilder tensors(builder, *anchor);
  FailureOr<Value> value = pd::guarded([&]() -> FailureOr<Value> { return formula(tensors); });
  if (failed(value))
    return {};
  // The declarative constraints: operand types, attribute kinds.
  auto created = llvm::make_range(before ? std::next(before->getIterator()) : block->begin(),
                                  builder.getInsertionPoint());
  for (Operation &op : created)
    if (failed(op.getName().verifyInvariants(&op)))
      return {};
  return *value;
}

} // namespace proa::import
