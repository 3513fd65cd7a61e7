import Ashlar
import Foundation

/// Classes of a ported app, with members beyond the generated ones.
nonisolated class Item: ItemProperties {
    /// A member of Core Data's class that is not an attribute.
    var isSelected = false
    private(set) lazy var key = "item-\(title)"

    func summary() -> String { "\(title) (\(isFinished ? "finished" : "open"))" }
}

nonisolated final class Track: TrackProperties {
    let made = Date.now
    var download: [String] = []

    override func summary() -> String { "track " + super.summary() }
}

nonisolated final class Theme: ThemeProperties {
    var isLocked = true { didSet { changes += 1 } }
    private(set) var changes = 0
}

/// The key of a folder's items. The items have several classes.
private enum FolderKeys: CodingKey {
    case items, path
}

extension Folder: DecodableModel {
    func didDecode(from decoder: any Decoder) throws {
        var list = try decoder.container(keyedBy: FolderKeys.self).nestedUnkeyedContainer(forKey: .items)
        var kinds = list
        while !list.isAtEnd {
            let keys = try kinds.nestedContainer(keyedBy: FolderKeys.self)
            let item: Item =
                keys.contains(.path)
                ? try list.decode(Track.self)
                : keys.contains(.items) ? try list.decode(Folder.self) : try list.decode(Item.self)
            items.append(item)
        }
    }
}
