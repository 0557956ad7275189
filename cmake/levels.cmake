# The interpreter's host levels: the same sources compiled three times into namespaces of their own; or once, for a build that
# shall be quick (src/base/host_level.h chooses). A tree that was begun with one can be extended later: only what chooses between
# the levels is compiled again.
set(ATOLL_LEVELS "baseline;avx2;avx512" CACHE STRING "host levels to build: all three, one of baseline, avx2, avx512, or host: the best of this machine")
if(ATOLL_LEVELS STREQUAL "host")
  # by the question that the code asks at run time
  try_run(ATOLL_LEVEL_STATUS ATOLL_LEVEL_COMPILES ${PROJECT_BINARY_DIR}/level_of_this_host ${CMAKE_CURRENT_LIST_DIR}/level_of_this_host.cpp
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/src" "-DCMAKE_CXX_STANDARD=23" "-DCMAKE_CXX_EXTENSIONS=ON"
    COMPILE_OUTPUT_VARIABLE ATOLL_LEVEL_COMPILER_OUTPUT RUN_OUTPUT_VARIABLE ATOLL_LEVELS)
  if(NOT ATOLL_LEVEL_COMPILES OR NOT ATOLL_LEVEL_STATUS EQUAL 0)
    message(FATAL_ERROR "ATOLL_LEVELS=host: this machine's features cannot be asked for: name a level: ${ATOLL_LEVEL_COMPILER_OUTPUT}")
  endif()
  message(STATUS "the best host level of this machine: ${ATOLL_LEVELS}")
endif()
if(ATOLL_LEVELS MATCHES "^(baseline|avx2|avx512)$")
  set(ATOLL_ONLY_LEVEL ${ATOLL_LEVELS})
elseif(NOT ATOLL_LEVELS STREQUAL "baseline;avx2;avx512")
  message(FATAL_ERROR "ATOLL_LEVELS is '${ATOLL_LEVELS}': baseline;avx2;avx512, one of them, or host")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/built_levels.h.in ${PROJECT_BINARY_DIR}/generated/base/built_levels.h)
# One table has the features that the levels ask for, and those of x86-64-v3 and -v4 that they do without.
set(ATOLL_HOST_FEATURES ${PROJECT_SOURCE_DIR}/src/base/host_features.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ATOLL_HOST_FEATURES})
file(STRINGS ${ATOLL_HOST_FEATURES} unused_features REGEX "^ *{[234], false, \"")
list(TRANSFORM unused_features REPLACE "^ *{[234], false, \"([a-z0-9.]+)\".*$" "-mno-\\1")
set(ATOLL_LEVEL_FLAGS_baseline -march=x86-64)
set(ATOLL_LEVEL_FLAGS_avx2 -march=x86-64-v3 ${unused_features})
set(ATOLL_LEVEL_FLAGS_avx512 -march=x86-64-v4 -mprefer-vector-width=512 ${unused_features})

# atoll_level_sources(ROOM SOURCES...): adds the sources to the room once a level.
# -fno-trapping-math stays off and -frounding-math is not needed: MXCSR carries the mode and no constant is folded across it.
function(atoll_level_sources room)
  foreach(level ${ATOLL_LEVELS})
    add_library(${room}_${level} OBJECT ${ARGN})
    target_compile_definitions(${room}_${level} PRIVATE ATOLL_LEVEL=${level})
    target_compile_options(${room}_${level} PRIVATE ${ATOLL_LEVEL_FLAGS_${level}} $<$<CONFIG:Release,RelWithDebInfo>:-O2>)
    target_include_directories(${room}_${level} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
    target_link_libraries(${room}_${level} PRIVATE fmt::fmt)
    atoll_precompiled(${room}_${level} atoll_headers_${level})
    atoll_unity(${room}_${level})
    target_sources(${room} PRIVATE $<TARGET_OBJECTS:${room}_${level}>)
  endforeach()
endfunction()

# The ways in which the sources of semantics are compiled. Without the code generator nobody records.
set(ATOLL_SEMANTICS_VARIANTS ${ATOLL_LEVELS})
if(ATOLL_JIT)
  list(APPEND ATOLL_SEMANTICS_VARIANTS recording)
else()
  add_compile_definitions(ATOLL_WITHOUT_RECORDER)
endif()

# atoll_recording_sources(ROOM SOURCES...): the same sources once for the recorder.
function(atoll_recording_sources room)
  if(NOT ATOLL_JIT)
    return()
  endif()
  add_library(${room}_recording OBJECT ${ARGN})
  target_compile_definitions(${room}_recording PRIVATE ATOLL_RECORDING)
  target_compile_options(${room}_recording PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
  target_include_directories(${room}_recording PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${room}_recording PRIVATE fmt::fmt)
  atoll_precompiled(${room}_recording atoll_headers_recording)
  atoll_unity(${room}_recording)
  target_sources(${room} PRIVATE $<TARGET_OBJECTS:${room}_recording>)
endfunction()
