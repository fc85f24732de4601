// What must hold, as a function of any live subject (each clause of spec/<stem>.md that can be
// asked).
#ifndef GNOMON_PROPERTIES_PROPERTY_H_
#define GNOMON_PROPERTIES_PROPERTY_H_

#include <functional>
#include <string>
#include <vector>

#include "gnomon/spec/stems.h"

namespace gnomon::properties {

class Trial;

struct Property {
  std::string name;    // "rope.composition"
  std::string clause;  // "ROPE-14"
  // "Gnomon.Rope.ROPE_14_composition": what spec/theories proves of it; empty where its clause has
  // no theorem.
  std::string theorem;
  std::string text;                     // what holds, in one line
  std::vector<std::string> operations;  // asked, of each instance one or several
  // Compares answers of the subject with each other and with the input, never with the reference.
  bool algebraic = false;
  // One instance: draws its input from the trial, asks the subject, compares.
  std::function<void(Trial&)> check;
};

// One list for each stem, in properties/<stem>.cc.
#define GNOMON_DECLARE(stem)          \
  namespace stem {                    \
  std::vector<Property> Properties(); \
  }
GNOMON_FOR_EACH_STEM(GNOMON_DECLARE)
#undef GNOMON_DECLARE

// Of every stem, in the order of the list of schemes.
const std::vector<Property>& AllProperties();

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_PROPERTY_H_
