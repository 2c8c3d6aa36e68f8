#include "translator/newir/Model.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace proa::newir {
namespace {

using Json = nlohmann::json;

const std::map<std::string, DType, std::less<>> elementTypes = {{"0.t_bool", DType::Bool},
                                                                {"0.t_bf16", DType::BFloat16},
                                                                {"0.t_f16", DType::Float16},
                                                                {"0.t_f32", DType::Float32},
                                                                {"0.t_f64", DType::Float64},
                                                                {"0.t_i8", DType::Int8},
                                                                {"0.t_ui8", DType::UInt8},
                                                                {"0.t_i16", DType::Int16},
                                                                {"0.t_i32", DType::Int32},
                                                                {"0.t_i64", DType::Int64},
                                                                {"0.t_c64", DType::Complex64},
                                                                {"0.t_c128", DType::Complex128},
                                                                {"0.t_f8e4m3fn", DType::Float8E4M3FN},
                                                                {"0.t_f8e5m2", DType::Float8E5M2}};

/// Field "#" where it is a string, else nothing.
std::string nameOf(const Json &json) {
  auto name = json.find("#");
  return name != json.end() && name->is_string() ? name->get<std::string>() : "";
}

class Reader {
public:
  explicit Reader(const std::string &file) : file(file) {}

  Diagnostics diagnostics;

  Model model(const Json &json) {
    Model model;
    const Json *base = field(json, "base_code", "");
    if (base)
      model.version = integer(*base, "version", "base_code");
    const Json *program = field(json, "program", "");
    const Json *regions = program ? array(*program, "regions", "program") : nullptr;
    if (!regions || regions->empty())
      return model;
    std::string path = "program.regions[0]";
    const Json *blocks = array(regions->front(), "blocks", path);
    if (!blocks || blocks->empty())
      return model;
    path += ".blocks[0]";
    const Json *ops = array(blocks->front(), "ops", path);
    for (size_t i = 0; ops && i < ops->size(); ++i) {
      std::string at = path + ".ops[" + std::to_string(i) + "]";
      if (nameOf((*ops)[i]) == "p") {
        addParameter(model, parameter((*ops)[i], at), at);
        continue;
      }
      Operation op = operation((*ops)[i], at);
      if (op.name == "1.data" && op.outputs.size() == 1 && isFirstPersistable((*ops)[i], at))
        addParameter(model, {nameIn(op), true, std::move(op.outputs[0])}, at);
      else
        model.operations.push_back(std::move(op));
    }
    return model;
  }

private:
  void report(const std::string &where, const std::string &message) {
    diagnostics.add(file + ": " + where, message);
  }

  /// Layers that share a parameter by its name each have an op for it. All ops of a name have one value.
  void addParameter(Model &model, Parameter parameter, const std::string &path) {
    auto [known, isNew] = parametersByName.try_emplace(parameter.name, model.parameters.size());
    if (isNew)
      return model.parameters.push_back(std::move(parameter));
    const Definition &first = model.parameters[known->second].value;
    if (first.type.dtype != parameter.value.type.dtype || first.type.dims != parameter.value.type.dims)
      return report(path,
                    fmt::format("parameter '{}' has another type or other dims than the op before it of "
                                "that name",
                                parameter.name));
    firstOfName[parameter.value.id] = first.id;
  }

  int64_t operandId(const Json &json, const std::string &path) {
    int64_t id = integer(json, "%", path);
    auto first = firstOfName.find(id);
    return first == firstOfName.end() ? id : first->second;
  }

  const Json *field(const Json &json, const char *name, const std::string &path) {
    if (!json.is_object()) {
      report(path, fmt::format("found {}, expected an object", json.type_name()));
      return nullptr;
    }
    auto found = json.find(name);
    if (found != json.end())
      return &*found;
    report(path, fmt::format("field '{}' is missing", name));
    return nullptr;
  }

  const Json *array(const Json &json, const char *name, const std::string &path) {
    const Json *found = field(json, name, path);
    if (found && !found->is_array()) {
      report(path + "." + name, fmt::format("found {}, expected a list", found->type_name()));
      return nullptr;
    }
    return found;
  }

  int64_t integer(const Json &json, const char *name, const std::string &path) {
    const Json *found = field(json, name, path);
    if (found && !found->is_number_integer())
      report(path + "." + name, fmt::format("found {}, expected an integer", found->type_name()));
    return found && found->is_number_integer() ? found->get<int64_t>() : 0;
  }

  std::string text(const Json &json, const char *name, const std::string &path) {
    const Json *found = field(json, name, path);
    if (found && !found->is_string())
      report(path + "." + name, fmt::format("found {}, expected a string", found->type_name()));
    return found && found->is_string() ? found->get<std::string>() : "";
  }

  Type type(const Json &json, const std::string &path) {
    Type type;
    type.name = text(json, "#", path);
    if (type.name == "NULL" || type.name.empty())
      return type;
    type.kind = Type::Kind::Other;
    auto data = json.find("D");
    if (type.name == "0.t_vec" && data != json.end() && data->is_array()) {
      type.kind = Type::Kind::List;
      for (size_t i = 0; i < data->size(); ++i)
        type.elements.push_back(this->type((*data)[i], path + ".D[" + std::to_string(i) + "]"));
    } else if (type.name == "0.t_dtensor" || type.name == "1.t_dense_tensor_array") {
      readTensor(json, path, type);
      if (type.kind == Type::Kind::Tensor && type.name != "0.t_dtensor")
        type.kind = Type::Kind::Array;
    }
    return type;
  }

  void readTensor(const Json &json, const std::string &path, Type &type) {
    const Json *data = array(json, "D", path);
    if (!data || data->size() < 2 || !(*data)[0].is_object() || !(*data)[1].is_array())
      return report(path + ".D", "expected the element type and the dims of a tensor");
    auto element = elementTypes.find(nameOf((*data)[0]));
    if (element == elementTypes.end())
      return report(path + ".D[0]", fmt::format("'{}' is not an element type", nameOf((*data)[0])));
    type.kind = Type::Kind::Tensor;
    type.dtype = element->second;
    for (const Json &dim : (*data)[1]) {
      if (!dim.is_number_integer() || dim.get<int64_t>() < -1)
        return report(path + ".D[1]", "expected dims of -1 or more");
      type.dims.push_back(dim.get<int64_t>());
    }
  }

  /// The value of a literal's field D; floats that JSON has no number for are in VD.
  Literal literal(const Json &json, const std::string &path) {
    Literal out;
    out.kind = text(json, "#", path);
    if (auto special = json.find("VD"); special != json.end() && special->is_string()) {
      double infinity = std::numeric_limits<double>::infinity();
      out.value = *special == "NaN" ? std::nan("") : *special == "-INF" ? -infinity : infinity;
      return out;
    }
    auto data = json.find("D");
    if (data == json.end())
      return out;
    bool isFloat = out.kind == "0.a_f32" || out.kind == "0.a_f64";
    if (data->is_boolean())
      out.value = data->get<bool>();
    else if (isFloat && data->is_number())
      out.value = data->get<double>();
    else if (data->is_number_integer())
      out.value = data->get<int64_t>();
    else if (data->is_number())
      out.value = data->get<double>();
    else if (data->is_string())
      out.value = data->get<std::string>();
    else if (data->is_array())
      out.value = literals(*data, path + ".D");
    return out;
  }

  /// Elements are literals, or (in "1.a_intarray" and the like) bare numbers and strings.
  std::vector<Literal> literals(const Json &list, const std::string &path) {
    std::vector<Literal> out;
    for (size_t i = 0; i < list.size(); ++i) {
      const Json &element = list[i];
      if (element.is_object())
        out.push_back(literal(element, path + "[" + std::to_string(i) + "]"));
      else if (element.is_boolean())
        out.push_back({"", element.get<bool>()});
      else if (element.is_number_integer())
        out.push_back({"", element.get<int64_t>()});
      else if (element.is_number())
        out.push_back({"", element.get<double>()});
      else if (element.is_string())
        out.push_back({"", element.get<std::string>()});
    }
    return out;
  }

  Definition definition(const Json &json, const char *idField, const std::string &path) {
    Definition out;
    out.id = integer(json, idField, path);
    if (const Json *given = field(json, "TT", path))
      out.type = type(*given, path + ".TT");
    return out;
  }

  Parameter parameter(const Json &json, const std::string &path) {
    Parameter out;
    const Json *attributes = array(json, "A", path);
    if (attributes && attributes->size() >= 4 && (*attributes)[3].is_string())
      out.name = (*attributes)[3].get<std::string>();
    else
      report(path + ".A", "expected three flags and the name of the parameter");
    // Three flags more: persistable, stop_gradient, trainable.
    if (auto flags = json.find("OA"); flags != json.end() && flags->is_array() && !flags->empty())
      out.isPersistable = (*flags)[0] != 0 && (*flags)[0] != false;
    if (const Json *value = field(json, "O", path))
      out.value = definition(*value, "%", path + ".O");
    return out;
  }

  /// The variable of an op "data".
  static std::string nameIn(const Operation &op) {
    const Literal *literal = op.attribute("name");
    const auto *name = literal ? std::get_if<std::string>(&literal->value) : nullptr;
    return name ? *name : "";
  }

  /// Among the attributes of results: {"N": "persistable", "AT": a list of a bool for each}.
  bool isFirstPersistable(const Json &json, const std::string &path) {
    auto attributes = json.find("OA");
    if (attributes == json.end() || !attributes->is_array())
      return false;
    for (const Json &attribute : *attributes) {
      if (!attribute.is_object() || attribute.value("N", Json()) != "persistable" ||
          !attribute.contains("AT"))
        continue;
      Literal flags = literal(attribute["AT"], path + ".OA");
      const auto *list = std::get_if<std::vector<Literal>>(&flags.value);
      return list && !list->empty() && numberOf(list->front()).value_or(0) != 0;
    }
    return false;
  }

  Operation operation(const Json &json, const std::string &path) {
    Operation out;
    out.path = path;
    out.name = text(json, "#", path);
    if (!json.is_object())
      return out;
    if (const Json *inputs = array(json, "I", path))
      for (size_t i = 0; i < inputs->size(); ++i)
        out.inputs.push_back(operandId((*inputs)[i], path + ".I[" + std::to_string(i) + "]"));
    if (const Json *outputs = array(json, "O", path))
      for (size_t i = 0; i < outputs->size(); ++i)
        out.outputs.push_back(definition((*outputs)[i], "%", path + ".O[" + std::to_string(i) + "]"));
    if (const Json *attributes = array(json, "A", path))
      for (size_t i = 0; i < attributes->size(); ++i) {
        std::string at = path + ".A[" + std::to_string(i) + "]";
        std::string name = text((*attributes)[i], "N", at);
        if (const Json *value = field((*attributes)[i], "AT", at))
          out.attributes.push_back({name, literal(*value, at + ".AT")});
      }
    if (auto regions = json.find("regions"); regions != json.end() && regions->is_array())
      for (size_t r = 0; r < regions->size(); ++r)
        out.regions.push_back(blocks((*regions)[r], path + ".regions[" + std::to_string(r) + "]"));
    return out;
  }

  std::vector<Block> blocks(const Json &region, const std::string &path) {
    std::vector<Block> out;
    const Json *list = array(region, "blocks", path);
    for (size_t b = 0; list && b < list->size(); ++b) {
      std::string at = path + ".blocks[" + std::to_string(b) + "]";
      Block block;
      if (auto args = (*list)[b].find("args"); args != (*list)[b].end() && args->is_array())
        for (size_t i = 0; i < args->size(); ++i)
          block.arguments.push_back(definition((*args)[i], "#", at + ".args[" + std::to_string(i) + "]"));
      const Json *ops = array((*list)[b], "ops", at);
      for (size_t i = 0; ops && i < ops->size(); ++i)
        block.operations.push_back(operation((*ops)[i], at + ".ops[" + std::to_string(i) + "]"));
      out.push_back(std::move(block));
    }
    return out;
  }

  const std::string &file;
  /// Indices of parameters; and the ids of later ops of a name with the id of the first one.
  std::map<std::string, size_t> parametersByName;
  std::map<int64_t, int64_t> firstOfName;
};

} // namespace

const Literal *Operation::attribute(std::string_view attributeName) const {
  for (const Attribute &attribute : attributes)
    if (attribute.name == attributeName)
      return &attribute.value;
  return nullptr;
}

bool isNewIr(std::string_view text) {
  std::string_view head = text.substr(0, 200);
  size_t first = head.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  return first != std::string_view::npos && head[first] == '{' &&
         head.find("\"base_code\"") != std::string_view::npos &&
         head.find("\"pir\"") != std::string_view::npos;
}

Result<Model> readModel(std::string_view text, const std::string &path) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception &error) { // a number out of the range of double is not a parse_error
    return errorAt(path, std::string("is not valid JSON: ") + error.what());
  }
  Reader reader(path);
  Model model = reader.model(json);
  if (!reader.diagnostics.empty())
    return reader.diagnostics;
  return model;
}

} // namespace proa::newir
