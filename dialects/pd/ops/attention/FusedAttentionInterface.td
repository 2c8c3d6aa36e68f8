// Interface of pd.fused_attention and its gradients.
#ifndef PROA_DIALECTS_PD_NN_FUSED_ATTENTION_INTERFACE
#define PROA_DIALECTS_PD_NN_FUSED_ATTENTION_INTERFACE

include "mlir/IR/OpBase.td"

def FusedAttentionOpInterface : OpInterface<"FusedAttentionOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    What attention and its gradients have in common: the operands and attributes that give the scores. Permutations are
    read by `attentionDims`.
  }];
  let methods = [
    InterfaceMethod<"The queries.", "::mlir::Value", "getQ">,
    InterfaceMethod<"The keys.", "::mlir::Value", "getK">,
    InterfaceMethod<"The values.", "::mlir::Value", "getV">,
    InterfaceMethod<"The gradient of the result; null for attention itself.", "::mlir::Value", "getOutGrad", (ins),
      /*methodBody=*/"", [{ return {}; }]>,
    InterfaceMethod<"What is added to the scores, or a condition of i1 that selects them; null without it.",
      "::mlir::Value", "getMask">,
    InterfaceMethod<"What is added to the scores of a key; null without it.", "::mlir::Value", "getKeyMask">,
    InterfaceMethod<"The scores where a mask of i1 is false.", "::llvm::APFloat", "getMaskFill">,
    InterfaceMethod<"The numbers of keys of the batches; null: all.", "::mlir::Value", "getKeyLengths">,
    InterfaceMethod<"The key and number of the execution of dropout; null: none.", "::mlir::Value", "getDropoutCall">,
    InterfaceMethod<"The probability that dropout sets a weight to zero.", "::llvm::APFloat", "getDropoutP">,
    InterfaceMethod<"Where the weights begin in all weights of dropout; null: they are whole.", "::mlir::Value",
      "getPartBegin">,
    InterfaceMethod<"The dims of all weights of dropout; empty: the dims of the op.", "::llvm::ArrayRef<int64_t>",
      "getWholeShape">,
    InterfaceMethod<"When dropout scales.", "::proa::pd::DropoutMode", "getDropoutMode">,
    InterfaceMethod<"The factor of the products.", "::llvm::APFloat", "getScale">,
    InterfaceMethod<"The bound of the scores before the mask; 0: none.", "::llvm::APFloat", "getSoftCap">,
    InterfaceMethod<"Whether queries do not use later keys.", "bool", "getCausal">,
    InterfaceMethod<"The number of keys before its position that a query uses; negative: all.", "uint64_t",
      "getLeftWindow">,
    InterfaceMethod<"The number of keys after its position that a query uses; negative: all.", "uint64_t",
      "getRightWindow">,
    InterfaceMethod<"The dims of q.", "::llvm::ArrayRef<int64_t>", "getQPermutation">,
    InterfaceMethod<"The dims of k.", "::llvm::ArrayRef<int64_t>", "getKPermutation">,
    InterfaceMethod<"The dims of v.", "::llvm::ArrayRef<int64_t>", "getVPermutation">,
    InterfaceMethod<"The dims of the result, and of its gradient.", "::llvm::ArrayRef<int64_t>", "getOutPermutation">,
  ];
}

#endif
