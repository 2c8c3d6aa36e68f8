# The Debian package of an installation: `cpack -G DEB` in the build folder. Its dependencies are the dependencies of
# its executables (dpkg-shlibdeps); what proa loads or starts at run time is recommended.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME proa)
set(CPACK_PACKAGE_VENDOR proa)
set(CPACK_PACKAGE_CONTACT "The authors of proa <proa@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
# ldconfig runs at the installation.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# proa-compile links with a C compiler; proa-translate --html starts dot; mpirun starts ranks, and libmpi is loaded.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-22 | gcc, graphviz, openmpi-bin")
# Headers of find_package(proa COMPONENTS ir).
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "bash-completion, libmlir-${LLVM_VERSION_MAJOR}-dev, libfmt-dev, nlohmann-json3-dev")
include(CPack)
