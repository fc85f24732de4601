#include "gnomon/oracle/hypotheses_rope_xpos.h"

#include <cmath>

namespace gnomon::oracle::rope {
namespace {

using Mistake = Entry<XposChange>;

Mistake::Make Sets(bool XposChange::*flag) {
  return [=](const Case&, XposChange* change) {
    change->*flag = true;
    return change->asked;
  };
}
Mistake::Make Centers(std::function<int64_t(const Case&, int64_t)> center) {
  return [=](const Case& c, XposChange* change) {
    if (!change->asked) return false;
    const int64_t before = change->xpos.center;
    change->xpos.center = center(c, before);
    return change->xpos.center != before;
  };
}
Mistake::Make Plays(bool as_query, bool exchanged) {
  return [=](const Case&, XposChange* change) {
    const XposRole before = change->xpos.role;
    if (as_query) change->xpos.role = XposRole::kQuery;
    if (exchanged) change->xpos.role = before == XposRole::kKey ? XposRole::kQuery : XposRole::kKey;
    return change->asked && change->xpos.role != before;
  };
}

}  // namespace

double XposChange::ScaleAt(int64_t position, int64_t pair, int member) const {
  if (!asked || unscaled) return 1;
  const RopeApply& a = xpos.apply;
  const int64_t h = a.frequencies.pairs();
  if (other_pair)
    pair = a.input_layout == RopeLayout::kInterleaved ? (2 * pair + member) % h
                                                      : (pair + member * h) / 2;
  const int64_t width = of_head ? a.frequencies.head_dim : a.frequencies.rotary_dim;
  const int64_t numerator = 10 * pair + 2 * width, denominator = (undivided ? 5 : 7) * width;
  const int64_t distance = position - xpos.center;
  long double power =
      static_cast<long double>(distance) / static_cast<long double>(xpos.scale_base);
  if (integer_quotient) power = std::floor(power);
  if (xpos.role == XposRole::kKey) power = -power;
  const double scale = static_cast<double>(
      std::pow(static_cast<long double>(numerator) / static_cast<long double>(denominator), power));
  if (!(scale > 0x1p-120 && scale < 0x1p120)) return 0;  // f32 may have 0 or infinity for it
  return scale_in ? RoundToFormat(*scale_in, scale) : scale;
}

double XposChange::Bound(const Profile& profile, Format output, int64_t position, int64_t pair,
                         double scale, double y, double S, double S_turned, double size,
                         double D) const {
  const double K = gnomon::rope::ScaleRoundings(profile.angle, xpos, position, pair, output);
  return gnomon::rope::XposBound<double>(profile, output, K, scale, y, S, S_turned, size, D);
}

XposChange XposOf(const Case& c) {
  XposChange change;
  change.asked = true;
  change.xpos = gnomon::rope::ReadXpos(c);
  return change;
}

const std::vector<Mistake>& XposEntries() {
  static const std::vector<Mistake> all = {
      Mistake::Formula("xpos-pair", "the scale of the pair that the other layout has at that dim",
                       [](const Case&, XposChange* change) {
                         change->other_pair = true;
                         return change->asked && change->xpos.apply.frequencies.pairs() > 1;
                       }),
      Mistake::Formula("xpos-centre", "centre 0 whatever is asked",
                       Centers([](const Case&, int64_t) { return 0; })),
      Mistake::Formula("xpos-centre/one", "the centre one position on",
                       Centers([](const Case&, int64_t center) { return center + 1; })),
      Mistake::Formula("xpos-centre/before", "the centre one position before",
                       Centers([](const Case&, int64_t center) { return center - 1; })),
      Mistake::Formula(
          "xpos-centre/call", "half the tokens of the call, whatever is asked",
          Centers([](const Case& c, int64_t) { return c.inputs.at("x").shape()[1] / 2; })),
      Mistake::Formula("xpos-key", "keys multiplied as queries are", Plays(true, false)),
      Mistake::Formula("xpos-key/exchanged", "queries divided, keys multiplied",
                       Plays(false, true)),
      Mistake::Formula("xpos-base", "scale_base 512 whatever is asked",
                       [](const Case&, XposChange* change) {
                         const bool shows = change->asked && change->xpos.scale_base != 512;
                         change->xpos.scale_base = 512;
                         return shows;
                       }),
      Mistake::Formula("xpos-base/integer", "(m - c) / scale_base in integers",
                       Sets(&XposChange::integer_quotient)),
      Mistake::Formula("xpos-zeta", "zeta not divided by 1.4", Sets(&XposChange::undivided)),
      Mistake::Formula("xpos-zeta/head-dim", "zeta by head_dim",
                       [](const Case&, XposChange* change) {
                         const RopeFrequencies& f = change->xpos.apply.frequencies;
                         change->of_head = true;
                         return change->asked && f.head_dim != f.rotary_dim;
                       }),
      Mistake::Formula("xpos-ignored", "no scale", Sets(&XposChange::unscaled)),
      Mistake::Formula("xpos-ignored/sine", "the scale on the cosines alone",
                       Sets(&XposChange::sine_unscaled)),
      Mistake::Formula("xpos-16bit", "the scale rounded to bf16",
                       [](const Case&, XposChange* change) {
                         change->scale_in = Format::kBf16;
                         return change->asked;
                       }),
  };
  return all;
}

}  // namespace gnomon::oracle::rope
