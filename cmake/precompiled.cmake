# Precompiled headers: what most sources include of the standard library, fmt and GoogleTest is half of what the compiler reads. Nothing
# of the project stands in them, so that its own headers are still included by whoever needs them; the presets without (asan, fuzz)
# prove it.
option(ATOLL_PRECOMPILED_HEADERS "precompile the standard headers that most sources include" OFF)

set(ATOLL_STANDARD_HEADERS <algorithm> <array> <atomic> <bit> <cmath> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional>
    <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

# The source of a target that carries them.
function(atoll_carrier name to)
  set(source ${PROJECT_BINARY_DIR}/generated/precompiled/${name}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "// Carries ${name}.\n")
  endif()
  set(${to} ${source} PARENT_SCOPE)
endfunction()

# One set of them for each way that sources are compiled.
function(atoll_headers name)
  if(NOT ATOLL_PRECOMPILED_HEADERS)
    return()
  endif()
  atoll_carrier(${name} source)
  add_library(${name} OBJECT ${source})
  target_compile_options(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${ATOLL_STANDARD_HEADERS})
endfunction()

# The same for test programs, with GoogleTest. (An executable carries them: its sources are compiled for a position-independent one, as
# theirs are.)
function(atoll_test_headers)
  if(NOT ATOLL_PRECOMPILED_HEADERS)
    return()
  endif()
  atoll_carrier(atoll_headers_tests source)
  add_executable(atoll_headers_tests ${source})
  target_link_libraries(atoll_headers_tests PRIVATE fmt::fmt Threads::Threads GTest::gtest_main)
  set_target_properties(atoll_headers_tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_precompile_headers(atoll_headers_tests PRIVATE <gtest/gtest.h> ${ATOLL_STANDARD_HEADERS})
endfunction()

# atoll_precompiled(TARGET HEADERS): the target takes them.
function(atoll_precompiled target headers)
  if(ATOLL_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

if(ATOLL_PRECOMPILED_HEADERS)
  # The file is the same whenever it is made, and ccache may rely on that.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endif()
endif()
atoll_headers(atoll_headers_rooms)
atoll_headers(atoll_headers_recording $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
foreach(level ${ATOLL_LEVELS})
  atoll_headers(atoll_headers_${level} ${ATOLL_LEVEL_FLAGS_${level}} $<$<CONFIG:Release,RelWithDebInfo>:-O2>)
endforeach()
