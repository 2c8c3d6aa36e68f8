#include "dialects/rt/Rt.h"

#include "dialects/rt/Storage.h"
#include "dialects/rt/Wgmma.h"
#include "lib/base/support/UnknownOp.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/rt/RtDialect.cpp.inc"

#include "dialects/rt/PostOpKind.cpp.inc"

#include "dialects/rt/RtInterfaces.cpp.inc"

/// The number of a post-op's parameter.
static FailureOr<FloatAttr> parseNumber(AsmParser &parser) {
  double value = 0;
  if (parser.parseFloat(value))
    return failure();
  return parser.getBuilder().getF64FloatAttr(value);
}

#define GET_ATTRDEF_CLASSES
#include "dialects/rt/RtAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/rt/Rt.cpp.inc"

namespace proa::rt {

/// Attaches FusableOpInterface to the ops of pd that ops with post-ops extend.
template <class... Ops> static void attachFusable(MLIRContext &context) {
  auto attach = [&]<class Op>() {
    if constexpr (requires { Op::attachFusable(context); })
      Op::attachFusable(context);
  };
  (attach.template operator()<Ops>(), ...);
}

std::optional<Dialect::ParseOpHook> RtDialect::getParseOperationHook(StringRef) const {
  return reportUnknownOp;
}

void RtDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/rt/RtAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/rt/Rt.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/rt/Wgmma.cpp.inc"
      >();
  attachFusable<
#define GET_OP_LIST
#include "dialects/rt/Rt.cpp.inc"
      >(*getContext());
  attachStorageInterfaces(*getContext());
}

/// How many of alpha and beta a post-op has.
static unsigned parameterCount(PostOpKind kind) {
  switch (kind) {
  case PostOpKind::LeakyRelu:
  case PostOpKind::Relu6:
  case PostOpKind::Swish:
  case PostOpKind::Elu:
    return 1;
  case PostOpKind::Clip:
  case PostOpKind::HardSigmoid:
  case PostOpKind::Linear:
    return 2;
  default:
    return 0;
  }
}

LogicalResult PostOpAttr::verify(function_ref<InFlightDiagnostic()> emitError, PostOpKind kind,
                                 FloatAttr alpha, FloatAttr beta) {
  StringRef names[] = {"alpha", "beta"};
  FloatAttr values[] = {alpha, beta};
  for (auto [i, value] : llvm::enumerate(values)) {
    bool isExpected = i < parameterCount(kind);
    if (isExpected != static_cast<bool>(value))
      return emitError() << "post-op '" << stringifyPostOpKind(kind) << "' "
                         << (isExpected ? "needs" : "has no") << " parameter '" << names[i] << "'";
    if (value && !value.getValue().isFinite())
      return emitError() << "'" << names[i] << "' of post-op '" << stringifyPostOpKind(kind)
                         << "' is not finite";
  }
  return success();
}

bool PostOpAttr::hasOperand() const {
  return getKind() == PostOpKind::Bias || getKind() == PostOpKind::Add || getKind() == PostOpKind::Multiply;
}

Value accumulatorOf(ArrayAttr postOps, OperandRange extras) {
  size_t next = 0;
  for (auto postOp : postOps.getAsRange<PostOpAttr>()) {
    if (postOp.getKind() == PostOpKind::Add)
      return extras[next];
    next += postOp.hasOperand();
  }
  return Value();
}

LogicalResult FetchOp::verify() {
  auto future = dyn_cast<dist::FutureType>(getOut().getType());
  auto type = future ? future.getTensor() : cast<RankedTensorType>(getOut().getType());
  if (!type || !type.hasStaticShape())
    return emitOpError() << "C1: expected a tensor with static dims, found " << getOut().getType();
  return success();
}

ResultStorage WaitOp::getResultStorage() { return ResultStorage::Awaited; }

LogicalResult WaitOp::verify() {
  Operation *start = getFuture().getDefiningOp();
  if (!start || !isa<RtDialect>(start->getDialect()) || start->getBlock() != (*this)->getBlock() ||
      !getFuture().hasOneUse())
    return emitOpError() << "C1: expected the result of an op of rt in the same block, with no other use";
  Value operand = start->getNumOperands() == 0 ? Value() : start->getOperand(0);
  if (operand != getX())
    return emitOpError() << "C2: expected the operand of the op that was started";
  if (getOut().getType() != getFuture().getType().getTensor())
    return emitOpError() << "C3: the result has type " << getOut().getType() << ", expected "
                         << getFuture().getType().getTensor();
  return success();
}

LogicalResult verifyPostOps(Operation *operation) {
  auto op = cast<PostOpsOpInterface>(operation);
  OperandRange extras = op.getExtras();
  size_t next = 0;
  for (auto postOp : op.getPostOps().getAsRange<PostOpAttr>()) {
    if (!postOp.hasOperand())
      continue;
    if (size_t i = next++; postOp.getKind() == PostOpKind::Bias && i < extras.size())
      if (auto type = cast<RankedTensorType>(extras[i].getType()); type.getRank() != 1)
        return op.emitOpError() << "C1: a bias must have rank 1, found " << type;
  }
  if (next != extras.size())
    return op.emitOpError() << "C1: the post-ops read " << next << " extras, found " << extras.size();
  return success();
}

} // namespace proa::rt
