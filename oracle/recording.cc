#include "gnomon/oracle/recording.h"

#include <algorithm>

#include "gnomon/oracle/axes.h"
#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/memory_layout.h"
#include "gnomon/oracle/wide_table.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

std::string Join(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
  return text;
}

class Reader {
 public:
  Reader(const TensorFile& file, const RecordingOptions& options)
      : file_(file), options_(options), operation_(nullptr) {}

  Recording Read() {
    recording_.memory = file_.memory;
    ReadHeader();
    TakeExtents();
    for (const TensorSpec& spec : operation_->outputs)
      if (const auto view = Find(spec, header_.outputs))
        recording_.outputs[spec.role] = InOrder(spec, *view);
    std::map<std::string, ConstTensorView> inputs;
    for (const TensorSpec& spec : operation_->inputs)
      if (const auto view = Find(spec, header_.inputs)) inputs[spec.role] = InOrder(spec, *view);
    NarrowTables(&inputs);
    TakeFormat(inputs);
    for (const auto& [role, view] : inputs) {
      const auto memory = header_.memory.find(role);
      recording_.c.inputs.emplace(
          role, memory == header_.memory.end() ? CopyOf(view) : LayOut(view, memory->second, role));
    }
    RefuseUnknownRoles();
    return std::move(recording_);
  }

 private:
  void ReadHeader() {
    const auto found = file_.metadata.find("gnomon.case");
    own_case_ = found != file_.metadata.end();
    if (own_case_) header_ = ParseCaseHeader(found->second, file_.name);
    Case& c = recording_.c;
    c = header_.c;
    if (!options_.operation.empty()) {
      if (!c.operation.empty() && c.operation != options_.operation)
        recording_.overrides.push_back("operation " + options_.operation +
                                       ", where the file's case says " + c.operation);
      c.operation = options_.operation;
    }
    if (c.operation.empty()) {
      c.operation = "rope.apply";
      Note("operation rope.apply, the default");
    }
    operation_ = FindOperation(c.operation);
    if (operation_ == nullptr) RefuseOperation();
    // A configuration speaks of the whole model: what concerns the operation is taken.
    const auto scaling = options_.config.find("rope_type");
    if (scaling != options_.config.end() && HasParameter("rope_theta") &&
        !HasParameter("rope_type"))
      throw Rejected("rope_type", Plain(scaling->second),
                     "of the configuration is a scaling, which " + operation_->name +
                         " does not take: state frequencies without --config",
                     "SCALE-16");
    for (const auto& [name, value] : options_.config)
      if (HasParameter(name)) c.parameters[name] = value;
    for (const auto& [name, value] : options_.set) c.parameters[name] = value;
    NoteOverrides();
    const bool has_x = IsRole("x", true, false) || IsRole("y", false, true);
    if (!options_.axes.empty() && !has_x)
      throw Rejected("--axes", Join(options_.axes),
                     "states those of x and y; " + operation_->name + " has neither", "CASE-7");
  }
  void NoteOverrides() {
    for (const auto& [name, value] : recording_.c.parameters) {
      const auto own = header_.c.parameters.find(name);
      if (!own_case_ || (own != header_.c.parameters.end() && own->second == value)) continue;
      recording_.overrides.push_back(
          name + " " + Plain(value) + ", where the file's case says " +
          (own == header_.c.parameters.end() ? "nothing" : Plain(own->second)));
    }
    if (own_case_ && options_.format && *options_.format != header_.c.format)
      recording_.overrides.push_back("format " + std::string(Traits(*options_.format).name) +
                                     ", where the file's case says " +
                                     std::string(Traits(header_.c.format).name));
    for (const auto& [role, name] : options_.tensors)
      if (const auto own = OwnName(role); own && *own != name)
        recording_.overrides.push_back("tensor " + role + " is " + name +
                                       ", where the file's case says " + *own);
    if (!options_.axes.empty())
      for (const char* role : {"x", "y"})
        if (const auto own = header_.axes.find(role);
            own != header_.axes.end() && own->second != options_.axes)
          recording_.overrides.push_back("axes of " + std::string(role) + " " +
                                         Join(options_.axes) + ", where the file's case says " +
                                         Join(own->second));
  }
  // The tensor that the file's own case names for a role.
  std::optional<std::string> OwnName(const std::string& role) const {
    for (const auto* names : {&header_.inputs, &header_.outputs})
      if (const auto found = names->find(role); found != names->end()) return found->second;
    return std::nullopt;
  }

  [[noreturn]] void RefuseOperation() const {
    std::vector<std::string> names;
    for (const OperationSpec* operation : AllOperations()) names.push_back(operation->name);
    throw Rejected("operation", recording_.c.operation, "is none of " + Join(names), "CASE-1");
  }

  bool HasParameter(const std::string& name) const {
    return std::any_of(operation_->parameters.begin(), operation_->parameters.end(),
                       [&](const ParameterSpec& p) { return p.name == name; });
  }
  std::optional<int64_t> IntegerParameter(const std::string& name) const {
    const auto found = recording_.c.parameters.find(name);
    const double* value =
        found == recording_.c.parameters.end() ? nullptr : std::get_if<double>(&found->second);
    if (value == nullptr || !(*value >= 1 && *value <= 0x1p20)) return std::nullopt;
    return static_cast<int64_t>(*value);
  }

  // Extents that parameters fix; the extent of the last axis becomes the parameter where the user
  // left it out.
  void TakeExtents() {
    for (const std::string name : {"head_dim", "width"}) {
      if (!HasParameter(name)) continue;
      if (!own_case_ && !recording_.c.parameters.count(name)) {
        if (const auto extent = ExtentInFile(name)) {
          recording_.c.parameters[name] = static_cast<double>(*extent);
          Note(name + " " + std::to_string(*extent) + ", from the tensor");
        }
      }
      if (const auto extent = IntegerParameter(name)) known_[name] = *extent;
    }
    const auto rotary = IntegerParameter("rotary_dim");
    if (rotary) known_["pair"] = *rotary / 2;
    if (!rotary && known_.count("head_dim")) known_["pair"] = known_["head_dim"] / 2;
  }
  std::optional<int64_t> ExtentInFile(const std::string& axis) {
    for (const auto* specs : {&operation_->inputs, &operation_->outputs}) {
      for (const TensorSpec& spec : *specs) {
        const auto view = Find(spec, {});
        if (!view) continue;
        const std::vector<std::string> axes = AxesOf(spec, *view);
        for (size_t i = 0; i < axes.size() && i < view->rank(); ++i)
          if (axes[i] == axis) return view->shape[i];
      }
    }
    return std::nullopt;
  }

  // The user's name for a role, the file's, or the role itself.
  std::optional<ConstTensorView> Find(const TensorSpec& spec,
                                      const std::map<std::string, std::string>& names) {
    const auto array = file_.tensors.find("array");  // of a .npy file: the output
    const bool is_array = array != file_.tensors.end() && file_.tensors.size() == 1 &&
                          operation_->outputs.size() == 1 &&
                          operation_->outputs[0].role == spec.role;
    if (const auto stated = options_.tensors.find(spec.role); stated != options_.tensors.end()) {
      if (is_array && stated->second != "array")
        throw Rejected("--tensor", Quoted(spec.role + "=" + stated->second),
                       "names the output, which the file itself is", "CASE-7");
      return Named(stated->second);
    }
    if (const auto own = names.find(spec.role); own != names.end())
      return TensorNamed(file_, own->second);
    if (Excluded(spec.role)) return std::nullopt;
    if (file_.unusable.count(spec.role)) return TensorNamed(file_, spec.role);  // says why not
    if (is_array) return array->second;
    const auto found = file_.tensors.find(spec.role);
    return found == file_.tensors.end() ? std::nullopt : std::optional(found->second);
  }
  // ROPE-4. Who names tables has no need of positions, nor the other way round.
  bool Excluded(const std::string& role) const {
    const auto named = [&](const std::string& other) {
      return options_.tensors.count(other) + header_.inputs.count(other) > 0;
    };
    if (operation_->name != "rope.apply") return false;
    if (role == "positions") return named("cos") || named("sin");
    return (role == "cos" || role == "sin") && named("positions");
  }
  ConstTensorView Named(const std::string& name) {
    const bool other_file = name.ends_with(".npy") && !file_.tensors.count(name);
    if (!other_file) return TensorNamed(file_, name);
    auto found = others_.find(name);
    if (found == others_.end()) found = others_.emplace(name, ReadTensorFile(name)).first;
    for (const FileBytes& bytes : found->second.memory) recording_.memory.push_back(bytes);
    return TensorNamed(found->second, "array");
  }

  // The axes of a tensor as stored. Those of a case that does not say are the operation's (CASE-7);
  // of any other tensor they are told by its rank: it may lack its batch.
  std::vector<std::string> AxesOf(const TensorSpec& spec, const ConstTensorView& view) const {
    const bool like_x = spec.role == "x" || spec.role == "y";
    if (like_x && !options_.axes.empty()) return options_.axes;
    if (const auto own = header_.axes.find(spec.role); own != header_.axes.end())
      return own->second;
    const bool canonical = own_case_ && !options_.tensors.count(spec.role);
    const bool may_lack_batch = spec.axes.size() > 1 && spec.axes[0] == "batch" && !canonical;
    if (may_lack_batch && view.rank() + 1 == spec.axes.size())
      return {spec.axes.begin() + 1, spec.axes.end()};
    return spec.axes;
  }
  ConstTensorView InOrder(const TensorSpec& spec, const ConstTensorView& view) {
    const std::vector<std::string> axes = AxesOf(spec, view);
    const bool stated = header_.axes.count(spec.role) > 0 || axes == options_.axes;
    if (spec.role == "x" && !stated && !own_case_) recording_.axes_by_rank = Join(axes);
    if (spec.role == "x" && !stated && !own_case_ && axes.size() == view.rank())
      Note("axes of x " + Join(axes) + ", by rank");
    if (!stated && (axes == spec.axes || axes.size() != view.rank()))
      return view;  // as the operation has it; Validate says what is wrong with it
    return Arrange(view, axes, spec.axes, known_, spec.role);
  }

  // Tables as wide as the window, each entry twice, as many implementations store them.
  void NarrowTables(std::map<std::string, ConstTensorView>* inputs) {
    if (own_case_ || !known_.count("pair")) return;
    for (auto* views : {inputs, &recording_.outputs}) {
      for (const std::string role : {"cos", "sin"}) {
        const auto found = views->find(role);
        if (found == views->end()) continue;
        if (const auto how = NarrowWideTable(&found->second, known_["pair"], role))
          Note(role + " is stored " + *how);
      }
    }
  }

  void TakeFormat(const std::map<std::string, ConstTensorView>& inputs) {
    Case& c = recording_.c;
    if (options_.format) {
      c.format = *options_.format;
    } else if (!own_case_) {
      const ConstTensorView* example = nullptr;
      if (const auto x = inputs.find("x"); x != inputs.end()) example = &x->second;
      if (!recording_.outputs.empty()) example = &recording_.outputs.begin()->second;
      if (example != nullptr && IsFloat(example->dtype)) c.format = FormatOf(example->dtype);
    }
  }

  // CASE-4. A role that the operation does not have is a slip of the pen.
  void RefuseUnknownRoles() const {
    const auto refuse = [&](const std::string& role) {
      throw Rejected("role", Quoted(role), "is not one of " + operation_->name, "CASE-4");
    };
    for (const auto& [role, name] : options_.tensors)
      if (!IsRole(role, true, true)) refuse(role);
    for (const auto& [role, name] : header_.inputs)
      if (!IsRole(role, true, false)) refuse(role);
    for (const auto& [role, name] : header_.outputs)
      if (!IsRole(role, false, true)) refuse(role);
    for (const auto& [role, axes] : header_.axes)
      if (!IsRole(role, true, true)) refuse(role);
    for (const auto& [role, layout] : header_.memory)
      if (!recording_.c.inputs.count(role)) refuse(role);
  }
  bool IsRole(const std::string& role, bool of_inputs, bool of_outputs) const {
    const auto has = [&](const std::vector<TensorSpec>& specs) {
      return std::any_of(specs.begin(), specs.end(),
                         [&](const TensorSpec& spec) { return spec.role == role; });
    };
    return (of_inputs && has(operation_->inputs)) || (of_outputs && has(operation_->outputs));
  }

  void Note(const std::string& note) { recording_.notes.push_back(note); }

  const TensorFile& file_;
  const RecordingOptions& options_;
  const OperationSpec* operation_;
  bool own_case_ = false;
  CaseHeader header_;
  std::map<std::string, int64_t> known_;
  std::map<std::string, TensorFile> others_;
  Recording recording_;
};

}  // namespace

Recording ReadRecording(const TensorFile& file, const RecordingOptions& options) {
  return Reader(file, options).Read();
}

}  // namespace gnomon::oracle
