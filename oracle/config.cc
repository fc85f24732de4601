#include "gnomon/oracle/config.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/config_keys.h"
#include "gnomon/oracle/config_scaling.h"
#include "gnomon/oracle/config_schemes.h"
#include "gnomon/oracle/files.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

std::string Short(const Json& value) {
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= 80 ? text : text.substr(0, 80) + "...";
}

// The path of the first key, at any depth, that decides an angle. Each tower has extents of its
// own, so that those of a tower for images or sound say nothing of the text.
std::optional<std::string> PositionKeyWithin(const Json& object, bool other_tower) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_null() || IsUnrelatedKey(key)) continue;
    if (IsRopeKey(key) ? !(other_tower && IsExtentKey(key)) : SpeaksOfPositions(key)) return key;
    if (!value.is_structured()) continue;
    if (const auto inner = PositionKeyWithin(value, other_tower || IsOtherTower(key)))
      return key + "." + *inner;
  }
  return std::nullopt;
}

class ConfigReader {
 public:
  ConfigReader(const Json& json, std::string file, const ConfigChoices& choices,
               bool nested = false)
      : json_(json), file_(std::move(file)), choices_(choices), nested_(nested) {}

  Parameters Read() {
    if (!json_.is_object()) throw BadFile(file_, "is no JSON object", "CASE-6");
    RefuseModelsWithoutRope();
    RefuseAnotherTower();
    if (TextConfig() == nullptr) RefuseWhatTheFileDoesNotSay();
    RefuseUnknownKeys();
    const Json* text_config = TextConfig();
    RefuseNestedKeys(text_config);
    if (text_config != nullptr)
      return ConfigReader(*text_config, file_ + ": text_config", choices_, true).Read();
    ReadScaling();
    ReadLayersWithoutRope();
    const auto head_dim = HeadDim();
    if (head_dim) parameters_["head_dim"] = static_cast<double>(*head_dim);
    if (const auto rotary_dim = RotaryDim(head_dim))
      parameters_["rotary_dim"] = static_cast<double>(*rotary_dim);
    std::vector<Named> bases = {{"rope_theta", Get("rope_theta")},
                                {"rotary_emb_base", Get("rotary_emb_base")},
                                {"rope_parameters.rope_theta", Inner("rope_theta")},
                                {"global_rope_theta", Get("global_rope_theta")},
                                {"attn_config.rope_theta", OfAttention("rope_theta")}};
    if (local_)
      bases = {{"rope_local_base_freq", Get("rope_local_base_freq")},
               {"local_rope_theta", Get("local_rope_theta")}};
    if (const auto theta = Agreed(bases)) {
      parameters_["rope_theta"] = *theta;
    } else if (!local_ && !choices_.rope_theta) {
      RefuseOwnDefault();
    }
    if (const Json* interleaved = Get("rope_interleaved")) {
      if (!interleaved->is_boolean()) Refuse("rope_interleaved", *interleaved, "must be a boolean");
      parameters_["layout"] = std::string(interleaved->get<bool>() ? "interleaved" : "half_split");
    }
    if (parameters_.empty()) throw BadFile(file_, "states no RoPE parameter", "CASE-6");
    return parameters_;
  }

 private:
  struct Named {
    std::string name;
    const Json* value;
  };

  [[noreturn]] void Refuse(const std::string& key, const Json& value, const std::string& why,
                           const std::string& clause = "CASE-6") const {
    throw Rejected(file_ + ": " + key, Short(value), why, clause);
  }

  // Null where the key is not there, or null: both mean its default.
  const Json* Get(const std::string& key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  const Json* Inner(const std::string& key) const {
    if (rope_ == nullptr) return nullptr;
    const auto found = rope_->find(key);
    return found == rope_->end() || found->is_null() ? nullptr : &*found;
  }

  // DBRX: what an object of the attention alone says of RoPE.
  const Json* OfAttention(const std::string& key) const {
    const Json* object = Get("attn_config");
    if (object == nullptr || !object->is_object()) return nullptr;
    const auto found = object->find(key);
    return found == object->end() || found->is_null() ? nullptr : &*found;
  }
  bool IsReadAttention(const Json& object) const {
    if (OfAttention("rope_theta") == nullptr) return false;
    for (const auto& [key, value] : object.items())
      if (key != "rope_theta" && SpeaksOfPositions(key) && !value.is_null()) return false;
    return true;
  }

  // Whose head_dim the axes of an image would be split from.
  void RefuseAnotherTower() const {
    const Json* tower = Get("vision_config");
    if (tower != nullptr && choices_.operation == "multi_axis.axial" && !choices_.text_tower)
      Refuse("vision_config", *tower,
             "has axes of its own: --set tower=vision reads it, tower=text the rest");
  }

  // Where two models of one model_type differ, or its code has what no key says.
  void RefuseWhatTheFileDoesNotSay() const {
    const Json* named = Get("model_type");
    if (named == nullptr || !named->is_string()) return;
    const std::string type = named->get<std::string>();
    const Json* size = Get("hidden_size");
    if (type == "baichuan" && (size == nullptr || *size != 4096))
      Refuse("model_type", *named,
             "has RoPE with hidden_size 4096 (7B) and ALiBi with 5120 (13B): state the parameters "
             "without --config, or ask for alibi");
    if (type == "chatglm") {
      if (!choices_.stated.count("rotary_dim"))
        Refuse("model_type", *named,
               "rotates half of the dims of a head, which no key says: state rotary_dim by --set");
      if (const Json* ratio = Get("rope_ratio"); ratio != nullptr && !choices_.rope_theta)
        Refuse("rope_ratio", *ratio,
               "is multiplied with 10000 in the code of GLM 4 and not in all that have it: state "
               "rope_theta by --set");
    }
    if (type.starts_with("ernie4_5_vl") && !choices_.stated.count("frequencies"))
      Refuse("model_type", *named,
             "gives its frequencies to the pairs in an order of its own: state frequencies by "
             "--set");
    if (type.starts_with("gemma4") && choices_.layer_type == "full_attention" &&
        Get("global_head_dim") == nullptr && !choices_.head_dim)
      throw Rejected(file_ + ": global_head_dim", "(missing)",
                     "is the head_dim of full attention, 512 by default in " + type +
                         ": state head_dim by --set",
                     "CASE-6");
  }

  void RefuseUnknownKeys() const {
    for (const auto& [key, value] : json_.items()) {
      if (value.is_null() || IsRopeKey(key) || IsUnrelatedKey(key) || !SpeaksOfPositions(key))
        continue;
      if (key == "rope_ratio" && choices_.rope_theta) continue;
      if ((key == "alibi" || key == "use_alibi") && value == Json(true))
        Refuse(key, value, "is ALiBi, not RoPE");
      if (const auto harmless = HarmlessValues(key)) {
        if (std::count(harmless->begin(), harmless->end(), value)) continue;
        Refuse(key, value, "is not supported");
      }
      Refuse(key, value, "is not understood, and speaks of positions");
    }
  }

  void RefuseModelsWithoutRope() const {
    const Json* type = Get("model_type");
    if (type != nullptr && type->is_string() && IsModelWithoutRope(type->get<std::string>()))
      Refuse("model_type", *type, "is a model without RoPE");
  }

  // A file leaves out what is the default of its model, which need not be that of rope_theta here.
  void RefuseOwnDefault() const {
    const Json* type = Get("model_type");
    if (type == nullptr || !type->is_string()) return;
    const std::string name = type->get<std::string>();
    if (const auto base = OwnDefaultTheta(name))
      throw Rejected(file_ + ": rope_theta", "(missing)",
                     "is " + std::to_string(*base) + " by default in " + name +
                         " and 10000 elsewhere: state it by --set rope_theta",
                     "CASE-6");
  }

  // A model of several towers states its language model's own configuration there, and nothing
  // beside it.
  const Json* TextConfig() const {
    const Json* found = nested_ ? nullptr : Get("text_config");
    if (found == nullptr || !found->is_object()) return nullptr;
    for (const auto& [key, value] : json_.items())
      if (IsRopeKey(key) && !value.is_null()) return nullptr;
    return found;
  }

  // What a nested object says of positions is either read or refused.
  void RefuseNestedKeys(const Json* read) const {
    for (const auto& [name, value] : json_.items()) {
      if (!value.is_structured() || &value == read || IsRopeKey(name) || IsUnrelatedKey(name))
        continue;
      if (name == "attn_config" && IsReadAttention(value)) continue;
      const bool other = IsOtherTower(name);
      if (other && read != nullptr && choices_.text_tower) continue;
      // Gemma 4: what single layers have of their own; of it a stated head_dim is enough.
      const bool layers = name == "per_layer_config";
      if (const auto inner = PositionKeyWithin(value, other || (layers && choices_.head_dim))) {
        std::string why = "is not read, and its " + *inner + " speaks of positions";
        if (layers) why += ": state head_dim by --set";
        if (other && read != nullptr) why += "; --set tower=text asks for text_config alone";
        Refuse(name, value, why);
      }
    }
  }

  // SCALE-16. One of the two objects, of one type of layers.
  void ReadScaling() {
    const RefuseKey refuse = [this](const std::string& key, const Json& value,
                                    const std::string& why) { Refuse(key, value, why); };
    const Json* newer = Get("rope_parameters");
    const Json* older = Get("rope_scaling");
    if (newer != nullptr && older != nullptr && *newer != *older)
      Refuse("rope_scaling", *older, "stands beside rope_parameters: give one of the two");
    const std::string name = newer != nullptr ? "rope_parameters" : "rope_scaling";
    const Json* object = newer != nullptr ? newer : older;
    std::string path = name;
    bool chosen = false;
    if (object != nullptr) {
      if (!object->is_object()) Refuse(name, *object, "must be an object");
      if (IsByLayer(*object)) {
        const std::string layers = ChooseLayers(name, *object);
        object = &object->at(layers);
        path += "." + layers;
        chosen = true;
      }
    }
    if (const Json* local = Get("rope_local_base_freq"); local != nullptr && !chosen) {
      if (choices_.layer_type != "full_attention" && choices_.layer_type != "sliding_attention")
        Refuse("rope_local_base_freq", *local,
               "is of other layers than rope_theta: choose by --set layer_type=full_attention or "
               "sliding_attention");
      local_ = choices_.layer_type == "sliding_attention";
      chosen = true;
      if (local_) object = nullptr;
    }
    // ModernBERT, the same under other names; without the local one the global one is of both.
    const Json* global = Get("global_rope_theta");
    if (const Json* local = Get("local_rope_theta"); local != nullptr && !chosen) {
      const bool named =
          choices_.layer_type == "full_attention" || choices_.layer_type == "sliding_attention";
      const bool same = choices_.layer_type.empty() && global != nullptr && *global == *local;
      if (!named && !same)
        Refuse("local_rope_theta", *local,
               "is of other layers than global_rope_theta: choose by --set "
               "layer_type=full_attention or sliding_attention");
      local_ = choices_.layer_type == "sliding_attention";
      chosen = named;
    }
    if (!choices_.layer_type.empty() && !chosen)
      throw Rejected("layer_type", choices_.layer_type, "this file does not tell layers apart",
                     "SCALE-16");
    if (object == nullptr) return;
    rope_ = object;
    proportional_ = TypeOfScaling(*object, path, refuse) == RopeType::kProportional;
    parameters_ = ReadScalingObject(*object, path, json_, refuse);
  }

  static bool IsByLayer(const Json& object) {
    return !object.empty() &&
           std::all_of(object.begin(), object.end(), [](const Json& v) { return v.is_object(); });
  }
  std::string ChooseLayers(const std::string& name, const Json& object) const {
    if (!choices_.layer_type.empty()) {
      if (!object.contains(choices_.layer_type))
        throw Rejected("layer_type", choices_.layer_type, "is none of " + name, "SCALE-16");
      return choices_.layer_type;
    }
    for (const auto& [layers, inner] : object.items())
      if (inner != object.front())
        Refuse(name + "." + layers, inner,
               "differs from that of other layers: choose one by --set layer_type=" + layers);
    return object.begin().key();
  }

  // SCALE-14, SCALE-15. Of rope_scaling.layers and rope_scaling.temperature; the layers that rotate
  // are what all else is about.
  void ReadLayersWithoutRope() {
    const Json* list = Get("no_rope_layers");
    const Json* interval = Get("no_rope_layer_interval");
    if (list != nullptr && !list->is_array())
      Refuse("no_rope_layers", *list, "must be a list of 0 and 1");
    const bool listed = list != nullptr && !list->empty();
    if (!listed && interval == nullptr) return;
    if (listed) {
      std::vector<Number> use;
      for (const Json& item : *list) use.emplace_back(NumberOf("no_rope_layers", item));
      parameters_["no_rope_layers"] = use;
    } else {
      parameters_["no_rope_layer_interval"] =
          static_cast<double>(ExtentOf("no_rope_layer_interval", *interval));
    }
    for (const char* key : {"attn_scale", "floor_scale"})
      if (const Json* value = Get(key)) parameters_[key] = NumberOf(key, *value);
    if (const Json* layers = Get("num_hidden_layers"))
      parameters_["num_hidden_layers"] =
          static_cast<double>(ExtentOf("num_hidden_layers", *layers));
  }

  double NumberOf(const std::string& key, const Json& value) const {
    if (!value.is_number()) Refuse(key, value, "must be a number", "CASE-3");
    return value.get<double>();
  }
  int64_t ExtentOf(const std::string& key, const Json& value) const {
    const double number = NumberOf(key, value);
    if (!(number >= 1 && number <= 0x1p40) || number != std::floor(number))
      Refuse(key, value, "must be a positive integer");
    return static_cast<int64_t>(number);
  }
  // One quantity under several names: all that are given must say the same.
  std::optional<double> Agreed(const std::vector<Named>& names) const {
    std::optional<double> agreed;
    for (const auto& [name, value] : names) {
      if (value == nullptr) continue;
      const double number = NumberOf(name, *value);
      if (agreed && *agreed != number)
        Refuse(name, *value, "contradicts " + Plain(Number(*agreed)) + " under another name");
      agreed = number;
    }
    return agreed;
  }

  std::optional<int64_t> HeadDim() const {
    if (choices_.head_dim) return choices_.head_dim;
    // Gemma 4: heads of full attention are wider.
    if (const Json* global = Get("global_head_dim");
        global != nullptr && choices_.layer_type != "sliding_attention") {
      if (choices_.layer_type != "full_attention")
        Refuse("global_head_dim", *global,
               "is of other layers than head_dim: choose by --set layer_type=full_attention or "
               "sliding_attention");
      return ExtentOf("global_head_dim", *global);
    }
    std::optional<int64_t> given;
    if (const auto stated =
            Agreed({{"head_dim", Get("head_dim")}, {"kv_channels", Get("kv_channels")}}))
      given = ExtentOf("head_dim", Json(*stated));
    if (const Json* turned = Get("qk_rope_head_dim")) {
      const int64_t dims = ExtentOf("qk_rope_head_dim", *turned);
      if (given && *given != dims)
        Refuse("qk_rope_head_dim", *turned,
               "is not head_dim, and which dims turn is not said: give head_dim by --set");
      return dims;
    }
    if (given) return given;
    const auto first = [&](const std::vector<std::string>& names) -> std::optional<Named> {
      for (const std::string& name : names)
        if (const Json* value = Get(name)) return Named{name, value};
      return std::nullopt;
    };
    const auto hidden = first({"hidden_size", "n_embd", "d_model"});
    const auto heads = first({"num_attention_heads", "n_head", "n_heads"});
    if (!hidden || !heads) return std::nullopt;
    const int64_t size = ExtentOf(hidden->name, *hidden->value);
    const int64_t count = ExtentOf(heads->name, *heads->value);
    if (size % count != 0)
      Refuse(hidden->name, *hidden->value,
             "is no multiple of " + heads->name + " = " + std::to_string(count) +
                 ": give head_dim by --set");
    return size / count;
  }

  // int(head_dim * factor) as Python computes it: a binary64 product, truncated.
  std::optional<int64_t> RotaryDim(std::optional<int64_t> head_dim) {
    if (const Json* turned = Get("qk_rope_head_dim")) {
      const int64_t dims = ExtentOf("qk_rope_head_dim", *turned);
      return head_dim == dims ? std::nullopt : std::optional(dims);
    }
    const auto factor =
        Agreed({{"partial_rotary_factor", Get("partial_rotary_factor")},
                {"rotary_pct", Get("rotary_pct")},
                {"rope_pct", Get("rope_pct")},
                {"rope_percent", Get("rope_percent")},
                {"rotary_emb_fraction", Get("rotary_emb_fraction")},
                {"rope_parameters.partial_rotary_factor", Inner("partial_rotary_factor")}});
    if (proportional_ && factor) {
      parameters_["partial_rotary_factor"] = *factor;
      return std::nullopt;
    }
    std::optional<int64_t> stated;
    if (const Json* value = Get("rotary_dim")) stated = ExtentOf("rotary_dim", *value);
    if (!factor) return stated;
    const Json as_json = *factor;
    if (!(*factor > 0 && *factor <= 1))
      Refuse("partial_rotary_factor", as_json, "must be above 0 and at most 1");
    if (!head_dim) Refuse("partial_rotary_factor", as_json, "needs a head_dim: give it by --set");
    const int64_t dims = static_cast<int64_t>(static_cast<double>(*head_dim) * *factor);
    if (dims < 2 || dims % 2 != 0)
      Refuse("partial_rotary_factor", as_json,
             "makes " + std::to_string(dims) + " rotated dims of " + std::to_string(*head_dim) +
                 "; they must be even, and at least 2",
             "ROPE-2");
    if (stated && *stated != dims)
      Refuse("rotary_dim", Json(*stated), "contradicts partial_rotary_factor");
    return dims;
  }

  const Json& json_;
  const std::string file_;
  const ConfigChoices& choices_;
  const bool nested_;
  const Json* rope_ = nullptr;  // the object that may hold rope_theta and partial_rotary_factor
  bool local_ = false;          // the base is rope_local_base_freq
  bool proportional_ = false;   // partial_rotary_factor is a parameter of the scaling
  Parameters parameters_;
};

}  // namespace

Parameters ParseConfig(std::string_view text, const std::string& file,
                       const ConfigChoices& choices) {
  const Json json = ParseStrictly(text, file, "CASE-6");
  if (choices.vision_tower) return ReadVisionTower(json, file, choices);
  if (IsOtherScheme(choices.operation)) return ReadOtherScheme(json, file, choices);
  return ConfigReader(json, file, choices).Read();
}

Parameters ReadConfig(const std::string& path, const ConfigChoices& choices) {
  return ParseConfig(ReadFile(path).text(), path, choices);
}

}  // namespace gnomon::oracle
