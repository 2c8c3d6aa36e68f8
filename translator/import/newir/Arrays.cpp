//! Tensor arrays of the new IR.
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/Types.h"
#include "dialects/pd/control/ArrayOps.h"

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
  Value after = make("pd.array_write", {before, index, x});
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
  llvm::SmallVector<Values> operands;
  for (int64_t id : op.inputs)
    operands.push_back(operand(id));
  Value out = isBlocked ? Value() : make(isElement ? "pd.array_read" : "pd.array_slice", operands);
  if (!out)
    return;
  define(op, 0, {out});
  if (!isElement && !op.outputs.empty()) {
    arrays[op.outputs[0].id] = op.outputs[0].id;
    arrayTypes[op.outputs[0].id] = arrayTypeOf(op.outputs[0].type);
  }
}

void ModelImporter::findWrittenArrays(const newir::Block &block, std::set<int64_t> &written) const {
  for (const newir::Operation &op : block.operations) {
    if (op.name == "1.array_write_" && !op.inputs.empty())
      if (auto found = arrays.find(op.inputs[0]); found != arrays.end())
        written.insert(found->second);
    for (const std::vector<newir::Block> &region : op.regions)
      for (const newir::Block &inner : region)
        findWrittenArrays(inner, written);
  }
}

} // namespace proa::import
