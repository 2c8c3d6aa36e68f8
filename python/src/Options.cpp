#include "Options.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

namespace nb = nanobind;

namespace proa::python {
namespace {

/// A keyword argument that sets a field of S.
template <class S> struct Field {
  const char *name;
  std::string type; ///< for Python
  const char *doc;
  std::function<void(S &, nb::handle)> set;
};

/// An error of a value: "expected int, found 'x'".
[[noreturn]] void failType(const std::string &expected, nb::handle value) {
  throw nb::type_error(("expected " + expected + ", found " + nb::repr(value).c_str()).c_str());
}

/// Type and conversion of an option.
template <class T> struct Value;

template <class T>
  requires std::is_arithmetic_v<T>
struct Value<T> {
  static std::string type() {
    return std::is_same_v<T, bool> ? "bool" : std::is_floating_point_v<T> ? "float" : "int";
  }
  static T from(nb::handle value) {
    T result;
    // A bool is an int of Python, but hardly meant as a number.
    if ((!std::is_same_v<T, bool> && PyBool_Check(value.ptr())) || !nb::try_cast<T>(value, result))
      failType(type(), value);
    return result;
  }
};

template <> struct Value<std::string> {
  static std::string type() { return "str"; }
  static std::string from(nb::handle value) {
    std::string result;
    if (nb::hasattr(value, "__fspath__"))
      return from(nb::module_::import_("os").attr("fspath")(value));
    if (!nb::try_cast(value, result))
      failType("str", value);
    return result;
  }
};

template <class T> struct Value<std::vector<T>> {
  static std::string type() { return "Sequence[" + Value<T>::type() + "]"; }
  static std::vector<T> from(nb::handle value) {
    std::vector<T> result;
    if (PyUnicode_Check(value.ptr()) || !nb::isinstance<nb::iterable>(value))
      failType("a list", value);
    for (nb::handle element : value)
      result.push_back(Value<T>::from(element));
    return result;
  }
};

template <class T> struct Value<std::map<std::string, T>> {
  static std::string type() { return "Mapping[str, " + Value<T>::type() + "]"; }
  static std::map<std::string, T> from(nb::handle value) {
    std::map<std::string, T> result;
    nb::dict entries;
    if (!nb::hasattr(value, "keys"))
      failType("a dict", value);
    entries.update(value);
    for (auto [key, entry] : entries)
      result[Value<std::string>::from(key)] = Value<T>::from(entry);
    return result;
  }
};

template <class T> struct Value<std::optional<T>> {
  static std::string type() { return Value<T>::type() + " | None"; }
  static std::optional<T> from(nb::handle value) {
    return value.is_none() ? std::optional<T>() : Value<T>::from(value);
  }
};

template <class S, class T> Field<S> field(const char *name, T S::*member, const char *doc) {
  return {name, Value<T>::type(), doc,
          [member](S &s, nb::handle value) { s.*member = Value<T>::from(value); }};
}

/// A file or folder.
template <class S> Field<S> path(const char *name, std::string S::*member, const char *doc) {
  Field<S> result = field(name, member, doc);
  result.type = "str | os.PathLike[str]";
  return result;
}

/// A value with one of these names.
template <class S, class T>
Field<S> choice(const char *name, T S::*member, std::vector<std::pair<const char *, T>> names,
                const char *doc) {
  std::string type;
  for (auto &[text, value] : names)
    type += (type.empty() ? "Literal[\"" : ", \"") + std::string(text) + "\"";
  type += "]";
  return {name, type, doc, [=](S &s, nb::handle value) {
            for (auto &[text, result] : names)
              if (value.equal(nb::str(text))) {
                s.*member = result;
                return;
              }
            failType(type, value);
          }};
}

/// ", did you mean 'threads'?", or "".
template <class S> std::string suggestion(const std::vector<Field<S>> &fields, nb::handle name) {
  nb::list names;
  for (const Field<S> &known : fields)
    names.append(known.name);
  nb::object close = nb::module_::import_("difflib").attr("get_close_matches")(name, names, 1);
  return nb::len(close) == 0 ? "" : "; did you mean '" + nb::cast<std::string>(close[0]) + "'?";
}

template <class S>
void setFields(S &options, const nb::dict &values, const std::vector<Field<S>> &fields, const char *kind) {
  for (auto [key, value] : values) {
    std::string name = Value<std::string>::from(key);
    auto found = std::find_if(fields.begin(), fields.end(), [&](auto &known) { return known.name == name; });
    if (found == fields.end())
      throw nb::type_error(
          ("unknown " + std::string(kind) + " '" + name + "'" + suggestion(fields, key)).c_str());
    try {
      found->set(options, value);
    } catch (const nb::builtin_exception &error) {
      throw nb::type_error((std::string(kind) + " '" + name + "': " + error.what()).c_str());
    }
  }
}

const std::vector<Field<AmpOptions>> &ampFields() {
  using Options = AmpOptions;
  static const std::vector<Field<Options>> fields = {
      choice("level", &Options::level, {{"O1", Options::Level::O1}, {"O2", Options::Level::O2}},
             "O1: ops of the allow list in 16 bits; O2: all but the deny list."),
      choice("dtype", &Options::dtype, {{"float16", DType::Float16}, {"bfloat16", DType::BFloat16}},
             "The 16-bit format."),
      field("allow", &Options::allow, "Ops moved to the allow list."),
      field("deny", &Options::deny, "Ops moved to the deny list."),
      field("grey", &Options::grey, "Ops moved to the grey list."),
      choice("scaling", &Options::scaling,
             {{"none", Options::Scaling::None},
              {"static", Options::Scaling::Static},
              {"dynamic", Options::Scaling::Dynamic}},
             "Loss scaling."),
      field("loss_scale", &Options::lossScale, "The constant or initial scale."),
      field("increase_every", &Options::increaseEvery, "Finite steps after which a dynamic scale grows."),
      field("decrease_every", &Options::decreaseEvery, "Other steps after which a dynamic scale shrinks."),
      field("increase_ratio", &Options::increaseRatio, "Factor by which a dynamic scale grows."),
      field("decrease_ratio", &Options::decreaseRatio, "Factor by which a dynamic scale shrinks."),
  };
  return fields;
}

const std::vector<Field<MeshOptions>> &meshFields() {
  using Options = MeshOptions;
  static const std::vector<Field<Options>> fields = {
      field("axes", &Options::axes, "Axes and their sizes: \"dp=2,mp=4\"."),
      path("shardings", &Options::shardings, "Shardings by name pattern: a JSON file, or its content."),
      field("strategy", &Options::strategy, "Strategy of parallel training: \"dp2,zero1\"."),
      field("rings", &Options::rings, "Axes of the process groups of a legacy collective program."),
      field("simulate", &Options::simulate,
            "The ranks are threads of this process, not processes of mpirun."),
      field("overlap", &Options::overlap, "Collectives communicate while kernels run."),
      field("emulated_link", &Options::emulatedLink, "Delays messages: \"20us,1GB/s\"."),
      field("memory_limit", &Options::memoryLimit, "Most bytes of one step of a reshard; 0: no limit."),
      path("schedule", &Options::schedule, "Order of the jobs of a pipeline: a file, or its content."),
  };
  return fields;
}

const std::vector<Field<OffloadOptions>> &offloadFields() {
  using Options = OffloadOptions;
  static const std::vector<Field<Options>> fields = {
      field("optimizer", &Options::optimizer, "Stores states of optimizers."),
      field("parameters", &Options::parameters, "Stores parameters."),
      field("least_bytes", &Options::leastBytes, "Smaller states stay in memory."),
      path("folder", &Options::folder, "Folder of the files; empty: the folder of temporary files."),
  };
  return fields;
}

template <> struct Value<AmpOptions> {
  static std::string type() { return "Literal[\"O1\", \"O2\"] | AmpOptions"; }
  static AmpOptions from(nb::handle value) {
    AmpOptions options;
    nb::dict values;
    if (nb::isinstance<nb::dict>(value))
      values = nb::cast<nb::dict>(value);
    else
      values["level"] = value;
    setFields(options, values, ampFields(), "option of amp");
    return options;
  }
};

template <> struct Value<MeshOptions> {
  static std::string type() { return "str | MeshOptions"; }
  /// A text has the axes of simulated ranks.
  static MeshOptions from(nb::handle value) {
    MeshOptions options;
    if (PyUnicode_Check(value.ptr())) {
      options.axes = Value<std::string>::from(value);
      options.simulate = true;
    } else if (nb::isinstance<nb::dict>(value)) {
      setFields(options, nb::cast<nb::dict>(value), meshFields(), "option of mesh");
    } else {
      failType("str or dict", value);
    }
    return options;
  }
};

template <> struct Value<OffloadOptions> {
  static std::string type() { return "OffloadOptions"; }
  static OffloadOptions from(nb::handle value) {
    OffloadOptions options;
    if (!nb::isinstance<nb::dict>(value))
      failType("dict", value);
    setFields(options, nb::cast<nb::dict>(value), offloadFields(), "option of offload");
    return options;
  }
};

const std::vector<Field<ModelOptions>> &modelFields() {
  using Options = ModelOptions;
  static const std::vector<Field<Options>> fields = {
      field("threads", &Options::threads, "Number of threads of a run; 0: one for each core."),
      field("seed", &Options::seed, "Seed of random ops that have no seed attribute."),
      path("parameters", &Options::parameters, "Weights file; default: the one beside the program."),
      path("cache_directory", &Options::cacheDirectory,
           "Cache of compiled programs; \"off\": none; default: $PROA_CACHE_DIR, else ~/.cache/proa."),
      field("feeds", &Options::feeds, "Fed variables; default: the program's own."),
      field("fetches", &Options::fetches, "Fetched variables; default: the program's own."),
      field("fetch_all", &Options::fetchesAll, "Whether all named values are fetched, too."),
      field("dims", &Options::feedDims, "Dims of feeds that replace declared ones, such as another batch."),
      field("function", &Options::function, "Function of an IR file; default: main."),
      field("target", &Options::target, "\"cpu\", \"cuda\", \"cuda:N\", \"cuda-emulated\", or a list."),
      field("cpu", &Options::cpu, "The CPU that kernels are compiled for, by its LLVM name."),
      field("target_facts", &Options::targetFacts,
            "JSON file of facts about the machine that replace the known ones."),
      field("amp", &Options::amp, "Mixed precision: a level, or options by name."),
      field("mesh", &Options::mesh, "Devices: axes of simulated ranks (\"dp=2\"), or options by name."),
      field("mesh_of_program", &Options::usesMeshOfProgram,
            "Whether an IR file runs on its own meshes, on the processes of mpirun."),
      field("offload", &Options::offload, "Keeps states outside of memory between their uses."),
      field("memory_budget", &Options::memoryBudget,
            "Recomputes values until peak memory is at most this many bytes; -1: only nearly free ones."),
      field("micro_batches", &Options::microBatches, "Micro-batches, computed one after the other."),
      field("check_finite", &Options::checkFinite,
            "A NaN or Inf stops a run with an error that names the op."),
      choice("optimize", &Options::codeOptimization,
             {{"background", CodeOptimization::Background},
              {"always", CodeOptimization::Always},
              {"never", CodeOptimization::Never}},
             "When LLVM optimizes kernels: in the background after the first runs, before them, or never."),
      field("tf32", &Options::allowsTf32, "On a GPU, float32 products may round operands to TF32."),
      field("atomic_sums", &Options::allowsAtomicSums, "On a GPU, sums may be atomic additions."),
      field("passes", &Options::passes, "Passes that run on the imported program: a pipeline of MLIR."),
      field("patterns", &Options::patterns,
            "Files of patterns in PDLL (*.pdll, or *.mlir of mlir-pdll), applied after passes."),
      field("remarks", &Options::remarks, "Passes whose remarks are reported: a regular expression."),
      field("decompose", &Options::decompose, "For tests: decomposes ops that have kernels, too."),
      field("derived_gradients", &Options::derivedGradients,
            "For tests: variables of gradients that proa derives, by parameter."),
      path("dump_directory", &Options::dumpDirectory, "Folder for the IR of each stage."),
      choice("specialization", &Options::specialization,
             {{"background", Specialization::Background},
              {"always", Specialization::Always},
              {"never", Specialization::Never}},
             "When dynamic dims are compiled for: those that come back, all, or none."),
      field("kept_specializations", &Options::keptSpecializations,
            "Number of sets of feed dims for which programs are kept."),
  };
  return fields;
}

const std::vector<Field<ProgramOptions>> &programFields() {
  using Options = ProgramOptions;
  static const std::vector<Field<Options>> fields = {
      field("feeds", &Options::feeds, "Fed variables; default: the program's own."),
      field("fetches", &Options::fetches, "Fetched variables; default: the program's own."),
      field("function", &Options::function, "Function of an IR file; default: main."),
      path("parameters", &Options::parameters, "Weights file; default: the one beside the program."),
      field("locations", &Options::locations, "Whether IR has the lines of the user's Python code."),
      field("opset", &Options::opset, "Opset of an ONNX model; 0: the default."),
  };
  return fields;
}

/// Rows (name, type, documentation).
template <class S> nb::list tableOf(const std::vector<Field<S>> &fields) {
  nb::list rows;
  for (const Field<S> &option : fields)
    rows.append(nb::make_tuple(option.name, option.type, option.doc));
  return rows;
}

} // namespace

ModelOptions modelOptionsOf(const nb::dict &arguments) {
  ModelOptions options;
  setFields(options, arguments, modelFields(), "option");
  return options;
}

ProgramOptions programOptionsOf(const nb::dict &arguments) {
  ProgramOptions options;
  setFields(options, arguments, programFields(), "option");
  return options;
}

AmpOptions ampOptionsOf(nb::handle value) { return Value<AmpOptions>::from(value); }

void addOptions(nb::module_ &module) {
  module.def("_option_tables", [] {
    nb::dict tables;
    tables["AmpOptions"] = tableOf(ampFields());
    tables["MeshOptions"] = tableOf(meshFields());
    tables["OffloadOptions"] = tableOf(offloadFields());
    tables["Options"] = tableOf(modelFields());
    tables["ProgramOptions"] = tableOf(programFields());
    return tables;
  });
}

} // namespace proa::python
