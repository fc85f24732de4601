// What a subject does not declare it must not answer (SUBJ-2).
#ifndef GNOMON_ORACLE_DECLARATION_H_
#define GNOMON_ORACLE_DECLARATION_H_

#include "gnomon/properties/suite.h"

namespace gnomon::oracle {

// Not applicable yet.
properties::PropertyReport DeclarationProperty();
// Asks one small valid case of every operation that fits the glob, in every format, that the
// subject does not declare. Not applicable where it declares all.
properties::PropertyReport CheckDeclaration(properties::Subject& subject,
                                            const std::string& operation_glob = "*");

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_DECLARATION_H_
