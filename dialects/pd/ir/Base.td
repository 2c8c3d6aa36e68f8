// The pd dialect: model ops, named and defined as in PaddlePaddle's new IR, on immutable tensors.
#ifndef PROA_DIALECTS_PD_BASE
#define PROA_DIALECTS_PD_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/pd/ir/AttributeNames.td"
include "dialects/pd/ir/Dialect.td"
include "dialects/pd/ir/Enums.td"
include "dialects/pd/ir/Format.td"
include "dialects/pd/ir/ArrayReference.td"
include "dialects/pd/ir/ArrayVjp.td"
include "dialects/pd/ir/ElementInterface.td"
include "dialects/pd/ir/InferredTypes.td"
include "dialects/pd/ir/Interfaces.td"
include "dialects/pd/ir/Onnx.td"
include "dialects/pd/ir/SamplingInterface.td"

//===-- Types -----------------------------------------------------------------------------------------------------===//

def Pd_Bool : TypeAlias<I1, "bool">;
def Pd_Int : AnyTypeOf<[I8, UI8, I16, UI16, I32, UI32, I64, UI64], "integer">;
def Pd_Float : AnyTypeOf<[F8E4M3FN, F8E5M2, F16, BF16, F32, F64], "float">;
def Pd_Complex : AnyTypeOf<[Complex<F32>, Complex<F64>], "complex">;
def Pd_Element : AnyTypeOf<[I1, Pd_Int, Pd_Float, Pd_Complex], "element">;

def Pd_Tensor : RankedTensorOf<[Pd_Element], [], "ranked tensor">;
def Pd_BoolTensor : RankedTensorOf<[I1], [], "ranked bool tensor">;
def Pd_IntTensor : RankedTensorOf<[Pd_Int], [], "ranked integer tensor">;
def Pd_FloatTensor : RankedTensorOf<[Pd_Float], [], "ranked float tensor">;
def Pd_FloatOrComplexTensor : RankedTensorOf<[Pd_Float, Pd_Complex], [], "ranked float or complex tensor">;
def Pd_RealTensor : RankedTensorOf<[Pd_Int, Pd_Float], [], "ranked integer or float tensor">;
def Pd_NumberTensor : RankedTensorOf<[Pd_Int, Pd_Float, Pd_Complex], [], "ranked number tensor">;
def Pd_BoolOrIntTensor : RankedTensorOf<[I1, Pd_Int], [], "ranked bool or integer tensor">;

//===-- Legacy ops ------------------------------------------------------------------------------------------------===//

// A legacy op type, its slots and attributes.
//   inputs:  slot names, alternatives separated by '|' and tried in order.
//            "Slot" one tensor; "Slot*" a list; "@attr" an attribute that holds variable names instead of a literal;
//            "<Slot" the value that the variable of an output slot has before the op.
//            A list for an operand that is one tensor is stacked into a 1-D tensor (ShapeTensorList and the like).
//            "Slot@LOD" is the innermost LoD level of that slot's tensor, which must have one; "Slot@LOD?" may be
//            absent; "Slot*@LOD" are the levels of a list (docs/architecture.md, "LoD").
//   outputs: slot names. "Slot@LOD" makes the result the one LoD level of the slot's tensor, "A|B@LOD" of several.
//   ignored: attributes that the record lacks: "NAME=VALUE", where other values are refused (bools, numbers, strings;
//            "[]": an empty list), "NAME=any", where no value changes the results that the record has, "NAME=hook",
//            which the hook reads where it matters, or "NAME=fused" (import/legacy/FusedAttributes.h). "slot NAME": an
//            input or output slot without a meaning here, or that the hook reads.
//   hook:    a function in translator/import/legacy/hooks/ that replaces the import by this table.
// An import refuses other slots and attributes, unless the hook asks for them.
class LegacyType<string type, list<string> inputs_, list<string> outputs_, list<string> attributes_,
                 list<string> ignored_, string hook_> {
  string legacyType = type;
  list<string> inputs = inputs_;
  list<string> outputs = outputs_;
  list<string> attributes = attributes_;
  list<string> ignored = ignored_;
  string hook = hook_;
}

// How a legacy op type maps to this op.
//   inputs:     one entry for each operand, in the order of the op's operands.
//   outputs:    one entry for each result; "" where the legacy op has no such slot.
//   attributes: "name" or "name=LegacyName", one entry for each attribute that the legacy op has under either name.
//               An absent one takes the default of the op's record. "name:long": Paddle stores 64 bits.
//   scratch:    output slots that Paddle requires and only its gradient op reads.
//   constants:  "name=value": legacy attributes that have this value where the op is this one. An export writes them.
//               An import takes the mapping whose constants hold, if a legacy type has several, and refuses other
//               values, unless the attribute is also in `ignored` or the mapping has a hook, which reads them.
//   exportHook: a function in translator/export/ that replaces the export by this table.
//   writtenIf:  C++ expression on `op`: whether the legacy op can express it; empty: always.
class Legacy<string type, list<string> inputs_, list<string> outputs_, list<string> attributes_ = [],
             list<string> ignored_ = [], string hook_ = "", list<string> scratch_ = [], list<string> constants_ = [],
             string exportHook_ = "", string writtenIf_ = "">
    : LegacyType<type, inputs_, outputs_, attributes_, ignored_, hook_> {
  list<string> scratch = scratch_;
  list<string> constants = constants_;
  string exportHook = exportHook_;
  string writtenIf = writtenIf_;
  bit isWritten = 1;
}

// A mapping for the import only: Paddle 2.6 does not have the op on the CPU, or not in this form. The exporter
// decomposes this op, or refuses it.
class LegacyReadOnly<string type, list<string> inputs_, list<string> outputs_, list<string> attributes_ = [],
                     list<string> ignored_ = [], string hook_ = "">
    : Legacy<type, inputs_, outputs_, attributes_, ignored_, hook_> {
  let isWritten = 0;
}

// A legacy op type that becomes several ops, which the hook makes. A record of its own (`def : LegacyFormula<...>`), in
// the file of the ops that it is nearest to.
//   inputs:      a trailing '?' marks an optional slot.
//   attributes:  the attributes that the hook reads.
//   takesArrays: whether the inputs may be tensor arrays.
class LegacyFormula<string type, list<string> inputs_, list<string> outputs_, list<string> attributes_,
                    list<string> ignored_, string hook_, bit takesArrays_ = 0>
    : LegacyType<type, inputs_, outputs_, attributes_, ignored_, hook_> {
  bit takesArrays = takesArrays_;
}

// Mapping of an op of Paddle's new IR to this op, if operands, results or attributes differ from the record.
//   operands:   in the file's order: an operand's name, "#attribute" (a constant that becomes that attribute),
//               "unused NAME" (its value is irrelevant), or "absent NAME" (refused if it is given).
//   results:    in the file's order: a result's name, or "" if this op has none; empty: the results of the record.
//   attributes: "name=NewIrName".
//   ignored:    attributes that the record lacks: "NAME=VALUE", where other values are refused (bools, numbers,
//               strings; "[]": an empty list), or "NAME=any", where no value changes the results that the record has.
//               With "NAME=axis" the value true means that all axes are reduced: `axis` is empty.
//   name:       name of the op in the new IR, if it differs from the record's. It is an additional name.
//   set:        attributes that are implied and not in the file.
class NewIr<list<string> operands_, list<string> results_ = [], list<string> attributes_ = [],
            list<string> ignored_ = [], string name_ = "", list<string> set_ = []> {
  string name = name_;
  list<string> set = set_;
  list<string> operands = operands_;
  list<string> results = results_;
  list<string> attributes = attributes_;
  list<string> ignored = ignored_;
}

// Pure data movement: every element of every result is an element of an operand (reshape, slice, concat).
def Pd_MovesElements : NativeOpTrait<"MovesElements"> { let cppNamespace = "::proa::pd"; }

// The results are the same for all examples of a batch: they depend on dims and lengths of arrays, or hold for the
// example that needs most.
def Pd_SameForAllExamples : NativeOpTrait<"SameForAllExamples"> { let cppNamespace = "::proa::pd"; }

// Constraints that many ops share.
defvar SameTypeAsX = ["C1. out has the dimensions and the element type of x"];
defvar BroadcastAlike = [
  "C1. all operands and out have the same element type",
  "C2. the dimensions of the operands broadcast to the dimensions of out"
];

//===-- The base of every op --------------------------------------------------------------------------------------===//

// Each element of the result depends on one element of each operand, with operands broadcast as in NumPy. The field
// `scalar` implies it; composites with one operand declare it.
def Pd_Elementwise : NativeOpTrait<"ElementwiseTrait"> {
  let cppNamespace = "::proa::pd";
}

// Fields of an op; a field in parentheses gives the op that interface:
//   constraints    conditions of inference and verifier beyond the types of operands and attributes: "C<number>.
//                  <text>", in ascending order; messages cite the number. Every primitive has at least one
//                  (proa-tblgen checks it)
//   infer          function in dialects/pd/ir/Infer.h that infers the result types; "": the family's file defines
//                  inferReturnTypes
//   scalar         C++ expression on `b` and the operands' names: the elementwise function (ScalarOpInterface)
//   decomposition  C++ expression on `e`, the operands' names and `op`: the only result, by simpler ops
//                  (DecomposableOpInterface); decomposesInCode: the family's file defines decompose()
//   evaluates      the family's file defines evaluate() (EvaluatableOpInterface)
//   reduction      name of a ReductionKind; the record has the attribute `axis` (ReductionOpInterface)
//   indexingMap    the family's file defines getIndexingMap() (IndexingMapOpInterface)
//   element        the family's folder defines whyNoElement(), buildDim() and buildElement() (ElementOpInterface); its
//                  header includes ir/ElementInterface.h
//   library        name of the runtime's library kernel (LibraryOpInterface); proa-tblgen generates the struct of its
//                  attributes and its row of the runtime's table (tools/proa-tblgen/LibraryKernels.cpp)
//   libraryHalf    whether that kernel takes and returns f16 and bf16 (dialects/pd/ir/LibraryTypes.h); otherwise
//                  casts to f32 are put around the op
//   cudaLibrary    the library of CUDA that computes the op on a device: "cublaslt", "cudnn", "cufft", "cusolver" or
//                  "nccl" (lib/runtime/cuda/DeviceLibraries.h); "": none, and unless kernels for the GPU compute the op
//                  (KernelGroups.h), it runs on the host
//   postOp         C++ expression on `op`, a PostOp: how the runtime fuses this activation (PostOpInterface)
//   derivatives    for elementwise ops, one C++ expression for each operand: the partial derivative of the only
//                  result. It may use the names of operands and the result (`out`); "": no derivative
//                  (VjpOpInterface)
//   vjp            one C++ expression for each operand: its gradient, where `d<result>` is the result's cotangent.
//                  Sums over broadcast dimensions are added; "": no gradient (VjpOpInterface)
//   vjpInCode      the family's file defines vjp() (VjpOpInterface)
//   linear         groups of operands in which the op is linear (LinearOpInterface): ["x"]; ["x", "y"]: linear in each
//                  while the other stays fixed; ["x, y"]: linear in both together. ["inCode"]: it depends on
//                  attributes, and the family's folder defines getLinearGroups()
//   differentiable 0 for a library op without a rule for its derivative: differentiating it is an error. A library op
//                  that has neither this nor a rule has derivative 0 by its types (proa-tblgen checks it)
//   batching       how the op runs on a batch of examples (BatchableOpInterface): a function of namespace proa::pd with
//                  the rule (dialects/pd/autodiff/BatchingRules.h); "inCode": the family's folder defines batch().
//                  A pure library op without a rule states what happens: "unbatched": one example at a time;
//                  "refused": an error, because the dims of its results depend on data, or it has effects
//   referenceInCode the family's folder defines computeReference() (ReferenceOpInterface): the results of a library op
//                  in plain loops, which proa-check --reference compares the kernel with
//   arrayReferenceInCode the family's folder defines computeOnArrays() (ArrayReferenceOpInterface): the same for an op
//                  with tensor arrays
//   lod            which results of the legacy op have the LoD of its first tensor: "first": the first result (a list
//                  is one result); "all"; "rows": the first, if it has the same number of rows; "outer": the first,
//                  without the innermost level; "none"
//   precision      list of mixed precision: "low": in 16 bits; "full": in float32 on level O1, as unlisted on O2;
//                  "always full": in float32 on both levels; "follow": as its operands; "": not listed, full on O1
//                  and low on O2 (docs/training.md, "Mixed precision")
//   sharding       how the op may be split over devices: the dimensions of its operands and results, "... i k, k j ->
//                  ... i j; sum k". Dimensions with the same letter are split together; "*" is not split, "..." means
//                  any leading dimensions; "; sum" lists the dimensions whose terms are added, "; replicated" those
//                  that are not split. "inCode": the rule depends on attributes, and the family's folder defines
//                  describeSharding() (ShardableOpInterface). "whole: REASON": it cannot be split. Rules of
//                  elementwise ops, reductions, data movement and composites follow from the other fields
//   samples        for a library op that samples, a C++ expression on `op`: the places that an execution takes in the
//                  sequence of the model's seed, 0 with a seed of its own (SamplingOpInterface); its header includes
//                  ir/SamplingInterface.h
//   pure           0 for ops with effects: random numbers, communication
//   legacy         mappings of legacy ops
//   newIr          mappings of ops of Paddle's new IR that differ from the record
//   newIrGradients operands of gradient ops of the new IR, in order: "NAME_grad(x, out, dout) -> x". Operands and
//                  results of NAME have their names in the record ("result 2" for one that the record lacks),
//                  cotangents a d before the name. If no cotangent is listed, the cotangent of the first result
//                  follows, and then the operands that are attributes in Paddle ("#axis", "shape_tensor" beside the
//                  attribute shape). After the arrow: the operands whose gradients are the results; without an arrow
//                  all that may hold floats. Default: NAME_grad(all operands). NAME_double_grad or NAME_grad_grad is
//                  the gradient of NAME_grad, whose results are dx and dy; NAME_triple_grad is the next. These exist
//                  only if listed, and the cotangents of all results follow
//   newIrInPlace   "NAME_(out=x)": the results of the in-place op NAME_ and the operands that they overwrite.
//                  Default: x_out or out_x overwrites x or in_x; without such names the first result overwrites the
//                  first operand. "operand 1": an operand that the record lacks; "NAME_()": none
//   onnx           mappings of ops of ONNX (dialects/pd/ir/Onnx.td). An export takes the first one that it can
class Pd_Op<string mnemonic, list<Trait> t = []> : Op<Pd_Dialect, mnemonic, t> {
  list<string> constraints = [];
  string infer = "";
  string scalar = "";
  string decomposition = "";
  bit decomposesInCode = 0;
  bit evaluates = 0;
  string reduction = "";
  bit indexingMap = 0;
  bit element = 0;
  string library = "";
  bit libraryHalf = 0;
  string cudaLibrary = "";
  string postOp = "";
  list<string> derivatives = [];
  list<string> vjp = [];
  bit vjpInCode = 0;
  list<string> linear = [];
  bit differentiable = 1;
  string batching = "";
  bit referenceInCode = 0;
  bit arrayReferenceInCode = 0;
  string lod = "first";
  string precision = "";
  string sharding = "";
  string samples = "";
  bit pure = 1;
  list<Legacy> legacy = [];
  list<NewIr> newIr = [];
  list<string> newIrGradients = [];
  list<string> newIrInPlace = [];
  list<Onnx> onnx = [];

  let traits = [Pd_DeclaredAttributesOnly] # t # !if(pure, [Pure], []<Trait>) # [Pd_InferredTypes]
    # !if(!empty(scalar), []<Trait>, [DeclareOpInterfaceMethods<ScalarOpInterface>, Pd_Elementwise])
    # !if(!and(!empty(decomposition), !not(decomposesInCode)), []<Trait>,
          [DeclareOpInterfaceMethods<DecomposableOpInterface>])
    # !if(evaluates, [DeclareOpInterfaceMethods<EvaluatableOpInterface>], []<Trait>)
    # !if(!empty(reduction), []<Trait>, [DeclareOpInterfaceMethods<ReductionOpInterface>])
    # !if(indexingMap, [DeclareOpInterfaceMethods<IndexingMapOpInterface>], []<Trait>)
    # !if(element, [DeclareOpInterfaceMethods<ElementOpInterface>], []<Trait>)
    # !if(!empty(postOp), []<Trait>, [DeclareOpInterfaceMethods<PostOpInterface>])
    # !if(!and(!empty(derivatives), !empty(vjp), !not(vjpInCode)), []<Trait>,
          [DeclareOpInterfaceMethods<VjpOpInterface>])
    # !if(!empty(linear), []<Trait>, [DeclareOpInterfaceMethods<LinearOpInterface>])
    # !if(!or(!empty(batching), !eq(batching, "unbatched"), !eq(batching, "refused")), []<Trait>,
          [DeclareOpInterfaceMethods<BatchableOpInterface>])
    # !if(!eq(sharding, "inCode"), [DeclareOpInterfaceMethods<ShardableOpInterface>], []<Trait>)
    # !if(!empty(samples), []<Trait>, [DeclareOpInterfaceMethods<SamplingOpInterface>])
    # !if(referenceInCode, [DeclareOpInterfaceMethods<ReferenceOpInterface>], []<Trait>)
    # !if(arrayReferenceInCode, [DeclareOpInterfaceMethods<ArrayReferenceOpInterface>], []<Trait>)
    # !if(!empty(library), []<Trait>, [DeclareOpInterfaceMethods<LibraryOpInterface>]);

  // How operands are written; by default in order, with optional ones named.
  string operandFormat = Pd_Format<arguments>.operandText;
  let assemblyFormat = operandFormat # Pd_Format<arguments>.enumText
    # " attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::proa::pd::compatibleTypes(inferred, given);
    }
  }];
}

// An op whose constants the reference evaluator folds (dialects/pd/reference/Evaluate.cpp).
class Pd_FoldableOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let hasFolder = 1;
}

#endif
