# vulkan_shader(LIST NAME SOURCE [OPTION...]): compiles GLSL to a header with the words of SPIR-V as an array NAME, and appends the
# header to LIST. Include directory: ${CMAKE_CURRENT_BINARY_DIR}/vulkan. Needs glslangValidator.
find_package(Vulkan)
function(vulkan_shader list name source)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/vulkan/${name}.h)
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/vulkan
    COMMAND ${Vulkan_GLSLANG_VALIDATOR_EXECUTABLE} -V --quiet ${ARGN} --vn ${name} -o ${header} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPENDS ${source} VERBATIM)
  set(${list} ${${list}} ${header} PARENT_SCOPE)
endfunction()
