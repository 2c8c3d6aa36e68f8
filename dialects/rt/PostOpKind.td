// The kinds of post-ops. A file of its own: mlir-tblgen generates all enums of a file and of its includes.
#ifndef PROA_DIALECTS_RT_POST_OP_KIND
#define PROA_DIALECTS_RT_POST_OP_KIND

include "mlir/IR/EnumAttr.td"

// The first three read the next of the op's `extras`; the others are activations, by the name that pd::PostOp has.
def Rt_PostOpKind : I32Enum<"PostOpKind", "kind of a post-op", [
    I32EnumCase<"Bias", 0, "bias">, I32EnumCase<"Add", 1, "add">, I32EnumCase<"Multiply", 2, "multiply">,
    I32EnumCase<"Relu", 3, "relu">, I32EnumCase<"LeakyRelu", 4, "leaky_relu">, I32EnumCase<"Relu6", 5, "relu6">,
    I32EnumCase<"Clip", 6, "clip">, I32EnumCase<"GeluErf", 7, "gelu_erf">, I32EnumCase<"GeluTanh", 8, "gelu_tanh">,
    I32EnumCase<"Sigmoid", 9, "sigmoid">, I32EnumCase<"Tanh", 10, "tanh">, I32EnumCase<"Swish", 11, "swish">,
    I32EnumCase<"HardSwish", 12, "hardswish">, I32EnumCase<"HardSigmoid", 13, "hardsigmoid">,
    I32EnumCase<"Elu", 14, "elu">, I32EnumCase<"Mish", 15, "mish">, I32EnumCase<"Exp", 16, "exp">,
    I32EnumCase<"Abs", 17, "abs">, I32EnumCase<"Square", 18, "square">, I32EnumCase<"Sqrt", 19, "sqrt">,
    I32EnumCase<"Linear", 20, "linear">]> {
  let cppNamespace = "::proa::rt";
}

#endif
