// The inputs of attention as a mistaken kernel finds them, for predict_attention.cc.
#ifndef GNOMON_ORACLE_ATTENTION_INPUTS_H_
#define GNOMON_ORACLE_ATTENTION_INPUTS_H_

#include <initializer_list>
#include <map>
#include <string>

#include "gnomon/oracle/hypotheses_memory.h"
#include "gnomon/oracle/predict_attention.h"

namespace gnomon::oracle::attention {

class Input {
 public:
  // `from`: the tensor that is read for it. `unknown` is set where something is looked for of which
  // it cannot be said what is there.
  Input(const Tensor& own, const Tensor& from, const Change& change, bool* unknown)
      : from_(from), view_(own.view()), change_(change), unknown_(unknown) {
    found_ = &own != &from || change.offsets != Offsets::kByStrides || change.beyond_row;
  }
  double At(std::initializer_list<int64_t> index) const {
    int64_t offset = 0, number = 0;
    size_t axis = 0;
    for (const int64_t i : index) {
      offset += i * view_.strides[axis];
      number = number * view_.shape[axis++] + i;
    }
    if (!found_)
      return Read(change_, FormatOf(view_.dtype),
                  LoadBits(view_.dtype, view_.data + offset * SizeOf(view_.dtype)));
    const std::optional<double> found = FindNumber(change_, from_, number);
    *unknown_ |= !found;
    return found.value_or(0);
  }
  const Shape& shape() const { return view_.shape; }

 private:
  const Tensor& from_;
  ConstTensorView view_;
  Change change_;
  bool found_, *unknown_;
};

class Inputs {
 public:
  Inputs(const Inputs&) = delete;
  Inputs(const Answered& answered, const AttentionChange& change) {
    for (const auto& [role, tensor] : answered.c->inputs) {
      if (!IsFloat(tensor.dtype())) continue;
      Change as = change.shared;
      const bool of_k = role == "k" || role == "w", of_q = role == "q" || role == "e";
      if (change.k_contiguous && (of_k || role == "scores")) as.offsets = Offsets::kContiguous;
      if (change.short_q && (of_q || role == "scores")) as.offsets = Offsets::kIn16Bits;
      const Tensor* from = &tensor;
      if (change.shared.call_before && role == "k") {
        const auto kept = Kept(answered, {role});
        unknown_ |= !kept;
        if (kept) from = kept->front();
      }
      inputs_.emplace(role, Input(tensor, *from, as, &unknown_));
    }
  }
  const Input* Find(const std::string& role) const {
    const auto found = inputs_.find(role);
    return found == inputs_.end() ? nullptr : &found->second;
  }
  bool unknown() const { return unknown_; }

 private:
  std::map<std::string, Input> inputs_;
  bool unknown_ = false;
};

}  // namespace gnomon::oracle::attention

#endif  // GNOMON_ORACLE_ATTENTION_INPUTS_H_
