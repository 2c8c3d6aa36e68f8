#include "translator/legacy/JsonPieceReader.h"

#include "lib/support/Parallel.h"
#include "translator/legacy/JsonTemplates.h"

#include <atomic>
#include <functional>

namespace proa::legacy::json {
namespace {

/// Reads pieces of the lists of a program, one after the other.
class PieceReader {
public:
  explicit PieceReader(AttributePool &pool) : reader(report, pool) {}

  /// Whether it could be read.
  bool read(const PieceTask &task) {
    if (std::holds_alternative<std::span<Variable>>(task.out))
      return read(task.piece->text, std::get<std::span<Variable>>(task.out), variables);
    return read(task.piece->text, std::get<std::span<Operation>>(task.out), operations);
  }

private:
  /// What a template makes: of an op without the names of its variables.
  struct Shape {
    Operation op;
    bool outputsFirst;
  };

  template <class Out, class Templates>
  bool read(std::string_view text, std::span<Out> out, Templates &templates) {
    constexpr size_t fewMisses = 32;
    size_t misses = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      text = withoutSpace(text);
      if (i != 0) {
        if (!text.starts_with(','))
          return false;
        text = withoutSpace(text.substr(1));
      }
      size_t length = 0;
      if (const auto *known = templates.find(text, length, names.inText)) {
        fill(out[i], known->made);
      } else if (++misses > fewMisses && misses > i / 2) { // a program that does not repeat itself
        return readAll(text, out.subspan(i));
      } else {
        length = lengthOfObject(text);
        if (length == 0 || !readOne(text.substr(0, length), out[i], templates))
          return false;
      }
      text.remove_prefix(length);
    }
    return withoutSpace(text).empty();
  }

  void fill(Variable &out, const Variable &known) {
    out = known;
    out.name = names.inText.front();
  }

  void fill(Operation &out, const Shape &known) {
    out.type = known.op.type;
    out.attributes = known.op.attributes;
    out.isTarget = known.op.isTarget;
    auto next = names.inText.begin();
    auto fillSlots = [&](const std::vector<Slot> &from, std::vector<Slot> &to) {
      to.reserve(from.size());
      for (const Slot &slot : from) {
        Slot &own = to.emplace_back();
        own.name = slot.name;
        own.arguments.reserve(slot.arguments.size());
        for (size_t i = 0; i < slot.arguments.size(); ++i)
          own.arguments.emplace_back(*next++);
      }
    };
    if (known.outputsFirst)
      fillSlots(known.op.outputs, out.outputs);
    fillSlots(known.op.inputs, out.inputs);
    if (!known.outputsFirst)
      fillSlots(known.op.outputs, out.outputs);
  }

  static Variable madeOf(const Variable &variable, const Names &) { return variable; }
  static Shape madeOf(const Operation &op, const Names &names) { return {op, names.outputsFirst}; }

  /// Reads an element, and keeps it as a template for others.
  template <class Out, class Templates> bool readOne(std::string_view text, Out &out, Templates &templates) {
    names = {};
    bool isRead = parse(text, [&](simdjson::ondemand::document &document) {
      Element value;
      if (document.get_value().get(value) != simdjson::SUCCESS)
        return false;
      reader.readNoting(value, names, out);
      return reader.isWhole() && report.empty();
    });
    std::vector<StringPlace> places;
    for (std::string_view name : names.inText) {
      // One with escapes is not the text's.
      size_t begin = static_cast<size_t>(name.data() - buffer.data());
      if (!isRead || std::less()(name.data(), buffer.data()) || begin + name.size() > buffer.size())
        return isRead;
      places.push_back({begin, begin + name.size()});
    }
    if (isRead)
      templates.add(TextTemplate(text, places), madeOf(out, names));
    return isRead;
  }

  template <class Out> bool readAll(std::string_view text, std::span<Out> out) {
    return parse(std::string("[").append(text).append("]"), [&](simdjson::ondemand::document &document) {
      simdjson::ondemand::array elements;
      return document.get_array().get(elements) == simdjson::SUCCESS && reader.elements(elements, out);
    });
  }

  /// Parses a copy of a text, behind which there is memory that may be read.
  template <class Read> bool parse(std::string_view text, Read read) {
    buffer.assign(text);
    buffer.reserve(buffer.size() + simdjson::SIMDJSON_PADDING);
    simdjson::ondemand::document document;
    return parser.iterate(buffer.data(), buffer.size(), buffer.capacity()).get(document) ==
               simdjson::SUCCESS &&
           read(document) && document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  }

  Report report{""};
  JsonReader reader;
  simdjson::ondemand::parser parser;
  std::string buffer;
  Names names;
  Templates<Variable> variables;
  Templates<Shape> operations;
};

} // namespace

bool readPieces(std::span<const PieceTask> tasks, AttributePool &pool) {
  std::atomic<size_t> next = 0;
  std::atomic<bool> isRead = true;
  onAllCores(tasks.size(), [&] {
    PieceReader reader(pool);
    for (size_t i = next++; i < tasks.size() && isRead; i = next++)
      if (!reader.read(tasks[i]))
        isRead = false;
  });
  return isRead;
}

} // namespace proa::legacy::json
