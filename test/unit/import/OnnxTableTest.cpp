//! Consistency of the mappings of ONNX (the field `onnx` of records) with ONNX's schemas.
#include "translator/import/onnx/OnnxTable.h"
#include "translator/onnx/Schema.h"

#include <gtest/gtest.h>

namespace proa::import {
namespace {

/// The schemas of the versions that an entry is for.
std::vector<onnx::Schema> schemasOf(const OnnxOp &entry) {
  std::vector<onnx::Schema> schemas;
  std::span<const onnx::Schema> all = onnx::allSchemas();
  for (size_t i = 0; i < all.size(); ++i) {
    bool isOfOp =
        llvm::StringRef(all[i].domain) == entry.domain && llvm::StringRef(all[i].name) == entry.type;
    bool isLastVersion = i + 1 == all.size() || all[i + 1].name != all[i].name;
    int64_t last = isLastVersion ? INT64_MAX : all[i + 1].since - 1;
    if (isOfOp && last >= entry.since && (entry.until == 0 || all[i].since <= entry.until))
      schemas.push_back(all[i]);
  }
  return schemas;
}

bool hasParameter(std::span<const onnx::SchemaParameter> parameters, llvm::StringRef name) {
  return llvm::any_of(parameters,
                      [&](const auto &parameter) { return llvm::StringRef(parameter.name) == name; });
}

TEST(OnnxTable, NamesAreThoseOfSchemas) {
  for (const OnnxOp &entry : onnxOps()) {
    if (entry.type.empty())
      continue;
    std::vector<onnx::Schema> schemas = schemasOf(entry);
    EXPECT_FALSE(schemas.empty()) << entry.type.str() << " has no schema";
    auto isKnown = [&](llvm::StringRef name, bool isOutput, bool isAttribute) {
      return llvm::any_of(schemas, [&](const onnx::Schema &schema) {
        return hasParameter(isOutput ? schema.outputs : schema.inputs, name) ||
               (isAttribute && schema.attribute(std::string_view(name)));
      });
    };
    auto expectKnown = [&](llvm::StringRef names, bool isOutput, bool isAttribute) {
      for (llvm::StringRef name : llvm::split(names, '|'))
        EXPECT_TRUE(names.empty() || isKnown(name, isOutput, isAttribute))
            << entry.type.str() << " of " << entry.target.str() << ": no schema has '" << name.str() << "'";
    };
    for (const MappedSlot &slot : entry.inputs)
      expectKnown(slot.spelling, false, false);
    for (const MappedSlot &slot : entry.outputs)
      expectKnown(slot.spelling, true, false);
    for (const MappedAttribute &attribute : entry.attributes)
      expectKnown(attribute.sourceName, false, true);
    for (const OnnxIgnored &ignored : entry.ignored)
      expectKnown(ignored.name, false, true);
  }
}

TEST(OnnxTable, EntriesOfAnOpDoNotOverlap) {
  llvm::ArrayRef<OnnxOp> entries = onnxOps();
  for (size_t i = 1; i < entries.size(); ++i) {
    const OnnxOp &before = entries[i - 1], &entry = entries[i];
    if (before.domain == entry.domain && before.type == entry.type && !entry.type.empty())
      EXPECT_TRUE(before.until != 0 && before.until < entry.since) << entry.type.str();
  }
}

} // namespace
} // namespace proa::import
