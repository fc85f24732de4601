// Known mistakes in attention (spec/mistakes.md), as hypotheses: each rewrites how the kernel reads
// the case.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gnomon/oracle/predict_attention.h"

namespace gnomon::oracle::attention {
namespace {

using C = AttentionChange;
using Mistake = Entry<C>;
using Does = std::function<void(const Case&, C*)>;

bool HasSoftmax(const Case& c) {
  return c.operation == "attention.softmax" || c.operation == "attention.weights";
}
Mistake::Make Softmax(const Does& does) {
  return [does](const Case& c, C* change) {
    if (HasSoftmax(c)) does(c, change);
    return HasSoftmax(c);
  };
}
Mistake::Make Only(const std::string& operation, const Does& does) {
  return [=](const Case& c, C* change) {
    if (c.operation == operation) does(c, change);
    return c.operation == operation;
  };
}
Mistake::Make Causal(const Does& does) {
  return [does](const Case& c, C* change) {
    const auto mask = c.parameters.find("mask");
    if (mask == c.parameters.end() || mask->second != Value(std::string("causal"))) return false;
    does(c, change);
    return true;
  };
}
Mistake::Make With(const std::string& role, const Does& does) {
  return [=](const Case& c, C* change) {
    if (!c.inputs.count(role)) return false;
    does(c, change);
    return true;
  };
}
Mistake::Make Slopes(const Does& does) {
  return [does](const Case& c, C* change) {
    if (!c.parameters.count("alibi_bias_max")) return false;
    does(c, change);
    return true;
  };
}
double Dim(const Case& c, const char* role) {
  return static_cast<double>(std::max<int64_t>(c.inputs.at(role).shape()[3], 1));
}
// Of the default scale, where none is given.
Mistake::Make DefaultScale(const std::function<double(const Case&)>& scale) {
  return [scale](const Case& c, C* change) {
    if (c.operation != "attention.softmax" || c.parameters.count("scale")) return false;
    change->scale = scale(c);
    return true;
  };
}

}  // namespace

const std::vector<Entry<AttentionChange>>& HeadMistakes() {
  static const std::vector<Mistake> all = {
      Mistake::Formula("mask/top-left", "causal mask n <= m, whatever the counts",
                       Causal([](const Case&, C* x) { x->top_left = true; })),
      Mistake::Formula("mask/strict", "a query does not see its own key",
                       Causal([](const Case&, C* x) { x->anchor = -1; })),
      Mistake::Formula("mask/one-later", "a query sees one key too many",
                       Causal([](const Case&, C* x) { x->anchor = 1; })),
      Mistake::Formula("mask/ignored", "causal mask left out",
                       Causal([](const Case&, C* x) { x->no_mask = true; })),
      Mistake::Formula("mask/padding-ignored", "key_mask left out",
                       With("key_mask", [](const Case&, C* x) { x->no_key_mask = true; })),
      Mistake::Formula("mask-leak/value", "0 times what a masked value holds",
                       With("v", [](const Case&, C* x) { x->leaks_values = true; })),
      Mistake::Formula("q-k-crossed/kv-modulo", "key head h mod kv_heads",
                       With("v", [](const Case&, C* x) { x->kv_modulo = true; })),
  };
  return all;
}

namespace {

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    std::vector<Mistake> entries = HeadMistakes();
    const std::vector<Mistake> own = {
        Mistake::Formula("mask/after-softmax", "weights masked and not normalised again",
                         Softmax([](const Case&, C* x) { x->masks_weights = true; })),
        Mistake::Formula("mask/no-key-nan", "NaN for a query that sees no key",
                         Softmax([](const Case&, C* x) { x->no_key = std::nan(""); })),
        Mistake::Formula("mask/no-key-mean", "the mean of all values for such a query",
                         Softmax([](const Case&, C* x) { x->no_key = 1; })),
        Mistake::Formula("mask-leak/score", "minus infinity added to what a masked score is",
                         Softmax([](const Case&, C* x) { x->leaks_scores = true; })),
        Mistake::Formula("attention-scale/none", "scores not scaled",
                         DefaultScale([](const Case&) { return 1.0; })),
        Mistake::Formula("attention-scale/over-d", "1 / head_dim",
                         DefaultScale([](const Case& c) { return 1 / Dim(c, "q"); })),
        Mistake::Formula("attention-scale/value-dim", "1 / sqrt(value_dim)",
                         DefaultScale([](const Case& c) { return 1 / std::sqrt(Dim(c, "v")); })),
        Mistake::Formula("attention-scale/ignored", "the default whatever scale is asked",
                         [](const Case& c, C* x) {
                           if (!HasSoftmax(c) || !c.parameters.count("scale")) return false;
                           x->scale =
                               c.operation == "attention.weights" ? 1 : 1 / std::sqrt(Dim(c, "q"));
                           return true;
                         }),
        Mistake::Formula("attention-scale/twice", "scale applied twice",
                         Softmax([](const Case&, C* x) { x->scale_power = 2; })),
        Mistake::Formula("attention-bias/scaled", "bias added before the scaling",
                         With("bias", [](const Case&, C* x) { x->bias_scaled = true; })),
        Mistake::Formula("attention-bias/transposed", "bias of (key, query), where square",
                         With("bias", [](const Case&, C* x) { x->bias_turned = true; })),
        Mistake::Formula("attention-bias/ignored", "bias left out",
                         With("bias", [](const Case&, C* x) { x->bias_left_out = true; })),
        Mistake::Formula("attention-bias/head-zero", "the bias of head 0 for all heads",
                         With("bias", [](const Case&, C* x) { x->bias_of_head_zero = true; })),
        Mistake::Formula("attention-bias/sign", "bias subtracted",
                         With("bias", [](const Case&, C* x) { x->bias_sign = -1; })),
        Mistake::Formula("attention-bias/slopes-ignored", "alibi_bias_max left out",
                         Slopes([](const Case&, C* x) { x->no_slopes = true; })),
        Mistake::Formula("alibi-slopes", "2^(-B h / H) for every H",
                         Slopes([](const Case&, C* x) { x->plain_slopes = true; })),
        Mistake::Formula("q-k-crossed/kv-first", "key head 0 for all",
                         Only("attention.softmax", [](const Case&, C* x) { x->kv_first = true; })),
        Mistake::Formula("q-k-crossed/exchanged", "q and k exchanged, where of one shape",
                         Only("attention.softmax", [](const Case&, C* x) { x->exchanged = true; })),
        Mistake::Formula(
            "q-k-crossed/keys-as-values", "k weighted for v, where of one shape",
            Only("attention.softmax", [](const Case&, C* x) { x->keys_for_values = true; })),
        Mistake::Formula("softmax-axis", "normalised over the queries",
                         Softmax([](const Case&, C* x) { x->over_queries = true; })),
        Mistake::Formula("softmax-base", "2^score for exp",
                         Softmax([](const Case&, C* x) { x->base_two = true; })),
        Mistake::Formula("softmax-plus-one", "1 added to the sum",
                         Softmax([](const Case&, C* x) { x->added = 1; })),
        Mistake::Formula("softmax-plus-one/sink", "a key more, of score and value 0",
                         Softmax([](const Case&, C* x) { x->sink = true; })),
        Mistake::Formula("softmax-not-normalised", "not divided by the sum",
                         Softmax([](const Case&, C* x) { x->not_normalised = true; })),
        Mistake::Formula("softmax-narrow/weights", "weights rounded to bf16",
                         Softmax([](const Case&, C* x) { x->weights_in = Format::kBf16; })),
        Mistake::Formula("softmax-narrow/weights",
                         "weights rounded to bf16 before they are divided by their sum",
                         Softmax([](const Case&, C* x) {
                           x->weights_in = Format::kBf16;
                           x->exponentials_narrow = true;
                         })),
        Mistake::Formula("softmax-narrow/scores", "scores rounded to bf16",
                         Softmax([](const Case&, C* x) { x->scores_in = Format::kBf16; })),
        Mistake::Formula(
            "four-term/transposed", "W^T for W",
            Only("attention.four_term", [](const Case&, C* x) { x->w_turned = true; })),
        Mistake::Formula(
            "four-term/exchanged", "content-position and position-content exchanged",
            Only("attention.four_term", [](const Case&, C* x) { x->terms_exchanged = true; })),
        Mistake::Formula("four-term/missing", "position-position left at 0",
                         Only("attention.four_term", [](const Case&, C* x) { x->missing = 3; })),
        Mistake::Formula("untied-scale", "1 / sqrt(d) for 1 / sqrt(2 d)",
                         Only("attention.untied",
                              [](const Case&, C* x) {
                                x->untied_content = x->untied_position = std::sqrt(2.0);
                              })),
        Mistake::Formula(
            "untied-scale/content-only", "positions not scaled",
            Only("attention.untied", [](const Case&, C* x) { x->untied_position = -1; })),
        Mistake::Formula(
            "untied-scale/no-position", "positions left out",
            Only("attention.untied", [](const Case&, C* x) { x->untied_position = 0; })),
        Mistake::State("row-positions/batch-zero", "key_mask of batch row 0 for every row",
                       With("key_mask", [](const Case&, C* x) { x->batch_zero = true; })),
        Mistake::State("stride-ignored/input", "k taken as contiguous",
                       [](const Case&, C* x) { return x->k_contiguous = true; }),
        Mistake::State("int32-index/16-bits", "offsets of q in 16 bits",
                       [](const Case&, C* x) { return x->short_q = true; }),
        Mistake::State(
            "stride-ignored/padding-read", "zero times what lies after the first row of v added",
            Only("attention.softmax", [](const Case&, C* x) { x->after_values = true; })),
        Mistake::State(
            "stale-table/previous", "keys of the call before, where that had as many",
            Only("attention.softmax", [](const Case&, C* x) { x->shared.call_before = true; })),
    };
    entries.insert(entries.end(), own.begin(), own.end());
    for (const bool guarded : {false, true}) {
      const auto then = [guarded](std::string text) {
        if (guarded) text += "; 0 where every exponential is";
        return text;
      };
      entries.push_back(Mistake::Formula("softmax-overflow", then("exp of the score itself"),
                                         Softmax([guarded](const Case&, C* x) {
                                           x->no_maximum = true;
                                           x->guarded = guarded;
                                         })));
      entries.push_back(Mistake::Formula("softmax-overflow/maximum-of-all",
                                         then("maximum over masked keys too"),
                                         Softmax([guarded](const Case&, C* x) {
                                           x->all_maximum = true;
                                           x->guarded = guarded;
                                         })));
    }
    for (const double cap : {20, 30, 50})
      entries.push_back(Mistake::Formula("score-capped", fmt::format("{0} tanh(score / {0})", cap),
                                         Softmax([cap](const Case&, C* x) { x->cap = cap; })));
    for (const int block : {1, 2, 4, 8, 16, 32, 64, 128}) {
      const std::string in = ", in blocks of " + std::to_string(block) + " keys";
      entries.push_back(Mistake::Formula(
          "online-rescale", "a new maximum does not rescale the outputs so far" + in,
          Only("attention.softmax", [block](const Case&, C* x) { x->block = block; })));
      entries.push_back(Mistake::Formula("online-rescale/sum", "nor the sum so far" + in,
                                         Only("attention.softmax", [block](const Case&, C* x) {
                                           x->block = block;
                                           x->rescales_sum = false;
                                         })));
    }
    for (const int lanes : {4, 8, 16, 32, 64})
      entries.push_back(
          Mistake::State("tail-vector/keys",
                         "keys after the last full block of " + std::to_string(lanes) + " left out",
                         Softmax([lanes](const Case&, C* x) { x->key_lanes = lanes; })));
    for (const int lanes : {4, 8, 16})
      entries.push_back(Mistake::State(
          "tail-overwrite/" + std::to_string(lanes),
          "a head at a time, zeros written past a row up to a full vector of " +
              std::to_string(lanes),
          Only("attention.softmax", [lanes](const Case&, C* x) { x->overwrite_lanes = lanes; })));
    AddShared(
        {Concerns::kStorage}, [](const Case&, const C&) -> const Number* { return nullptr; },
        &entries);
    return entries;
  }();
  return all;
}

}  // namespace

const std::vector<Hypothesis>& Hypotheses() {
  static const std::vector<Hypothesis> all = AboutAll(Entries());
  return all;
}

std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>& made,
                                   double factor, double factor_error) {
  AttentionChange change;
  MakeMistakes(Entries(), *answered.c, made, factor, factor_error, &change);
  return PredictWith(answered, change);
}

}  // namespace gnomon::oracle::attention
