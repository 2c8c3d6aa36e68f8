#include "translator/import/onnx/OnnxTable.h"

#include "dialects/pd/ir/Pd.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <tuple>
#include <vector>

using namespace mlir;

namespace proa::import {

namespace onnxhooks {
#define ONNX_IMPORT_HOOK(function) void function(NodeImporter &node);
#include "dialects/pd/AllOnnxHooks.inc"
#undef ONNX_IMPORT_HOOK
} // namespace onnxhooks

static const OnnxOp onnxOpsOfRecords[] = {
#include "dialects/pd/AllOnnx.inc"
};

/// The elements of "[0, 1]".
static llvm::SmallVector<llvm::StringRef> elementsIn(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef> elements;
  list.trim("[]").split(elements, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef &element : elements)
    element = element.trim();
  return elements;
}

static int64_t integerIn(llvm::StringRef text) {
  int64_t value = 0;
  (void)text.getAsInteger(10, value);
  return value;
}

static double numberIn(llvm::StringRef text) {
  double value = 0;
  (void)text.getAsDouble(value);
  return value;
}

Attribute OnnxSet::value(Builder &builder) const {
  switch (kind) {
  case AttributeKind::Bool:
    return builder.getBoolAttr(text == "true");
  case AttributeKind::Int:
    return builder.getI64IntegerAttr(integerIn(text));
  case AttributeKind::Float:
    return builder.getF64FloatAttr(numberIn(text));
  case AttributeKind::Ints:
    return builder.getDenseI64ArrayAttr(llvm::map_to_vector(elementsIn(text), integerIn));
  case AttributeKind::Floats:
    return builder.getDenseF64ArrayAttr(llvm::map_to_vector(elementsIn(text), numberIn));
  case AttributeKind::Strings:
    return builder.getStrArrayAttr(elementsIn(text));
  case AttributeKind::String:
    return builder.getStringAttr(text);
  case AttributeKind::Type:
    return TypeAttr::get(pd::elementTypeOf(builder.getContext(), *dtypeFromName(text.str())));
  }
  llvm_unreachable("unknown kind of attribute");
}

llvm::ArrayRef<OnnxOp> onnxOps() {
  static const std::vector<OnnxOp> sorted = [] {
    std::vector<OnnxOp> entries(std::begin(onnxOpsOfRecords), std::end(onnxOpsOfRecords));
    llvm::stable_sort(entries, [](const OnnxOp &a, const OnnxOp &b) {
      return std::tie(a.domain, a.type, a.since) < std::tie(b.domain, b.type, b.since);
    });
    return entries;
  }();
  return sorted;
}

const OnnxOp *findOnnxOp(llvm::StringRef domain, llvm::StringRef type, int64_t opset) {
  static const llvm::StringMap<llvm::SmallVector<const OnnxOp *, 2>> byName = [] {
    llvm::StringMap<llvm::SmallVector<const OnnxOp *, 2>> map;
    for (const OnnxOp &entry : onnxOps())
      map[(entry.domain + "::" + entry.type).str()].push_back(&entry);
    return map;
  }();
  auto found = byName.find((domain + "::" + type).str());
  if (found == byName.end())
    return nullptr;
  for (const OnnxOp *entry : found->second)
    if (entry->since <= opset && (entry->until == 0 || opset <= entry->until))
      return entry;
  return nullptr;
}

llvm::ArrayRef<const OnnxOp *> onnxOpsOf(llvm::StringRef target) {
  static const llvm::StringMap<llvm::SmallVector<const OnnxOp *, 2>> byTarget = [] {
    llvm::StringMap<llvm::SmallVector<const OnnxOp *, 2>> map;
    for (const OnnxOp &entry : onnxOps())
      if (entry.rank != OnnxOp::unwrittenRank)
        map[entry.target].push_back(&entry);
    for (auto &[name, entries] : map)
      llvm::stable_sort(entries, [](const OnnxOp *a, const OnnxOp *b) { return a->rank < b->rank; });
    return map;
  }();
  auto found = byTarget.find(target);
  return found == byTarget.end() ? llvm::ArrayRef<const OnnxOp *>() : llvm::ArrayRef(found->second);
}

} // namespace proa::import
