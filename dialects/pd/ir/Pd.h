/// The pd dialect without its ops. The class of an op is in the header of its record (ops/math/UnaryOps.h,
/// ...) and of its family (ops/math/Math.h, ...).
#pragma once

#include "dialects/pd/builders/ScalarBuilder.h"
#include "dialects/pd/ir/AttributeNames.h"
#include "dialects/pd/ir/Guarded.h"
#include "dialects/pd/ir/InferredTypes.h"
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
/// Called by generated builders when type inference fails; see dialects/pd/ir/Guarded.h.
void proaInferenceFailed(OperationState &state);
} // namespace mlir::detail

namespace proa::pd {

/// Associative functions of reductions. Their neutral elements are 0, 1, -infinity, +infinity, true and
/// false.
enum class ReductionKind { Sum, Product, Maximum, Minimum, And, Or };

/// See Pd_Elementwise in Base.td.
template <class Op> class ElementwiseTrait : public mlir::OpTrait::TraitBase<Op, ElementwiseTrait> {};

/// An activation in the form of the runtime's post-ops; unused parameters are empty.
struct PostOp {
  const char *kind;
  std::optional<double> alpha, beta;
};

/// Trait of pure data movement: every element of every result is an element of an operand.
template <class ConcreteOp>
class MovesElements : public mlir::OpTrait::TraitBase<ConcreteOp, MovesElements> {};

/// Trait of ops whose results are the same for all examples of a batch (vmap), because dims and lengths of
/// arrays are.
template <class ConcreteOp>
class SameForAllExamples : public mlir::OpTrait::TraitBase<ConcreteOp, SameForAllExamples> {};

/// Whether each given type is compatible with the inferred one: equal element types, and equal dims where
/// both are static.
bool compatibleTypes(mlir::TypeRange inferred, mlir::TypeRange given);

/// Conversion between DType and element types. Complex64 is complex<f32>; unsigned integers are ui8, ...;
/// signed integers are signless. dtypeOf returns nothing for a type without a DType.
mlir::Type elementTypeOf(mlir::MLIRContext *context, DType dtype);
std::optional<DType> dtypeOf(mlir::Type elementType);

} // namespace proa::pd

#include "dialects/pd/ir/PdDialect.h.inc"

#include "dialects/pd/ir/PdInterfaces.h.inc"
