import Foundation
import Observation
import Testing

@testable import Ashlar

/// Records the changes that a controller reports, and applies them to its own list, as a table view would.
final class ChangeLog<Model: PersistentModel, SectionName: Hashable>: FetchedResultsControllerDelegate {
    var lines: [String] = []
    /// Called after the last change of an event.
    var didChange: (() -> Void)?

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Model, SectionName>) {
        lines.append("will")
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Model, SectionName>) {
        lines.append("did")
        didChange?()
    }

    func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChange section: FetchedResultsChanges<Model, SectionName>.SectionChange
    ) {
        lines.append((section.kind == .insert ? "+" : "-") + "\(section.index):\(section.name.map { "\($0)" } ?? "")")
    }

    func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChange object: FetchedResultsChanges<Model, SectionName>.ObjectChange
    ) {
        let paths = [object.indexPath, object.newIndexPath].compactMap { $0 }.map { " \($0[0]).\($0[1])" }
        lines.append("\(object.kind)" + paths.joined())
    }

    func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChangeContentWith changes: FetchedResultsChanges<Model, SectionName>
    ) {
        lines.append("content")
    }

    func controller(
        _ controller: FetchedResultsController<Model, SectionName>, didFailWith error: any Error
    ) {
        lines.append("failed")
    }
}
