//! Tensor arrays of the new IR.
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "translator/import/newir/GradientTable.h"

#include <limits>

using namespace mlir;

namespace proa::import {

int64_t ModelImporter::arrayOf(int64_t id) const {
  auto found = arrays.find(id);
  return found == arrays.end() ? id : found->second;
}

void ModelImporter::importCreateArray(const newir::Operation &op) {
  define(op, 0, {pd::ArrayCreateOp::create(builder, location())});
  if (!op.outputs.empty()) {
    arrays[op.outputs[0].id] = op.outputs[0].id;
    arrayTypes[op.outputs[0].id] = arrayTypeOf(op.outputs[0].type);
  }
}

Type ModelImporter::arrayTypeOf(const newir::Type &type) {
  llvm::SmallVector<int64_t> dims(type.dims.size(), ShapedType::kDynamic);
  return type.kind == newir::Type::Kind::Array
             ? pd::ArrayType::get(&context,
                                  RankedTensorType::get(dims, pd::elementTypeOf(&context, type.dtype)))
             : pd::ArrayType::get(&context, RankedTensorType());
}

void ModelImporter::importArrayWrite(const newir::Operation &op) {
  if (op.inputs.size() != 3)
    return report(llvm::Twine(op.inputs.size()) + " operands, expected an array, a tensor and an index");
  int64_t array = arrayOf(op.inputs[0]);
  Values before = operand(array), x = operand(op.inputs[1]), index = operand(op.inputs[2]);
  if (isBlocked || before.empty() || x.empty() || index.empty())
    return;
  Value after =
      build([&](pd::TensorBuilder &e) { return e.create<pd::ArrayWriteOp>(before[0], index[0], x[0]); });
  if (!after)
    return;
  values[array] = {after};
  if (!op.outputs.empty())
    arrays[op.outputs[0].id] = array;
}

void ModelImporter::importArraySlice(const newir::Operation &op) {
  bool isElement = op.name == "1.slice_array_dense";
  if (op.inputs.size() != (isElement ? 2U : 3U))
    return report(llvm::Twine(op.inputs.size()) + " operands, expected " + llvm::Twine(isElement ? 2 : 3));
  Values operands;
  for (int64_t id : op.inputs) {
    Values values = operand(id);
    if (values.size() != 1)
      return isBlocked ? void() : report("a list of values, expected an array and its bounds");
    operands.push_back(values[0]);
  }
  Value out = build([&](pd::TensorBuilder &e) {
    return isElement ? e.create<pd::ArrayReadOp>(operands[0], operands[1])
                     : e.create<pd::ArraySliceOp>(operands[0], operands[1], operands[2]);
  });
  if (!out)
    return;
  define(op, 0, {out});
  if (!isElement && !op.outputs.empty()) {
    arrays[op.outputs[0].id] = op.outputs[0].id;
    arrayTypes[op.outputs[0].id] = arrayTypeOf(op.outputs[0].type);
  }
}

void ModelImporter::importArrayPop(const newir::Operation &op) {
  if (op.inputs.size() != 1)
    return report(llvm::Twine(op.inputs.size()) + " operands, expected an array");
  int64_t array = arrayOf(op.inputs[0]), index = integer(op, "index", -1);
  Values before = operand(array);
  if (isBlocked || before.empty())
    return;
  Value element =
      build([&](pd::TensorBuilder &e) { return e.create<pd::ArrayReadOp>(before[0], integers({index})); });
  Value rest = build([&](pd::TensorBuilder &e) {
    Value first = e.create<pd::ArraySliceOp>(before[0], integers({0}), integers({index}));
    if (index == -1) // the last element has no successor
      return first;
    Value last = e.create<pd::ArraySliceOp>(before[0], integers({index + 1}),
                                            integers({std::numeric_limits<int32_t>::max()}));
    return e.create<pd::ArrayConcatOp>(first, last);
  });
  if (!element || !rest)
    return;
  values[array] = {rest};
  if (!op.outputs.empty())
    arrays[op.outputs[0].id] = array;
  define(op, 1, {element});
}

void ModelImporter::findWritten(const newir::Block &block, std::set<int64_t> &written) const {
  for (const newir::Operation &op : block.operations) {
    bool changesArray = op.name == "1.array_write_" || op.name == "1.array_pop";
    if (changesArray && !op.inputs.empty())
      if (auto found = arrays.find(op.inputs[0]); found != arrays.end())
        written.insert(found->second);
    llvm::StringRef name = op.name;
    if (!changesArray && name.consume_front("1."))
      for (auto [result, operand] : inPlacePairs(name))
        if (auto outside = operand < op.inputs.size() ? values.find(op.inputs[operand]) : values.end();
            outside != values.end() && outside->second.size() == 1 &&
            isa<RankedTensorType>(outside->second[0].getType()))
          written.insert(outside->first);
    for (const std::vector<newir::Block> &region : op.regions)
      for (const newir::Block &inner : region)
        findWritten(inner, written);
  }
}

Type ModelImporter::writtenType(int64_t id) {
  auto found = arrayTypes.find(id);
  return found == arrayTypes.end() ? values[id][0].getType() : found->second;
}

void ModelImporter::defineWritten(const std::set<int64_t> &written, ValueRange results) {
  for (auto [id, value] : llvm::zip(written, results)) {
    values[id] = {value};
    if (auto variable = variableOf.find(id);
        variable != variableOf.end() && builder.getInsertionBlock() == &function.getBody().front())
      states[variable->second] = value;
  }
}

} // namespace proa::import
