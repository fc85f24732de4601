# The theories as tests, label `formal`. Included where GNOMON_TESTS is on, after Python3 was found. Without Coq,
# Flocq or Interval each reports itself skipped, with the reason: formal.py ends with 77.
set(formal ${PROJECT_SOURCE_DIR}/spec/theories/tools)
set(theories ${PROJECT_SOURCE_DIR}/spec/theories)
set(compiled ${PROJECT_BINARY_DIR}/formal)  # out of tree: Coq writes beside what it reads
file(MAKE_DIRECTORY ${compiled})

function(gnomon_formal name)
  add_test(NAME formal.${name} COMMAND ${Python3_EXECUTABLE} ${ARGN})
  set_tests_properties(formal.${name} PROPERTIES LABELS formal SKIP_RETURN_CODE 77 TIMEOUT 600
    ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endfunction()

gnomon_formal(holes ${formal}/formal.py holes ${theories})
gnomon_formal(constants ${formal}/formal.py constants ${theories} ${PROJECT_SOURCE_DIR})
gnomon_formal(finds_planted_faults ${formal}/formal_test.py)
foreach(group theories numeric certified)
  gnomon_formal(prove.${group} ${formal}/formal.py prove ${theories} ${compiled} ${group})
  gnomon_formal(axioms.${group} ${formal}/formal.py axioms ${theories} ${compiled} ${group})
  gnomon_formal(kernel.${group} ${formal}/formal.py kernel ${compiled} ${group})
  set_tests_properties(formal.prove.${group} PROPERTIES FIXTURES_SETUP formal_${group} RESOURCE_LOCK formal)
  set_tests_properties(formal.axioms.${group} formal.kernel.${group} PROPERTIES FIXTURES_REQUIRED formal_${group})
endforeach()
# Reads what all groups compiled; a skipped group counts as set up.
gnomon_formal(clauses ${formal}/formal.py clauses ${PROJECT_SOURCE_DIR}/spec ${compiled}
  --out ${compiled}/theorems.json)
set_tests_properties(formal.clauses PROPERTIES FIXTURES_REQUIRED "formal_theories;formal_numeric;formal_certified"
  FIXTURES_SETUP formal_names)
# The certified numbers: some computed again; those that no C++ reads yet against another arithmetic, without Coq.
gnomon_formal(numbers ${formal}/certified_numbers.py sample ${compiled} ${PROJECT_SOURCE_DIR}/spec/vectors)
set_tests_properties(formal.numbers PROPERTIES FIXTURES_REQUIRED "formal_theories;formal_numeric;formal_certified")
gnomon_check(spec numbers.check ${Python3_EXECUTABLE} ${formal}/numbers_check.py ${PROJECT_SOURCE_DIR}/spec/vectors)
gnomon_check(spec numbers.find_planted_faults ${Python3_EXECUTABLE} ${formal}/numbers_test.py)
gnomon_formal(trace ${PROJECT_SOURCE_DIR}/ci/checks/trace.py ${PROJECT_SOURCE_DIR}
  --theorems ${compiled}/theorems.json --out ${compiled}/trace.md)
set_tests_properties(formal.trace PROPERTIES FIXTURES_REQUIRED formal_names)
