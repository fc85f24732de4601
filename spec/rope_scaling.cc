// The operations and parameters of context extension (spec/rope_scaling.md).
#include "gnomon/spec/rope_scaling.h"

#include <algorithm>
#include <map>
#include <set>

#include "gnomon/spec/rope.h"
#include "gnomon/spec/schemes.h"

namespace gnomon {
namespace {

using T = RopeType;

// The column "for" of the page.
const std::map<std::string, std::set<RopeType>>& UsedBy() {
  static const std::set<T> scaled = {T::kLinear, T::kNtk,    T::kDynamic,  T::kNtkByParts,
                                     T::kYarn,   T::kLlama3, T::kLongrope, T::kProportional};
  static const std::set<T> yarn = {T::kYarn}, magnitudes = {T::kYarn, T::kLongrope};
  static const std::map<std::string, std::set<RopeType>> used = {
      {"factor", scaled},
      {"original_max_position_embeddings",
       {T::kDynamic, T::kNtkByParts, T::kYarn, T::kLlama3, T::kLongrope}},
      {"max_position_embeddings", magnitudes},
      {"seq_len", {T::kDynamic, T::kLongrope}},
      {"earlier_seq_lens", {T::kDynamic}},
      {"update", {T::kDynamic}},
      {"ramp", yarn},
      {"beta_fast", yarn},
      {"beta_slow", yarn},
      {"truncate", yarn},
      {"extrapolation_factor", {T::kYarn, T::kNtkByParts}},
      {"ntk_factor", {T::kNtkByParts}},
      {"attention_factor", magnitudes},
      {"attn_factor", yarn},
      {"mscale", yarn},
      {"mscale_all_dim", yarn},
      {"mscale_rule", yarn},
      {"magnitude_placement", magnitudes},
      {"low_freq_factor", {T::kLlama3}},
      {"high_freq_factor", {T::kLlama3}},
      {"short_factor", {T::kLongrope}},
      {"long_factor", {T::kLongrope}},
      {"short_mscale", {T::kLongrope}},
      {"long_mscale", {T::kLongrope}},
      {"partial_rotary_factor", {T::kProportional}},
  };
  return used;
}

const std::string& NameOf(RopeType type) { return kRopeTypeNames[static_cast<size_t>(type)]; }

}  // namespace

bool RopeScaling::Uses(const std::string& parameter) const {
  const auto found = UsedBy().find(parameter);
  return found != UsedBy().end() && found->second.count(type) > 0;
}

namespace rope_scaling {
namespace {

void RequirePositive(const std::string& name, const Number& number, const std::string& clause) {
  if (!(number.value > 0)) throw Rejected(name, Plain(number), "must be positive", clause);
}
void RequireWithin(const std::string& name, const Number& number, double low, double high,
                   const std::string& clause) {
  if (!(number.value >= low && number.value <= high))
    throw Rejected(name, Plain(number),
                   "must be " + Plain(Number(low)) + " to " + Plain(Number(high)), clause);
}
void RequireGiven(ParameterReader& reader, const std::string& name, T type,
                  const std::string& clause) {
  if (!reader.Has(name))
    throw Rejected(name, "(missing)", "is required for rope_type " + NameOf(type), clause);
}
void RefuseBoth(ParameterReader& reader, const std::string& one, const std::string& other,
                const std::string& clause) {
  if (reader.Has(one) && reader.Has(other))
    throw Rejected(one, "(given)", "excludes " + other + ": give one of the two", clause);
}

int64_t ReadLength(const std::string& name, const Number& number) {
  if (!(number.value >= 1 && number.value <= static_cast<double>(kLongestSequence)) ||
      number.value != std::floor(number.value) || !IsBinary64(number))
    throw Rejected(name, Plain(number), "must be an integer from 1 to 2147483648", "SCALE-10");
  return static_cast<int64_t>(number.value);
}

void ReadFactor(ParameterReader& reader, RopeScaling* s) {
  const bool quotient = s->HasMagnitude();
  RefuseBoth(reader, "max_position_embeddings", "factor", "SCALE-16");
  if (reader.Has("factor")) {
    s->factor = reader.GetNumber("factor", 1);
    if (!(s->factor.value >= 1))
      throw Rejected("factor", Plain(s->factor), "must be at least 1", "SCALE-1");
  } else if (quotient && reader.Has("max_position_embeddings")) {
    s->factor = reader.GetNumber("max_position_embeddings", 1);
    s->factor_divisor = s->original_length;
    if (!(s->factor.value >= s->original_length.value))
      throw Rejected("max_position_embeddings", Plain(s->factor),
                     "must be at least original_max_position_embeddings", "SCALE-16");
  } else if (s->type != T::kProportional) {
    RequireGiven(reader, "factor", s->type, "SCALE-1");
  }
}

// SCALE-6, SCALE-11. cd(beta_fast) = d or more, or cd(beta_slow) = -1 or less (not truncated:
// beyond d - 1, below 0) leave hi < lo. long double tells unless cd is within 2^-40 of the edge,
// where the reference's enclosures tell (reference/rope_scaling.h).
void RequireRange(const std::string& name, const RopeScaling& s, bool truncate, int64_t d,
                  const Number& theta, double fast, double slow) {
  const auto dim = [&](double rotations) {
    const long double pi = 3.14159265358979323846264338327950288L;
    return static_cast<long double>(d) *
           (std::log(static_cast<long double>(s.original_length.value)) -
            std::log(2 * pi * static_cast<long double>(rotations))) /
           (2 * std::log(static_cast<long double>(theta.value)));
  };
  long double lo = dim(fast), hi = dim(slow);
  if (truncate) lo = std::floor(lo), hi = std::ceil(hi);
  lo = std::max<long double>(lo, 0);
  hi = std::min<long double>(hi, static_cast<long double>(d - 1));
  if (hi < lo)
    throw Rejected(name, Plain(s.original_length),
                   "no pair makes so many rotations: the range of the ramp ends before it begins",
                   "SCALE-6");
}

void ReadYarn(ParameterReader& reader, RopeScaling* s) {
  s->ramp = reader.GetName("ramp", s->ramp, kYarnRampNames);
  s->beta_fast = reader.GetNumber("beta_fast", 32);
  s->beta_slow = reader.GetNumber("beta_slow", 1);
  RequirePositive("beta_slow", s->beta_slow, "SCALE-6");
  if (reader.Has("truncate") && s->ramp == YarnRamp::kRotations)
    throw Rejected("truncate", "(given)", "is of the ramp by index", "SCALE-6");
  s->truncate = reader.GetFlag("truncate", s->truncate, "SCALE-6");
  // Equal ones (Kimi K2) make a step where floor and ceil part them.
  const bool step = s->ramp == YarnRamp::kIndex && s->truncate;
  if (!(step ? s->beta_slow.value <= s->beta_fast.value : s->beta_slow.value < s->beta_fast.value))
    throw Rejected("beta_fast", Plain(s->beta_fast),
                   std::string(step ? "must not be below" : "must be above") +
                       " beta_slow = " + Plain(s->beta_slow),
                   "SCALE-6");
  RefuseBoth(reader, "attn_factor", "attention_factor", "SCALE-7");
  s->attn_factor = reader.GetNumber("attn_factor", 1);
  RequirePositive("attn_factor", s->attn_factor, "SCALE-7");
  const auto scale = [&](const char* name) -> std::optional<Number> {
    if (!reader.Has(name)) return std::nullopt;
    const Number number = reader.GetNumber(name, 1);
    if (!(number.value >= 0))
      throw Rejected(name, Plain(number), "must not be negative", "SCALE-7");
    return number.value == 0 ? std::nullopt : std::optional(number);
  };
  s->mscale = scale("mscale");
  s->mscale_all_dim = scale("mscale_all_dim");
  s->mscale_rule = reader.GetName("mscale_rule", s->mscale_rule, kMscaleRuleNames);
}

void ReadLongrope(ParameterReader& reader, Asked asked, int64_t rotary_dim, RopeScaling* s) {
  const auto factors = [&](const char* name) {
    const std::vector<Number> all = reader.GetNumbers(name);
    if (asked == Asked::kFrequencies) RequireGiven(reader, name, s->type, "SCALE-9");
    if (reader.Has(name) && rotary_dim > 0 && static_cast<int64_t>(all.size()) != rotary_dim / 2)
      throw Rejected(name, std::to_string(all.size()) + " numbers",
                     "must hold rotary_dim / 2 = " + std::to_string(rotary_dim / 2), "SCALE-9");
    for (const Number& factor : all) RequirePositive(name, factor, "SCALE-9");
    return all;
  };
  s->short_factor = factors("short_factor");
  s->long_factor = factors("long_factor");
  if (reader.Has("short_mscale") != reader.Has("long_mscale"))
    throw Rejected(reader.Has("short_mscale") ? "long_mscale" : "short_mscale", "(missing)",
                   "short_mscale and long_mscale come together", "SCALE-9");
  RefuseBoth(reader, "short_mscale", "attention_factor", "SCALE-9");
  const auto scale = [&](const char* name) -> std::optional<Number> {
    if (!reader.Has(name)) return std::nullopt;
    const Number number = reader.GetNumber(name, 1);
    RequirePositive(name, number, "SCALE-9");
    return number;
  };
  s->short_mscale = scale("short_mscale");
  s->long_mscale = scale("long_mscale");
}

}  // namespace

RopeScaling ReadScaling(const Parameters& parameters, ParameterReader& reader, Asked asked,
                        int64_t rotary_dim, const Number& rope_theta) {
  RopeScaling s;
  s.type = reader.GetName("rope_type", s.type, kRopeTypeNames);
  for (const auto& [name, types] : UsedBy())
    if (reader.Has(name) && types.count(s.type) == 0)
      throw Rejected(name, Plain(parameters.at(name)),
                     "is no parameter of rope_type " + NameOf(s.type), "SCALE-1");
  if (s.type == T::kDefault) return s;
  if (reader.Has("frequencies"))
    throw Rejected("frequencies", "(given)", "excludes rope_type " + NameOf(s.type), "SCALE-1");
  const bool magnitude = asked == Asked::kMagnitude;
  if (s.Uses("original_max_position_embeddings")) {
    const std::string name = "original_max_position_embeddings";
    const bool free = magnitude && s.type == T::kYarn && reader.Has("factor");
    if (!free) RequireGiven(reader, name, s.type, "SCALE-16");
    s.original_length = reader.GetNumber(name, 1);
    RequirePositive(name, s.original_length, "SCALE-16");
    if (s.type == T::kLongrope && !(s.original_length.value > 1))
      throw Rejected(name, Plain(s.original_length), "must be above 1", "SCALE-9");
  }
  ReadFactor(reader, &s);
  if (s.Uses("seq_len") && reader.Has("seq_len"))
    s.seq_len = ReadLength("seq_len", reader.GetNumber("seq_len", 1));
  if (s.type == T::kDynamic) {
    for (const Number& length : reader.GetNumbers("earlier_seq_lens"))
      s.earlier_seq_lens.push_back(ReadLength("earlier_seq_lens", length));
    s.update = reader.GetName("update", s.update, kDynamicUpdateNames);
  }
  if (s.Uses("extrapolation_factor")) {
    s.extrapolation_factor = reader.GetNumber("extrapolation_factor", 1);
    RequireWithin("extrapolation_factor", s.extrapolation_factor, 0, 1, "SCALE-6");
  }
  if (s.type == T::kNtkByParts) {
    s.ntk_factor = reader.GetNumber("ntk_factor", 1);
    RequireWithin("ntk_factor", s.ntk_factor, 0, 1, "SCALE-11");
  }
  if (s.type == T::kYarn) ReadYarn(reader, &s);
  if (s.type == T::kLlama3) {
    s.low_freq_factor = reader.GetNumber("low_freq_factor", 1);
    s.high_freq_factor = reader.GetNumber("high_freq_factor", 4);
    RequirePositive("low_freq_factor", s.low_freq_factor, "SCALE-8");
    if (!(s.low_freq_factor.value <= s.high_freq_factor.value))
      throw Rejected("high_freq_factor", Plain(s.high_freq_factor),
                     "must not be below low_freq_factor = " + Plain(s.low_freq_factor), "SCALE-8");
  }
  if (s.type == T::kLongrope) ReadLongrope(reader, asked, rotary_dim, &s);
  if (s.type == T::kProportional) {
    s.partial_rotary_factor = reader.GetNumber("partial_rotary_factor", 1);
    if (!(s.partial_rotary_factor.value > 0 && s.partial_rotary_factor.value <= 1))
      throw Rejected("partial_rotary_factor", Plain(s.partial_rotary_factor),
                     "must be above 0 and at most 1", "SCALE-12");
  }
  if (s.HasMagnitude()) {
    if (reader.Has("attention_factor")) {
      s.attention_factor = reader.GetNumber("attention_factor", 1);
      RequirePositive("attention_factor", *s.attention_factor, "SCALE-7");
    }
    s.placement = reader.GetName("magnitude_placement", s.placement, kMagnitudePlacementNames);
    if (s.type == T::kLongrope && s.placement == MagnitudePlacement::kSplit)
      throw Rejected("magnitude_placement", "split", "is of rope_type yarn alone", "SCALE-13");
  }
  if (rotary_dim > 0 && !magnitude) {
    const bool by_parts = s.type == T::kNtkByParts;
    if (rotary_dim <= 2 && (by_parts || s.type == T::kNtk || s.type == T::kDynamic))
      throw Rejected("rotary_dim", std::to_string(rotary_dim),
                     "must be above 2 for rope_type " + NameOf(s.type), "SCALE-2");
    if ((by_parts || s.type == T::kYarn) && !(rope_theta.value > 1))
      throw Rejected("rope_theta", Plain(rope_theta),
                     "must be above 1 for rope_type " + NameOf(s.type), "SCALE-6");
    const std::string name = "original_max_position_embeddings";
    if (s.type == T::kYarn && s.ramp == YarnRamp::kIndex)
      RequireRange(name, s, s.truncate, rotary_dim, rope_theta, s.beta_fast.value,
                   s.beta_slow.value);
    if (by_parts) {
      RequireRange(name, s, true, rotary_dim, rope_theta, 1.25, 0.75);
      RequireRange(name, s, true, rotary_dim, rope_theta, 16, 2);
    }
  }
  return s;
}

void ResolveLength(const Case& c, RopeScaling* s) {
  const auto found = c.inputs.find("positions");
  if (!s->NeedsLength() || s->seq_len != 0 || found == c.inputs.end()) return;
  int64_t longest = 1;
  for (int64_t i = 0; i < found->second.count(); ++i)
    longest = std::max(longest, std::min(found->second.Integer(i), kMaxPosition) + 1);
  s->seq_len = longest;
}

RopeType TypeIn(const Parameters& parameters) {
  const auto stated = parameters.find("rope_type");
  for (size_t type = 0; type < kRopeTypeNames.size(); ++type)
    if (stated != parameters.end() && stated->second == Value(kRopeTypeNames[type]))
      return static_cast<RopeType>(type);
  return RopeType::kDefault;
}

void RequireLength(const RopeScaling& s) {
  if (s.NeedsLength() && s.seq_len == 0)
    throw Rejected("seq_len", "(missing)", "is required for rope_type " + NameOf(s.type),
                   s.type == T::kDynamic ? "SCALE-10" : "SCALE-9");
}

double MagnitudeCount(const RopeScaling& s, Format output) {
  const auto given = [](const Number& number) { return IsInexact(number) ? 1.0 : 0.0; };
  if (s.attention_factor) return given(*s.attention_factor);
  if (s.short_mscale) return std::max(given(*s.short_mscale), given(*s.long_mscale));
  return WorkingFormat(output) == Format::kF64 ? 16 : 2;
}

Layers ReadLayers(const Case& c) {
  ParameterReader reader(c.parameters, "SCALE-14");
  Layers layers;
  layers.layers = reader.GetRequiredInteger("num_hidden_layers", 1, kMostLayers);
  RefuseBoth(reader, "no_rope_layer_interval", "no_rope_layers", "SCALE-14");
  layers.interval = reader.GetInteger("no_rope_layer_interval", 0, 1, kMostLayers);
  for (const Number& number : reader.GetNumbers("no_rope_layers")) {
    if (number.value != 0 && number.value != 1)
      throw Rejected("no_rope_layers", Plain(number), "must hold 0 and 1", "SCALE-14");
    layers.use_rope.push_back(static_cast<int64_t>(number.value));
  }
  if (reader.Has("no_rope_layers") && static_cast<int64_t>(layers.use_rope.size()) != layers.layers)
    throw Rejected("no_rope_layers", std::to_string(layers.use_rope.size()) + " numbers",
                   "must hold one a layer: " + std::to_string(layers.layers), "SCALE-14");
  reader.RejectOthers();
  return layers;
}

Temperature ReadTemperature(const Case& c) {
  ParameterReader reader(c.parameters, "SCALE-15");
  Temperature t;
  t.attn_scale = reader.GetNumber("attn_scale", 0.1);
  t.floor_scale = reader.GetNumber("floor_scale", 8192);
  if (!(t.attn_scale.value >= 0))
    throw Rejected("attn_scale", Plain(t.attn_scale), "must not be negative", "SCALE-15");
  RequirePositive("floor_scale", t.floor_scale, "SCALE-15");
  reader.RejectOthers();
  return t;
}

namespace {

std::vector<OutputShape> ValidateFrequencies(const Case& c) {
  if (!c.parameters.count("rope_type"))
    throw Rejected("rope_type", "(missing)", "is required", "SCALE-1");
  const RopeFrequencies f = gnomon::rope::ReadFrequencies(c);
  RequireLength(f.scaling);
  return {{"w", {f.pairs()}}};
}

std::vector<OutputShape> ValidateMagnitude(const Case& c) {
  ReadMagnitude(c);
  return {{"magnitude", {}}, {"softmax_factor", {}}};
}

std::vector<OutputShape> ValidateLayers(const Case& c) {
  return {{"use_rope", {ReadLayers(c).layers}, true}};
}

std::vector<OutputShape> ValidateTemperature(const Case& c) {
  ReadTemperature(c);
  const Shape shape = ValidatePositions(c, "positions", 2);
  const Tensor& positions = c.inputs.at("positions");
  for (int64_t i = 0; i < positions.count(); ++i)
    if (positions.Integer(i) < 0)
      throw Rejected("positions", std::to_string(positions.Integer(i)), "must not be negative",
                     "SCALE-15");
  return {{"temperature", shape}};
}

}  // namespace

RopeScaling ReadMagnitude(const Case& c) {
  if (!c.parameters.count("rope_type"))
    throw Rejected("rope_type", "(missing)", "is required", "SCALE-7");
  ParameterReader reader(c.parameters, "SCALE-7");
  int64_t rotary_dim = reader.GetInteger("head_dim", 0, 1, gnomon::rope::kMaxHeadDim);
  rotary_dim = reader.GetInteger("rotary_dim", rotary_dim, 2, gnomon::rope::kMaxHeadDim);
  const Number theta = reader.GetNumber("rope_theta", 10000);
  RequirePositive("rope_theta", theta, "ROPE-1");
  const RopeScaling s = ReadScaling(c.parameters, reader, Asked::kMagnitude, rotary_dim, theta);
  if (s.short_mscale && s.seq_len == 0)
    throw Rejected("seq_len", "(missing)", "is required where short_mscale is given", "SCALE-9");
  reader.RejectOthers();
  return s;
}

const std::vector<ParameterSpec>& ScalingParameters() {
  static const std::vector<ParameterSpec> all = {
      {"rope_type", "default",
       "default, linear, ntk, dynamic, ntk_by_parts, yarn, llama3, longrope, proportional",
       "context extension"},
      {"factor", "by rope_type", "at least 1", "s: how many times longer the context is"},
      {"original_max_position_embeddings", "by rope_type", "positive", "L: the original context"},
      {"max_position_embeddings", "none", "at least L", "in place of factor: s L"},
      {"seq_len", "largest position + 1", "1 to 2147483648", "length of this call"},
      {"earlier_seq_lens", "none", "integers, 1 to 2147483648", "lengths of the calls before"},
      {"update", "reset", "reset, grow, stateless", "what a call does to the state"},
      {"ramp", "index", "index, rotations", "what YaRN's ramp is linear in"},
      {"beta_fast", "32", "at least beta_slow", "rotations of the fast end of the ramp"},
      {"beta_slow", "1", "positive", "rotations of the slow end"},
      {"truncate", "true", "true, false", "ends of the ramp at whole pairs"},
      {"extrapolation_factor", "1", "0 to 1", "weight of the unscaled frequencies"},
      {"ntk_factor", "1", "0 to 1", "weight of the NTK-aware ones"},
      {"attention_factor", "by factor", "positive", "magnitude, as given"},
      {"attn_factor", "1", "positive", "times the magnitude"},
      {"mscale", "none", "not negative", "of the magnitude"},
      {"mscale_all_dim", "none", "not negative", "of the magnitude's divisor"},
      {"mscale_rule", "both", "both, each", "whether one of the two is enough"},
      {"magnitude_placement", "tables", "tables, input, softmax, split",
       "where the magnitude goes"},
      {"low_freq_factor", "1", "positive", "rotations below which frequencies are divided"},
      {"high_freq_factor", "4", "at least low_freq_factor", "rotations above which they are kept"},
      {"short_factor", "by rope_type", "rotary_dim / 2 positive numbers", "divisors up to L"},
      {"long_factor", "by rope_type", "rotary_dim / 2 positive numbers", "divisors beyond L"},
      {"short_mscale", "none", "positive", "magnitude up to L"},
      {"long_mscale", "none", "positive", "magnitude beyond L"},
      {"partial_rotary_factor", "1", "above 0, at most 1", "share of the pairs that turn"}};
  return all;
}

const std::vector<OperationSpec>& Operations() {
  static const std::vector<ParameterSpec> magnitude = [] {
    std::vector<ParameterSpec> all = {{"head_dim", "none", "1 to 1048576", "not used"},
                                      {"rotary_dim", "head_dim", "even, 2 to head_dim", "not used"},
                                      {"rope_theta", "10000", "positive", "not used"}};
    for (const ParameterSpec& parameter : ScalingParameters()) all.push_back(parameter);
    all[3].otherwise = "required";
    return all;
  }();
  static const std::vector<ParameterSpec> frequencies = [] {
    std::vector<ParameterSpec> all = magnitude;
    all[0] = {"head_dim", "required", "1 to 1048576", "dims of one head"};
    all[1].meaning = "dims that are rotated";
    all[2].meaning = "base of the frequencies";
    all.push_back({"frequencies", "by rope_theta", "rotary_dim / 2 finite numbers",
                   "as given; of rope_type default alone"});
    return all;
  }();
  static const std::vector<OperationSpec> operations = {
      {"rope_scaling.frequencies",
       "the scaled frequency of every pair, in radians a token",
       frequencies,
       {},
       {{"w", {"pair"}, "frequencies"}},
       ErrorUnit::kUlp,
       ValidateFrequencies},
      {"rope_scaling.magnitude",
       "what tables and scores are multiplied by",
       magnitude,
       {},
       {{"magnitude", {}, "of tables or x"}, {"softmax_factor", {}, "of the scores"}},
       ErrorUnit::kUlp,
       ValidateMagnitude},
      {"rope_scaling.layers",
       "which layers rotate at all",
       {{"num_hidden_layers", "required", "1 to 1048576", "layers of the model"},
        {"no_rope_layer_interval", "none", "1 to 1048576", "every so many-th layer does not"},
        {"no_rope_layers", "none", "0 and 1, one a layer", "the answer as given: 0 does not"}},
       {},
       {{"use_rope", {"layer"}, "0 or 1", false, true}},
       ErrorUnit::kUlp,
       ValidateLayers},
      {"rope_scaling.temperature",
       "what queries of layers without RoPE are multiplied by",
       {{"attn_scale", "0.1", "not negative", "of the logarithm"},
        {"floor_scale", "8192", "positive", "positions a step"}},
       {{"positions", {"batch", "seq"}, "tokens, not negative", false, true}},
       {{"temperature", {"batch", "seq"}, "factors"}},
       ErrorUnit::kUlp,
       ValidateTemperature}};
  return operations;
}

}  // namespace rope_scaling
}  // namespace gnomon
