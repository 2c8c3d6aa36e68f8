#include "test/unit/gradient/Harness.h"

#include "dialects/pd/ir/Pd.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/compile/Registration.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cstring>

using namespace mlir;

namespace proa::test {

ModuleOp cases() {
  static OwningOpRef<ModuleOp> module = [] {
    static DialectRegistry registry;
    registerAllDialects(registry);
    static MLIRContext context(registry);
    context.allowUnregisteredDialects();
    context.loadDialect<pd::PdDialect>();
    OwningOpRef<ModuleOp> all = ModuleOp::create(UnknownLoc::get(&context));
    for (const char *file : {"nn", "elementwise", "ops", "arrays", "sequences"}) {
      std::string path = std::string(PROA_SOURCE_DIR "/test/unit/gradient/") + file + ".mlir";
      auto module = parseSourceFile<ModuleOp>(path, &context);
      if (!module)
        return OwningOpRef<ModuleOp>();
      all->getBody()->getOperations().splice(all->getBody()->end(), module->getBody()->getOperations());
    }
    return all;
  }();
  return *module;
}

func::FuncOp caseOf(const std::string &name) { return cases().lookupSymbol<func::FuncOp>(name); }

std::vector<std::string> caseNames() {
  std::vector<std::string> list;
  if (!cases())
    return {"cases_parse"};
  for (auto function : cases().getOps<func::FuncOp>())
    list.push_back(function.getName().str());
  return list;
}

bool isFloat64(Type type) { return cast<RankedTensorType>(type).getElementType().isF64(); }

Result<Runner> Runner::create(ModuleOp module) {
  CompileOptions options;
  options.optimizesCode = false; // half of the time
  auto compiled = compileProgram(module.clone(), options);
  if (!compiled)
    return compiled.diagnostics();
  auto executable = loadProgram(std::move(*compiled), "test");
  if (!executable)
    return executable.diagnostics();
  auto session = runtime::Session::create(*executable);
  if (!session)
    return session.diagnostics();
  Runner runner;
  runner.session = std::move(*session);
  return runner;
}

Tensor randomTensor(func::FuncOp function, unsigned argument, std::mt19937 &random) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  bool isInteger = !type.getElementType().isF64();
  auto valueOr = [&](const char *name, double otherwise) {
    auto attribute = function.getArgAttrOfType<FloatAttr>(argument, name);
    return attribute ? attribute.getValueAsDouble() : otherwise;
  };
  std::uniform_real_distribution<double> reals(valueOr("test.low", -1), valueOr("test.high", 1));
  std::uniform_int_distribution<int64_t> integers(static_cast<int64_t>(valueOr("test.low", 0)),
                                                  static_cast<int64_t>(valueOr("test.high", 1)));
  auto values = function.getArgAttrOfType<ArrayAttr>(argument, "test.values");
  Tensor tensor(*pd::dtypeOf(type.getElementType()), type.getShape().vec());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double value = isInteger ? static_cast<double>(integers(random)) : reals(random);
    if (values)
      value = cast<FloatAttr>(values[i]).getValueAsDouble();
    switch (tensor.dtype()) {
    case DType::Float64:
      tensor.as<double>()[i] = value;
      break;
    case DType::Int64:
      tensor.as<int64_t>()[i] = static_cast<int64_t>(value);
      break;
    case DType::Int32:
      tensor.as<int32_t>()[i] = static_cast<int32_t>(value);
      break;
    default:
      tensor.as<uint8_t>()[i] = static_cast<uint8_t>(value);
    }
  }
  return tensor;
}

Tensor stacked(const std::vector<Tensor> &parts) {
  std::vector<int64_t> dims = parts[0].dims();
  dims.insert(dims.begin(), static_cast<int64_t>(parts.size()));
  Tensor whole(parts[0].dtype(), dims);
  size_t bytes = parts[0].bytes();
  for (size_t i = 0; i < parts.size(); ++i)
    std::memcpy(static_cast<char *>(whole.data()) + i * bytes, parts[i].data(), bytes);
  return whole;
}

Program::Program(Location location) : module(ModuleOp::create(location)), builder(module->getBodyRegion()) {
  main = func::FuncOp::create(builder, location, "main", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(main.addEntryBlock());
}

unsigned Program::feed(Type type) {
  unsigned index = main.getNumArguments();
  (void)main.insertArgument(index, type, DictionaryAttr(), main.getLoc());
  main.setArgAttr(index, "pd.feed", builder.getStringAttr("in" + std::to_string(index)));
  return index;
}

llvm::SmallVector<Type> Program::typesOf(llvm::ArrayRef<unsigned> feeds) {
  llvm::SmallVector<Type> types;
  for (unsigned index : feeds)
    types.push_back(main.getArgument(index).getType());
  return types;
}

size_t Program::call(func::FuncOp function, llvm::ArrayRef<unsigned> feeds) {
  IRMapping mapping;
  for (auto [argument, index] : llvm::zip(function.getArguments(), feeds))
    mapping.map(argument, main.getArgument(index));
  for (Operation &op : function.getBody().front().without_terminator())
    builder.clone(op, mapping);
  size_t first = results.size();
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  return first;
}

Result<Runner> Program::compile() {
  func::ReturnOp::create(builder, main.getLoc(), results);
  main.setFunctionType(builder.getFunctionType(main.getArgumentTypes(), ValueRange(results).getTypes()));
  for (unsigned i = 0; i < results.size(); ++i)
    main.setResultAttr(i, "pd.fetch", builder.getStringAttr("out" + std::to_string(i)));
  return Runner::create(*module);
}

double dot(const Tensor &x, const Tensor &y) {
  double sum = 0;
  for (int64_t i = 0; i < x.size(); ++i)
    sum += x.as<double>()[i] * y.as<double>()[i];
  return sum;
}

} // namespace proa::test
