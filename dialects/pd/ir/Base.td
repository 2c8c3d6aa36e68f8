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
include "dialects/pd/ir/Interfaces.td"

def Pd_Dialect : Dialect {
  let name = "pd";
  let cppNamespace = "::proa::pd";
  let summary = "Model ops of deep-learning programs";
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// Registers a family's ops; each family calls it from its own file, so that an edit of one recompiles only that one.
    template <class... Ops> void addFamily() { addOperations<Ops...>(); }
  }];
}

//===-- Types -----------------------------------------------------------------------------------------------------===//

def Pd_Bool : TypeAlias<I1, "bool">;
def Pd_Int : AnyTypeOf<[I8, UI8, I16, I32, I64], "integer">;
def Pd_Float : AnyTypeOf<[F8E4M3FN, F8E5M2, F16, BF16, F32, F64], "float">;
def Pd_Complex : AnyTypeOf<[Complex<F32>, Complex<F64>], "complex">;
def Pd_Element : AnyTypeOf<[I1, Pd_Int, Pd_Float, Pd_Complex], "element">;

def Pd_Tensor : RankedTensorOf<[Pd_Element], [], "tensor">;
def Pd_BoolTensor : RankedTensorOf<[I1], [], "bool tensor">;
def Pd_IntTensor : RankedTensorOf<[Pd_Int], [], "integer tensor">;
def Pd_FloatTensor : RankedTensorOf<[Pd_Float], [], "float tensor">;
def Pd_FloatOrComplexTensor : RankedTensorOf<[Pd_Float, Pd_Complex], [], "float or complex tensor">;
def Pd_RealTensor : RankedTensorOf<[Pd_Int, Pd_Float], [], "integer or float tensor">;
def Pd_NumberTensor : RankedTensorOf<[Pd_Int, Pd_Float, Pd_Complex], [], "number tensor">;
def Pd_BoolOrIntTensor : RankedTensorOf<[I1, Pd_Int], [], "bool or integer tensor">;

//===-- The legacy spelling of an op ------------------------------------------------------------------------------===//

// How a legacy op of the given type becomes this op.
//   inputs:  one entry an operand, in the order of the op's operands: slot names, tried in order, separated by '|'.
//            "Slot" one tensor; "Slot*" a list; "@attr" an attribute that holds variable names instead of a literal;
//            "<Slot" what the variable of an output slot holds before the op.
//            A list for an operand that is one tensor is stacked into a 1-D tensor (ShapeTensorList and the like).
//            "Slot@LOD" is the innermost LoD level of that slot's tensor, which must have one; "Slot@LOD?" may be absent;
//            "Slot*@LOD" those of a list (docs/architecture.md, "LoD").
//   outputs: one entry a result; "" where the legacy op has no such slot. "Slot@LOD" makes the result the one LoD level of
//            the slot's tensor, "A|B@LOD" of several.
//   attributes: "name" or "name=LegacyName", one entry for each attribute that the legacy op has under either name.
//            An absent one takes the default of the op's record. "name:long": Paddle stores 64 bits.
//   ignored: attributes, input slots and output slots that have no meaning here.
//   hook:    a function in translator/import/ that replaces the general way.
//   scratch: output slots that Paddle asks for and nothing reads but its gradient op.
class Legacy<string type, list<string> inputs_, list<string> outputs_, list<string> attributes_ = [],
             list<string> ignored_ = [], string hook_ = "", list<string> scratch_ = []> {
  string legacyType = type;
  list<string> inputs = inputs_;
  list<string> outputs = outputs_;
  list<string> attributes = attributes_;
  list<string> ignored = ignored_;
  string hook = hook_;
  list<string> scratch = scratch_;
  bit isWritten = 1;
}

// A spelling that programs are read with and not written: Paddle 2.6 does not have it, or not as this op says, or not on the
// CPU. The op is taken apart, or refused.
class LegacyReadOnly<string type, list<string> inputs_, list<string> outputs_, list<string> attributes_ = [],
                     list<string> ignored_ = [], string hook_ = "">
    : Legacy<type, inputs_, outputs_, attributes_, ignored_, hook_> {
  let isWritten = 0;
}

// How an op of Paddle's new IR becomes this op, where its operands, results or attributes are not those of the record in
// their order.
//   operands:   in the file's order: an operand's name, "#attribute" (a constant that becomes that attribute), or "" (ignored).
//   results:    in the file's order: a result's name, or "" where this op has none; empty: those of the record.
//   attributes: "name=NewIrName".
//   ignored:    attributes that have no meaning here.
//   name:       that of the op there, where it is not the record's: another spelling beside that one.
//   set:        attributes that hold, without the file saying so.
class NewIr<list<string> operands_, list<string> results_ = [], list<string> attributes_ = [], list<string> ignored_ = [],
            string name_ = "", list<string> set_ = []> {
  string name = name_;
  list<string> set = set_;
  list<string> operands = operands_;
  list<string> results = results_;
  list<string> attributes = attributes_;
  list<string> ignored = ignored_;
}

// Every element of every result is an element of some operand (no index, no fill value): reshape, slice, concat.
def Pd_MovesElements : NativeOpTrait<"MovesElements"> { let cppNamespace = "::proa::pd"; }

// Constraints that ops of many kinds have.
defvar SameTypeAsX = ["C1. out has the dimensions and the element type of x"];
defvar BroadcastAlike = [
  "C1. all operands have one element type, which out has",
  "C2. the dimensions of the operands broadcast, and out has what they broadcast to"
];

//===-- The base of every op --------------------------------------------------------------------------------------===//

// Each element of the result depends on one element of each operand, operands broadcast as in NumPy. Ops with the field
// `scalar` have it by that; formulas of one operand say it.
def Pd_Elementwise : NativeOpTrait<"ElementwiseTrait"> {
  let cppNamespace = "::proa::pd";
}

// Fields that make an op known to the compiler; each gives the op the interface that goes with it:
//   constraints    what inference and verifier demand beyond the types of operands and attributes: "C<number>. <text>", in rising
//                  order; messages name the number where ops of one kind share it. Every primitive has some (proa-tblgen checks it)
//   infer          name of a function in dialects/pd/ir/Infer.h that computes the result types from all operands and the
//                  adaptor, or "" where the op's family file defines inferReturnTypes itself
//   scalar         C++ expression on `b` and the operands' names: the elementwise function (ScalarOpInterface)
//   decomposition  C++ expression on `e`, the operands' names and `op`: the one result, of simpler ops
//                  (DecomposableOpInterface); decomposesInCode instead says that the family file defines decompose()
//   evaluates      the family file defines evaluate() (EvaluatableOpInterface)
//   reduction      name of a ReductionKind; the record has the attribute `axis` (ReductionOpInterface)
//   moves          the family file defines getSourceMap() (MovementOpInterface)
//   library        name of the runtime's library kernel (LibraryOpInterface); proa-tblgen generates the struct of its
//                  attributes and its row of the runtime's table (tools/proa-tblgen/LibraryKernels.cpp)
//   libraryHalf    whether that kernel takes and gives f16 and bf16 (dialects/pd/ir/LibraryTypes.h); one that does not
//                  computes in f32, with casts around the op
//   postOp         C++ expression on `op`, a PostOp: how the runtime fuses this activation (PostOpInterface)
//   derivatives    one C++ expression an operand: the partial derivative of the one result, for elementwise ops; the names of
//                  operands and of the result (`out`) may stand in it; "" where there is none (VjpOpInterface)
//   vjp            one C++ expression an operand: its gradient, where `d<result>` is the result's cotangent; broadcasts
//                  are undone by themselves; "" where there is none (VjpOpInterface)
//   vjpInCode      the family file defines vjp() (VjpOpInterface)
//   lod            which results of the legacy op have the LoD of its first tensor: "first" result (a list is one result),
//                  "all" of them, "rows": the first if it has as many rows, "outer": the first has all levels but the last,
//                  "none"
//   precision      how mixed precision computes it: "low", in 16 bits; "full", in float32 (on level O2 as if unlisted);
//                  "always full", on level O2 too; "follow", as its operands; "" for an op that is not listed: full on level
//                  O1, low on O2 (docs/autodiff.md, "Mixed precision")
//   sharding       how the op may be split over devices: the dimensions of its operands and results, "... i k, k j -> ... i j; sum k".
//                  Dimensions with one letter are split together; "*" is needed whole, "..." stands for any dimensions before
//                  the others; "; sum" lists those whose parts are added, "; replicated" those that are needed whole. Rules that
//                  depend on attributes are in dialects/pd/sharding/; those of elementwise ops, reductions, movements and
//                  composites follow from what the record says otherwise
//   pure           0 for ops with effects: random numbers, communication
//   legacy         legacy spellings
//   newIr          how Paddle's new IR spells it, where that differs from the record, and other ops of it that become this one
//   newIrGradients what gradient ops there are given, in order: "NAME_grad(x, out, dout) -> x": operands and results of NAME by
//                  their names in the record ("result 2" where it has none for one), cotangents with a d before the result's. If
//                  none is named, that of the first result follows, and the operands that are attributes in Paddle ("#axis",
//                  "shape_tensor" beside the attribute shape). Behind the arrow the operands whose gradients are the results,
//                  without it all that may hold floats. NAME_grad(all operands) holds without being written. NAME_double_grad or
//                  NAME_grad_grad is the gradient of NAME_grad, whose results are dx and dy, and NAME_triple_grad of that: they
//                  exist if they are written, and the cotangents of all results follow
//   newIrInPlace   "NAME_(out=x)": results and the operands whose memory the op NAME_ writes them to, where that is not x_out or
//                  out_x to x or in_x, or without such the first result to the first operand; "operand 1" for one without a name here; "NAME_()" for none
class Pd_Op<string mnemonic, list<Trait> t = []> : Op<Pd_Dialect, mnemonic, t> {
  list<string> constraints = [];
  string infer = "";
  string scalar = "";
  string decomposition = "";
  bit decomposesInCode = 0;
  bit evaluates = 0;
  string reduction = "";
  bit moves = 0;
  string library = "";
  bit libraryHalf = 0;
  string postOp = "";
  list<string> derivatives = [];
  list<string> vjp = [];
  bit vjpInCode = 0;
  string lod = "first";
  string precision = "";
  string sharding = "";
  bit pure = 1;
  list<Legacy> legacy = [];
  list<NewIr> newIr = [];
  list<string> newIrGradients = [];
  list<string> newIrInPlace = [];

  let traits = [Pd_DeclaredAttributesOnly] # t # !if(pure, [Pure], []<Trait>) # [InferTypeOpAdaptorWithIsCompatible]
    # !if(!empty(scalar), []<Trait>, [DeclareOpInterfaceMethods<ScalarOpInterface>, Pd_Elementwise])
    # !if(!and(!empty(decomposition), !not(decomposesInCode)), []<Trait>, [DeclareOpInterfaceMethods<DecomposableOpInterface>])
    # !if(evaluates, [DeclareOpInterfaceMethods<EvaluatableOpInterface>], []<Trait>)
    # !if(!empty(reduction), []<Trait>, [DeclareOpInterfaceMethods<ReductionOpInterface>])
    # !if(moves, [DeclareOpInterfaceMethods<MovementOpInterface>], []<Trait>)
    # !if(!empty(postOp), []<Trait>, [DeclareOpInterfaceMethods<PostOpInterface>])
    # !if(!and(!empty(derivatives), !empty(vjp), !not(vjpInCode)), []<Trait>, [DeclareOpInterfaceMethods<VjpOpInterface>])
    # !if(!empty(library), []<Trait>, [DeclareOpInterfaceMethods<LibraryOpInterface>]);

  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::proa::pd::compatibleTypes(inferred, given);
    }
  }];
}

// The folder of elementwise and other primitives on constants: the reference evaluator (Fold.cpp).
class Pd_FoldableOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let hasFolder = 1;
}

#endif
