#include "gnomon/optimized/schemes.h"

namespace gnomon::optimized::relative {

bool Supports(const std::string&, Format) { return false; }
bool Run(const Case&, const OutputViews&, Mode) { return false; }

}  // namespace gnomon::optimized::relative
