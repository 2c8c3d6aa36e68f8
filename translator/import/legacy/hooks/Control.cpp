//! Hooks of tensor arrays, and of ops that take both tensors and arrays.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/control/CheckOps.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// A bound of a slice of an array: a tensor, or the attribute.
Value bound(OpImporter &importer, llvm::StringRef list, llvm::StringRef tensor, llvm::StringRef attribute) {
  if (llvm::SmallVector<Value> values = importer.inputs(list); !values.empty())
    return values.front();
  if (Value value = importer.input(tensor))
    return value;
  llvm::SmallVector<int64_t> scalars = importer.intsAttribute(attribute);
  if (scalars.size() == 1)
    return importer.constantInts(scalars);
  importer.report("attribute '" + attribute + "' has " + llvm::Twine(scalars.size()) +
                  " numbers, a slice of a tensor array needs one");
  return {};
}

/// Gives Out the LoD of an element of the array.
void setElementLod(OpImporter &importer, llvm::StringRef slot, Value index) {
  if (importer.hasAmbiguousLod(slot))
    return importer.setOutputLodAmbiguous("Out");
  llvm::SmallVector<Value> levels = importer.lod(slot);
  for (Value &level : levels)
    level = importer.tensors().create<pd::ArrayReadOp>(level, index);
  if (!levels.empty())
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
    array = pd::ArrayCreateOp::create(importer.getBuilder(), importer.getLocation());
  ArrayLod before = importer.arrayLodBefore("Out");
  TensorBuilder &e = importer.tensors();
  importer.setOutput("Out", e.create<pd::ArrayWriteOp>(array, index, x));
  if (before.isAmbiguous || importer.hasAmbiguousLod("X"))
    return importer.setOutputLodAmbiguous("Out");
  llvm::SmallVector<Value> levels = importer.lod("X");
  if (before.isEmpty && before.levels.empty())
    for (size_t i = 0; i < levels.size(); ++i)
      before.levels.push_back(pd::ArrayCreateOp::create(importer.getBuilder(), importer.getLocation()));
  if (before.levels.size() != levels.size())
    return importer.setOutputLodAmbiguous("Out");
  for (auto [level, earlier] : llvm::zip(levels, before.levels))
    level = e.create<pd::ArrayWriteOp>(earlier, index, level);
  importer.setOutputLod("Out", levels);
}

/// A gradient op has X_W: the cotangent of an element without one is zero.
void importReadFromArray(OpImporter &importer) {
  Value like = importer.input("X_W");
  if (!like) {
    importer.importByTable();
    Value index = importer.input("I");
    return index ? setElementLod(importer, "X", index) : void();
  }
  Value array = importer.array("X"), index = importer.requiredInput("I");
  if (!array)
    return importer.report("input 'X' is not a tensor array");
  if (index)
    importer.setOutput(
        "Out", importer.tensors().create<pd::ArrayReadOrOp>(array, index, fullLike(importer.wrap(like), 0)));
}

/// Out is In. print_phase is the phase in which the op prints: forward, backward or both.
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
  auto flag = [&](llvm::StringRef name) { return importer.boolAttribute(name, true); };
  const legacy::Slot *slot = importer.inputSlot("In");
  bool isNamed = slot && !slot->arguments.empty() && flag("print_tensor_name");
  pd::PrintOp::create(importer.getBuilder(), importer.getLocation(), x, levels,
                      isNamed ? slot->arguments.front() : "", importer.stringAttribute("message", ""),
                      importer.intAttribute("first_n", -1), importer.intAttribute("summarize", 20),
                      flag("print_tensor_type"), flag("print_tensor_shape"), flag("print_tensor_layout"),
                      flag("print_tensor_lod"));
}

/// The sums of the elements of arrays. Tensors without elements count as zeros, whatever their dims.
void importSum(OpImporter &importer) {
  llvm::SmallVector<Value> arrays = importer.arrays("X");
  if (arrays.empty()) {
    llvm::SmallVector<Value> addends = importer.inputs("X"), filled;
    llvm::copy_if(addends, std::back_inserter(filled),
                  [](Value x) { return x && !llvm::is_contained(pd::tensorType(x).getShape(), 0); });
    if (!filled.empty() && filled.size() < addends.size())
      importer.overrideInputs("X", filled);
    return importer.importByTable();
  }
  Value sum = arrays.front();
  for (Value array : llvm::drop_begin(arrays))
    sum = importer.tensors().create<pd::ArrayAddOp>(sum, array);
  importer.setOutput("Out", sum);
}

/// Without dimensions to drop a slice of an array is an array, else one element.
void importArraySlice(OpImporter &importer, Value array) {
  Value start = bound(importer, "StartsTensorList", "StartsTensor", "starts");
  if (!start)
    return;
  if (!importer.intsAttribute("decrease_axis").empty())
    return importer.setOutput("Out", importer.tensors().create<pd::ArrayReadOp>(array, start));
  Value end = bound(importer, "EndsTensorList", "EndsTensor", "ends");
  if (!end)
    return;
  TensorBuilder &e = importer.tensors();
  importer.setOutput("Out", e.create<pd::ArraySliceOp>(array, start, end));
  if (importer.hasAmbiguousLod("Input"))
    return importer.setOutputLodAmbiguous("Out");
  llvm::SmallVector<Value> levels = importer.lod("Input");
  for (Value &level : levels)
    level = e.create<pd::ArraySliceOp>(level, start, end);
  importer.setOutputLod("Out", levels);
}

void importAssign(OpImporter &importer) {
  if (Value array = importer.array("X"))
    return importer.setOutput("Out", array);
  importer.importByTable();
}

} // namespace proa::import::hooks
