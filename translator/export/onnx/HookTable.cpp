//! The export hooks and conditions of the mappings to ONNX. Each record names its own (`exportHook` and
//! `writtenIf` in dialects/pd/ir/Onnx.td).
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"

#include "dialects/pd/AllOps.h"

using namespace mlir;

namespace proa::exporter {

namespace onnxhooks {
#define ONNX_EXPORT_HOOK(Op, rank, hook) void hook(NodeExporter &node);
#include "dialects/pd/AllOnnxHooks.inc"
#undef ONNX_EXPORT_HOOK
} // namespace onnxhooks

namespace {

/// A line of AllOnnxHooks.inc.
template <class Entry> struct OfOnnxMapping {
  bool (*isOf)(Operation *);
  size_t rank;
  Entry entry;
};

template <class Op> bool isOnnxMappingOf(Operation *op) { return isa<Op>(op); }

const std::vector<OfOnnxMapping<OnnxExportHook>> onnxExportHooks = {
#define ONNX_EXPORT_HOOK(Op, rank, hook) {&isOnnxMappingOf<Op>, rank, &onnxhooks::hook},
#include "dialects/pd/AllOnnxHooks.inc"
#undef ONNX_EXPORT_HOOK
};

using namespace onnxhooks;

const std::vector<OfOnnxMapping<bool (*)(Operation *, int64_t)>> onnxConditions = {
#define ONNX_WRITTEN_IF(Op, rank, condition)                                                                 \
  {&isOnnxMappingOf<Op>, rank, [](Operation *operation, [[maybe_unused]] int64_t opset) -> bool {            \
     auto op = cast<Op>(operation);                                                                          \
     return condition;                                                                                       \
   }},
#include "dialects/pd/AllOnnxHooks.inc"
#undef ONNX_WRITTEN_IF
};

template <class Entry>
const Entry *findOf(const std::vector<OfOnnxMapping<Entry>> &table, Operation *op,
                    const import::OnnxOp &entry) {
  for (const OfOnnxMapping<Entry> &mapping : table)
    if (mapping.rank == entry.rank && mapping.isOf(op))
      return &mapping.entry;
  return nullptr;
}

} // namespace

OnnxExportHook findOnnxExportHook(Operation *op, const import::OnnxOp &entry) {
  const OnnxExportHook *hook = findOf(onnxExportHooks, op, entry);
  return hook ? *hook : nullptr;
}

bool isExpressibleInOnnx(Operation *op, const import::OnnxOp &entry, int64_t opset) {
  auto *condition = findOf(onnxConditions, op, entry);
  return !condition || (*condition)(op, opset);
}

} // namespace proa::exporter
