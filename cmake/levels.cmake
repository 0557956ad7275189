# The interpreter's host levels: the same sources compiled three times into namespaces of their own; or once, for a build that
# shall be quick (src/base/host_level.h chooses). A tree that was begun with one can be extended later: only what chooses between
# the levels is compiled again.
set(ATOLL_LEVELS "baseline;avx2;avx512" CACHE STRING "host levels to build: all three, one of baseline, avx2, avx512, or host: the best of this machine")
if(ATOLL_LEVELS STREQUAL "host")
  file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags" LIMIT_COUNT 1)
  set(ATOLL_LEVELS baseline)
  # as __builtin_cpu_supports asks for x86-64-v3 and -v4
  if(cpu_flags MATCHES " avx2 " AND cpu_flags MATCHES " bmi2 " AND cpu_flags MATCHES " fma " AND cpu_flags MATCHES " f16c " AND
     cpu_flags MATCHES " abm " AND cpu_flags MATCHES " movbe ")
    set(ATOLL_LEVELS avx2)
    if(cpu_flags MATCHES " avx512f " AND cpu_flags MATCHES " avx512bw " AND cpu_flags MATCHES " avx512cd " AND
       cpu_flags MATCHES " avx512dq " AND cpu_flags MATCHES " avx512vl ")
      set(ATOLL_LEVELS avx512)
    endif()
  endif()
endif()
if(ATOLL_LEVELS MATCHES "^(baseline|avx2|avx512)$")
  set(ATOLL_ONLY_LEVEL ${ATOLL_LEVELS})
elseif(NOT ATOLL_LEVELS STREQUAL "baseline;avx2;avx512")
  message(FATAL_ERROR "ATOLL_LEVELS is '${ATOLL_LEVELS}': baseline;avx2;avx512, one of them, or host")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/built_levels.h.in ${PROJECT_BINARY_DIR}/generated/base/built_levels.h)
set(ATOLL_LEVEL_FLAGS_baseline -march=x86-64)
set(ATOLL_LEVEL_FLAGS_avx2 -march=x86-64-v3)
set(ATOLL_LEVEL_FLAGS_avx512 -march=x86-64-v4 -mprefer-vector-width=512)

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
    target_sources(${room} PRIVATE $<TARGET_OBJECTS:${room}_${level}>)
  endforeach()
endfunction()

# atoll_recording_sources(ROOM SOURCES...): the same sources once for the recorder.
function(atoll_recording_sources room)
  add_library(${room}_recording OBJECT ${ARGN})
  target_compile_definitions(${room}_recording PRIVATE ATOLL_RECORDING)
  target_compile_options(${room}_recording PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
  target_include_directories(${room}_recording PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${room}_recording PRIVATE fmt::fmt)
  atoll_precompiled(${room}_recording atoll_headers_recording)
  target_sources(${room} PRIVATE $<TARGET_OBJECTS:${room}_recording>)
endfunction()
