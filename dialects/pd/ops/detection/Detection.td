// Classes that the records of this family share.
#ifndef PROA_DIALECTS_PD_DETECTION_DETECTION
#define PROA_DIALECTS_PD_DETECTION_DETECTION

include "dialects/pd/ir/Base.td"

class Flag<string value> : DefaultValuedAttr<BoolAttr, value>;
class Number<string value> : DefaultValuedAttr<F64Attr, value>;
class Count<string value> : DefaultValuedAttr<I64Attr, value>;

// A library op whose kernel has the op's name, and whose results have no LoD.
class Pd_DetectionOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let library = mnemonic;
  let lod = "none";
}

#endif
