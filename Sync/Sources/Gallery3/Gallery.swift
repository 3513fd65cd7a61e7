public import Ashlar
public import Foundation
public import GalleryRelease

/// The program at one release. The file is the same for all three releases; the code generated from the model differs.
public enum Gallery: GalleryRelease {
    #if GALLERY1
        public static let number = 1
    #elseif GALLERY2
        public static let number = 2
    #else
        public static let number = 3
    #endif

    public static func open(_ url: URL) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: url, options: StoreOptions(historyTracking: true))
        configuration.externalStorageThreshold = 4096
        return try ModelContainer(for: GalleryModel.self, configurations: configuration)
    }

    public static func write(
        _ container: ModelContainer, operations: Int, seed: UInt64, journal: Journal
    ) throws {
        var writing = Writing(container: container, numbers: SeededNumbers(seed), journal: journal)
        var left = operations
        while left > 0 {
            let count = min(left, 1 + writing.numbers.below(8))
            left -= count
            try writing.save(count)
        }
    }

    public static func list(_ container: ModelContainer) throws -> [String] {
        let context = ModelContext(container)
        var lines: [String] = []
        func add(_ kind: String, _ tag: String, _ values: [String: Int64] = [:]) {
            lines.append(
                (["object", kind, tag] + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                    .joined(separator: " "))
        }
        for album in try context.fetch(Album.all) { add("Album", album.tag) }
        for label in try context.fetch(Label.all) { add("Label", label.tag) }
        for person in try context.fetch(Person.all) {
            add("Person", person.tag, (person as? Guest).map { ["visits": $0.visits] } ?? [:])
        }
        for photo in try context.fetch(Photo.all) {
            add("Photo", photo.tag, ["likes": photo.likes, "score": photo.score])
        }
        for list in try context.fetch(Playlist.all) { add("Playlist", list.tag) }
        for profile in try context.fetch(Profile.all) { add("Profile", profile.tag) }
        #if !GALLERY1
            for place in try context.fetch(Place.all) { add("Place", place.tag) }
        #endif
        return lines
    }
}

/// Random changes of all kinds: objects with and without unique values, large values, relationships of each kind,
/// orders, deletions by each rule, and changes of many rows in one statement.
private struct Writing {
    let container: ModelContainer
    var numbers: SeededNumbers
    let journal: Journal

    mutating func save(_ count: Int) throws {
        if numbers.oneIn(25) { return try changeMany() }
        let context = ModelContext(container)
        for _ in 0..<count { try change(context) }
        journal.begin()
        do {
            try context.save()
            journal.end(isSaved: true)
        } catch is SaveError {
            // Another object has a unique value, or a deletion is denied.
            context.rollback()
            journal.end(isSaved: false)
        }
    }

    /// Deletes or changes rows without objects.
    private mutating func changeMany() throws {
        let context = ModelContext(container)
        let score = Int64(numbers.below(100))
        let photos = try context.fetch(Photo.where { $0.score == score })
        let isDeletion = numbers.oneIn(3)
        for photo in photos { journal.add(isDeletion ? "delete \(photo.tag)" : "add \(photo.tag) likes 2") }
        journal.begin()
        if isDeletion {
            try context.batchDelete(Photo.where { $0.score == score })
        } else {
            try context.batchUpdate(Photo.where { $0.score == score }) { $0.likes += 2 }
        }
        journal.end(isSaved: true)
    }

    private mutating func any<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, _ context: ModelContext)
        throws -> Model?
    {
        let count = try context.fetchCount(descriptor)
        return count == 0 ? nil : try context.fetch(descriptor.offset(numbers.below(count)).limit(1)).first
    }

    private mutating func bytes() -> Data {
        let count = [10, 2_000, 30_000, 90_000][numbers.below(4)]
        let first = numbers.next()
        return Data((0..<count).map { UInt8(truncatingIfNeeded: first &+ UInt64($0 / 5)) })
    }

    private mutating func change(_ context: ModelContext) throws {
        switch numbers.below(28) {
        case 0: try insertPerson(context)
        case 1...2: insertAlbum(context, owner: try any(Person.all, context))
        case 3...8: try insertPhoto(context)
        case 9: try insertLabel(context)
        case 10:
            let list = Playlist(tag: journal.tag(), title: "list \(numbers.below(9))")
            context.insert(list)
            journal.add("insert Playlist \(list.tag)")
        case 11...12: try label(context)
        case 13...14: try play(context)
        case 15...16: try move(context)
        case 17...19: try count(context)
        case 20: try any(Photo.all, context)?.caption = "caption \(numbers.below(1000))"
        case 21: try any(Photo.all, context)?.picture = numbers.oneIn(4) ? nil : bytes()
        case 22: try any(Photo.all, context)?.score = Int64(numbers.below(100))
        case 23: try meet(context)
        case 24: try rename(context)
        case 25: try takeNews(context)
        default: try delete(context)
        }
    }

    private mutating func insertPerson(_ context: ModelContext) throws {
        let inviter = try any(Person.all, context)
        let (tag, email) = (journal.tag(), "\(numbers.below(40))@example.org")
        if try context.fetchCount(Person.where { $0.email == email }) > 0 { return }
        let person: Person =
            numbers.oneIn(3) ? Guest(email: email, name: "guest", tag: tag) : Person(email: email, name: "p", tag: tag)
        context.insert(person)
        person.inviter = inviter
        journal.add("insert Person \(tag)")
        if numbers.oneIn(2) {
            let profile = Profile(tag: journal.tag(), person: person)
            context.insert(profile)
            journal.add("insert Profile \(profile.tag) \(tag)")
        }
    }

    private mutating func insertAlbum(_ context: ModelContext, owner: Person?) {
        let album = Album(tag: journal.tag())
        album.text = "album \(numbers.below(99))"
        context.insert(album)
        album.owner = owner
        journal.add("insert Album \(album.tag)")
    }

    private mutating func insertPhoto(_ context: ModelContext) throws {
        guard let album = try any(Album.all, context) else { return insertAlbum(context, owner: nil) }
        let photo = Photo(caption: "new", picture: numbers.oneIn(2) ? bytes() : nil, tag: journal.tag(), album: album)
        context.insert(photo)
        if numbers.oneIn(2) { album.photos.move(photo, to: numbers.below(album.photos.count)) }
        journal.add("insert Photo \(photo.tag) \(album.tag)")
    }

    private mutating func insertLabel(_ context: ModelContext) throws {
        let (tag, name) = (journal.tag(), "label \(numbers.below(25))")
        if try context.fetchCount(Label.where { $0.name == name }) > 0 { return }
        context.insert(Label(name: name, tag: tag))
        journal.add("insert Label \(tag)")
    }

    private mutating func label(_ context: ModelContext) throws {
        guard let photo = try any(Photo.all, context), let label = try any(Label.all, context) else { return }
        if photo.labels.contains(label) { photo.labels.remove(label) } else { photo.labels.insert(label) }
    }

    private mutating func play(_ context: ModelContext) throws {
        guard let list = try any(Playlist.all, context), let photo = try any(Photo.all, context) else { return }
        if list.photos.contains(photo) {
            if numbers.oneIn(3) {
                list.photos.remove(photo)
            } else {
                list.photos.move(photo, to: numbers.below(list.photos.count))
            }
        } else {
            list.photos.insert(photo, at: numbers.below(list.photos.count + 1))
        }
    }

    private mutating func move(_ context: ModelContext) throws {
        guard let photo = try any(Photo.all, context) else { return }
        if numbers.oneIn(2), let album = try any(Album.all, context) {
            photo.album = album
            journal.add("parent \(photo.tag) \(album.tag)")
        } else if let album = photo.album {
            album.photos.move(photo, to: numbers.below(album.photos.count))
        }
    }

    private mutating func count(_ context: ModelContext) throws {
        let added = Int64(1 + numbers.below(9))
        if numbers.oneIn(4) {
            guard let guest = try any(Guest.all, context) else { return }
            guest.visits += added
            journal.add("add \(guest.tag) visits \(added)")
        } else {
            guard let photo = try any(Photo.all, context) else { return }
            photo.likes += added
            journal.add("add \(photo.tag) likes \(added)")
        }
    }

    private mutating func meet(_ context: ModelContext) throws {
        guard let one = try any(Person.all, context), let other = try any(Person.all, context), one !== other else {
            return
        }
        if one.friends.contains(other) { one.friends.remove(other) } else { one.friends.insert(other) }
    }

    private mutating func rename(_ context: ModelContext) throws {
        switch numbers.below(4) {
        case 0: try any(Person.all, context)?.name = "person \(numbers.below(99))"
        case 1: try any(Album.all, context)?.text = "renamed \(numbers.below(99))"
        case 2: try any(Album.all, context)?.owner = try any(Person.all, context)
        default:
            // A unique value passes from one object to another, or is refused.
            try any(Label.all, context)?.name = "label \(numbers.below(25))"
        }
    }

    /// Uses the properties that only newer releases have.
    private mutating func takeNews(_ context: ModelContext) throws {
        #if !GALLERY1
            guard let photo = try any(Photo.all, context) else { return }
            photo.rating = Int64(numbers.below(6))
            let name = "place \(numbers.below(12))"
            if let place = try context.fetch(Place.where { $0.name == name }).first {
                photo.place = place
            } else {
                let place = Place(name: name, tag: journal.tag())
                context.insert(place)
                photo.place = place
                journal.add("insert Place \(place.tag)")
            }
        #endif
        #if !GALLERY1 && !GALLERY2
            try any(Label.all, context)?.weight += 1
        #endif
    }

    private mutating func delete(_ context: ModelContext) throws {
        func delete(_ object: (some ManagedObject & PersistentModel)?, _ tag: String?) {
            guard let object, let tag else { return }
            context.delete(object)
            journal.add("delete \(tag)")
        }
        switch numbers.below(12) {
        case 0:
            let person = try any(Person.all, context)
            delete(person, person?.tag)
        case 1:
            let album = try any(Album.all, context)
            delete(album, album?.tag)
        case 2:
            let label = try any(Label.all, context)
            delete(label, label?.tag)
        case 3:
            let list = try any(Playlist.all, context)
            delete(list, list?.tag)
        case 4:
            let profile = try any(Profile.all, context)
            delete(profile, profile?.tag)
        default:
            let photo = try any(Photo.all, context)
            delete(photo, photo?.tag)
        }
    }
}

extension Album {
    /// The album's title, a property with another name from the second release on.
    fileprivate var text: String {
        get {
            #if GALLERY1
                title
            #else
                name
            #endif
        }
        set {
            #if GALLERY1
                title = newValue
            #else
                name = newValue
            #endif
        }
    }
}
