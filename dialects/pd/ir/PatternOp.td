// Ops of pd for patterns in PDLL: the records in a form that one run of mlir-pdll reads. proa-tblgen writes the ops.
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Pd_Dialect : Dialect {
  let name = "pd";
  let cppNamespace = "::proa::pd";
}

/// Optional operands are variadic. The types of results of an op that infers them may be omitted.
class Pd_PatternOp<string mnemonic, dag operands_, dag results_, bit infersTypes>
    : Op<Pd_Dialect, mnemonic, !if(infersTypes, [InferTypeOpInterface], [])> {
  let arguments = operands_;
  let results = results_;
}

