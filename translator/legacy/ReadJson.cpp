// simdjson and not nlohmann_json reads programs: measured on programs of the corpus, the tokenizer of
// nlohmann's SAX parser alone reaches 160 MB/s, which is 135,000 to 175,000 ops/s on one core; simdjson's DOM
// reaches 1,300 MB/s, and its on-demand parser needs no memory for what is read once.
#include "translator/legacy/ReadJson.h"

#include "lib/base/support/Files.h"
#include "translator/legacy/JsonPosition.h"
#include "translator/legacy/JsonReader.h"
#include "translator/legacy/Validate.h"

#include <unistd.h>

namespace proa::legacy {
namespace {

using json::Element;
using json::JsonReader;

/// Whether simdjson may read beyond the end of the mapped file, as it does: the rest of the last page reads
/// as zeros.
bool hasPadding(size_t fileSize) {
  size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return fileSize % page != 0 && page - fileSize % page >= simdjson::SIMDJSON_PADDING;
}

/// The first error of a text; none if it is JSON. The on-demand parser checks only the values that are read.
std::optional<std::string> damageOf(std::string_view padded) {
  simdjson::dom::parser parser;
  simdjson::error_code error = parser.parse(padded.data(), padded.size(), false).error();
  if (error == simdjson::SUCCESS)
    return std::nullopt;
  return "damaged JSON: " + json::describeDamage(padded, simdjson::error_message(error));
}

/// A text behind which there is memory that may be read.
Result<Program> parsePadded(std::string_view text, const std::string &name) {
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  Element root;
  FileReport report(name);
  JsonReader reader(report);
  Program program;
  bool isRead =
      parser.iterate(text, text.size() + simdjson::SIMDJSON_PADDING).get(document) == simdjson::SUCCESS &&
      document.get_value().get(root) == simdjson::SUCCESS;
  if (isRead)
    program = reader.program(root);
  bool isWhole = isRead && reader.isWhole() && report.empty() &&
                 document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  if (!isWhole)
    if (std::optional<std::string> damage = damageOf(text))
      return errorAt(name, *damage);
  if (!isRead)
    return errorAt(name, "found a single value, expected an object");
  if (!report.empty())
    return report.take();
  return program;
}

Result<Program> validated(Program program, const std::string &name) {
  FileReport report(name);
  validate(program, report);
  if (!report.empty())
    return report.take();
  return program;
}

Result<Program> parse(std::string_view text, bool isPadded, const std::string &name) {
  constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(byteOrderMark))
    text.remove_prefix(byteOrderMark.size());
  if (text.empty())
    return errorAt(name, "the file is empty, expected a JSON object");
  Result<Program> program =
      isPadded ? parsePadded(text, name) : parsePadded(simdjson::padded_string(text), name);
  return program ? validated(std::move(*program), name) : program;
}

} // namespace

Result<Program> readJsonText(std::string_view text, const std::string &name) {
  return parse(text, false, name);
}

Result<Program> readJson(const std::string &path) {
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  return readMappedJson(**file, path);
}

Result<Program> readMappedJson(const MappedFile &file, const std::string &name) {
  std::span<const std::byte> bytes = file.bytes();
  return parse({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, hasPadding(bytes.size()), name);
}

} // namespace proa::legacy
