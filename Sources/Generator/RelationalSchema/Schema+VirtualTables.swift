import StoreDescription

extension Schema {
    /// The contents of the R-trees and the full-text indexes, in the order of their creation.
    package var virtualTableContents: [VirtualTableContents] {
        rtrees.map(\.contents) + fullTextTables.map(\.contents)
    }
}
