import Ashlar
import Foundation

/// Classes of a ported app: what the model cannot say is added to what is generated.
nonisolated class Item: ItemProperties {
    /// What Core Data's class had besides its attributes.
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

/// The key under which a folder has its items, which are of several classes.
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
