#include "gnomon/oracle/config_schemes.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/config_keys.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

constexpr const char* kClause = "CASE-8";

std::string StemOf(const std::string& operation) {
  return operation.substr(0, operation.find('.'));
}

// What all readers of one object share.
class ObjectReader {
 public:
  ObjectReader(const Json& json, std::string file, const ConfigChoices& choices)
      : json_(json), file_(std::move(file)), choices_(choices) {}

 protected:
  [[noreturn]] void Refuse(const std::string& key, const Json& value,
                           const std::string& why) const {
    throw Rejected(file_ + ": " + key, ShortText(value), why, kClause);
  }
  // What the file does not say is stated beside it, or refused.
  void Ask(const std::string& parameter, const std::string& why) const {
    if (choices_.stated.count(parameter)) return;
    throw Rejected(file_ + ": " + parameter, "(missing)", why + ": state it by --set " + parameter,
                   kClause);
  }
  const Json* Get(const std::string& key) const { return Get(json_, key); }
  static const Json* Get(const Json& object, const std::string& key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }
  bool Flag(const std::string& key) const {
    const Json* value = Get(key);
    if (value != nullptr && !value->is_boolean()) Refuse(key, *value, "must be a boolean");
    return value != nullptr && value->get<bool>();
  }
  std::string Text(const std::string& key) const {
    const Json* value = Get(key);
    if (value != nullptr && !value->is_string()) Refuse(key, *value, "must be text");
    return value == nullptr ? "" : value->get<std::string>();
  }
  double Integer(const std::string& key, const Json& value, double lowest = 1) const {
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (!(number >= lowest && number <= 0x1p31) || number != std::floor(number))
      Refuse(key, value, lowest > 0 ? "must be a positive integer" : "must be an integer from 0");
    return number;
  }
  // One extent under several names: all that are given must say the same.
  std::optional<double> Extent(const std::vector<std::string>& keys) const {
    std::optional<double> agreed;
    for (const std::string& key : keys) {
      const Json* value = Get(key);
      if (value == nullptr) continue;
      const double number = Integer(key, *value);
      if (agreed && *agreed != number)
        Refuse(key, *value, "contradicts what stands under another name");
      agreed = number;
    }
    return agreed;
  }

  const Json& json_;
  const std::string file_;
  const ConfigChoices& choices_;
};

class SchemeReader : public ObjectReader {
 public:
  using ObjectReader::ObjectReader;

  Parameters Read() {
    if (!json_.is_object()) throw BadFile(file_, "is no JSON object", kClause);
    // A model of several towers: its language model's own configuration.
    if (const Json* text = Get("text_config"); text != nullptr && text->is_object())
      return SchemeReader(*text, file_ + ": text_config", choices_).Read();
    type_ = Text("model_type");
    const std::string stem = StemOf(choices_.operation);
    if (choices_.operation == "t5_bias.deberta_bucket") {
      ReadDeberta();
    } else if (stem == "t5_bias") {
      ReadT5();
    } else if (stem == "alibi") {
      ReadAlibi();
    } else if (stem == "learned") {
      ReadLearned();
    } else if (stem == "relative") {
      ReadRelative();
    } else if (choices_.operation == "sinusoidal.timestep") {
      ReadTimestep();
    } else {
      ReadSinusoidal();
    }
    RefuseOtherKeys();
    return parameters_;
  }

 private:
  [[noreturn]] void NotSaid(const std::string& what) const {
    throw BadFile(file_,
                  "does not say that it has " + what + ", which " + choices_.operation +
                      " asks for" + (type_.empty() ? "" : " (model_type \"" + type_ + "\")"),
                  kClause);
  }
  void Only(const std::set<std::string>& verbs) const {
    const std::string verb = choices_.operation.substr(choices_.operation.find('.') + 1);
    if (!verbs.count(verb))
      throw BadFile(file_, "no configuration states a parameter of " + choices_.operation, kClause);
  }
  // Whatever else speaks of positions is another scheme's, or not understood: refused by name.
  void RefuseOtherKeys() const {
    for (const auto& [key, value] : json_.items()) {
      if (value.is_null() || read_.count(key) || IsUnrelatedKey(key) || value == Json(false))
        continue;
      if (SpeaksOfPositions(key))
        Refuse(key, value, "speaks of positions, and " + choices_.operation + " does not read it");
      if (const std::string inner = WithIn(value); !inner.empty())
        Refuse(key, value, "is not read, and its " + inner + " speaks of positions");
    }
  }
  static std::string WithIn(const Json& object) {
    if (!object.is_structured()) return "";
    for (const auto& [key, value] : object.items()) {
      if (value.is_null() || value == Json(false) || IsUnrelatedKey(key)) continue;
      if (SpeaksOfPositions(key)) return key;
      if (const std::string inner = WithIn(value); !inner.empty()) return key + "." + inner;
    }
    return "";
  }

  // Source: T5 and its family in Hugging Face transformers; 32 and 128 are their defaults, and
  // ours.
  void ReadT5() {
    static const std::set<std::string> family = {"t5",     "mt5",       "umt5",
                                                 "longt5", "pop2piano", "switch_transformers"};
    read_ = {"relative_attention_num_buckets", "relative_attention_max_distance"};
    if (type_ == "udop")
      Refuse("model_type", Json(type_), "has three such biases, and the file does not say which");
    const bool known = family.count(type_) > 0;
    const Json* buckets = Get("relative_attention_num_buckets");
    if (!known && buckets == nullptr) NotSaid("a bias by buckets of T5");
    if (buckets != nullptr)
      parameters_["num_buckets"] = Integer("relative_attention_num_buckets", *buckets);
    if (const Json* distance = Get("relative_attention_max_distance")) {
      parameters_["max_distance"] = Integer("relative_attention_max_distance", *distance);
    } else if (!known) {
      Ask("max_distance", "the file does not say it, and its model_type is not one of T5's");
    }
    // The same file describes encoder and decoder.
    const bool both = Get("is_encoder_decoder") == nullptr || Flag("is_encoder_decoder");
    if (both) {
      Ask("bidirectional", "is true in the encoder and false in the decoder of this model");
    } else {
      parameters_["bidirectional"] = !Flag("is_decoder");
    }
  }

  // max_relative_positions below 1 means max_position_embeddings. Source: transformers, deberta_v2.
  void ReadDeberta() {
    read_ = {"relative_attention", "position_buckets", "max_relative_positions",
             "position_biased_input"};
    const Json* buckets = Get("position_buckets");
    if (!Flag("relative_attention") || buckets == nullptr || !buckets->is_number() || *buckets < 1)
      NotSaid("relative_attention by position_buckets");
    parameters_["position_buckets"] = Integer("position_buckets", *buckets);
    const Json* most = Get("max_relative_positions");
    const bool own = most != nullptr && !(most->is_number() && *most < 1);
    const std::string key = own ? "max_relative_positions" : "max_position_embeddings";
    if (const Json* value = Get(key)) {
      parameters_["max_relative_positions"] = Integer(key, *value);
    } else {
      Ask("max_relative_positions", "neither it nor max_position_embeddings is in the file");
    }
  }

  // The row form is never in the file, and is required (ALIBI-3).
  void ReadAlibi() {
    read_ = {"alibi", "use_alibi", "alibi_bias_max", "attn_config", "position_embedding_type"};
    for (const char* key : {"alibi", "use_alibi"})
      if (const Json* value = Get(key); value != nullptr && !Flag(key))
        Refuse(key, *value, "says that there is none, and " + choices_.operation + " is asked");
    const Json none = Json::object();
    const Json* attention = Get("attn_config");
    if (attention == nullptr) attention = &none;
    if (!attention->is_object()) Refuse("attn_config", *attention, "must be an object");
    const Json* inner = Get(*attention, "alibi");
    if (inner != nullptr && *inner != Json(true))
      Refuse("attn_config.alibi", *inner, "must be true where " + choices_.operation + " is asked");
    const std::string kind = Text("position_embedding_type");
    if (!kind.empty() && kind != "alibi")
      Refuse("position_embedding_type", Json(kind), "is not ALiBi");
    const auto hidden = Extent({"hidden_size"});
    const bool said = type_ == "bloom" || (type_ == "baichuan" && hidden == 5120) ||
                      inner != nullptr || kind == "alibi" || Flag("alibi") || Flag("use_alibi");
    if (!said) NotSaid("ALiBi");
    for (const auto& [key, value] : attention->items())
      if (SpeaksOfPositions(key) && !value.is_null() && value != Json(false) && key != "alibi" &&
          key != "alibi_bias_max" && !key.ends_with("_impl"))
        Refuse("attn_config." + key, value,
               "speaks of positions, and " + choices_.operation + " does not read it");
    if (const auto heads = Extent({"num_heads", "n_heads", "n_head", "num_attention_heads"}))
      parameters_["num_heads"] = *heads;
    const Json* most = Get("alibi_bias_max");
    if (const Json* of_attention = Get(*attention, "alibi_bias_max")) {
      if (most != nullptr && *most != *of_attention)
        Refuse("alibi_bias_max", *most, "contradicts attn_config.alibi_bias_max");
      most = of_attention;
    }
    if (most != nullptr) {
      parameters_["alibi_bias_max"] = Integer("alibi_bias_max", *most);
      if (*most != 8 && !choices_.stated.count("alibi_bias_max"))
        Refuse("alibi_bias_max", *most,
               "is what Mosaic's own code takes, and Hugging Face's takes 8 whatever stands here: "
               "state it by --set alibi_bias_max");
    }
    if (choices_.operation != "alibi.attention") return;
    if (type_ == "falcon" || type_.starts_with("RefinedWeb"))
      Refuse("model_type", Json(type_),
             "divides the bias by sqrt(head_dim) as it does the scores: alibi.attention does not");
    if (const Json* scale = Get(*attention, "softmax_scale"); scale != nullptr) {
      if (!scale->is_number()) Refuse("attn_config.softmax_scale", *scale, "must be a number");
      parameters_["scale"] = scale->get<double>();
    }
  }

  // Rows before that of position 0, by model_type. Source: each model's code in transformers.
  void ReadLearned() {
    Only({"lookup", "add"});
    read_ = {"position_embedding_type", "extra_pos_embeddings", "use_learned_position_embeddings"};
    static const std::set<std::string> none = {
        "bert",        "bigbird_pegasus", "big_bird",    "blenderbot",  "blenderbot-small",
        "distilbert",  "electra",         "albert",      "ernie",       "gpt2",
        "gpt_bigcode", "gpt_neo",         "openai-gpt",  "led",         "megatron-bert",
        "layoutlm",    "rembert",         "squeezebert", "visual_bert", "clip_text_model"};
    static const std::set<std::string> two = {"opt",    "bart", "mbart",         "plbart", "mvp",
                                              "biogpt", "mra",  "nystromformer", "yoso"};
    static const std::set<std::string> after_padding = {"roberta",
                                                        "xlm-roberta",
                                                        "xlm-roberta-xl",
                                                        "camembert",
                                                        "roberta-prelayernorm",
                                                        "data2vec-text",
                                                        "ibert",
                                                        "luke",
                                                        "longformer",
                                                        "markuplm",
                                                        "lilt",
                                                        "layoutlmv3",
                                                        "xmod"};
    const std::string kind = Text("position_embedding_type");
    if (!kind.empty() && kind != "absolute" && kind != "learned_absolute")
      Refuse("position_embedding_type", Json(kind), "is no learned table of positions");
    if (none.count(type_)) {
      parameters_["offset"] = 0.0;
    } else if (two.count(type_)) {
      parameters_["offset"] = 2.0;
    } else if (after_padding.count(type_)) {
      if (const Json* padding = Get("pad_token_id")) {
        parameters_["offset"] = Integer("pad_token_id", *padding, 0) + 1;
      } else {
        Ask("offset", "is pad_token_id + 1 in " + type_ + ", and the file has no pad_token_id");
      }
    } else {
      Ask("offset", type_.empty() ? "the file has no model_type"
                                  : "\"" + type_ + "\" is no model whose offset is known");
    }
    if (const Json* extra = Get("extra_pos_embeddings"))
      if (const auto offset = parameters_.find("offset");
          offset == parameters_.end() ||
          offset->second != Value(Integer("extra_pos_embeddings", *extra, 0)))
        Refuse("extra_pos_embeddings", *extra, "is not the offset of its model_type");
  }

  // BERT, as its code has it: row = query - key + max_position_embeddings - 1.
  void ReadRelative() {
    Only({"scores", "vectors", "attention"});
    read_ = {"position_embedding_type"};
    const std::string kind = Text("position_embedding_type");
    if (kind == "relative_key_query")
      Refuse("position_embedding_type", Json(kind),
             "adds a term of the key too, which " + choices_.operation + " does not");
    if (kind != "relative_key") NotSaid("relative vectors");
    const Json* most = Get("max_position_embeddings");
    if (most == nullptr) {
      Ask("max_relative_position", "is max_position_embeddings - 1, which the file does not say");
    } else {
      parameters_["max_relative_position"] = Integer("max_position_embeddings", *most) - 1;
    }
    parameters_["difference"] = std::string("query_minus_key");
  }

  // Order of the columns and divisor are their code's, and not in the file.
  void ReadSinusoidal() {
    Only({"table", "add", "shift_matrix", "relative_head", "similarity", "distance"});
    read_ = {"sinusoidal_pos_embds", "sinusoidal_embeddings", "static_position_embeddings",
             "extra_pos_embeddings"};
    static const std::set<std::string> family = {"marian", "pegasus",        "m2m_100", "nllb-moe",
                                                 "fsmt",   "speech_to_text", "xglm",    "ctrl"};
    if (!family.count(type_) && !Flag("sinusoidal_pos_embds") && !Flag("sinusoidal_embeddings") &&
        !Flag("static_position_embeddings"))
      NotSaid("sinusoidal positions");
    if (const auto width = Extent({"d_model", "hidden_size", "n_embd", "dim", "emb_dim"}))
      parameters_["width"] = *width;
    Ask("layout", "the order of sines and cosines is not in the file");
    Ask("divisor", "whether frequencies end at 1/base or before is not in the file");
    if (choices_.operation != "sinusoidal.add") return;
    if (Get("scale_embedding") == nullptr) {
      Ask("token_scale", "the file has no scale_embedding");
    } else {
      parameters_["token_scale"] =
          Flag("scale_embedding") ? Value(std::string("sqrt_width")) : Value(1.0);
    }
  }

  // Source: diffusers, UNet2DConditionModel: Timesteps(block_out_channels[0], ..).
  void ReadTimestep() {
    const Json* channels = Get("block_out_channels");
    if (Text("_class_name") != "UNet2DConditionModel" || channels == nullptr ||
        !channels->is_array() || channels->empty())
      NotSaid("timesteps of a UNet2DConditionModel");
    if (const std::string kind = Text("time_embedding_type"); !kind.empty() && kind != "positional")
      Refuse("time_embedding_type", Json(kind), "is not positional");
    parameters_["width"] = Integer("block_out_channels", channels->front());
    for (const auto& [key, name] : {std::pair("flip_sin_to_cos", "flip_sin_to_cos"),
                                    std::pair("freq_shift", "downscale_freq_shift")}) {
      const Json* value = Get(key);
      if (value == nullptr) {
        Ask(name, std::string("the file has no ") + key);
      } else if (name == std::string("flip_sin_to_cos")) {
        parameters_[name] = Flag(key);
      } else {
        parameters_[name] = Integer(key, *value, 0);
      }
    }
  }

  std::string type_;
  std::set<std::string> read_;  // keys that speak of positions and are understood
  Parameters parameters_;
};

// Source: the towers' code in transformers. Positions are inputs: Llama 4 counts them from 1.
class VisionReader : public ObjectReader {
 public:
  VisionReader(const Json& json, const std::string& file, const ConfigChoices& choices,
               std::string of_file)
      : ObjectReader(json, file, choices), of_file_(std::move(of_file)) {}

  Parameters Read() {
    std::string type = Text("model_type");
    if (type.empty()) type = of_file_;
    Parameters parameters;
    if (type.starts_with("qwen2_vl") || type.starts_with("qwen2_5_vl") ||
        type.starts_with("qwen3_vl")) {
      known_ = {"num_position_embeddings"};  // Qwen3-VL adds a learned table before
      SetDims(type.starts_with("qwen2_vl") ? "embed_dim" : "hidden_size", "num_heads", &parameters);
      parameters["exponent"] = std::string("reset");
      Ask("rope_theta", "is 10000 in this tower's code, and not in the file");
    } else if (type == "pixtral" || type == "llama4_vision_model") {
      known_ = {"rope_theta", "rope_parameters"};
      SetDims("hidden_size", "num_attention_heads", &parameters);
      parameters["exponent"] = std::string(type == "pixtral" ? "alternating" : "reset");
      if (const auto theta = Theta()) {
        parameters["rope_theta"] = *theta;
      } else {
        Ask("rope_theta", "is 10000 by default in " + type);
      }
    } else {
      throw Rejected(file_ + ": model_type", type.empty() ? "(missing)" : "\"" + type + "\"",
                     "is no tower for images whose rotary positions are known", kClause);
    }
    for (const auto& [key, value] : json_.items())
      if (!value.is_null() && SpeaksOfPositions(key) && !IsUnrelatedKey(key) && !known_.count(key))
        Refuse(key, value, "speaks of positions, and is not read");
    return parameters;
  }

 private:
  // Half of the dims of a head for either axis.
  void SetDims(const char* size, const char* heads, Parameters* parameters) const {
    std::optional<double> dims = Extent({"head_dim"});
    if (!dims) {
      const auto all = Extent({size}), count = Extent({heads});
      if (!all || !count) {
        Ask("head_dim", std::string("the tower does not state ") + size + " and " + heads);
        Ask("axes_dims", "head_dim is not in the file");
        return;
      }
      dims = *all / *count;
    }
    if (std::fmod(*dims, 4) != 0)
      throw Rejected(file_ + ": head_dim", Plain(Number(*dims)),
                     "must be a multiple of 4, half of it for either axis", kClause);
    (*parameters)["head_dim"] = *dims;
    (*parameters)["axes_dims"] = std::vector<Number>{*dims / 2, *dims / 2};
  }
  std::optional<double> Theta() const {
    const Json* inner = Get("rope_parameters");
    const Json* value = Get("rope_theta");
    if (inner != nullptr) {
      for (const auto& [key, item] : inner->items())
        if (!item.is_null() && key != "rope_theta" &&
            !((key == "rope_type" || key == "type") && item == Json("default")))
          Refuse("rope_parameters." + key, item, "is not read of a tower for images");
      if (const Json* of_inner = inner->is_object() ? Get(*inner, "rope_theta") : nullptr) {
        if (value != nullptr && *value != *of_inner)
          Refuse("rope_theta", *value, "contradicts rope_parameters.rope_theta");
        value = of_inner;
      }
    }
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) Refuse("rope_theta", *value, "must be a number");
    return value->get<double>();
  }

  const std::string of_file_;  // the model_type of the whole
  std::set<std::string> known_;
};

}  // namespace

bool IsOtherScheme(const std::string& operation) {
  static const std::set<std::string> stems = {"t5_bias", "alibi", "learned", "relative",
                                              "sinusoidal"};
  return stems.count(StemOf(operation)) > 0;
}

Parameters ReadOtherScheme(const Json& json, const std::string& file,
                           const ConfigChoices& choices) {
  return SchemeReader(json, file, choices).Read();
}

Parameters ReadVisionTower(const Json& json, const std::string& file,
                           const ConfigChoices& choices) {
  if (choices.operation != "multi_axis.axial")
    throw Rejected("tower", "vision", "is read for multi_axis.axial alone", kClause);
  const auto tower = json.is_object() ? json.find("vision_config") : json.end();
  if (!json.is_object() || tower == json.end() || !tower->is_object())
    throw Rejected("tower", "vision", file + " has no vision_config", kClause);
  const auto type = json.find("model_type");
  return VisionReader(*tower, file + ": vision_config", choices,
                      type != json.end() && type->is_string() ? type->get<std::string>() : "")
      .Read();
}

}  // namespace gnomon::oracle
