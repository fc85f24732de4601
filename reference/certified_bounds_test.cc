// The formulas of spec/bounds.h and spec/sinusoidal.h against the definitions that the theorems are
// about, at points where Coq evaluated them (spec/vectors/certified_bounds.json).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "gnomon/reference/interval.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/sinusoidal.h"

namespace gnomon::reference {
namespace {

using Json = nlohmann::json;

Interval Enclosure(const Json& entry) {
  Interval x(0);
  const std::string low = entry.at("low"), high = entry.at("high");
  mpfr_set_str(&x.backend().data()->left, low.c_str(), 0, MPFR_RNDD);
  mpfr_set_str(&x.backend().data()->right, high.c_str(), 0, MPFR_RNDU);
  return x;
}

AngleForm FormOf(const std::string& name) {
  return name == "exp"       ? AngleForm::kExp
         : name == "chained" ? AngleForm::kChained
                             : AngleForm::kWorking;
}

// The exponent 2 i / d of a pair, or i / (h - 1); ln base rounded up, as the schemes pass it.
AngleOrigin OriginOf(const Json& entry) {
  if (entry.contains("given")) return GivenOrigin({entry.at("given").get<double>()}, 0);
  AngleOrigin origin;
  origin.pair = entry.at("pair");
  SinusoidalTable table;
  table.width = entry.at("width");
  if (entry.value("divisor", "half") != "half") table.divisor = SinusoidalDivisor::kHalfMinusOne;
  origin.numerator = table.ExponentNumerator(origin.pair);
  origin.denominator = table.ExponentDenominator();
  origin.log_base = std::nextafter(std::log(entry.at("base").get<double>()), 100.0);
  return origin;
}

// What the code says, for one entry.
Interval InCode(const Json& entry) {
  const std::string kind = entry.at("bound");
  const auto number = [&entry](const char* name) { return Interval(entry.at(name).get<double>()); };
  const Format format = FormatFromName(entry.value("format", "f32")).value();
  const double u = UnitRoundoff(format);
  if (kind == "u") return u;
  if (kind == "eta") return PowerOfTwo<Interval>(EtaExponent(format));
  if (kind == "gamma") return Gamma(entry.at("n").get<double>(), u);
  if (kind == "count") return FrequencyRoundings(FormOf(entry.at("form")), OriginOf(entry));
  if (kind == "angle") {
    const AngleForm form = FormOf(entry.at("form"));
    const int64_t m = entry.at("position");
    return AngleError(form, OriginOf(entry), m, format) * number("a") +
           AngleUnderflow<Interval>(form, m, format);
  }
  const Profile& profile = kProfiles[ProfileFromName(entry.value("profile", "standard")).value()];
  if (kind == "similarity" || kind == "distance") {
    const auto pairs = entry.at("pairs").get<std::vector<std::vector<double>>>();
    sinusoidal::PairwiseBound<Interval> bound(
        profile, format, 2 * static_cast<int64_t>(pairs.size()), entry.at("scale") != 1);
    for (const std::vector<double>& p : pairs)
      bound.AddPair(Interval(p.at(0)), Interval(p.at(1)), Interval(p.at(2)), Interval(p.at(3)));
    return kind == "distance" ? bound.OfDistance(number("value"), number("scale"))
                              : bound.OfSimilarity(number("value"), number("scale"));
  }
  if (kind == "frequency") return FrequencyBound(profile, format, number("w"), OriginOf(entry));
  const Interval y = number("y"), S = number("S"), turned = number("S_turned"), D = number("D");
  if (kind == "rotation")
    return RotationBound(profile, format, y, S, turned, number("size"), D,
                         TableError(profile, format));
  if (kind == "rotation_given")
    return RotationBound(profile, format, y, S, turned, number("size"), D, 0.0);
  if (kind == "rotation_wide")
    return RotationBound(profile, format, y, S, turned, number("size"), D,
                         GivenTableError(profile, format, Format::kF32));
  if (kind == "table")
    return TableBound(format, S, turned, D, entry.at("scalings").get<int>(),
                      entry.at("scale").get<double>());
  EXPECT_EQ(kind, "add");
  return sinusoidal::AddBound(profile, format, y, S, turned, D, entry.at("scaled").get<bool>());
}

// BOUND-2 to BOUND-5, SIN-11, SIN-12, FORMAT-2. Never below the theorem's number, and above it by
// no more than what binary64 rounds when it forms gamma, counts and coefficients: fewer than 2^5
// roundings. A count alone may be below by its own roundings; Gamma makes up for them, as `angle`
// shows.
TEST(CertifiedBounds, CodeIsTheTheorems) {
  std::ifstream in(std::filesystem::path(GNOMON_SOURCE_DIR) / "spec/vectors/certified_bounds.json");
  const Json file = Json::parse(in);
  ScopedPrecision precision(512);
  const Interval room = ldexp(Interval(1), -48);
  std::map<std::string, int> compared;
  for (const Json& entry : file.at("numbers")) {
    const Interval proved = Enclosure(entry), ours = InCode(entry);
    const Interval least = entry.at("bound") == "count" ? Interval(proved * (1 - room)) : proved;
    EXPECT_TRUE(mpfr_greaterequal_p(Upper(ours), Lower(least)) != 0) << "below: " << entry;
    EXPECT_TRUE(mpfr_lessequal_p(Lower(ours), Upper(Interval(proved * (1 + room)))) != 0)
        << "above: " << entry;
    ++compared[entry.at("bound").get<std::string>()];
  }
  EXPECT_EQ(compared.size(), 13u);
  for (const auto& [kind, count] : compared) EXPECT_GE(count, 4) << kind;
}

}  // namespace
}  // namespace gnomon::reference
