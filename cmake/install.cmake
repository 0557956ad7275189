# cmake --install BUILD --prefix DIR: a tree that may be moved anywhere. Everything in it finds the rest by its own place: programs
# their libraries in ../lib, libatoll_drm.so the device files in ../share/atoll/devices, libatoll.so the code generator beside it.
install(TARGETS atoll RUNTIME DESTINATION bin)
install(TARGETS atoll_shared atoll_drm_shim LIBRARY DESTINATION lib)
if(ATOLL_JIT)
  install(TARGETS atoll_jit LIBRARY DESTINATION lib)
endif()
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/atoll/devices DESTINATION share/atoll PATTERN written EXCLUDE)
# The C library: header, and a pkg-config file that finds both by its own place.
configure_file(${CMAKE_CURRENT_LIST_DIR}/atoll.pc.in ${CMAKE_BINARY_DIR}/lib/pkgconfig/atoll.pc @ONLY)
install(FILES src/api/atoll.h DESTINATION include)
install(FILES ${CMAKE_BINARY_DIR}/lib/pkgconfig/atoll.pc DESTINATION lib/pkgconfig)
install(DIRECTORY examples/c-library DESTINATION share/doc/atoll/examples)
# The man pages, from the verbs' own definitions: written when they are installed, for no other target needs them (./run makes the
# targets alone that it uses).
install(CODE [[
  set(pages "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/man/man1")
  message(STATUS "Writing: ${pages}")
  execute_process(COMMAND "$<TARGET_FILE:atoll>" reference --man "${pages}" COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB pages RELATIVE "${pages}" "${pages}/atoll*.1")
  list(TRANSFORM pages PREPEND "${CMAKE_INSTALL_PREFIX}/share/man/man1/")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${pages})
]])
# What bash, zsh and fish complete calls by, from the same definitions; where they look for it below share/.
install(CODE [[
  execute_process(COMMAND "$<TARGET_FILE:atoll>" reference --completions "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share" COMMAND_ERROR_IS_FATAL ANY)
  foreach(file bash-completion/completions/atoll zsh/vendor-completions/_atoll fish/vendor_completions.d/atoll.fish)
    message(STATUS "Writing: $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/${file}")
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${CMAKE_INSTALL_PREFIX}/share/${file}")
  endforeach()
]])
install(FILES LICENSE README.md DESTINATION share/doc/atoll)
install(DIRECTORY docs DESTINATION share/doc/atoll)
