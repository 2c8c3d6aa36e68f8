#include "lib/check/SharedStorage.h"

#include "translator/legacy/ReadProgram.h"

#include <filesystem>

namespace proa::check {
namespace {

bool isTrue(const legacy::Operation &op, std::string_view attribute, bool otherwise) {
  const legacy::Attribute *found = op.attribute(attribute);
  const bool *value = found ? std::get_if<bool>(&found->value) : nullptr;
  return value ? *value : otherwise;
}

} // namespace

Result<std::vector<SharedStorage>> sharedStorageOf(const std::string &folder) {
  std::vector<SharedStorage> all;
  std::string path = folder + "/startup.json";
  if (!std::filesystem::exists(path))
    return all;
  Result<legacy::Program> program = legacy::readProgram(path);
  if (!program)
    return program.problems();
  for (const legacy::Block &block : program->blocks)
    for (const legacy::Operation &op : block.operations) {
      const legacy::Slot *parts = op.output("Output"), *buffer = op.output("FusedOutput");
      if (op.type == "coalesce_tensor" && parts && buffer && buffer->arguments.size() == 1 &&
          !isTrue(op, "use_align", true))
        all.push_back({buffer->arguments.front(), parts->arguments});
    }
  return all;
}

} // namespace proa::check
