// Finds: what a stream of bytes leads to on a subject, reduced to one case whose answer is wrong,
// shrunk, and told apart from other finds.
#ifndef GNOMON_FUZZ_FIND_H_
#define GNOMON_FUZZ_FIND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/properties/property.h"
#include "gnomon/properties/subject.h"
#include "gnomon/properties/tape.h"

namespace gnomon::fuzz {

// Bytes as a question: the first chooses the property, the rest are the tape its generator reads.
struct Question {
  std::string property;
  properties::Tape tape;
};

// What the wrong elements of an answer have in common, coarsely. A find is shrunk until none of it
// can be spared, so that what remains belongs to the fault and not to the case it was first seen
// in.
struct Traits {
  bool not_finite = false;  // no finite number is due
  bool subnormal = false;   // zero or a subnormal number is due
  bool tail = false;        // pairs behind the last full vector
  bool in_place = false;
  int position = 0;  // |position| from 2^this on; 0: at small ones too

  bool operator==(const Traits&) const = default;
  // Whether every trait of this one is one of `other`.
  bool within(const Traits& other) const;
  // Something other than the position.
  bool telling() const { return not_finite || subnormal || tail || in_place; }
  std::string Text() const;
};

struct Find {
  Question question;
  size_t used = 0;     // choices of its tape
  std::string clause;  // of the bound or the property; SUBJ-7 for a crash
  Traits where;
  std::string message;  // what is wrong, in one line
  bool crashed = false;
  bool judged = false;  // the answer to `c` is outside the bound of the subject's promise
  Case c;               // the one case whose answer is wrong; of a property, the last one asked
  Outputs outputs;      // what the subject answered; empty after a crash

  // Operation, format, clause and where: one find of each is kept.
  std::string Signature() const;
};

enum class Answer { kNothing, kHolds, kFind, kNotAsked };  // the last: it is given up (SUBJ-7)

// Properties that the subject can be asked, in the order of the list of schemes.
std::vector<const properties::Property*> Askable(const properties::Subject& subject,
                                                 const std::string& operations);

// Asks the question. A property that compares several answers is reduced to the first of them that
// the judge refuses, if any: the judge is the bound, not a neighbour.
Answer Ask(properties::Subject& subject, const Question& question, Find* find);

// The same find, or a plainer one of the same operation, format and clause, with a simpler
// question; after at most `most` trials
// and about `seconds`: a crash may cost a time limit each.
Find Shrink(properties::Subject& subject, const Find& find, int most, double seconds);

}  // namespace gnomon::fuzz

#endif  // GNOMON_FUZZ_FIND_H_
