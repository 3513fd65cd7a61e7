public import Ashlar
public import GalleryRelease

#if !GALLERY1 && !GALLERY2
    extension Gallery {
        /// Runs a command of the demonstration, such as `photo Holiday Beach` or `like Beach 3`.
        ///
        /// - Returns: The lines to print, for `show`.
        public static func command(_ words: [String], _ container: ModelContainer, _ journal: Journal) throws
            -> [String]
        {
            let context = ModelContext(container)
            let name = words.count > 1 ? words[1] : ""
            let other = words.count > 2 ? words[2] : ""
            func photo() throws -> Photo? { try context.fetch(Photo.where { $0.tag == name }).first }
            switch words[0] {
            case "album": context.insert(Album(name: name, tag: name))
            case "photo":
                guard let album = try context.fetch(Album.where { $0.name == name }).first else { return [] }
                context.insert(Photo(caption: other, tag: other, album: album))
            case "like": try photo()?.likes += Int64(other) ?? 1
            case "score": try photo()?.score = Int64(other) ?? 0
            case "caption": try photo()?.caption = other
            case "label":
                let found = try context.fetch(Label.where { $0.name == other }).first
                let label = found ?? Label(name: other, tag: journal.tag())
                if found == nil { context.insert(label) }
                try photo()?.labels.insert(label)
            case "remove": if let found = try photo() { context.delete(found) }
            default: return try show(context)
            }
            try context.save()
            return []
        }

        private static func show(_ context: ModelContext) throws -> [String] {
            let photos = try context.fetch(Photo.order { $0.tag.ascending }).map { photo in
                let labels = photo.labels.map(\.name).sorted().joined(separator: ", ")
                return
                    "\(photo.tag) \"\(photo.caption)\", \(photo.likes) likes, score \(photo.score), labels: \(labels)"
            }
            let labels = try context.fetch(Label.order { $0.name.ascending }).map(\.name)
            return photos + ["all labels: \(labels.joined(separator: ", "))"]
        }
    }
#endif
