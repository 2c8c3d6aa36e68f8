#include "test/unit/gradient/Harness.h"

#include "dialects/pd/Pd.h"
#include "lib/codegen/LoadedObject.h"
#include "lib/driver/Compile.h"
#include "lib/driver/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace proa::test {

ModuleOp cases() {
  static OwningOpRef<ModuleOp> module = [] {
    static DialectRegistry registry;
    registerAllDialects(registry);
    static MLIRContext context(registry);
    context.allowUnregisteredDialects();
    context.loadDialect<pd::PdDialect>();
    return parseSourceFile<ModuleOp>(PROA_SOURCE_DIR "/test/unit/gradient/ops.mlir", &context);
  }();
  return *module;
}

func::FuncOp caseOf(const std::string &name) { return cases().lookupSymbol<func::FuncOp>(name); }

std::vector<std::string> caseNames() {
  std::vector<std::string> list;
  if (!cases())
    return {"ops_mlir_parses"};
  for (auto function : cases().getOps<func::FuncOp>())
    list.push_back(function.getName().str());
  return list;
}

bool isFloat64(Type type) { return cast<RankedTensorType>(type).getElementType().isF64(); }

Result<Runner> Runner::create(ModuleOp module) {
  auto compiled = compileForCpu(module.clone(), {});
  if (!compiled)
    return compiled.problems();
  auto object = LoadedObject::load(compiled->archive);
  if (!object)
    return object.problems();
  auto code = std::make_shared<LoadedObject>(std::move(*object));
  auto resolve = [&](const std::string &symbol) -> void * {
    auto address = code->find(symbol);
    return address ? *address : nullptr;
  };
  auto executable = runtime::Executable::create(std::move(compiled->plan), "test", resolve, code);
  if (!executable)
    return executable.problems();
  if (auto bound = (*executable)->bindParameters({}); !bound)
    return bound.problems();
  auto session = runtime::Session::create(*executable);
  if (!session)
    return session.problems();
  Runner runner;
  runner.session = std::move(*session);
  return runner;
}

Tensor randomTensor(func::FuncOp function, unsigned argument, std::mt19937 &random) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  bool isInteger = !type.getElementType().isF64();
  auto number = [&](const char *name, double otherwise) {
    auto attribute = function.getArgAttrOfType<FloatAttr>(argument, name);
    return attribute ? attribute.getValueAsDouble() : otherwise;
  };
  std::uniform_real_distribution<double> reals(number("test.low", -1), number("test.high", 1));
  std::uniform_int_distribution<int64_t> integers(static_cast<int64_t>(number("test.low", 0)),
                                                  static_cast<int64_t>(number("test.high", 1)));
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

} // namespace proa::test
