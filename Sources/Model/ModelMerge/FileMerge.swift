import DataModel
import ModelFormat

/// Two edits of a file of a model, a version's `contents` or the `.xccurrentversion`, as one.
package struct FileMerge: Sendable {
    /// The merged file.
    package let bytes: [UInt8]
    /// The parts that both sides changed differently.
    package let conflicts: [MergeConflict]
    /// Errors of the merged version that neither side has, such as a relationship to an entity that the other side
    /// removed.
    package let errors: [Diagnostic]

    /// A file cannot be merged by its meaning.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// Merges two files.
    ///
    /// - Parameters:
    ///   - base: The file that both were made from; empty if both are new.
    ///   - file: The path for messages.
    /// - Throws: ``Failure`` if one of them is not a valid file of a model.
    package init(base: [UInt8], ours: [UInt8], theirs: [UInt8], file: String) throws(Failure) {
        if ours == theirs || theirs == base {
            (bytes, conflicts, errors) = (ours, [], [])
            return
        }
        if ours == base {
            (bytes, conflicts, errors) = (theirs, [], [])
            return
        }
        let before = base.isEmpty ? nil : try Self.read(base, file, "the version before")
        let own = try Self.read(ours, file, "this side")
        let other = try Self.read(theirs, file, "the other side")
        var result = own
        if own.root.name == "plist" {
            guard let merge = PropertyListMerge(base: before?.root, ours: own.root, theirs: other.root) else {
                throw Failure(description: "\(file) is not a property list of keys and values")
            }
            (result.root, conflicts) = (merge.result, merge.conflicts)
        } else {
            guard own.root.name == other.root.name else {
                throw Failure(description: "\(file) has two kinds of root: <\(own.root.name)> and <\(other.root.name)>")
            }
            let merge = ModelMerge(base: before?.root, ours: own.root, theirs: other.root)
            (result.root, conflicts) = (merge.result, merge.conflicts)
        }
        bytes = Array(result.text.utf8)
        errors = own.root.name == "model" ? Self.newErrors(bytes, ours, theirs, file) : []
    }

    private static func read(_ bytes: [UInt8], _ file: String, _ side: String) throws(Failure) -> ModelFile {
        var diagnostics = Diagnostics()
        if let result = ModelFile(bytes, file: file, reportingTo: &diagnostics) { return result }
        let reason = diagnostics.all.first.map { "line \($0.location.line): \($0.message)" } ?? "it is not XML"
        throw Failure(description: "\(file) cannot be merged, as \(side) cannot be read: \(reason)")
    }

    private static func newErrors(
        _ merged: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], _ file: String
    ) -> [Diagnostic] {
        let known = Set((errors(of: ours, file) + errors(of: theirs, file)).map(\.message))
        return errors(of: merged, file).filter { !known.contains($0.message) }
    }

    private static func errors(of bytes: [UInt8], _ file: String) -> [Diagnostic] {
        var (model, diagnostics) = ModelReader.read(contents: bytes, named: "merged", file: file)
        if let model { diagnostics.report(contentsOf: ModelChecker.check(model)) }
        return diagnostics.sorted.filter { $0.severity == .error }
    }
}
