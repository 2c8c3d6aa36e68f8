// How ops of ONNX map to ops of the pd dialect, in both directions.
#ifndef PROA_DIALECTS_PD_ONNX
#define PROA_DIALECTS_PD_ONNX

// An op of ONNX, in the versions of the opsets `since` to `until` (0: the newest).
// All names are from ONNX's schema; "A|B" lists the names of different versions. A name may be an attribute in one
// version and an input in another (`axes` of Squeeze): the schema of the model's opset decides. Defaults are from
// the schema.
//   inputs:     one entry for each operand, in the order of the op's operands: the name of an input; "" where the ONNX
//               op has none. All values of a variadic input belong to a variadic operand.
//   outputs:    one entry for each result; "" where the ONNX op has none.
//   attributes: "name" or "name=OnnxName": an attribute of this op. Where ONNX has an input, an import needs its
//               elements to be known.
//   set:        "name=value": attributes of this op that the ONNX op implies. An export takes the mapping where the op
//               has these values.
//   ignored:    "NAME=VALUE": attributes of ONNX that this op lacks. An import refuses other values; "NAME=any": no
//               value changes the results. An export leaves them out, which means the default of ONNX.
//   hook:       function in translator/import/onnx/hooks that replaces the import by this table.
//   exportHook: function in translator/export/onnx/hooks that replaces the export by this table.
//   writtenIf:  C++ expression on `op` and `opset`: whether the ONNX op can express it; empty: always.
//   strings:    what the import does with tensors of strings, which are tensors of bytes
//               (translator/import/onnx/hooks/Strings.h): "": refuses them; "inHook": the hook takes or creates them;
//               "moved": the op only moves elements, so that it moves the indices of strings.
// An import refuses other inputs and attributes, unless the hook asks for them or they have their defaults.
class Onnx<string type, list<string> inputs_, list<string> outputs_, list<string> attributes_ = [],
           list<string> set_ = [], list<string> ignored_ = [], string hook_ = "", string exportHook_ = "",
           string writtenIf_ = "", int since_ = 1, int until_ = 0, string domain_ = "", bit isWritten_ = 1,
           string strings_ = ""> {
  string onnxType = type;
  string domain = domain_;
  list<string> inputs = inputs_;
  list<string> outputs = outputs_;
  list<string> attributes = attributes_;
  list<string> set = set_;
  list<string> ignored = ignored_;
  string hook = hook_;
  string exportHook = exportHook_;
  string writtenIf = writtenIf_;
  int since = since_;
  int until = until_;
  bit isWritten = isWritten_;
  string strings = strings_;
}

// Elementwise functions of one operand. Half of the schemas have other names than X and Y.
class OnnxUnary<string type, string input = "X", string output = "Y"> : Onnx<type, [input], [output]>;
class OnnxUnaryMath<string type> : OnnxUnary<type, "input", "output">;

// A mapping for the import only.
class OnnxReadOnly<string type, list<string> inputs_, list<string> outputs_, list<string> attributes_ = [],
                   list<string> set_ = [], list<string> ignored_ = [], string hook_ = "", int since_ = 1,
                   int until_ = 0, string domain_ = "", string strings_ = "">
    : Onnx<type, inputs_, outputs_, attributes_, set_, ignored_, hook_, "", "", since_, until_, domain_, 0, strings_>;

// A mapping for the export only: the hook writes nodes that compute this op.
class OnnxWritten<string exportHook_, string writtenIf_ = "">
    : Onnx<"", [], [], [], [], [], "", exportHook_, writtenIf_>;

// An op of ONNX that becomes several ops, which the hook makes. A record of its own (`def : OnnxFormula<...>`), in the
// file of the ops that it is nearest to. The hook asks for inputs and attributes by their names.
//   since, until, strings: as above; several records of one type have ranges that do not overlap.
class OnnxFormula<string type, string hook_, int since_ = 1, int until_ = 0, string domain_ = "",
                  string strings_ = ""> {
  string onnxType = type;
  string domain = domain_;
  string hook = hook_;
  int since = since_;
  int until = until_;
  string strings = strings_;
}

#endif
