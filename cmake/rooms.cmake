# One target a folder. A room names what it may use, and nothing else is linked into it. All of src/ is on every room's include
# path: that the #include lines keep to the same rules tests/architecture checks.

# atoll_room(NAME [SOURCES ...] [USES room ...] [LIBRARIES ...]): a static library of the folder at hand.
# #include "wave/value.h" names a header by its folder under src/.
function(atoll_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_library(${name} STATIC ${ROOM_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name} PUBLIC ${ROOM_USES} fmt::fmt Threads::Threads ${ROOM_LIBRARIES})
  atoll_precompiled(${name} atoll_headers_rooms)
  atoll_unity(${name})
  set_property(GLOBAL APPEND PROPERTY ATOLL_ROOMS ${name})
endfunction()

# Test programs (some 250) and fuzzers are not installed: LLD links them in a third of the time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld ATOLL_LINKS_BY_LLD)
function(atoll_quick_link target)
  if(ATOLL_LINKS_BY_LLD)
    target_link_options(${target} PRIVATE -fuse-ld=lld)
  endif()
endfunction()

# atoll_test(NAME SOURCES ... USES room ... [PARTS filter ...]): a GoogleTest program registered with CTest, as one test or as one for each filter.
function(atoll_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;USES;LIBRARIES;PARTS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_USES} ${TEST_LIBRARIES} GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE ATOLL_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ATOLL_BINARY="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/atoll")
  # The code generator (libatoll_jit.so) is opened at run time and finds the rest of Atoll in the program.
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests ENABLE_EXPORTS ON)
  add_dependencies(${name} atoll_jit)
  atoll_precompiled(${name} atoll_headers_tests)
  atoll_unity(${name})
  atoll_quick_link(${name})
  if(ATOLL_UNITY)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # from nothing, tests take longer to compile than to run
  endif()
  if(NOT TEST_PARTS)
    add_test(NAME ${name} COMMAND ${name})
  endif()
  foreach(part ${TEST_PARTS})
    string(REGEX REPLACE "[^A-Za-z0-9_]+" "_" part_name ${part})
    add_test(NAME ${name}_${part_name} COMMAND ${name} --gtest_filter=${part})
  endforeach()
endfunction()

# atoll_level_test(NAME LEVEL PROGRAM [ARGUMENTS...]): the program once more, at this host level; where that is not to be had, the
# test is skipped and says why (tests/base/at_level.cpp).
function(atoll_level_test name level program)
  add_test(NAME ${name} COMMAND at_level ${level} $<TARGET_FILE:${program}> ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
