// Runs the property suite on a subject from somebody else's program.
#include <iostream>

#include "gnomon/oracle/cli.h"

int main() {
  return gnomon::oracle::RunCli(
      {"check", "--subject", "builtin", "--operation", "rope.table", "--cases", "2"}, std::cout,
      std::cerr);
}
