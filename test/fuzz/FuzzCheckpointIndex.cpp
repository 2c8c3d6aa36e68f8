#include "lib/checkpoint/Checksum.h"
#include "lib/checkpoint/Index.h"
#include "test/fuzz/Fuzzing.h"

#include <nlohmann/json.hpp>

#include <string>

namespace {

/// The index with the right checksum of its catalog, so that mutants reach what the checksum protects; or "".
std::string withChecksum(const uint8_t *data, size_t size) {
  nlohmann::json index = nlohmann::json::parse(data, data + size, nullptr, false);
  const nlohmann::json::json_pointer place("/metadata/proa");
  if (!index.is_object() || !index.contains(place) || !index[place].is_object())
    return "";
  nlohmann::json &catalog = index[place];
  catalog.erase("checksum");
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  catalog["checksum"] =
      proa::checkpoints::checksumText(proa::checkpoints::checksumOf(catalog.dump(-1, ' ', false, replace)));
  return index.dump(-1, ' ', false, replace);
}

void read(const uint8_t *data, size_t size) {
  proa::fuzz::MemoryFile file(data, size);
  proa::fuzz::check(proa::checkpoints::readIndexFile(file.path()));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read(data, size);
  if (std::string text = withChecksum(data, size); !text.empty())
    read(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  return 0;
}
