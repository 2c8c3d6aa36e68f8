#include "lib/base/spmd/Validity.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/Json.h"
#include "lib/checkpoint/Layout.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <fnmatch.h>

namespace proa::checkpoints {
namespace {

using nlohmann::json;

/// Parses the text of a placement.
class PlacementParser {
public:
  PlacementParser(const spmd::Mesh &mesh, const std::string &text) : mesh(mesh), text(text) {}

  Result<spmd::Placement> parse(const std::string &where) {
    spmd::Placement placement;
    bool isParsed = take('[');
    while (isParsed && !take(']')) {
      isParsed = (placement.dims.empty() || take(',')) && parseDim(placement.dims.emplace_back());
    }
    if (isParsed && at < text.size())
      isParsed = false;
    if (!isParsed)
      return errorAt(where, fmt::format("expected a sharding such as [{{mp}}, {{}}], found '{}'{}", text,
                                        reason.empty() ? "" : ": " + reason));
    return placement;
  }

private:
  void skipSpaces() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }
  bool take(char expected) {
    skipSpaces();
    bool isNext = at < text.size() && text[at] == expected;
    at += isNext ? 1 : 0;
    return isNext;
  }
  std::string word() {
    skipSpaces();
    size_t begin = at;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'))
      ++at;
    return text.substr(begin, at - begin);
  }
  bool readInteger(int64_t &value) {
    std::string digits = word();
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value > 0;
  }

  bool parseDim(spmd::DimPlacement &dim) {
    if (!take('{'))
      return false;
    while (!take('}'))
      if ((!dim.axes.empty() && !take(',')) || !parseAxis(dim))
        return false;
    skipSpaces();
    if (at < text.size() && text[at] == 'b')
      return word() == "blocks" && parseBlocks(dim.blocks);
    return true;
  }

  bool parseAxis(spmd::DimPlacement &dim) {
    std::string name = word();
    std::optional<unsigned> axis = mesh.indexOf(name);
    if (!axis) {
      reason = "the mesh has no axis '" + name + "'";
      return false;
    }
    spmd::AxisRef ref = mesh.full(*axis);
    if (take(':') && !(take('(') && readInteger(ref.pre) && take(')') && readInteger(ref.size)))
      return false;
    dim.axes.push_back(ref);
    return true;
  }

  bool parseBlocks(std::vector<int64_t> &blocks) {
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t count = 1, size = 0;
      if ((!blocks.empty() && !take(',')) || !readInteger(size))
        return false;
      if (take('*')) {
        count = size;
        if (!readInteger(size))
          return false;
      }
      if (count > spmd::mostBlocks)
        return false;
      blocks.insert(blocks.end(), static_cast<size_t>(count), size);
    }
    return true;
  }

  const spmd::Mesh &mesh;
  const std::string &text;
  size_t at = 0;
  std::string reason;
};

/// Placements by patterns of names.
class MeshLayout : public Layout {
public:
  struct Rule {
    std::string pattern, where;
    spmd::Placement placement;
  };

  MeshLayout(spmd::Mesh mesh, std::vector<Rule> rules) : mesh(std::move(mesh)), rules(std::move(rules)) {}

  Result<StoredBoxes> place(const std::map<std::string, TensorEntry> &tensors) const override {
    Diagnostics diagnostics;
    HeldBoxes boxes;
    for (const auto &[name, tensor] : tensors)
      if (Result<spmd::Placement> placement = placementOf(name, tensor); placement)
        boxes[name] = heldBoxes(mesh, *placement, tensor.dims);
      else
        diagnostics.append(placement.diagnostics());
    if (!diagnostics.empty())
      return diagnostics;
    return storeOnHolders(tensors, boxes);
  }

private:
  /// The layout of the last rule whose pattern matches.
  Result<spmd::Placement> placementOf(const std::string &name, const TensorEntry &tensor) const {
    for (size_t i = rules.size(); i-- > 0;) {
      const Rule &rule = rules[i];
      if (fnmatch(rule.pattern.c_str(), name.c_str(), 0) != 0)
        continue;
      std::string reason = spmd::invalidity(mesh, rule.placement, tensor.dims);
      if (!reason.empty())
        return errorAt(rule.where,
                       "does not fit '" + name + "', " + describe(tensor.dtype, tensor.dims) + ": " + reason);
      return rule.placement;
    }
    return spmd::Placement{std::vector<spmd::DimPlacement>(tensor.dims.size())};
  }

  spmd::Mesh mesh;
  std::vector<Rule> rules;
};

/// The axes are in the order of the file.
Result<spmd::Mesh> readMesh(const nlohmann::ordered_json &file, const std::string &path) {
  spmd::Mesh mesh;
  auto axes = file.is_object() ? file.find("mesh") : file.end();
  if (!file.is_object() || axes == file.end() || !axes->is_object())
    return errorAt(path, "expected a member 'mesh' with the axes and their sizes, as {\"dp\": 2}");
  for (const auto &[name, size] : axes->items()) {
    if (!size.is_number_integer())
      return errorAt(path, "mesh." + name + ": expected a number");
    mesh.axes.push_back({name, size.get<int64_t>()});
  }
  if (std::string reason = spmd::invalidity(mesh); !reason.empty())
    return errorAt(path, "mesh: " + reason);
  return mesh;
}

} // namespace

Result<spmd::Placement> parsePlacement(const spmd::Mesh &mesh, const std::string &text,
                                       const std::string &where) {
  return PlacementParser(mesh, text).parse(where);
}

Result<std::unique_ptr<Layout>> readLayout(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.diagnostics();
  Result<json> file = parseJson(*text, path);
  if (!file)
    return file.diagnostics();
  Result<spmd::Mesh> mesh = readMesh(nlohmann::ordered_json::parse(*text), path);
  if (!mesh)
    return mesh.diagnostics();
  Diagnostics diagnostics;
  std::vector<MeshLayout::Rule> rules;
  const json shardings = file->value("shardings", json::array());
  for (size_t i = 0; i < shardings.size(); ++i) {
    std::string where = fmt::format("{}: shardings[{}]", path, i);
    const json &entry = shardings[i];
    if (!entry.is_object() || !entry.value("name", json()).is_string() ||
        !entry.value("sharding", json()).is_string()) {
      diagnostics.add(where, "expected an object with the texts 'name' and 'sharding'");
      continue;
    }
    Result<spmd::Placement> placement = parsePlacement(*mesh, entry["sharding"].get<std::string>(), where);
    if (placement)
      rules.push_back({entry["name"].get<std::string>(), where, std::move(*placement)});
    else
      diagnostics.append(placement.diagnostics());
  }
  if (!diagnostics.empty())
    return diagnostics;
  return std::unique_ptr<Layout>(std::make_unique<MeshLayout>(std::move(*mesh), std::move(rules)));
}

} // namespace proa::checkpoints
