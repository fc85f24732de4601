#include "gnomon/oracle/text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "gnomon/reference/certify.h"

namespace gnomon::oracle {
namespace {

template <class... Arguments>
std::string MpfrText(const char* pattern, Arguments... arguments) {
  std::array<char, 256> text;
  mpfr_snprintf(text.data(), text.size(), pattern, arguments...);
  return text.data();
}

// A number of MPFR's own, at a precision that no decimal of a report exceeds.
class Scratch {
 public:
  Scratch() { mpfr_init2(value_, 2 * reference::kLargestPrecision); }
  ~Scratch() { mpfr_clear(value_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

}  // namespace

std::string Decimal(double value, Format format) {
  return fmt::format("{:.{}g}", value, format == Format::kF64 ? 17 : 9);
}

std::string Hex(double value) {
  return std::isfinite(value) ? fmt::format("{:a}", value) : fmt::format("{}", value);
}

std::string Rough(double value) { return fmt::format("{:.3g}", value); }

// The radius covers what the decimals leave out, so that the line is true as it stands.
std::string Enclosure(const reference::Interval& x, int digits) {
  Scratch shown, below, above;
  mpfi_mid(shown.get(), x.backend().data());
  const std::string middle = MpfrText("%.*RNg", digits, static_cast<mpfr_srcptr>(shown.get()));
  mpfr_set_str(shown.get(), middle.c_str(), 10, MPFR_RNDN);
  mpfr_sub(below.get(), shown.get(), reference::Lower(x), MPFR_RNDU);
  mpfr_sub(above.get(), reference::Upper(x), shown.get(), MPFR_RNDU);
  mpfr_max(above.get(), above.get(), below.get(), MPFR_RNDU);
  // A decimal that is no binary fraction was itself rounded, far below anything shown here.
  const bool exact = reference::IsPoint(x) && mpfr_cmpabs_ui(above.get(), 0) <= 0;
  return exact ? middle
               : middle + " +- " + MpfrText("%.1RUg", static_cast<mpfr_srcptr>(above.get()));
}

std::string TruthText(const reference::Truth& truth, int output, int64_t element) {
  using namespace reference;
  return Certify([&] { return Enclosure(Narrow(truth.Value(output, element))); })
      .value_or(kNotDecided);
}

std::string HexMiddle(const reference::Interval& x) {
  Scratch middle;
  mpfi_mid(middle.get(), x.backend().data());
  if (mpfr_zero_p(middle.get()) || !mpfr_number_p(middle.get()))
    return Hex(mpfr_get_d(middle.get(), MPFR_RNDN));
  // One bit before the point and 24 hex digits behind it, as C writes its own.
  mpfr_prec_round(middle.get(), 1 + 4 * 24, MPFR_RNDN);
  const long exponent = mpfr_get_exp(middle.get()) - 1;
  mpfr_mul_2si(middle.get(), middle.get(), -exponent, MPFR_RNDN);
  mpfr_exp_t unused;
  char* text = mpfr_get_str(nullptr, &unused, 16, 25, middle.get(), MPFR_RNDN);
  std::string digits = text;
  mpfr_free_str(text);
  const std::string sign = digits[0] == '-' ? "-" : "";
  digits.erase(0, sign.size() + 1);
  return fmt::format("{}0x1.{}p{:+}", sign, digits, exponent);
}

std::string ElementName(const TensorSpec& output, const Shape& index) {
  std::string text;
  // An optional batch is the first axis, and may be missing.
  const size_t missing = output.axes.size() - std::min(index.size(), output.axes.size());
  for (size_t i = 0; i < index.size(); ++i)
    text += fmt::format("{}{} {}", i ? ", " : "", output.axes[i + missing], index[i]);
  return output.role + "[" + text + "]";
}

std::string Describe(const Profile& profile, Format output) {
  if (profile.correctly_rounded) return "every element is the correctly rounded truth";
  const std::string_view working = Traits(WorkingFormat(output)).name;
  const std::string_view tables = Traits(FormatAt(profile.tables, output)).name;
  const std::string_view arithmetic = Traits(FormatAt(profile.arithmetic, output)).name;
  std::string angles;
  switch (profile.angle) {
    case AngleForm::kExact:
      angles = "exact angles";
      break;
    case AngleForm::kWorking:
      angles = fmt::format("angles formed in {}", working);
      break;
    case AngleForm::kExp:
      angles = fmt::format("angles formed in {} from frequencies by exp", working);
      break;
    case AngleForm::kChained:
      angles =
          fmt::format("angles formed in {} from frequencies multiplied up pair by pair", working);
  }
  return tables == arithmetic
             ? fmt::format("{}, tables and arithmetic in {}", angles, tables)
             : fmt::format("{}, tables in {}, arithmetic in {}", angles, tables, arithmetic);
}

std::string Excerpt(std::string_view text, size_t longest) {
  const auto line = [](std::string_view part) {
    std::string words;
    for (const char c : part) {
      const bool space = c == '\n' || c == '\r' || c == '\t' || c == ' ';
      if (space && (words.empty() || words.back() == ' ')) continue;
      words += space ? ' ' : c > ' ' && c < '\x7f' ? c : '?';
    }
    while (!words.empty() && words.back() == ' ') words.pop_back();
    return words;
  };
  if (text.size() <= longest) return line(text);
  const size_t end = longest / 2;
  return line(text.substr(0, longest - end)) + " ... " + line(text.substr(text.size() - end));
}

std::string UnitName(ErrorUnit unit) { return unit == ErrorUnit::kUlp ? "ulp" : "u S"; }

}  // namespace gnomon::oracle
