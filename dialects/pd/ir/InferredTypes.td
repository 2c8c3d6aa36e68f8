// Inference of result types, which the verifier checks.
#ifndef PROA_DIALECTS_PD_INFERRED_TYPES
#define PROA_DIALECTS_PD_INFERRED_TYPES

include "mlir/Interfaces/InferTypeOpInterface.td"

// Reports why the types of an op cannot be inferred, or do not fit its results: one error with the name of the op.
def Pd_VerifiesInferredTypes : NativeOpTrait<"VerifiesInferredTypes"> {
  let cppNamespace = "::proa::pd";
}

// Inference with an adaptor of the operands, and this verifier. The verifier of InferTypeOpInterface, which calls
// refineReturnTypes, would infer the types again, and add an error without a reason.
def Pd_InferredTypes : TraitList<[Pd_VerifiesInferredTypes, InferTypeOpAdaptorBase<[{
  static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given);
  static ::llvm::LogicalResult refineReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location>,
                                                 ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
                                                 ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
    return ::llvm::success();
  }
}]>]>;

#endif
