"""Compiles the runtime's modules without SwiftPM, with other modules in the place of the system's: for Scripts/essentials and
Scripts/apple."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# In the order in which they name each other.
MODULES = [
    "SystemFoundation", "SQLQuoting", "StoreDescription", "FileErrors", "PredicateFormat", "ChainCollapse", "Containers",
    "AshlarSQLite", "CoreDataStore", "Ashlar", "AshlarCoreData", "AshlarImport",
]
C_MODULES = ["CSQLiteSettings", "CPrefetch"]
# As the manifest has it.
FEATURES = {"Ashlar": ["-enable-experimental-feature", "Lifetimes"]}


def folder_of(module, root=ROOT):
    """The folder of a target, which lies in a group of `Sources/`."""
    found = glob.glob(os.path.join(root, "Sources", "*", module))
    if len(found) != 1:
        sys.exit(f"{root}/Sources has {len(found)} folders named {module}.")
    return found[0]


def sources(module, root):
    folder = folder_of(module, root)
    found = sorted(glob.glob(os.path.join(folder, "**", "*.swift"), recursive=True))
    if not found:
        sys.exit(f"{folder} has no Swift file.")
    return found


def flags(root, sqlite):
    """How the C modules are found. The module map of SQLite is given, or None where a Swift module has its name."""
    maps = [os.path.join(folder_of(name, root), "include/module.modulemap") for name in C_MODULES]
    if sqlite:
        maps.append(sqlite)
    return [flag for path in maps for flag in ("-Xcc", "-fmodule-map-file=" + path)] + [
        flag for name in C_MODULES for flag in ("-I", os.path.join(folder_of(name, root), "include"))]


def run(arguments):
    result = subprocess.run(arguments, capture_output=True, text=True)
    if result.returncode == 0:
        return
    errors = sorted(set(re.findall(r"^.*: error: .*$", result.stderr, re.MULTILINE)))
    print("\n".join(errors) or result.stderr)
    sys.exit(f"{len(errors)} errors in {' '.join(arguments[:4])} …")


def compile_module(module, output, extra, root=ROOT, objects=False):
    """Makes the module; its object file too, where it is asked for."""
    arguments = [
        "swiftc", "-module-name", module, "-parse-as-library", "-package-name", "ashlar", "-wmo", "-suppress-warnings",
        "-swift-version", "6", "-I", output,
        "-emit-module", "-emit-module-path", os.path.join(output, module + ".swiftmodule")]
    if objects:
        arguments += ["-num-threads", "2", "-emit-object"]
        files = sources(module, root)
        # Several threads write a file each, beside each other.
        folder = os.path.join(output, module)
        os.makedirs(folder, exist_ok=True)
        names = os.path.join(folder, "outputs.json")
        entries = [f'"{path}": {{"object": "{folder}/{number}.o"}}' for number, path in enumerate(files)]
        with open(names, "w", encoding="utf-8") as file:
            file.write("{" + ",\n".join(entries) + "}")
        arguments += ["-output-file-map", names] + files
    else:
        arguments += sources(module, root)
    run(arguments + FEATURES.get(module, []) + extra)
