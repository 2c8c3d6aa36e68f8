//! Hooks of ops that take tensors apart, and of ranges.
#include "translator/import/LegacyTable.h"

#include "dialects/pd/Infer.h"

using namespace mlir;

namespace proa::import::hooks {

void importArraySlice(OpImporter &importer, Value array);

namespace {

/// A list of one-element tensors stacked, else the one tensor; empty where neither is there.
llvm::SmallVector<Value> indexOperand(OpImporter &importer, llvm::StringRef list, llvm::StringRef tensor) {
  if (llvm::SmallVector<Value> values = importer.inputs(list); !values.empty())
    return {importer.stackScalars(values)};
  if (Value value = importer.input(tensor))
    return {value};
  return {};
}

} // namespace

void importSlice(OpImporter &importer) {
  if (Value array = importer.array("Input"))
    return importArraySlice(importer, array);
  Builder &builder = importer.getBuilder();
  Value x = importer.requiredInput("Input");
  if (!x)
    return;
  auto ints = [&](llvm::StringRef name) {
    return importer.named(name, builder.getDenseI64ArrayAttr(importer.intsAttribute(name)));
  };
  llvm::SmallVector<NamedAttribute> attributes{ints("axes"), ints("starts"), ints("ends"), ints("strides")};
  Value slice = importer.createOne("pd.slice",
                                   {{x},
                                    indexOperand(importer, "StartsTensorList", "StartsTensor"),
                                    indexOperand(importer, "EndsTensorList", "EndsTensor"),
                                    indexOperand(importer, "StridesTensorList", "StridesTensor")},
                                   attributes);
  llvm::SmallVector<int64_t> dropped = importer.intsAttribute("decrease_axis");
  if (slice && !dropped.empty())
    slice = importer.createOne("pd.squeeze", {{slice}, {}},
                               {importer.named("axis", builder.getDenseI64ArrayAttr(dropped))});
  importer.setOutput("Out", slice);
}

void importUnbind(OpImporter &importer) {
  Builder &builder = importer.getBuilder();
  Value x = importer.requiredInput("X");
  // unbind calls its result Out, unstack Y; their number is nowhere else.
  llvm::StringRef slot = importer.legacyOp().output("Out") ? "Out" : "Y";
  const legacy::Slot *outputs = importer.legacyOp().output(std::string_view(slot));
  if (!x)
    return;
  if (!outputs) {
    importer.report("output '" + slot + "' is missing");
    return;
  }
  importer.setOutputs(
      slot,
      importer.create("pd.unbind", {{x}},
                      {importer.named("axis", builder.getI64IntegerAttr(importer.intAttribute("axis", 0))),
                       importer.named("num", builder.getI64IntegerAttr(outputs->arguments.size()))}));
}

void importRange(OpImporter &importer) {
  Value start = importer.requiredInput("Start"), end = importer.requiredInput("End"),
        step = importer.requiredInput("Step");
  if (!start || !end || !step)
    return;
  Type dtype = pd::tensorType(start).getElementType();
  importer.setOutput("Out", importer.createOne("pd.arange", {{start}, {end}, {step}},
                                               {importer.named("dtype", TypeAttr::get(dtype))}));
}

} // namespace proa::import::hooks
