// The command line `gnomon`, as a function.
#ifndef GNOMON_ORACLE_CLI_H_
#define GNOMON_ORACLE_CLI_H_

#include <ostream>
#include <string>
#include <vector>

namespace gnomon::oracle {

// `arguments` without the program's name. `watched`: a person looks at `err`, so long runs may show
// how far they are. Returns the exit code: 0 conforms, 1 nonconforming, 2 crashed, 3 usage or bad
// input, 4 nothing run. Does not throw.
int RunCli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
           bool watched = false);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CLI_H_
