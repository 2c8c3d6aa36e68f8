//! dist-annotate: writes a mesh and shardings of named arguments and results into a program.
#include "passes/spmd/Passes.h"

#include "dialects/dist/InterfaceAttributes.h"
#include "dialects/dist/Placements.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/Json.h"
#include "lib/base/support/Suggest.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_ANNOTATE
#include "passes/spmd/Passes.h.inc"

namespace {

using Json = nlohmann::ordered_json;

/// An argument or result of a function with a name.
struct NamedTensor {
  func::FuncOp function;
  bool isResult;
  unsigned index;
  std::string name;
  RankedTensorType type;
};

struct Entry {
  /// The place in the file: "FILE: shardings[2]".
  std::string where;
  std::string name, sharding;
};

/// Axes in braces get the quotes of the attribute's notation: `[{mp}, {}]` becomes `[{"mp"}, {}]`.
std::string withQuotes(StringRef text) {
  std::string result;
  unsigned braces = 0;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    braces += c == '{' ? 1 : c == '}' && braces > 0 ? -1 : 0;
    if (c == '"') {
      size_t end = std::min(text.find('"', i + 1), text.size() - 1);
      result += text.slice(i, end + 1);
      i = end + 1;
    } else if (braces > 0 && (llvm::isAlpha(c) || c == '_')) {
      StringRef word = text.substr(i).take_while([](char d) { return llvm::isAlnum(d) || d == '_'; });
      result += ("\"" + word + "\"").str();
      i += word.size();
    } else {
      result += c;
      ++i;
    }
  }
  return result;
}

/// The sharding without mesh axes of size 1, so that one file fits meshes of all sizes.
dist::ShardingAttr withoutUnitAxes(dist::ShardingAttr sharding, const spmd::Mesh &mesh) {
  MLIRContext *context = sharding.getContext();
  auto kept = [&](ArrayRef<dist::AxisAttr> axes) {
    SmallVector<dist::AxisAttr> result;
    for (dist::AxisAttr axis : axes) {
      std::optional<unsigned> index = mesh.indexOf(axis.getName().str());
      if (!index || mesh.axes[*index].size != 1 || !axis.isFull())
        result.push_back(axis);
    }
    return result;
  };
  SmallVector<dist::DimShardingAttr> dims;
  for (dist::DimShardingAttr dim : sharding.getDims()) {
    SmallVector<dist::AxisAttr> axes = kept(dim.getAxes());
    bool isWhole = axes.empty() && dim.getIsClosed();
    dims.push_back(dist::DimShardingAttr::get(context, axes, dim.getIsClosed(),
                                              isWhole ? 0 : dim.getPriority(),
                                              axes.empty() ? ArrayRef<int64_t>() : dim.getBlocks()));
  }
  SmallVector<dist::PartialAttr> partial;
  for (dist::PartialAttr own : sharding.getPartial())
    if (SmallVector<dist::AxisAttr> axes = kept(own.getAxes()); !axes.empty())
      partial.push_back(dist::PartialAttr::get(context, own.getReduction(), axes));
  return dist::ShardingAttr::get(context, sharding.getMesh(), dims, kept(sharding.getReplicated()), partial);
}

class AnnotatePass : public impl::AnnotateBase<AnnotatePass> {
public:
  using AnnotateBase::AnnotateBase;

  void runOnOperation() override {
    collectNames();
    std::vector<Entry> entries;
    Json axes;
    bool isRead = shardings.empty() || readFile(entries, axes);
    if (dist::MeshOp mesh = isRead ? findMesh(axes) : nullptr)
      for (const Entry &entry : entries)
        apply(entry, mesh);
    if (!isValid)
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      setShardings(function);
  }

private:
  void setShardings(func::FuncOp function) {
    dist::InterfaceAttributes attributes(function);
    for (auto &[tensor, sharding] : chosen)
      if (const NamedTensor &own = tensors[tensor]; own.function == function)
        own.isResult ? attributes.setResult(own.index, dist::shardingAttribute, sharding)
                     : attributes.setArgument(own.index, dist::shardingAttribute, sharding);
    attributes.apply();
  }

  InFlightDiagnostic error() {
    isValid = false;
    return getOperation().emitError();
  }

  void collectNames() {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto add = [&](bool isResult, unsigned index, DictionaryAttr attributes, Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        for (StringRef key :
             {pd::feedAttribute, pd::parameterAttribute, pd::fetchAttribute, pd::stateAttribute})
          if (auto name = attributes ? attributes.getAs<StringAttr>(key) : nullptr; name && tensor)
            tensors.push_back({function, isResult, index, name.str(), tensor});
      };
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        add(false, i, function.getArgAttrDict(i), function.getArgumentTypes()[i]);
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        add(true, i, function.getResultAttrDict(i), function.getResultTypes()[i]);
    }
    for (const NamedTensor &tensor : tensors)
      names.push_back(tensor.name);
    llvm::sort(names);
    names.erase(llvm::unique(names), names.end());
  }

  /// False if the file is not an object in JSON.
  bool readFile(std::vector<Entry> &entries, Json &axes) {
    bool isContent = StringRef(shardings).starts_with("{");
    auto text = isContent ? Result<std::string>(shardings) : proa::readFile(shardings);
    if (isContent)
      shardings = "the shardings"; // in messages
    auto checked = text ? parseJson(*text, shardings) : Result<nlohmann::json>(text.diagnostics());
    if (!checked) {
      for (const proa::Diagnostic &diagnostic : checked.diagnostics())
        error() << diagnostic.location << ": " << diagnostic.message;
      return false;
    }
    // The axes are in the order of the file.
    Json json = Json::parse(*text);
    if (!json.is_object()) {
      error() << shardings << ": expected an object with the keys 'mesh' and 'shardings'";
      return false;
    }
    for (auto &[key, value] : json.items()) {
      if (key == "mesh")
        axes = value;
      else if (key == "shardings" && value.is_array())
        for (size_t i = 0; i < value.size(); ++i)
          readEntry(shardings + ": shardings[" + std::to_string(i) + "]", value[i], entries);
      else
        error() << shardings << ": expected the keys 'mesh' and 'shardings' (an array), found '" << key
                << "'";
    }
    return true;
  }

  void readEntry(const std::string &where, const Json &json, std::vector<Entry> &entries) {
    auto isText = [&](const char *key) { return json.contains(key) && json[key].is_string(); };
    if (!json.is_object() || json.size() != 2 || !isText("name") || !isText("sharding"))
      error() << where << ": expected an object with the texts 'name' and 'sharding'";
    else
      entries.push_back({where, json["name"], json["sharding"]});
  }

  /// The mesh of the option or of the file, which must agree; otherwise the one that the module has.
  dist::MeshOp findMesh(const Json &axes) {
    dist::MeshAttr fromOption = mesh.empty() ? nullptr : meshOfText();
    dist::MeshAttr fromFile = axes.is_null() ? nullptr : meshOfFile(axes);
    if ((!mesh.empty() && !fromOption) || (!axes.is_null() && !fromFile))
      return nullptr;
    if (fromOption && fromFile && fromOption != fromFile) {
      error() << "expected equal meshes in the option and in " << shardings << ", found " << fromOption
              << " and " << fromFile;
      return nullptr;
    }
    dist::MeshAttr attribute = fromOption ? fromOption : fromFile;
    SmallVector<dist::MeshOp> meshes(getOperation().getOps<dist::MeshOp>());
    if (!attribute && meshes.size() != 1)
      error() << "expected a mesh in the option, in the file, or one in the module; found " << meshes.size();
    if (!attribute)
      return meshes.size() == 1 ? meshes.front() : nullptr;
    for (dist::MeshOp own : meshes)
      if (own.getMesh() == attribute)
        return own;
    StringRef name = "mesh";
    if (SymbolTable::lookupSymbolIn(getOperation(), name)) {
      error() << "expected that the symbol @mesh is free or is the mesh " << attribute;
      return nullptr;
    }
    auto builder = OpBuilder::atBlockBegin(getOperation().getBody());
    return dist::MeshOp::create(builder, getOperation().getLoc(), name, attribute);
  }

  dist::MeshAttr meshOf(ArrayRef<std::pair<std::string, int64_t>> axes) {
    std::string text;
    for (const auto &[name, size] : axes)
      text += (text.empty() ? "\"" : ", \"") + name + "\"=" + std::to_string(size);
    auto result = parse<dist::MeshAttr>("#dist.mesh<[" + text + "]>");
    if (!result)
      error() << "expected a mesh, found [" << text << "]: " << parseError;
    return result;
  }

  dist::MeshAttr meshOfText() {
    SmallVector<std::pair<std::string, int64_t>> axes;
    for (StringRef entry : llvm::split(StringRef(mesh), ',')) {
      auto [name, text] = entry.split('=');
      int64_t size = 0;
      if (text.getAsInteger(10, size)) {
        error() << "expected a mesh as AXIS=SIZE,AXIS=SIZE, found '" << mesh << "'";
        return nullptr;
      }
      axes.push_back({name.str(), size});
    }
    return meshOf(axes);
  }

  dist::MeshAttr meshOfFile(const Json &json) {
    SmallVector<std::pair<std::string, int64_t>> axes;
    bool areSizes = json.is_object();
    for (auto it = json.begin(); areSizes && it != json.end(); ++it) {
      areSizes &= it->is_number_integer();
      if (areSizes)
        axes.push_back({it.key(), it->get<int64_t>()});
    }
    if (areSizes)
      return meshOf(axes);
    error() << shardings << ": mesh: expected an object of axis sizes";
    return nullptr;
  }

  /// Null if the text is not valid; then `parseError` has the reason.
  template <class Attribute> Attribute parse(const std::string &text) {
    parseError.clear();
    ScopedDiagnosticHandler handler(&getContext(), [&](mlir::Diagnostic &diagnostic) {
      parseError = parseError.empty() ? diagnostic.str() : parseError;
      return success();
    });
    return dyn_cast_or_null<Attribute>(parseAttribute(text, &getContext()));
  }

  void apply(const Entry &entry, dist::MeshOp mesh) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(entry.name);
    if (!pattern) {
      error() << entry.where << ": expected a pattern of names, found '" << entry.name
              << "': " << llvm::toString(pattern.takeError());
      return;
    }
    auto sharding = parse<dist::ShardingAttr>(
        ("#dist.sharding<@" + mesh.getSymName() + ", " + withQuotes(entry.sharding) + ">").str());
    if (!sharding) {
      error() << entry.where << ": expected a sharding such as [{mp}, {}], found '" << entry.sharding
              << "': " << parseError;
      return;
    }
    bool hasMatch = false;
    spmd::Mesh axes = mesh.getMesh().toMesh();
    sharding = withoutUnitAxes(sharding, axes);
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      if (!pattern->match(tensor.name))
        continue;
      hasMatch = true;
      auto emit = [&] { return error() << entry.where << ": '" << tensor.name << "': "; };
      if (succeeded(dist::verifySharding(emit, sharding, axes, tensor.type)))
        chosen[i] = sharding;
    }
    if (!hasMatch)
      error() << entry.where << ": no feed, parameter, fetch or state has a name that matches '" << entry.name
              << "'" << didYouMean(entry.name, names);
  }

  std::vector<NamedTensor> tensors;
  std::vector<std::string> names;
  llvm::MapVector<size_t, dist::ShardingAttr> chosen;
  std::string parseError;
  bool isValid = true;
};

} // namespace
} // namespace proa
