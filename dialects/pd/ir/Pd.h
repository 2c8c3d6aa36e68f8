/// The pd dialect: what every family's header and every pass on pd includes. An op's class is in its family's
/// header (ops/math/Math.h, ops/shape/Shape.h, ...).
#pragma once

#include "dialects/pd/builders/ScalarBuilder.h"
#include "dialects/pd/ir/AttributeNames.h"
#include "dialects/pd/ir/TransformTypes.h"
#include "dialects/pd/reference/HostScalar.h"
#include "proa/Tensor.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::detail {
/// What generated builders call where a type can't be inferred; see dialects/pd/ir/Guarded.h.
void proaInferenceFailed(OperationState &state);
} // namespace mlir::detail

namespace proa::pd {

/// The associative functions of reductions, with neutral elements 0, 1, -infinity, +infinity, true and false.
enum class ReductionKind { Sum, Product, Maximum, Minimum, And, Or };

/// See Pd_Elementwise in Base.td.
template <class Op> class ElementwiseTrait : public mlir::OpTrait::TraitBase<Op, ElementwiseTrait> {};

/// An activation as the runtime's post-ops spell it; parameters that it does not have are empty.
struct PostOp {
  const char *kind;
  std::optional<double> alpha, beta;
};

/// Trait of ops each element of whose results is an element of some operand.
template <class ConcreteOp>
class MovesElements : public mlir::OpTrait::TraitBase<ConcreteOp, MovesElements> {};

/// Whether a type that was given may stand for one that was inferred: equal element types, equal dims where
/// both are known.
bool compatibleTypes(mlir::TypeRange inferred, mlir::TypeRange given);

/// The element type in IR, and back. Complex64 is complex<f32>; unsigned integers are ui8 and so on, signed
/// ones signless.
mlir::Type elementTypeOf(mlir::MLIRContext *context, DType dtype);
std::optional<DType> dtypeOf(mlir::Type elementType);

} // namespace proa::pd

#include "dialects/pd/ir/PdDialect.h.inc"

#include "dialects/pd/ir/PdInterfaces.h.inc"
