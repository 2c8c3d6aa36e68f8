#!/usr/bin/env python3
"""Builds the Debian package and installs it into a root that holds its dependencies only.

usage: deb_test.py BUILD SOURCE C CXX [PACKAGE]

The root has the files of the packages that the package depends on, as this machine has them, and dpkg checks the
dependencies. In the root, tools run a model and compare with Paddle's outputs; programs that are linked by
find_package and pkg-config run too. Exit code 77: this machine has no dpkg, or the user may not change the root.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# What dpkg itself and the scripts of packages need.
SYSTEM = ["libc-bin", "dash", "coreutils", "base-files"]
FOLDERS_OF_SYSTEM = ["etc", "tmp", "usr/bin", "usr/lib", "usr/lib64", "usr/sbin", "var/lib/dpkg/info",
                     "var/lib/dpkg/updates", "var/log", "work"]


def run(*command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}")
    return result.stdout


def installed_packages():
    """Maps names of packages of this machine, and of what they provide, to (package, dependencies)."""
    format_ = "${binary:Package}\t${Provides}\t${Pre-Depends}, ${Depends}\n"
    packages, provided = {}, {}
    for line in run("dpkg-query", "-W", f"-f={format_}").splitlines():
        name, provides, depends = line.split("\t")
        packages[name.split(":")[0]] = (name, depends)
        for virtual in re.findall(r"[a-z0-9][a-z0-9.+-]+(?= \(|,|$)", provides):
            provided.setdefault(virtual, (name, depends))
    return provided | packages


def closure(packages, depends):
    """The packages that fulfill the dependencies, and their dependencies in turn."""
    chosen, waiting = {}, [depends]
    while waiting:
        for alternatives in filter(str.strip, waiting.pop().split(",")):
            names = [re.split(r"[ :(]", name.strip())[0] for name in alternatives.split("|")]
            found = next((packages[name] for name in names if name in packages), None)
            if not found:
                sys.exit(f"the package depends on '{alternatives.strip()}', which is not installed here")
            if found[0] not in chosen:
                chosen[found[0]] = True
                waiting.append(found[1])
    return list(chosen)


def copy_alternatives(root):
    """The links that scripts of the copied packages create, such as libopenblas.so.0."""
    for file in pathlib.Path("/var/lib/dpkg/alternatives").iterdir():
        link = pathlib.Path(file.read_text().split("\n")[1])
        choice = pathlib.Path("/etc/alternatives", file.name)
        if choice.is_symlink() and (root / str(choice.readlink()).lstrip("/")).exists():
            for path in (choice, link):
                target = root / str(path).lstrip("/")
                target.parent.mkdir(parents=True, exist_ok=True)
                if not target.is_symlink() and path.is_symlink():
                    target.symlink_to(path.readlink())


def make_root(root, packages):
    """A root with the files of these packages and the database of dpkg."""
    for folder in FOLDERS_OF_SYSTEM:
        (root / folder).mkdir(parents=True)
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / name).symlink_to(f"usr/{name}")
    for path in run("dpkg", "-L", *packages).splitlines():
        source = pathlib.Path(path)
        if not path.startswith("/") or source.is_dir() and not source.is_symlink() or not source.exists():
            continue
        # /lib is a link to /usr/lib here too.
        target = root / re.sub(r"^/(bin|lib|lib64|sbin)/", r"/usr/\1/", path).lstrip("/")
        if "/share/doc/" in path or target.exists() or target.is_symlink():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)
    copy_alternatives(root)
    (root / "var/lib/dpkg/status").write_text(run("dpkg-query", "-s", *packages).replace("\n---\n", "\n\n"))


def chroot(root, *command):
    return run("chroot", root, "env", "-i", "PATH=/usr/bin", "PROA_CACHE_DIR=/tmp/cache", *command)


def install(root, package):
    output = run("dpkg", f"--root={root}", "--install", package)
    if "proa" not in run("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f=${Package} ${Status}\n", "proa"):
        sys.exit(f"the package is not installed:\n{output}")
    # The database of dpkg and the package itself are the only differences to the dependencies.
    tools = sorted(path.name for path in (root / "usr/bin").glob("proa-*"))
    assert len(tools) == 11, tools
    for tool in tools:
        for page in (f"man/man1/{tool}.1", f"bash-completion/completions/{tool}"):
            assert (root / "usr/share" / page).is_file(), f"{page} is not installed"
        assert chroot(root, tool, "--version").startswith(f"{tool} "), tool
    for file in ("LICENSE", "CHANGELOG.md", "docs/getting-started.md"):
        assert (root / "usr/share/doc/proa" / file).is_file(), f"{file} is not installed"


def check_tools(root, model):
    shutil.copytree(model, root / "work/model")
    chroot(root, "proa-run", "work/model", "--expect")
    chroot(root, "proa-check", "work/model", "--jobs", "1")
    chroot(root, "proa-translate", "work/model", "-o", "work/model.mlir")
    lowered = chroot(root, "proa-opt", "--proa-cpu", "work/model.mlir")
    assert "rt." in lowered, lowered


def check_programs(root, work, source, c, cxx):
    """Programs in C and C++ that find the package by CMake, and one in C by pkg-config."""
    environment = os.environ | {"PKG_CONFIG_PATH": f"{root}/usr/lib/pkgconfig"}
    # Symbols of libraries of the package's dependencies are resolved where the programs run.
    flags = "-Wl,--allow-shlib-undefined"
    run("cmake", "-S", source, "-B", work / "outside", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={root}/usr",
        f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_CXX_COMPILER={cxx}", f"-DCMAKE_EXE_LINKER_FLAGS={flags}")
    run("cmake", "--build", work / "outside")
    programs = [work / "outside" / name for name in ("outside-c", "outside-cpp", "outside-runtime")]
    if shutil.which("pkg-config"):
        found = run("pkg-config", "--cflags", "--libs", "proa", env=environment).split()
        programs.append(work / "pkg-config-c")
        run(c, source / "main.c", "-o", programs[-1], *found, flags, "-lm")
    for program in programs:
        shutil.copy(program, root / "work")
        run("ldconfig", "-r", root)
        chroot(root, f"work/{program.name}", "work/model")


def main():
    build, source, c, cxx = [pathlib.Path(argument) for argument in sys.argv[1:5]]
    if not shutil.which("dpkg-shlibdeps") or os.geteuid() != 0:
        print("skipped: it needs dpkg-dev and root")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if len(sys.argv) > 5:
            package = pathlib.Path(sys.argv[5])
        else:
            run("cpack", "-G", "DEB", "-B", work / "package", cwd=build)
            package = next((work / "package").glob("*.deb"))
        depends = run("dpkg-deb", "--field", package, "Depends")
        packages = closure(installed_packages(), depends + ", " + ", ".join(SYSTEM))
        root = work / "root"
        make_root(root, packages)
        install(root, package)
        check_tools(root, source.parent / "corpus/models/vision/lenet")
        check_programs(root, work, source, c, cxx)
        print(f"{package.name}: {package.stat().st_size >> 20} MB, with {len(packages)} packages")


main()
