#include "test/fuzz/Fuzzing.h"
#include "translator/legacy/ReadJson.h"

#include <simdjson.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  bool isRead = proa::fuzz::check(proa::legacy::readJsonText(text, "fuzz"));
  // The reader checks only what it needs; a full parser must accept the file too.
  simdjson::dom::parser parser;
  constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(byteOrderMark))
    text.remove_prefix(byteOrderMark.size());
  if (isRead && parser.parse(text.data(), text.size()).error() != simdjson::SUCCESS)
    std::abort();
  return 0;
}
