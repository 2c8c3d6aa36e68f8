//! Hooks of tensor arrays, and of ops that take tensors and arrays alike.
#include "dialects/pd/ir/Types.h"
#include "translator/import/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// A bound of a slice of an array: a tensor, or the attribute.
Value bound(OpImporter &importer, llvm::StringRef list, llvm::StringRef tensor, llvm::StringRef attribute) {
  if (llvm::SmallVector<Value> values = importer.inputs(list); !values.empty())
    return values.front();
  if (Value value = importer.input(tensor))
    return value;
  llvm::SmallVector<int64_t> numbers = importer.intsAttribute(attribute);
  if (numbers.size() == 1)
    return importer.constantInts(numbers);
  importer.report("attribute '" + attribute + "' has " + llvm::Twine(numbers.size()) +
                  " numbers, a slice of a tensor array needs one");
  return {};
}

/// Gives Out the LoD of an element of the array.
void setElementLod(OpImporter &importer, llvm::StringRef slot, Value index) {
  if (importer.hasUnclearLod(slot))
    return importer.setOutputLodUnclear("Out");
  llvm::SmallVector<Value> levels = importer.lod(slot);
  for (Value &level : levels)
    level = importer.createOne("pd.array_read", {{level}, {index}});
  if (!levels.empty() && !llvm::is_contained(levels, Value()))
    importer.setOutputLod("Out", levels);
}

} // namespace

/// The variable is changed in place: the array after the op is a new value. The first write makes the array.
void importWriteToArray(OpImporter &importer) {
  Value array = importer.valueBefore("Out"), index = importer.requiredInput("I"),
        x = importer.requiredInput("X");
  if (!index || !x)
    return;
  if (!array || !isa<pd::ArrayType>(array.getType()))
    array = importer.createOne("pd.array_create", {});
  ArrayLod before = importer.arrayLodBefore("Out");
  importer.setOutput("Out", importer.createOne("pd.array_write", {{array}, {index}, {x}}));
  if (before.isUnclear || importer.hasUnclearLod("X"))
    return importer.setOutputLodUnclear("Out");
  llvm::SmallVector<Value> levels = importer.lod("X");
  if (before.isEmpty && before.levels.empty())
    for (size_t i = 0; i < levels.size(); ++i)
      before.levels.push_back(importer.createOne("pd.array_create", {}));
  if (before.levels.size() != levels.size())
    return importer.setOutputLodUnclear("Out");
  for (auto [level, earlier] : llvm::zip(levels, before.levels))
    level = importer.createOne("pd.array_write", {{earlier}, {index}, {level}});
  importer.setOutputLod("Out", levels);
}

/// X_W is given where the op is a gradient: of an element that has no cotangent that is zero.
void importReadFromArray(OpImporter &importer) {
  Value like = importer.input("X_W");
  if (!like) {
    importer.importByTable();
    Value index = importer.input("I");
    return index ? setElementLod(importer, "X", index) : void();
  }
  Value array = importer.array("X"), index = importer.requiredInput("I");
  if (!array)
    return importer.report("input 'X' is no tensor array");
  Value zeros = importer.createOne("pd.full_like", {{like}, {}},
                                   {importer.named("value", importer.getBuilder().getF64FloatAttr(0))});
  if (index && zeros)
    importer.setOutput("Out", importer.createOne("pd.array_read_or", {{array}, {index}, {zeros}}));
}

/// Gives its input on. print_phase says whether the op is to be seen forward, in the gradient, or in both.
void importPrint(OpImporter &importer) {
  Value x = importer.requiredInput("In");
  if (!x)
    return;
  importer.setOutput("Out", x);
  llvm::SmallVector<Value> levels = importer.lod("In");
  if (!levels.empty() && importer.outputSlot("Out"))
    importer.setOutputLod("Out", levels);
  std::string phase = importer.stringAttribute("print_phase", "BOTH");
  llvm::StringRef hidden = importer.boolAttribute("is_forward", true) ? "BACKWARD" : "FORWARD";
  if (llvm::StringRef(phase).equals_insensitive(hidden))
    return;
  Builder &builder = importer.getBuilder();
  llvm::SmallVector<NamedAttribute> attributes{
      importer.named("message", builder.getStringAttr(importer.stringAttribute("message", ""))),
      importer.named("first_n", builder.getI64IntegerAttr(importer.intAttribute("first_n", -1))),
      importer.named("summarize", builder.getI64IntegerAttr(importer.intAttribute("summarize", 20)))};
  for (llvm::StringRef name :
       {"print_tensor_type", "print_tensor_shape", "print_tensor_layout", "print_tensor_lod"})
    attributes.push_back(importer.named(name, builder.getBoolAttr(importer.boolAttribute(name, true))));
  const legacy::Slot *slot = importer.inputSlot("In");
  if (slot && !slot->arguments.empty() && importer.boolAttribute("print_tensor_name", true))
    attributes.push_back(importer.named("name", builder.getStringAttr(slot->arguments.front())));
  importer.create("pd.print", {{x}, levels}, attributes);
}

/// Of arrays the sums of their elements. Tensors without elements count as zeros, whatever their dims.
void importSum(OpImporter &importer) {
  llvm::SmallVector<Value> arrays = importer.arrays("X");
  if (arrays.empty()) {
    llvm::SmallVector<Value> summands = importer.inputs("X"), filled;
    llvm::copy_if(summands, std::back_inserter(filled),
                  [](Value x) { return x && !llvm::is_contained(pd::tensorType(x).getShape(), 0); });
    if (!filled.empty() && filled.size() < summands.size())
      importer.overrideInputs("X", filled);
    return importer.importByTable();
  }
  Value sum = arrays.front();
  for (Value array : llvm::drop_begin(arrays))
    if (!(sum = importer.createOne("pd.array_add", {{sum}, {array}})))
      return;
  importer.setOutput("Out", sum);
}

/// Without dimensions to drop a slice of an array is an array, else one element.
void importArraySlice(OpImporter &importer, Value array) {
  Value start = bound(importer, "StartsTensorList", "StartsTensor", "starts");
  if (!start)
    return;
  if (!importer.intsAttribute("decrease_axis").empty())
    return importer.setOutput("Out", importer.createOne("pd.array_read", {{array}, {start}}));
  Value end = bound(importer, "EndsTensorList", "EndsTensor", "ends");
  if (!end)
    return;
  importer.setOutput("Out", importer.createOne("pd.array_slice", {{array}, {start}, {end}}));
  if (importer.hasUnclearLod("Input"))
    return importer.setOutputLodUnclear("Out");
  llvm::SmallVector<Value> levels = importer.lod("Input");
  for (Value &level : levels)
    level = importer.createOne("pd.array_slice", {{level}, {start}, {end}});
  importer.setOutputLod("Out", levels);
}

void importAssign(OpImporter &importer) {
  if (Value array = importer.array("X"))
    return importer.setOutput("Out", array);
  importer.importByTable();
}

} // namespace proa::import::hooks
