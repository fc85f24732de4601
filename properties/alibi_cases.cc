#include "gnomon/properties/alibi_cases.h"

#include "gnomon/properties/cases.h"

namespace gnomon::properties::alibi {
namespace {

void DrawParameters(Trial& trial, const Draw& draw, Case* c) {
  Source& source = trial.source();
  int64_t heads = 1 + source.Below(12);
  if (source.Chance(1, 6)) heads = source.Pick<int64_t>({16, 20, 32, 40, 64, 71, 112, 128});
  c->parameters["num_heads"] = static_cast<double>(heads);
  if (draw.unusual_slopes) {
    if (source.Chance(1, 4)) {
      c->parameters["alibi_bias_max"] = source.Pick<std::string>({"0.1", "1.6", "120.25", "8"});
    } else {
      c->parameters["alibi_bias_max"] =
          source.Pick<double>({140, 0.001, 60, 1e-30, 126.5, 300, 24, 1048576});
    }
  } else if (source.Chance(1, 2)) {
    c->parameters["alibi_bias_max"] = source.Pick<double>({8, 4, 16, 1, 10, 12.5, 0.3, 2});
  }
}

Case Begin(Trial& trial, const std::string& operation, const Draw& draw) {
  Case c;
  c.operation = operation;
  c.format = trial.DrawFormat();
  DrawParameters(trial, draw, &c);
  if (operation == "alibi.bias")
    c.parameters["form"] =
        kAlibiFormNames[draw.form ? static_cast<size_t>(*draw.form)
                                  : static_cast<size_t>(trial.source().Below(4))];
  FitParameters(trial.limits(operation), operation, trial.source(), &c.parameters);
  trial.RequireInside(!draw.form || c.parameters.at("form") ==
                                        Value(kAlibiFormNames[static_cast<size_t>(*draw.form)]));
  return c;
}

}  // namespace

Case DrawSlopes(Trial& trial, const Draw& draw) { return Begin(trial, "alibi.slopes", draw); }

Case DrawBias(Trial& trial, const Draw& draw) {
  Case c = Begin(trial, "alibi.bias", draw);
  AddPositions(trial, draw.positions, &c);
  return c;
}

Case DrawHalfway(Trial& trial) {
  Source& source = trial.source();
  Case c;
  c.operation = "alibi.bias";
  c.format = trial.DrawFormat();
  c.parameters["num_heads"] = 8.0;
  c.parameters["alibi_bias_max"] = 32.0;  // every slope a power of two; f16 does not overflow
  c.parameters["form"] = std::string("distance");
  // Half way: an odd number of 2^-p; beside it: one token more or less, far below what f32 sees.
  const int p = std::min(Traits(c.format).precision, 24);
  const int64_t odd = (int64_t{1} << p) + 1 + 2 * source.Below(16);
  const int64_t distance = (odd << (31 - p)) + source.Pick<int64_t>({1, -1, 0});
  c.inputs.emplace("query_positions",
                   Integers({1}, [&](int64_t) { return distance - (int64_t{1} << 31) + 1; }));
  c.inputs.emplace("key_positions", Integers({1}, [](int64_t) { return 1 - (int64_t{1} << 31); }));
  return c;
}

const attention::BiasedScheme& Attention() {
  static const attention::BiasedScheme scheme = {
      "alibi.attention",
      "ALIBI-8",
      "ALIBI-9",
      "ALIBI-10",
      "Gnomon.Equivariance.ATT_6_alibi",
      [](Trial& t, bool, Case* c) {
        if (t.source().Chance(1, 2))
          c->parameters["alibi_bias_max"] = t.source().Pick<double>({8, 4, 16, 12.5, 0.3});
        c->parameters["form"] = kAlibiFormNames[static_cast<size_t>(t.source().Below(4))];
      },
      [](Case c) {
        const Value form = c.parameters.at("form");
        return form == Value(kAlibiFormNames[1]) || form == Value(kAlibiFormNames[2])
                   ? WithParameter(std::move(c), "form", kAlibiFormNames[0])
                   : c;
      }};
  return scheme;
}

Case SlopesLike(const Case& c) {
  Case slopes;
  slopes.operation = "alibi.slopes";
  slopes.format = c.format;
  slopes.parameters = c.parameters;
  slopes.parameters.erase("form");
  return slopes;
}

AlibiSlopes SlopesOf(const Case& c) {
  ParameterReader reader(c.parameters, "ALIBI-1");
  return gnomon::alibi::ReadSlopes(reader);
}

std::vector<CaseSource> Cases() {
  Draw plain, unusual, memory;
  unusual.unusual_slopes = true;
  memory.positions.memory = true;
  const auto slopes = [](const Draw& draw) {
    return [draw](Trial& t) { return DrawSlopes(t, draw); };
  };
  const auto bias = [](const Draw& draw) { return [draw](Trial& t) { return DrawBias(t, draw); }; };
  attention::BiasedDraw few = attention::FewTokens(64), strided = few, special = few;
  strided.heads.memory = strided.positions.memory = true;
  special.heads.numbers = Numbers::kSpecial;
  const auto attended = [](const attention::BiasedDraw& draw) {
    return [draw](Trial& t) { return attention::DrawBiased(t, Attention(), draw); };
  };
  return {{"alibi.slopes.plain", "alibi.slopes", CaseKind::kPlain, slopes(plain)},
          {"alibi.slopes.unusual_slopes", "alibi.slopes", CaseKind::kSpecial, slopes(unusual)},
          {"alibi.bias.plain", "alibi.bias", CaseKind::kPlain, bias(plain)},
          {"alibi.bias.memory", "alibi.bias", CaseKind::kMemory, bias(memory)},
          {"alibi.bias.unusual_slopes", "alibi.bias", CaseKind::kSpecial, bias(unusual)},
          {"alibi.bias.large", "alibi.bias", CaseKind::kLarge, bias(plain)},
          {"alibi.attention.plain", "alibi.attention", CaseKind::kPlain, attended(few)},
          {"alibi.attention.memory", "alibi.attention", CaseKind::kMemory, attended(strided)},
          {"alibi.attention.special", "alibi.attention", CaseKind::kSpecial, attended(special)}};
}

}  // namespace gnomon::properties::alibi
