"""Compiles the modules that an app links with the conditions of a system of which there is no compiler here.

    Scripts/platforms.py apple|android

The C library and the frameworks of the system are declarations in `Tests/Platforms`, written from their documentation: only
what Godwit uses. Modules of Swift are compiled for this machine, with a module `Darwin` or `Android` that replaces its C
library. C files are compiled for the system's own processor and calling convention. The only code that runs is that over
CommonCrypto: the functions are there, over OpenSSL.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DECLARATIONS = ROOT / "Tests/Platforms"
# The products that an app links.
PRODUCTS = ["Godwit", "GodwitDatabase", "GodwitGeo", "GodwitText", "GodwitCloudantCompat", "GodwitCloudantImport", "GodwitTesting"]
COMMON_CRYPTO = "CommonCrypto CommonCryptor CommonDigest CommonKeyDerivation CommonRandom".split()
# The cores of the applications.
CORES = ["LocationTrackerClient", "GeoPixCore", "BluePicCore", "BluelistCore"]
# Files of the cores that need SwiftNIO, whose C modules need more of the system than is declared here.
LEFT_OUT = {"GPSDSource.swift", "LineInput.swift", "NMEASource.swift", "Relay.swift"}
HEADERS = "dlfcn errno fcntl limits math pthread signal stdio stdlib string time unistd sys/mman sys/stat sys/types".split()
SYSTEMS = {
    "apple": {"module": "Darwin", "headers": ["execinfo"], "options": ["-U__linux__"], "triples": ["arm64-apple-ios18.0", "arm64-apple-macos15.0"]},
    "android": {"module": "Android", "headers": ["linux/keyctl", "sys/syscall"], "options": [], "triples": ["aarch64-linux-android28"]},
}


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def compiled(what: str, command: list[str]) -> None:
    """Runs a compiler; its errors end this script."""
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{result.stderr}{result.stdout}{what} does not compile for {sys.argv[1]}.")


def described(folder: str) -> dict:
    """The description of a package, with the folders of its targets."""
    package = json.loads(output("swift", "package", "--package-path", folder, "dump-package"))
    for target in package["targets"]:
        target["path"] = target.get("path", f"Sources/{target['name']}")
        target["folder"], target["package"] = ROOT / folder / target["path"], package["name"]
    return package


def in_order(all_targets: list[dict], names: list[str]) -> list[dict]:
    """The targets and those that they depend on, each after those that it depends on."""
    targets = {target["name"]: target for target in all_targets}
    found: dict[str, dict] = {}

    def visit(name: str) -> None:
        if name in found or name not in targets:
            return
        for dependency in targets[name]["dependencies"]:
            visit(dependency.get("byName", [""])[0])
        found[name] = targets[name]

    for name in names:
        visit(name)
    return list(found.values())


class Check:
    def __init__(self, system: str, folder: Path):
        self.module, self.triples = SYSTEMS[system]["module"], SYSTEMS[system]["triples"]
        self.additions = (DECLARATIONS / SYSTEMS[system]["module"] / "FoundationAdditions.swift").exists()
        self.options = SYSTEMS[system]["options"]
        self.header_names = HEADERS + SYSTEMS[system]["headers"]
        self.declarations = DECLARATIONS / self.module
        self.folder = folder
        self.headers = folder / "headers"
        package, examples = described("."), described("Examples")
        products = {product["name"]: product["targets"] for product in package["products"]}
        self.targets = in_order(package["targets"], [name for product in PRODUCTS for name in products[product]])
        self.targets += in_order(examples["targets"], CORES)
        self.resources = Path(json.loads(output("swiftc", "-print-target-info"))["paths"]["runtimeResourcePath"])

    def write_headers(self) -> None:
        """Each header of the C library is the one with all declarations."""
        for name in self.header_names:
            header = self.headers / f"{name}.h"
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text(f"#include <{self.module}.h>\n")
        if self.module == "Darwin":
            (self.headers / "CommonCrypto").mkdir()
            for name in COMMON_CRYPTO:
                (self.headers / f"CommonCrypto/{name}.h").write_text(f'#include "{DECLARATIONS}/CommonCrypto/CommonCrypto.h"\n')
        for name in ("sqlite3.h", "zlib.h", "zconf.h"):
            found = next(folder / name for folder in map(Path, ("/usr/include", f"/usr/include/{os.uname().machine}-linux-gnu"))
                         if (folder / name).exists())
            (self.headers / name).symlink_to(found)

    def write_resources(self) -> None:
        """A copy of the compiler's folder in which this machine's C library is replaced by the declarations."""
        processor = f"linux/{os.uname().machine}"
        replaced = {
            f"{processor}/SwiftGlibc.h": f"#include <{self.module}.h>\n",
            f"{processor}/glibc.modulemap": 'module SwiftGlibc {\n    header "SwiftGlibc.h"\n    export *\n}\n',
            "shims/LibcOverlayShims.h": "",
            # What the module `Synchronization` of this machine calls.
            "shims/_SynchronizationShims.h": "#include <stdint.h>\nstatic inline uint32_t _swift_stdlib_gettid(void) { return 0; }\n" + "".join(
                f"static inline uint32_t _swift_stdlib_futex_{action}(uint32_t *lock) {{ return 0; }}\n"
                for action in ("lock", "trylock", "unlock")),
            "_FoundationCShims/_CStdlib.h": f"#include <{self.module}.h>\n",
        }
        for name, text in replaced.items():
            file = self.folder / "resources" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        for relative in ("", "linux", processor, "shims", "_FoundationCShims"):
            for file in (self.resources / relative).iterdir():
                if not (own := self.folder / "resources" / relative / file.name).exists():
                    own.symlink_to(file)

    def is_c(self, target: dict) -> bool:
        return target["type"] == "system" or "/C/" in f"/{target['path']}"

    def includes(self) -> list[str]:
        folders = [self.declarations, DECLARATIONS]
        folders += [target["folder"] / ("" if target["type"] == "system" else "include") for target in self.targets if self.is_c(target)]
        return [f"-I{folder}" for folder in folders]

    def compile_c(self, target: dict) -> None:
        excluded = [target["folder"] / name for name in target["exclude"]]
        for file in sorted(target["folder"].rglob("*.c")):
            if any(parent in excluded for parent in file.parents):
                continue
            for triple in self.triples:
                compiled(str(file.relative_to(ROOT)), [
                    "clang", "-target", triple, "-std=c2x", "-fsyntax-only", "-ffreestanding", "-nostdinc", "-Wall", "-Werror",
                    "-isystem", str(self.resources / "clang/include"), "-isystem", str(self.headers), *self.includes(), str(file)])

    def write_module_map(self, target: dict) -> None:
        folder = target["folder"]
        if target["type"] == "system":
            self.module_maps.append(folder / "module.modulemap")
            return
        map = self.folder / f"{target['name']}.modulemap"
        map.write_text(f'module {target["name"]} {{\n    umbrella "{folder / "include"}"\n    export *\n}}\n')
        self.module_maps.append(map)

    def compile_swift(self, name: str, package: str, files: list[Path], options: list[str]) -> None:
        command = [
            "swiftc", "-emit-module", "-emit-module-path", str(self.folder / f"{name}.swiftmodule"), "-module-name", name,
            "-package-name", package, "-swift-version", "6", "-wmo", "-parse-as-library", "-DPortable", "-enable-upcoming-feature", "InternalImportsByDefault", "-I", str(self.folder),
            "-I", str(ROOT / ".build/debug/Modules"), "-resource-dir", str(self.folder / "resources"), "-module-cache-path", str(self.folder / "cache"), *options]
        for include in [f"-I{self.headers}", "-Wno-nullability-completeness", *self.options, *self.includes()]:
            command += ["-Xcc", include]
        for map in self.module_maps:
            command += ["-Xcc", f"-fmodule-map-file={map}"]
        compiled(name, command + [str(file) for file in files])

    def compare_common_crypto(self) -> None:
        """Compares Godwit's code over CommonCrypto with that over OpenSSL, on vectors and on encrypted databases."""
        base, cipher, tests = ROOT / "Sources/C/CBase", ROOT / "Sources/C/CPageCipher", DECLARATIONS / "CommonCrypto"
        options = ["-O1", "-std=c2x", "-D_GNU_SOURCE", f"-I{base}/include", f"-I{cipher}/include"]
        shared = [tests / "vectors.c", base / "memory.c"]
        shared += [file for file in cipher.glob("*.c") if not file.name.startswith("primitives_")]
        programs = {
            "openssl": (["-DGODWIT_SYSTEM_LIBRARIES"], [base / "crypto_openssl.c", cipher / "primitives_openssl.c"]),
            "common": ([f"-I{self.folder}/headers-of-common", "-D__APPLE__"],
                       [base / "crypto_commoncrypto.c", cipher / "primitives_commoncrypto.c"]),
        }
        (self.folder / "headers-of-common").mkdir()
        (self.folder / "headers-of-common/CommonCrypto").symlink_to(self.headers / "CommonCrypto")
        for name, (own, files) in programs.items():
            objects = []
            for file in files:
                objects.append(str(self.folder / f"{name}-{file.stem}.o"))
                compiled(str(file), ["clang", *options, *own, "-c", str(file), "-o", objects[-1]])
            more = [str(tests / "openssl.c")] if name == "common" else []
            compiled(name, ["clang", *options, f"-I{tests}", *map(str, shared), *more, *objects, "-lcrypto", "-lsqlite3",
                            "-o", str(self.folder / name)])
        if output(str(self.folder / "openssl")) != output(str(self.folder / "common")):
            sys.exit("The code over CommonCrypto and the code over OpenSSL give different results.")
        for maker, reader in (("openssl", "common"), ("common", "openssl")):
            file = str(self.folder / f"{maker}.db")
            output(str(self.folder / maker), "write", file)
            if output(str(self.folder / maker), "read", file) != output(str(self.folder / reader), "read", file):
                sys.exit(f"The code over {reader} reads a database of the other differently.")
        print("Over functions of OpenSSL with the names of CommonCrypto, the code for Apple's systems gives the results of OpenSSL, and reads its databases.")

    def run(self) -> None:
        self.write_headers()
        self.write_resources()
        self.module_maps = [self.declarations / "module.modulemap"]
        self.compile_swift(self.module, "system", [DECLARATIONS / "Overlay.swift"], [])
        for file in sorted(self.declarations.glob("*.swift")):
            self.compile_swift(file.stem, "system", [file], [])
        count = 0
        for target in self.targets:
            if self.is_c(target):
                self.compile_c(target)
                self.write_module_map(target)
                continue
            features = [setting["kind"]["enableUpcomingFeature"]["_0"] for setting in target["settings"]
                        if "enableUpcomingFeature" in setting["kind"]]
            options = [option for feature in features for option in ("-enable-upcoming-feature", feature)]
            files = sorted(file for file in target["folder"].rglob("*.swift") if file.name not in LEFT_OUT)
            if self.additions and any(re.search("^ *(public )?import Foundation$", file.read_text(), re.M) for file in files):
                options += ["-Xfrontend", "-import-module", "-Xfrontend", "FoundationAdditions"]
            self.compile_swift(target["name"], target["package"], files, options)
            count += 1
        print(f"{count} modules and the C files that they need compile with the declarations of {self.module}.")
        if self.module == "Darwin":
            self.compare_common_crypto()


if not (ROOT / ".build/debug/Modules/Crypto.swiftmodule").exists():
    sys.exit("Build first: the modules of swift-crypto are used as they are compiled for this machine.")
with tempfile.TemporaryDirectory() as folder:
    Check(sys.argv[1], Path(folder)).run()
