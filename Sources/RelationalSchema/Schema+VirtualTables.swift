import StoreDescription

extension Schema {
    /// What belongs in the R-trees and in the full-text indexes, in the order in which these are made.
    package var virtualTableContents: [VirtualTableContents] {
        rtrees.map(\.contents) + fullTextTables.map(\.contents)
    }
}
