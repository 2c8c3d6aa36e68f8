/// Reads the messages of a legacy program from JSON.
#pragma once

#include "translator/legacy/FormatNames.h"
#include "translator/legacy/JsonFields.h"

#include <fmt/format.h>

#include <functional>
#include <unordered_map>

namespace proa::legacy::json {

template <size_t N> using Keys = std::array<std::string_view, N>;

// Keys of each message; the enumerations name their places. `required` of ValueReader::object has a bit for
// each place.
enum { programBlocks, programVersion, programOpVersions };
constexpr Keys<3> programKeys{"blocks", "version", "op_version_map"};
enum { blockIndex, blockParent, blockVariables, blockOperations, blockForward };
constexpr Keys<5> blockKeys{"idx", "parent_idx", "vars", "ops", "forward_block_idx"};
enum { varName, varType, varPersistable, varNeedCheckFeed, varIsParameter, varStopGradient, varAttributes };
constexpr Keys<7> variableKeys{"name",         "type",          "persistable", "need_check_feed",
                               "is_parameter", "stop_gradient", "attrs"};
enum { typeKind, typeReader, typeTuple, typeTensorArray, typeDense, typeLod, typePlainTensors };
constexpr Keys<12> typeKeys{"type",         "reader",     "tuple",         "tensor_array",
                            "dense_tensor", "lod_tensor", "selected_rows", "string",
                            "strings",      "vocab",      "sparse_coo",    "sparse_csr"};
enum { tensorType, tensorDims };
constexpr Keys<2> tensorKeys{"data_type", "dims"};
enum { denseTensor };
constexpr Keys<3> denseKeys{"tensor", "legacy_lod_level", "lod_level"};
enum { opType, opInputs, opOutputs, opAttributes, opIsTarget };
constexpr Keys<5> operationKeys{"type", "inputs", "outputs", "attrs", "is_target"};
enum { slotName, slotArguments };
constexpr Keys<2> slotKeys{"parameter", "arguments"};
// After name and type: the field that holds the value, in the order of AttrType.
enum { attributeName, attributeType, attributeValue };
constexpr Keys<20> attributeKeys{"name",      "type",      "i",          "f",      "s",
                                 "ints",      "floats",    "strings",    "b",      "bools",
                                 "block_idx", "l",         "blocks_idx", "longs",  "float64s",
                                 "var_name",  "vars_name", "float64",    "scalar", "scalars"};
enum { scalarType, scalarBool, scalarLong, scalarReal, scalarComplex };
constexpr Keys<5> scalarKeys{"type", "b", "i", "r", "c"};
constexpr Keys<2> complexKeys{"r", "i"};
enum { pairName, pairVersion };
constexpr Keys<2> pairKeys{"op_name", "op_version"};

/// The type of a variable.
struct VariableType {
  VariableKind kind = VariableKind::DenseTensor;
  std::optional<DType> dtype;
  std::vector<int64_t> dims;
  int32_t lodLevel = 0;

  void giveTo(Variable &variable) const {
    variable.kind = kind;
    variable.dtype = dtype;
    variable.dims = dims;
    variable.lodLevel = lodLevel;
  }
};

/// Finds strings by views of them.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

class JsonReader : ValueReader {
public:
  using ValueReader::isWhole;
  explicit JsonReader(FileReport &report) : ValueReader(report) {}

  Program program(Element root) {
    Program out;
    object(Path{}, root, programKeys, 1 << programBlocks, [&](size_t key, const Path &at, Element value) {
      if (key == programBlocks)
        listInto(at, value, out.blocks, [&](const Path &path, Element e) { return block(path, e); });
      else if (key == programVersion)
        object(at, value, Keys<1>{"version"}, 0,
               [&](size_t, const Path &path, Element e) { out.version = int64(path, e); });
      else
        opVersions(at, value, out);
    });
    return out;
  }

private:
  std::string text(const Path &at, Element value) { return std::string(string(at, value)); }

  /// An enumeration by name or by number. 0 after an error.
  template <class NumberOf, class NameOf>
  int64_t enumeration(const Path &at, Element value, std::string_view expected, NumberOf numberOf,
                      NameOf nameOf) {
    std::string_view name;
    if (value.get(name) == simdjson::SUCCESS) {
      if (std::optional<int32_t> literal = numberOf(name))
        return *literal;
      wrong(at, value, expected);
      return 0;
    }
    int64_t read = integer(at, value, 0, INT32_MAX, expected);
    if (nameOf(read).empty())
      wrong(at, value, expected);
    return read;
  }

  int64_t varTypeOf(const Path &at, Element value) {
    return enumeration(at, value, "the name or number of a VarType", varTypeCode, varTypeName);
  }

  void opVersions(const Path &at, Element value, Program &out) {
    object(at, value, Keys<1>{"pair"}, 0, [&](size_t, const Path &pairs, Element pairList) {
      listInto(pairs, pairList, out.opVersions, [&](const Path &path, Element e) {
        std::pair<std::string, int32_t> pair;
        object(path, e, pairKeys, 0b11, [&](size_t key, const Path &path, Element e) {
          if (key == pairName)
            pair.first = text(path, e);
          else
            object(path, e, Keys<1>{"version"}, 1,
                   [&](size_t, const Path &path, Element e) { pair.second = int32(path, e); });
        });
        return pair;
      });
    });
  }

  Block block(const Path &blockPath, Element value) {
    Block out;
    object(blockPath, value, blockKeys, 1 << blockIndex | 1 << blockParent,
           [&](size_t key, const Path &at, Element value) {
             switch (key) {
             case blockIndex:
               out.index = int32(at, value);
               break;
             case blockParent:
               out.parent = int32(at, value);
               break;
             case blockForward:
               out.forwardBlock = int32(at, value);
               break;
             case blockVariables:
               listInto(at, value, out.variables,
                        [&](const Path &path, Element e) { return variable(path, e); });
               break;
             case blockOperations:
               listInto(at, value, out.operations,
                        [&](const Path &path, Element e) { return operation(path, e); });
               break;
             }
           });
    return out;
  }

  Variable variable(const Path &at, Element value) {
    Variable out;
    object(at, value, variableKeys, 1 << varName | 1 << varType,
           [&](size_t key, const Path &at, Element value) {
             switch (key) {
             case varName:
               out.name = text(at, value);
               break;
             case varType:
               type(at, value, out);
               break;
             case varPersistable:
               out.persistable = boolean(at, value);
               break;
             case varNeedCheckFeed:
               out.needCheckFeed = boolean(at, value);
               break;
             case varIsParameter:
               out.isParameter = boolean(at, value);
               break;
             case varStopGradient:
               out.stopGradient = boolean(at, value);
               break;
             default: // attributes of variables
               leave();
             }
           });
    return out;
  }

  /// Most variables have the same type as another one, in the same text: each text is read once.
  void type(const Path &at, Element value, Variable &out) {
    constexpr size_t mostKept = 4096;
    simdjson::ondemand::object members;
    std::string_view raw;
    if (value.get_object().get(members) != simdjson::SUCCESS)
      return wrong(at, value, "an object");
    if (members.raw_json().get(raw) != simdjson::SUCCESS)
      return leave();
    auto known = typesByText.find(raw);
    if (known == typesByText.end()) {
      VariableType read;
      size_t diagnostics = report.count();
      if (members.reset().error() != simdjson::SUCCESS)
        return leave();
      typeMembers(at, members, read);
      if (report.count() != diagnostics || !isWhole() || typesByText.size() >= mostKept)
        return read.giveTo(out);
      known = typesByText.emplace(raw, std::move(read)).first;
    }
    known->second.giveTo(out);
  }

  void typeMembers(const Path &at, simdjson::ondemand::object &members, VariableType &out) {
    object(at, members, typeKeys, 1 << typeKind, [&](size_t key, const Path &at, Element value) {
      if (key == typeKind)
        out.kind = kind(at, value);
      else if (key == typeTensorArray || key == typeDense || key == typeLod)
        denseDescription(at, value, out);
      else if (key >= typePlainTensors)
        tensorDescription(at, value, out);
      else // of readers and tuples
        leave();
    });
  }

  VariableKind kind(const Path &at, Element value) {
    size_t before = report.count();
    std::optional<VariableKind> kind = variableKindFromCode(varTypeOf(at, value));
    if (!kind && report.count() == before)
      wrong(at, value, "a VarType that is not an element type");
    return kind.value_or(VariableKind::DenseTensor);
  }

  void denseDescription(const Path &at, Element value, VariableType &out) {
    object(at, value, denseKeys, 1 << denseTensor, [&](size_t key, const Path &at, Element value) {
      if (key == denseTensor)
        tensorDescription(at, value, out);
      else
        out.lodLevel = int32(at, value);
    });
  }

  void tensorDescription(const Path &at, Element value, VariableType &out) {
    object(at, value, tensorKeys, 1 << tensorType, [&](size_t key, const Path &at, Element value) {
      if (key == tensorType)
        out.dtype = dtypeFromCode(varTypeOf(at, value));
      else
        listInto(at, value, out.dims, [&](const Path &path, Element e) { return int64(path, e); });
    });
  }

  Operation operation(const Path &at, Element value) {
    Operation out;
    object(at, value, operationKeys, 1 << opType, [&](size_t key, const Path &at, Element value) {
      switch (key) {
      case opType:
        out.type = text(at, value);
        break;
      case opInputs:
        listInto(at, value, out.inputs, [&](const Path &path, Element e) { return slot(path, e); });
        break;
      case opOutputs:
        listInto(at, value, out.outputs, [&](const Path &path, Element e) { return slot(path, e); });
        break;
      case opAttributes:
        out.attributes = attributes(at, value);
        break;
      case opIsTarget:
        out.isTarget = boolean(at, value);
        break;
      }
    });
    return out;
  }

  Slot slot(const Path &at, Element value) {
    Slot out;
    object(at, value, slotKeys, 1 << slotName, [&](size_t key, const Path &at, Element value) {
      if (key == slotName)
        out.name = text(at, value);
      else
        listInto(at, value, out.arguments, [&](const Path &path, Element e) { return text(path, e); });
    });
    return out;
  }

  /// Most ops have the same attributes as another one, in the same text: each text is read once.
  Attributes attributes(const Path &at, Element value) {
    simdjson::ondemand::array elements;
    std::string_view raw;
    if (value.get_array().get(elements) != simdjson::SUCCESS) {
      wrong(at, value, "a list");
      return {};
    }
    if (elements.raw_json().get(raw) != simdjson::SUCCESS) {
      leave();
      return {};
    }
    if (auto known = attributesByText.find(raw); known != attributesByText.end())
      return known->second;
    size_t diagnostics = report.count();
    std::vector<Attribute> found;
    if (elements.reset().error() == simdjson::SUCCESS)
      list(at, elements, [&](const Path &path, Element e) { found.push_back(attribute(path, e)); });
    else
      leave();
    Attributes read(std::move(found));
    if (report.count() != diagnostics)
      return read;
    return attributesByText.emplace(raw, std::move(read)).first->second;
  }

  Attribute attribute(const Path &at, Element value) {
    Attribute out;
    simdjson::ondemand::object members;
    if (value.get_object().get(members) != simdjson::SUCCESS) {
      wrong(at, value, "an object");
      return out;
    }
    int64_t type = -1;
    size_t valueKey = 0; // 0: none yet
    bool isRead = false;
    object(at, members, attributeKeys, 1 << attributeName | 1 << attributeType,
           [&](size_t key, const Path &at, Element value) {
             if (key == attributeName)
               out.name = text(at, value);
             else if (key == attributeType)
               type = enumeration(at, value, "the name or number of an AttrType", attributeTypeCode,
                                  attributeTypeName);
             else if (valueKey != 0)
               report.add(at.text(), fmt::format("a second value, after '{}'", attributeKeys[valueKey]));
             else if (valueKey = key; type >= 0 && key == static_cast<size_t>(type) + attributeValue)
               out.value = readValue(at, type, value), isRead = true;
           });
    if (type < 0 || type >= attributeTypeCount) // reported above
      return out;
    size_t expectedKey = static_cast<size_t>(type) + attributeValue;
    if (valueKey != 0 && valueKey != expectedKey)
      report.add(at.text(),
                 fmt::format("attribute '{}' of type {} has a value in '{}', expected it in '{}'", out.name,
                             attributeTypeName(type), attributeKeys[valueKey], attributeKeys[expectedKey]));
    else if (valueKey == 0)
      out.value = absentValue(at, out.name, type);
    else if (!isRead)
      readAgain(at, members, attributeKeys, expectedKey,
                [&](const Path &at, Element value) { out.value = readValue(at, type, value); });
    return out;
  }

  /// Reads a member whose type is given by a later member.
  template <size_t N, class Read>
  void readAgain(const Path &at, simdjson::ondemand::object &members, const Keys<N> &keys, size_t index,
                 Read read) {
    if (members.reset().error() != simdjson::SUCCESS)
      return leave();
    object(at, members, keys, 0, [&](size_t key, const Path &at, Element value) {
      if (key == index)
        read(at, value);
    });
  }

  /// Lists that are absent are empty, numbers zero; but a block or a variable must be given.
  AttributeValue absentValue(const Path &at, const std::string &name, int64_t type) {
    AttributeValue value = defaultValue(type);
    if (std::holds_alternative<BlockIndex>(value) || std::holds_alternative<VariableName>(value) ||
        std::holds_alternative<Scalar>(value))
      report.add(at.text(), fmt::format("attribute '{}' of type {} has no value, expected it in '{}'", name,
                                        attributeTypeName(type), attributeKeys[type + attributeValue]));
    return value;
  }

  static AttributeValue defaultValue(int64_t type) {
    AttributeValue value;
    [&]<size_t... I>(std::index_sequence<I...>) {
      ((static_cast<int64_t>(I) == type ? void(value.emplace<I>()) : void()), ...);
    }(std::make_index_sequence<attributeTypeCount>());
    return value;
  }

  AttributeValue readValue(const Path &at, int64_t type, Element value) {
    auto floatOf = [&](const Path &path, Element e) { return float32(path, e); };
    auto textOf = [&](const Path &path, Element e) { return text(path, e); };
    auto int32Of = [&](const Path &path, Element e) { return int32(path, e); };
    switch (type) {
    case 0:
      return int32(at, value);
    case 1:
      return float32(at, value);
    case 2:
      return text(at, value);
    case 3:
      return listOf<std::vector<int32_t>>(at, value, int32Of);
    case 4:
      return listOf<std::vector<float>>(at, value, floatOf);
    case 5:
      return listOf<std::vector<std::string>>(at, value, textOf);
    case 6:
      return boolean(at, value);
    case 7:
      return listOf<std::vector<bool>>(at, value,
                                       [&](const Path &path, Element e) { return boolean(path, e); });
    case 8:
      return BlockIndex{int32(at, value)};
    case 9:
      return int64(at, value);
    case 10:
      return BlockIndices{listOf<std::vector<int32_t>>(at, value, int32Of)};
    case 11:
      return listOf<std::vector<int64_t>>(at, value,
                                          [&](const Path &path, Element e) { return int64(path, e); });
    case 12:
      return listOf<std::vector<double>>(at, value,
                                         [&](const Path &path, Element e) { return number(path, e); });
    case 13:
      return VariableName{text(at, value)};
    case 14:
      return VariableNames{listOf<std::vector<std::string>>(at, value, textOf)};
    case 15:
      return number(at, value);
    case 16:
      return scalar(at, value);
    default:
      return listOf<std::vector<Scalar>>(at, value,
                                         [&](const Path &path, Element e) { return scalar(path, e); });
    }
  }

  template <class List, class Read> List listOf(const Path &at, Element value, Read read) {
    List out;
    listInto(at, value, out, read);
    return out;
  }

  Scalar scalar(const Path &at, Element value) {
    simdjson::ondemand::object members;
    if (value.get_object().get(members) != simdjson::SUCCESS) {
      wrong(at, value, "an object");
      return {};
    }
    int64_t type = 0;
    std::array<bool, scalarKeys.size()> given{};
    object(at, members, scalarKeys, 1 << scalarType, [&](size_t key, const Path &at, Element value) {
      given[key] = true;
      if (key == scalarType)
        type = enumeration(at, value, "the name or number of a Scalar type", scalarTypeCode, scalarTypeName);
    });
    if (scalarTypeName(type).empty()) // reported above
      return {};
    if (!given[type]) {
      report.add(at.text(), fmt::format("a Scalar of type {} has no value, expected it in '{}'",
                                        scalarTypeName(type), scalarKeys[type]));
      return {};
    }
    Scalar out;
    readAgain(at, members, scalarKeys, type,
              [&](const Path &at, Element value) { out = scalarOf(at, type, value); });
    return out;
  }

  Scalar scalarOf(const Path &at, int64_t type, Element value) {
    switch (type) {
    case scalarBool:
      return {boolean(at, value)};
    case scalarLong:
      return {int64(at, value)};
    case scalarReal:
      return {number(at, value)};
    default:
      return {complex(at, value)};
    }
  }

  Complex complex(const Path &at, Element value) {
    Complex out;
    object(at, value, complexKeys, 0b11, [&](size_t key, const Path &at, Element value) {
      (key == 0 ? out.real : out.imaginary) = number(at, value);
    });
    return out;
  }

  std::unordered_map<std::string, Attributes, TextHash, std::equal_to<>> attributesByText;
  std::unordered_map<std::string, VariableType, TextHash, std::equal_to<>> typesByText;
};

} // namespace proa::legacy::json
