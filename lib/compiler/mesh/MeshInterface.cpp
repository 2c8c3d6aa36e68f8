#include "lib/compiler/mesh/MeshInterface.h"

#include "dialects/dist/Dist.h"
#include "dialects/dist/InterfaceAttributes.h"
#include "dialects/dist/Placements.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"
#include "lib/base/support/DiagnosticCollector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;

namespace proa {
namespace {

RankedTensorType globalType(Type type, Attribute global) {
  auto attribute = dyn_cast_if_present<TypeAttr>(global);
  return cast<RankedTensorType>(attribute ? attribute.getValue() : type);
}

bool hasShardings(func::FuncOp main) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (main.getArgAttr(i, dist::shardingAttribute))
      return true;
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (main.getResultAttr(i, dist::shardingAttribute))
      return true;
  return false;
}

/// Reads the declaration of `main`.
class Reader {
public:
  explicit Reader(func::FuncOp main) : main(main) {}

  Result<MeshInterface> read() {
    for (auto mesh : main->getParentOfType<ModuleOp>().getOps<dist::MeshOp>()) {
      indexOfMesh[mesh.getSymNameAttr()] = static_cast<unsigned>(interface.meshes.size());
      interface.meshes.push_back(mesh.getMesh().toMesh());
    }
    checkDevices();
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      auto feed = main.getArgAttrOfType<StringAttr>(i, pd::feedAttribute);
      auto name = feed ? feed : main.getArgAttrOfType<StringAttr>(i, pd::parameterAttribute);
      if (name)
        read(interface.arguments[name.str()], name, main.getArgumentTypes()[i],
             main.getArgAttrOfType<dist::ShardingAttr>(i, dist::shardingAttribute));
    }
    for (unsigned i = 0; i < main.getNumResults(); ++i) {
      auto sharding = main.getResultAttrOfType<dist::ShardingAttr>(i, dist::shardingAttribute);
      if (auto name = main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute))
        read(interface.states[name.str()], name, main.getResultTypes()[i], sharding);
      if (auto name = main.getResultAttrOfType<StringAttr>(i, pd::fetchAttribute)) {
        interface.fetchNames.push_back(name.str());
        read(interface.fetches.emplace_back(), name, main.getResultTypes()[i], sharding);
      }
    }
    if (!isSharded)
      diagnostics.add("the mesh", "arguments and results of 'main' have no shardings");
    if (!diagnostics.empty())
      return diagnostics;
    return interface;
  }

private:
  void read(ShardedType &entry, StringAttr name, Type type, dist::ShardingAttr sharding) {
    auto tensor = cast<RankedTensorType>(type);
    entry.dtype = *pd::dtypeOf(tensor.getElementType());
    for (int64_t dim : tensor.getShape())
      entry.dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
    entry.placement.dims.resize(entry.dims.size());
    if (!sharding) // replicated
      return;
    isSharded = true;
    auto mesh = indexOfMesh.find(sharding.getMesh().getAttr());
    if (mesh == indexOfMesh.end())
      return diagnostics.add("mesh @" + sharding.getMesh().getValue().str(), "not found");
    entry.mesh = mesh->second;
    std::string text;
    llvm::raw_string_ostream(text) << sharding;
    if (!sharding.isFinal() || !sharding.getPartial().empty() ||
        sharding.getDims().size() != entry.dims.size())
      return diagnostics.add("'" + name.str() + "'",
                             "its sharding is " + text +
                                 ", expected closed dimensions without partial values");
    entry.placement = dist::placementOf(sharding, interface.meshes[entry.mesh]);
  }

  /// Each rank must have a program.
  void checkDevices() {
    std::vector<bool> isUsed(static_cast<size_t>(interface.rankCount()));
    for (const spmd::Mesh &mesh : interface.meshes)
      for (int64_t position = 0; position < mesh.size(); ++position)
        isUsed[static_cast<size_t>(mesh.deviceAt(position))] = true;
    if (auto unused = std::ranges::find(isUsed, false); unused != isUsed.end())
      diagnostics.add("the mesh", "no mesh has the device " + std::to_string(unused - isUsed.begin()) +
                                      "; expected all devices from 0 to " +
                                      std::to_string(isUsed.size() - 1));
  }

  func::FuncOp main;
  MeshInterface interface;
  llvm::DenseMap<StringAttr, unsigned> indexOfMesh;
  bool isSharded = false;
  Diagnostics diagnostics;
};

} // namespace

bool hasStaticBoxes(const ShardedType &type) {
  return std::ranges::find(type.dims, -1) == type.dims.end() && type.placement.partial.empty();
}

static int64_t deviceCount(const spmd::Mesh &mesh) {
  return mesh.devices.empty() ? mesh.size() : *std::ranges::max_element(mesh.devices) + 1;
}

int64_t MeshInterface::rankCount() const {
  int64_t count = 1;
  for (const spmd::Mesh &mesh : meshes)
    count = std::max(count, deviceCount(mesh));
  return count;
}

int64_t deviceCount(ModuleOp module) {
  int64_t count = 0;
  for (auto op : module.getOps<dist::MeshOp>())
    count = std::max(count, deviceCount(op.getMesh().toMesh()));
  return count;
}

bool isLocalForm(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; main && i < main.getNumArguments(); ++i)
    if (main.getArgAttr(i, dist::globalAttribute))
      return true;
  for (unsigned i = 0; main && i < main.getNumResults(); ++i)
    if (main.getResultAttr(i, dist::globalAttribute))
      return true;
  return false;
}

RankedTensorType globalArgumentType(ModuleOp module, unsigned index) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return globalType(main.getArgumentTypes()[index], main.getArgAttr(index, dist::globalAttribute));
}

Result<std::string> meshInterfaceText(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || !hasShardings(main))
    return errorAt("the mesh", "arguments and results of 'main' have no shardings");
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(copy->getBody());
  for (auto mesh : module.getOps<dist::MeshOp>())
    builder.clone(*mesh);
  llvm::SmallVector<Type> arguments, results;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    arguments.push_back(globalType(type, main.getArgAttr(i, dist::globalAttribute)));
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    results.push_back(globalType(type, main.getResultAttr(i, dist::globalAttribute)));
  auto declaration =
      func::FuncOp::create(builder, module.getLoc(), "main", builder.getFunctionType(arguments, results));
  declaration.setPrivate();
  dist::InterfaceAttributes attributes(declaration);
  for (unsigned i = 0; i < arguments.size(); ++i)
    for (llvm::StringRef name : {pd::feedAttribute, pd::parameterAttribute, dist::shardingAttribute})
      if (Attribute attribute = main.getArgAttr(i, name))
        attributes.setArgument(i, name, attribute);
  for (unsigned i = 0; i < results.size(); ++i)
    for (llvm::StringRef name : {pd::fetchAttribute, pd::stateAttribute, dist::shardingAttribute})
      if (Attribute attribute = main.getResultAttr(i, name))
        attributes.setResult(i, name, attribute);
  attributes.apply();
  std::string text;
  llvm::raw_string_ostream(text) << *copy;
  return text;
}

Result<MeshInterface> readMeshInterface(MLIRContext &context, const std::string &text) {
  DiagnosticCollector errors(&context);
  context.loadDialect<dist::DistDialect, pd::PdDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(text, &context, "the mesh");
  auto main = module ? module->lookupSymbol<func::FuncOp>("main") : func::FuncOp();
  if (!main)
    return errors.take("the interface of the program does not parse");
  return Reader(main).read();
}

} // namespace proa
