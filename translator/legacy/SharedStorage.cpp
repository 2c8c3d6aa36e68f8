#include "translator/legacy/SharedStorage.h"

namespace proa::legacy {
namespace {

bool isTrue(const Operation &op, std::string_view attribute, bool otherwise) {
  const Attribute *found = op.attribute(attribute);
  const bool *value = found ? std::get_if<bool>(&found->value) : nullptr;
  return value ? *value : otherwise;
}

} // namespace

std::vector<SharedStorage> sharedStorageOf(const Program &startup) {
  std::vector<SharedStorage> all;
  for (const Block &block : startup.blocks)
    for (const Operation &op : block.operations) {
      const Slot *members = op.output("Output"), *buffer = op.output("FusedOutput");
      if (op.type == "coalesce_tensor" && members && buffer && buffer->arguments.size() == 1 &&
          !isTrue(op, "use_align", true))
        all.push_back({buffer->arguments.front(), members->arguments});
    }
  return all;
}

} // namespace proa::legacy
